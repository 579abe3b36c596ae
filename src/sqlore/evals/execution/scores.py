"""How often each strategy was right, how sure that is, and which of two is better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Final

import numpy as np

from sqlore.evals.metrics import SCORED_KINDS
from sqlore.evals.rates import Rate, intervals, ratio

__all__ = ["MEASURES", "Pair", "Score", "pairs_of", "scores_of", "sign_test"]

Line = Mapping[str, Any]
#: What is measured, by the line's field.
MEASURES: Final = {
    "execution_accuracy": "correct",
    "strict_accuracy": "strict",
    "skeleton_match": "skeleton",
    "valid": "valid",
}
_TOKENS: Final = ("prompt", "cached", "completion")
_RESAMPLES: Final = 1000


@dataclass(frozen=True)
class Score:
    """One strategy over its lines. Only tasks with gold that has one answer count.

    >>> right = {"counted": True, "correct": True, "strict": True, "skeleton": False, "valid": True}
    >>> score = Score("history", [right, right | {"correct": False}, right | {"counted": False}])
    >>> score.tasks, score.rate("execution_accuracy").value
    (2, 0.5)
    """

    strategy: str
    lines: Sequence[Line]

    @cached_property
    def counted(self) -> list[Line]:
        """The lines that count."""
        return [line for line in self.lines if line["counted"]]

    @property
    def tasks(self) -> int:
        """How many count."""
        return len(self.counted)

    def rate(self, measure: str, *, seed: int = 0) -> Rate:
        """A measure of `MEASURES` with its 95 % bootstrap interval over tasks."""
        return _rate([line[MEASURES[measure]] for line in self.counted], seed)

    def with_uncertain(self) -> tuple[int, float]:
        """Tasks and execution accuracy over all that were asked, those too whose gold has ties or the like:
        what is comparable with figures that count them."""
        return len(self.lines), ratio(sum(line["correct"] for line in self.lines), len(self.lines))

    def split(self, group: Callable[[Line], Iterable[str]]) -> dict[str, Score]:
        """The scores of parts; a task may be in several."""
        parts: dict[str, list[Line]] = {}
        for line in self.counted:
            for name in group(line):
                parts.setdefault(name, []).append(line)
        return {name: Score(self.strategy, lines) for name, lines in parts.items()}

    def by_difficulty(self) -> dict[str, Score]:
        """The easier before the harder, as far as their names tell."""
        found = self.split(lambda line: [line["difficulty"] or "unknown"])
        return dict(sorted(found.items(), key=lambda item: _hardness(item[0])))

    def by_kind(self) -> dict[str, Score]:
        """By the kinds of knowledge that the task needs."""
        found = self.split(lambda line: line["kinds"])
        return {kind: found[kind] for kind in SCORED_KINDS if kind in found}

    def by_database(self) -> dict[str, Score]:
        """By database, in the order asked."""
        return self.split(lambda line: [line["database"]])

    def tokens(self) -> dict[str, float]:
        """Prompt tokens, those of them that came from the model's cache, and generated ones, a question."""
        return {name: self._mean(lambda line, n=name: line["usage"][n]) for name in _TOKENS}

    def calls(self) -> float:
        """Calls of the model a question."""
        return self._mean(lambda line: line["usage"]["calls"])

    def seconds(self) -> dict[str, float]:
        """Seconds a question, all told: mean, median, and what nine in ten do not reach."""
        times = [line["seconds"] for line in self.counted] or [0.0]
        middle, high = np.percentile(times, [50, 90])
        return {"mean": float(np.mean(times)), "median": float(middle), "p90": float(high)}

    def _mean(self, value: Callable[..., float]) -> float:
        return ratio(math.fsum(value(line) for line in self.counted), self.tasks)


def _rate(outcomes: Sequence[bool], seed: int = 0) -> Rate:
    rows = np.asarray([[float(one), 1.0, 1.0] for one in outcomes]).reshape(len(outcomes), 3)
    return intervals(rows, seed=seed)[0]


_HARDNESS: Final = ("simple", "easy", "moderate", "medium", "challenging", "hard", "extra")


def _hardness(name: str) -> tuple[int, str]:
    first = name.split()[0].lower()
    return (_HARDNESS.index(first) if first in _HARDNESS else len(_HARDNESS)), name


def scores_of(names: Sequence[str], lines: Iterable[Line]) -> list[Score]:
    """A score a strategy, in the order of `names`."""
    found: dict[str, list[Line]] = {name: [] for name in names}
    for line in lines:
        found[line["strategy"]].append(line)
    return [Score(name, own) for name, own in found.items()]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two strategies on the tasks that both were asked.

    `only_a` tasks only the first answered right, `only_b` only the second; `p` of the exact sign test on
    those (McNemar), `adjusted` for all pairs of the comparison (Holm); `difference` of the accuracies.
    """

    a: str
    b: str
    tasks: int
    both: int
    only_a: int
    only_b: int
    p: float
    difference: Rate
    adjusted: float = 1.0


def sign_test(better: int, worse: int) -> float:
    """The exact two-sided sign test (McNemar's) of discordant pairs.

    >>> sign_test(0, 0), sign_test(5, 0), sign_test(3, 1)
    (1.0, 0.0625, 0.625)
    """
    n, k = better + worse, min(better, worse)
    as_far, all_ways = sum(math.comb(n, i) for i in range(k + 1)), 1 << n
    return min(1.0, 2 * as_far / all_ways)


def pairs_of(scores: Sequence[Score], *, measure: str = "execution_accuracy", seed: int = 0) -> list[Pair]:
    """Each two strategies side by side, task by task."""
    found = [_pair(a, b, MEASURES[measure], seed) for a, b in combinations(scores, 2)]
    order = sorted(range(len(found)), key=lambda n: found[n].p)
    adjusted, floor = [1.0] * len(found), 0.0
    for rank, number in enumerate(order):
        floor = max(floor, min(1.0, (len(found) - rank) * found[number].p))
        adjusted[number] = floor
    return [
        Pair(p.a, p.b, p.tasks, p.both, p.only_a, p.only_b, p.p, p.difference, q)
        for p, q in zip(found, adjusted, strict=True)
    ]


def _pair(a: Score, b: Score, field: str, seed: int) -> Pair:
    first, second = (
        {(line["database"], line["question_id"]): bool(line[field]) for line in s.counted} for s in (a, b)
    )
    outcomes = [(first[key], second[key]) for key in first if key in second]
    only_a, only_b = outcomes.count((True, False)), outcomes.count((False, True))
    steps = np.asarray([x - y for x, y in outcomes], dtype=np.float64)
    both = outcomes.count((True, True))
    difference = _difference(steps, seed)
    p = sign_test(only_a, only_b)
    return Pair(a.strategy, b.strategy, len(outcomes), both, only_a, only_b, p, difference)


def _difference(steps: Any, seed: int) -> Rate:
    """The mean of paired differences with its 95 % bootstrap interval."""
    n = len(steps)
    if not n:
        return Rate(0, 0, 0)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=_RESAMPLES)
    low, high = np.percentile(draws @ steps / n, [2.5, 97.5])
    return Rate(float(steps.mean()), float(low), float(high))
