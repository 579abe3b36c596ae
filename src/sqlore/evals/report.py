"""A comparison out of the program: as Markdown, as JSON, with its plots."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from sqlore.evals.metrics import AT, PAPER_RECALL, SCORED_KINDS, Scores
from sqlore.evals.plots.draw import TITLES, write_plots
from sqlore.evals.retrieval import Comparison, Result
from sqlore.evals.sheets import Sheet, sheets

__all__ = ["as_json", "as_markdown", "write_reports"]

_PLOTS: Final = "plots"
_INNERMOST: Final = re.compile(r"\[\n[\s\d.,e+-]*\]")


def as_markdown(found: Iterable[Sheet]) -> str:
    """The tables as Markdown.

    >>> print(as_markdown([Sheet("T", ("a", "b"), (("1", "x|y"),), "two columns")]))
    ## T
    <BLANKLINE>
    | a | b |
    |---|---|
    | 1 | x\\|y |
    <BLANKLINE>
    two columns
    <BLANKLINE>
    """
    parts = []
    for sheet in found:
        lines = [f"## {sheet.title}", "", _line(sheet.heads), "|" + "---|" * len(sheet.heads)]
        lines += [_line(row) for row in sheet.rows]
        if sheet.note:
            lines += ["", sheet.note]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data with stable keys; rates are fractions of 1."""
    return {
        "tasks": comparison.tasks,
        "scripts": comparison.scripts,
        "gold": comparison.gold,
        "unmatched": [{"question_id": number, "key": key} for number, key in comparison.unmatched],
        "rejected": comparison.rejected,
        "dropped": [
            {"question_id": one.question_id, "db_id": one.database, "reason": one.reason}
            for one in comparison.dropped
        ],
        "bad_tasks": comparison.bad,
        "without_history": comparison.without_history,
        "other_databases": comparison.other_databases,
        "learning": {name: round(value, 4) for name, value in comparison.cost.items()},
        "results": [_result(result, comparison) for result in comparison.results],
    }


def _result(result: Result, comparison: Comparison) -> dict[str, Any]:
    setting, scores = result.setting, result.scores
    tasks = max(1, len(scores.tasks))
    rates = dict(zip(("precision", "recall", "f1"), scores.intervals(), strict=True))
    return {
        "retriever": setting.retriever,
        "shots": setting.shots,
        "threshold": setting.threshold,
        "granularity": setting.granularity,
        "budget": setting.budget,
        **{name: round(rate.value, 5) for name, rate in rates.items()},
        "interval": {name: [round(rate.low, 5), round(rate.high, 5)] for name, rate in rates.items()},
        "recall_at": {str(n): round(scores.recall_at(n), 5) for n in AT},
        "precision_at_recall": {f"{PAPER_RECALL:g}": _rounded(scores.precision_at_recall())},
        "script_precision": round(scores.script_precision(), 5),
        "scripts": round(scores.mean("scripts"), 3),
        "tokens": round(scores.mean("tokens"), 1),
        "by_kind": {kind: _rates(scores, kind) for kind in SCORED_KINDS},
        "by_database": {name: _rates(result.of(name)) for name in comparison.tasks},
        "median_ms": round(scores.median_milliseconds(), 3),
        "stages_ms": {name: round(total / tasks, 3) for name, total in result.stages.items()},
        "curve": _curve(scores),
        "calibration_error": _rounded(scores.calibration_error()),
        "reliability": [
            {"low": b.low, "high": b.high, "fragments": b.number, "said": b.said, "was": round(b.was, 5)}
            for b in scores.reliability()
        ],
    }


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 5)


def _curve(scores: Scores) -> list[list[float]]:
    """[recall, precision] at each hundredth of recall that is reached."""
    curve = scores.curve()
    return [[recall, round(precision, 5)] for recall, precision in curve.points()] if curve else []


def _rates(scores: Scores, kind: str | None = None) -> dict[str, float]:
    rates = {"precision": scores.precision(kind), "recall": scores.recall(kind), "f1": scores.f1(kind)}
    return {name: round(rate, 5) for name, rate in rates.items()}


def write_reports(folder: Path, comparison: Comparison, *, plots: bool = True) -> list[Path]:
    """Writes `retrieval.md`, `retrieval.json` and `plots/` into `folder`, made where it is not there.

    Raises `UsageError` where plots are wanted and cannot be drawn.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = write_plots(folder / _PLOTS, comparison) if plots else []
    parts = ["# Retrieval\n", as_markdown(sheets(comparison))]
    if drawn:
        parts.append("## Plots\n")
        parts += [f"![{TITLES[file.stem]}]({_PLOTS}/{file.name})\n" for file in drawn]
    markdown, data = folder / "retrieval.md", folder / "retrieval.json"
    markdown.write_text("\n".join(parts), encoding="utf-8")
    # the points of a curve, a line each
    text = _INNERMOST.sub(
        lambda found: " ".join(found.group().split()), json.dumps(as_json(comparison), indent=1)
    )
    data.write_text(text + "\n", encoding="utf-8")
    return [markdown, data, *drawn]
