"""When two results are the same answer to a person: as sets of rows, and strictly.

Databases return the same number as an integer, a float or a decimal, and floats differ in their last
digits; both measures compare what a person would call equal.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

__all__ = ["same_multiset", "same_set"]

Row = Sequence[Any]


def same_set(got: Iterable[Row], wanted: Iterable[Row]) -> bool:
    """Equal as sets of rows, numbers to nine digits; order and repetition do not count.

    BIRD's own measure, to the last digit, is `compare_rows.judge`.

    >>> same_set([(1, "a"), (1, "a")], [(1.0, "a")])
    True
    >>> same_set([(1,)], [(2,)])
    False
    """
    return set(map(_plain, got)) == set(map(_plain, wanted))


def same_multiset(got: Iterable[Row], wanted: Iterable[Row]) -> bool:
    """The strict measure: equal as multisets of rows; order does not count, repetition does.

    >>> same_multiset([(1,), (1,)], [(1,)])
    False
    """
    return Counter(map(_plain, got)) == Counter(map(_plain, wanted))


def _plain(row: Row) -> tuple[Hashable, ...]:
    return tuple(map(_value, row))


def _value(value: Any) -> Hashable:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return value if isinstance(value, Hashable) else str(value)
    if not math.isfinite(number):
        return str(number)
    return int(number) if number == int(number) else float(f"{number:.9g}")
