"""How well annotators agree: full agreement, Gwet's AC1, Fleiss' and Cohen's kappa, with their intervals.

BIRD-History reports the full agreement rate and AC1 of its three annotators (section 3.3.2), because nearly
all of its candidates are valid: with labels so unequal a kappa is low though annotators hardly ever differ.

Ratings are a row a unit and a column an annotator, None where one has not judged a unit. Of AC1 and Fleiss'
kappa variance and interval are those of Gwet (Handbook of Inter-Rater Reliability, 4th edition, chapter 5):
each unit's share in the coefficient, linearised in the chance agreement. Cohen's, with margins of each
annotator's own, has the large-sample variance (Fleiss, Cohen and Everitt 1969). Intervals take Student's t
with one degree of freedom fewer than units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Measure",
    "Measures",
    "bootstrap",
    "cohen_kappa",
    "fleiss_kappa",
    "full_agreement",
    "gwet_ac1",
    "measures",
    "pairwise_agreement",
]

Ratings = Sequence[Sequence[Hashable | None]]
_SURE: Final = 0.95
_RESAMPLES: Final = 2000


@dataclass(frozen=True, slots=True)
class Measure:
    """A coefficient, its standard error and 95 % interval, over so many units.

    `value` is None where it is not defined: no unit was judged twice, or chance alone gives agreement.
    """

    value: float | None
    error: float | None = None
    low: float | None = None
    high: float | None = None
    units: int = 0

    def __str__(self) -> str:
        if self.value is None:
            return "undefined"
        if self.low is None or self.high is None:
            return f"{self.value:.4f}"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"

    def to_json(self) -> dict[str, float | int | None]:
        told = {"value": self.value, "error": self.error, "low": self.low, "high": self.high}
        rounded = {name: None if number is None else round(number, 6) for name, number in told.items()}
        return {**rounded, "units": self.units}


@dataclass(frozen=True)
class Measures:
    """All of them over the same ratings; `cohen` by the numbers of two annotators."""

    full: Measure
    pairwise: Measure
    ac1: Measure
    fleiss: Measure
    cohen: dict[tuple[int, int], Measure]

    def to_json(self, names: Sequence[str]) -> dict[str, Any]:
        return {
            "full_agreement": self.full.to_json(),
            "pairwise_agreement": self.pairwise.to_json(),
            "gwet_ac1": self.ac1.to_json(),
            "fleiss_kappa": self.fleiss.to_json(),
            "cohen_kappa": [
                {"annotators": [names[one], names[other]], **found.to_json()}
                for (one, other), found in self.cohen.items()
            ],
        }


def measures(ratings: Ratings, categories: Sequence[Hashable] | None = None) -> Measures:
    """Every measure of some ratings; `categories` are the labels there could be, by default those there are.

    >>> ratings = [("yes", "yes", "yes")] * 8 + [("yes", "no", "yes"), ("no", "no", "no")]
    >>> found = measures(ratings, ["yes", "no"])
    >>> found.full.value, round(found.ac1.value, 4), round(found.fleiss.value, 4)
    (0.9, 0.9133, 0.7115)
    """
    wide = max((len(row) for row in ratings), default=0)
    pairs = combinations(range(wide), 2)
    cohen = {pair: cohen_kappa([[row[n] for n in pair] for row in ratings], categories) for pair in pairs}
    return Measures(
        full_agreement(ratings),
        pairwise_agreement(ratings, categories),
        gwet_ac1(ratings, categories),
        fleiss_kappa(ratings, categories),
        cohen,
    )


def full_agreement(ratings: Ratings) -> Measure:
    """The share of units that all their annotators (two or more) judge the same, with Wilson's interval."""
    judged = [[label for label in row if label is not None] for row in ratings]
    judged = [labels for labels in judged if len(labels) > 1]
    if not judged:
        return Measure(None)
    number = len(judged)
    share = sum(len(set(labels)) == 1 for labels in judged) / number
    z = 1.959964
    middle = (share + z * z / (2 * number)) / (1 + z * z / number)
    half = z * math.sqrt(share * (1 - share) / number + z * z / (4 * number**2)) / (1 + z * z / number)
    error = math.sqrt(share * (1 - share) / number)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Measure(share, error, min(low, share), max(high, share), number)


def pairwise_agreement(ratings: Ratings, categories: Sequence[Hashable] | None = None) -> Measure:
    """The chance that two annotators of a unit give the same label, averaged over units."""
    return _corrected(ratings, categories, lambda _: (0.0, None))


def gwet_ac1(ratings: Ratings, categories: Sequence[Hashable] | None = None) -> Measure:
    """Gwet's AC1 (Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high
    agreement"): chance is that of a random label, weighted by how divided the units are."""

    def chance(shares: NDArray[np.float64]) -> tuple[float, NDArray[np.float64] | None]:
        kinds = shares.shape[1]
        if kinds < 2:
            return 0.0, None
        mean = shares.mean(axis=0)
        return float(mean @ (1 - mean)) / (kinds - 1), shares @ (1 - mean) / (kinds - 1)

    return _corrected(ratings, categories, chance)


