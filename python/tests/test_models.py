"""Functions as models, and data sets of every form."""

import json
from pathlib import Path

import allotrope
import pytest
from conftest import OPTIONS, STUDENT, command, records, rows

from allotrope.data import rows_of
from allotrope.runs import run_attack


def attacked(model: object, folder: Path, **options: object) -> allotrope.Run:
    return allotrope.attack(model, rows(6), ["random-k", "wir-random"], output=folder, budget=60, seed=3,
                            train=rows(8), shrink=True, **OPTIONS, **options)


def test_a_function_has_the_records_of_the_adapter(tmp_path: Path) -> None:
    """The weights of a student behind a Python function, and behind the adapter `hf:`."""
    student = allotrope.open_model(f"hf:{STUDENT}", language="c")
    model = allotrope.Model(student.predict, embed=student.embed, labels=student.labels, name="student", varies=False)
    attacked(f"hf:{STUDENT}", tmp_path / "adapter")
    run = attacked(model, tmp_path / "function")
    assert records(tmp_path / "function") == records(tmp_path / "adapter")
    assert len(run.records) == 12
    # The rows are beside the run, so that other commands find them.
    assert (tmp_path / "function/data.jsonl").is_file()
    said = command("compare", tmp_path / "function", tmp_path / "adapter")
    assert said.returncode == 0 and "attack success rate" in said.stdout


def test_a_run_is_resumed_by_the_same_call_and_refused_for_another_model(tmp_path: Path) -> None:
    asked: list[int] = []

    def model(batch: list[str]) -> list[list[float]]:
        asked.append(len(batch))
        return [[0.9, 0.1] if len(code) % 3 else [0.2, 0.8] for code in batch]

    first = attacked(allotrope.Model(model, name="lengths", varies=False), tmp_path / "run")
    queries = sum(asked)
    again = attacked(allotrope.Model(model, name="lengths", varies=False), tmp_path / "run")
    assert sum(asked) == queries and [vars(one) for one in again.records] == [vars(one) for one in first.records]
    with pytest.raises(allotrope.AllotropeError, match="begun with another plan"):
        attacked(allotrope.Model(model, name="others", varies=False), tmp_path / "run")


def test_rows_that_a_run_was_not_begun_with_leave_its_rows_alone(tmp_path: Path) -> None:
    model = allotrope.Model(lambda batch: [[0.9, 0.1] for _ in batch], name="first", varies=False)
    attacked(model, tmp_path / "run")
    before = (tmp_path / "run/data.jsonl").read_bytes()
    with pytest.raises(allotrope.MissingError, match="begun with other rows"):
        allotrope.attack(model, rows(7), output=tmp_path / "run", **OPTIONS)
    assert (tmp_path / "run/data.jsonl").read_bytes() == before


def test_what_a_function_raises_for_some_inputs_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    def model(batch: list[str]) -> list[list[float]]:
        if batch == [rows(4)[2]["func"]]:
            raise RuntimeError("out of memory")
        return [[0.9, 0.1] for _ in batch]

    found = allotrope.evaluate(allotrope.Model(model, batch=1), rows(4), **OPTIONS)
    assert [answer.fault is None for answer in found.answers] == [True, True, False, True]
    assert "it first raised RuntimeError: out of memory" in caplog.text


def test_what_a_function_raises_is_the_cause(tmp_path: Path) -> None:
    def model(batch: list[str]) -> list[list[float]]:
        raise RuntimeError("no weights")

    with pytest.raises(allotrope.ModelError, match="no weights") as raised:
        attacked(model, tmp_path / "run")
    assert isinstance(raised.value.__cause__, RuntimeError)

    def leave(batch: list[str]) -> list[list[float]]:
        raise SystemExit(7)

    with pytest.raises(SystemExit):
        attacked(leave, tmp_path / "other")


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        (lambda batch: [[1.5, -0.5] for _ in batch], "apply softmax"),
        (lambda batch: [[0.5, 0.5]], "1 answers to a batch of"),
        (lambda batch: [[float("nan"), 0.5] for _ in batch], "non-finite"),
        (lambda batch: [0.5 for _ in batch], "an answer is 0.5, and not a list"),
        (lambda batch: None, "the function returned NoneType"),
        (lambda batch: {"logits": [[1.0, 2.0]]}, "logits.softmax"),
        (lambda batch: [{"label": "a", "score": 1.0} for _ in batch], "top_k=None"),
    ],
)
def test_wrong_answers_are_explained(answers: object, problem: str) -> None:
    with pytest.raises(allotrope.ModelError, match=problem):
        allotrope.evaluate(answers, rows(4), **OPTIONS)


