"""Rules about what a task's SQL gives: rows, values, one answer only."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from sqlglot import exp

from sqlore.errors import SqloreError
from sqlore.evals.build.findings import Finding, Subject
from sqlore.evals.execution.gold import check_gold
from sqlore.evals.results import same_multiset

__all__ = ["RESULT_RULES"]

_TIMES: Final = ("2019-03-04 05:06:07", "2031-11-12 13:14:15")
_CLOCKS: Final = (exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime, exp.CurrentDatetime)


def not_empty(subject: Subject) -> Iterator[Finding]:
    """At least one row."""
    if not subject.rows.rows:
        yield Finding(
            "not_empty", "major", "result", "relax or change a condition; check that its value exists"
        )


def not_all_zero(subject: Subject) -> Iterator[Finding]:
    """Of several rows at least one has something in it."""
    rows = subject.rows.rows
    if len(rows) > 1 and all(_is_nothing(value) for row in rows for value in row):
        yield Finding(
            "not_all_zero", "major", "result", "every value is NULL or zero: ask for something that is there"
        )


def statistic_not_zero(subject: Subject) -> Iterator[Finding]:
    """A single row has no NULL and no zero."""
    rows, columns = subject.rows.rows, subject.rows.columns
    if len(rows) != 1:
        return
    for name, value in zip(columns, rows[0], strict=True):
        if _is_nothing(value):
            shown = "NULL" if value is None else "0"
            advice = f"it is {shown}: change the values so that the statistic says something"
            yield Finding("statistic_not_zero", "major", f"column {name}", advice)


def one_answer(subject: Subject) -> Iterator[Finding]:
    """No ties cut by LIMIT, and the same rows whatever the order of reading."""
    if not subject.rows.rows:
        return
    limits = subject.limits
    gold = check_gold(
        subject.bench.engine,
        subject.task.sql,
        question=subject.task.question,
        timeout=limits.seconds,
        most=max(limits.rows, len(subject.rows.rows)),
    )
    if gold.status != "nondeterministic":
        return
    if "tied" in gold.message or "LIMIT without" in gold.message:
        advice = f"{gold.message}: ask for all of the first place, or sort by something more"
        yield Finding("ties", "major", "ORDER BY … LIMIT", advice)
    else:
        yield Finding("stable", "major", "query", f"{gold.message}: settle it in the SQL and in the question")


def lasting(subject: Subject) -> Iterator[Finding]:
    """The answer is the same tomorrow: it does not ask for the time, or gives the same at two other times."""
    tree, dialect = subject.facts.tree, subject.bench.dialect
    clocks = [node.sql(dialect=dialect) for node in tree.find_all(*_CLOCKS)]
    clocks += [node.sql() for node in tree.find_all(exp.Literal) if node.is_string and node.name == "now"]
    if clocks and not _same_at(subject, *_TIMES):
        yield Finding("stable", "major", clocks[0], "the answer changes with the day: name a date instead")


def _same_at(subject: Subject, *times: str) -> bool:
    """Whether the rows at all these times are the same; not where the query cannot be run so."""
    found = []
    for time in times:
        sql = _at(subject.facts.tree, time, subject.bench.dialect)
        try:
            rows = subject.bench.engine.run(sql, limit=subject.limits.rows, timeout=subject.limits.seconds)
        except SqloreError:
            return False
        found.append(rows.rows)
    return all(same_multiset(found[0], other) for other in found[1:])


def _at(tree: Any, time: str, dialect: str) -> str:
    """The query as if it were run at this time."""
    copy = tree.copy()
    day, _, hour = time.partition(" ")
    for node in list(copy.find_all(*_CLOCKS)):
        kind = "DATE" if isinstance(node, exp.CurrentDate) else "TIMESTAMP"
        kind = "TIME" if isinstance(node, exp.CurrentTime) else kind
        text = exp.Literal.string({"DATE": day, "TIME": hour}.get(kind, time))
        # SQLite has no type for times: there they are texts
        node.replace(text if dialect == "sqlite" else exp.cast(text, kind))
    for node in list(copy.find_all(exp.Literal)):
        if node.is_string and node.name == "now":
            node.replace(exp.Literal.string(time))
    return str(copy.sql(dialect=dialect))


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, int | float | Decimal) and value == 0)


RESULT_RULES = (not_empty, not_all_zero, statistic_not_zero, one_answer, lasting)