def fleiss_kappa(ratings: Ratings, categories: Sequence[Hashable] | None = None) -> Measure:
    """Fleiss' kappa (Fleiss 1971), for any number of annotators a unit."""

    def chance(shares: NDArray[np.float64]) -> tuple[float, NDArray[np.float64] | None]:
        mean = shares.mean(axis=0)
        return float(mean @ mean), shares @ mean

    return _corrected(ratings, categories, chance)


def cohen_kappa(ratings: Ratings, categories: Sequence[Hashable] | None = None) -> Measure:
    """Cohen's kappa (Cohen 1960) of two annotators, over the units that both have judged.

    Raises `ValueError` for rows that are no pairs.
    """
    if any(len(row) != 2 for row in ratings):
        raise ValueError("Cohen's kappa is of two annotators")
    pairs = [row for row in ratings if None not in row]
    if not pairs:
        return Measure(None)
    place = {label: number for number, label in enumerate(_labels(pairs, categories))}
    first, second = (np.array([place[row[side]] for row in pairs]) for side in (0, 1))
    margins = [np.bincount(side, minlength=len(place)) / len(pairs) for side in (first, second)]
    expected = float(margins[0] @ margins[1])
    own = (margins[1][first] + margins[0][second]) / 2
    return _measure((first == second).astype(np.float64), expected, own, lost=0)


def bootstrap(
    ratings: Ratings,
    measure: Callable[[Ratings], Measure],
    *,
    seed: int = 0,
    resamples: int = _RESAMPLES,
) -> tuple[float, float] | None:
    """The middle 95 % of a measure over units drawn anew with replacement; None where it is not defined.

    Draws in which it is not defined (one label only) do not count.
    """
    random = np.random.default_rng(seed)
    rows = list(ratings)
    found = []
    for draw in random.integers(0, max(1, len(rows)), size=(resamples, len(rows))):
        value = measure([rows[number] for number in draw]).value
        if value is not None:
            found.append(value)
    if not found:
        return None
    low, high = np.percentile(found, [100 * (1 - _SURE) / 2, 100 * (1 + _SURE) / 2])
    return float(low), float(high)


def _corrected(
    ratings: Ratings,
    categories: Sequence[Hashable] | None,
    chance: Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64] | None]],
) -> Measure:
    """A coefficient over many annotators, with this agreement by chance (of all, and of each unit)."""
    labels = _labels(ratings, categories)
    counts = np.array([[row.count(label) for label in labels] for row in map(list, ratings)], dtype=float)
    counts = counts.reshape(len(ratings), len(labels))
    counts = counts[counts.sum(axis=1) > 0]
    number = counts.sum(axis=1)
    twice = number > 1
    if not twice.any():
        return Measure(None)
    pairs = np.where(twice, number * (number - 1), 1.0)
    # a unit that one annotator alone has judged says something of chance and nothing of agreement
    own = (counts * (counts - 1)).sum(axis=1) / pairs * twice
    expected, shares = chance(counts / number[:, None])
    return _measure(own, expected, shares, twice)


def _measure(
    own: NDArray[np.float64],
    expected: float,
    shares: NDArray[np.float64] | None,
    twice: NDArray[np.bool_] | None = None,
    lost: int = 1,
) -> Measure:
    """The coefficient from each unit's agreement and its share in chance; `lost` are the variance's degrees
    of freedom that the mean takes."""
    units = len(own)
    counted = np.ones(units, dtype=bool) if twice is None else twice
    weight = units / counted.sum()
    observed = float(own[counted].mean())
    if 1 - expected < 1e-12:
        return Measure(None, units=int(counted.sum()))
    value = (observed - expected) / (1 - expected)
    if units < 2:
        return Measure(value, units=int(counted.sum()))
    each = weight * (own - expected * counted) / (1 - expected)
    if shares is not None:
        each = each - 2 * (1 - value) * (shares - expected) / (1 - expected)
    error = math.sqrt(float(((each - value) ** 2).sum()) / (units * (units - lost)))
    half = error * _student(units - 1)
    return Measure(value, error, max(-1.0, value - half), min(1.0, value + half), int(counted.sum()))


def _labels(ratings: Ratings, categories: Sequence[Hashable] | None) -> list[Hashable]:
    """The labels, those that could have been given first."""
    seen = (label for row in ratings for label in row if label is not None)
    return list(dict.fromkeys([*(categories or ()), *seen]))


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, by halving: its distribution has a finite series for whole degrees
    of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).

    >>> round(_student(1), 3), round(_student(14), 4), round(_student(99), 4)
    (12.706, 2.1448, 1.9842)
    """
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        if _within(middle, freedom) < _SURE:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _within(t: float, freedom: int) -> float:
    """The chance that Student's t lies between -t and t."""
    angle = math.atan2(t, math.sqrt(freedom))
    cosine = math.cos(angle) ** 2
    odd = freedom % 2
    term = total = 1.0 if freedom > 1 else 0.0
    for step in range(1, (freedom - odd) // 2):
        term *= cosine * (2 * step - 1 + odd) / (2 * step + odd)
        total += term
    if not odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)
