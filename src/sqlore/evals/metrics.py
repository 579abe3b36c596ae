"""How good is retrieval: counts a task, and rates over all tasks with their uncertainty.

Every rate is micro-averaged (BIRD-History, section 5.1): counts are added up over the tasks, then divided,
because tasks need different numbers of items. The unit is the *fragment*, known by its key (kind and
skeleton), so that the same knowledge met in two scripts counts once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AT", "SCORED_KINDS", "Counts", "Rate", "Scores", "count", "f1", "intervals", "ratio"]

#: The kinds that are scored; whole queries are not.
SCORED_KINDS: Final = ("calculation", "condition", "relation", "dimension", "output")
#: How many of the best fragments recall is measured at.
AT: Final = (5, 10, 20, 40)

_RESAMPLES: Final = 1000


def ratio(part: float, whole: float) -> float:
    """`part / whole`, and 0 where there is nothing to divide by.

    >>> ratio(3, 4), ratio(0, 0)
    (0.75, 0.0)
    """
    return part / whole if whole else 0.0


def f1(right: float, offered: float, gold: float) -> float:
    """The harmonic mean of precision and recall, from the counts themselves: ``2 r / (offered + gold)``.

    Of 5 fragments offered 3 are right, 4 were needed: precision 3/5, recall 3/4, F1 6/9.

    >>> round(f1(3, 5, 4), 3)
    0.667
    """
    return ratio(2 * right, offered + gold)


@dataclass(frozen=True, slots=True)
class Counts:
    """What one retriever did on one task.

    By kind: fragments `right` (needed and offered), `offered`, and needed (`gold`). `within`: how many needed
    ones are among the first 5, 10, 20, 40 of its ranking. Of `scripts` whole scripts handed over, `useful`
    hold at least one needed fragment. `tokens` is about what the handed text costs in a prompt.
    """

    right: Mapping[str, int]
    offered: Mapping[str, int]
    gold: Mapping[str, int]
    within: Mapping[int, int] = field(default_factory=dict)
    scripts: int = 0
    useful: int = 0
    tokens: int = 0
    milliseconds: float = 0.0


def count(
    gold: Collection[str],
    offered: Collection[str],
    *,
    ranking: Sequence[str] = (),
    scripts: Iterable[Collection[str]] = (),
    tokens: int = 0,
    milliseconds: float = 0.0,
) -> Counts:
    """The counts of one task. Keys are ``kind: skeleton``; `scripts` holds the fragments of each script.

    Needed are a join, two filters and a sorting; offered are a filter that is needed, a formula that is not,
    and the join:

    >>> gold = {"relation: a.x = b.x", "condition: a.y = <val>", "condition: b.z = <val>", "output: distinct"}
    >>> offered = ["condition: a.y = <val>", "calculation: count(*)", "relation: a.x = b.x"]
    >>> found = count(gold, offered, ranking=offered, scripts=[offered[:2], ["output: limit <val>"]])
    >>> sum(found.right.values()), sum(found.offered.values()), sum(found.gold.values())
    (2, 3, 4)
    >>> found.within[5], found.useful, found.scripts
    (2, 1, 2)
    """
    needed = frozenset(gold)
    given = dict.fromkeys(key for key in offered if _kind(key) in SCORED_KINDS)
    order = list(dict.fromkeys(key for key in ranking if _kind(key) in SCORED_KINDS))
    held = [needed.isdisjoint(script) for script in scripts]
    return Counts(
        _by_kind(needed.intersection(given)),
        _by_kind(given),
        _by_kind(needed),
        {n: len(needed.intersection(order[:n])) for n in AT},
        len(held),
        held.count(False),
        tokens,
        milliseconds,
    )


def _kind(key: str) -> str:
    return key.partition(":")[0]


def _by_kind(keys: Iterable[str]) -> dict[str, int]:
    found = dict.fromkeys(SCORED_KINDS, 0)
    for key in keys:
        found[_kind(key)] = found.get(_kind(key), 0) + 1
    return found


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate with its 95 % interval.

    >>> str(Rate(0.4977, 0.471, 0.523))
    '49.8 [47.1, 52.3]'
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} [{100 * self.low:.1f}, {100 * self.high:.1f}]"


@dataclass(frozen=True)
class Scores:
    """The rates of one retriever over all tasks.

    Two tasks: of 1 fragment offered 1 is right and 1 was needed; of 3 offered 1 is right and 4 were needed.
    Micro-averaged that is 2 of 4 offered (precision .5) and 2 of 5 needed (recall .4), whatever the mean of
    the tasks' own rates is:

    >>> needed = [f"condition: a.{c} = <val>" for c in "wxyz"]
    >>> one = count(needed[:1], needed[:1])
    >>> two = count(needed, [needed[0], "output: distinct", "output: limit <val>"])
    >>> scores = Scores([one, two])
    >>> scores.precision(), scores.recall(), round(scores.f1(), 3)
    (0.5, 0.4, 0.444)
    >>> scores.f1("output")
    0.0
    """

    tasks: Sequence[Counts]

    def _sums(self, kind: str | None) -> tuple[int, int, int]:
        kinds = SCORED_KINDS if kind is None else (kind,)
        right, offered, gold = (
            sum(getattr(task, name).get(k, 0) for task in self.tasks for k in kinds)
            for name in ("right", "offered", "gold")
        )
        return right, offered, gold

    def precision(self, kind: str | None = None) -> float:
        """Share of the distinct fragments handed over that the task needs."""
        right, offered, _ = self._sums(kind)
        return ratio(right, offered)

    def recall(self, kind: str | None = None) -> float:
        """Share of the fragments that the tasks need which were handed over."""
        right, _, gold = self._sums(kind)
        return ratio(right, gold)

    def f1(self, kind: str | None = None) -> float:
        """Harmonic mean of the two."""
        return f1(*self._sums(kind))

    def recall_at(self, n: int) -> float:
        """Share of the needed fragments that are among the first `n` of the ranking.

        >>> keys = [f"condition: a.{n} = <val>" for n in range(12)]
        >>> Scores([count(keys[4:6], keys, ranking=keys)]).recall_at(5)
        0.5
        """
        return ratio(sum(task.within.get(n, 0) for task in self.tasks), self._sums(None)[2])

    def script_precision(self) -> float:
        """Share of the scripts handed over that hold at least one fragment the task needs.

        >>> need = ["condition: a.x = <val>"]
        >>> Scores([count(need, need, scripts=[need, ["output: distinct"]])]).script_precision()
        0.5
        """
        return ratio(sum(t.useful for t in self.tasks), sum(t.scripts for t in self.tasks))

    def mean(self, name: str) -> float:
        """Mean over the tasks of `scripts`, `tokens` or `milliseconds`.

        >>> Scores([count([], [], tokens=100), count([], [], tokens=300)]).mean("tokens")
        200.0
        """
        return ratio(sum(getattr(task, name) for task in self.tasks), len(self.tasks))

    def median_milliseconds(self) -> float:
        """The middle latency of the tasks.

        >>> Scores([count([], [], milliseconds=m) for m in (3, 90, 5)]).median_milliseconds()
        5.0
        """
        times = [task.milliseconds for task in self.tasks]
        return float(np.median(times)) if times else 0.0

    def intervals(self, kind: str | None = None, *, seed: int = 0) -> tuple[Rate, Rate, Rate]:
        """Precision, recall and F1 with 95 % bootstrap intervals over tasks; the same for the same `seed`."""
        kinds = SCORED_KINDS if kind is None else (kind,)
        rows = [
            [sum(getattr(task, name).get(k, 0) for k in kinds) for name in ("right", "offered", "gold")]
            for task in self.tasks
        ]
        return intervals(np.asarray(rows, dtype=np.float64).reshape(-1, 3), seed=seed)


def intervals(
    rows: NDArray[np.float64], *, seed: int = 0, resamples: int = _RESAMPLES
) -> tuple[Rate, Rate, Rate]:
    """Precision, recall and F1 of `rows` (tasks x [right, offered, gold]) with 95 % bootstrap intervals.

    Tasks are drawn with replacement `resamples` times, the rates computed anew from each draw's sums, and
    the middle 95 % of them told. A draw is a row of multinomial counts, so all of them are one product.

    >>> rows = np.array([[1, 2, 2], [2, 2, 4], [0, 1, 1], [3, 4, 3]] * 25, dtype=float)
    >>> precision, recall, f = intervals(rows)
    >>> precision.value, recall.value
    (0.6666666666666666, 0.6)
    >>> precision.low < precision.value < precision.high
    True
    """
    if not len(rows):
        return (Rate(0, 0, 0),) * 3
    generator = np.random.default_rng(seed)
    draws = generator.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=resamples)
    drawn = _rates(draws @ rows)
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    value = _rates(rows.sum(axis=0)[None])[0]
    precision, recall, harmonic = (
        Rate(float(v), float(a), float(b)) for v, a, b in zip(value, low, high, strict=True)
    )
    return precision, recall, harmonic


def _rates(sums: Any) -> Any:
    right, offered, gold = sums[:, 0], sums[:, 1], sums[:, 2]
    one = np.ones_like(right)
    return np.stack(
        [
            right / np.maximum(offered, one * 1e-12),
            right / np.maximum(gold, one * 1e-12),
            2 * right / np.maximum(offered + gold, one * 1e-12),
        ],
        axis=1,
    )
