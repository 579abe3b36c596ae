"""A store's knowledge as arrays: what every question is answered from.

Read once and kept until the store changes. A *text* is one stored SQL text with its question; an *item* is
a knowledge item that may be offered. Everything a ranker asks is a sum or a maximum over the *uses*, the
pairs (text, item): so withholding a text (leave-one-out) is one zero in `alive`, and takes with it its
support, its votes, its literals and its company.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sqlore.model import KnowledgeItem
from sqlore.retrieve.indexes import ByName, Lists, Literals
from sqlore.retrieve.postings import Bools, Floats, Ints, Postings
from sqlore.retrieve.structure import TRAITS, traits
from sqlore.retrieve.words import stems

__all__ = [
    "GROUPS",
    "Bools",
    "ByName",
    "Floats",
    "Ints",
    "Lists",
    "Postings",
    "Snapshot",
    "Text",
    "Use",
    "no_vectors",
    "pair_keys",
    "words_of",
]

#: Groups of items whose scores start from different levels.
GROUPS: Final = ("calculation", "condition", "relation", "dimension", "output")


@dataclass(frozen=True, slots=True)
class Text:
    """One stored SQL text: `script` is the script it is kept under, `words` what it is found by.

    `said` is its question or comment where somebody wrote one; the words are the description otherwise.
    `names` is what its SQL calls its formulas.
    """

    id: int
    script: int
    key: str = ""
    words: str = ""
    sql: str = ""
    said: str = ""
    synthetic: bool = False
    verified: bool = False
    names: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """Text number `text` uses item number `item` with these literals."""

    text: int
    item: int
    literals: tuple[str, ...] = ()


class Snapshot:
    """The arrays. `item_vectors` (items x d) and `text_vectors` (texts x d) hold unit rows, or d = 0; the
    items' may come as a function that reads them, because few ask for them.

    `undeliverable` are texts that may speak for their items but not be shown: something in them is stale,
    they have placeholders where another text of their script has values, or they are several queries.
    `notes` are words that people or models wrote about an item, by its row.

    `item_of` and `text_of` are the pairs (item, text), sorted.
    """

    items: Sequence[KnowledgeItem]
    texts: Sequence[Text]
    uses: Sequence[Use]
    text_vectors: Floats
    undeliverable: frozenset[int]
    item_of: Ints
    text_of: Ints
    items_of_text: Lists
    pairs_of_text: Lists
    text_words: Postings
    item_words: Postings
    items_of_column: ByName
    items_of_table: ByName
    characters: NDArray[np.int64]
    synthetic: Bools
    verified: Bools
    item_traits: Floats
    item_groups: Floats
    _first: NDArray[np.int64]

    def __init__(
        self,
        items: Sequence[KnowledgeItem],
        texts: Sequence[Text],
        uses: Sequence[Use],
        item_vectors: Floats | Callable[[], Floats],
        text_vectors: Floats,
        undeliverable: frozenset[int] = frozenset(),
        notes: Mapping[int, str] | None = None,
    ) -> None:
        self.items, self.texts, self.uses = items, texts, uses
        self._item_vectors, self.text_vectors = item_vectors, text_vectors
        self.undeliverable = undeliverable
        self.hidden = np.zeros(len(texts), dtype=np.bool_)
        self.hidden[list(undeliverable)] = True
        noted = notes or {}
        keys = np.unique(pair_keys(uses, len(texts)))
        self.item_of = (keys // max(1, len(texts))).astype(np.int32)
        self.text_of = (keys % max(1, len(texts))).astype(np.int32)
        self._group()
        self.text_words = Postings(stems(f"{text.words} {text.names}") for text in texts)
        self.characters = np.asarray([len(text.sql) + len(text.words) for text in texts], dtype=np.int64)
        self._asking = _by_words(stems(text.words) for text in texts)
        self.item_words = Postings(words_of(item, noted.get(row, "")) for row, item in enumerate(items))
        self.synthetic = np.asarray([text.synthetic for text in texts], dtype=np.bool_)
        self.verified = np.asarray([item.trust == "verified" for item in items], dtype=np.bool_)
        self.items_of_column = ByName.of(item.columns for item in items)
        self.item_traits = _marks([traits(item.skeleton) for item in items], TRAITS)
        self.item_groups = _marks([(item.kind,) for item in items], GROUPS)
        self.items_of_table = ByName.of(item.tables for item in items)

    def _group(self) -> None:
        """The pairs, by item and by text."""
        numbers = np.arange(len(self.items) + 1)
        self._first = np.searchsorted(self.item_of, numbers).astype(np.int64)
        by_text = np.argsort(self.text_of, kind="stable")
        starts = np.searchsorted(self.text_of[by_text], np.arange(len(self.texts) + 1)).astype(np.int64)
        self.pairs_of_text = Lists(starts, by_text.astype(np.int32))
        self.items_of_text = Lists(starts, self.item_of[by_text])

    @cached_property
    def item_vectors(self) -> Floats:
        """Unit rows (items x d), or d = 0."""
        return self._item_vectors() if callable(self._item_vectors) else self._item_vectors

    @cached_property
    def said(self) -> Bools:
        """Which texts have words that somebody wrote."""
        return np.asarray([bool(text.said) for text in self.texts], dtype=np.bool_)

    @cached_property
    def literals_of(self) -> Mapping[tuple[int, int], Sequence[tuple[str, ...]]]:
        """The literals of each use, by (item, text)."""
        found: dict[tuple[int, int], list[tuple[str, ...]]] = {}
        for use in self.uses:
            if use.literals:
                found.setdefault((use.item, use.text), []).append(use.literals)
        return found

    @cached_property
    def _literals(self) -> Literals:
        return Literals((literal, use.item, use.text) for use in self.uses for literal in use.literals)

    # -------------------------------------------------- over the uses

    def total(self, weights: Floats) -> Floats:
        """For each item the sum of `weights` (one a text) over the texts that use it."""
        values = weights[self.text_of]
        return np.bincount(self.item_of, weights=values, minlength=len(self.items)).astype(np.float32)

    def best(self, values: Floats) -> Floats:
        """For each item the largest of `values` (one a text, none negative) among the texts that use it."""
        out: Floats = np.zeros(len(self.items), dtype=np.float32)
        used = self._first[:-1] < self._first[1:]
        if used.any():
            out[used] = np.maximum.reduceat(values[self.text_of], self._first[:-1][used])
        return out

    def texts_of(self, item: int) -> Ints:
        """Numbers of the texts that use item number `item`."""
        return self.text_of[self._first[item] : self._first[item + 1]]

    def over_texts(self, values: Floats) -> Floats:
        """For each text the sum of `values` (one an item) over the items it uses."""
        weights = values[self.item_of]
        return np.bincount(self.text_of, weights=weights, minlength=len(self.texts)).astype(np.float32)

    # -------------------------------------------------- withholding

    @cached_property
    def script_ids(self) -> frozenset[int]:
        """The ids of the scripts."""
        return frozenset(text.script for text in self.texts)

    @cached_property
    def scripts_of_key(self) -> Mapping[str, frozenset[int]]:
        """The ids of the scripts that have a text with this key of its source."""
        found: dict[str, set[int]] = {}
        for text in self.texts:
            if text.key:
                found.setdefault(text.key, set()).add(text.script)
        return {key: frozenset(scripts) for key, scripts in found.items()}

    def alive(self, exclude: Collection[int | str]) -> Bools:
        """Which texts may be used: `exclude` names scripts by their id, or texts by their source's key."""
        if not exclude:
            return np.ones(len(self.texts), dtype=np.bool_)
        held = (text.script in exclude or (bool(text.key) and text.key in exclude) for text in self.texts)
        return ~np.fromiter(held, np.bool_, len(self.texts))

    def asking(self, words: frozenset[str]) -> Ints:
        """The texts that ask with exactly these words, whatever their order."""
        return np.asarray(self._asking.get(hash(words), ()), dtype=np.int32)

    def literal_uses(self, question: str) -> list[tuple[str, int, int]]:
        """(literal, item, text) of every use whose literal stands in `question`."""
        return [
            (literal, item, text)
            for literal, items, texts in self.literal_rows(question)
            for item, text in zip(items.tolist(), texts.tolist(), strict=True)
        ]

    def literal_rows(self, question: str) -> list[tuple[str, Ints, Ints]]:
        """Each literal that stands in `question`, as often as it does, with the items and texts using it."""
        return self._literals.rows(question)


