"""Plots of what is varied and what it costs: F1 by shots and by budget, latency by stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from sqlore.evals.plots.style import ACCENT, INK, base, color_of, data_of, finished, percent_axis, spread
from sqlore.evals.retrieval import Comparison, Result
from sqlore.evals.sheets import plain_results, varied_alone

__all__ = ["f1_by_budget", "f1_by_shots", "latency"]

_WIDTH: Final = 460
_HEIGHT: Final = 340
_STAGE: Final = 74


def f1_by_shots(comparison: Comparison) -> dict[str, Any] | None:
    """F1 by the most whole scripts handed over; None where their number was not varied."""
    results = [r for r in comparison.results if varied_alone(r.setting, comparison, "shots")]
    order = sorted({r.setting.shots for r in results if r.setting.shots is not None})
    steps = [*map(str, order), *(["dynamic"] if any(r.setting.shots is None for r in results) else [])]
    if len(steps) < 2:
        return None
    rows = [_row(r, "dynamic" if r.setting.shots is None else str(r.setting.shots)) for r in results]
    return finished(_lines(rows, steps, "whole scripts at most"), "F1 by number of shots")


def f1_by_budget(comparison: Comparison) -> dict[str, Any] | None:
    """F1 by the tokens that what is handed over may take; None where fewer than two budgets were tried."""
    results = [r for r in comparison.results if r.setting.budget is not None]
    budgets = sorted({r.setting.budget for r in results if r.setting.budget is not None})
    if len(budgets) < 2:
        return None
    rows = [_row(r, str(r.setting.budget)) for r in results]
    return finished(_lines(rows, list(map(str, budgets)), "tokens of the prompt"), "F1 by budget")


def _row(result: Result, step: str) -> dict[str, Any]:
    name = result.setting.retriever
    color = color_of(name)
    width = 2.5 if color == ACCENT else 1
    return {"label": name, "step": step, "f1": result.scores.f1(), "color": color, "width": width}


def _lines(rows: Sequence[dict[str, Any]], steps: list[str], title: str) -> Any:
    """A line a retriever over the steps, its name at its end."""
    top = min(1.0, max(row["f1"] for row in rows) * 1.15) or 1.0
    ends = [row for row in rows if row["step"] == steps[-1]]
    heights = spread([(1 - row["f1"] / top) * _HEIGHT for row in ends])
    ends = [row | {"at": (1 - height / _HEIGHT) * top} for row, height in zip(ends, heights, strict=True)]
    scale = alt.Scale(domain=[0, top])
    x = alt.X("step:O", sort=steps, scale=alt.Scale(type="point", padding=0.3))
    x = x.axis(title=title, labelAngle=0)
    y = alt.Y("f1:Q", scale=scale, axis=percent_axis("F1", grid=True))
    color = alt.Color("color:N", scale=None)
    chart = base(rows)
    lines = chart.mark_line().encode(
        x, y, color, alt.Detail("label:N"), alt.StrokeWidth("width:Q", scale=None)
    )
    dots = chart.mark_circle(size=26, opacity=1).encode(x, y, color)
    names = (
        base(ends)
        .mark_text(align="left", dx=9, fontSize=11)
        .encode(x, alt.Y("at:Q", scale=scale), color, text="label:N")
    )
    return alt.layer(lines, dots, names).properties(width=_WIDTH, height=_HEIGHT)


def latency(comparison: Comparison) -> dict[str, Any] | None:
    """Mean milliseconds of a question by retriever and stage, a panel a stage, and the whole."""
    results = [r for r in plain_results(comparison) if sum(r.stages.values())]
    if not results:
        return None
    stages = ["all", *dict.fromkeys(stage for result in results for stage in result.stages)]
    rows: list[dict[str, Any]] = [
        {"label": result.setting.label, "stage": stage, "ms": value, "told": f"{value:.{_digits(value)}f}"}
        | {"color": color_of(result.setting.label)}
        for result in results
        for stage, value in _means(result).items()
    ]
    order = [result.setting.label for result in results]
    y = alt.Y("label:N", sort=order, axis=alt.Axis(title=None, labelColor=INK, ticks=False, labelPadding=8))
    scale = alt.Scale(domain=[0, 1.7 * max(row["ms"] for row in rows)])
    chart = alt.layer(
        alt.Chart()
        .mark_bar(height=11)
        .encode(alt.X("ms:Q", scale=scale, axis=None), y, alt.Color("color:N", scale=None)),
        alt.Chart()
        .mark_text(align="left", dx=4, fontSize=10, color=INK)
        .encode(alt.X("ms:Q", scale=scale), y, text="told:N"),
        data=data_of(rows),
    )
    panels = chart.properties(width=_STAGE, height=18 * len(order)).facet(
        column=alt.Column("stage:N", sort=stages), spacing=8
    )
    return finished(panels, "Latency of a question by stage", "mean milliseconds")


def _means(result: Result) -> dict[str, float]:
    tasks = max(1, len(result.scores.tasks))
    means = {stage: total / tasks for stage, total in result.stages.items()}
    return {"all": sum(means.values()), **means}


def _digits(value: float) -> int:
    return 0 if value >= 100 else 1 if value >= 1 else 2
