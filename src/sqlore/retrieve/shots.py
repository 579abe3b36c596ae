"""A fixed number of worked examples: those that hold the items, then those that add most to them.

A few-shot pipeline has places for so many examples and expects them filled. The cover comes first: what holds
most of what the question asks for. Where it is smaller than the number, each further script is the one that
brings the most chance of a piece not yet shown, for what it shows beside that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from sqlore.retrieve.deliver import SYNTHETIC
from sqlore.retrieve.room import Room
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Bools, Floats

__all__ = ["filled"]

#: A script's fragments are counted from here: one with a single fragment is not three times one with three.
_SOME: Final = 3
#: Nearness alone decides where no script brings anything new.
_NEARNESS: Final = 1e-3


def filled(asked: Asked, taken: Sequence[int], scores: Floats, *, number: int, budget: int) -> list[int]:
    """Rows of the texts that bring `taken` to `number`, one a script, within what `budget` leaves.

    Each is the one of the largest worth: the chances of its items that no script taken before holds, more
    for one near to the question, divided by how many fragments it has.
    """
    if len(taken) >= number:
        return []
    snapshot = asked.snapshot
    near = np.maximum(asked.dense, asked.lexical)
    usable = asked.alive.astype(np.bool_)
    usable[list(snapshot.undeliverable)] = False
    fragments = np.diff(snapshot.items_of_text.starts)
    missing = scores.astype(np.float32)
    room = Room(snapshot, budget, taken)
    seen = {snapshot.texts[row].script for row in taken}
    for row in taken:
        missing[snapshot.items_of_text[row]] = 0
    out: list[int] = []
    while len(taken) + len(out) < number:
        worth = snapshot.over_texts(missing) * (1 + near) / (_SOME + fragments) + _NEARNESS * near
        worth[snapshot.synthetic] *= SYNTHETIC
        best = _first(asked, worth, usable & room.fits(), seen)
        if best is None or not room.take(best):
            break
        out.append(best)
        seen.add(snapshot.texts[best].script)
        missing[snapshot.items_of_text[best]] = 0
    return out


def _first(asked: Asked, worth: Floats, usable: Bools, seen: set[int]) -> int | None:
    """The usable text of the largest worth that is of a script not seen yet."""
    rows = np.flatnonzero(usable)
    for row in rows[np.argsort(-worth[rows], kind="stable")].tolist():
        if asked.snapshot.texts[row].script not in seen:
            return int(row)
    return None
