"""What words of questions go with in SQL, as a history shows it.

Where nearly all scripts whose questions say "eligible" use ``disp.type = 'OWNER'``, and few others do, the
word stands for that condition, whatever its name. Nothing is trained: uses are counted, over the texts that
may be used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from sqlore.retrieve.snapshot import Bools, Floats, Ints, Snapshot

__all__ = ["Going", "Settled", "conditions", "goes_with", "holding", "lifts", "settled"]

#: A word stands for an item that this share of its texts use, this many at least, and this many times
#: more often than texts do in general.
SHARE: Final = 0.6
USES: Final = 2
LIFT: Final = 3.0
#: A condition has a fixed value for the word where this share of the word's texts write the same one.
FIXED: Final = 0.5
#: A word says a value, not only its pattern, where it stands by it so many times more often than others do.
_SAYS_VALUE: Final = 1.5


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


@dataclass(frozen=True, slots=True)
class Settled:
    """What a word that goes with a condition says of its value: `word` is the one that says it.

    `going` has no literals where the word goes with several values of the pattern about alike.
    """

    word: str
    going: Going


def settled(snapshot: Snapshot, word: str, going: Going, near: Iterable[str], said: Bools) -> Settled:
    """The value that a question means: `near` are the stems of the words that stand by `word` in it.

    Most accounts with a "statement" have a weekly one, and most accounts of the history do: that says nothing
    of the week. Where a word nearby is said with another value alone ("after transaction"), that one is
    meant.
    """
    if not going.literals:
        return Settled(word, going)
    values = {
        row: frozenset(snapshot.literals_of.get((going.item, row), ()))
        for row in snapshot.texts_of(going.item).tolist()
        if said[row]
    }
    own = _telling(snapshot, word, values, said).get(going.literals, 0.0)
    meant, best = Settled(word, going), own
    for other in near:
        told = _telling(snapshot, other, values, said)
        for literals, times in told.items():
            # Of words that say it alike the longer names it: "transaction", not "after".
            better = (times, len(other)) > (best, len(meant.word)) and times > own
            if literals == going.literals or len(told) > 1 or not better:
                continue
            rows = tuple(
                r for r in holding(snapshot, [other], said).tolist() if literals in values.get(r, ())
            )
            best, meant = times, Settled(other, going._replace(texts=rows, literals=literals))
    if meant.going is going and own < _SAYS_VALUE and len(_telling(snapshot, word, values, said)) > 1:
        return Settled(word, going._replace(literals=()))
    return meant


def _telling(
    snapshot: Snapshot, word: str, values: dict[int, frozenset[tuple[str, ...]]], said: Bools
) -> dict[tuple[str, ...], float]:
    """For each value that stands by a word how many times more often it does than the item's uses have it."""
    rows = [row for row in holding(snapshot, [word], said).tolist() if row in values]
    every = Counter(literals for found in values.values() for literals in found)
    here = Counter(literals for row in rows for literals in values[row])
    return {one: (n / len(rows)) / (every[one] / len(values)) for one, n in here.items()}
