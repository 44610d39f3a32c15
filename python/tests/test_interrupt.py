"""Ctrl-C, and the command line behind Python."""

import signal
import subprocess
import sys
import time
from pathlib import Path

from conftest import ROOT, command, records

PROGRAM = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[2])
import allotrope
from conftest import OPTIONS, rows

# A shell that starts the tests in the background lets its programs ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
stages, done = [], 0

def model(batch):
    global done
    # The program interrupts itself, once, when a record is on the disk. From then on each of the many queries that are left takes longer than
    # a signal needs to be heard, and the wait ends with the query that goes on meanwhile.
    if sys.argv[3] == "interrupted" and done:
        if done > 0:
            done = -1
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(2)
    return [[0.9, 0.1] if len(code) % 3 else [0.2, 0.8] for code in batch]

def tell(event):
    global done
    if event.kind == "stage":
        stages.append(event.text)
    if event.kind == "steps" and stages[-1] == "attacking" and done == 0:
        done = 1

try:
    run = allotrope.attack(allotrope.Model(model, name="lengths", varies=False), rows(8), "random-k", output=sys.argv[1],
                           budget=200, exhaust_budget=True, jobs=1, events=tell, **OPTIONS)
    print("complete", len(run.records))
except KeyboardInterrupt:
    print("interrupted")
"""


def said(folder: Path, pace: str) -> str:
    given = [sys.executable, "-c", PROGRAM, str(folder), str(Path(__file__).parent), pace]
    told = subprocess.run(given, capture_output=True, text=True, timeout=120, check=False)
    return told.stdout + told.stderr


def test_an_interrupt_leaves_complete_records(tmp_path: Path) -> None:
    assert said(tmp_path / "whole", "at once") == "complete 8\n"
    assert said(tmp_path / "run", "interrupted") == "interrupted\n"
    some, all_of_them = records(tmp_path / "run"), records(tmp_path / "whole")
    assert 0 < len(some) < 8 and set(some) < set(all_of_them)
    assert said(tmp_path / "run", "at once") == "complete 8\n"
    assert records(tmp_path / "run") == all_of_them


def test_the_command_line_has_its_exit_statuses(tmp_path: Path) -> None:
    assert command("list", "attacks").returncode == 0
    assert "random-k" in command("list", "attacks").stdout
    assert command("attack", "--nothing").returncode == 2
    missing = command("evaluate", "--model", "hf:nowhere", "--data", "nowhere")
    assert missing.returncode == 3 and missing.stderr.startswith("error: ")
    program = ROOT / "fixtures/programs/problems/roman/python/product-table.py"
    changed = tmp_path / "changed.py"
    changed.write_text("print(1)\n")
    assert command("verify", program, changed, "--verdicts", "scope").returncode in (0, 1)
    assert command("--version").stdout.startswith("allotrope ")


def test_an_interrupt_ends_a_command(tmp_path: Path) -> None:
    """A command without anything to keep is ended by the signal; one that has, ends with 130."""
    model = f"cmd:{sys.executable} {tmp_path / 'slow.py'}"
    (tmp_path / "slow.py").write_text(
        "import json, pathlib, sys, time\nfor line in sys.stdin:\n"
        "    pathlib.Path(__file__).with_name('queried').touch()\n    time.sleep(0.5)\n"
        "    print(json.dumps({'probabilities': [0.9, 0.1]}), flush=True)\n"
    )
    data = ROOT / "fixtures/programs/problems"
    given = [sys.executable, "-m", "allotrope", "evaluate", "--model", model, "--data", str(data), "--language", "c"]
    process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "queried").exists():
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)
