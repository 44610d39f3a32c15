"""What the tests share: places of the project, small data sets, and the command line."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("ALLOTROPE_ROOT", Path(__file__).parents[2]))
STUDENT = ROOT / "models/student-vulnerability"
OPTIONS = {"language": "c", "code": "func", "label": "target", "task": "vulnerability"}


def rows(count: int) -> list[dict[str, object]]:
    """Programs with labels, as good as drawn."""
    programs = sorted((ROOT / "fixtures/programs/problems").rglob("*.c"))
    assert len(programs) >= count
    return [{"func": path.read_text(), "target": number % 2} for number, path in enumerate(programs[:count])]


def records(folder: Path) -> list[tuple[object, ...]]:
    """The records of a run as they are on the disk."""
    with sqlite3.connect(folder / "run.sqlite") as connection:
        return connection.execute("select attack, number, record from records order by attack, number").fetchall()


def tables(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """What guided searches have kept, but for how long they took."""
    with sqlite3.connect(folder / "run.sqlite") as connection:
        return {
            name: sorted(connection.execute(f"select * from {name}").fetchall())
            for name in ("before", "evaluations", "searches", "individuals")
        }


def command(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Runs the command line."""
    given = [sys.executable, "-m", "allotrope", *map(str, arguments)]
    return subprocess.run(given, capture_output=True, text=True, timeout=300, check=False, **options)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data set on the disk."""
    import json

    path = tmp_path / "test.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(8)))
    return path
