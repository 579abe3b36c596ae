"""Plots of a comparison: what they show is what was measured."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evals_helpers import history, pool
from sqlore.errors import UsageError
from sqlore.evals.ground import Ground
from sqlore.evals.plots.draw import TITLES, plots_of, require_plots, write_plots
from sqlore.evals.plots.style import ACCENT, apart, spread
from sqlore.evals.report import as_json, write_reports
from sqlore.evals.retrieval import Comparison, compare
from sqlore.evals.setting import settings_for

NAMES = ("learned", "mqs", "bm25", "gold")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    ground = Ground("comics", history(), pool(), "sqlite", {})
    return compare([ground], settings_for(NAMES, shots=[None, 1, 2], budgets=[40, 80]))


def test_every_plot_is_drawn_and_linked(comparison: Comparison, tmp_path: Path) -> None:
    written = write_reports(tmp_path, comparison)
    markdown = (tmp_path / "retrieval.md").read_text(encoding="utf-8")
    links = re.findall(r"!\[([^]]+)\]\(([^)]+)\)", markdown)
    assert [title for title, _ in links] == list(TITLES.values())
    assert {tmp_path / link for _, link in links} < set(written)
    for _, link in links:
        drawing = ElementTree.parse(tmp_path / link).getroot()
        assert drawing.tag.endswith("svg")
        assert "learned" in "".join(drawing.itertext())
        assert (tmp_path / link).with_suffix(".vl.json").exists()


def test_the_paper_is_named_where_its_figures_stand(comparison: Comparison, tmp_path: Path) -> None:
    write_plots(tmp_path, comparison)
    text = "".join(ElementTree.parse(tmp_path / "precision_recall.svg").getroot().itertext())
    assert "the paper's, on its own tasks: P 35.5, R 83.1" in text
    assert "on its own tasks" in (tmp_path / "f1_by_kind.svg").read_text(encoding="utf-8")


def test_plots_show_what_was_measured(comparison: Comparison) -> None:
    found = plots_of(comparison)
    measured = {r["retriever"]: r for r in as_json(comparison)["results"] if not (r["shots"] or r["budget"])}
    for row in _rows(found["f1"], "low"):
        one = measured[row["label"]]
        assert [row["low"], row["f1"], row["high"]] == pytest.approx(
            [one["interval"]["f1"][0], one["f1"], one["interval"]["f1"][1]], abs=1e-5
        )
    points = {row["label"]: row for row in _rows(found["precision_recall"], "shape")}
    assert points["mqs"]["recall"] == pytest.approx(measured["mqs"]["recall"], abs=1e-5)
    curve = [row for row in _rows(found["precision_recall"], "width") if row["label"] == "learned"]
    assert [row["recall"] for row in curve] == [recall for recall, _ in measured["learned"]["curve"]]
    kinds = {(row["label"], row["kind"]): row["f1"] for row in _rows(found["f1_by_kind"], "kind")}
    relation = measured["bm25"]["by_kind"]["relation"]["f1"]
    assert kinds["bm25", "relation"] == pytest.approx(relation, abs=1e-5)
    bins = measured["learned"]["reliability"]
    assert [row["was"] for row in _rows(found["reliability"], "number")] == pytest.approx(
        [one["was"] for one in bins], abs=1e-5
    )
    steps = {(r["label"], r["step"]) for r in _rows(found["f1_by_budget"], "width")}
    assert steps == {(name, budget) for name in NAMES for budget in ("40", "80")}
    stages = measured["learned"]["stages_ms"]
    told = {row["stage"]: row["ms"] for row in _rows(found["latency"], "ms") if row["label"] == "learned"}
    assert told.pop("all") == pytest.approx(sum(stages.values()), abs=0.01)
    assert told == pytest.approx(stages, abs=1e-3)


def test_the_accent_is_sqlores_alone(comparison: Comparison) -> None:
    rows = [row for spec in plots_of(comparison).values() for row in _rows(spec, "color")]
    assert {row["label"] for row in rows if row["color"] == ACCENT} == {"learned"}


def test_what_was_not_varied_is_not_drawn() -> None:
    ground = Ground("comics", history(), pool(), "sqlite", {})
    found = plots_of(compare([ground], settings_for(["bm25"])))
    assert set(found) == {"precision_recall", "f1", "f1_by_kind", "latency"}


def test_a_missing_library_is_said_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(UsageError, match="altair") as caught:
        require_plots()
    assert "sqlore[plots]" in (caught.value.hint or "")


def test_labels_keep_apart_and_near() -> None:
    heights = spread([10, 12, 14, 200], line=10)
    assert heights == pytest.approx([2, 12, 22, 200])
    placed = apart([(0, 50), (4, 50), (8, 52)], [5, 5, 5])
    gaps = [abs(a - b) for n, a in enumerate(placed) for b in placed[n + 1 :]]
    assert min(gaps) >= 13


def _rows(spec: Any, field: str) -> Iterator[dict[str, Any]]:
    """The rows of every data set within a specification that have this field, each once."""
    seen = set()
    for rows in _values(json.loads(json.dumps(spec))):
        for row in rows:
            text = json.dumps(row, sort_keys=True)
            if field in row and text not in seen:
                seen.add(text)
                yield row


def _values(part: Any) -> Iterator[list[dict[str, Any]]]:
    if isinstance(part, dict):
        for name, inner in part.items():
            if name == "values" and isinstance(inner, list) and inner and isinstance(inner[0], dict):
                yield inner
            elif name == "datasets":
                yield from inner.values()
            else:
                yield from _values(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from _values(inner)