def words_of(item: KnowledgeItem, note: str = "") -> list[str]:
    """What an item can be found by whoever uses it: the names in its skeleton, and what was noted about it.

    Its description by rule quotes literals, and its aliases are those of single scripts: both would tell of a
    script that is withheld.
    """
    names = " ".join((*item.columns, *item.tables)).replace(".", " ").replace("_", " ")
    return stems(f"{names} {note}")


def _by_words(texts: Iterable[Collection[str]]) -> Mapping[int, Sequence[int]]:
    """The texts by the hash of the set of their words."""
    rows: dict[int, list[int]] = {}
    for row, words in enumerate(texts):
        rows.setdefault(hash(frozenset(words)), []).append(row)
    return rows


def pair_keys(uses: Sequence[Use], texts: int) -> NDArray[np.int64]:
    """One number a use, the same for the same item and text, in the order of items and then of texts."""
    items = np.fromiter((use.item for use in uses), np.int64, len(uses))
    out: NDArray[np.int64] = items * max(1, texts) + np.fromiter(
        (use.text for use in uses), np.int64, len(uses)
    )
    return out


def _marks(rows: Sequence[Collection[str]], names: Sequence[str]) -> Floats:
    """One row a group of names, one column a name: 1 where the row has it."""
    marks = [[name in row for name in names] for row in rows]
    return np.asarray(marks, dtype=np.float32).reshape(len(rows), len(names))


def no_vectors(rows: int) -> Floats:
    """Stands in for the vectors of a store that has none."""
    return np.zeros((rows, 0), dtype=np.float32)
