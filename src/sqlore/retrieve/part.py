"""A part of a snapshot: some of its texts with all of their items, as if nothing else had been learned.

What a ranker computes grows with the texts and items that it is shown. In a large store most of them have
nothing to do with the question, so it is shown the neighbourhood (`near`), which is small whatever the size
of the store. A part answers as the snapshot of a store with these texts alone would: support, rarity and
company are counted within it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sqlore.retrieve.postings import places_of, spans
from sqlore.retrieve.snapshot import Bools, Floats, Ints, Snapshot, Use

__all__ = ["Part"]


class Part(Snapshot):
    """The texts `text_rows` (ascending) of the snapshot `whole`, and the items `item_rows` that they use.

    `spoken` (texts of the whole) says which texts may be used at all: an item is described as it is known
    from these, not from those of the part alone.
    """

    def __init__(self, whole: Snapshot, text_rows: Ints, spoken: Bools) -> None:
        self.whole, self.text_rows, self.spoken = whole, text_rows, spoken
        self.pairs = np.sort(whole.pairs_of_text.values[spans(whole.pairs_of_text.starts, text_rows)])
        self.item_rows: Ints = np.unique(whole.item_of[self.pairs]).astype(np.int32)
        self.text_places = places_of(text_rows, len(whole.texts))
        self.item_places = places_of(self.item_rows, len(whole.items))
        self.items = [whole.items[row] for row in self.item_rows.tolist()]
        self.texts = [whole.texts[row] for row in text_rows.tolist()]
        self.item_of = self.item_places[whole.item_of[self.pairs]]
        self.text_of = self.text_places[whole.text_of[self.pairs]]
        self._literal_rows: dict[str, list[tuple[str, Ints, Ints]]] = {}
        self._group()
        self._take()

    def _take(self) -> None:
        whole, items, texts = self.whole, self.item_rows, self.text_rows
        self.text_vectors = whole.text_vectors[texts]
        self.text_words = whole.text_words.part(texts, self.text_places)
        self.item_words = whole.item_words.part(items, self.item_places)
        self.items_of_column = whole.items_of_column.part(items, self.item_places)
        self.items_of_table = whole.items_of_table.part(items, self.item_places)
        self.characters, self.synthetic = whole.characters[texts], whole.synthetic[texts]
        self.verified, self.item_groups = whole.verified[items], whole.item_groups[items]
        self.item_traits = whole.item_traits[items]
        self.undeliverable = frozenset(np.flatnonzero(whole.hidden[texts]).tolist())

    @cached_property
    def item_vectors(self) -> Floats:
        """Unit rows (items x d), or d = 0."""
        return self.whole.item_vectors[self.item_rows]

    @cached_property
    def uses(self) -> Sequence[Use]:  # type: ignore[override]
        """The uses of these texts."""
        places, items = self.text_places, self.item_places
        return [
            Use(int(places[use.text]), int(items[use.item]), use.literals)
            for use in self.whole.uses
            if places[use.text] >= 0
        ]

    def asking(self, words: frozenset[str]) -> Ints:
        """As `Snapshot.asking`."""
        return self._within(self.whole.asking(words))

    def _within(self, rows: Ints) -> Ints:
        places = self.text_places[rows]
        return places[places >= 0]

    def literal_rows(self, question: str) -> list[tuple[str, Ints, Ints]]:
        """As `Snapshot.literal_rows`."""
        if question not in self._literal_rows:
            found = []
            for literal, items, texts in self.whole.literal_rows(question):
                held = self.text_places[texts] >= 0
                if held.any():
                    found.append((literal, self.item_places[items[held]], self.text_places[texts[held]]))
            self._literal_rows[question] = found
        return self._literal_rows[question]
