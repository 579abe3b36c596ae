"""Plots of quality: precision against recall, F1 with intervals, F1 by kind, said against was."""

from __future__ import annotations

from typing import Any, Final

import altair as alt

from sqlore.evals import paper
from sqlore.evals.metrics import SCORED_KINDS
from sqlore.evals.plots.style import (
    ACCENT,
    FAINT,
    GREY,
    INK,
    apart,
    base,
    color_of,
    data_of,
    finished,
    haloed,
    percent_axis,
)
from sqlore.evals.retrieval import Comparison, Result
from sqlore.evals.sheets import plain_results, tasks_told

__all__ = ["f1", "f1_by_kind", "precision_recall", "reliability"]

_WIDTH: Final = 560
_HEIGHT: Final = 400
_ROW: Final = 24
_PAPER: Final = "the paper's retriever"
_PUBLISHED: Final = "the paper's, on its own tasks: P {:.1f}, R {:.1f}"


def _results(comparison: Comparison) -> list[Result]:
    """The upper bound is 100 % by its making, and left out."""
    return [one for one in plain_results(comparison) if one.setting.retriever != "gold"]


# -------------------------------------------------- precision against recall


def precision_recall(comparison: Comparison) -> dict[str, Any] | None:
    """Curves where scores give one, and what each retriever hands over as it is; the paper's point beside."""
    results = _results(comparison)
    lines = [row for result in results for row in _curve(result)]
    points = [
        _point(result.setting.label, result.scores.precision(), result.scores.recall()) for result in results
    ]
    precision, recall, _ = paper.RETRIEVERS["published"]
    points.append(
        _point(_PUBLISHED.format(precision, recall), precision / 100, recall / 100) | {"shape": "diamond"}
    )
    # the accent's names stand above its lines
    places = [
        (one["recall"] * _WIDTH, (1 - one["precision"]) * _HEIGHT - 10 * (one["color"] == ACCENT))
        for one in points
    ]
    heights = apart(places, [len(one["label"]) for one in points])
    points = [one | {"label_at": 1 - height / _HEIGHT} for one, height in zip(points, heights, strict=True)]
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("recall:Q", scale=scale, axis=percent_axis("recall", grid=True))
    y = alt.Y("precision:Q", scale=scale, axis=percent_axis("precision", grid=True))
    color = alt.Color("color:N", scale=None)
    curves = (
        base(lines)
        .mark_line(clip=True)
        .encode(x, y, color, alt.Detail("label:N"), alt.StrokeWidth("width:Q", scale=None), order="recall:Q")
    )
    marks = base(points)
    dots = marks.mark_point(size=60, strokeWidth=1.5, filled=False, opacity=1).encode(
        x, y, color, alt.Shape("shape:N", scale=None), alt.Fill("fill:N", scale=None)
    )
    names = haloed(marks.encode(x, alt.Y("label_at:Q", scale=scale), text="label:N"), color, dx=8)
    return finished(
        alt.layer(curves, dots, names).properties(width=_WIDTH, height=_HEIGHT),
        "Precision against recall",
        f"{tasks_told(comparison)}. Dots: what is handed over. Lines: one threshold over the scores.",
    )


def _curve(result: Result) -> list[dict[str, Any]]:
    label, curve = result.setting.label, result.scores.curve()
    color = color_of(label)
    width = 2.5 if color == ACCENT else 1
    return [
        {"label": label, "recall": recall, "precision": precision, "color": color, "width": width}
        for recall, precision in (curve.points() if curve is not None else ())
    ]


def _point(label: str, precision: float, recall: float) -> dict[str, Any]:
    color = color_of(label)
    fill = color if color == ACCENT else "white"
    return {
        "label": label,
        "precision": precision,
        "recall": recall,
        "color": color,
        "fill": fill,
        "shape": "circle",
    }


# -------------------------------------------------- F1


