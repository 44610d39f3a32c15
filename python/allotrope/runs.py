"""Models on data sets: evaluations, attacks, searches, comparisons and reports."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from allotrope import _native, html
from allotrope.data import Data, DataOptions, data_plan, placed
from allotrope.errors import AllotropeError
from allotrope.models import AnyModel, named, plan_name

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "Answer",
    "Comparison",
    "Evaluation",
    "Event",
    "Evolution",
    "Fidelity",
    "Measure",
    "Noise",
    "Record",
    "Report",
    "Run",
    "attack",
    "compare",
    "evaluate",
    "evolve",
    "fidelity",
    "merge",
]

_LOG = logging.getLogger("allotrope")

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Event:
    """How far long work is.

    `kind` is `stage` (a stage with this text begins, of `number` steps where that is known), `steps` (this number of further steps is
    done), `status` (what the stage has to show), or `note` (what the user should know).
    """

    kind: str
    text: str
    number: int | None


Events = Callable[[Event], None]


def _told(events: Events | None) -> Callable[[str, str, int | None], None]:
    """Without a function for events, notes go to the log."""
    if events is not None:
        return lambda kind, text, number: events(Event(kind, text, number))
    return lambda kind, text, number: _LOG.warning("%s", text) if kind == "note" else None


@dataclass(frozen=True)
class Measure:
    """A measure with its 95 % confidence interval, over `n` rows. What is undefined is `None`."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    n: int

    @staticmethod
    def of(line: Mapping[str, Any]) -> Measure:
        """A measure as Rust gives it."""
        interval = line["interval"] or {}
        return Measure(line["measure"], line["value"], interval.get("low"), interval.get("high"), line["n"])


def _table_of(measures: Iterable[Measure]) -> str:
    rows = [[measure.name, measure.value, measure.low, measure.high, measure.n] for measure in measures]
    return html.table(["measure", "value", "low", "high", "n"], rows)


def _value(measures: Iterable[Measure], name: str) -> float | None:
    found = {measure.name: measure.value for measure in measures}
    if name not in found:
        raise KeyError(f"there is no measure {name!r}: there are {', '.join(found)}")
    return found[name]


@dataclass(frozen=True)
class Noise:
    """How many answers changed when the model was queried again."""

    asked: int
    changed: int
    failed: int


def _noise(values: Mapping[str, Any] | None) -> Noise | None:
    return None if values is None else Noise(values["asked"], values["changed"], values["failed"])


@dataclass(frozen=True)
class Answer:
    """The answer of a model to an example. Without one, `fault` says why."""

    id: str
    truth: str | None
    prediction: str | None = None
    probabilities: list[float] | None = None
    names: list[tuple[str, float]] | None = None
    embedding: list[float] | None = None
    fault: str | None = None


@dataclass(frozen=True)
class Evaluation:
    """What the answers to a data set say about a model."""

    model: Mapping[str, Any]
    task: str
    labels: list[str]
    measures: list[Measure]
    confusion: list[list[float]] | None
    """How often each class (the row) was taken for each other (the column)."""
    noise: Noise | None
    answers: list[Answer]
    seconds: float

    def value(self, measure: str) -> float | None:
        """The value of a measure."""
        return _value(self.measures, measure)

    def to_pandas(self) -> Any:
        """A row for each example."""
        import pandas

        return pandas.DataFrame([vars(answer) for answer in self.answers])

    def _repr_html_(self) -> str:
        return _table_of(self.measures)


def evaluate(
    model: AnyModel,
    data: Data,
    *,
    seed: int = 0,
    events: Events | None = None,
    **options: Unpack[DataOptions],
) -> Evaluation:
    """Queries a model on a data set, and measures its answers.

    The model is a function of a batch, a [`Model`], or the name of a model. The options are those of the command line for data sets.

    >>> rows = [{"code": "int f() { return 1; }", "label": 0}, {"code": "int g() { return 2; }", "label": 1}]
    >>> found = evaluate(lambda batch: [[0.9, 0.1] for _ in batch], rows, language="c", code="code", label="label", task="vulnerability")
    >>> found.value("accuracy")
    0.5
    """
    with tempfile.TemporaryDirectory(prefix="allotrope-") as folder:
        path = placed(data, Path(folder))
        try:
            found = json.loads(_native.evaluate(named(model), json.dumps(data_plan(path, seed, options)), _told(events)))
        except AllotropeError as error:
            # Rows in memory are in a file for a moment only, whose name says nothing to anybody.
            if path.startswith(folder):
                raise type(error)(str(error).replace(path, "the data set")) from error.__cause__
            raise
    return Evaluation(
        found["model"],
        found["task"],
        found["labels"],
        [Measure.of(line) for line in found["measures"]],
        found["confusion"],
        _noise(found["noise"]),
        [Answer(**answer) for answer in found["answers"]],
        found["seconds"],
    )


