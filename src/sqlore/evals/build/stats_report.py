"""Statistics of benchmarks out of the program: as Markdown, as JSON, with plots."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sqlore.evals.build.stats import DEFINITIONS, PUBLISHED, TYPES, Summary
from sqlore.evals.build.stats_sheets import HEADS, IN_PAPER, sheets_of
from sqlore.evals.plots.draw import require_plots, write_specs
from sqlore.evals.report import as_markdown

__all__ = ["stats_json", "stats_specs", "write_stats"]

_TITLES: Final = {
    "table_1": "Table 1: averages a query",
    "table_8": "Table 8: tasks by pieces of knowledge",
    "table_9": "Table 9: tasks by kinds of knowledge",
    "table_10": "Table 10: pieces by kind",
}
_PANEL: Final = 120


def stats_json(found: Sequence[Summary]) -> dict[str, Any]:
    """The statistics as plain data with stable keys, with the definitions and the paper's figures."""
    return {
        "files": [one.to_json() for one in found],
        "definitions": dict(DEFINITIONS),
        "published": {name: list(values) for name, values in PUBLISHED.items()},
    }


def write_stats(folder: Path, found: Sequence[Summary], *, plots: bool = True) -> list[Path]:
    """Writes `stats.md`, `stats.json` and `plots/` into `folder`, made where it is not there.

    Raises `UsageError` where plots are wanted and cannot be drawn.
    """
    if plots:
        require_plots()
    folder.mkdir(parents=True, exist_ok=True)
    drawn = write_specs(folder / "plots", stats_specs(found)) if plots else []
    parts = ["# Benchmarks\n", as_markdown(sheets_of(found))]
    parts += [f"![{_TITLES[file.stem]}](plots/{file.name})\n" for file in drawn]
    text, data = folder / "stats.md", folder / "stats.json"
    text.write_text("\n".join(parts), encoding="utf-8")
    data.write_text(json.dumps(stats_json(found), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return [text, data, *drawn]


def stats_specs(found: Sequence[Summary]) -> dict[str, dict[str, Any]]:
    """The Vega-Lite specification of each plot that there is something for, by its name."""
    from sqlore.evals.plots.style import ACCENT, GREY

    rows = [
        {"label": one.name, "panel": HEADS[name], "value": one.means[name], "color": ACCENT}
        for one in found
        for name in IN_PAPER
        if name in one.means
    ]
    rows += [
        {"label": name, "panel": HEADS[measure], "value": value, "color": GREY}
        for name, values in PUBLISHED.items()
        for measure, value in zip(IN_PAPER, values[1:], strict=True)
    ]
    specs = {
        "table_1": _panels(
            rows, [HEADS[name] for name in IN_PAPER], "table_1", "the paper's in grey", free=True
        )
    }
    known = [one for one in found if one.knowledge is not None]
    if known:
        for table in (8, 9):
            specs[f"table_{table}"] = _columns(known, table)
        shares = [
            {"label": one.name, "panel": kind, "value": share, "color": ACCENT}
            for one in known
            for kind, share in _shares(one).items()
        ]
        specs["table_10"] = _panels(shares, list(TYPES), "table_10", "per cent of all pieces", free=False)
    return specs


def _shares(one: Summary) -> Mapping[str, float]:
    assert one.knowledge is not None
    return {kind: 100 * one.knowledge.kinds.get(kind, 0) / one.knowledge.total for kind in TYPES}


def _panels(
    rows: Sequence[dict[str, Any]], panels: list[str], name: str, note: str, *, free: bool
) -> dict[str, Any]:
    """A bar a file, a panel a measure; `free` gives each panel a scale of its own."""
    import altair as alt

    from sqlore.evals.plots.style import INK, data_of, finished

    order = list(dict.fromkeys(row["label"] for row in rows))
    told = [
        row | {"told": f"{row['value']:.1f}" if row["value"] >= 10 else f"{row['value']:.2f}"} for row in rows
    ]
    y = alt.Y("label:N", sort=order, axis=alt.Axis(title=None, labelColor=INK, ticks=False, labelPadding=8))
    x = alt.X("value:Q", axis=None, scale=alt.Scale(padding=34))
    chart = alt.layer(
        alt.Chart().mark_bar(height=11).encode(x, y, alt.Color("color:N", scale=None)),
        alt.Chart().mark_text(align="left", dx=4, fontSize=10, color=INK).encode(x, y, text="told:N"),
        data=data_of(told),
    )
    faceted: Any = chart.properties(width=_PANEL, height=18 * len(order)).facet(
        column=alt.Column("panel:N", sort=panels), spacing=8
    )
    if free:
        faceted = faceted.resolve_scale(x="independent")
    return finished(faceted, _TITLES[name], note)


def _columns(found: Sequence[Summary], table: int) -> dict[str, Any]:
    """Shares of tasks by a number, a row a file."""
    import altair as alt

    from sqlore.evals.plots.style import ACCENT, data_of, finished, percent_axis

    rows = []
    for one in found:
        assert one.knowledge is not None
        counts = one.knowledge.items if table == 8 else one.knowledge.types
        rows += [
            {"label": one.name, "number": number, "share": count / one.knowledge.tasks}
            for number, count in sorted(counts.items())
        ]
    chart = (
        alt.Chart(data_of(rows))
        .mark_bar(color=ACCENT)
        .encode(
            alt.X("number:O", axis=alt.Axis(title=None, labelAngle=0)),
            alt.Y("share:Q", axis=percent_axis(None, grid=True)),
        )
        .properties(width=340, height=110)
        .facet(row=alt.Row("label:N", sort=[one.name for one in found]), spacing=14)
    )
    return finished(chart, _TITLES[f"table_{table}"], "share of tasks")
