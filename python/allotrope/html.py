"""Tables and diffs for notebooks. Programs and answers are text everywhere: nothing of them is markup."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["diff", "escape", "table"]

_REMOVED = "background:#ffebe9;color:#82071e;text-decoration:none"
_ADDED = "background:#dafbe1;color:#116329;text-decoration:none"


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table.

    >>> table(["name", "value"], [["a < b", 0.25], ["nothing", None]])
    '<table><thead><tr><th>name</th><th>value</th></tr></thead><tbody><tr><td>a &lt; b</td><td>0.25</td></tr><tr><td>nothing</td><td>–</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(_shown(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(cell: object) -> str:
    if cell is None:
        return "–"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def diff(before: str, after: str) -> str:
    """What changed, line by line.

    >>> print(diff("a\\nb\\n", "a\\nc\\n"))  # doctest: +ELLIPSIS
    <pre>  a
    <del style="...">- b</del>
    <ins style="...">+ c</ins></pre>
    """
    lines = []
    for line in difflib.ndiff(before.splitlines(), after.splitlines()):
        kind, text = line[:2], escape(line)
        if kind == "- ":
            lines.append(f'<del style="{_REMOVED}">{text}</del>')
        elif kind == "+ ":
            lines.append(f'<ins style="{_ADDED}">{text}</ins>')
        elif kind != "? ":
            lines.append(text)
    return "<pre>" + "\n".join(lines) + "</pre>"
