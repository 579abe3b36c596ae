"""The answers to one question that are weighed against each other: which one wins, and how sure that is.

Two candidates agree where their results are the same set of rows. An empty result loses to any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sqlore.model import Attempt, Rows
from sqlore.prompts import Prompt

__all__ = ["Candidate", "confidence", "decided", "result_key", "rivals", "vote"]


@dataclass
class Candidate:
    """One answer on its way: the attempts made, and what came of the last one."""

    prompt: Prompt
    temperature: float = 0.0
    seed: int = 0
    attempts: list[Attempt] = field(default_factory=list)
    sql: str = ""
    rows: Rows | None = None
    error: str | None = None
    looped: bool = False
    """Whether the model went in a circle at its last attempt."""


def vote(candidates: Sequence[Candidate]) -> Candidate:
    """The candidate whose result most of the valid ones agree on, the earliest of them.

    Where none is valid, the first that has SQL, else the first.
    """
    ranked = rivals(candidates)
    return ranked[0] if ranked else next((c for c in candidates if c.sql), candidates[0])


def rivals(candidates: Sequence[Candidate]) -> list[Candidate]:
    """One candidate for every different result, the earliest that has it; the most agreed on first."""
    first, votes = _counted(candidates)
    ranked = sorted(votes, key=lambda result: (not result, -votes[result]))  # stable: the earlier before
    return [first[result] for result in ranked]


def confidence(best: Candidate, candidates: Sequence[Candidate], left: int = 0) -> float:
    """The share of the valid candidates that agree with `best`: 0 to 1.

    With `left` more to come, the share that it has whatever those are.
    """
    _, votes = _counted(candidates)
    return votes[result_key(best.rows)] / (votes.total() + left) if best.rows is not None else 0.0


def decided(candidates: Sequence[Candidate], left: int) -> bool:
    """Whether `left` more candidates cannot change the outcome of `vote`, whatever they are."""
    _, votes = _counted(candidates)
    full = [count for result, count in votes.items() if result]
    if not full:  # anything that has rows would win
        return left == 0
    # Of equal counts the earlier result wins: the leader is before all that could still come, not before all.
    leader = max(range(len(full)), key=lambda n: (full[n], -n))
    earlier = max(full[:leader], default=0)
    later = max([*full[leader + 1 :], 0])
    return full[leader] >= later + left and (leader == 0 or full[leader] > earlier + left)


def _counted(
    candidates: Sequence[Candidate],
) -> tuple[dict[frozenset[str], Candidate], Counter[frozenset[str]]]:
    """The first candidate of each result, and how many have it; both in the order of the candidates."""
    first: dict[frozenset[str], Candidate] = {}
    votes: Counter[frozenset[str]] = Counter()
    for candidate in candidates:
        if candidate.rows is not None:
            result = result_key(candidate.rows)
            first.setdefault(result, candidate)
            votes[result] += 1
    return first, votes


def result_key(rows: Rows | None) -> frozenset[str]:
    """What two results are compared by: their set of rows, numbers rounded to nine digits.

    >>> result_key(Rows(("a",), ((1,), (2.0000000001,)))) == result_key(Rows(("b",), ((2,), (1.0,))))
    True
    >>> result_key(Rows(("a",), ((Decimal("1.50"),),))) == result_key(Rows(("a",), ((1.5,),)))
    True
    """
    return frozenset(repr(tuple(_rounded(value) for value in row)) for row in (rows.rows if rows else ()))


def _rounded(value: Any) -> Any:
    number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    return float(f"{value:.9g}") if number else value
