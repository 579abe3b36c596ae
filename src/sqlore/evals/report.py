"""A comparison as tables like the paper's (3, 4, 5, 6, 13, 14): for a terminal, as Markdown, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlore.evals.metrics import AT, SCORED_KINDS, Scores
from sqlore.evals.retrieval import VARIED, Comparison, Result, Setting

__all__ = ["Sheet", "as_json", "as_markdown", "sheets", "write_reports"]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: a title, the heads of its columns, and rows of text; `note` says how to read it."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def sheets(comparison: Comparison) -> list[Sheet]:
    """The tables that there is something for, in the paper's order."""
    found = [
        _retrievers(comparison),
        _rankings(comparison),
        _by_kind(comparison),
        _by_shots(comparison),
        _varied(comparison, "threshold", "Published retriever by similarity threshold (as Table 6)"),
        _varied(comparison, "granularity", "Published retriever by level of retrieval (as Table 13)"),
        _by_budget(comparison),
        _latency(comparison),
        _learning(comparison),
        _by_database(comparison),
    ]
    return [sheet for sheet in found if sheet is not None and sheet.rows]


def _plain(comparison: Comparison) -> list[Result]:
    """One result a retriever: the first, without a budget and with nothing varied."""
    found: dict[str, Result] = {}
    for result in comparison.results:
        if result.setting.budget is None:
            found.setdefault(result.setting.retriever, result)
    return list(found.values())


_PRF: Final = ("precision", "recall", "F1")


def _prf(scores: Scores, kind: str | None = None) -> tuple[str, ...]:
    return tuple(_percent(rate) for rate in (scores.precision(kind), scores.recall(kind), scores.f1(kind)))


def _percent(rate: float) -> str:
    return f"{100 * rate:.2f}"


def _retrievers(comparison: Comparison) -> Sheet:
    heads = ("retriever", *(f"{name} [95 %]" for name in _PRF), "scripts", "tokens", "median ms")
    rows = tuple(
        (
            result.setting.label,
            *map(str, result.scores.intervals()),
            f"{result.scores.mean('scripts'):.2f}",
            f"{result.scores.mean('tokens'):.0f}",
            f"{result.scores.median_milliseconds():.1f}",
        )
        for result in _plain(comparison)
    )
    tasks, scripts = sum(comparison.tasks.values()), sum(comparison.scripts.values())
    note = (
        f"{tasks} tasks over {len(comparison.tasks)} histories of together {scripts} scripts;"
        f" {comparison.gold} fragments needed; {len(comparison.unmatched)} gold keys are in no script."
    )
    return Sheet("Retrievers, all fragments (as Table 3)", heads, rows, note)


def _rankings(comparison: Comparison) -> Sheet:
    rows = tuple(
        (
            result.setting.label,
            *(_percent(result.scores.recall_at(n)) for n in AT),
            _percent(result.scores.script_precision()),
        )
        for result in _plain(comparison)
    )
    heads = ("retriever", *(f"recall@{n}" for n in AT), "script precision")
    note = "Recall among the first n fragments of the ranking; share of scripts that hold a fragment needed."
    return Sheet("Rankings, and whole scripts", heads, rows, note)


def _by_kind(comparison: Comparison) -> Sheet:
    heads = ("retriever", "kind", *_PRF, "needed")
    rows = []
    for result in _plain(comparison):
        scores = result.scores
        for kind in SCORED_KINDS:
            needed = sum(task.gold.get(kind, 0) for task in scores.tasks)
            rows.append((result.setting.label, kind, *_prf(scores, kind), str(needed)))
    return Sheet("By kind of knowledge (as Table 4)", heads, tuple(rows))


def _by_shots(comparison: Comparison) -> Sheet | None:
    results = [r for r in comparison.results if _is_plain_but(r.setting, comparison, "shots")]
    if len({r.setting.shots for r in results}) < 2:
        return None
    rows = [
        (
            r.setting.retriever,
            "dynamic" if r.setting.shots is None else str(r.setting.shots),
            f"{r.scores.mean('scripts'):.3f}",
            *_prf(r.scores),
        )
        for r in results
    ]
    order = {name: number for number, name in enumerate(dict.fromkeys(row[0] for row in rows))}
    rows.sort(key=lambda row: (order[row[0]], row[1]))
    return Sheet("By number of shots (as Table 5)", ("retriever", "max shots", "shots", *_PRF), tuple(rows))


