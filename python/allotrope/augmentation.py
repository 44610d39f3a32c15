"""Variants as training data: the rows of a data set with rewritten programs, new ones in each epoch."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union

from allotrope import _native
from allotrope.data import is_missing, row_of, rows_of
from allotrope.errors import PlanError

__all__ = ["Augmented", "Augmenter", "augment"]

_COLUMNS = ("func", "code", "source", "original_string")


class Augmenter:
    """Rewrites programs for training: a transform of single rows, of batches, or of texts.

    A variant depends on the seed, the epoch, and the number of the row (or where there is none, on the program), and not on the worker
    that makes it, nor on the batch that it is in. Programs that do not parse stay as they are.

    >>> rewrite = Augmenter("rename-local", language="java", names="typed")
    >>> rewrite({"code": "int f(int n) { int sum = n; return sum; }", "label": 1})
    {'code': 'int f(int n) { int localInt1 = n; return localInt1; }', 'label': 1}
    """

    def __init__(
        self,
        recipe: str = "all",
        seed: int = 0,
        *,
        language: str,
        column: Union[str, Sequence[str], None] = None,
        order: int = 1,
        names: str = "pseudo",
        epoch: int = 0,
    ) -> None:
        self.recipe = recipe
        self.seed = seed
        self.language = language
        self.columns = [column] if isinstance(column, str) else None if column is None else list(column)
        self.order = order
        self.names = names
        self.epoch = epoch
        # What is wrong with a recipe is said here, and not by a worker in the middle of an epoch.
        self.texts([])

    def set_epoch(self, epoch: int) -> None:
        """Chooses the variants of another epoch."""
        self.epoch = epoch

    def texts(self, programs: Sequence[str], numbers: Sequence[int] | None = None) -> list[str]:
        """The variants of programs, made on all cores. The lock of the interpreter is free meanwhile.

        >>> Augmenter("rename-local", language="java", names="typed").texts(["int f() { int a = 1; return a; }"])
        ['int f() { int localInt1 = 1; return localInt1; }']
        """
        names = programs if numbers is None else [str(number) for number in numbers]
        given = [(f"{self.epoch}/{name}", program) for name, program in zip(names, programs, strict=True)]
        made = _native.rewrite(
            given, self.language, self.recipe, self.order, self.seed, self.names, [], 1, "each-file", False
        )
        return [variants[0][0] for variants in made]

    def rows(self, rows: Sequence[Mapping[str, Any]], numbers: Sequence[int] | None = None) -> list[dict[str, Any]]:
        """The same rows with rewritten programs."""
        made = [dict(row) for row in rows]
        for column in self._columns_of(made[0]) if made else []:
            if any(column not in row for row in made):
                raise PlanError(f"a row has no column {column}, which other rows have")
            for row, text in zip(made, self._rewritten(column, [row[column] for row in made], numbers), strict=True):
                row[column] = text
        return made

    def __call__(self, given: Mapping[str, Any], numbers: Any = None) -> dict[str, Any]:
        """A row, or a batch as `datasets` has it: lists of values by their columns.

        The numbers are those that `datasets.map` adds with `with_indices=True`.
        """
        columns = self._columns_of(given)
        if isinstance(given[columns[0]], str) or given[columns[0]] is None:
            return self.rows([given], None if numbers is None else [numbers])[0]
        return {**given, **{column: self._rewritten(column, list(given[column]), numbers) for column in columns}}

    def _rewritten(self, column: str, programs: Sequence[Any], numbers: Sequence[int] | None) -> list[Any]:
        """The variants of the programs in a column. Where there is none, there is none afterwards."""
        found = [place for place, program in enumerate(programs) if isinstance(program, str)]
        if len(found) == len(programs):
            return self.texts(programs, numbers)
        strange = next((program for program in programs if not isinstance(program, str) and not is_missing(program)), None)
        if strange is not None:
            raise PlanError(f"the column {column} has a value that is no text but {type(strange).__name__}")
        made = list(programs)
        texts = self.texts([programs[place] for place in found], None if numbers is None else [numbers[place] for place in found])
        for place, text in zip(found, texts, strict=True):
            made[place] = text
        return made

    def _columns_of(self, row: Mapping[str, Any]) -> list[str]:
        if self.columns is None:
            found = [column for column in _COLUMNS if column in row][:1] or [
                column for column in ("code1", "code2") if column in row
            ]
        else:
            found = [column for column in self.columns if column in row]
        if not found:
            raise PlanError(f"which of the columns {', '.join(row)} has the programs? Name it with column=")
        return found


class Augmented:
    """A data set whose programs are rewritten as they are read.

    It can be iterated, and where the data set has a length and numbers, it has them, too: a `torch.utils.data.DataLoader` takes it as it
    is, and asks for whole batches. What has no length is a stream, of which each worker of a loader has its share of the rows; loaders know
    it as one if torch was imported before.
    """

    def __init__(self, dataset: Any, augmenter: Augmenter, batch: int = 256) -> None:
        self.dataset = dataset
        self.augmenter = augmenter
        self.batch = batch

    def set_epoch(self, epoch: int) -> None:
        """Chooses the variants of another epoch."""
        self.augmenter.set_epoch(epoch)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, number: int) -> dict[str, Any]:
        number = operator.index(number)
        return self.__getitems__([number + len(self) if number < 0 else number])[0]

    def __getitems__(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        return self.augmenter.rows([row_of(self.dataset, number) for number in numbers], numbers)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker, workers = _worker()
        rows: list[Mapping[str, Any]] = []
        numbers: list[int] = []
        for number, row in enumerate(rows_of(self.dataset)):
            if number % workers != worker:
                continue
            rows.append(row)
            numbers.append(number)
            if len(rows) == self.batch:
                yield from self.augmenter.rows(rows, numbers)
                rows, numbers = [], []
        yield from self.augmenter.rows(rows, numbers)


def _worker() -> tuple[int, int]:
    """Which of how many workers of a data loader this is. Torch is asked only where it is loaded already."""
    data = getattr(sys.modules.get("torch.utils.data"), "get_worker_info", None)
    found = data() if data else None
    return (found.id, found.num_workers) if found else (0, 1)


def augment(
    dataset: Any,
    recipe: str = "all",
    seed: int = 0,
    *,
    language: str,
    column: Union[str, Sequence[str], None] = None,
    order: int = 1,
    names: str = "pseudo",
    batch: int = 256,
) -> Augmented:
    """A data set whose programs are rewritten as they are read, see [`Augmented`] and [`Augmenter`].

    >>> rows = [{"func": "int f() { int a = 1; return a; }"}, {"func": "int g() { int b = 2; return b; }"}]
    >>> variants = augment(rows, "rename-local", seed=1, language="c", names="letters")
    >>> first, again = list(variants), list(variants)
    >>> variants.set_epoch(1)
    >>> first == again, first == list(variants), len(variants)
    (True, False, 2)
    """
    augmenter = Augmenter(recipe, seed, language=language, column=column, order=order, names=names)
    made = Augmented
    if not hasattr(dataset, "__len__") and "torch" in sys.modules:
        from allotrope.streams import AugmentedStream

        made = AugmentedStream
    return made(dataset, augmenter, batch)
