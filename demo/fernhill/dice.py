"""Chance that comes out the same every time."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A seeded generator that uses nothing but `random()`, whose sequence Python promises to keep."""

    def __init__(self, name: str) -> None:
        self._random = random.Random(f"fernhill/{name}").random

    def roll(self) -> float:
        """A number from 0 up to 1."""
        return self._random()

    def chance(self, percent: float) -> bool:
        return self._random() * 100 < percent

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def tail(self, low: int, high: int, power: int = 3) -> int:
        """Mostly near `low`, rarely near `high`, never `high` itself."""
        share = 1.0
        for _ in range(power):
            share *= self._random()
        return low + int(share * (high - low))

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self._random() * len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        return self.by_total(items, list(accumulate(weights)))

    def by_total(self, items: Sequence[T], totals: Sequence[float]) -> T:
        """As `weighted`, of weights already summed up."""
        return items[bisect(totals, self._random() * totals[-1])]