def test_answers_of_pipelines_and_arrays_are_understood() -> None:
    class Array:
        def __init__(self, values: object) -> None:
            self.values = values

        def tolist(self) -> object:
            return self.values

    labels = ["good", "bad"]
    forms = [
        lambda batch: Array([[0.25, 0.75] for _ in batch]),
        lambda batch: [Array([0.25, 0.75]) for _ in batch],
        lambda batch: [{"bad": 0.75, "good": 0.25} for _ in batch],
        lambda batch: [[{"label": "bad", "score": 0.75}, {"label": "good", "score": 0.25}] for _ in batch],
    ]
    for form in forms:
        found = allotrope.evaluate(allotrope.Model(form, labels=labels, name="form"), rows(4), **OPTIONS)
        assert [answer.probabilities for answer in found.answers] == [[0.25, 0.75]] * 4
        assert found.value("accuracy") == 0.5


def test_evaluation_agrees_with_the_command_line(data: Path) -> None:
    found = allotrope.evaluate(f"hf:{STUDENT}", data, language="c")
    said = command("evaluate", "--model", f"hf:{STUDENT}", "--data", data, "--language", "c", "--json")
    measures = json.loads(said.stdout)["measures"]
    assert [(one["measure"], one["value"], one["n"]) for one in measures] == [
        (one.name, one.value, one.n) for one in found.measures
    ]


def test_events_and_notes_are_heard(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[allotrope.Event] = []
    model = lambda batch: [[0.9, 0.1] for _ in batch]  # noqa: E731
    allotrope.evaluate(model, rows(4), events=heard.append, **OPTIONS)
    assert heard[0] == allotrope.Event("stage", "querying the model", 4)
    assert sum(event.number or 0 for event in heard if event.kind == "steps") == 4

    allotrope.evaluate(model, [*rows(3), {"func": "int x;", "target": None}], **OPTIONS)
    assert "1 of 4 rows cannot be used" in caplog.text

    def broken(event: allotrope.Event) -> None:
        raise LookupError("a bar is broken")

    with pytest.raises(LookupError, match="a bar is broken"):
        allotrope.evaluate(model, rows(4), events=broken, **OPTIONS)


def test_shards_are_merged_into_the_run_of_one_call(tmp_path: Path) -> None:
    model = allotrope.Model(lambda batch: [[0.9, 0.1] if len(code) % 3 else [0.2, 0.8] for code in batch], name="lengths")
    plan = {"model": "python:lengths", "attacks": ["random-k", "beam"], "budget": 60, "data": {"path": str(tmp_path / "d.jsonl"), **OPTIONS}}
    (tmp_path / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(6)))
    parts = [tmp_path / f"part{number}" for number in (1, 2)]
    whole = run_attack(model, plan, tmp_path / "whole")
    for number, part in enumerate(parts, 1):
        run_attack(model, plan, part, shard=(number, 2))
    merged = allotrope.merge(parts, tmp_path / "merged")
    assert records(merged.folder) == records(whole.folder) and len(merged.records) == 12
    found = allotrope.compare([whole])
    assert {"random-k", "beam"} == set(found.measures) and "<table>" in found._repr_html_()
    report = whole.report()
    assert report.save(tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert "random-k" in report._repr_html_() and "<table>" in whole._repr_html_()


def test_rows_are_dictionaries() -> None:
    with pytest.raises(allotrope.PlanError, match="row 1 is not a dictionary but str"):
        list(rows_of([{"code": "int x;"}, "int x;"]))
    with pytest.raises(allotrope.PlanError, match="not one dictionary"):
        list(rows_of({"code": ["int x;"]}))
    with pytest.raises(allotrope.PlanError, match="and not NoneType"):
        list(rows_of(None))
    with pytest.raises(allotrope.PlanError, match="^the data set has no rows"):
        allotrope.evaluate(len, [], **OPTIONS)
    with pytest.raises(allotrope.PlanError, match="^the data set has no field `code`"):
        allotrope.evaluate(len, rows(2), **{**OPTIONS, "code": "code"})
    with pytest.raises(TypeError, match="a model is a name or a function of a batch, and not int"):
        allotrope.evaluate(3, rows(2), **OPTIONS)
    with pytest.raises(allotrope.PlanError, match="there is no option 'lable'"):
        allotrope.evaluate(len, rows(2), lable="x")
