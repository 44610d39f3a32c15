"""Variants, sites and verdicts."""

from pathlib import Path

import allotrope
import pytest
from conftest import command

JAVA = "class Sum {\n    static int sum(int n) {\n        int total = 0;\n        for (int i = 0; i < n; i++) { total += i; }\n        return total;\n    }\n}\n"


def test_a_variant_has_the_bytes_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "Sum.java").write_text(JAVA)
    made = command("transform", tmp_path / "Sum.java", "-o", tmp_path / "out.java", "--order", 4, "--seed", 9)
    assert made.returncode == 0, made.stderr
    [variant] = allotrope.transform(JAVA, "java", order=4, seed=9, name="Sum.java")
    assert (tmp_path / "out.java").read_text() == variant.code
    assert variant.changed and len(variant.steps) == 4


def test_variants_differ_and_are_repeated_by_their_seed() -> None:
    one, two = allotrope.transform(JAVA, "java", "names", variants=2, seed=1)
    assert one.code != two.code
    assert allotrope.transform(JAVA, "java", "names", variants=2, seed=1)[1] == two
    assert allotrope.transform(JAVA, "java", "names", variants=2, seed=2)[1] != two


def test_what_does_not_parse_stays_as_it_is() -> None:
    [variant] = allotrope.transform("int f( {", "c")
    assert not variant.changed and variant.broken_at is not None


def test_sites_are_counted_in_characters() -> None:
    code = 'def f(a):\n    print("äöü€")\n    if a == 1:\n        return 2\n'
    found = [code[site.start : site.end] for site in allotrope.sites(code, "python", "if-true")]
    assert "return 2" in found and 'print("äöü€")' in found


def test_errors_have_the_text_of_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(allotrope.PlanError) as raised:
        allotrope.transform(JAVA, "java", "renam-local")
    (tmp_path / "Sum.java").write_text(JAVA)
    said = command("transform", tmp_path / "Sum.java", "-o", tmp_path / "out.java", "--transform", "renam-local")
    assert said.returncode == raised.value.status == 2
    assert str(raised.value) in said.stderr
    with pytest.raises(ValueError, match="cobol"):
        allotrope.transform(JAVA, "cobol")


def test_behaviour_is_compared() -> None:
    one = "def f(a):\n    return a + 1\n"
    same = allotrope.verify(one, "def f(b):\n    return 1 + b\n", "python", calls=["f(3)"])
    other = allotrope.verify(one, "def f(b):\n    return b + 2\n", "python", calls=["f(3)"])
    if same.run.answer == "not judged":
        pytest.skip(f"programs cannot be run here: {same.run.why}")
    assert same.run and same
    assert other.run.answer == "fails" and not other


def test_notebooks_show_diffs_and_no_markup_of_programs() -> None:
    [variant] = allotrope.transform("int f() { int a = 1; return a < 2; }", "c", "rename-local", names="letters")
    shown = variant._repr_html_()
    assert "<del" in shown and "<ins" in shown and "&lt; 2" in shown and "a < 2" not in shown
