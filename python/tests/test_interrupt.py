"""Ctrl-C, and the command line behind Python."""

import signal
import subprocess
import sys
import time
from pathlib import Path

from conftest import ROOT, command, records

SLOW = """
import sys, time
sys.path.insert(0, sys.argv[2])
import allotrope
from conftest import OPTIONS, rows

told = []

def model(batch):
    # After the first record every query takes so long that the signal comes before the last one.
    time.sleep(1 if sys.argv[3] == "slowly" and "steps" in told else 0)
    return [[0.9, 0.1] if len(code) % 3 else [0.2, 0.8] for code in batch]

def tell(event):
    told.append(event.kind)
    print(event.kind, flush=True)

try:
    run = allotrope.attack(allotrope.Model(model, name="lengths", varies=False), rows(8), "random-k", output=sys.argv[1],
                           budget=200, exhaust_budget=True, jobs=1, events=tell, **OPTIONS)
    print("complete", len(run.records))
except KeyboardInterrupt:
    print("interrupted")
"""


def started(folder: Path, pace: str) -> "subprocess.Popen[str]":
    given = [sys.executable, "-c", SLOW, str(folder), str(Path(__file__).parent), pace]
    return subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_an_interrupt_leaves_complete_records(tmp_path: Path) -> None:
    whole = started(tmp_path / "whole", "at once")
    assert "complete 8" in whole.communicate(timeout=120)[0]
    process = started(tmp_path / "run", "slowly")
    assert process.stdout is not None
    # The first record is there.
    while process.stdout.readline().strip() != "steps":
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert "interrupted" in out, errors
    some, all_of_them = records(tmp_path / "run"), records(tmp_path / "whole")
    assert 0 < len(some) < 8 and set(some) < set(all_of_them)
    again = started(tmp_path / "run", "at once")
    assert "complete 8" in again.communicate(timeout=120)[0]
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
        "import json, sys, time\nfor line in sys.stdin:\n    time.sleep(0.5)\n"
        "    print(json.dumps({'probabilities': [0.9, 0.1]}), flush=True)\n"
    )
    data = ROOT / "fixtures/programs/problems"
    given = [sys.executable, "-m", "allotrope", "evaluate", "--model", model, "--data", str(data), "--language", "c"]
    process = subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode in (130, -signal.SIGINT)
