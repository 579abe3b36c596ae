"""The validator: every rule over one task, and the verdict (BIRD-History, section 3.3.1 and listing 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sqlore.errors import SourceError, SqlError, SqloreError
from sqlore.evals.build.annotate import Annotator
from sqlore.evals.build.bench import Bench, Candidate
from sqlore.evals.build.effects import EFFECT_RULES
from sqlore.evals.build.facts import Facts, facts_of, facts_of_script
from sqlore.evals.build.findings import JUDGED, RULES, Finding, Limits, Subject, Verdict
from sqlore.evals.build.judge import Judge
from sqlore.evals.build.rules_result import RESULT_RULES
from sqlore.evals.build.rules_shape import SHAPE_RULES
from sqlore.evals.build.rules_words import WORD_RULES, reuse
from sqlore.evals.tasks import records_of
from sqlore.sql import unknown_name

__all__ = ["Validator", "agreements", "read_candidates", "summary_of"]

_CHECKS: Final[tuple[Callable[[Subject], Iterator[Finding]], ...]] = (
    *RESULT_RULES,
    *SHAPE_RULES,
    *WORD_RULES,
    *EFFECT_RULES,
)


class Validator:
    """Checks tasks against one database and its history; `judge` is asked of those that the rules pass."""

    def __init__(self, bench: Bench, limits: Limits | None = None, judge: Judge | None = None) -> None:
        self.bench = bench
        self.judge = judge
        self.limits = limits or Limits()
        self.annotator = Annotator(bench.history, bench.dialect, bench.catalog.schema)
        self._facts_of = lru_cache(maxsize=None)(self._original)

    def check(self, task: Candidate) -> Verdict:
        """The verdict over one task. What cannot be read or run is told for that alone."""
        limits = self.limits
        try:
            facts = facts_of(task.sql, self.bench.dialect, self.bench.catalog.schema)
        except SqlError as error:
            return Verdict(task.id, (Finding("parses", "major", "query", error.message),))
        try:
            rows = self.bench.engine.run(task.sql, limit=limits.rows, timeout=limits.seconds)
        except SqloreError as error:
            return Verdict(task.id, (Finding("runs", "major", "query", self._why(task.sql, error)),))
        annotation = self.annotator.annotate(facts.parsed)
        originals = self._originals(task, [key for item in annotation.items for key in item.scripts])
        subject = Subject(task, self.bench, facts, originals, rows, limits)
        findings = [*reuse(annotation), *(finding for rule in _CHECKS for finding in rule(subject))]
        if self.judge is not None and not any(one.severity == "major" for one in findings):
            findings += self.judge.findings(subject)
        return Verdict(task.id, tuple(findings))

    def _why(self, sql: str, error: SqloreError) -> str:
        """Why a query does not run: where a name is wrong, with those that may be meant."""
        unknown = unknown_name(sql, self.bench.dialect, self.bench.catalog.schema)
        if unknown is None:
            return error.message
        return ": ".join(filter(None, (unknown.message, unknown.hint)))

    def _originals(self, task: Candidate, holding: Sequence[str]) -> list[Facts]:
        """The scripts that a task was made from; where nobody has said so, those that hold a piece of it."""
        named = [key for key in task.used if key in self.bench.scripts]
        if not named:
            named = [key for keys in task.knowledge.values() for key in keys if key in self.bench.scripts]
        found = (self._facts_of(key) for key in dict.fromkeys(named or holding))
        return [one for one in found if one is not None]

    def _original(self, key: str) -> Facts | None:
        try:
            return facts_of_script(self.bench.scripts[key], self.bench.dialect)
        except SqlError:
            return None


def read_candidates(path: str | Path) -> list[Candidate]:
    """The tasks of a file in BIRD-History's format, with `used` and `evidence` where they have them.

    Raises what `records_of` raises, and `SourceError` with the record that is no task.
    """
    found = []
    for number, record in enumerate(records_of(path), 1):
        try:
            knowledge = dict(record.get("history_knowledge") or {})
            found.append(
                Candidate(
                    str(record.get("question_id", number)),
                    str(record.get("db_id") or ""),
                    str(record["question"]),
                    str(record.get("SQL") or record.get("sql") or record.get("query") or ""),
                    str(record.get("evidence") or ""),
                    tuple(str(key) for key in record.get("used") or ()),
                    {str(key): tuple(map(str, ids)) for key, ids in knowledge.items()},
                )
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SourceError(f"record {number} is not a task: {error!r}", where=str(path)) from error
    return found


def summary_of(verdicts: Iterable[Verdict]) -> dict[str, Any]:
    """How many tasks pass, and how many each rule has something to say about, major and minor."""
    found = list(verdicts)
    major: Counter[str] = Counter()
    minor: Counter[str] = Counter()
    for verdict in found:
        grave = {one.rule for one in verdict.findings if one.severity == "major"}
        major.update(grave)
        minor.update({one.rule for one in verdict.findings} - grave)
    return {
        "tasks": len(found),
        "passed": sum(verdict.passed for verdict in found),
        "clean": sum(not verdict.findings for verdict in found),
        "rules": {
            rule: {"major": major[rule], "minor": minor[rule]}
            for rule in (*RULES, *JUDGED)
            if major[rule] + minor[rule]
        },
    }


def agreements(validator: Validator, tasks: Iterable[Candidate]) -> dict[str, Any]:
    """How the annotation that tasks bring agrees with one made anew; those without one are left out.

    `both`, `extra` and `missing` count keys over all tasks, `scripts` those of both whose scripts differ.
    """
    out: dict[str, Any] = {"tasks": 0, "exact": 0, "both": 0, "extra": 0, "missing": 0, "scripts": 0}
    differ = []
    for task in tasks:
        if not task.knowledge:
            continue
        try:
            found = validator.annotator.agreement(task.sql, task.knowledge)
        except SqlError:
            continue
        out["tasks"] += 1
        out["exact"] += found.exact
        out["both"] += found.both
        for name, keys in (("extra", found.extra), ("missing", found.missing), ("scripts", found.ids)):
            out[name] += len(keys)
        if not found.exact:
            shown = {"extra": list(found.extra), "missing": list(found.missing), "scripts": list(found.ids)}
            differ.append({"question_id": task.id, **shown})
    return {**out, "differ": differ}
