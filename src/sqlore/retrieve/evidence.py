"""What speaks for each candidate: the columns that the learned ranker's trees ask.

All columns are numbers that mean the same on every database. `Evidence` gathers what is looked up once for a
question; each function below gives a few columns, one row a candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from sqlore.retrieve.frames import counts
from sqlore.retrieve.fuse import COLUMNS_2, relative
from sqlore.retrieve.layout import LITERALS, PROPERTIES, Layout, Names
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import GROUPS, Floats, Ints
from sqlore.retrieve.words import tokens

NEAREST: Final = (1, 3, 5, 10, 20)
_FAVOURED: Final = 12
_NOT_NEAR: Final = 30.0
_LEAST_SAID: Final = 0.02
_MOST_SAID: Final = 9.0


@dataclass(frozen=True)
class Evidence:
    """One question on its way through the ranker.

    `fused` (items) are the scores of the fusion and `design` (items x columns) what they were made of; `like`
    (texts x likenesses), `worth` (texts) and `called` (tags) come from `likeness` and `shape`; `weights` (by
    blend, texts) from `regress`; `rows` are the candidates.
    """

    asked: Asked
    layout: Layout
    design: Floats
    fused: Floats
    like: Floats
    worth: Floats
    called: Floats
    weights: Mapping[str, Floats]
    rows: Ints

    def columns(self) -> Mapping[str, Floats]:
        """Every column by name, each one number a candidate, in a fixed order."""
        item = (
            _fused,
            _neighbours,
            _by_worth,
            _regressed,
            _structure,
            _named,
            _together,
            _standing,
            _made_of,
        )
        n = len(self.rows)
        return {
            name: np.broadcast_to(np.asarray(values, dtype=np.float32), (n,))
            for part in (*item, _asked_for)
            for name, values in part(self)
        }

    def matrix(self) -> Floats:
        """The columns as a matrix (candidates x columns)."""
        return np.stack(list(self.columns().values()), axis=1).astype(np.float32)


Columns = Iterator[tuple[str, Floats | float]]


def _fused(e: Evidence) -> Columns:
    """The signals, and the fusion's score of them."""
    for place, name in enumerate(COLUMNS_2):
        yield name, e.design[e.rows, place]
    yield "fused", e.fused[e.rows]
    yield "fused:relative", relative(e.fused[:, None])[e.rows, 0]


def _neighbours(e: Evidence) -> Columns:
    """How many of the nearest texts use the item, and how near the first that does is."""
    snapshot, alive = e.asked.snapshot, e.asked.alive
    for name, near, told in (
        ("dense", e.like[:, 0], NEAREST),
        ("lexical", e.like[:, 1], NEAREST[-1:]),
        ("frame", e.like[:, 2], NEAREST[-1:]),
        ("worth", e.worth, NEAREST),
    ):
        order = np.argsort(-np.where(alive, near, -1), kind="stable")[: NEAREST[-1]]
        order = order[alive[order]]
        users = np.zeros((len(order) + 1, len(snapshot.items)), dtype=np.float32)
        for place, text in enumerate(order):
            users[place, snapshot.items_of_text[text]] = 1
        users = users[:, e.rows]
        first = np.where(users.any(axis=0), users.argmax(axis=0), _NOT_NEAR)
        yield f"{name}:first", first
        for k in told:
            yield f"{name}@{k}", users[:k].sum(axis=0) / max(1, min(k, len(order)))


def _by_worth(e: Evidence) -> Columns:
    """Votes of the texts by their worth."""
    snapshot, rows = e.asked.snapshot, e.rows
    for power in (1, 2):
        weights = e.worth**power
        votes = snapshot.total(weights) / max(float(weights.sum()), 1e-9)
        yield f"worth:votes{power}", votes[rows]
    yield "worth:votes:relative", votes[rows] / max(float(votes.max(initial=0)), 1e-9)
    best = snapshot.best(e.worth)
    yield "worth:best", best[rows]
    yield "worth:best:relative", best[rows] / max(float(best.max(initial=0)), 1e-6)
    mean = (snapshot.total(e.worth) / np.maximum(e.asked.support, 1))[rows]
    yield "worth:mean", mean
    yield "worth:mean:relative", mean / max(float(e.worth.max(initial=0)), 1e-9)
    frame = snapshot.best(e.like[:, 2])
    yield "frame:best", frame[rows]
    yield "frame:best:relative", frame[rows] / max(float(frame.max(initial=0)), 1e-6)


