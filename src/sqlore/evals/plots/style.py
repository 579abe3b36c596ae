"""How plots look: one accent for sqlore's own, greys for the rest, names written beside what they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

__all__ = [
    "ACCENT",
    "FAINT",
    "GREY",
    "INK",
    "apart",
    "base",
    "color_of",
    "data_of",
    "finished",
    "haloed",
    "is_own",
    "percent_axis",
    "spread",
]

ACCENT: Final = "#C2410C"
INK: Final = "#2B2F36"
GREY: Final = "#7B828D"
FAINT: Final = "#D9DCE1"
_FONT: Final = "Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif"
_LINE: Final = 13  # pixels between two labels


def is_own(retriever: str) -> bool:
    """Whether it is sqlore's own.

    >>> is_own("learned_scripts"), is_own("mqs")
    (True, False)
    """
    return retriever.partition(",")[0].startswith("learned")


def color_of(retriever: str) -> str:
    """Accent or grey."""
    return ACCENT if is_own(retriever) else GREY


def base(rows: Sequence[dict[str, Any]]) -> alt.Chart:
    """A chart over these rows."""
    return alt.Chart(data_of(rows))


def data_of(rows: Sequence[dict[str, Any]]) -> alt.InlineData:
    """The rows as data that stands in the specification itself."""
    return alt.InlineData(values=list(rows))


def percent_axis(title: str | None, **options: Any) -> alt.Axis:
    """An axis of shares in per cent, with few marks."""
    return alt.Axis(title=title, format=".0%", tickCount=6, **options)


def haloed(chart: alt.Chart, color: Any, **options: Any) -> Any:
    """Text of this colour on a white halo, so that it can be read where it crosses a line."""
    style: dict[str, Any] = {"align": "left", "fontSize": 11} | options
    halo = chart.mark_text(stroke="white", strokeWidth=4, strokeJoin="round", color="white", **style)
    return alt.layer(halo, chart.mark_text(**style).encode(color=color))


def apart(places: Sequence[tuple[float, float]], lengths: Sequence[int]) -> list[float]:
    """Heights for labels right of dots at `places` (pixels from the left, from the top), free of each other.

    A label keeps the height of its dot where it can and else moves down, below the labels and dots that it
    would cross; `lengths` are the labels' characters. In the order given.

    >>> apart([(0, 10), (15, 12), (300, 12)], [4, 4, 4])
    [25, 12, 12]
    """
    taken = [(x - 6, x + 6, y) for x, y in places]
    heights: dict[int, float] = {}
    for number in sorted(range(len(places)), key=lambda n: places[n][1]):
        left, height = places[number][0] + 8, places[number][1]
        right = left + 6.5 * lengths[number]
        for start, end, other in sorted(taken, key=lambda one: one[2]):
            if left < end and start < right and abs(height - other) < _LINE:
                height = other + _LINE
        taken.append((left, right, height))
        heights[number] = height
    return [heights[number] for number in range(len(places))]


def spread(heights: Sequence[float], line: float = _LINE) -> list[float]:
    """Heights at least `line` apart in the same order, as near to those given as can be (least squares).

    >>> spread([100, 0, 104], line=10)
    [97.0, 0.0, 107.0]
    """
    order = sorted(range(len(heights)), key=lambda n: heights[n])
    groups: list[list[float]] = []  # sum and number of heights, each less the lines above it
    for place, number in enumerate(order):
        groups.append([heights[number] - place * line, 1])
        while len(groups) > 1 and groups[-2][0] / groups[-2][1] > groups[-1][0] / groups[-1][1]:
            total, many = groups.pop()
            groups[-1][0] += total
            groups[-1][1] += many
    level = [total / many for total, many in groups for _ in range(int(many))]
    found = {number: level[place] + place * line for place, number in enumerate(order)}
    return [found[number] for number in range(len(heights))]


def finished(chart: Any, title: str, subtitle: str = "") -> dict[str, Any]:
    """The Vega-Lite specification of a chart with its title and the style."""
    titled = chart.properties(title=alt.TitleParams(title, subtitle=subtitle.split("\n") if subtitle else []))
    styled = (
        titled.configure(font=_FONT, background="white", padding=12)
        .configure_view(stroke=None)
        .configure_axis(
            domain=False,
            grid=False,
            gridColor="#EEF0F2",
            tickColor=FAINT,
            labelColor=GREY,
            titleColor=GREY,
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            labelLimit=260,
        )
        .configure_title(
            anchor="start",
            frame="group",
            color=INK,
            fontSize=15,
            fontWeight=600,
            offset=14,
            subtitleColor=GREY,
            subtitleFontSize=11,
            subtitlePadding=5,
        )
        .configure_header(labelColor=INK, labelFontSize=11, labelAnchor="start", title=None)
    )
    spec: dict[str, Any] = styled.to_dict()
    return spec
