"""Plots of a run: accuracy of each strategy with its interval, by kind and difficulty, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import altair as alt

from sqlore.evals.execution.report import Report
from sqlore.evals.execution.scores import Score
from sqlore.evals.plots.style import ACCENT, GREY, INK, apart, base, data_of, finished, haloed, percent_axis

__all__ = ["TITLES", "execution_plots"]

#: File name and title of each plot, in the order of the report.
TITLES: Final[Mapping[str, str]] = {
    "accuracy": "Execution accuracy by strategy",
    "by_kind": "Execution accuracy by kind of knowledge",
    "by_difficulty": "Execution accuracy by difficulty",
    "cost": "Accuracy and seconds",
    "tokens": "Prompt tokens of a question",
}
_WIDTH: Final = 440
_HEIGHT: Final = 300
_OWN: Final = ("history", "ltmp_history", "reuse")


def execution_plots(report: Report) -> dict[str, dict[str, Any]]:
    """The Vega-Lite specification of each plot that there is something for, by its name in `TITLES`."""
    scores = [score for score in report.scores if score.tasks]
    if not scores:
        return {}
    found = {
        "accuracy": _accuracy(scores),
        "by_kind": _panels("by_kind", scores, Score.by_kind),
        "by_difficulty": _panels("by_difficulty", scores, Score.by_difficulty),
        "cost": _cost(scores),
        "tokens": _tokens(scores),
    }
    return {name: spec for name, spec in found.items() if spec is not None}


def _color(strategy: str) -> str:
    return ACCENT if strategy.partition("+")[0].partition("@")[0] in _OWN else GREY


def _labels(order: Sequence[str]) -> alt.Y:
    return alt.Y(
        "label:N", sort=list(order), axis=alt.Axis(title=None, labelColor=INK, ticks=False, labelPadding=8)
    )


def _accuracy(scores: Sequence[Score]) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for score in scores:
        rate = score.rate("execution_accuracy")
        told = {"label": score.strategy, "color": _color(score.strategy), "told": f"{100 * rate.value:.1f}"}
        strict = score.rate("strict_accuracy").value
        rows.append(told | {"value": rate.value, "low": rate.low, "high": rate.high, "strict": strict})
    rows.sort(key=lambda row: -row["value"])
    y, color = _labels([row["label"] for row in rows]), alt.Color("color:N", scale=None)
    scale = alt.Scale(domain=[0, 1.08])
    chart = base(rows)
    layers = alt.layer(
        chart.mark_rule(strokeWidth=2, opacity=0.45).encode(
            alt.X("low:Q", scale=scale, axis=percent_axis("execution accuracy", grid=True)),
            alt.X2("high:Q"),
            y,
            color,
        ),
        chart.mark_tick(thickness=2, size=12).encode(alt.X("strict:Q", scale=scale), y, color),
        chart.mark_circle(size=70, opacity=1).encode(alt.X("value:Q", scale=scale), y, color),
        chart.mark_text(align="left", dx=8, fontSize=11).encode(
            alt.X("high:Q", scale=scale), y, color, text="told:N"
        ),
    )
    subtitle = f"{max(s.tasks for s in scores):,} tasks, with 95 % intervals; a stroke: the strict measure"
    return finished(layers.properties(width=_WIDTH, height=26 * len(rows)), TITLES["accuracy"], subtitle)


def _panels(
    name: str, scores: Sequence[Score], parts: Callable[[Score], Mapping[str, Score]]
) -> dict[str, Any] | None:
    """A panel a group, a bar a strategy; None where there is one group alone."""
    split = [(score.strategy, parts(score)) for score in scores]
    groups = list(dict.fromkeys(group for _, found in split for group in found))
    if len(groups) < 2:
        return None
    sizes = {group: max(found[group].tasks for _, found in split if group in found) for group in groups}
    titles = {group: f"{group} ({sizes[group]})" for group in groups}
    rows = [
        {"label": strategy, "group": titles[group], "value": rate, "color": _color(strategy)}
        | {"told": f"{100 * rate:.0f}"}
        for strategy, found in split
        for group in groups
        if group in found
        for rate in [found[group].rate("execution_accuracy").value]
    ]
    order = [strategy for strategy, _ in split]
    scale = alt.Scale(domain=[0, 1.3])
    chart = alt.layer(
        alt.Chart()
        .mark_bar(height=11)
        .encode(alt.X("value:Q", scale=scale, axis=None), _labels(order), alt.Color("color:N", scale=None)),
        alt.Chart()
        .mark_text(align="left", dx=4, fontSize=10, color=INK)
        .encode(alt.X("value:Q", scale=scale), _labels(order), text="told:N"),
        data=data_of(rows),
    )
    panels = chart.properties(width=104, height=18 * len(order)).facet(
        column=alt.Column("group:N", sort=[titles[group] for group in groups]), spacing=14
    )
    return finished(panels, TITLES[name], "per cent; in brackets the tasks")


def _cost(scores: Sequence[Score]) -> dict[str, Any] | None:
    """Accuracy against the median seconds of a question; None where no model was asked."""
    asked = [score for score in scores if score.calls()]
    if not asked:
        return None
    points = [
        (score.strategy, score.seconds()["median"], score.rate("execution_accuracy").value) for score in asked
    ]
    right = max(seconds for _, seconds, _ in points) * 1.35 or 1.0
    places = [(seconds / right * _WIDTH, (1 - rate) * _HEIGHT) for _, seconds, rate in points]
    heights = apart(places, [len(name) for name, _, _ in points])
    rows = [
        {"label": name, "seconds": seconds, "value": rate, "at": 1 - height / _HEIGHT, "color": _color(name)}
        for (name, seconds, rate), height in zip(points, heights, strict=True)
    ]
    scale = alt.Scale(domain=[0, 1])
    x = alt.X(
        "seconds:Q",
        scale=alt.Scale(domain=[0, right], nice=False),
        axis=alt.Axis(title="median seconds of a question", tickCount=6, grid=True),
    )
    y = alt.Y("value:Q", scale=scale, axis=percent_axis("execution accuracy", grid=True))
    color = alt.Color("color:N", scale=None)
    chart = base(rows)
    names = haloed(chart.encode(x, alt.Y("at:Q", scale=scale), text="label:N"), color, dx=8)
    layers = alt.layer(chart.mark_circle(size=70, opacity=1).encode(x, y, color), names)
    return finished(layers.properties(width=_WIDTH, height=_HEIGHT), TITLES["cost"])


def _tokens(scores: Sequence[Score]) -> dict[str, Any] | None:
    """Prompt tokens a question, those from the cache pale; None where no model was asked."""
    asked = [score for score in scores if score.tokens()["prompt"]]
    if not asked:
        return None
    rows = []
    for score in asked:
        tokens = score.tokens()
        fresh = tokens["prompt"] - tokens["cached"]
        told = f"{fresh:,.0f} computed, {tokens['cached']:,.0f} cached"
        row = {"label": score.strategy, "color": _color(score.strategy), "prompt": tokens["prompt"]}
        rows.append(row | {"fresh": fresh, "told": told})
    order = [score.strategy for score in asked]
    scale = alt.Scale(domain=[0, 1.6 * max(score.tokens()["prompt"] for score in asked)])
    chart, y, color = base(rows), _labels(order), alt.Color("color:N", scale=None)
    layers = alt.layer(
        chart.mark_bar(height=12, opacity=0.3).encode(alt.X("prompt:Q", scale=scale, axis=None), y, color),
        chart.mark_bar(height=12).encode(alt.X("fresh:Q", scale=scale), y, color),
        chart.mark_text(align="left", dx=5, fontSize=10, color=INK).encode(
            alt.X("prompt:Q", scale=scale), y, text="told:N"
        ),
    )
    return finished(layers.properties(width=_WIDTH, height=24 * len(rows)), TITLES["tokens"])
