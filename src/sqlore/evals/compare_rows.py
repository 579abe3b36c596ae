"""When a query's rows are the right answer: BIRD's measure, a strict one, and what the difference is.

BIRD's execution accuracy compares two results as Python sets of rows, values as the driver gives them: order
and repetition do not count, a last digit does. The strict measure also counts repetition, and the order where
one is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from sqlore.evals.results import comparable, same_set

__all__ = ["WHY", "Judged", "comparable_rows", "in_order", "judge", "sorted_by_a_column"]

Row = Sequence[Any]

#: What `Judged.why` can be, and what it says.
WHY: Final = {
    "": "the same rows",
    "order": "the right rows in another order",
    "repetition": "the right rows, repeated more or less often",
    "rounding": "right but for the last digits of numbers",
    "columns": "the right values in another order of columns",
    "empty": "no rows",
    "fewer": "a part of the right rows",
    "more": "the right rows and others",
    "width": "more or fewer columns",
    "other": "other rows",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """`correct` as BIRD counts, `strict` with repetition and order; `why` is a key of `WHY`."""

    correct: bool
    strict: bool
    why: str


def judge(got: Sequence[Row], gold: Sequence[Row], groups: Sequence[int] | None = None) -> Judged:
    """Compares a query's rows with gold's.

    `groups` are given where the order counts: the sizes of gold's runs of rows that its order does not tell
    apart, so that ties may stand either way.

    >>> judge([(1,), (2,)], [(2.0,), (1,), (1,)])
    Judged(correct=True, strict=False, why='repetition')
    >>> judge([("a",), ("b",)], [("b",), ("a",)], groups=[1, 1]).why
    'order'
    >>> judge([("a",), ("b",)], [("b",), ("a",)], groups=[2]).strict
    True
    >>> judge([(1, "a")], [("a", 1)]).why, judge([(0.1 + 0.2,)], [(0.3,)]).why
    ('columns', 'rounding')
    """
    mine, right = comparable_rows(got), comparable_rows(gold)
    if set(mine) != set(right):
        return Judged(False, False, _difference(mine, right))
    if Counter(mine) != Counter(right):
        return Judged(True, False, "repetition")
    if groups is not None and not in_order(mine, right, groups):
        return Judged(True, False, "order")
    return Judged(True, True, "")


def in_order(got: Sequence[Row], gold: Sequence[Row], groups: Sequence[int]) -> bool:
    """Whether the rows come in gold's order, those of one group in any.

    >>> in_order([(3,), (1,), (2,)], [(3,), (2,), (1,)], groups=[1, 2])
    True
    """
    start = 0
    for size in groups:
        end = start + size
        if Counter(got[start:end]) != Counter(gold[start:end]):
            return False
        start = end
    return True


def sorted_by_a_column(rows: Sequence[Row]) -> bool:
    """Whether some column rises or falls, and does not stay the same, from the first row to the last.

    >>> sorted_by_a_column([("x", 1), ("a", 2), ("k", 2)]), sorted_by_a_column([(1,), (3,), (2,)])
    (True, False)
    """
    for column in zip(*rows, strict=True) if len({len(row) for row in rows}) == 1 else ():
        try:
            pairs = list(pairwise(column))
            if column[0] != column[-1] and (all(a <= b for a, b in pairs) or all(a >= b for a, b in pairs)):
                return True
        except TypeError:  # NULLs, or values of several types
            continue
    return False


def comparable_rows(rows: Iterable[Row]) -> list[tuple[Hashable, ...]]:
    """The rows as BIRD puts them into a set; lists and structs, which it has none of, by what is in them."""
    return [tuple(comparable(value) for value in row) for row in rows]


def _difference(got: Iterable[Row], gold: Iterable[Row]) -> str:
    """Why two sets of rows are not the same: a key of `WHY`."""
    mine, right = set(got), set(gold)
    if not mine:
        return "empty"
    if same_set(mine, right):
        return "rounding"
    if right and {len(row) for row in mine} != {len(row) for row in right}:
        return "width"
    if {_unordered(row) for row in mine} == {_unordered(row) for row in right}:
        return "columns"
    if mine < right:
        return "fewer"
    return "more" if right and mine > right else "other"


def _unordered(row: Row) -> frozenset[tuple[Any, int]]:
    return frozenset(Counter(row).items())
