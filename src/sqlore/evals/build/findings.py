"""What the validator says of a task, and what it is told beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlore.evals.build.bench import Bench, Candidate
from sqlore.evals.build.facts import Facts
from sqlore.model import Rows

__all__ = ["JUDGED", "RULES", "Finding", "Limits", "Severity", "Subject", "Verdict"]

Severity = Literal["minor", "major"]

#: Every rule, and what it asks for.
RULES: Final = {
    "parses": "the SQL is one query that can be read",
    "runs": "it runs on the database, within the time",
    "not_empty": "it gives rows",
    "not_all_zero": "not all of its rows are NULL or zero throughout",
    "statistic_not_zero": "a single row holds no statistic that is NULL or zero",
    "length": "it is neither too short nor too long when it is formatted",
    "join_chain": "no FROM has too many JOINs one after the other",
    "tables": "no FROM joins more tables than any of the scripts it was made from",
    "join_mode": "tables are joined the way the scripts join them",
    "functions": "no kind of function that the scripts do not use",
    "case": "a CASE of the scripts keeps what it gives, and how that is added up",
    "count_distinct": "what the scripts count distinct is counted distinct, and the other way round",
    "order_by": "ORDER BY only where the question asks for an order or LIMIT needs one",
    "disjunction": "conditions that the scripts join by AND are not joined by OR unless the question says so",
    "effect": "every clause changes the result",
    "schema_names": "the question does not name tables or columns as the schema does",
    "ties": "LIMIT cuts no ties",
    "stable": "the answer does not depend on the order in which rows are read",
    "reuse": "it takes knowledge from the history",
    "copy": "it is not a script of the history over again",
}

#: What only people and models can judge, under the names of what annotators are asked.
JUDGED: Final = {
    "consistent": "the question means exactly what the SQL computes",
    "natural": "a person would ask it so",
    "unique": "there is one right answer",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of the rules that have some.

    `lines` are those of the formatted SQL: shorter or longer than the outer bounds is major, longer than
    `target` is minor (the paper aims at about 20 lines, caps at 30 and ends up with about 30 on average).
    """

    shortest: int = 4
    target: int = 30
    longest: int = 60
    joins: int = 3
    seconds: float = 10.0
    rows: int = 20_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: which rule, how bad, where, and what would help."""

    rule: str
    severity: Severity
    place: str
    advice: str

    def to_json(self) -> dict[str, str]:
        return {"rule": self.rule, "severity": self.severity, "place": self.place, "advice": self.advice}


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings of one task; it passes with none that is major."""

    id: str
    findings: tuple[Finding, ...] = ()

    @property
    def passed(self) -> bool:
        return not any(finding.severity == "major" for finding in self.findings)

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(finding.rule for finding in self.findings))

    def to_json(self) -> dict[str, Any]:
        found = [finding.to_json() for finding in self.findings]
        return {"question_id": self.id, "passed": self.passed, "findings": found}


@dataclass(frozen=True)
class Subject:
    """A task that runs, with everything the rules look at; `originals` are the scripts it was made from."""

    task: Candidate
    bench: Bench
    facts: Facts
    originals: Sequence[Facts]
    rows: Rows
    limits: Limits

    def of_originals(self, pick: Any) -> set[Any]:
        """What any of the originals has: `pick` gives the things of one."""
        found: set[Any] = set()
        for one in self.originals:
            things: Iterable[Any] = pick(one)
            found.update(things)
        return found
