"""Tests the robustness of machine-learning models of code.

Allotrope rewrites programs without changing their behaviour, and shows where a model changes its answer.

>>> import allotrope
>>> variants = allotrope.transform("int twice(int n) { int sum = n + n; return sum; }", "java", "rename-local", names="typed", seed=7)
>>> print(variants[0].code)
int twice(int n) { int localInt1 = n + n; return localInt1; }

Any function of a batch of programs can be attacked:

>>> def model(batch):
...     return [[0.1, 0.9] if "strcpy" in code else [0.8, 0.2] for code in batch]
>>> rows = [{"code": "void f(char *a, char *b) { strcpy(a, b); }", "label": 1}, {"code": "int g(int n) { return n; }", "label": 0}]
>>> run = allotrope.attack(model, rows, "random-k", budget=20, language="c", code="code", label="label", task="vulnerability")
>>> [record.outcome for record in run.records]
['failed', 'failed']
"""

from allotrope._native import HAS_PARQUET, __version__
from allotrope.augmentation import Augmented, Augmenter, augment
from allotrope.errors import AllotropeError, MissingError, ModelError, PlanError
from allotrope.models import Model, OpenModel, open_model
from allotrope.programs import Site, Step, Variant, Variants, Verdict, Verdicts, sites, transform, verify
from allotrope.runs import (
    Answer,
    Comparison,
    Evaluation,
    Event,
    Evolution,
    Fidelity,
    Measure,
    Noise,
    Record,
    Report,
    Run,
    attack,
    compare,
    evaluate,
    evolve,
    fidelity,
    merge,
)

__all__ = [
    "HAS_PARQUET",
    "AllotropeError",
    "Answer",
    "Augmented",
    "Augmenter",
    "Comparison",
    "Evaluation",
    "Event",
    "Evolution",
    "Fidelity",
    "Measure",
    "MissingError",
    "Model",
    "ModelError",
    "Noise",
    "OpenModel",
    "PlanError",
    "Record",
    "Report",
    "Run",
    "Site",
    "Step",
    "Variant",
    "Variants",
    "Verdict",
    "Verdicts",
    "__version__",
    "attack",
    "augment",
    "compare",
    "evaluate",
    "evolve",
    "fidelity",
    "merge",
    "open_model",
    "sites",
    "transform",
    "verify",
]
