"""What the functions of the package share: the errors of the command line, Ctrl-C, and the free lock of the interpreter."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import allotrope
import pytest
from conftest import OPTIONS, STUDENT, command, rows

DATA = ["--language", "c", "--task", "vulnerability"]


def check(function: Callable[[], object], *arguments: object) -> None:
    """The exception of a function is the error of a command."""
    said = command(*arguments)
    with pytest.raises(allotrope.AllotropeError) as raised:
        function()
    assert said.returncode == raised.value.status
    assert str(raised.value).strip() in said.stderr, said.stderr


def test_errors_have_the_text_of_the_command_line(data: Path, tmp_path: Path) -> None:
    student, nowhere, out = f"hf:{STUDENT}", tmp_path / "nowhere", tmp_path / "out"
    check(lambda: allotrope.evaluate(student, nowhere, language="c"), "evaluate", "--model", student, "--data", nowhere, *DATA[:2])
    check(lambda: allotrope.evaluate("hf:nowhere", data, language="c"), "evaluate", "--model", "hf:nowhere", "--data", data, *DATA[:2])
    check(lambda: allotrope.open_model("nothing:x"), "evaluate", "--model", "nothing:x", "--data", data)
    check(lambda: allotrope.attack(student, data, "randm-k", output=out, language="c"),
          "attack", "--model", student, "--data", data, "--attack", "randm-k", "-o", out, *DATA[:2])
    check(lambda: allotrope.evolve(student, data, minimise=["accurcy"], output=out, language="c"),
          "evolve", "--model", student, "--data", data, "--minimise", "accurcy", "-o", out, *DATA[:2])
    check(lambda: allotrope.fidelity(student, student, data, output=out, language="c"),
          "fidelity", "--teacher", student, "--student", student, "--data", data, "-o", out, *DATA[:2])
    check(lambda: allotrope.compare([nowhere]), "compare", nowhere)
    check(lambda: allotrope.Report(nowhere), "report", nowhere, "-o", tmp_path / "report.html")
    check(lambda: allotrope.merge([nowhere], out), "merge", nowhere, "-o", out)
    (tmp_path / "program.c").write_text("int x;\n")
    check(lambda: allotrope.verify("int x;", "int y;", "c", verdicts=["pars"]),
          "verify", tmp_path / "program.c", tmp_path / "program.c", "--verdicts", "pars")


def test_plans_for_clusters_are_files_with_every_python(tmp_path: Path) -> None:
    from allotrope.ray import _read

    path = tmp_path / "plan.toml"
    path.write_text("model = 'hf:x'\nbudget = 20\n[data]\npath = 'test.jsonl'\n")
    given = {"model": "hf:x", "budget": 20, "seed": None, "data": {"path": Path("test.jsonl")}}
    assert _read(path, ["model"]) == _read(given, ["model"])
    with pytest.raises(allotrope.AllotropeError, match="nowhere.toml"):
        _read(tmp_path / "nowhere.toml", ["model"])
    path.write_text("go-on = true\n")
    with pytest.raises(allotrope.PlanError, match="`go-on` is now called `exhaust-budget`"):
        _read(path, ["model"])


INTERRUPTED = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
import allotrope
from conftest import OPTIONS, rows

# A shell that starts the tests in the background lets its programs ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
asked = 0

def model(batch):
    global asked
    asked += 1
    if asked == 2:
        os.kill(os.getpid(), signal.SIGINT)
        # Longer than a signal needs to be heard.
        time.sleep(2)
    return [[0.9, 0.1] for _ in batch]

one = allotrope.Model(model, name="one", batch=1, varies=False)
other = allotrope.Model(model, name="other", batch=1, varies=False)
try:
    if sys.argv[2] == "evaluate":
        allotrope.evaluate(one, rows(8), **OPTIONS)
    else:
        allotrope.fidelity(one, other, rows(8), **OPTIONS)
    print("complete")
except KeyboardInterrupt:
    print("interrupted", asked)
"""


@pytest.mark.parametrize("function", ["evaluate", "fidelity"])
def test_an_interrupt_ends_queries_after_the_batch(function: str) -> None:
    given = [sys.executable, "-c", INTERRUPTED, str(Path(__file__).parent), function]
    told = subprocess.run(given, capture_output=True, text=True, timeout=120, check=False)
    assert told.stdout == "interrupted 2\n", told.stdout + told.stderr


def test_other_threads_run_while_rust_works(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import json, sys, time\nfor line in sys.stdin:\n    time.sleep(0.5)\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'probabilities': [0.9, 0.1]}), flush=True)\n"
    )
    ticks, is_over = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not is_over.wait(0.01):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    allotrope.evaluate(f"cmd:{sys.executable} {tmp_path / 'slow.py'}", rows(2), **OPTIONS)
    seconds = time.monotonic() - begin
    is_over.set()
    thread.join()
    # With the lock held there would be none at all.
    assert seconds > 0.5 and ticks > 10