def _is_plain_but(setting: Setting, comparison: Comparison, name: str) -> bool:
    """Whether the setting differs from its retriever's first in `name` at most."""
    first = next(r.setting for r in comparison.results if r.setting.retriever == setting.retriever)
    fields = ("shots", "threshold", "granularity", "budget")
    return all(getattr(setting, f) == getattr(first, f) for f in fields if f != name)


def _varied(comparison: Comparison, name: str, title: str) -> Sheet | None:
    results = [
        r
        for r in comparison.results
        if r.setting.retriever.startswith(VARIED) and _is_plain_but(r.setting, comparison, name)
    ]
    if len({getattr(r.setting, name) for r in results}) < 2:
        return None
    rows = []
    for result in results:
        value = getattr(result.setting, name)
        told = "default" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
        rows.append(
            (result.setting.retriever, told, f"{result.scores.mean('scripts'):.2f}", *_prf(result.scores))
        )
    return Sheet(title, ("retriever", name, "scripts", *_PRF), tuple(rows))


def _by_budget(comparison: Comparison) -> Sheet:
    rows = [
        (
            str(r.setting.budget),
            r.setting.retriever,
            f"{r.scores.mean('tokens'):.0f}",
            f"{r.scores.mean('scripts'):.2f}",
            *_prf(r.scores),
        )
        for r in comparison.results
        if r.setting.budget is not None
    ]
    rows.sort(key=lambda row: int(row[0]))
    heads = ("budget", "retriever", "tokens", "scripts", *_PRF)
    return Sheet("At a fixed budget of prompt tokens", heads, tuple(rows))


def _latency(comparison: Comparison) -> Sheet:
    rows = []
    for result in _plain(comparison):
        tasks = max(1, len(result.scores.tasks))
        stages = " · ".join(f"{name} {total / tasks:.1f}" for name, total in result.stages.items())
        times = [task.milliseconds for task in result.scores.tasks]
        whole = sum(times) / tasks
        rows.append(
            (
                result.setting.label,
                f"{result.scores.median_milliseconds():.1f}",
                f"{whole:.1f}",
                stages,
            )
        )
    heads = ("retriever", "median ms", "mean ms", "mean ms by stage")
    return Sheet("Latency of a question (as Table 14)", heads, tuple(rows))


def _learning(comparison: Comparison) -> Sheet | None:
    if not comparison.cost:
        return None
    rows = tuple(
        (name, f"{value / 1024:.2f} KB" if name == "bytes" else f"{value:.3f} ms")
        for name, value in comparison.cost.items()
    )
    return Sheet("Learning a script (as Table 14)", ("stage", "per script"), rows)


def _by_database(comparison: Comparison) -> Sheet | None:
    if len(comparison.tasks) < 2:
        return None
    results = _plain(comparison)
    rows = []
    for database, tasks in comparison.tasks.items():
        rates = (_percent(result.of(database).f1()) for result in results)
        rows.append((database, str(tasks), *rates))
    heads = ("database", "tasks", *(result.setting.label for result in results))
    return Sheet("F1 by database", heads, tuple(rows))


# ------------------------------------------------------------------ out of the program


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
        "script_precision": round(scores.script_precision(), 5),
        "scripts": round(scores.mean("scripts"), 3),
        "tokens": round(scores.mean("tokens"), 1),
        "by_kind": {kind: _rates(scores, kind) for kind in SCORED_KINDS},
        "by_database": {name: _rates(result.of(name)) for name in comparison.tasks},
        "median_ms": round(scores.median_milliseconds(), 3),
        "stages_ms": {name: round(total / tasks, 3) for name, total in result.stages.items()},
    }


def _rates(scores: Scores, kind: str | None = None) -> dict[str, float]:
    rates = {"precision": scores.precision(kind), "recall": scores.recall(kind), "f1": scores.f1(kind)}
    return {name: round(rate, 5) for name, rate in rates.items()}


def write_reports(folder: Path, comparison: Comparison) -> list[Path]:
    """Writes `retrieval.md` and `retrieval.json` into `folder`, made where it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    markdown, data = folder / "retrieval.md", folder / "retrieval.json"
    markdown.write_text("# Retrieval\n\n" + as_markdown(sheets(comparison)), encoding="utf-8")
    data.write_text(json.dumps(as_json(comparison), indent=1) + "\n", encoding="utf-8")
    return [markdown, data]
