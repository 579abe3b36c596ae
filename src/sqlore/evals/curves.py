"""What scores are worth: precision against recall over all thresholds, and what was said against what was.

Both look at the rankings of all tasks at once, because a user's threshold is one number: a score that means
something else in every question gives a poor curve here though it may rank each question well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BINS", "GRID", "Bin", "Curve", "calibration_error", "precision_recall", "reliability"]

#: Bins of equal width between 0 and 1.
BINS: Final = 10
#: Recalls at which a curve is told.
GRID: Final = tuple(round(step / 100, 2) for step in range(1, 101))
_SLACK: Final = 1e-9


@dataclass(frozen=True)
class Curve:
    """Precision and recall at every threshold, the highest threshold first; recall never falls along it."""

    threshold: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]

    def precision_at(self, recall: float) -> float | None:
        """The largest precision of the thresholds whose recall is at least `recall`; None where none is."""
        reached = self.recall >= recall - _SLACK
        return float(self.precision[reached].max()) if reached.any() else None

    def points(self) -> list[tuple[float, float]]:
        """(recall, precision) at each hundredth of recall that is reached, interpolated as `precision_at`.

        >>> said, was = np.array([0.9, 0.8, 0.4]), np.array([True, False, True])
        >>> points = precision_recall(said, was, gold=4).points()
        >>> points[0], points[24], points[25], points[-1]
        ((0.01, 1.0), (0.25, 1.0), (0.26, 0.6666666666666666), (0.5, 0.6666666666666666))
        """
        found = ((recall, self.precision_at(recall)) for recall in GRID)
        return [(recall, precision) for recall, precision in found if precision is not None]


def precision_recall(said: NDArray[np.floating], was: NDArray[np.bool_], gold: int) -> Curve:
    """The curve of fragments of all tasks: their scores `said`, whether each `was` needed, and how many are.

    Everything from a threshold up is taken to be handed over. Precision is the share of it that is needed,
    recall its needed part over all `gold`, those that no ranking holds included. Equal scores come together.

    >>> curve = precision_recall(np.array([0.5, 0.9, 0.5]), np.array([True, True, False]), gold=2)
    >>> curve.threshold.tolist(), curve.precision.round(2).tolist(), curve.recall.tolist()
    ([0.9, 0.5], [1.0, 0.67], [0.5, 1.0])
    """
    order = np.argsort(-said, kind="stable")
    scores = np.asarray(said, dtype=np.float64)[order]
    last = np.flatnonzero(np.append(scores[1:] != scores[:-1], True)) if len(scores) else np.zeros(0, np.intp)
    right = np.cumsum(was[order])[last].astype(np.float64)
    return Curve(scores[last], right / (last + 1), right / max(1, gold))


@dataclass(frozen=True, slots=True)
class Bin:
    """The fragments whose score lies in [`low`, `high`): how many, their mean score, the share needed."""

    low: float
    high: float
    number: int
    said: float
    was: float


def reliability(said: NDArray[np.floating], was: NDArray[np.bool_], bins: int = BINS) -> tuple[Bin, ...]:
    """Said against was in bins of equal width, the empty ones left out; a score of 1 is in the last.

    >>> reliability(np.array([0.82, 0.88, 0.05]), np.array([True, False, False]))[-1]
    Bin(low=0.8, high=0.9, number=2, said=0.85, was=0.5)
    """
    place = np.clip((np.asarray(said, dtype=np.float64) * bins + _SLACK).astype(np.intp), 0, bins - 1)
    found = []
    for number in range(bins):
        inside = place == number
        if inside.any():
            mean = round(float(np.mean(said[inside], dtype=np.float64)), 6)
            edges = (round(number / bins, 6), round((number + 1) / bins, 6))
            found.append(Bin(*edges, int(inside.sum()), mean, float(was[inside].mean())))
    return tuple(found)


def calibration_error(bins: Sequence[Bin]) -> float:
    """Expected calibration error: the mean distance between said and was, each bin by its fragments.

    A bin of 30 that said .9 and was .8, one of 10 that said .5 and was .7: (30 x .1 + 10 x .2) / 40.

    >>> round(calibration_error([Bin(0.9, 1, 30, 0.9, 0.8), Bin(0.5, 0.6, 10, 0.5, 0.7)]), 3)
    0.125
    """
    total = sum(one.number for one in bins)
    return sum(one.number * abs(one.said - one.was) for one in bins) / total if total else 0.0
