"""Rules about how a task's SQL is made, beside the scripts that it was made from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from sqlore.evals.build.findings import Finding, Subject
from sqlore.evals.execution.gold import asks_for_order

__all__ = ["SHAPE_RULES", "lines_of"]

_OR_WORDS: Final = re.compile(r"\b(?:or|either|any of|at least one of|and/or)\b", re.IGNORECASE)


def lines_of(subject: Subject) -> int:
    """The lines of the SQL as sqlglot formats it."""
    text: str = subject.facts.tree.sql(dialect=subject.bench.dialect, pretty=True)
    return len(text.splitlines())


def length(subject: Subject) -> Iterator[Finding]:
    """Lines within the bounds."""
    lines, limits = lines_of(subject), subject.limits
    place = f"{lines} lines"
    if lines < limits.shortest:
        yield Finding("length", "major", place, "it is too simple: combine more of what the scripts do")
    elif lines > limits.longest:
        yield Finding("length", "major", place, f"it is too complex: at most {limits.longest} lines")
    elif lines > limits.target:
        yield Finding("length", "minor", place, f"it is long: aim at {limits.target} lines or fewer")


def join_chain(subject: Subject) -> Iterator[Finding]:
    """No long chain of JOINs in one FROM."""
    chain, most = subject.facts.chain, subject.limits.joins
    if chain > most:
        advice = f"at most {most} in one FROM: put a part into a CTE or a subquery"
        yield Finding("join_chain", "major", f"{chain} JOINs", advice)


def tables(subject: Subject) -> Iterator[Finding]:
    """No FROM with more tables than any original; fewer are fine."""
    if not subject.originals:
        return
    most = max(one.tables for one in subject.originals)
    if subject.facts.tables > most:
        advice = f"the scripts join at most {most}: put a part into a CTE or a subquery"
        yield Finding("tables", "major", f"{subject.facts.tables} tables in one FROM", advice)


def join_mode(subject: Subject) -> Iterator[Finding]:
    """Columns that the originals join are joined as they join them, and nothing is left unjoined."""
    for table in sorted(subject.facts.unlinked - subject.of_originals(lambda one: one.unlinked)):
        yield Finding(
            "join_mode", "major", table, "nothing joins it to the other tables: say by which columns"
        )
    for pair, modes in subject.facts.modes.items():
        known = subject.of_originals(lambda one, pair=pair: one.modes.get(pair, ()))
        changed = modes - known if known else frozenset()
        if changed:
            advice = f"the scripts join them by {_words(known)} join, not {_words(changed)}"
            yield Finding("join_mode", "major", " = ".join(pair), advice)


def functions(subject: Subject) -> Iterator[Finding]:
    """No category of functions that no original has."""
    if not subject.originals:
        return
    known = subject.of_originals(lambda one: one.functions)
    for category, names in subject.facts.functions.items():
        if category not in known:
            advice = f"no script uses {category} functions: do without, or reuse one that does"
            yield Finding("functions", "major", ", ".join(sorted(names)), advice)


def case(subject: Subject) -> Iterator[Finding]:
    """A CASE whose question an original asks gives what it gives there."""
    known = subject.of_originals(lambda one: one.cases)
    for use in subject.facts.cases:
        same = {one for one in known if one.when == use.when}
        if same and use not in same:
            advice = f"the scripts have {' or '.join(sorted(one.shown for one in same))}"
            yield Finding("case", "major", use.shown, advice)


def count_distinct(subject: Subject) -> Iterator[Finding]:
    """What an original counts is counted the same way."""
    for shown, ways in subject.facts.counts.items():
        known = subject.of_originals(lambda one, shown=shown: one.counts.get(shown, ()))
        if known and not ways <= known:
            word = "COUNT(DISTINCT …)" if True in known else "COUNT(…) without DISTINCT"
            yield Finding("count_distinct", "major", shown, f"the scripts count it by {word}")


def order_by(subject: Subject) -> Iterator[Finding]:
    """ORDER BY has a reason: LIMIT, or at the outermost the question."""
    asked = asks_for_order(subject.task.question)
    for query in subject.facts.tree.find_all(exp.Select, exp.SetOperation):
        order = query.args.get("order")
        if order is None or query.args.get("limit") is not None:
            continue
        if query is subject.facts.tree and asked:
            continue
        advice = "take it out: neither the question nor a LIMIT needs it"
        yield Finding("order_by", "major", order.sql(dialect=subject.bench.dialect).strip(), advice)


def disjunction(subject: Subject) -> Iterator[Finding]:
    """AND of the originals does not turn into OR."""
    if _OR_WORDS.search(subject.task.question):
        return
    together = subject.of_originals(lambda one: one.together)
    either = subject.of_originals(lambda one: one.either)
    for pair in subject.facts.either - either:
        place = " OR ".join(sorted(pair))
        if pair in together:
            yield Finding("disjunction", "major", place, "the scripts join these by AND")
        else:
            yield Finding("disjunction", "minor", place, "say in the question that either will do")


def _words(modes: set[str] | frozenset[str]) -> str:
    return " or ".join(sorted(modes))


SHAPE_RULES = (
    length,
    join_chain,
    tables,
    join_mode,
    functions,
    case,
    count_distinct,
    order_by,
    disjunction,
)
