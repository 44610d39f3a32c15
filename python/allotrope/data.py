"""Data sets: paths, lists of dictionaries, pandas frames, `datasets.Dataset`, and whatever offers Arrow.

A path is read by Allotrope itself. Rows that are in memory are written once, as JSON lines beside the run: they are what the run is about,
so that it can be resumed and its plan be run from the command line. The buffers of Arrow data are read where they are, a thousand rows at a
time. What is copied is each row: into Python values for a moment, and into its line of JSON.
"""

from __future__ import annotations

import filecmp
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Union

from allotrope.errors import MissingError, PlanError

if TYPE_CHECKING:
    from typing_extensions import Unpack  # noqa: F401

__all__ = ["Data", "DataOptions", "row_of", "rows_of"]

Data = Union[str, "os.PathLike[str]", Iterable[Mapping[str, Any]], Any]
"""A path; rows as dictionaries; or a pandas frame, a `datasets.Dataset`, an Arrow table or anything with `__arrow_c_stream__`."""

_TOGETHER = 1000


class DataOptions(TypedDict, total=False):
    """How a data set is read: the options of the command line with the same names."""

    split: str
    layout: str
    task: str
    language: str
    code: str
    code2: str
    label: str
    text: str
    labels: list[str]
    substitutes: str
    limit: int
    sample: int
    longest: int


def rows_of(data: Any) -> Iterator[Mapping[str, Any]]:
    """The rows of a data set that is in memory.

    >>> list(rows_of([{"code": "int x;", "label": 0}]))
    [{'code': 'int x;', 'label': 0}]
    """
    if _is_frame(data):
        for start in range(0, len(data), _TOGETHER):
            yield from data.iloc[start : start + _TOGETHER].to_dict("records")
    elif _is_polars(data):
        yield from data.iter_rows(named=True)
    elif hasattr(data, "with_format") and hasattr(data, "iter"):
        for table in data.with_format("arrow").iter(batch_size=_TOGETHER):
            yield from table.to_pylist()
    elif hasattr(data, "to_batches"):
        for batch in data.to_batches(max_chunksize=_TOGETHER):
            yield from batch.to_pylist()
    elif hasattr(data, "iloc") or (hasattr(data, "__arrow_c_stream__") and not hasattr(data, "columns") and hasattr(data, "dtype")):
        raise PlanError(f"a data set has columns, and a {type(data).__name__} has none")
    elif hasattr(data, "__arrow_c_stream__"):
        import pyarrow

        for batch in pyarrow.RecordBatchReader.from_stream(data):
            yield from batch.to_pylist()
    elif isinstance(data, Mapping):
        is_split = all(hasattr(part, "with_format") for part in data.values())
        hint = f"choose one of {', '.join(map(str, data))}" if is_split else "pandas.DataFrame makes rows of columns"
        raise PlanError(f"a data set is a list of rows, each of which is a dictionary, and not one dictionary: {hint}")
    elif not isinstance(data, Iterable):
        raise PlanError(f"a data set is a path, a list of dictionaries or a table, and not {type(data).__name__}")
    else:
        for number, row in enumerate(data):
            if not isinstance(row, Mapping):
                raise PlanError(f"row {number} is not a dictionary but {type(row).__name__}")
            yield row


def _is_frame(data: Any) -> bool:
    """A pandas frame. A series has no columns."""
    return hasattr(data, "iloc") and hasattr(data, "columns")


def _is_polars(data: Any) -> bool:
    return hasattr(data, "iter_rows") and hasattr(data, "row")


def placed(data: Any, folder: Path, name: str = "data.jsonl") -> str:
    """The path of a data set. Rows are written into the folder, unless a run in it was begun with other rows."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    folder.mkdir(parents=True, exist_ok=True)
    path, new = folder / name, folder / f"{name}.part"
    with open(new, "w", encoding="utf-8") as file:
        for number, row in enumerate(rows_of(data)):
            try:
                line = json.dumps({str(key): _known(value) for key, value in row.items()}, ensure_ascii=False, allow_nan=False)
                file.write(f"{line}\n")
            except ValueError as error:
                raise PlanError(f"row {number} cannot be written as JSON: {error}") from error
        if file.tell() == 0:
            raise PlanError("the data set has no rows")
    if (folder / "run.sqlite").exists() and path.exists() and not filecmp.cmp(path, new, shallow=False):
        new.unlink()
        raise MissingError(f"the run {folder} was begun with other rows: write to another folder, or give it the rows that it was begun with")
    os.replace(new, path)
    return str(path)


def row_of(data: Any, number: int) -> Mapping[str, Any]:
    """A row of a data set that has numbers, from 0.

    >>> row_of([{"code": "int x;"}, {"code": "int y;"}], 1)
    {'code': 'int y;'}
    """
    row: Mapping[str, Any]
    if _is_frame(data):
        [row] = data.iloc[[number]].to_dict("records")
    elif _is_polars(data):
        row = data.row(number, named=True)
    elif hasattr(data, "to_batches"):
        [row] = data.slice(number, 1).to_pylist()
    else:
        row = data[number]
    return row


def _known(value: Any) -> Any:
    """A value as JSON can have it, which has no NaN."""
    if is_missing(value):
        return None
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [_known(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _known(one) for key, one in value.items()}
    if isinstance(value, bytes):
        return value.decode("utf-8")
    # Numbers and arrays of numpy, and tensors.
    return _known(value.tolist()) if hasattr(value, "tolist") else str(value)


def is_missing(value: Any) -> bool:
    """What says that there is no value: nothing, NaN, or the objects that pandas has for it."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def data_plan(path: str, seed: int, options: DataOptions) -> dict[str, Any]:
    """The section of a plan about a data set."""
    unknown = sorted(set(options) - set(DataOptions.__annotations__))
    if unknown:
        raise PlanError(f"there is no option {unknown[0]!r}: a data set has {', '.join(DataOptions.__annotations__)}")
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    if isinstance(given.get("labels"), str):
        given["labels"] = given["labels"].split(",")
    return {"path": path, "seed": seed, **given}
