"""A run as data and as tables: what `--json` prints and what the report shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlore.evals.execution.diff import OUTCOMES
from sqlore.evals.execution.scores import MEASURES, Pair, Score, pairs_of, scores_of
from sqlore.evals.sheets import Sheet

__all__ = ["Report", "execution_json", "execution_sheets", "report_of"]


@dataclass(frozen=True)
class Report:
    """What a run has found so far. `gold` are the lines of `gold.jsonl`, `missing` and `others` the tasks by
    database that had none or were not wanted, `expected` how many lines the whole run has."""

    model: str
    scores: Sequence[Score]
    pairs: Sequence[Pair]
    gold: Sequence[Mapping[str, Any]]
    missing: Mapping[str, int]
    others: Mapping[str, int]
    expected: int
    run: str = ""
    prepared: Sequence[Mapping[str, Any]] = ()

    @property
    def done(self) -> int:
        """Lines that are there."""
        return sum(len(score.lines) for score in self.scores)

    @property
    def unusable(self) -> list[Mapping[str, Any]]:
        """Gold that does not count, with its reason."""
        return [line for line in self.gold if line["status"] != "ok"]


def report_of(
    names: Sequence[str],
    lines: Sequence[Mapping[str, Any]],
    gold: Sequence[Mapping[str, Any]],
    *,
    model: str,
    missing: Mapping[str, int] | None = None,
    others: Mapping[str, int] | None = None,
    expected: int = 0,
    run: str = "",
    prepared: Sequence[Mapping[str, Any]] = (),
) -> Report:
    """The report of a run's lines."""
    scores = scores_of(names, lines)
    return Report(model, scores, pairs_of(scores), gold, missing or {}, others or {}, expected, run, prepared)


def execution_json(report: Report) -> dict[str, Any]:
    """The report as plain data with stable keys; rates are fractions of 1."""
    return {
        "run": report.run,
        "model": report.model,
        "done": report.done,
        "expected": report.expected,
        "results": [_result(score) | _preparation(score, report) for score in report.scores],
        "pairs": [_pair(pair) for pair in report.pairs],
        "gold": {
            "tasks": len(report.gold),
            "status": dict(Counter(line["status"] for line in report.gold)),
            "empty": sum(line["status"] == "ok" and not line["rows"] for line in report.gold),
            "unusable": [
                {name: line[name] for name in ("database", "question_id", "status", "message")}
                for line in report.unusable
            ],
        },
        "without_database": dict(report.missing),
        "other_databases": dict(report.others),
    }


def _result(score: Score) -> dict[str, Any]:
    rates = {name: score.rate(name) for name in MEASURES}
    number, accuracy = score.with_uncertain()
    return {
        "strategy": score.strategy,
        **{name: round(rate.value, 5) for name, rate in rates.items()},
        "tasks": score.tasks,
        "interval": {name: [round(rate.low, 5), round(rate.high, 5)] for name, rate in rates.items()},
        "with_uncertain": {"tasks": number, "execution_accuracy": round(accuracy, 5)},
        "by_difficulty": _parts(score.by_difficulty()),
        "by_kind": _parts(score.by_kind()),
        "by_database": _parts(score.by_database()),
        "outcomes": dict(Counter(line["why"] or "right" for line in score.counted)),
        "tokens": {name: round(value, 1) for name, value in score.tokens().items()},
        "seconds": {name: round(value, 3) for name, value in score.seconds().items()},
        "calls": round(score.calls(), 3),
    }


def _preparation(score: Score, report: Report) -> dict[str, Any]:
    """What the model cost before the first question, all databases together."""
    own = [line for line in report.prepared if line["strategy"] == score.strategy]
    tokens = {name: sum(line["usage"][name] for line in own) for name in ("prompt", "cached", "completion")}
    seconds = round(sum(line["seconds"] for line in own), 3)
    calls = sum(line["usage"]["calls"] for line in own)
    return {"preparation": {"seconds": seconds, "calls": calls, "tokens": tokens}}


def _parts(parts: Mapping[str, Score]) -> dict[str, dict[str, float]]:
    return {
        name: {"tasks": part.tasks, **{m: round(part.rate(m).value, 5) for m in MEASURES}}
        for name, part in parts.items()
    }


def _pair(pair: Pair) -> dict[str, Any]:
    rate = pair.difference
    return {
        "a": pair.a,
        "b": pair.b,
        "tasks": pair.tasks,
        "both": pair.both,
        "only_a": pair.only_a,
        "only_b": pair.only_b,
        "difference": round(rate.value, 5),
        "interval": [round(rate.low, 5), round(rate.high, 5)],
        "p": round(pair.p, 6),
        "p_adjusted": round(pair.adjusted, 6),
    }


