"""Many machines, with Ray: the shards of a run are tasks, and their records become one run.

It needs `pip install 'allotrope[ray]'`, and data and models that every node finds under the name that the plan has for them.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

from allotrope.errors import PlanError
from allotrope.runs import PathLike, Run, merge, run_attack

__all__ = ["attack"]

_FILE = "run.sqlite"


def attack(
    plan: Union[PathLike, Mapping[str, Any]],
    output: PathLike,
    *,
    shards: int,
    num_cpus: float = 1,
    num_gpus: float = 0,
    jobs: int | None = None,
    batch: int | None = None,
) -> Run:
    """Does what is left of a plan of attacks on the nodes of a Ray cluster.

    The plan is a TOML file, as `allotrope run` takes it, or a dictionary of the same form. It is done in `shards` parts, each of which is
    a task with `num_cpus` and `num_gpus`. A task whose worker or node is killed is begun again, on the same node with what is complete;
    so a node costs at most its shards. A part that has come back is a run in the folder `shards` of the output, and is not done again by
    a later call. The records have the same bytes as those of one machine.
    """
    import ray

    if shards < 1:
        raise PlanError(f"there are {shards} shards, but one is the least")
    given = json.dumps(_read(plan), sort_keys=True)
    folder = Path(output)
    parts = [folder / "shards" / f"{number}-of-{shards}" for number in range(1, shards + 1)]
    # Retries are for nodes that are gone; what the plan or the model does wrong is raised at once.
    task = ray.remote(num_cpus=num_cpus, num_gpus=num_gpus, max_retries=-1, retry_exceptions=False)(_shard)
    running = {
        task.remote(given, number, shards, num_cpus, jobs, batch): part
        for number, part in enumerate(parts, 1)
        if not (part / _FILE).exists()
    }
    while running:
        [done], _ = ray.wait(list(running), num_returns=1)
        _keep(ray.get(done), running.pop(done) / _FILE)
    return merge(parts, folder)


def _keep(database: bytes, path: Path) -> None:
    """Writes a part, which is complete or absent."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".part")
    new.write_bytes(database)
    os.replace(new, path)


def _shard(plan: str, number: int, shards: int, num_cpus: float, jobs: int | None, batch: int | None) -> bytes:
    """A part of the run, in a folder of this node that a second try finds again."""
    os.environ.setdefault("RAYON_NUM_THREADS", str(max(1, int(num_cpus))))
    name = hashlib.sha256(f"{shards}\n{plan}".encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"allotrope-ray-{name}" / str(number)
    values = json.loads(plan)
    run_attack(values["model"], values, folder, shard=(number, shards), jobs=jobs, batch=batch)
    return (folder / _FILE).read_bytes()


def _read(plan: Union[PathLike, Mapping[str, Any]]) -> dict[str, Any]:
    if isinstance(plan, Mapping):
        values = dict(plan)
    else:
        if sys.version_info >= (3, 11):
            import tomllib

            values = tomllib.loads(Path(plan).read_text(encoding="utf-8"))
        else:
            raise PlanError("Python 3.10 reads no TOML: give the plan as a dictionary, or use Python 3.11")
    if not isinstance(values.get("model"), str):
        raise PlanError("the plan has no `model`, which has to be a name, KIND:WHERE, so that every node can open it")
    return values
