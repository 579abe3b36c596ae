"""How many tokens worked examples take, and what of a budget they leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sqlore.retrieve.snapshot import Bools, Snapshot, Text

__all__ = ["Room", "length_in_tokens", "lengths"]

_CHARACTERS_PER_TOKEN: Final = 3.6
_AROUND: Final = 8  # tokens around a worked example


def length_in_tokens(text: Text) -> int:
    """About how many tokens a worked example takes; SQL runs at some 3.6 characters a token."""
    return int((len(text.sql) + len(text.words)) / _CHARACTERS_PER_TOKEN) + _AROUND


def lengths(snapshot: Snapshot) -> NDArray[np.int64]:
    """`length_in_tokens` of every text."""
    return (snapshot.characters / _CHARACTERS_PER_TOKEN).astype(np.int64) + _AROUND


class Room:
    """A budget that texts are taken from one by one; what does not fit takes nothing.

    `taken` are rows of texts that are in it already.
    """

    def __init__(self, snapshot: Snapshot, budget: int, taken: Iterable[int] = ()) -> None:
        self._lengths = lengths(snapshot)
        self.left = budget - sum(int(self._lengths[row]) for row in taken)

    def fits(self) -> Bools:
        """Which texts fit into what is left."""
        fitting: Bools = self._lengths <= self.left
        return fitting

    def take(self, row: int) -> bool:
        """Takes a text where it fits; whether it did."""
        length = int(self._lengths[row])
        if length > self.left:
            return False
        self.left -= length
        return True

    @property
    def full(self) -> bool:
        """Whether not even the shortest text fits any more."""
        return self.left < _AROUND
