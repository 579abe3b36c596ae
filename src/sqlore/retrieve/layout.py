"""What the learned ranker asks of a snapshot beside its signals: tags, tables, columns, literals, frames.

Made once a snapshot. Everything that depends on who uses an item is kept by use or by text, so that a
withheld text can be left out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sqlore.model import KnowledgeItem
from sqlore.retrieve.frames import grams
from sqlore.retrieve.part import Part
from sqlore.retrieve.postings import places_of
from sqlore.retrieve.shape import Shape
from sqlore.retrieve.snapshot import GROUPS, Bools, Floats, Ints, Postings, Snapshot, pair_keys
from sqlore.retrieve.tags import tags
from sqlore.retrieve.words import stems

LITERALS: Final = ("number", "year", "date", "text")
PROPERTIES: Final = ("tables", "columns", "length", "values", "selects", "brackets", "twice")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_NUMBER: Final = re.compile(r"-?[\d.]+")
_DATE: Final = re.compile(r"\d{4}-\d\d|\d+/\d+")


@dataclass(frozen=True, slots=True)
class Names:
    """The tables, or the columns, that items and texts name.

    `of_item` (items x most, -1 where an item names fewer) holds numbers of names; `texts`, `names` are the
    pairs (text, name), each once; `words` are the stems of each name.
    """

    of_item: Ints
    texts: Ints
    names: Ints
    words: Sequence[frozenset[str]]

    def part(self, part: Part) -> Names:
        """The names of the items and texts of `part`."""
        of_item = self.of_item[part.item_rows]
        used = np.unique(of_item)
        used = used[used >= 0]
        # The place beyond the last name takes the -1 that stands for none, and gives it back.
        places = places_of(used, len(self.words) + 1)
        starts = np.searchsorted(self.texts, part.text_rows)
        stops = np.searchsorted(self.texts, part.text_rows, side="right")
        texts = np.repeat(np.arange(len(starts), dtype=np.int32), stops - starts)
        before = np.cumsum(stops - starts) - (stops - starts)
        rows = np.arange(len(texts)) + np.repeat(starts - before, stops - starts)
        return Names(places[of_item], texts, places[self.names[rows]], [self.words[name] for name in used])

    def total(self, weights: Floats) -> Floats:
        """For each name the sum of `weights` (one a text) over the texts that use it."""
        return np.bincount(self.names, weights=weights[self.texts], minlength=len(self.words)).astype(
            np.float32
        )

    def votes(self, weights: Floats) -> Floats:
        """For each name the share of `weights` (one a text) of the texts that use it."""
        share: Floats = self.total(weights) / max(float(weights.sum()), 1e-9)
        return share

    def said(self, words: Iterable[str]) -> Floats:
        """For each name the share of its stems that are among `words`."""
        given = frozenset(words)
        return np.asarray([len(own & given) / max(1, len(own)) for own in self.words], dtype=np.float32)


class Layout:
    """The arrays, for one snapshot and the tags that a model knows."""

    def __init__(self, snapshot: Snapshot, known: Sequence[str]) -> None:
        items = snapshot.items
        self.snapshot: Snapshot = snapshot
        self.frames = Postings(grams(text.words) for text in snapshot.texts)
        self.item_tags = _tag_marks(items, known)
        self.text_tags: Floats = np.zeros((len(snapshot.texts), len(known)), dtype=np.float32)
        np.maximum.at(self.text_tags, snapshot.text_of, self.item_tags[snapshot.item_of])
        self.tables = _names(snapshot, [item.tables for item in items])
        self.columns = _names(snapshot, [item.columns for item in items])
        self.literals = _literal_marks(snapshot)
        self.properties = _properties(items)
        self.kinds = np.asarray([GROUPS.index(item.kind) for item in items], dtype=np.int32)
        self.same_columns = _numbered((item.kind, item.columns) for item in items)
        self.same_tables = _numbered((item.kind, item.tables) for item in items)
        self.sizes = np.bincount(snapshot.text_of, minlength=len(snapshot.texts)).astype(np.float32)
        self._whole = self
        self._chances: Floats = np.empty((len(snapshot.texts), len(known)), dtype=np.float32)
        self._known: Bools = np.zeros(len(snapshot.texts), dtype=np.bool_)

    def chances(self, shape: Shape, rows: Ints) -> Floats:
        """How likely the wording of each of these texts calls for each tag (rows x tags).

        Looked up once a text; `shape` is the same each time.
        """
        if isinstance(self.snapshot, Part):
            return self._whole.chances(shape, self.snapshot.text_rows[rows])
        for row in rows[~self._known[rows]].tolist():
            self._chances[row] = shape.chances(self.snapshot.texts[row].words)
            self._known[row] = True
        return self._chances[rows]

    def part(self, part: Part) -> Layout:
        """The layout of a part of the snapshot."""
        out = object.__new__(Layout)
        items, texts = part.item_rows, part.text_rows
        out.snapshot, out._whole = part, self._whole
        out.frames = self.frames.part(texts, part.text_places)
        out.item_tags, out.text_tags = self.item_tags[items], self.text_tags[texts]
        out.tables, out.columns = self.tables.part(part), self.columns.part(part)
        out.literals, out.sizes = self.literals[part.pairs], self.sizes[texts]
        out.properties, out.kinds = self.properties[items], self.kinds[items]
        out.same_columns, out.same_tables = self.same_columns[items], self.same_tables[items]
        return out


def _tag_marks(items: Sequence[KnowledgeItem], known: Sequence[str]) -> Floats:
    places = {tag: place for place, tag in enumerate(known)}
    marks = np.zeros((len(items), len(known)), dtype=np.float32)
    for row, item in enumerate(items):
        marks[row, [places[tag] for tag in tags(item.kind, item.skeleton) if tag in places]] = 1
    return marks


def _names(snapshot: Snapshot, named: Sequence[Sequence[str]]) -> Names:
    numbers: dict[str, int] = {}
    of_item = np.full((len(named), max([1, *map(len, named)])), -1, dtype=np.int32)
    for row, names in enumerate(named):
        for place, name in enumerate(names):
            of_item[row, place] = numbers.setdefault(name.lower(), len(numbers))
    names_of_use = of_item[snapshot.item_of]
    texts = np.repeat(snapshot.text_of, of_item.shape[1])[names_of_use.ravel() >= 0]
    pairs = np.unique(np.stack([texts, names_of_use[names_of_use >= 0]], axis=1), axis=0)
    words = [frozenset(stems(re.sub(r"[_.]", " ", name.rpartition(".")[2]))) for name in numbers]
    return Names(of_item, pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), words)


def _literal_marks(snapshot: Snapshot) -> Floats:
    """One row a pair (item, text) of the snapshot, one column a sort of literal: 1 where it has one."""
    keys = snapshot.item_of.astype(np.int64) * max(1, len(snapshot.texts)) + snapshot.text_of
    rows = np.searchsorted(keys, pair_keys(snapshot.uses, len(snapshot.texts)))
    marks = np.zeros((len(keys), len(LITERALS)), dtype=np.float32)
    for row, use in zip(rows.tolist(), snapshot.uses, strict=True):
        for literal in use.literals:
            marks[row, LITERALS.index(sort_of(literal))] = 1
    return marks


def sort_of(literal: str) -> str:
    """Which of `LITERALS` it is.

    >>> [sort_of(one) for one in ("3.5", "2012", "2012-08-01", "Marvel Comics")]
    ['number', 'year', 'date', 'text']
    """
    text = literal.strip()
    if _YEAR.fullmatch(text):
        return "year"
    if _NUMBER.fullmatch(text):
        return "number"
    return "date" if _DATE.match(text) else "text"


def _properties(items: Sequence[KnowledgeItem]) -> Floats:
    rows = [
        (
            len(item.tables),
            len(item.columns),
            len(item.skeleton),
            item.skeleton.count("<val>"),
            item.skeleton.count("(select"),
            item.skeleton.count("("),
            "#2" in item.skeleton,
        )
        for item in items
    ]
    return np.asarray(rows, dtype=np.float32).reshape(len(items), len(PROPERTIES))


def _numbered(keys: Iterable[Any]) -> NDArray[np.int32]:
    numbers: dict[Any, int] = {}
    return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int32)
