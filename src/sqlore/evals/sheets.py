"""A comparison as tables like the paper's 3, 4, 5, 6, 13 and 14."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlore.evals import paper
from sqlore.evals.curves import calibration_error
from sqlore.evals.metrics import AT, PAPER_RECALL, SCORED_KINDS, Scores
from sqlore.evals.retrieval import Comparison, Result, left_out
from sqlore.evals.setting import VARIED, Setting
from sqlore.retrieve.baselines.published import THRESHOLD

__all__ = ["Sheet", "plain_results", "sheets", "tasks_told", "varied_alone"]


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
        _reliability(comparison),
        _by_kind(comparison),
        _by_shots(comparison),
        _by_threshold(comparison),
        _by_level(comparison),
        _by_budget(comparison),
        _latency(comparison),
        _learning(comparison),
        _by_database(comparison),
    ]
    return [sheet for sheet in found if sheet is not None and sheet.rows]


def plain_results(comparison: Comparison) -> list[Result]:
    """One result a retriever: the first, without a budget and with nothing varied."""
    found: dict[str, Result] = {}
    for result in comparison.results:
        if result.setting.budget is None:
            found.setdefault(result.setting.retriever, result)
    return list(found.values())


def tasks_told(comparison: Comparison) -> str:
    """How many tasks there are, for a note."""
    tasks, many = sum(comparison.tasks.values()), len(comparison.tasks)
    return f"{tasks:,} tasks over {many} {'history' if many == 1 else 'histories'}"


_PRF: Final = ("precision", "recall", "F1")


def _prf(scores: Scores, kind: str | None = None) -> tuple[str, ...]:
    return tuple(_percent(rate) for rate in (scores.precision(kind), scores.recall(kind), scores.f1(kind)))


def _percent(rate: float) -> str:
    return f"{100 * rate:.2f}"


def _told(rate: float | None) -> str:
    return "-" if rate is None else _percent(rate)


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
        for result in plain_results(comparison)
    )
    scripts = sum(comparison.scripts.values())
    note = (
        f"{tasks_told(comparison)} with {scripts:,} scripts;"
        f" {comparison.gold:,} fragments needed; {len(comparison.unmatched)} gold keys match no fragment.\n"
        f"{paper.said(paper.RETRIEVERS)}"
    )
    note = "\n".join((note, *left_out(comparison)))
    return Sheet("Retrievers, all fragments (as Table 3)", heads, rows, note)


def _rankings(comparison: Comparison) -> Sheet:
    rows = tuple(
        (
            result.setting.label,
            *(_percent(result.scores.recall_at(n)) for n in AT),
            _told(result.scores.precision_at_recall()),
            _percent(result.scores.script_precision()),
        )
        for result in plain_results(comparison)
    )
    at = f"precision at recall {PAPER_RECALL:g}".replace("0.", ".")
    heads = ("retriever", *(f"recall@{n}" for n in AT), at, "script precision")
    note = (
        "Recall among the first n fragments of the ranking; precision where one threshold over all tasks'"
        f" scores finds {PAPER_RECALL:.0%} of what is needed (the paper's recall), - where scores mean"
        " nothing across questions or never find so much; share of scripts that hold a fragment needed."
    )
    return Sheet("Rankings, and whole scripts", heads, rows, note)


def _by_kind(comparison: Comparison) -> Sheet:
    heads = ("retriever", "kind", *_PRF, "needed", "handed over")
    rows = []
    for result in plain_results(comparison):
        scores = result.scores
        for kind in SCORED_KINDS:
            needed = sum(task.gold.get(kind, 0) for task in scores.tasks)
            offered = sum(task.offered.get(kind, 0) for task in scores.tasks)
            rates = _rates_of_kind(scores, kind, needed=needed, offered=offered)
            rows.append((result.setting.label, kind, *rates, str(needed), str(offered)))
    return Sheet("By kind of knowledge (as Table 4)", heads, tuple(rows), paper.said(paper.BY_KIND))


def _rates_of_kind(scores: Scores, kind: str, *, needed: int, offered: int) -> tuple[str, ...]:
    """Precision, recall and F1; a rate of nothing is -. What nobody needed is handed over in vain."""
    precision, recall, f1 = _prf(scores, kind)
    return (precision if offered else "-", recall if needed else "-", f1 if needed else "-")


def _reliability(comparison: Comparison) -> Sheet:
    rows = []
    errors = []
    for result in plain_results(comparison):
        label, bins = result.setting.label, result.scores.reliability()
        if bins:
            likely = calibration_error([one for one in bins if one.low > 0])
            errors.append(f"{label} {calibration_error(bins):.4f} ({likely:.4f} without the lowest bin)")
        rows += [
            (label, f"{one.low:.1f}-{one.high:.1f}", str(one.number), f"{one.said:.3f}", f"{one.was:.3f}")
            for one in bins
        ]
    heads = ("retriever", "score", "fragments", "said", "was")
    note = (
        "Fragments of the rankings by the chance they were given: its mean, and the share that was needed."
        f" Expected calibration error: {', '.join(errors)}."
    )
    return Sheet("Reliability of the chances", heads, tuple(rows), note)


def _by_shots(comparison: Comparison) -> Sheet | None:
    results = [r for r in comparison.results if varied_alone(r.setting, comparison, "shots")]
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
    rows.sort(key=lambda row: (order[row[0]], int(row[1]) if row[1].isdigit() else float("inf")))
    heads = ("retriever", "max shots", "avg shots", *_PRF)
    return Sheet("By number of shots (as Table 5)", heads, tuple(rows), paper.said(paper.BY_SHOTS))


def varied_alone(setting: Setting, comparison: Comparison, name: str) -> bool:
    """Whether the setting differs from its retriever's first in `name` at most."""
    first = next(r.setting for r in comparison.results if r.setting.retriever == setting.retriever)
    fields = ("shots", "threshold", "granularity", "budget")
    return all(getattr(setting, f) == getattr(first, f) for f in fields if f != name)


