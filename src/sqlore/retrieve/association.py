"""What words of questions go with in SQL, as a history shows it.

Where nearly all scripts whose questions say "eligible" use ``disp.type = 'OWNER'``, and few others do, the
word stands for that condition, whatever its name. Nothing is trained: uses are counted, over the texts that
may be used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from sqlore.retrieve.snapshot import Bools, Floats, Ints, Snapshot

__all__ = ["Going", "conditions", "goes_with", "holding", "lifts"]

#: A word stands for an item that this share of its texts use, this many at least, and this many times
#: more often than texts do in general.
SHARE: Final = 0.6
USES: Final = 2
LIFT: Final = 3.0
#: A condition has a fixed value for the word where this share of the word's texts write the same one.
FIXED: Final = 0.5


class Going(NamedTuple):
    """Words go with item number `item`: `texts` say them and use it, with `literals` where these are fixed.

    `share` is that of the texts that say the words, `lift` how many times more often these use it than texts
    do in general.
    """

    item: int
    texts: tuple[int, ...]
    literals: tuple[str, ...]
    share: float
    lift: float


def holding(snapshot: Snapshot, words: Iterable[str], alive: Bools) -> Ints:
    """The rows of the texts that may be used and hold all of the stems `words`."""
    found = alive.copy()
    for word in words:
        held = np.zeros(len(found), dtype=np.bool_)
        held[snapshot.text_words.rows(word)] = True
        found &= held
    return np.flatnonzero(found).astype(np.int32)


def goes_with(snapshot: Snapshot, rows: Ints, common: Floats) -> Bools:
    """The items that the texts `rows` stand for; `common` (items) is the share of all texts that use each."""
    uses = _uses(snapshot, rows)
    share = uses / max(1, len(rows))
    out: Bools = (uses >= USES) & (share >= SHARE) & (share >= LIFT * common)
    return out


def lifts(snapshot: Snapshot, rows: Ints, common: Floats) -> Floats:
    """For each item how many times more often the texts `rows` use it than texts do in general.

    `common` as in `goes_with`; 0 for an item that none of them uses.
    """
    out: Floats = _uses(snapshot, rows) / max(1, len(rows)) / np.maximum(common, 1e-9)
    return out


def conditions(snapshot: Snapshot, rows: Ints, common: Floats, *, fixed: bool = True) -> Iterator[Going]:
    """The conditions that the texts `rows` stand for; `fixed`: only where most write the same value there."""
    lift = lifts(snapshot, rows, common)
    for item in np.flatnonzero(goes_with(snapshot, rows, common)).tolist():
        if snapshot.items[item].kind != "condition":
            continue
        written = {row: snapshot.literals_of.get((item, row), ()) for row in rows.tolist()}
        counts = Counter(values for found in written.values() for values in set(found))
        values, count = counts.most_common(1)[0] if counts else ((), 0)
        same = count >= USES and count / len(rows) >= FIXED
        if same:
            texts = tuple(row for row, found in written.items() if values in found)
        elif fixed:
            continue
        else:
            values, texts = (), tuple(set(rows.tolist()) & set(snapshot.texts_of(item).tolist()))
        yield Going(item, texts, values, len(texts) / len(rows), float(lift[item]))


def _uses(snapshot: Snapshot, rows: Ints) -> Floats:
    weights = np.zeros(len(snapshot.texts), dtype=np.float32)
    weights[rows] = 1
    return snapshot.total(weights)