def execution_sheets(report: Report) -> list[Sheet]:
    """The tables that there is something for."""
    found = [
        _strategies(report),
        _pairs(report),
        _cost(report),
        _groups("By difficulty", report, [score.by_difficulty() for score in report.scores]),
        _groups("By kind of knowledge", report, [score.by_kind() for score in report.scores]),
        _groups("By database", report, [score.by_database() for score in report.scores]),
        _outcomes(report),
        _gold(report),
    ]
    return [sheet for sheet in found if sheet is not None and sheet.rows]


def _strategies(report: Report) -> Sheet:
    heads = (
        "strategy",
        "tasks",
        "execution [95 %]",
        "strict [95 %]",
        "same skeleton",
        "valid",
        "with uncertain",
    )
    rows = tuple(
        (
            score.strategy,
            str(score.tasks),
            str(score.rate("execution_accuracy")),
            str(score.rate("strict_accuracy")),
            _percent(score.rate("skeleton_match").value),
            _percent(score.rate("valid").value),
            f"{_percent(score.with_uncertain()[1])} of {score.with_uncertain()[0]}",
        )
        for score in report.scores
    )
    note = (
        f"Model: {report.model}. Execution: equal sets of rows, as BIRD counts; strict: repetition counts,"
        " and order where the question or gold orders. Intervals by bootstrap over tasks. Last column: also"
        " the tasks whose gold could as well have given other rows."
    )
    if report.done < report.expected:
        note += f" Not finished: {report.done} of {report.expected} answers are there."
    return Sheet("Strategies", heads, rows, note)


def _pairs(report: Report) -> Sheet | None:
    heads = ("first", "second", "tasks", "only first", "only second", "difference [95 %]", "p", "p adjusted")
    rows = tuple(
        (
            pair.a,
            pair.b,
            str(pair.tasks),
            str(pair.only_a),
            str(pair.only_b),
            str(pair.difference),
            f"{pair.p:.3g}",
            f"{pair.adjusted:.3g}",
        )
        for pair in report.pairs
        if pair.tasks
    )
    note = "Tasks that only one of two got right; exact sign test (McNemar), adjusted for all pairs (Holm)."
    return Sheet("Side by side", heads, rows, note)


def _cost(report: Report) -> Sheet | None:
    heads = (
        "strategy", "prompt tokens", "cached", "computed", "generated", "calls", "seconds", "median", "90 %"
    )  # fmt: skip
    rows = []
    for score in report.scores:
        tokens, seconds = score.tokens(), score.seconds()
        if score.tasks and score.calls():
            counts = (tokens["prompt"], tokens["cached"], tokens["prompt"] - tokens["cached"])
            told = [f"{value:,.0f}" for value in (*counts, tokens["completion"])]
            times = [f"{seconds[name]:.1f}" for name in ("mean", "median", "p90")]
            rows.append((score.strategy, *told, f"{score.calls():.2f}", *times))
    note = "Means a question; seconds from question to rows."
    for score in report.scores:
        before = _preparation(score, report)["preparation"]
        if before["calls"]:
            note += (
                f" {score.strategy} was prepared first: {before['calls']} calls, {before['seconds']:.0f} s."
            )
    return Sheet("Cost of a question", heads, tuple(rows), note)


def _groups(title: str, report: Report, parts: Sequence[Mapping[str, Score]]) -> Sheet | None:
    """Execution accuracy by group, a row a strategy; None where there is one group alone."""
    names = list(dict.fromkeys(name for part in parts for name in part))
    if len(names) < 2:
        return None
    sizes = [max(part[name].tasks for part in parts if name in part) for name in names]
    heads = ("strategy", *(f"{name} ({size})" for name, size in zip(names, sizes, strict=True)))
    rows = tuple(
        (
            score.strategy,
            *(_percent(part[n].rate("execution_accuracy").value) if n in part else "-" for n in names),
        )
        for score, part in zip(report.scores, parts, strict=True)
        if part
    )
    return Sheet(title, heads, rows, "Execution accuracy; in brackets the tasks.")


def _outcomes(report: Report) -> Sheet:
    counts = [Counter(line["why"] for line in score.counted) for score in report.scores]
    kinds = [why for why in OUTCOMES if any(count[why] for count in counts)]
    rows = tuple((OUTCOMES[why], *(str(count[why]) for count in counts)) for why in kinds)
    return Sheet("What came of it", ("outcome", *(score.strategy for score in report.scores)), rows)


def _gold(report: Report) -> Sheet:
    rows = [
        (str(line["database"]), str(line["question_id"]), str(line["status"]), str(line["message"]))
        for line in report.unusable
    ]
    rows += [(name, f"{n} tasks", "no database", "") for name, n in report.missing.items()]
    note = "These tasks are not counted: their own SQL gives no answer that could be compared with."
    return Sheet("Gold that cannot be used", ("database", "task", "status", "why"), tuple(rows), note)


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}"
