"""Data sets and results in the forms of other libraries."""

import json
from pathlib import Path

import allotrope
import pytest
from conftest import OPTIONS, rows

from allotrope.data import placed, row_of, rows_of

# `./test` has none of these libraries, and `python/test` has all of them.
numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
datasets = pytest.importorskip("datasets")
polars = pytest.importorskip("polars")

ROWS = rows(6)


class Stream:
    """What offers Arrow and nothing else."""

    def __init__(self, table: object) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


FORMS = {
    "pandas": lambda: pandas.DataFrame(ROWS),
    "pandas with gaps in its index": lambda: pandas.DataFrame(ROWS, index=range(10, 70, 10)),
    "pandas with Arrow in it": lambda: pandas.DataFrame(ROWS).convert_dtypes(dtype_backend="pyarrow"),
    "datasets": lambda: datasets.Dataset.from_list(ROWS),
    "iterable datasets": lambda: datasets.Dataset.from_list(ROWS).to_iterable_dataset(),
    "a table": lambda: pyarrow.Table.from_pylist(ROWS),
    "a table in pieces": lambda: pyarrow.concat_tables([pyarrow.Table.from_pylist(ROWS[:2]), pyarrow.Table.from_pylist(ROWS[2:])]),
    "long strings": lambda: pyarrow.table({"func": pyarrow.array([row["func"] for row in ROWS], pyarrow.large_string()), "target": [row["target"] for row in ROWS]}),
    "views of strings": lambda: pyarrow.table({"func": pyarrow.array([row["func"] for row in ROWS], pyarrow.string_view()), "target": [row["target"] for row in ROWS]}),
    "a dictionary of strings": lambda: pyarrow.table({"func": pyarrow.array([row["func"] for row in ROWS]).dictionary_encode(), "target": [row["target"] for row in ROWS]}),
    "bytes": lambda: pyarrow.table({"func": pyarrow.array([str(row["func"]).encode() for row in ROWS]), "target": [row["target"] for row in ROWS]}),
    "pandas with categories": lambda: pandas.DataFrame(ROWS).astype({"func": "category", "target": "Int8"}),
    "datasets with a format": lambda: datasets.Dataset.from_list(ROWS).with_format("numpy", columns=["target"]),
    "polars": lambda: polars.DataFrame(ROWS),
    "a stream": lambda: Stream(pyarrow.Table.from_pylist(ROWS)),
    "a reader": lambda: pyarrow.Table.from_pylist(ROWS).to_reader(),
    "a generator": lambda: (row for row in ROWS),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_rows(form: str, tmp_path: Path) -> None:
    plain = Path(placed(ROWS, tmp_path / "plain")).read_bytes()
    assert Path(placed(FORMS[form](), tmp_path / "form")).read_bytes() == plain


def test_models_are_evaluated_on_every_form() -> None:
    model = lambda batch: [[0.9, 0.1] if len(code) % 2 else [0.2, 0.8] for code in batch]  # noqa: E731
    wanted = [answer.probabilities for answer in allotrope.evaluate(model, ROWS, **OPTIONS).answers]
    for form, made in FORMS.items():
        found = allotrope.evaluate(model, made(), **OPTIONS)
        assert [answer.probabilities for answer in found.answers] == wanted, form


def test_the_buffers_of_arrow_are_not_copied() -> None:
    table = pyarrow.Table.from_pylist([{"func": "int f(void) { return 1; }" * 40, "target": 0}] * 5000)
    before = pyarrow.total_allocated_bytes()
    assert sum(len(row["func"]) for row in rows_of(table)) == 5_000_000
    assert sum(len(row["func"]) for row in rows_of(Stream(table))) == 5_000_000
    assert pyarrow.total_allocated_bytes() - before < 100_000


def test_what_is_missing_is_null(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"func": ["int x;", None], "target": [float("nan"), 1.0], "day": [pandas.NaT, pandas.NaT]})
    lines = Path(placed(frame, tmp_path)).read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"func": "int x;", "target": None, "day": None}, {"func": None, "target": 1.0, "day": None}]
    nested = [{"func": "int x;", "scores": [float("nan"), 0.5], "more": {"array": numpy.array([1.0, numpy.nan])}}]
    assert json.loads(Path(placed(nested, tmp_path)).read_text()) == {"func": "int x;", "scores": [None, 0.5], "more": {"array": [1.0, None]}}


def test_what_is_no_data_set_is_explained(tmp_path: Path) -> None:
    split = datasets.DatasetDict(train=datasets.Dataset.from_list(ROWS))
    for given, problem in [
        (split, "choose one of train"),
        ({"func": ["int x;"]}, "pandas.DataFrame makes rows"),
        (pandas.DataFrame(ROWS)["func"], "a Series has none"),
        ([{"func": "int x;", "target": float("inf")}], "row 0 cannot be written as JSON"),
        ([{"func": "int x;\ud800"}], "row 0 cannot be written as JSON"),
    ]:
        with pytest.raises(allotrope.PlanError, match=problem):
            placed(given, tmp_path)


def test_variants_are_made_of_every_form_with_numbers() -> None:
    wanted = list(allotrope.augment(ROWS, "rename-local", seed=3, language="c"))
    for form in ("pandas", "datasets", "a table", "polars"):
        data = FORMS[form]()
        variants = allotrope.augment(data, "rename-local", seed=3, language="c")
        assert list(variants) == wanted, form
        assert [variants[number] for number in range(len(variants))] == wanted, form
        assert row_of(data, 2)["func"] == ROWS[2]["func"], form


def test_datasets_take_the_augmenter_as_a_transform() -> None:
    wanted = [row["func"] for row in allotrope.augment(ROWS, "rename-local", seed=3, language="c")]
    augmenter = allotrope.Augmenter("rename-local", seed=3, language="c")
    data = datasets.Dataset.from_list(ROWS)
    mapped = data.map(augmenter, batched=True, batch_size=4, with_indices=True)
    assert mapped["func"][:] == wanted and mapped["target"][:] == data["target"][:]
    streamed = data.to_iterable_dataset().map(augmenter, batched=True, batch_size=4, with_indices=True)
    assert [row["func"] for row in streamed] == wanted
    data.set_transform(augmenter)
    assert data[0]["func"] == augmenter(ROWS[0])["func"]


def test_results_are_frames(tmp_path: Path) -> None:
    model = allotrope.Model(lambda batch: [[0.9, 0.1] if len(code) % 2 else [0.2, 0.8] for code in batch], name="odd", varies=False)
    found = allotrope.evaluate(model, ROWS, **OPTIONS).to_pandas()
    assert list(found["id"]) == [str(number) for number in range(6)] and found["fault"].isna().all()
    run = allotrope.attack(model, pandas.DataFrame(ROWS), ["random-k", "random-once"], budget=40, output=tmp_path / "run", **OPTIONS)
    frame = run.to_pandas()
    assert len(frame) == len(run.records) == 12 and set(frame["attack"]) == {"random-k", "random-once"}
    assert frame[frame["outcome"] == "success"]["example"].notna().all()
    assert len(allotrope.compare([run]).to_pandas()) == 1
    other = allotrope.Model(model.function, name="other", varies=False)
    followed = allotrope.fidelity(model, other, ROWS, output=tmp_path / "fidelity", **OPTIONS)
    assert len(followed.to_pandas()) == 6
    [variant] = allotrope.transform(ROWS[0]["func"], "c", "rename-local")
    assert allotrope.transform(ROWS[0]["func"], "c", "rename-local").to_pandas()["code"][0] == variant.code
