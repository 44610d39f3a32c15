from collections.abc import Callable
from os import PathLike
from typing import Any

__version__: str
HAS_PARQUET: bool

_Path = str | PathLike[str]
_Events = Callable[[str, str, int | None], None] | None
_Pace = tuple[int | None, int | None, _Path | None]

def main(arguments: list[str]) -> int: ...
def rewrite(
    programs: list[tuple[str, str]],
    language: str,
    transformations: str,
    order: int,
    seed: int,
    names: str,
    reference: list[str],
    variants: int,
    scope: str,
    steps: bool,
) -> list[list[tuple[str, str | None, tuple[int, int] | None]]]: ...
def sites(code: str, language: str, transformations: str) -> list[tuple[str, str, int, int]]: ...
def verify(
    original: str,
    variant: str,
    language: str,
    cases: list[tuple[list[str], str]],
    calls: list[str],
    verdicts: list[str],
    timeout: float,
    memory: int,
    compare_stderr: bool,
    sandbox: bool,
    events: _Events,
) -> str: ...
def evaluate(model: Any, data: str, events: _Events) -> str: ...
def attack(
    model: Any, plan: str, output: _Path, shard: tuple[int, int], pace: _Pace, events: _Events
) -> str: ...
def fidelity(models: list[Any], plan: str, output: _Path, pace: _Pace, events: _Events) -> str: ...
def fidelity_attack(
    plan: str, model: int, output: _Path, shard: tuple[int, int], pace: _Pace, events: _Events
) -> bool: ...
def fidelity_folders(plan: str) -> list[_Path]: ...
def evolve(plan: str, output: _Path, shard: tuple[int, int], pace: _Pace, events: _Events) -> str: ...
def compare(folders: list[_Path], attacks: list[str], seed: int) -> str: ...
def merge(folders: list[_Path], into: _Path) -> int: ...
def merge_evolutions(folders: list[_Path], into: _Path) -> None: ...
def read_plan(path: _Path) -> str: ...
def report(folders: list[_Path], attacks: list[str], examples: int | None, seed: int) -> tuple[str, str]: ...

_Answering = Callable[[list[Any], str], list[Any]]
_Embedding = Callable[[list[Any], str], list[list[float]] | None]

def open_model(name: str) -> tuple[str, list[str] | None, _Answering, _Embedding]: ...
