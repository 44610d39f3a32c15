"""Many machines, with Ray: the parts of a run are tasks, and what they find becomes one run.

It needs `pip install 'allotrope[ray]'`, and data and models that every node finds under the name that the plan has for them. A task whose
worker or node is killed is begun again, on the same node with what is complete; so a node costs at most its parts. A part that has come
back is kept in the folder `shards` of the output, and is not done again by a later call. What is found has the same bytes as on one machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from allotrope import _native
from allotrope.errors import AllotropeError, PlanError
from allotrope.runs import Event, Events, Evolution, Fidelity, PathLike, Run, merge, run_evolution, run_fidelity

__all__ = ["attack", "evolve", "fidelity"]

Plan = Union[PathLike, Mapping[str, Any]]

_FILE = "run.sqlite"

_Files = dict[str, bytes]
"""The files of a run, by their places in its folder."""


def attack(
    plan: Plan,
    output: PathLike,
    *,
    shards: int,
    num_cpus: float = 1,
    num_gpus: float = 0,
    jobs: int | None = None,
    batch: int | None = None,
    events: Events | None = None,
) -> Run:
    """Does what is left of a plan of attacks on the nodes of a Ray cluster, in `shards` parts of the targets.

    The plan is a TOML file, as `allotrope run` takes it, or a dictionary of the same form. Each part is a task with `num_cpus` and
    `num_gpus`. More parts than workers lose less with a node, and end more evenly.
    """
    given, folder = _read(plan, ["model"]), Path(output)
    parts = _parts(folder / "shards", shards)
    work = {part: (_attack, (given, (number, shards), jobs, batch)) for number, part in enumerate(parts, 1)}
    _Cluster(num_cpus, num_gpus, events).do("attacking", work)
    return merge(parts, folder)


def evolve(
    plan: Plan,
    output: PathLike,
    *,
    num_cpus: float = 1,
    num_gpus: float = 0,
    batch: int | None = None,
    events: Events | None = None,
) -> Evolution:
    """Does what is left of a plan of guided searches on the nodes of a Ray cluster.

    A search is one population, each generation of which needs the one before, so that it is not divided: the parts are the repetitions
    (`repeat` in the plan), which have seeds of their own. A last task replays all of them with what was evaluated.
    """
    given, folder = _read(plan, ["model"]), Path(output)
    repeat = json.loads(given).get("repeat", 1)
    parts = _parts(folder / "shards", repeat if isinstance(repeat, int) else 1)
    work = {part: (_evolve, (given, (number, len(parts)), batch)) for number, part in enumerate(parts, 1)}
    cluster = _Cluster(num_cpus, num_gpus, events)
    cluster.do("evolving", work)
    with tempfile.TemporaryDirectory(prefix="allotrope-") as scratch:
        _native.merge_evolutions(list(parts), scratch)
        merged = _files_of(Path(scratch))
    cluster.do("replaying the searches", {folder: (_replay, (given, merged, batch))})
    return run_evolution(json.loads(given), folder, batch=batch)


def fidelity(
    plan: Plan,
    output: PathLike,
    *,
    shards: int,
    num_cpus: float = 1,
    num_gpus: float = 0,
    jobs: int | None = None,
    batch: int | None = None,
    events: Events | None = None,
) -> Fidelity:
    """Does what is left of a comparison of students with their teacher on the nodes of a Ray cluster.

    The attacks on each of the models are done in `shards` parts of the targets. The models' answers to the data set itself are a last
    task, which finds the attacks done.
    """
    given, folder = _read(plan, ["teacher", "students"]), Path(output)
    cluster = _Cluster(num_cpus, num_gpus, events)
    work: dict[Path, tuple[Callable[..., _Files], tuple[Any, ...]]] = {}
    attacks: list[tuple[Path, list[Path]]] = []
    for model, place in enumerate(_native.fidelity_folders(given)):
        parts = _parts(folder / "shards" / str(model), shards)
        attacks.append((Path(place), parts))
        for number, part in enumerate(parts, 1):
            work[part] = (_attack_of_fidelity, (given, model, (number, shards), jobs, batch))
    cluster.do("attacking teacher and students", work)
    with tempfile.TemporaryDirectory(prefix="allotrope-") as scratch:
        for place, parts in attacks:
            merge(parts, Path(scratch) / place)
        merged = _files_of(Path(scratch))
    cluster.do("querying teacher and students", {folder: (_compare, (given, merged, jobs, batch))})
    values = json.loads(given)
    return run_fidelity([values["teacher"], *values["students"]], values, folder, jobs=jobs, batch=batch)


class _Cluster:
    """Where tasks are done, and what each of them gets."""

    def __init__(self, num_cpus: float, num_gpus: float, events: Events | None) -> None:
        self.num_cpus = num_cpus
        self.num_gpus = num_gpus
        self.events = events

    def do(self, stage: str, work: Mapping[Path, tuple[Callable[..., _Files], tuple[Any, ...]]]) -> None:
        """Does the work of every folder that has no run, and writes the files that come back into it."""
        import ray

        task = self.remote()
        left = {folder: given for folder, given in work.items() if not (folder / _FILE).exists()}
        self._tell(Event("stage", stage, len(work)))
        self._tell(Event("steps", "", len(work) - len(left)))
        running = {task.remote(function, given, self.num_cpus): folder for folder, (function, given) in left.items()}
        try:
            while running:
                [done], _ = ray.wait(list(running), num_returns=1)
                _keep(ray.get(done), running.pop(done))
                self._tell(Event("steps", "", 1))
        except ray.exceptions.RayTaskError as error:
            # With the text that it has on one machine; where it was raised is in the log of the worker.
            if isinstance(error.cause, AllotropeError):
                raise error.cause from None
            raise
        finally:
            for one in running:
                ray.cancel(one, force=True)

    def remote(self) -> Any:
        """The function that Ray calls on a node."""
        import ray

        # Retries are for nodes that are gone; what the plan or the model does wrong is raised at once.
        return ray.remote(num_cpus=self.num_cpus, num_gpus=self.num_gpus, max_retries=-1, retry_exceptions=False)(_task)

    def _tell(self, event: Event) -> None:
        if self.events is not None:
            self.events(event)


def _parts(folder: Path, count: int) -> list[Path]:
    if count < 1:
        raise PlanError(f"there are {count} shards, but one is the least")
    return [folder / f"{number}-of-{count}" for number in range(1, count + 1)]


def _keep(files: _Files, folder: Path) -> None:
    """Writes what came back. The file that makes a folder a run is the last, and complete or absent."""
    for name in sorted(files, key=lambda name: name == _FILE):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f"{path.name}.part")
        new.write_bytes(files[name])
        os.replace(new, path)


def _files_of(folder: Path) -> _Files:
    """The files of a run that nobody works on."""
    kept = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name not in ("runner.json", "lock")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


def _task(function: Callable[..., _Files], given: tuple[Any, ...], num_cpus: float) -> _Files:
    """Does a part in a folder of this node, which a second try on the same node finds again."""
    import ray

    os.environ.setdefault("RAYON_NUM_THREADS", str(max(1, int(num_cpus))))
    # Several nodes may be on one machine, and the killed one may not be quite dead when the other takes over.
    node = ray.get_runtime_context().get_node_id()
    name = hashlib.sha256(repr((function.__name__, given)).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"allotrope-ray-{node[:12]}-{name}"
    files = function(folder, *given)
    shutil.rmtree(folder, ignore_errors=True)
    return files


def _attack(folder: Path, plan: str, shard: tuple[int, int], jobs: int | None, batch: int | None) -> _Files:
    _native.attack(json.loads(plan)["model"], plan, folder, shard, (jobs, batch, None), None)
    return {_FILE: (folder / _FILE).read_bytes()}


def _evolve(folder: Path, plan: str, shard: tuple[int, int], batch: int | None) -> _Files:
    _native.evolve(plan, folder, shard, (None, batch, None), None)
    return {_FILE: (folder / _FILE).read_bytes()}


def _attack_of_fidelity(
    folder: Path, plan: str, model: int, shard: tuple[int, int], jobs: int | None, batch: int | None
) -> _Files:
    _native.fidelity_attack(plan, model, folder, shard, (jobs, batch, None), None)
    return {_FILE: (folder / _FILE).read_bytes()}


def _replay(folder: Path, plan: str, merged: _Files, batch: int | None) -> _Files:
    if not (folder / _FILE).exists():
        _keep(merged, folder)
    _native.evolve(plan, folder, (1, 1), (None, batch, None), None)
    return _files_of(folder)


def _compare(folder: Path, plan: str, merged: _Files, jobs: int | None, batch: int | None) -> _Files:
    for name, content in merged.items():
        if not (folder / name).exists():
            _keep({name: content}, folder)
    values = json.loads(plan)
    _native.fidelity([values["teacher"], *values["students"]], plan, folder, (jobs, batch, None), None)
    return _files_of(folder)


def _read(plan: Plan, models: Sequence[str]) -> str:
    """A plan as JSON, in which keys without a value are left out."""
    values = dict(plan) if isinstance(plan, Mapping) else json.loads(_native.read_plan(plan))
    for key in models:
        found = values.get(key)
        names = found if isinstance(found, list) else [found]
        if not all(isinstance(name, str) for name in names):
            raise PlanError(f"the plan has no `{key}` that is a name, KIND:WHERE, so that every node can open it")
    return json.dumps({key: value for key, value in values.items() if value is not None}, sort_keys=True, default=os.fspath)
