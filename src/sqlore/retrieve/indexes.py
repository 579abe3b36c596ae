"""Indexes over a snapshot's rows: groups of rows, rows by the names they carry, uses by their literals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from sqlore.retrieve.postings import Floats, Ints, Postings
from sqlore.retrieve.words import tokens

__all__ = ["ByName", "Lists", "Literals"]

_LONGEST_LITERAL: Final = 8
"""Words of the longest literal that a question is searched for."""


class Lists:
    """Row numbers in groups: group number `n` is ``values[starts[n] : starts[n + 1]]``, as a list."""

    def __init__(self, starts: NDArray[np.int64], values: Ints) -> None:
        self.starts = starts
        self.values = values

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> list[int]:
        found: list[int] = self.of(number).tolist()
        return found

    def of(self, number: int) -> Ints:
        """The group as an array."""
        return self.values[self.starts[number] : self.starts[number + 1]]


class ByName:
    """Rows by the names that they carry; the names in lower case."""

    def __init__(self, postings: Postings) -> None:
        self._postings = postings

    @classmethod
    def of(cls, names: Iterable[Iterable[str]]) -> Self:
        """The index of rows that carry these names, row by row."""
        return cls(Postings([name.lower() for name in group] for group in names))

    def get(self, name: str) -> Ints | None:
        """The rows that carry `name`, or None."""
        rows = self._postings.rows(name)
        return rows if len(rows) else None

    def best_of_others(self, scores: Floats) -> Floats:
        """For each row the smallest, over its names, of the best score of another row with that name.

        `scores` (rows) are not negative. 0 for rows that carry no name, or one that nobody else carries.

        >>> ByName.of([["a"], ["a", "b"], ["b"], []]).best_of_others(np.array([0.9, 0.8, 0.3, 1])).tolist()
        [0.8, 0.3, 0.8, 0.0]
        """
        rows, first = self._postings.grouped()
        found = np.full(len(scores), np.inf, dtype=scores.dtype)
        if len(rows):
            own = scores[rows]
            group = np.repeat(np.arange(len(first)), np.diff(first, append=len(rows)))
            best = np.maximum.reduceat(own, first)
            leads = own == best[group]
            second = np.maximum.reduceat(np.where(leads, 0, own), first)
            second = np.where(np.add.reduceat(leads.astype(np.int32), first) > 1, best, second)
            np.minimum.at(found, rows, np.where(leads, second[group], best[group]))
        out: Floats = np.where(np.isfinite(found), found, 0).astype(scores.dtype)
        return out

    def part(self, rows: Ints, places: Ints) -> Self:
        """The index of `rows` alone, as `Postings.part`."""
        return type(self)(self._postings.part(rows, places))


class Literals:
    """Which items and texts use a literal, found by the words of a question."""

    def __init__(self, used: Iterable[tuple[str, int, int]]) -> None:
        """`used` are literals, each with the numbers of the item and of the text that use it."""
        self._numbers: dict[str, int] = {}
        rows: set[tuple[int, int, int]] = set()
        for literal, item, text in used:
            words = tokens(literal)
            # A single digit or letter stands in too many questions to mean anything.
            if 0 < len(words) <= _LONGEST_LITERAL and len(literal) > 1:
                number = self._numbers.setdefault(" ".join(words), len(self._numbers))
                rows.add((number, item, text))
        table = np.asarray(sorted(rows), dtype=np.int32).reshape(len(rows), 3)
        starts = np.searchsorted(table[:, 0], np.arange(len(self._numbers) + 1)).astype(np.int64)
        self._items = Lists(starts, table[:, 1].copy())
        self._texts = Lists(starts, table[:, 2].copy())

    def rows(self, question: str) -> list[tuple[str, Ints, Ints]]:
        """Each literal that stands in `question`, as often as it does, with the items and texts using it.

        >>> [(literal, items.tolist()) for literal, items, _ in Literals([("DC", 0, 4)]).rows("dc or DC?")]
        [('dc', [0]), ('dc', [0])]
        """
        words = tokens(question)
        found = []
        for start in range(len(words)):
            for length in range(1, min(_LONGEST_LITERAL, len(words) - start) + 1):
                literal = " ".join(words[start : start + length])
                number = self._numbers.get(literal)
                if number is not None:
                    found.append((literal, self._items.of(number), self._texts.of(number)))
        return found
