"""Programs: variants, sites of transformations, and verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from allotrope import _native, html

__all__ = ["Site", "Step", "Variant", "Variants", "Verdict", "Verdicts", "sites", "transform", "verify"]


@dataclass(frozen=True)
class Step:
    """A rewrite, with all that repeats it."""

    transformation: str
    rule: str
    names: tuple[str, ...]
    """The new names."""
    start: int
    """The first byte of its site, in the UTF-8 text before this step."""
    end: int
    seed: int


@dataclass(frozen=True)
class Variant:
    """A variant of a program."""

    original: str
    code: str
    steps: tuple[Step, ...]
    broken_at: tuple[int, int] | None = None
    """Line and column, where the program does not parse; it is unchanged then."""

    @property
    def changed(self) -> bool:
        """Does it differ from the original?"""
        return self.code != self.original

    def _repr_html_(self) -> str:
        steps = ", ".join(step.transformation for step in self.steps) or "unchanged"
        return html.table(["steps"], [[steps]]) + html.diff(self.original, self.code)


class Variants(Sequence[Variant]):
    """The variants of a program. In a notebook they are shown as diffs."""

    def __init__(self, variants: Iterable[Variant]) -> None:
        self._variants = tuple(variants)

    @overload
    def __getitem__(self, index: int) -> Variant: ...
    @overload
    def __getitem__(self, index: slice) -> Variants: ...
    def __getitem__(self, index: int | slice) -> Variant | Variants:
        found = self._variants[index]
        return Variants(found) if isinstance(found, tuple) else found

    def __len__(self) -> int:
        return len(self._variants)

    def __repr__(self) -> str:
        return f"<{len(self)} variants, {sum(variant.changed for variant in self)} changed>"

    def to_pandas(self) -> Any:
        """A row for each variant."""
        import pandas

        rows = [
            {"code": variant.code, "changed": variant.changed, "steps": [step.transformation for step in variant.steps]}
            for variant in self
        ]
        return pandas.DataFrame(rows, columns=["code", "changed", "steps"])

    def _repr_html_(self) -> str:
        return "".join(variant._repr_html_() for variant in self)


def transform(
    code: str,
    language: str,
    transformations: str = "all",
    *,
    order: int = 1,
    seed: int = 0,
    names: str = "pseudo",
    reference: Sequence[str] = (),
    variants: int = 1,
    scope: str = "each-file",
    name: str = "",
) -> Variants:
    """Rewrites a program without changing what it does.

    `transformations` is a list with commas of transformations, rules, groups and classes, as `allotrope list transformations` shows
    them; `order` is the number of rewrites; `names` is a source of new names, `reference` the names that the source `reference` takes.
    `name` is part of the seed: with the name of a file, the result has the bytes that `allotrope transform` makes of that file.

    >>> variant = transform("def f(a):\\n    b = a\\n    return b\\n", "python", "rename-local", names="letters", seed=1)[0]
    >>> variant.changed, [step.transformation for step in variant.steps]
    (True, ['rename-local'])
    """
    made = _native.rewrite(
        [(name, code)], language, transformations, order, seed, names, list(reference), variants, scope, True
    )
    return Variants(Variant(code, text, _steps(steps), broken) for text, steps, broken in made[0])


def _steps(text: str | None) -> tuple[Step, ...]:
    def step(values: dict[str, Any]) -> Step:
        arguments, site = values["arguments"], values["site"]
        names = tuple(arguments.get("names", ()))
        return Step(values["transformation"], arguments.get("rule", ""), names, site["start"], site["end"], values["seed"])

    return tuple(step(values) for values in json.loads(text or "[]"))


@dataclass(frozen=True)
class Site:
    """A place where a transformation applies."""

    transformation: str
    rule: str
    start: int
    """The first of its characters: `code[site.start:site.end]` is what the rewrite concerns."""
    end: int


def sites(code: str, language: str, transformations: str = "all") -> list[Site]:
    """The places in a program where transformations apply.

    >>> code = "int f(int n) { if (n > 0) return 1; return 0; }"
    >>> [site] = sites(code, "java", "swap-comparison")
    >>> code[site.start:site.end]
    'n > 0'
    """
    return [Site(*found) for found in _native.sites(code, language, transformations)]


@dataclass(frozen=True)
class Verdict:
    """What a check says: `holds`, `fails` or `not judged`, and why."""

    answer: str
    why: str | None = None

    def __bool__(self) -> bool:
        return self.answer == "holds"


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on a variant. They are true where nothing fails."""

    parse: Verdict
    scope: Verdict
    compile: Verdict
    run: Verdict

    def __bool__(self) -> bool:
        return all(verdict.answer != "fails" for verdict in (self.parse, self.scope, self.compile, self.run))

    def _repr_html_(self) -> str:
        rows = [[name, getattr(self, name).answer, getattr(self, name).why] for name in _VERDICTS]
        return html.table(["verdict", "answer", "why"], rows)


_VERDICTS = ("parse", "scope", "compile", "run")


def verify(
    original: str,
    variant: str,
    language: str,
    *,
    cases: Sequence[Mapping[str, Any]] = (),
    calls: Sequence[str] = (),
    verdicts: str | Sequence[str] = _VERDICTS,
    timeout: float = 10.0,
    memory: int = 1024,
    compare_stderr: bool = False,
    sandbox: bool = True,
) -> Verdicts:
    """Is a variant equivalent to its original? It parses, its names resolve as before, it compiles, and it behaves the same.

    Programs are run on `cases`, such as `{"arguments": ["3"], "input": "…"}`, or the values of `calls`, such as `f(3)`, are compared. They
    run in a sandbox, at most `timeout` seconds and with `memory` MiB.

    >>> found = verify("def f(a): return a + 1", "def f(b): return b + 2", "python", verdicts=["parse", "scope"])
    >>> found.parse.answer, found.run.answer
    ('holds', 'not judged')
    """
    given = [([str(argument) for argument in case.get("arguments", ())], str(case.get("input", ""))) for case in cases]
    told = _native.verify(
        original,
        variant,
        language,
        given,
        list(calls),
        verdicts.split(",") if isinstance(verdicts, str) else list(verdicts),
        timeout,
        memory,
        compare_stderr,
        sandbox,
        None,
    )
    return Verdicts(**{name: Verdict(**values) for name, values in json.loads(told).items()})
