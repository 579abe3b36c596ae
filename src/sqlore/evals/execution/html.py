"""A run's report as one HTML file that needs nothing beside it: tables, plots, questions with diffs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Final

from sqlore.evals.execution.diff import Said, Told, diff_lines
from sqlore.evals.sheets import Sheet

__all__ = ["as_html"]

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #2b2f36; --grey: #6b7280; --line: #d9dce1; --paper: #fff;
  --soft: #f5f6f8; --right: #15803d; --wrong: #b91c1c; --plus: #dcfce7; --minus: #fee2e2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e5e7eb; --grey: #9ca3af; --line: #3b414b;
  --paper: #16181d; --soft: #1f232a; --right: #4ade80; --wrong: #f87171; --plus: #14391f;
  --minus: #451a1a; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.table { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .7rem; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { color: var(--grey); font-weight: 500; }
.note { color: var(--grey); font-size: .9rem; max-width: 60rem; }
figure { margin: 1.5rem 0; background: #fff; border-radius: 6px; overflow-x: auto; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; } summary { cursor: pointer; }
summary .id { color: var(--grey); margin-right: .5rem; }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; font-size: 13px; }
pre span { display: block; } .plus { background: var(--plus); } .minus { background: var(--minus); }
.right { color: var(--right); } .wrong { color: var(--wrong); }
"""


def as_html(title: str, sheets: Iterable[Sheet], drawn: Mapping[str, str], questions: Sequence[Told]) -> str:
    """The report. `drawn` are plots as SVG by their titles; every text from outside is escaped.

    >>> page = as_html("Run <1>", [Sheet("T", ("a",), (("x & y",),))], {}, [])
    >>> "<h1>Run &lt;1&gt;</h1>" in page and "<td>x &amp; y</td>" in page
    True
    """
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(title)}</h1>",
        *(_table(sheet) for sheet in sheets),
    ]
    if drawn:
        parts.append("<h2>Plots</h2>")
        parts += [f'<figure aria-label="{escape(name)}">{svg}</figure>' for name, svg in drawn.items()]
    differing = [one for one in questions if one.differs]
    wrong = [one for one in questions if one.wrong]
    rest = [one for one in questions if not one.differs and not one.wrong]
    for heading, group in (
        ("Questions that some strategies answered right", differing),
        ("Questions that none answered right", wrong),
        ("Questions that all answered right", rest),
    ):
        if group:
            parts.append(f"<h2>{heading} ({len(group)})</h2>")
            parts += [_question(one) for one in group]
    return "\n".join([*parts, "</body></html>", ""])


def _table(sheet: Sheet) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in sheet.heads)
    rows = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in sheet.rows)
    note = f'<p class="note">{escape(sheet.note)}</p>' if sheet.note else ""
    table = f'<div class="table"><table><tr>{heads}</tr>\n{rows}</table></div>'
    return f"<h2>{escape(sheet.title)}</h2>\n{table}\n{note}"


def _question(one: Told) -> str:
    """A question that can be opened: gold, the first answer whole, the others as they differ from it."""
    marks = " ".join(_mark(name, said) for said in one.said for name in said.strategies)
    uncertain = "" if one.counted else ' <span class="note">not counted</span>'
    head = f'<span class="id">{escape(one.database)} {escape(one.question_id)}</span>{escape(one.question)}'
    parts = [
        f"<details><summary>{head}<br>{marks}{uncertain}</summary>",
        "<p>gold</p>",
        _code(f"  {line}" for line in one.gold),
    ]
    for number, said in enumerate(one.said):
        error = f": {escape(said.error)}" if said.error else ""
        names = escape(", ".join(said.strategies))
        versus = f" (against {escape(one.said[0].strategies[0])})" if number and one.said[0].sql else ""
        parts.append(f'<p class="{_class(said)}">{names}: {escape(said.outcome)}{error}{versus}</p>')
        before = one.said[0].sql if number else said.sql
        parts.append(_code(diff_lines(before, said.sql) if before else [f"  {s}" for s in said.sql]))
    return "\n".join([*parts, "</details>"])


def _mark(name: str, said: Said) -> str:
    return f'<span class="{_class(said)}">{"✓" if said.correct else "✗"} {escape(name)}</span>'


def _class(said: Said) -> str:
    return "right" if said.correct else "wrong"


def _code(lines: Iterable[str]) -> str:
    kinds = {"+": "plus", "-": "minus"}
    spans = (f'<span class="{kinds.get(line[:1], "")}">{escape(line)}</span>' for line in lines)
    return f"<pre>{''.join(spans)}</pre>"