def _regressed(e: Evidence) -> Columns:
    """What the regressions say of the item, its tables, its columns and its tags."""
    snapshot, layout, rows = e.asked.snapshot, e.layout, e.rows
    totals = {blend: snapshot.total(weights)[rows] for blend, weights in e.weights.items()}
    for blend, weights in e.weights.items():
        said = totals[blend]
        yield blend, said
        yield f"{blend}:relative", said / max(float(said.max(initial=0)), 1e-6)
        yield f"{blend}:place", place_within(said, np.zeros(len(said), dtype=np.int32))
        if blend != "form":
            for name, names in (("table", layout.tables), ("column", layout.columns)):
                yield from _spread(f"{blend}:{name}", names, names.total(weights), rows)
        if blend != "topic":
            marks = layout.item_tags[rows]
            tags = weights @ layout.text_tags
            number = np.maximum(marks.sum(axis=1), 1)
            yield f"{blend}:tags:mean", marks @ tags / number
            yield f"{blend}:tags:min", np.where(marks > 0, tags, np.inf).min(axis=1, initial=_MOST_SAID)
            yield f"{blend}:tags:log", marks @ np.log(np.clip(tags, _LEAST_SAID, 1)) / number
    mix, said = e.weights["mix"], totals["mix"]
    yield "mix:place:kind", place_within(said, layout.kinds[rows])
    yield "mix:sum", float(said.sum())
    yield "mix:size", float(mix @ layout.sizes)
    yield "mix:largest", float(np.abs(mix).max(initial=0))


def _structure(e: Evidence) -> Columns:
    """Whether the wording calls for the item's tags: log odds, and how much above this history's custom."""
    marks = e.layout.item_tags[e.rows]
    alive = e.asked.alive
    share = (alive @ e.layout.text_tags + 0.5) / (float(alive.sum()) + 1)
    share = np.clip(share, 0.005, 0.995)
    lift = e.called - np.log(share / (1 - share))
    number = np.maximum(marks.sum(axis=1), 1)
    yield "called:mean", marks @ e.called / number
    yield "called:min", np.where(marks > 0, e.called, np.inf).min(axis=1, initial=9)
    yield "lift:mean", marks @ lift / number
    yield "lift:sum", marks @ lift
    yield "lift:min", np.where(marks > 0, lift, np.inf).min(axis=1, initial=9)
    yield "lift:max", np.where(marks > 0, lift, -np.inf).max(axis=1, initial=-9)


def _named(e: Evidence) -> Columns:
    """The item's tables and columns: how much worthy texts use them, and whether the question says them."""
    for name, names in (("table", e.layout.tables), ("column", e.layout.columns)):
        for what, values in (("votes", names.votes(e.worth)), ("said", names.said(e.asked.words))):
            yield from _spread(f"{name}:{what}", names, values, e.rows)


def _spread(name: str, names: Names, values: Floats, rows: Ints) -> Columns:
    """Smallest, largest and mean of `values` over each item's names; -1 where it has none."""
    of_item = names.of_item[rows]
    there = of_item >= 0
    found = values[of_item] if len(values) else np.zeros(of_item.shape, dtype=np.float32)
    number = there.sum(axis=1)
    yield f"{name}:min", np.where(number, np.where(there, found, np.inf).min(axis=1), -1)
    yield f"{name}:max", np.where(there, found, -1).max(axis=1)
    yield f"{name}:mean", np.where(there, found, 0).sum(axis=1) / np.maximum(number, 1)


