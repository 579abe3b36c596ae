"""Question by question: what each strategy wrote, and where it differs from the first one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import ndiff
from functools import lru_cache
from typing import Any

from sqlglot import transpile
from sqlglot.errors import SqlglotError

from sqlore.evals.compare_rows import WHY

__all__ = ["OUTCOMES", "UNTAKEN", "Said", "Told", "diff_lines", "laid_out", "questions_of"]

Line = Mapping[str, Any]
#: `why` of a line where the model did not take the request: it is asked again when the run goes on.
UNTAKEN = "untaken"
#: What can come of an answer, by a line's `why`.
OUTCOMES = {
    **WHY,
    "error": "the query does not run",
    "none": "no query",
    UNTAKEN: "the model did not take it",
}


@dataclass(frozen=True, slots=True)
class Said:
    """Strategies that wrote the same SQL: its lines, and what came of it."""

    strategies: tuple[str, ...]
    sql: tuple[str, ...]
    correct: bool
    strict: bool
    outcome: str
    error: str


@dataclass(frozen=True, slots=True)
class Told:
    """One question: gold's lines, and what was said, in the order of the strategies."""

    database: str
    question_id: str
    question: str
    gold: tuple[str, ...]
    counted: bool
    said: tuple[Said, ...]

    @property
    def differs(self) -> bool:
        """Whether one strategy was right where another was not."""
        return len({one.correct for one in self.said}) > 1

    @property
    def wrong(self) -> bool:
        """Whether no strategy was right."""
        return not any(one.correct for one in self.said)


def questions_of(lines: Iterable[Line]) -> list[Told]:
    """The questions in their order, those of one database together."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        found.setdefault((line["database"], line["question_id"]), []).append(line)
    return [_told(own) for own in found.values()]


def _told(own: Sequence[Line]) -> Told:
    groups: dict[tuple[str, ...], list[Line]] = {}
    for line in own:
        groups.setdefault(laid_out(line["sql"], line["dialect"]), []).append(line)
    said = tuple(
        Said(
            tuple(line["strategy"] for line in same),
            sql,
            same[0]["correct"],
            same[0]["strict"],
            OUTCOMES[same[0]["why"]],
            same[0]["error"] or "",
        )
        for sql, same in groups.items()
    )
    first = own[0]
    gold = laid_out(first["gold"], first["dialect"])
    return Told(first["database"], first["question_id"], first["question"], gold, first["counted"], said)


@lru_cache(maxsize=4096)
def laid_out(sql: str, dialect: str) -> tuple[str, ...]:
    """The SQL a clause a line, so that two can be compared line by line; as it is where it cannot be read.

    >>> laid_out("select a from t where b = 1", "sqlite")
    ('SELECT', '  a', 'FROM t', 'WHERE', '  b = 1')
    """
    if not sql.strip():
        return ()
    try:
        text = "\n".join(transpile(sql, read=dialect, write=dialect, pretty=True, comments=False))
    except (SqlglotError, RecursionError, ValueError):
        text = sql
    return tuple(text.splitlines())


def diff_lines(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The lines of both, each after its sign: ``-`` only before, ``+`` only after, a blank in both.

    >>> diff_lines(["FROM t", "LIMIT 1"], ["FROM t", "LIMIT 2"])
    ['  FROM t', '- LIMIT 1', '+ LIMIT 2']
    """
    return [line for line in ndiff(list(before), list(after)) if not line.startswith("?")]
