"""What speaks for an item: one column of numbers a signal, one row an item.

Every signal is a pure function of the snapshot, the question and which texts may be used. None is trained,
so each means the same on every database; how much it is worth is for the ranker to say (`fuse`, `learned`).
None reads an item's description or its vector: these quote literals of single scripts, which a withheld
script could not take back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from sqlore.model import ValueMatch
from sqlore.retrieve.phrases import Phrase
from sqlore.retrieve.snapshot import Bools, Floats, Snapshot
from sqlore.retrieve.structure import TRAITS, called
from sqlore.retrieve.words import stems

SIGNALS: Final[tuple[str, ...]] = (
    "votes",
    "lexical_votes",
    "nearest",
    "nearest_words",
    "words_of_item",
    "words_of_question",
    "association",
    "share",
    "literal",
    "value",
    "called",
    "uncalled",
)
COMPANY: Final[tuple[str, ...]] = ("company", "company_best", "tables")

#: Votes are weighted by similarity to this power: it makes the near ones count and the many not.
POWER: Final = 4.0
_SLICE: Final = 64


@dataclass
class Asked:
    """A question with everything looked up for it.

    `vector` (d) and `part_vectors` (phrases x d) are unit, or None where there is no embedding model.
    """

    question: str
    snapshot: Snapshot
    alive: Bools
    phrases: Sequence[Phrase] = ()
    vector: Floats | None = None
    part_vectors: Floats | None = None
    values: Sequence[ValueMatch] = ()
    support: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.support = self.snapshot.total(self.alive.astype(np.float32))

    @property
    def offered(self) -> Bools:
        """Items that at least one text that may be used holds."""
        return self.support > 0

    @cached_property
    def words(self) -> list[str]:
        return stems(self.question)

    @cached_property
    def dense(self) -> Floats:
        """Similarity of the question to each text's words, 0..1; zeros without vectors."""
        matrix = self.snapshot.text_vectors
        if self.vector is None or not matrix.shape[1]:
            return np.zeros(len(self.snapshot.texts), dtype=np.float32)
        return np.clip(cosines(matrix, self.vector[None])[:, 0], 0, 1) * self.alive

    @cached_property
    def same(self) -> Bools:
        """Texts that ask this very question: the same words, whatever their order."""
        same: Bools = np.zeros(len(self.snapshot.texts), dtype=np.bool_)
        same[self.snapshot.asking(frozenset(self.words))] = bool(self.words)
        return same & self.alive

    @cached_property
    def lexical(self) -> Floats:
        """BM25 of the question on each text's words, as a share of what the question could score."""
        return self.snapshot.text_words.likeness(self.words, self.alive)


def cosines(matrix: Floats, vectors: Floats) -> Floats:
    """``matrix @ vectors.T`` for unit rows, shape (rows, vectors), on one core.

    BLAS starts a thread a core for a product above some size, and where the cores are busy it waits for them
    a hundred times longer than the product takes. Slices stay below that size.
    """
    if len(vectors) == 1:
        product: Floats = np.einsum("ij,kj->ik", matrix, vectors)
        return product
    out = np.empty((len(matrix), len(vectors)), dtype=np.float32)
    for start in range(0, len(matrix), _SLICE):
        rows = slice(start, start + _SLICE)
        np.matmul(matrix[rows], vectors.T, out=out[rows])
    return out


def measure(asked: Asked) -> Floats:
    """The matrix (items x len(SIGNALS)) of one question, columns in the order of `SIGNALS`."""
    snapshot = asked.snapshot
    of_item, of_question = snapshot.item_words.overlap(asked.words, asked.offered)
    wanted, unwanted = _structure(asked)
    columns = (
        _votes(snapshot, asked.dense),
        _votes(snapshot, asked.lexical),
        snapshot.best(asked.dense),
        snapshot.best(asked.lexical),
        of_item,
        of_question,
        _association(asked),
        asked.support / max(1.0, float(asked.alive.sum())),
        _literals(asked),
        _values(asked),
        wanted,
        unwanted,
    )
    return np.stack(columns, axis=1).astype(np.float32)


def keep_company(asked: Asked, scores: Floats) -> Floats:
    """The matrix (items x len(COMPANY)): how well each item goes with those that `scores` (0..1) favours.

    A text whose items are the favoured ones votes again, for all it holds: the join goes with its filter.
    `tables` asks whether other favoured items name the same tables; a join needs both of its.
    """
    snapshot = asked.snapshot
    favoured = np.where(asked.offered, scores, 0).astype(np.float32)
    sizes = np.maximum(snapshot.over_texts(asked.offered.astype(np.float32)), 1)
    norm = max(float(np.sqrt((favoured**2).sum())), 1e-6)
    fit = np.clip(snapshot.over_texts(favoured) / np.sqrt(sizes) / norm, 0, 1) * asked.alive
    columns = (_votes(snapshot, fit), snapshot.best(fit), _table_company(snapshot, favoured))
    return np.stack(columns, axis=1).astype(np.float32)


def _votes(snapshot: Snapshot, similarity: Floats) -> Floats:
    weights = similarity**POWER
    return snapshot.total(weights) / max(float(weights.sum()), 1e-9)


def _association(asked: Asked) -> Floats:
    """Mean log odds of meeting the item in texts with the question's words, against texts at large.

    The counts are drawn toward the item's overall share, so that a word seen once says little.
    """
    snapshot = asked.snapshot
    n = max(1.0, float(asked.alive.sum()))
    share = (asked.support + 0.5) / (n + 1)
    total = np.zeros(len(snapshot.items), dtype=np.float32)
    weight = 0.0
    for word in set(asked.words):
        rows = snapshot.text_words.rows(word)
        rows = rows[asked.alive[rows]]
        if len(rows):
            held = np.zeros(len(snapshot.texts), dtype=np.float32)
            held[rows] = 1
            seen = (snapshot.total(held) + 2 * share) / (len(rows) + 2)
            rarity = snapshot.text_words.rarity(word, asked.alive)
            total += rarity * np.log(seen / share)
            weight += rarity
    return total / max(weight, 1e-6)


def _literals(asked: Asked) -> Floats:
    """1 where a literal of the item stands in the question; short numbers stand in too many to count."""
    found = np.zeros(len(asked.snapshot.items), dtype=np.float32)
    for literal, item, text in asked.snapshot.literal_uses(asked.question):
        if asked.alive[text]:
            strength = min(1.0, (len(literal) - 1) / 3) if literal.isdigit() else 1.0
            found[item] = max(found[item], strength)
    return found


def _values(asked: Asked) -> Floats:
    """Best score of a value of the question that is found in one of the item's columns."""
    found = np.zeros(len(asked.snapshot.items), dtype=np.float32)
    for match in asked.values:
        rows = asked.snapshot.items_of_column.get(f"{match.table}.{match.column}".lower())
        if rows is not None:
            found[rows] = np.maximum(found[rows], match.score)
    return found


def _structure(asked: Asked) -> tuple[Floats, Floats]:
    """How many traits of each item's skeleton the question calls for, and how many it does not."""
    wanted = called(asked.question)
    marks = np.asarray([trait in wanted for trait in TRAITS], dtype=np.float32)
    shapes = asked.snapshot.item_traits
    return shapes @ marks, shapes @ (1 - marks)


def _table_company(snapshot: Snapshot, favoured: Floats) -> Floats:
    """For each item the smallest, over its tables, of the best score of another item on that table."""
    return snapshot.items_of_table.best_of_others(favoured)
