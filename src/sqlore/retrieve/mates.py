"""How each candidate goes with the others: the columns of the learned ranker's second round.

The first round scores items one by one; here its scores say who is there already. A filter brings its join, a
second superlative is not needed, and a tag that the wording calls for and nobody supplies speaks for whoever
has it (BIRD-History, section 5.4, on co-occurrence and near-identical fragments).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np

from sqlore.retrieve.evidence import Evidence, place_within
from sqlore.retrieve.snapshot import GROUPS, Floats, Ints

_RELATION: Final = GROUPS.index("relation")
_NONE: Final = 9.0
Columns = Iterator[tuple[str, Floats | float]]


def mates(e: Evidence, chances: Floats) -> Mapping[str, Floats]:
    """Columns by name, one number a candidate; `chances` (candidates) are the first round's."""
    parts = (_votes, _pairs, _rivals, _supply, _tables, _own)
    n = len(e.rows)
    return {
        name: np.broadcast_to(np.asarray(values, dtype=np.float32), (n,))
        for part in parts
        for name, values in part(e, chances)
    }


def _votes(e: Evidence, chances: Floats) -> Columns:
    """Votes of the texts by how much of what is favoured they hold, and of nothing else."""
    snapshot, alive = e.asked.snapshot, e.asked.alive
    favoured = np.zeros(len(snapshot.items), dtype=np.float32)
    favoured[e.rows] = chances
    held = snapshot.over_texts(favoured)
    sizes = np.maximum(snapshot.over_texts(e.asked.offered.astype(np.float32)), 1)
    norm = max(float(np.sqrt((favoured**2).sum())), 1e-6)
    cosine = (held / np.sqrt(sizes) / norm * alive).astype(np.float32)
    overlap = (2 * held / (sizes + favoured.sum()) * alive).astype(np.float32)
    for name, weights in (
        ("cosine", cosine**4),
        ("overlap", overlap**3),
        ("worth", (overlap * np.sqrt(e.worth)) ** 2),
    ):
        yield f"mates:{name}", snapshot.total(weights)[e.rows] / max(float(weights.sum()), 1e-9)
    yield "mates:best", snapshot.best(overlap)[e.rows]


def _pairs(e: Evidence, chances: Floats) -> Columns:
    """Share of an item's texts that hold another, both ways, weighed by the other's chance; and the lift."""
    snapshot = e.asked.snapshot
    held = np.zeros((len(e.rows), len(snapshot.texts)), dtype=np.float32)
    for place, item in enumerate(e.rows):
        held[place, snapshot.texts_of(item)] = 1
    held *= e.asked.alive
    both = _product(held)
    uses = held.sum(axis=1)
    alone = np.eye(len(held), dtype=bool)
    others = np.where(alone, 0, chances[None, :])
    whole = np.maximum(others.sum(axis=1), 1e-6)
    given = np.where(alone, 0, both / (uses[None, :] + 1))
    back = np.where(alone, 0, both / (uses[:, None] + 1))
    by_chance = uses[:, None] * uses[None, :] / max(1.0, float(e.asked.alive.sum()))
    lift = np.where(alone, 0, np.log((both + by_chance / 2 + 0.05) / (by_chance * 1.5 + 0.05)))
    for name, shares in (("given", given), ("back", back)):
        yield f"mates:{name}:mean", (shares * others).sum(axis=1) / whole
        yield f"mates:{name}:best", (shares * others).max(axis=1, initial=0)
    yield "mates:lift:mean", (lift * others).sum(axis=1) / whole
    yield "mates:lift:least", (lift * others).min(axis=1, initial=0)


def _product(held: Floats) -> Floats:
    """``held @ held.T``, in slices that one core multiplies."""
    both: Floats = np.zeros((len(held), len(held)), dtype=np.float32)
    for start in range(0, held.shape[1], 512):
        part = held[:, start : start + 512]
        both += part @ part.T
    return both


def _rivals(e: Evidence, chances: Floats) -> Columns:
    """Best and summed chance of others that could stand in the item's place, and how many are ahead of it."""
    alone = np.eye(len(e.rows), dtype=bool)
    for name, groups in (
        ("kind", e.layout.kinds),
        ("columns", e.layout.same_columns),
        ("tables", e.layout.same_tables),
    ):
        own = groups[e.rows]
        same = (own[:, None] == own[None, :]) & ~alone
        yield f"rivals:{name}:best", (same * chances).max(axis=1, initial=0)
        yield f"rivals:{name}:sum", (same * chances).sum(axis=1)
        yield f"rivals:{name}:ahead", (same & (chances[None, :] > chances[:, None])).sum(axis=1)
    marks = e.layout.item_tags[e.rows]
    unit = marks / np.maximum(np.linalg.norm(marks, axis=1, keepdims=True), 1e-6)
    alike = np.where(alone, 0, (unit @ unit.T) ** 4)
    yield "rivals:tags:sum", (alike * chances).sum(axis=1)
    yield "rivals:tags:best", (alike * chances).max(axis=1, initial=0)


def _supply(e: Evidence, chances: Floats) -> Columns:
    """How much of what the wording calls for, and the others do not supply, the item has."""
    marks = e.layout.item_tags[e.rows]
    needed = 1 / (1 + np.exp(-e.called))
    supplied = marks * chances[:, None]
    missing = marks * needed * (1 - np.minimum(supplied.sum(axis=0) - supplied, 1))
    yield "missing:best", missing.max(axis=1, initial=0)
    yield "missing:mean", missing.sum(axis=1) / np.maximum(marks.sum(axis=1), 1)


def _tables(e: Evidence, chances: Floats) -> Columns:
    """Whether others touch the item's tables, best of any kind; which are joined, and which filtered."""
    of_item = e.layout.tables.of_item[e.rows]
    joins = e.layout.kinds[e.rows] == _RELATION
    number = len(e.layout.tables.words)
    best = _best_of_others(of_item, chances, number)
    there = of_item >= 0
    yield "touched:least", np.where(there, best, _NONE).min(axis=1)
    yield "touched:most", np.where(there, best, -1).max(axis=1)
    for name, counted in (("joined", joins), ("filtered", ~joins)):
        own = np.where(counted, chances, 0)
        total = np.zeros(number + 1, dtype=np.float32)
        np.add.at(total, of_item, np.broadcast_to(own[:, None], of_item.shape) * there)
        others = np.where(there, total[of_item] - own[:, None], _NONE)
        yield f"touched:{name}", others.min(axis=1)


def _best_of_others(of_item: Ints, chances: Floats, number: int) -> Floats:
    """For each candidate and each of its tables the best chance of another candidate on that table."""
    on = np.zeros((number + 1, len(chances)), dtype=np.float32)
    for place in range(of_item.shape[1]):
        on[of_item[:, place], np.arange(len(chances))] = chances
    ordered = np.sort(on, axis=1)
    first = ordered[:, -1]
    second = ordered[:, -2] if len(chances) > 1 else np.zeros_like(first)
    own: Floats = np.where(chances[:, None] >= first[of_item], second[of_item], first[of_item])
    return own


def _own(e: Evidence, chances: Floats) -> Columns:
    """The first round's own answer."""
    yield "first", chances
    yield "first:place", place_within(chances, np.zeros(len(chances), dtype=np.int32))
    yield "first:relative", chances / max(float(chances.max(initial=0)), 1e-6)
    yield "first:expected", float(chances.sum())
    yield "first:likely", float((chances > 0.5).sum())