def _by_threshold(comparison: Comparison) -> Sheet | None:
    rows = [
        (
            r.setting.retriever,
            _similarity(r.setting.threshold),
            f"{r.scores.mean('scripts'):.2f}",
            *_prf(r.scores),
        )
        for r in _varied(comparison, "threshold")
    ]
    heads = ("retriever", "similarity", "avg shots", *_PRF)
    title = "Published retriever by similarity threshold (as Table 6)"
    return Sheet(title, heads, tuple(rows), paper.said(paper.BY_THRESHOLD))


def _similarity(threshold: float | None) -> str:
    return f"{THRESHOLD:g} (default)" if threshold is None else f"{threshold:g}"


_LEVELS: Final = {"qc": "Q+C", "q": "Q", "c": "C"}


def _by_level(comparison: Comparison) -> Sheet | None:
    rows = [
        (
            r.setting.retriever,
            _LEVELS[r.setting.granularity],
            f"{r.scores.mean('scripts'):.2f}",
            *_prf(r.scores),
        )
        for r in _varied(comparison, "granularity")
    ]
    rows.sort(key=lambda row: (row[0], list(_LEVELS.values()).index(row[1])))
    heads = ("retriever", "level", "avg shots", *_PRF)
    title = "Published retriever by level of retrieval (as Table 13)"
    return Sheet(title, heads, tuple(rows), paper.said(paper.BY_LEVEL))


def _varied(comparison: Comparison, name: str) -> list[Result]:
    """Results of the published retriever that differ in `name` alone; none where it has one value."""
    results = [
        r
        for r in comparison.results
        if r.setting.retriever in VARIED and varied_alone(r.setting, comparison, name)
    ]
    return results if len({getattr(r.setting, name) for r in results}) > 1 else []


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
    for result in plain_results(comparison):
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
    note = f"{paper.SOURCE.capitalize()}: {_stages(paper.COST['asking'])} ms."
    return Sheet("Online retrieval: latency of a question (as Table 14)", heads, tuple(rows), note)


def _stages(stages: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in stages.items())


def _learning(comparison: Comparison) -> Sheet | None:
    if not comparison.cost:
        return None
    rows = tuple(
        (name, f"{value / 1024:.2f} KB" if name == "bytes" else f"{value:.3f} ms")
        for name, value in comparison.cost.items()
    )
    *stages, size = paper.COST["learning"].items()
    note = f"{paper.SOURCE.capitalize()}: {_stages(dict(stages))} ms; {size[1]:g} KB."
    return Sheet("Offline indexing: learning a script (as Table 14)", ("stage", "per script"), rows, note)


def _by_database(comparison: Comparison) -> Sheet | None:
    if len(comparison.tasks) < 2:
        return None
    results = plain_results(comparison)
    rows = []
    for database, tasks in comparison.tasks.items():
        rates = (_percent(result.of(database).f1()) for result in results)
        rows.append((database, str(tasks), *rates))
    heads = ("database", "tasks", *(result.setting.label for result in results))
    return Sheet("F1 by database", heads, tuple(rows))
