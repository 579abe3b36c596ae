"""How good is retrieval: counts a task, and rates over all tasks with their uncertainty.

Every rate is micro-averaged (BIRD-History, section 5.1): counts are added up over the tasks, then divided,
because tasks need different numbers of items. The unit is the *fragment*, known by its key (kind and
skeleton), so that the same knowledge met in two scripts counts once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from sqlore.evals.curves import Bin, Curve, calibration_error, precision_recall, reliability
from sqlore.evals.rates import Rate, f1, intervals, ratio
from sqlore.retrieve.baselines.base import kind_of_key

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AT", "PAPER_RECALL", "SCORED_KINDS", "Counts", "Scores", "count"]

#: The kinds that are scored; whole queries are not.
SCORED_KINDS: Final = ("calculation", "condition", "relation", "dimension", "output")
#: How many of the best fragments recall is measured at.
AT: Final = (5, 10, 20, 40)
#: The recall of the paper's retriever (Table 3), at which precision is compared.
PAPER_RECALL: Final = 0.83


@dataclass(frozen=True, slots=True)
class Counts:
    """What one retriever did on one task.

    By kind: fragments `right` (needed and offered), `offered`, and needed (`gold`). `within`: how many needed
    ones are among the first 5, 10, 20, 40 of its ranking. Of `scripts` whole scripts handed over, `useful`
    hold at least one needed fragment. `tokens` is about what the handed text costs in a prompt. Where the
    ranking has scores, `said` are they and `was` tells which of its fragments are needed; `probable` where
    they are meant as probabilities.
    """

    right: Mapping[str, int]
    offered: Mapping[str, int]
    gold: Mapping[str, int]
    within: Mapping[int, int] = field(default_factory=dict)
    scripts: int = 0
    useful: int = 0
    tokens: int = 0
    milliseconds: float = 0.0
    said: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32), compare=False)
    was: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_), compare=False)
    probable: bool = False


def count(
    gold: Collection[str],
    offered: Collection[str],
    *,
    ranking: Sequence[str] = (),
    scores: Sequence[float] = (),
    probable: bool = False,
    scripts: Iterable[Collection[str]] = (),
    tokens: int = 0,
    milliseconds: float = 0.0,
) -> Counts:
    """The counts of one task. Keys are ``kind: skeleton``; `scripts` holds the fragments of each script.

    `scores` go with `ranking`, or there are none (`ValueError` where their numbers differ).

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
    given = dict.fromkeys(key for key in offered if kind_of_key(key) in SCORED_KINDS)
    order = list(dict.fromkeys(key for key in ranking if kind_of_key(key) in SCORED_KINDS))
    scored = dict(zip(reversed(ranking), reversed(scores), strict=True)) if scores else {}
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
        np.asarray([scored[key] for key in order if scored], dtype=np.float32),
        np.asarray([key in needed for key in order if scored], dtype=np.bool_),
        probable and bool(scores),
    )


def _by_kind(keys: Iterable[str]) -> dict[str, int]:
    found = dict.fromkeys(SCORED_KINDS, 0)
    for key in keys:
        found[kind_of_key(key)] = found.get(kind_of_key(key), 0) + 1
    return found


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

    @cached_property
    def _counted(self) -> NDArray[np.float64]:
        """tasks x kinds x [right, offered, gold]"""
        rows = [
            [
                (task.right.get(kind, 0), task.offered.get(kind, 0), task.gold.get(kind, 0))
                for kind in SCORED_KINDS
            ]
            for task in self.tasks
        ]
        return np.asarray(rows, dtype=np.float64).reshape(len(rows), len(SCORED_KINDS), 3)

    def _rows(self, kind: str | None) -> NDArray[np.float64]:
        """tasks x [right, offered, gold], of one kind or of all together."""
        counted = self._counted
        rows: NDArray[np.float64] = (
            counted.sum(axis=1) if kind is None else counted[:, SCORED_KINDS.index(kind)]
        )
        return rows

    def _sums(self, kind: str | None) -> tuple[float, float, float]:
        right, offered, gold = self._rows(kind).sum(axis=0).tolist()
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

    def curve(self) -> Curve | None:
        """Precision and recall of all tasks as one threshold on the scores falls; None without scores."""
        if not any(len(task.said) for task in self.tasks):
            return None
        return precision_recall(*self._judged(), int(self._sums(None)[2]))

    def precision_at_recall(self, recall: float = PAPER_RECALL) -> float | None:
        """Precision where one threshold over the scores of all tasks finds the share `recall` of all gold.

        Micro-averaged as all rates are: everything of the rankings that scores at least the threshold counts
        as handed over, in all tasks at once, and recall is counted against all gold, that which no ranking
        holds included. Between two thresholds nothing is drawn: it is the largest precision that any
        threshold with at least this recall has. None where no threshold reaches it, or without scores.

        Two tasks, five needed. What scores from .8 up is right, 3 of 3 (recall .6); from .6 up 3 of 5 are;
        from .5 up 4 of 6 (recall .8), the only threshold with a recall of at least .7. The fifth is in no
        ranking.

        >>> a, b, c, d, e = (f"condition: t.{name} = <val>" for name in "abcde")
        >>> x, y = "output: distinct", "output: limit <val>"
        >>> one = count([a, b], [], ranking=[a, x, b], scores=[0.9, 0.7, 0.5])
        >>> two = count([c, d, e], [], ranking=[c, d, y], scores=[0.95, 0.8, 0.6])
        >>> scores = Scores([one, two])
        >>> [round(scores.precision_at_recall(recall), 3) for recall in (0.4, 0.6, 0.7)]
        [1.0, 1.0, 0.667]
        >>> scores.precision_at_recall(0.83) is None
        True
        """
        curve = self.curve()
        return None if curve is None else curve.precision_at(recall)

    def reliability(self) -> tuple[Bin, ...]:
        """Said against was in ten bins over the rankings of all tasks; empty where scores are no chances.

        >>> one = count(["output: distinct"], [], ranking=["output: distinct"], scores=[0.7], probable=True)
        >>> Scores([one]).reliability()[0].was
        1.0
        """
        if not any(task.probable for task in self.tasks):
            return ()
        return reliability(*self._judged())

    def calibration_error(self) -> float | None:
        """Expected calibration error of those bins; None where scores are no chances."""
        bins = self.reliability()
        return calibration_error(bins) if bins else None

    def _judged(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        said, was = ([getattr(task, name) for task in self.tasks] for name in ("said", "was"))
        return np.concatenate(said), np.concatenate(was)

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
        return intervals(self._rows(kind), seed=seed)
