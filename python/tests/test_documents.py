"""The examples of docs/python.md, the notebook, and the programs for Weights & Biases and MLflow on a real run."""

import ast
import doctest
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
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


def logged(package: str, folder: Path, environment: dict[str, str]) -> str:
    """What an example says to what a real attack has printed."""
    data = ROOT / "fixtures/programs/problems"
    told = command("attack", "--model", "builtin:problems", "--data", data, "--limit", 2, "--attack", "random-k", "--budget", 20,
                   "-o", folder / "run", "--json")
    assert told.returncode == 0, told.stderr
    program = ROOT / f"docs/{package}_log.py"
    assert len(program.read_text().splitlines()) <= 25 and len([line for line in program.read_text().splitlines() if line]) <= 20
    said = subprocess.run([sys.executable, program, "project"], input=told.stdout, capture_output=True, text=True, check=False,
                          cwd=folder, env={**os.environ, **environment})
    assert said.returncode == 0, said.stderr
    return said.stdout + said.stderr


@pytest.mark.parametrize("package", ["wandb", "mlflow"])
def test_runs_are_logged_by_the_examples(package: str, tmp_path: Path) -> None:
    (tmp_path / f"{package}.py").write_text(STAND_IN)
    said = logged(package, tmp_path, {"PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"})
    assert "random-k/attack success rate" in said and "random-k/queries" in said


@pytest.mark.slow
def test_wandb_keeps_what_is_logged_without_a_network(tmp_path: Path) -> None:
    pytest.importorskip("wandb")
    said = logged("wandb", tmp_path, {"WANDB_MODE": "offline"})
    assert "random-k/queries" in said and list(tmp_path.glob("wandb/offline-run-*/*.wandb"))


@pytest.mark.slow
def test_mlflow_keeps_what_is_logged_in_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("mlflow")
    logged("mlflow", tmp_path, {"MLFLOW_TRACKING_URI": f"file:{tmp_path}/runs", "MLFLOW_ALLOW_FILE_STORE": "true"})
    kept = {path.name: path.read_text().split() for path in tmp_path.glob("runs/*/*/metrics/random-k/*")}
    assert "queries" in kept and any(name.startswith("attack success rate") for name in kept)
    assert list(tmp_path.glob("runs/*/*/artifacts/attack.json"))


@pytest.mark.slow
def test_the_notebook_runs_in_a_kernel() -> None:
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(ROOT / "docs/notebook.ipynb", as_version=4)
    # The name of the kernel in the file need not be one of this machine.
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    shown = json.dumps([cell.get("outputs", []) for cell in notebook.cells])
    assert "attack success rate" in shown and "<ins" in shown and "text/html" in shown


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
