"""Variants as training data."""

import multiprocessing

import allotrope
import pytest

ROWS = [{"func": f"int f{number}(int n) {{ int total = n; int other = {number}; return total + other; }}", "label": number % 2} for number in range(40)]


def made(epoch: int = 0) -> allotrope.Augmented:
    variants = allotrope.augment(ROWS, "rename-local", seed=5, language="c")
    variants.set_epoch(epoch)
    return variants


def test_an_epoch_is_the_same_however_it_is_read() -> None:
    whole = list(made())
    assert [made()[number] for number in range(len(ROWS))] == whole
    assert made().__getitems__([7, 3]) == [whole[7], whole[3]]
    assert made()[-1] == whole[-1]
    small = allotrope.augment(ROWS, "rename-local", seed=5, language="c", batch=3)
    assert list(small) == whole
    assert all(one["func"] != row["func"] and one["label"] == row["label"] for one, row in zip(whole, ROWS, strict=True))


def test_epochs_and_seeds_differ() -> None:
    assert list(made(0)) != list(made(1)) and list(made(1)) == list(made(1))
    assert list(allotrope.augment(ROWS, "rename-local", seed=6, language="c")) != list(made())


def test_rows_do_not_depend_on_their_batch_without_numbers() -> None:
    rewrite = allotrope.Augmenter("rename-local", seed=5, language="c")
    batch = {"func": [row["func"] for row in ROWS], "label": [row["label"] for row in ROWS]}
    assert rewrite(batch)["func"] == [rewrite(row)["func"] for row in ROWS]
    assert rewrite(batch, list(range(40)))["func"] == [row["func"] for row in made()]
    assert rewrite({"func": [], "label": []}) == {"func": [], "label": []}


def test_pairs_are_rewritten_on_both_sides_and_unknown_columns_refused() -> None:
    pair = {"code1": ROWS[0]["func"], "code2": ROWS[1]["func"]}
    changed = allotrope.Augmenter("rename-local", language="c")(pair)
    assert changed["code1"] != pair["code1"] and changed["code2"] != pair["code2"]
    with pytest.raises(allotrope.PlanError, match="which of the columns program has the programs"):
        allotrope.Augmenter(language="c")({"program": "int x;"})


def test_where_there_is_no_program_there_is_none_afterwards() -> None:
    rows = [ROWS[0], {"func": None, "label": 1}]
    assert list(allotrope.augment(rows, "rename-local", seed=5, language="c")) == [made()[0], rows[1]]
    with pytest.raises(allotrope.PlanError, match="the column func has a value that is no text but int"):
        list(allotrope.augment([ROWS[0], {"func": 3}], language="c"))
    with pytest.raises(allotrope.PlanError, match="a row has no column func"):
        list(allotrope.augment([ROWS[0], {"code": "int x;"}], language="c"))


def test_mistakes_are_refused_before_the_first_epoch() -> None:
    with pytest.raises(allotrope.PlanError, match="did you mean `rename-local`"):
        allotrope.augment(ROWS, "renam-local", language="c")
    with pytest.raises(allotrope.PlanError, match="unknown language `rust`"):
        allotrope.Augmenter(language="rust")


def texts(_: int) -> list[str]:
    return [row["func"] for row in made()]


def test_a_forked_worker_makes_the_same() -> None:
    """Data loaders fork their workers, which have none of the threads of their parent."""
    here = texts(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(texts, [0, 1]).get(timeout=60) == [here, here]
