"""The curves as tables, as JSON, as plots."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sqlore.evals.history_curves import AXES, Axis, Point
from sqlore.evals.plots.draw import require_plots, write_specs
from sqlore.evals.report import as_markdown
from sqlore.evals.sheets import Sheet

__all__ = ["HEADLINE", "curve_specs", "curves_json", "curves_sheets", "write_curves"]

#: The measure that is drawn and tabled first, of retrieval and of execution, and its name.
HEADLINE: Final[Mapping[str, str]] = {"f1": "F1", "execution_accuracy": "Execution accuracy"}
_TITLES: Final[Mapping[Axis, str]] = {
    "growth": "as the history grows",
    "noise": "as noise in the history rises",
}
_WIDTH: Final = 460
_HEIGHT: Final = 320


def _measure(points: Sequence[Point]) -> str:
    return next(name for name in HEADLINE if name in points[0].rates)


def _of_axis(points: Sequence[Point], axis: Axis) -> list[Point]:
    return [point for point in points if point.variant.axis == axis]


def curves_json(points: Sequence[Point]) -> dict[str, Any]:
    """The curves as plain data with stable keys; rates are fractions of 1."""
    return {
        "points": [
            {
                "axis": point.variant.axis,
                "share": point.variant.share,
                "name": point.name,
                "tasks": point.tasks,
                "scripts": sum(point.variant.scripts.values()),
                "noise": len(point.variant.noise),
                **_shares(point),
                **{measure: round(rate.value, 5) for measure, rate in point.rates.items()},
                "interval": {
                    measure: [round(rate.low, 5), round(rate.high, 5)]
                    for measure, rate in point.rates.items()
                },
            }
            for point in points
        ]
    }


def _shares(point: Point) -> dict[str, float]:
    told = {"reachable": point.reachable, "misled": point.misled}
    return {name: round(share, 5) for name, share in told.items() if share is not None}


def curves_sheets(points: Sequence[Point]) -> list[Sheet]:
    """A table an axis: a row a name, a column a share; then what the histories were."""
    found = []
    for axis in AXES:
        own = _of_axis(points, axis)
        if own:
            measure = _measure(points)
            shown = {(p.name, p.variant.share): str(p.rates[measure]) for p in own}
            title = f"{HEADLINE[measure]} {_TITLES[axis]}"
            found += [_sheet(own, title, shown, f"by {AXES[axis]}; per cent"), _histories(own, axis)]
    misled = {(p.name, p.variant.share): f"{100 * p.misled:.1f}" for p in points if p.misled is not None}
    noisy = [point for point in _of_axis(points, "noise") if point.misled is not None]
    if noisy:
        found.append(_sheet(noisy, "Noise among the scripts handed over", misled, "per cent"))
    return found


def _sheet(points: Sequence[Point], title: str, value: Mapping[tuple[str, float], str], note: str) -> Sheet:
    """A row a name, a column a share."""
    shares = sorted({point.variant.share for point in points})
    names = list(dict.fromkeys(point.name for point in points))
    rows = tuple((name, *(value[name, share] for share in shares)) for name in names)
    heads = ("", *(f"{share:.0%}" for share in shares))
    return Sheet(title, heads, rows, note)


def _histories(points: Sequence[Point], axis: Axis) -> Sheet:
    """How many scripts each history has, how many are noise, how much of what is needed it has at all."""
    first = {point.variant.share: point for point in points}
    rows = []
    for share, point in sorted(first.items()):
        reachable = "" if point.reachable is None else f"{100 * point.reachable:.1f}"
        scripts, noise = sum(point.variant.scripts.values()), len(point.variant.noise)
        rows.append((f"{share:.0%}", str(scripts), str(noise), reachable, str(point.tasks)))
    heads = ("share", "scripts", "noise", "reachable", "tasks")
    note = "reachable: of what the tasks need, the per cent that the history has at all"
    return Sheet(f"Histories {_TITLES[axis]}", heads, tuple(rows), note)


def curve_specs(points: Sequence[Point]) -> dict[str, dict[str, Any]]:
    """The Vega-Lite specification of each axis that was varied."""
    measure = _measure(points)
    found = {}
    for axis in AXES:
        own = _of_axis(points, axis)
        if len({point.variant.share for point in own}) > 1:
            found[f"{measure}_{axis}"] = _lines(own, axis, measure)
    return found


def _lines(points: Sequence[Point], axis: Axis, measure: str) -> dict[str, Any]:
    """A line a name with its interval as a band, the name at its end; what is reachable as a dashed line."""
    import altair as alt

    from sqlore.evals.plots.style import GREY, base, finished, percent_axis, spread

    rows = [_row(point, measure) for point in points]
    bounds = [
        {"share": p.variant.share, "value": p.reachable}
        for p in points
        if p.reachable is not None and p.name == points[0].name and axis == "growth"
    ]
    last = max(row["share"] for row in rows)
    ends = [row for row in rows if row["share"] == last]
    heights = spread([(1 - row["value"]) * _HEIGHT for row in ends])
    ends = [row | {"at": 1 - height / _HEIGHT} for row, height in zip(ends, heights, strict=True)]
    top = alt.Scale(domain=[0, 1])
    x = alt.X("share:Q", axis=percent_axis(AXES[axis]), scale=alt.Scale(domain=[0, last]))
    y = alt.Y("value:Q", scale=top, axis=percent_axis(HEADLINE[measure], grid=True))
    low, at = alt.Y("low:Q", scale=top), alt.Y("at:Q", scale=top)
    color, detail = alt.Color("color:N", scale=None), alt.Detail("label:N")
    chart = base(rows)
    layers = [
        chart.mark_area(opacity=0.12).encode(x, low, alt.Y2("high:Q"), color, detail),
        chart.mark_line().encode(x, y, color, detail, alt.StrokeWidth("width:Q", scale=None)),
        chart.mark_circle(size=26, opacity=1).encode(x, y, color),
        base(ends).mark_text(align="left", dx=9, fontSize=11).encode(x, at, color, text="label:N"),
    ]
    note = ""
    if bounds:
        layers.append(base(bounds).mark_line(strokeDash=[3, 3], color=GREY).encode(x, y))
        note = "dashed: the share of what is needed that the history has at all"
    drawn = alt.layer(*layers).properties(width=_WIDTH, height=_HEIGHT)
    return finished(drawn, f"{HEADLINE[measure]} {_TITLES[axis]}", note)


def _row(point: Point, measure: str) -> dict[str, Any]:
    from sqlore.evals.plots.style import ACCENT, GREY

    own = point.name.startswith(("learned", "history", "ltmp_history", "reuse"))
    rate = point.rates[measure]
    return {
        "label": point.name,
        "share": point.variant.share,
        "value": rate.value,
        "low": rate.low,
        "high": rate.high,
        "color": ACCENT if own else GREY,
        "width": 2.5 if own else 1,
    }


def write_curves(folder: Path, points: Sequence[Point], *, plots: bool = True) -> list[Path]:
    """Writes `curves.md`, `curves.json` and `plots/` into `folder`.

    Raises `UsageError` where plots are wanted and cannot be drawn.
    """
    if plots:
        require_plots()
    folder.mkdir(parents=True, exist_ok=True)
    drawn = write_specs(folder / "plots", curve_specs(points)) if plots else []
    parts = ["# A history that grows, a history with noise\n", as_markdown(curves_sheets(points))]
    parts += [f"![{file.stem}](plots/{file.name})\n" for file in drawn]
    text, data = folder / "curves.md", folder / "curves.json"
    text.write_text("\n".join(parts), encoding="utf-8")
    data.write_text(json.dumps(curves_json(points), indent=1) + "\n", encoding="utf-8")
    return [text, data, *drawn]
