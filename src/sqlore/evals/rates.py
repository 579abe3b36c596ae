"""Rates over tasks from sums of counts, and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Rate", "f1", "intervals", "ratio"]

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