def f1(comparison: Comparison) -> dict[str, Any] | None:
    """F1 of each retriever with its 95 % interval, the best first."""
    rows: list[dict[str, Any]] = []
    for result in _results(comparison):
        rate = result.scores.intervals()[2]
        label = result.setting.label
        rows.append(
            {
                "label": label,
                "f1": rate.value,
                "low": rate.low,
                "high": rate.high,
                "color": color_of(label),
                "told": f"{100 * rate.value:.1f}",
            }
        )
    rows.sort(key=lambda row: -row["f1"])
    y = alt.Y("label:N", sort=None, axis=alt.Axis(title=None, labelColor=INK, ticks=False, labelPadding=8))
    scale = alt.Scale(domain=[0, 1] if rows[0]["high"] > 0.9 else [0, 0.1 + rows[0]["high"]], nice=True)
    color = alt.Color("color:N", scale=None)
    chart = base(rows)
    bars = chart.mark_rule(strokeWidth=2, opacity=0.45).encode(
        alt.X("low:Q", scale=scale, axis=percent_axis("F1", grid=True)), alt.X2("high:Q"), y, color
    )
    dots = chart.mark_circle(size=70, opacity=1).encode(alt.X("f1:Q"), y, color)
    told = chart.mark_text(align="left", dx=8, fontSize=11).encode(alt.X("high:Q"), y, color, text="told:N")
    return finished(
        alt.layer(bars, dots, told).properties(width=_WIDTH - 100, height=_ROW * len(rows)),
        "F1 by retriever",
        f"{tasks_told(comparison)}, with 95 % intervals",
    )


def f1_by_kind(comparison: Comparison) -> dict[str, Any] | None:
    """F1 of each retriever for each kind of knowledge, a panel a kind; the paper's Table 4 beside."""
    results = sorted(_results(comparison), key=lambda result: -result.scores.f1())
    rows = []
    for kind in SCORED_KINDS:
        for result in results:
            label = result.setting.label
            rows.append(_bar(label, kind, result.scores.f1(kind), color_of(label)))
        rows.append(_bar(f"{_PAPER}*", kind, paper.BY_KIND[kind][2] / 100, FAINT))
    order = [result.setting.label for result in results] + [f"{_PAPER}*"]
    y = alt.Y("label:N", sort=order, axis=alt.Axis(title=None, labelColor=INK, ticks=False, labelPadding=8))
    color = alt.Color("color:N", scale=None)
    top = max(row["f1"] for row in rows)
    scale = alt.Scale(domain=[0, min(1.3, top * 1.35)])
    chart = alt.layer(
        alt.Chart().mark_bar(height=11).encode(alt.X("f1:Q", scale=scale, axis=None), y, color),
        alt.Chart()
        .mark_text(align="left", dx=4, fontSize=10, color=INK)
        .encode(alt.X("f1:Q", scale=scale), y, text="told:N"),
        data=data_of(rows),
    )
    panels = chart.properties(width=104, height=18 * len(order)).facet(
        column=alt.Column("kind:N", sort=list(SCORED_KINDS)), spacing=14
    )
    return finished(
        panels, "F1 by kind of knowledge", f"{tasks_told(comparison)}. * {paper.SOURCE} (Table 4)"
    )


def _bar(label: str, kind: str, value: float, color: str) -> dict[str, Any]:
    return {"label": label, "kind": kind, "f1": value, "told": f"{100 * value:.1f}", "color": color}


# -------------------------------------------------- reliability


def reliability(comparison: Comparison) -> dict[str, Any] | None:
    """Said against was of the first retriever whose scores are chances; None where there is none."""
    result = next((one for one in _results(comparison) if one.scores.reliability()), None)
    if result is None:
        return None
    rows = [
        {"said": one.said, "was": one.was, "number": f"{one.number:,}"} for one in result.scores.reliability()
    ]
    scale = alt.Scale(domain=[0, 1])
    x = alt.X("said:Q", scale=scale, axis=percent_axis("said: chance that a fragment is needed", grid=True))
    y = alt.Y("was:Q", scale=scale, axis=percent_axis("was: share that was needed", grid=True))
    ideal = base([{"said": 0, "was": 0}, {"said": 1, "was": 1}])
    chart = base(rows)
    layers = alt.layer(
        ideal.mark_line(color=FAINT, strokeWidth=1.5).encode(x, y),
        chart.mark_line(color=ACCENT, strokeWidth=2).encode(x, y),
        chart.mark_circle(color=ACCENT, size=60, opacity=1).encode(x, y),
        haloed(chart.encode(x, y, text="number:N"), alt.value(GREY), dx=9, dy=8, fontSize=10),
    )
    return finished(
        layers.properties(width=400, height=400),
        f"Chances told by {result.setting.label}",
        f"Expected calibration error {result.scores.calibration_error():.3f}."
        " Beside each bin: how many fragments.",
    )
