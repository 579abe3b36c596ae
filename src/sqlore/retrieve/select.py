"""From scores to what the prompt gets: few items, each once, and the fewest scripts that hold them.

Two choices, both over calibrated scores. *Items*: the best first, near-identical ones folded, as many as
make the expected F1 of the set largest. *Scripts*: the chosen items are delivered by scripts that together
hold them, as worked examples: a weighted set cover, greedy, within a token budget.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A little below the F1 that the shipped ranker reaches on databases it has not seen (`docs/ranker.md`): the
#: whole hardly changes with it, and a piece too many costs a prompt less than a piece that is missing.
REACHED: Final = 0.62
_CAST: Final = re.compile(r"cast\((.*?) as \w+\)")
_GUARD: Final = re.compile(r"nullif\((.*?), <val>\)")
_SCALE: Final = re.compile(r"<val> \* | \* <val>")


def best_count(scores: Sequence[float] | NDArray[np.float32]) -> int:
    """How many of the best items to take so that the F1 of what is taken can be expected to be largest.

    `scores` are probabilities, best first. One item more adds its probability twice to the numerator of
    ``2 * right / (taken + needed)`` and one to the denominator, so it is worth taking exactly where it is
    more likely than half of the F1 that is reached. Over many questions together that F1 is `REACHED`
    whatever this question is like (Lipton, Elkan and Naryanaswamy, 2014); the best one is taken anyway.

    >>> best_count([0.9, 0.8, 0.6, 0.2, 0.1])
    3
    >>> best_count([0.2, 0.1])
    1
    >>> best_count([])
    0
    """
    chances = np.asarray(scores, dtype=np.float64)
    return min(len(chances), max(1, int((chances > REACHED / 2).sum())))


def essence(kind: str, skeleton: str) -> str:
    """What is left of a skeleton when spelling variants of one idea are taken away.

    Casts, a factor of 100 and a guarded divisor change a ratio's scale, not its idea. Two fragments of one
    kind and one essence are one choice; the better one is kept.

    >>> essence("calculation", "cast(sum(t.a) as real) * <val> / count(t.b)")
    'calculation: sum(t.a) / count(t.b)'
    >>> essence("output", "order by t.a desc limit <val>") == essence("output", "order by t.a desc")
    False
    """
    if kind not in ("calculation", "output"):
        return f"{kind}: {skeleton}"
    bare = skeleton
    for _ in range(3):
        bare = _GUARD.sub(r"\1", _CAST.sub(r"\1", bare))
    return f"{kind}: {_SCALE.sub('', bare)}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A script that could be delivered: its items, its length in tokens, its fitness 0..1."""

    id: int
    items: frozenset[int]
    tokens: int
    fitness: float = 0.0


def cover(
    wanted: Mapping[int, float],
    candidates: Sequence[Candidate],
    *,
    most: int = 6,
    budget: int = 1500,
) -> list[Candidate]:
    """At most `most` candidates within `budget` tokens that together hold the `wanted` items.

    `wanted` maps an item to its worth (its probability). Greedy: each time the candidate with the largest
    worth of items not yet held, for its price; the price grows with the length and with items that nobody
    wants. A candidate made needless by later ones is dropped. In the order they were taken.

    >>> short = Candidate(1, frozenset({10, 11}), 40)
    >>> long = Candidate(2, frozenset({10, 11, 12}), 400)
    >>> other = Candidate(3, frozenset({12}), 30)
    >>> [c.id for c in cover({10: 0.9, 11: 0.8, 12: 0.7}, [short, long, other])]
    [1, 3]
    """
    missing = dict(wanted)
    left = list(candidates)
    taken: list[Candidate] = []
    spent = 0
    while missing and left and len(taken) < most:
        affordable = [c for c in left if spent + c.tokens <= budget]
        best = max(affordable, key=lambda c: _value(c, missing, wanted), default=None)
        if best is None or not any(item in missing for item in best.items):
            break
        taken.append(best)
        left.remove(best)
        spent += best.tokens
        for item in best.items:
            missing.pop(item, None)
    return _needed(taken, wanted)


def _value(candidate: Candidate, missing: Mapping[int, float], wanted: Mapping[int, float]) -> float:
    gain = sum(missing.get(item, 0.0) for item in candidate.items)
    strangers = sum(1 for item in candidate.items if item not in wanted)
    price = (1 + candidate.tokens / 150) * (1 + 0.15 * strangers)
    return gain * (1 + candidate.fitness) / price


def _needed(taken: Sequence[Candidate], wanted: Mapping[int, float]) -> list[Candidate]:
    kept = list(taken)
    for candidate in taken:
        others = frozenset().union(*(c.items for c in kept if c is not candidate))
        if not any(item in wanted and item not in others for item in candidate.items):
            kept.remove(candidate)
    return kept
