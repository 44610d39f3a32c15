"""Runs on a Ray cluster of two nodes, one of which is killed."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import OPTIONS, ROOT, STUDENT, records, rows, tables

import allotrope
from allotrope.runs import run_attack, run_evolution, run_fidelity

pytestmark = pytest.mark.slow

ray = pytest.importorskip("ray")

MODEL = f"hf:{STUDENT}"


@pytest.fixture
def attacks(tmp_path: Path) -> dict[str, Any]:
    """A plan of attacks, with targets in a file, which every node finds."""
    path = tmp_path / "targets.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(30)))
    return {"model": MODEL, "attacks": ["random-k"], "budget": 100, "exhaust-budget": True, "data": {"path": str(path), **OPTIONS}}


class Killer:
    """Kills a node with `kill -9`, when this number of parts is done."""

    def __init__(self, node: Any, after: int) -> None:
        self.node = node
        self.left = after
        self.killed = threading.Event()

    def __call__(self, event: allotrope.Event) -> None:
        if event.kind == "steps":
            self.left -= event.number or 0
        if self.left <= 0 and not self.killed.is_set():
            self.killed.set()
            for process in self.node.all_processes["raylet"]:
                os.kill(process.process.pid, signal.SIGKILL)


@contextmanager
def two_nodes() -> Iterator[Any]:
    """The second of two nodes, each with a core."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, include_dashboard=False, log_to_driver=False)
    try:
        yield second
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_a_killed_node_costs_no_record(attacks: dict[str, Any], tmp_path: Path) -> None:
    import allotrope.ray

    whole = run_attack(MODEL, attacks, tmp_path / "whole")
    with two_nodes() as second:
        killer = Killer(second, 2)
        run = allotrope.ray.attack(attacks, tmp_path / "run", shards=6, events=killer)
        assert killer.killed.is_set()
        parts = sorted((tmp_path / "run/shards").iterdir())
        assert [part.name for part in parts] == [f"{number}-of-6" for number in range(1, 7)]
        assert records(run.folder) == records(whole.folder) and len(run.records) == 30
        # What is there is not done again, and what was lost is.
        (parts[3] / "run.sqlite").unlink()
        began = {part: (part / "run.sqlite").stat().st_mtime_ns for part in parts if part != parts[3]}
        allotrope.ray.attack(attacks, tmp_path / "run", shards=6)
        assert began == {part: (part / "run.sqlite").stat().st_mtime_ns for part in began}
        assert records(run.folder) == records(whole.folder)


def test_searches_are_divided_by_their_repetitions(tmp_path: Path) -> None:
    import allotrope.ray

    plan = {
        "model": "builtin:problems",
        "minimise": ["percentage-mrr"],
        "repeat": 4,
        "population": 4,
        "generations": 2,
        "data": {"path": str(ROOT / "fixtures/programs/problems"), "limit": 6},
    }
    whole = run_evolution(plan, tmp_path / "whole")
    with two_nodes() as second:
        found = allotrope.ray.evolve(plan, tmp_path / "run", events=Killer(second, 1))
    assert found.repeats == whole.repeats == 4 and found.tables == whole.tables
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")


def test_students_are_compared_as_on_one_machine(attacks: dict[str, Any], tmp_path: Path) -> None:
    import allotrope.ray

    names = [MODEL, f"{MODEL}?weights=int8"]
    plan = {"teacher": MODEL, "students": names[1:], "data": attacks["data"], "attack": {**attacks, "budget": 30}}
    whole = run_fidelity(names, plan, tmp_path / "whole")
    with two_nodes() as second:
        found = allotrope.ray.fidelity(plan, tmp_path / "run", shards=3, events=Killer(second, 2))
    assert found.comparisons == whole.comparisons and found.gaps == whole.gaps and len(found.gaps) == 1
    for folder in sorted((tmp_path / "whole/attacks").iterdir()):
        assert records(tmp_path / "run/attacks" / folder.name) == records(folder)


def test_tasks_ask_for_processors_and_mistakes_are_those_of_one_machine(attacks: dict[str, Any], tmp_path: Path) -> None:
    import allotrope.ray

    with two_nodes():
        with pytest.raises(allotrope.PlanError, match="did you mean `random-k`") as raised:
            allotrope.ray.attack({**attacks, "attacks": ["randm-k"]}, tmp_path / "run", shards=2)
        assert "Traceback" not in str(raised.value)
        task = allotrope.ray._Cluster(0.5, 0.25, None).remote()
        assert task._default_options["num_gpus"] == 0.25 and task._default_options["num_cpus"] == 0.5
    with pytest.raises(allotrope.PlanError, match="no `model` that is a name"):
        allotrope.ray.attack({**attacks, "model": lambda batch: batch}, tmp_path / "none", shards=2)
    with pytest.raises(allotrope.PlanError, match="0 shards"):
        allotrope.ray.attack(attacks, tmp_path / "none", shards=0)