def _together(e: Evidence) -> Columns:
    """How often the item is used where the items that the fusion favours are, and the other way round."""
    snapshot, rows = e.asked.snapshot, e.rows
    favoured = np.where(e.asked.offered, e.fused, 0)
    top = np.argsort(-favoured, kind="stable")[:_FAVOURED]
    top = top[favoured[top] > 0]
    held = np.zeros((len(top), len(snapshot.texts)), dtype=np.float32)
    for place, item in enumerate(top):
        held[place, snapshot.texts_of(item)] = 1
    held *= e.asked.alive
    both = np.stack([snapshot.total(texts)[rows] for texts in held]) if len(top) else np.zeros((1, len(rows)))
    users = held.sum(axis=1, keepdims=True) if len(top) else np.zeros((1, 1))
    weights = np.broadcast_to(favoured[top][:, None] if len(top) else np.zeros((1, 1)), both.shape)
    weights = np.where(top[:, None] == rows[None, :], 0, weights) if len(top) else weights
    whole = np.maximum(weights.sum(axis=0), 1e-6)
    given, back = both / (users + 1), both / (e.asked.support[rows] + 1)
    yield "given:mean", (given * weights).sum(axis=0) / whole
    yield "given:best", (given * weights).max(axis=0)
    yield "back:mean", (back * weights).sum(axis=0) / whole
    yield "back:best", (back * weights).max(axis=0)


def _standing(e: Evidence) -> Columns:
    """The item's place among the candidates, among those of its kind, and among its rivals."""
    scores = e.fused[e.rows]
    yield "place", place_within(scores, np.zeros(len(scores), dtype=np.int32))
    for name, groups in (("kind", e.layout.kinds), ("columns", e.layout.same_columns)):
        own = groups[e.rows]
        yield f"place:{name}", place_within(scores, own)
        yield f"best:{name}", scores / np.maximum(best_within(scores, own), 1e-6)
    tables = e.layout.same_tables[e.rows]
    yield "best:tables", scores / np.maximum(best_within(scores, tables), 1e-6)


def _made_of(e: Evidence) -> Columns:
    """What the item is: how often it is used, how large it is, which literals are written in it."""
    asked, rows, snapshot = e.asked, e.rows, e.asked.snapshot
    support = np.maximum(asked.support[rows], 1)
    yield "support", asked.support[rows]
    for place, name in enumerate(PROPERTIES):
        yield f"size:{name}", e.layout.properties[rows, place]
    alive = asked.alive[snapshot.text_of]
    for place, name in enumerate(LITERALS):
        weights = e.layout.literals[:, place] * alive
        uses = np.bincount(snapshot.item_of, weights=weights, minlength=len(snapshot.items))
        yield f"literal:{name}", uses[rows] / support
    shared = np.zeros(len(snapshot.items), dtype=np.float32)
    for _, item, text in snapshot.literal_uses(asked.question):
        shared[item] += asked.alive[text]
    yield "literal:share", shared[rows] / support


def _asked_for(e: Evidence) -> Columns:
    """The question: what it is made of, how much is known about it. The same for every candidate."""
    question, asked = e.asked.question, e.asked
    for name, number in zip(("years", "numbers", "names", "quoted"), counts(question), strict=True):
        yield f"asked:{name}", number
    yield "asked:words", len(tokens(question))
    yield "asked:texts", float(asked.alive.sum())
    yield "asked:items", float(asked.offered.sum())
    yield "asked:expected", float(e.fused[e.rows].sum())
    for name, values in (("dense", asked.dense), ("worth", e.worth)):
        best = np.sort(values)[::-1]
        yield f"asked:{name}1", float(best[0]) if len(best) else 0.0
        yield f"asked:{name}5", float(best[4]) if len(best) > 4 else 0.0
    for place, kind in enumerate(GROUPS):
        own = e.layout.kinds[e.rows] == place
        yield f"asked:{kind}", float(e.fused[e.rows][own].sum())


def best_within(scores: Floats, groups: Ints) -> Floats:
    """For each row the best score of its group."""
    best: Floats = np.zeros(int(groups.max(initial=0)) + 1, dtype=np.float32)
    np.maximum.at(best, groups, scores)
    return best[groups]


def place_within(scores: Floats, groups: Ints) -> Floats:
    """For each row how many of its group score higher; ties by row."""
    order = np.lexsort((-scores, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    places = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    out: Floats = np.empty(len(order), dtype=np.float32)
    out[order] = places
    return out
