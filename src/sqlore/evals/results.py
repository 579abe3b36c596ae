"""When two results are the same answer to a person: as sets of rows, and strictly.

Databases return the same number as an integer, a float or a decimal, and floats differ in their last
digits; both measures compare what a person would call equal.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

__all__ = ["comparable", "same_multiset", "same_set"]

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


def comparable(value: Any, plain: Callable[[Any], Any] = lambda value: value) -> Hashable:
    """A value that can be put into a set, `plain` applied to it or, in a list or struct, to all in it.

    NaN is the same as NaN here, as it is to the database; to Python it would not even be itself.

    >>> nan = float("nan")
    >>> comparable([1, {"a": [2, nan]}]) == comparable([1.0, {"a": (2, nan)}])
    True
    """
    if value is None or isinstance(value, str | int):
        return plain(value)  # type: ignore[no-any-return]
    if isinstance(value, float | Decimal) and math.isnan(value):
        return math.nan
    if isinstance(value, list | tuple):
        return tuple(comparable(one, plain) for one in value)
    if isinstance(value, Mapping):
        return frozenset((comparable(key, plain), comparable(one, plain)) for key, one in value.items())
    if isinstance(value, set | frozenset):
        return frozenset(comparable(one, plain) for one in value)
    return plain(value) if isinstance(value, Hashable) else repr(value)


def _plain(row: Row) -> tuple[Hashable, ...]:
    return tuple(comparable(value, _rounded) for value in row)


def _rounded(value: Any) -> Any:
    """A number to nine digits, whatever it is given as."""
    if isinstance(value, bool | str | bytes) or value is None:
        return value
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return value
    if not math.isfinite(number):
        return str(number)
    whole = round(number)
    return whole if abs(number - whole) <= 1e-9 * abs(number) else float(f"{number:.9g}")
