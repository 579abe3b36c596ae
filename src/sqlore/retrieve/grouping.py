"""A second look at the candidates that group: what the ranker asks about them alone.

The trees score all kinds of items by the same columns. What a query groups by hangs on more: where in the
question the thing stands that a column is about (`focus`), whether any grouping is called for, and what else
the first look finds likely: an order by a count goes with a grouping.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from sqlore.model import KnowledgeItem
from sqlore.retrieve.evidence import Columns, Evidence, place_within
from sqlore.retrieve.focus import focus, is_key, is_title, share_said, stems_of, thing
from sqlore.retrieve.fuse import sigmoid
from sqlore.retrieve.snapshot import GROUPS, Floats, Ints, Snapshot
from sqlore.retrieve.words import stem, tokens

GROUPING: Final = GROUPS.index("dimension")
_NAMES: Final = frozenset(("name", "title"))
_KEYS: Final = frozenset(("id", "number"))
_FEW: Final = 0.05
_TINY: Final = 1e-3


def groupings(e: Evidence) -> Ints:
    """The places among the candidates of those that group."""
    out: Ints = np.flatnonzero(e.layout.kinds[e.rows] == GROUPING).astype(np.int32)
    return out


def second_look(e: Evidence, odds: Floats) -> Floats:
    """The columns of the candidates that group, as a matrix (groupings x columns); `odds` are those of all
    candidates after the first look.
    """
    first = standing(odds, e.layout.kinds[e.rows])
    return np.concatenate([first, looked_up(e)], axis=1)


def standing(odds: Floats, kinds: Ints) -> Floats:
    """What the first look says of each grouping, of its rivals and of what goes with it (groupings x 8)."""
    own, chances = odds[kinds == GROUPING], sigmoid(odds)
    alone = (own, place_within(own, np.zeros(len(own), dtype=np.int32)), own - own.max(initial=-np.inf))
    sums = [np.full(len(own), chances[kinds == number].sum()) for number in range(len(GROUPS))]
    return np.stack([*alone, *sums], axis=1).astype(np.float32)


def looked_up(e: Evidence) -> Floats:
    """The other columns, which do not depend on the first look (groupings x columns)."""
    own = groupings(e)
    columns = [values for part in (_made_of, _in_focus, _history) for _, values in part(e, own)]
    wide = [np.broadcast_to(np.asarray(values, dtype=np.float32), (len(own),)) for values in columns]
    return np.stack(wide, axis=1)


def _made_of(e: Evidence, own: Ints) -> Columns:
    """What the item is."""
    items = [e.asked.snapshot.items[row] for row in e.rows[own].tolist()]
    yield "groups", np.asarray(list(map(_groups, items)))
    yield "brackets", np.asarray([item.skeleton.count("(") for item in items])
    yield "columns", np.asarray([len(item.columns) for item in items])
    yield "key", np.asarray([any(map(is_key, item.columns)) for item in items])
    yield "title", np.asarray([any(map(is_title, item.columns)) for item in items])


def _in_focus(e: Evidence, own: Ints) -> Columns:
    """Whether the question names what the item groups by, and where."""
    items = [e.asked.snapshot.items[row] for row in e.rows[own].tolist()]
    said = frozenset(map(stem, tokens(e.asked.question)))
    for name, words in {**focus(e.asked.question)._asdict(), "said": said}.items():
        shares = [[share_said(thing(column), words) for column in item.columns] or [0.0] for item in items]
        yield f"{name}:best", np.asarray([max(share) for share in shares])
        yield f"{name}:mean", np.asarray([sum(share) / len(share) for share in shares])
        if name != "said":
            known = [frozenset().union(*map(stems_of, item.columns)) for item in items]
            yield f"{name}:covered", np.asarray([share_said(words, stems) for stems in known])
            yield f"{name}:words", float(len(words))
    yield "says:title", float(not said.isdisjoint(_NAMES))
    yield "says:key", float(not said.isdisjoint(_KEYS))


def _history(e: Evidence, own: Ints) -> Columns:
    """How often queries of the history group, and how often by this thing: by ``customer.id`` too where the
    item has ``customer.name``. Then what the regression says of that.
    """
    snapshot, support = e.asked.snapshot, e.asked.support
    every = np.flatnonzero(e.layout.kinds == GROUPING).tolist()
    grouping = [row for row in every if support[row] and _groups(snapshot.items[row])]
    marks = np.zeros(len(snapshot.items), dtype=np.float32)
    marks[grouping] = 1
    grouped = (snapshot.over_texts(marks) > 0) & e.asked.alive
    yield "share", float(grouped.sum() / max(1, int(e.asked.alive.sum())))
    yield "number", float(len(own))
    rows = e.rows[own]
    alike = _alike(snapshot, rows, grouping)
    yield "thing", alike @ support[grouping]
    mix = e.weights["mix"]
    said = snapshot.total(mix)
    calls, thing_said = float(mix @ grouped), alike @ said[grouping]
    yield "mix:calls", calls
    for name, values in (("item", said[rows]), ("thing", thing_said)):
        yield f"mix:{name}", values
        yield f"mix:{name}:given", values / max(calls, _FEW)
    yield "mix:item:thing", said[rows] / np.maximum(thing_said, _TINY)
    yield "mix:place", place_within(said[rows], np.zeros(len(rows), dtype=np.int32))


def _alike(snapshot: Snapshot, rows: Ints, others: Sequence[int]) -> Floats:
    """What the things of `rows` share with those of `others`, as a share of the smaller (rows x others)."""
    mine = [_things(snapshot.items[row]) for row in rows.tolist()]
    theirs = [_things(snapshot.items[row]) for row in others]
    shares = [[len(a & b) / max(1, min(len(a), len(b))) for b in theirs] for a in mine]
    return np.asarray(shares, dtype=np.float32).reshape(len(mine), len(theirs))


def _groups(item: KnowledgeItem) -> bool:
    """A window's partition does not."""
    return item.skeleton.startswith("group by")


def _things(item: KnowledgeItem) -> frozenset[str]:
    return frozenset().union(*map(thing, item.columns))
