"""The neighbourhood of a question: the part of a large store that is worth looking at closely.

Every text of the store is compared with the question, by meaning and by words, which is two passes over
arrays; the ranker then sees the nearest texts and their items alone (`part`). So only the two passes grow
with the store. Smaller stores are looked at whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from sqlore.model import ValueMatch
from sqlore.retrieve.part import Part
from sqlore.retrieve.signals import cosines
from sqlore.retrieve.snapshot import Bools, Floats, Ints, Snapshot
from sqlore.retrieve.words import stems

__all__ = ["ENOUGH", "NEAREST", "neighbourhood"]

#: Items up to which a store is looked at whole.
ENOUGH: Final = 5000
#: Texts of a neighbourhood.
NEAREST: Final = 2000
_LITERAL: Final = 0.5
_BY_VALUE: Final = 20


def neighbourhood(
    snapshot: Snapshot,
    question: str,
    alive: Bools,
    vector: Floats | None = None,
    values: Sequence[ValueMatch] = (),
    *,
    nearest: int | None = None,
) -> tuple[Snapshot, Bools]:
    """What is to be asked, and which of its texts may be used: the snapshot as it is up to `ENOUGH` items,
    else the part with the `nearest` texts (`NEAREST`) that may be used.

    Near is a text like the question in meaning (`vector`) or words; nearer with a literal that stands in the
    question, or using a column in which a value of the question is found. One that asks the same is in.
    """
    words, nearest = stems(question), nearest or NEAREST
    if len(snapshot.items) <= ENOUGH or len(snapshot.texts) <= nearest or not words:
        return snapshot, alive
    near = _relative(snapshot.text_words.likeness(words, alive))
    if vector is not None and snapshot.text_vectors.shape[1]:
        near += _relative(cosines(snapshot.text_vectors, vector[None])[:, 0])
    for _, _, texts in snapshot.literal_rows(question):
        near[np.unique(texts)] += _LITERAL
    for match in values:
        items = snapshot.items_of_column.get(f"{match.table}.{match.column}".lower())
        if items is not None:
            users = np.unique(np.concatenate([snapshot.texts_of(item) for item in items.tolist()]))
            near[users[np.argsort(-near[users], kind="stable")[:_BY_VALUE]]] += 1
    near[snapshot.asking(frozenset(words))] = np.inf
    near[~alive] = -np.inf
    best = np.argpartition(-near, nearest)[:nearest]
    rows: Ints = np.sort(best[alive[best]]).astype(np.int32)
    return Part(snapshot, rows, alive), np.ones(len(rows), dtype=np.bool_)


def _relative(scores: Floats) -> Floats:
    out: Floats = scores / max(float(scores.max(initial=0)), 1e-6)
    return out
