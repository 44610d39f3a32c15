"""What a Ray cluster of two nodes costs beside two shards by hand, and whether the records are the same when a node is killed.

    python ray_shards.py MODEL DATA FOLDER [--targets 2000] [--attack random-k] [--shards 16] [--budget 60]

MODEL and DATA are as for `allotrope attack`. Both have two processes with a thread each.
"""

import argparse
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import allotrope
import allotrope.ray
import ray
from ray.cluster_utils import Cluster


def records(folder: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "run.sqlite") as connection:
        return connection.execute("select attack, number, record from records order by attack, number").fetchall()


def by_hand(plan: Path, folder: Path) -> float:
    begin = time.perf_counter()
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    started = [
        subprocess.Popen([sys.executable, "-m", "allotrope", "run", plan, "--shard", f"{part}/2", "-o", folder / str(part)],
                         env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for part in (1, 2)
    ]
    assert [process.wait() for process in started] == [0, 0]
    allotrope.merge([folder / "1", folder / "2"], folder / "whole")
    return time.perf_counter() - begin


def on_a_cluster(plan: dict[str, object], folder: Path, shards: int, kill: bool) -> float:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, include_dashboard=False, log_to_driver=False)
    done = 0

    def tell(event: allotrope.Event) -> None:
        nonlocal done
        done += (event.number or 0) if event.kind == "steps" else 0
        if kill and done == shards // 2 and event.number == 1:
            for process in second.all_processes["raylet"]:
                os.kill(process.process.pid, signal.SIGKILL)

    try:
        begin = time.perf_counter()
        allotrope.ray.attack(plan, folder, shards=shards, events=tell)
        return time.perf_counter() - begin
    finally:
        ray.shutdown()
        cluster.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--targets", type=int, default=2000)
    parser.add_argument("--attack", default="random-k")
    parser.add_argument("--shards", type=int, default=16)
    parser.add_argument("--budget", type=int, default=60)
    given = parser.parse_args()
    data = {"path": given.data, "limit": given.targets}
    plan = {"model": given.model, "attacks": [given.attack], "budget": given.budget, "exhaust-budget": True, "data": data}
    given.folder.mkdir(parents=True, exist_ok=True)
    path = given.folder / "plan.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in plan.items() if key != "data"]
    path.write_text("\n".join([*lines, "[data]", *(f"{key} = {json.dumps(value)}" for key, value in data.items())]) + "\n")
    hand = by_hand(path, given.folder / "hand")
    cluster = on_a_cluster(plan, given.folder / "ray", given.shards, kill=False)
    again = by_hand(path, given.folder / "hand again")
    killed = on_a_cluster(plan, given.folder / "killed", given.shards, kill=True)
    mean = (hand + again) / 2
    print(f"{given.targets} targets; by hand {hand:.1f} s and {again:.1f} s; Ray {cluster:.1f} s ({100 * (cluster / mean - 1):+.1f} %)")
    print(f"a node killed with kill -9 after {given.shards // 2} of {given.shards} shards: {killed:.1f} s")
    wanted = records(given.folder / "hand/whole")
    print(len(wanted), "records; the same:", records(given.folder / "ray") == wanted, records(given.folder / "killed") == wanted)


if __name__ == "__main__":
    main()
