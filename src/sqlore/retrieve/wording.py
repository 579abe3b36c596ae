"""Worked examples for the words of a question that no chosen script says.

The items that score highest may leave a part of the question untold: "enterprise" in "enterprise churn by
plan", where every script about churn is alike and only few say "enterprise". A word whose scripts nearly
all do one thing that no chosen script does stands for that thing, so one of them is shown too.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from sqlore.retrieve.association import USES, goes_with
from sqlore.retrieve.room import Room
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Bools, Floats
from sqlore.retrieve.words import stems

__all__ = ["saying", "telling"]

#: A text that says the word and is otherwise unlike the question still counts for this much.
_UNLIKE: Final = 0.2


def telling(asked: Asked, shown: Collection[int]) -> dict[str, Bools]:
    """Words of the question that none of the texts `shown` says, each with the items it stands for.

    Items that `shown` hold already are left out, and words that stand for nothing else. So are the words of
    a value that was found in the database: the prompt names that value itself.
    """
    snapshot = asked.snapshot
    known = {word for value in asked.values for word in stems(asked.question[value.start : value.end])}
    known |= {word for row in shown for word in stems(snapshot.texts[row].words)}
    held = np.zeros(len(snapshot.items), dtype=np.bool_)
    held[[item for row in shown for item in snapshot.items_of_text[row]]] = True
    common = asked.support / max(1, int(asked.alive.sum()))
    found = {}
    for word in dict.fromkeys(asked.words):
        rows = snapshot.text_words.rows(word)
        rows = rows[asked.alive[rows]]
        if word in known or len(rows) < USES:
            continue
        stands_for = goes_with(snapshot, rows, common) & ~held
        if stands_for.any():
            found[word] = stands_for
    return found


def saying(asked: Asked, shown: Sequence[int], fit: Floats, room: Room, *, most: int) -> list[int]:
    """At most `most` further rows of texts that say the telling words and do what they stand for.

    `fit` (texts) is how well each text would do, 0 where it may not be shown; what is taken is taken from
    `room`, and what does not fit there stands in nobody's way.
    """
    snapshot = asked.snapshot
    taken: list[int] = []
    missing = telling(asked, shown)
    while missing and len(taken) < most:
        gain = np.zeros(len(snapshot.texts), dtype=np.float32)
        for word, items in missing.items():
            rows = snapshot.text_words.rows(word)
            does = snapshot.over_texts(items.astype(np.float32))[rows] > 0
            gain[rows] += snapshot.text_words.rarity(word, asked.alive) * does
        gain *= np.where((fit > 0) & room.fits(), fit + _UNLIKE, 0)
        best = int(gain.argmax())
        if gain[best] <= 0 or not room.take(best):
            break
        taken.append(best)
        missing = telling(asked, [*shown, *taken])
    return taken
