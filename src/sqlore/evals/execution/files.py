"""The files that a run's folder gets at its end: the report as Markdown, JSON and HTML, and its plots."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from sqlore.evals.execution.diff import Told, diff_lines, questions_of
from sqlore.evals.execution.html import as_html
from sqlore.evals.execution.report import Report, execution_json, execution_sheets
from sqlore.evals.report import as_markdown

__all__ = ["questions_markdown", "write_execution"]


def write_execution(
    folder: Path, report: Report, lines: Sequence[Mapping[str, Any]], *, plots: bool = True
) -> list[Path]:
    """Writes `report.md`, `questions.md`, `report.json`, `report.html` and `plots/` into `folder`.

    Raises `UsageError` where plots are wanted and cannot be drawn.
    """
    from sqlore.evals.plots.draw import write_specs

    specs, titles = _plots(report) if plots else ({}, {})
    drawn = {file.stem: file for file in write_specs(folder / "plots", specs)} if specs else {}
    sheets, questions = execution_sheets(report), questions_of(lines)
    parts = ["# Execution\n", as_markdown(sheets)]
    if drawn:
        parts += ["## Plots\n", *(f"![{titles[name]}](plots/{file.name})\n" for name, file in drawn.items())]
    parts.append("What each strategy wrote, question by question: [questions.md](questions.md)\n")
    pictures = {titles[name]: file.read_text(encoding="utf-8") for name, file in drawn.items()}
    data = execution_json(report) | {"questions": [_short(one) for one in questions]}
    texts = {
        "report.md": "\n".join(parts),
        "questions.md": questions_markdown(questions),
        "report.json": json.dumps(data, indent=1) + "\n",
        "report.html": as_html("Execution", sheets, pictures, questions),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
    return [folder / name for name in texts]


def _plots(report: Report) -> tuple[dict[str, dict[str, Any]], Mapping[str, str]]:
    from sqlore.evals.plots.draw import require_plots

    require_plots()
    from sqlore.evals.plots.execution import TITLES, execution_plots

    return execution_plots(report), TITLES


def _short(one: Told) -> dict[str, Any]:
    """A question in `report.json`: who was right."""
    right = {name: said.correct for said in one.said for name in said.strategies}
    outcomes = {name: said.outcome for said in one.said for name in said.strategies}
    return {
        "database": one.database,
        "question_id": one.question_id,
        "question": one.question,
        "counted": one.counted,
        "correct": right,
        "outcome": outcomes,
    }


def questions_markdown(questions: Iterable[Told]) -> str:
    """Every question with what was said: the first answer whole, the others as they differ from it."""
    parts = ["# Question by question\n"]
    for one in questions:
        counted = "" if one.counted else " (not counted)"
        parts.append(f"## {_text(f'{one.database} {one.question_id}')}{counted}\n\n{_text(one.question)}\n")
        parts.append(_fenced("sql", ["-- gold", *one.gold]))
        for number, said in enumerate(one.said):
            mark = "right" if said.correct else "wrong"
            error = f" ({_text(said.error)})" if said.error else ""
            parts.append(f"**{_text(', '.join(said.strategies))}**: {mark}, {said.outcome}{error}\n")
            before = one.said[0].sql if number else ()
            if said.sql:
                parts.append(
                    _fenced("diff", diff_lines(before, said.sql)) if before else _fenced("sql", said.sql)
                )
    return "\n".join(parts)


def _text(text: str) -> str:
    """One line of plain text: nothing in it is read as HTML."""
    return escape(" ".join(text.split()), quote=False)


def _fenced(kind: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", body)), default=0))
    return f"{fence}{kind}\n{body}\n{fence}\n"