@dataclass(frozen=True)
class Record:
    """What became of an attack on a target."""

    attack: str
    id: str
    number: int
    outcome: str
    """`success`, `failed`, `misclassified` and so on."""
    truth: str | None
    original: tuple[str, ...]
    example: tuple[str, ...] | None
    """The adversarial example: the programs of the input in order, and the text beside a program."""
    steps: tuple[str, ...]
    queries: int
    seconds: float
    raw: Mapping[str, Any] = field(repr=False)
    """The whole record, as `run.sqlite` has it."""

    @staticmethod
    def of(values: dict[str, Any]) -> Record:
        """A record as Rust gives it."""
        steps = tuple(move["transformation"] for move in values["moves"])
        return Record(
            values["attack"],
            values["id"],
            values["number"],
            values["outcome"],
            values["truth"],
            _texts(values["original"]) or (),
            _texts(values["example"]),
            steps,
            values["queries"],
            values["seconds"],
            values,
        )

    def _repr_html_(self) -> str:
        head = html.table(["attack", "target", "outcome", "queries"], [[self.attack, self.id, self.outcome, self.queries]])
        pairs = zip(self.original, self.example or (), strict=False)
        return head + "".join(html.diff(before, after) for before, after in pairs if before != after)


def _texts(input: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """The texts of an input: its programs, and the text that is beside one."""
    if input is None:
        return None
    programs = [program["text"] for program in input["programs"]]
    return tuple(programs + ([input["text"]] if "text" in input else []))


class Run:
    """A run of attacks in its folder, complete or not.

    `allotrope report FOLDER` and every other command read it as well.
    """

    def __init__(self, folder: PathLike, *, seed: int = 0) -> None:
        self.folder = Path(folder)
        found = json.loads(_native.compare([self.folder], [], seed))
        run = found["runs"][0]
        self.plan: dict[str, Any] = run["plan"]
        self.model: dict[str, Any] = run["models"][0]
        self.noise = _noise(run["noise"])
        self.targets: int = run["targets"]
        self.records = [Record.of(record) for record in run["records"]]
        self.measures = {column["name"]: [Measure.of(line) for line in column["measures"]] for column in found["columns"]}
        self._table: list[dict[str, Any]] = found["table"]

    @property
    def successes(self) -> list[Record]:
        """The records with an adversarial example."""
        return [record for record in self.records if record.outcome == "success"]

    def value(self, attack: str, measure: str = "attack success rate, valid") -> float | None:
        """The value of a measure of an attack; by default the share of attacked targets with a valid adversarial example."""
        if attack not in self.measures:
            raise KeyError(f"there is no attack {attack!r} in this run: there are {', '.join(self.measures)}")
        return _value(self.measures[attack], measure)

    def report(self) -> Report:
        """The report about this run."""
        return Report(self.folder)

    def to_pandas(self) -> Any:
        """A row for each record."""
        import pandas

        columns = ["attack", "id", "number", "outcome", "truth", "original", "example", "steps", "queries", "seconds"]
        return pandas.DataFrame(
            [{column: getattr(record, column) for column in columns} for record in self.records], columns=columns
        )

    def __repr__(self) -> str:
        return f"<run {self.folder}: {len(self.records)} records, {len(self.successes)} successes>"

    def _repr_html_(self) -> str:
        columns = list(self._table[0]) if self._table else []
        rows = [[row[column] for column in columns] for row in self._table]
        return html.table(columns, rows) + "".join(record._repr_html_() for record in self.successes[:3])


def attack(
    model: AnyModel,
    data: Data,
    attack: str | Sequence[str] = "random-k",
    *,
    output: PathLike | None = None,
    budget: int = 500,
    seed: int = 0,
    seconds: float | None = None,
    transform: str = "all",
    names: str = "pseudo",
    parts: str = "both",
    max_names: int | None = None,
    max_tokens: int | None = None,
    measure: str | None = None,
    below: float | None = None,
    fall: float | None = None,
    rewrite_all: bool = False,
    exhaust_budget: bool = False,
    shrink: bool = False,
    validity: str = "scope",
    masked: str | None = None,
    embedder: str | None = None,
    references: int = 500,
    train: Data | None = None,
    parameters: Mapping[str, Mapping[str, object]] | None = None,
    shard: tuple[int, int] = (1, 1),
    jobs: int | None = None,
    batch: int | None = None,
    cache: PathLike | None = None,
    events: Events | None = None,
    **options: Unpack[DataOptions],
) -> Run:
    """Searches for adversarial examples: rewritten programs that mean the same and get another answer.

    The arguments are the options of `allotrope attack`. The run is written to the folder `output`, and a run in it is resumed; without
    one it is written to a new temporary folder. Ctrl-C raises `KeyboardInterrupt`, and the records that are complete stay.

    >>> rows = [{"code": "int f(int n) { int i = n; return i; }", "label": "safe"}]
    >>> rows.append({"code": "int g(int n) { return n; }", "label": "vulnerable"})
    >>> model = lambda batch: [[0.9, 0.1] if "int i" in code else [0.2, 0.8] for code in batch]
    >>> run = attack(model, rows, "random-k", budget=50, transform="rename-local", language="c", code="code", label="label", task="vulnerability")
    >>> {step for record in run.successes for step in record.steps}
    {'rename-local'}
    """
    folder = Path(output) if output is not None else Path(tempfile.mkdtemp(prefix="allotrope-run-"))
    attacks = attack.split(",") if isinstance(attack, str) else list(attack)
    known = named(model)
    targets = data_plan(placed(data, folder), seed, options)
    plan: dict[str, Any] = {
        "model": plan_name(known),
        "attacks": attacks,
        "seed": seed,
        "budget": budget,
        "seconds": seconds,
        "transform": transform,
        "names": names,
        "parts": parts,
        "max-names": max_names,
        "max-tokens": max_tokens,
        "measure": measure,
        "below": below,
        "fall": fall,
        "rewrite-all": rewrite_all,
        "exhaust-budget": exhaust_budget,
        "shrink": shrink,
        "validity": validity,
        "masked": masked,
        "embedder": embedder,
        "references": references,
        "data": targets,
        "parameters": {name: dict(values) for name, values in (parameters or {}).items()},
    }
    if train is not None:
        # As on the command line, the training set is read like the targets, but as a whole.
        own = {key: value for key, value in targets.items() if key not in ("split", "sample", "longest", "limit", "substitutes")}
        plan["train"] = {**own, "path": placed(train, folder, "train.jsonl")}
    return run_attack(known, plan, folder, shard=shard, jobs=jobs, batch=batch, cache=cache, events=events)


def run_attack(
    model: Any,
    plan: Mapping[str, Any],
    folder: Path,
    *,
    shard: tuple[int, int] = (1, 1),
    jobs: int | None = None,
    batch: int | None = None,
    cache: PathLike | None = None,
    events: Events | None = None,
) -> Run:
    """Does what is left of a plan of attacks, in the form that plans have in files."""
    given = {key: value for key, value in plan.items() if value is not None}
    _native.attack(model, json.dumps(given), folder, shard, (jobs, batch, cache), _told(events))
    return Run(folder)


def merge(runs: Sequence[PathLike], into: PathLike) -> Run:
    """Puts the records of several runs of one plan into one run: those of its shards, for example.

    The parts have one plan, so that rows in memory, of which each run has a copy of its own, do not do: name a file.

    >>> from allotrope import Model
    >>> options = {"language": "c", "code": "code", "label": "label", "task": "vulnerability"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data = Path(folder, "data.jsonl")
    ...     lines = [json.dumps({"code": f"int f{number}(int n) {{ return n; }}", "label": number % 2}) for number in range(4)]
    ...     _ = data.write_text("\\n".join(lines))
    ...     model = Model(lambda batch: [[0.9, 0.1] for _ in batch], name="always the first", varies=False)
    ...     parts = [attack(model, data, "random-once", output=f"{folder}/{part}", shard=(part, 2), **options) for part in (1, 2)]
    ...     whole = merge([part.folder for part in parts], f"{folder}/whole")
    >>> [len(run.records) for run in (*parts, whole)]
    [2, 2, 4]
    """
    _native.merge([Path(run) for run in runs], into)
    return Run(into)


class Comparison:
    """Attacks or models over the same targets."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.measures = {column["name"]: [Measure.of(line) for line in column["measures"]] for column in found["columns"]}
        self.unique = {column["name"]: int(column["unique"]) for column in found["columns"]}
        """The number of targets that only this one breaks."""
        self.duels: list[dict[str, Any]] = found["duels"]
        """Each against each, with statistical tests."""
        self.table: list[dict[str, Any]] = found["table"]

    def to_pandas(self) -> Any:
        """The duels, a row each."""
        import pandas

        return pandas.DataFrame(self.duels)

    def _repr_html_(self) -> str:
        shown = ""
        for rows in (self.table, self.duels):
            columns = list(rows[0]) if rows else []
            shown += html.table(columns, [[row[column] for column in columns] for row in rows])
        return shown


def compare(runs: Sequence[Run | PathLike], *, attack: Sequence[str] = (), seed: int = 0) -> Comparison:
    """Compares attacks or models on the same targets, as `allotrope compare` does.

    >>> rows = [{"code": "int f(int n) { int i = n; return i; }", "label": 0}, {"code": "int g(int n) { return n; }", "label": 1}]
    >>> model = lambda batch: [[0.9, 0.1] if "int i" in code else [0.2, 0.8] for code in batch]
    >>> run = attack(model, rows, ["random-once", "random-k"], budget=50, transform="rename-local", language="c", code="code",
    ...              label="label", task="vulnerability")
    >>> found = compare([run])
    >>> found.measures["random-k"][0].name, len(found.duels)
    ('attack success rate, valid', 1)
    """
    return Comparison(json.loads(_native.compare(_folders(runs), list(attack), seed)))


def _folders(runs: Sequence[Run | PathLike]) -> list[PathLike]:
    return [run.folder if isinstance(run, Run) else Path(run) for run in runs]


class Report:
    """The report on runs as one page, as `allotrope report` writes it.

    >>> rows = [{"code": "int f(int n) { int i = n; return i; }", "label": 0}, {"code": "int g(int n) { return n; }", "label": 1}]
    >>> run = attack(lambda batch: [[0.9, 0.1] for _ in batch], rows, "random-once", language="c", code="code", label="label",
    ...              task="vulnerability")
    >>> Report(run).html[:15], [found["attack"] for found in Report(run).numbers["attacks"]]
    ('<!doctype html>', ['random-once'])
    """

    def __init__(
        self, *runs: Run | PathLike, attack: Sequence[str] = (), examples: int | None = 200, seed: int = 0
    ) -> None:
        self.html, numbers = _native.report(_folders(runs), list(attack), examples, seed)
        self.numbers: dict[str, Any] = json.loads(numbers)

    def save(self, path: PathLike) -> Path:
        """Writes the page."""
        Path(path).write_text(self.html, encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        rows = []
        for found in self.numbers["attacks"]:
            measures = [Measure.of(line) for line in found["measures"]]
            rate = next((one for one in measures if one.name == "attack success rate, valid"), None)
            value, low, high = (rate.value, rate.low, rate.high) if rate else (None, None, None)
            rows.append([found["run"], found["attack"], found["targets"], found["attacked"], value, low, high])
        return html.table(["run", "attack", "targets", "attacked", "attack success rate, valid", "low", "high"], rows)


@dataclass(frozen=True)
class Fidelity:
    """How closely students follow their teacher."""

    folder: Path
    comparisons: list[dict[str, Any]]
    gaps: list[dict[str, Any]]
    noise: list[Noise]

    def measures(self, student: int = 0) -> list[Measure]:
        """The measures of a student."""
        return [Measure.of(line) for line in self.comparisons[student]["measures"]["lines"]]

    def to_pandas(self, student: int = 0) -> Any:
        """A row for each input: the probabilities of the teacher and of the student, and KL(teacher || student)."""
        import pandas

        return pandas.DataFrame(self.comparisons[student]["inputs"])

    def _repr_html_(self) -> str:
        return "".join(_table_of(self.measures(student)) for student in range(len(self.comparisons)))


def fidelity(
    teacher: AnyModel,
    student: AnyModel | Sequence[AnyModel],
    data: Data,
    *,
    output: PathLike | None = None,
    attack: Mapping[str, Any] | None = None,
    seed: int = 0,
    jobs: int | None = None,
    batch: int | None = None,
    cache: PathLike | None = None,
    events: Events | None = None,
    **options: Unpack[DataOptions],
) -> Fidelity:
    """Measures how closely students follow their teacher, beyond accuracy: any two models with the same labels.

    `attack` is the section [attack] of a plan, such as `{"attacks": ["beam"], "budget": 100}`.

    >>> rows = [{"code": "int f() { return 1; }", "label": 0}, {"code": "int g() { return 2; }", "label": 1}]
    >>> from allotrope import Model
    >>> teacher = lambda batch: [[0.9, 0.1] for _ in batch]
    >>> found = fidelity(teacher, Model(lambda batch: [[0.6, 0.4] for _ in batch], name="student"), rows,
    ...                  language="c", code="code", label="label", task="vulnerability")
    >>> found.comparisons[0]["n"]
    2
    """
    folder = Path(output) if output is not None else Path(tempfile.mkdtemp(prefix="allotrope-fidelity-"))
    students: list[Any] = list(student) if isinstance(student, (list, tuple)) else [student]
    models = [named(model) for model in [teacher, *students]]
    targets = data_plan(placed(data, folder), seed, options)
    plan: dict[str, Any] = {
        "teacher": plan_name(models[0]),
        "students": [plan_name(model) for model in models[1:]],
        "data": targets,
    }
    if attack is not None:
        plan["attack"] = {"seed": seed, **attack, "model": plan_name(models[0]), "data": targets}
    return run_fidelity(models, plan, folder, jobs=jobs, batch=batch, cache=cache, events=events)


def run_fidelity(
    models: Sequence[Any],
    plan: Mapping[str, Any],
    folder: Path,
    *,
    jobs: int | None = None,
    batch: int | None = None,
    cache: PathLike | None = None,
    events: Events | None = None,
) -> Fidelity:
    """Does what is left of a plan, in the form that plans have in files."""
    pace = (jobs, batch, cache)
    found = json.loads(_native.fidelity(list(models), json.dumps(plan), folder, pace, _told(events)))
    noise = [Noise(one["asked"], one["changed"], one["failed"]) for one in found["noise"]]
    return Fidelity(folder, found["comparisons"], found["gaps"], noise)


@dataclass(frozen=True)
class Evolution:
    """What guided searches found: tables, by their titles."""

    folder: Path
    repeats: int
    noise: Noise | None
    tables: dict[str, list[dict[str, Any]]]

    def to_pandas(self, title: str) -> Any:
        """One of the tables."""
        import pandas

        return pandas.DataFrame(self.tables[title])

    def _repr_html_(self) -> str:
        shown = ""
        for title, rows in self.tables.items():
            columns = list(rows[0]) if rows else []
            shown += f"<h4>{html.escape(title)}</h4>"
            shown += html.table(columns, [[row[column] for column in columns] for row in rows])
        return shown


def evolve(
    model: str,
    data: Data,
    *,
    minimise: Sequence[str] = (),
    maximise: Sequence[str] = (),
    output: PathLike | None = None,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    batch: int | None = None,
    cache: PathLike | None = None,
    events: Events | None = None,
    **options: Unpack[DataOptions],
) -> Evolution:
    """Evolves lists of rewrites that change a model's score on a whole data set the most.

    `settings` are further keys of the plan, such as `{"population": 20, "generations": 10}`.

    >>> rows = [{"code": "int f() { return 1; }", "label": 0}, {"code": "int g() { return 2; }", "label": 1}]
    >>> evolve("cmd:none", rows, minimise=["accurcy"], language="c", code="code", label="label",
    ...        task="vulnerability")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    allotrope.errors.PlanError: ...did you mean `accuracy`...
    """
    folder = Path(output) if output is not None else Path(tempfile.mkdtemp(prefix="allotrope-evolve-"))
    plan: dict[str, Any] = {
        "model": model,
        "minimise": list(minimise),
        "maximise": list(maximise),
        "seed": seed,
        "data": data_plan(placed(data, folder), seed, options),
        **(settings or {}),
    }
    return run_evolution(plan, folder, batch=batch, cache=cache, events=events)


def run_evolution(
    plan: Mapping[str, Any],
    folder: Path,
    *,
    batch: int | None = None,
    cache: PathLike | None = None,
    events: Events | None = None,
) -> Evolution:
    """Does what is left of a plan of guided searches, in the form that plans have in files."""
    found = json.loads(_native.evolve(json.dumps(plan), folder, (1, 1), (None, batch, cache), _told(events)))
    tables = {table["title"]: table["rows"] for table in found["tables"]}
    return Evolution(folder, found["repeats"], _noise(found["noise"]), tables)
