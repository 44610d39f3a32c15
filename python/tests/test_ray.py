"""Runs on a Ray cluster of two nodes, one of which is killed."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, STUDENT, records, tables

import allotrope
from allotrope.runs import run_attack, run_evolution, run_fidelity

pytestmark = pytest.mark.slow

ray = pytest.importorskip("ray")

DATA = {"path": str(ROOT / "fixtures/programs/problems"), "language": "c", "task": "unlabelled"}
ATTACKS = {
    "model": f"hf:{STUDENT}",
    "attacks": ["random-k"],
    "budget": 120,
    "exhaust-budget": True,
    "data": DATA,
    "measure": "cosine",
    "below": 0.5,
}


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


def test_a_killed_node_costs_no_record(tmp_path: Path) -> None:
    import allotrope.ray

    whole = run_attack(ATTACKS["model"], ATTACKS, tmp_path / "whole")
    with two_nodes() as second:
        killer = Killer(second, 2)
        run = allotrope.ray.attack(ATTACKS, tmp_path / "run", shards=6, events=killer)
        assert killer.killed.is_set()
        parts = sorted((tmp_path / "run/shards").iterdir())
        assert [part.name for part in parts] == [f"{number}-of-6" for number in range(1, 7)]
        assert records(run.folder) == records(whole.folder) and len(run.records) > 6
        # What is there is not done again, and what was lost is.
        (parts[3] / "run.sqlite").unlink()
        began = {part: (part / "run.sqlite").stat().st_mtime_ns for part in parts if part != parts[3]}
        allotrope.ray.attack(ATTACKS, tmp_path / "run", shards=6)
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
        "data": {"path": DATA["path"], "limit": 6},
    }
    whole = run_evolution(plan, tmp_path / "whole")
    with two_nodes() as second:
        found = allotrope.ray.evolve(plan, tmp_path / "run", events=Killer(second, 1))
    assert found.repeats == whole.repeats == 4 and found.tables == whole.tables
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")


def test_students_are_compared_as_on_one_machine(tmp_path: Path) -> None:
    import allotrope.ray

    names = [ATTACKS["model"], f"{ATTACKS['model']}?weights=int8"]
    attack = {"model": names[0], "attacks": ["random-k"], "budget": 30, "measure": "cosine", "below": 0.5, "data": DATA}
    plan = {"teacher": names[0], "students": names[1:], "data": DATA, "attack": attack}
    whole = run_fidelity(names, plan, tmp_path / "whole")
    with two_nodes() as second:
        found = allotrope.ray.fidelity(plan, tmp_path / "run", shards=3, events=Killer(second, 2))
    assert found.comparisons == whole.comparisons and found.gaps == whole.gaps and len(found.gaps) == 1
    for attacks in sorted((tmp_path / "whole/attacks").iterdir()):
        assert records(tmp_path / "run/attacks" / attacks.name) == records(attacks)


def test_tasks_ask_for_processors_and_mistakes_are_those_of_one_machine(tmp_path: Path) -> None:
    import allotrope.ray

    with two_nodes():
        with pytest.raises(allotrope.PlanError, match="did you mean `random-k`") as raised:
            allotrope.ray.attack({**ATTACKS, "attacks": ["randm-k"]}, tmp_path / "run", shards=2)
        assert "Traceback" not in str(raised.value)
        task = allotrope.ray._Cluster(0.5, 0.25, None).remote()
        assert task._default_options["num_gpus"] == 0.25 and task._default_options["num_cpus"] == 0.5
    with pytest.raises(allotrope.PlanError, match="no `model` that is a name"):
        allotrope.ray.attack({**ATTACKS, "model": 3}, tmp_path / "none", shards=2)
    with pytest.raises(allotrope.PlanError, match="0 shards"):
        allotrope.ray.attack(ATTACKS, tmp_path / "none", shards=0)
