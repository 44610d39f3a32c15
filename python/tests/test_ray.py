"""Shards on a Ray cluster of two nodes, one of which is killed."""

import threading
import time
from pathlib import Path

import pytest
from conftest import ROOT, STUDENT, records

import allotrope
from allotrope.runs import run_attack

pytestmark = pytest.mark.slow


def test_a_killed_node_costs_no_record(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    import allotrope.ray

    plan = {
        "model": f"hf:{STUDENT}",
        "attacks": ["random-k"],
        "budget": 120,
        "exhaust-budget": True,
        "data": {"path": str(ROOT / "fixtures/programs/problems"), "language": "c", "task": "unlabelled"},
        "measure": "cosine",
        "below": 0.5,
    }
    whole = run_attack(plan["model"], plan, tmp_path / "whole")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, include_dashboard=False, log_to_driver=False)
    try:
        killer = threading.Thread(target=lambda: (time.sleep(6), cluster.remove_node(second, allow_graceful=False)))
        killer.start()
        run = allotrope.ray.attack(plan, tmp_path / "run", shards=6)
        killer.join()
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert records(run.folder) == records(whole.folder) and len(run.records) > 6
    assert len(list((tmp_path / "run/shards").iterdir())) == 6
