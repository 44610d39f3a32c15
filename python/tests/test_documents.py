"""The examples of docs/python.md, and the programs for Weights & Biases and MLflow on a real run with stand-ins for both packages."""

import ast
import doctest
import json
import os
import subprocess
import sys
from pathlib import Path

from conftest import ROOT, command

STAND_IN = """
import contextlib, json

class Run:
    def log(self, values): print(json.dumps(values))
    def __enter__(self): return self
    def __exit__(self, *given): pass

def init(project, config): return Run()
def set_experiment(name): pass
def start_run(run_name): return Run()
def log_dict(values, name): pass
def log_metrics(values): print(json.dumps(values))
"""


def test_the_guide_says_what_happens() -> None:
    found = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert found.attempted > 15 and found.failed == 0


def test_runs_are_logged_by_the_examples(tmp_path: Path) -> None:
    data = ROOT / "fixtures/programs/problems"
    told = command("attack", "--model", "builtin:problems", "--data", data, "--limit", 2, "--attack", "random-k", "--budget", 20,
                   "-o", tmp_path / "run", "--json")
    assert told.returncode == 0, told.stderr
    for package in ("wandb", "mlflow"):
        (tmp_path / f"{package}.py").write_text(STAND_IN)
        program = [sys.executable, ROOT / f"docs/{package}_log.py", "project"]
        environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        said = subprocess.run(program, input=told.stdout, capture_output=True, text=True, env=environment, check=False)
        assert said.returncode == 0, said.stderr
        assert "random-k/attack success rate" in said.stdout and "random-k/queries" in said.stdout


def test_the_notebook_runs() -> None:
    """Its cells are run as a notebook runs them, and what the last line of each has for HTML is made."""
    cells = json.loads((ROOT / "docs/notebook.ipynb").read_text())["cells"]
    names: dict[str, object] = {}
    shown = []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "notebook", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "notebook", "eval"), names)
            shown.append(value._repr_html_() if hasattr(value, "_repr_html_") else repr(value))
    variants, measures, run, records = shown[1:]
    assert "<ins" in variants and "accuracy" in measures
    assert "attack success rate" in run and "<del" in run
    assert "('1', 'success'" in records
