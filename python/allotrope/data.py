"""Data sets: paths, lists of dictionaries, pandas frames, `datasets.Dataset`, and whatever offers Arrow.

A path is read by Allotrope itself. Rows that are in memory are written once, as JSON lines beside the run: they are what the run is about,
so that it can be resumed and its plan be run from the command line. The buffers of Arrow data are read where they are, a thousand rows at a
time. What is copied is each row: into Python values for a moment, and into its line of JSON.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Union

from allotrope.errors import PlanError

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
    if hasattr(data, "to_dict") and hasattr(data, "iloc"):
        for start in range(0, len(data), _TOGETHER):
            yield from data.iloc[start : start + _TOGETHER].to_dict("records")
    elif hasattr(data, "with_format") and hasattr(data, "iter"):
        for table in data.with_format("arrow").iter(batch_size=_TOGETHER):
            yield from table.to_pylist()
    elif hasattr(data, "to_batches"):
        for batch in data.to_batches(max_chunksize=_TOGETHER):
            yield from batch.to_pylist()
    elif hasattr(data, "__arrow_c_stream__"):
        import pyarrow

        for batch in pyarrow.RecordBatchReader.from_stream(data):
            yield from batch.to_pylist()
    elif isinstance(data, Mapping):
        raise PlanError("a data set is a list of rows, each of which is a dictionary, and not one dictionary")
    else:
        for number, row in enumerate(data):
            if not isinstance(row, Mapping):
                raise PlanError(f"row {number} is not a dictionary but {type(row).__name__}")
            yield row


def placed(data: Any, folder: Path, name: str = "data.jsonl") -> str:
    """The path of a data set. Rows are written into the folder, where a file with the same rows is left as it is."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    folder.mkdir(parents=True, exist_ok=True)
    path, new = folder / name, folder / f"{name}.part"
    with open(new, "w", encoding="utf-8") as file:
        for row in rows_of(data):
            known = {key: None if _is_missing(value) else value for key, value in row.items()}
            file.write(json.dumps(known, ensure_ascii=False, default=_plain))
            file.write("\n")
    os.replace(new, path)
    return str(path)


def row_of(data: Any, number: int) -> Mapping[str, Any]:
    """A row of a data set that has numbers, from 0.

    >>> row_of([{"code": "int x;"}, {"code": "int y;"}], 1)
    {'code': 'int y;'}
    """
    row: Mapping[str, Any]
    if hasattr(data, "to_dict") and hasattr(data, "iloc"):
        row = data.iloc[number].to_dict()
    elif hasattr(data, "to_batches"):
        [row] = data.slice(number, 1).to_pylist()
    else:
        row = data[number]
    return row


def _is_missing(value: Any) -> bool:
    """What pandas has where there is no value: NaN, which JSON does not know, or objects of its own."""
    return (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def _plain(value: Any) -> Any:
    """Numbers of numpy and the like."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return str(value)


def data_plan(path: str, seed: int, options: DataOptions) -> dict[str, Any]:
    """The section of a plan about a data set."""
    unknown = sorted(set(options) - set(DataOptions.__annotations__))
    if unknown:
        raise PlanError(f"there is no option {unknown[0]!r}: a data set has {', '.join(DataOptions.__annotations__)}")
    given = {key: value for key, value in options.items() if value is not None}
    return {"path": path, "seed": seed, **given}
