"""Retrievers of whole scripts by the likeness of questions, and the simplest ones beside them."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from sqlore.retrieve.baselines.base import MOST, SHOTS, Order, ScriptRetriever, above, ranked
from sqlore.retrieve.baselines.masking import mask, schema_stems
from sqlore.retrieve.signals import Asked, cosines
from sqlore.retrieve.snapshot import Bools, Floats

__all__ = ["Bm25", "FilteredMasked", "Frequent", "Masked", "MaskedOrPlain", "Random"]

_COMMON: Final = 0.1


class Masked(ScriptRetriever):
    """`mqs`: scripts whose masked question is near the masked question (DAIL-SQL, OpenSearch-SQL)."""

    def order(self, asked: Asked) -> Order:
        scores = self.likeness(asked)
        rows = ranked(scores, asked.alive)
        return Order(rows, above(scores, rows, self.threshold), scores)

    def likeness(self, asked: Asked) -> Floats:
        """Cosine of the masked questions, one a text; zeros where there are no vectors."""
        if self.memory is None or asked.vector is None:
            return np.zeros(len(asked.snapshot.texts), dtype=np.float32)
        return cosines(self.masked_vectors, self.memory.embed([self.masked(asked)]))[:, 0]

    def masked(self, asked: Asked) -> str:
        """The question with what links to the schema, to the database's values or the history's masked."""
        catalog = self.pool.catalog
        values = catalog.values.match(asked.question) if catalog else ()
        literals = {
            literal for literal, _, text in asked.snapshot.literal_uses(asked.question) if asked.alive[text]
        }
        return mask(asked.question, self.names, values, literals)

    @cached_property
    def names(self) -> frozenset[str]:
        catalog = self.pool.catalog
        if catalog is not None:
            return schema_stems(catalog.schema)
        items = self.pool.snapshot.items
        return schema_stems(None, {name for item in items for name in (*item.tables, *item.columns)})

    @cached_property
    def masked_vectors(self) -> Floats:
        """Vectors of all texts' masked questions (texts x d); a text is masked by its own literals."""
        return self.pool.kept("masked questions", self._masked_vectors)

    def _masked_vectors(self) -> Floats:
        assert self.pool.embedder is not None
        snapshot = self.pool.snapshot
        literals: dict[int, set[str]] = {}
        for use in snapshot.uses:
            literals.setdefault(use.text, set()).update(use.literals)
        catalog = self.pool.catalog
        words = [
            mask(
                text.words,
                self.names,
                catalog.values.match(text.words) if catalog else (),
                literals.get(row, ()),
            )
            for row, text in enumerate(snapshot.texts)
        ]
        return self.pool.embedder.embed(words)


class MaskedOrPlain(Masked):
    """`mqs_qs`: the larger of masked and plain question similarity (CodeS)."""

    def likeness(self, asked: Asked) -> Floats:
        return np.maximum(super().likeness(asked), asked.dense)


class FilteredMasked(Masked):
    """`mqs_filter`: `mqs` over a pool of good demonstrations only (N-rep).

    Here a good one has a question that somebody wrote (where any has one), can be shown as it is, and is the
    nearest of those with the same skeleton.
    """

    def order(self, asked: Asked) -> Order:
        scores = self.likeness(asked)
        seen: set[int] = set()
        rows = []
        for row in ranked(scores, asked.alive & self.good):
            script = asked.snapshot.texts[row].script
            if script not in seen:
                seen.add(script)
                rows.append(row)
        return Order(rows, above(scores, rows, self.threshold), scores)

    @cached_property
    def good(self) -> Bools:
        snapshot = self.pool.snapshot
        shown = np.ones(len(snapshot.texts), dtype=np.bool_)
        shown[list(snapshot.undeliverable)] = False
        written = [bool(text.said) and not text.synthetic for text in snapshot.texts]
        good = shown & np.asarray(written, dtype=np.bool_)
        return good if good.any() else shown


class Bm25(ScriptRetriever):
    """`bm25`: scripts whose words score best for the question's; five where the number is open."""

    embeds = False

    def order(self, asked: Asked) -> Order:
        scores = asked.snapshot.text_words.bm25(asked.words, asked.alive)
        rows = ranked(scores, asked.alive)
        return Order(rows, min(SHOTS, len(rows)))


class Random(ScriptRetriever):
    """`random`: any scripts, the same for the same question and seed; five where the number is open."""

    embeds = False

    def order(self, asked: Asked) -> Order:
        seed = [self.pool.seed, *asked.question.encode("utf-8", "replace")]
        rows = ranked(np.random.default_rng(seed).random(len(asked.alive)), asked.alive)
        return Order(rows, min(SHOTS, len(rows)))


class Frequent(ScriptRetriever):
    """`frequent`: the scripts made of what most scripts have, whatever is asked.

    Where the number is open: as many as it takes to hold every fragment that a tenth of the scripts use.
    """

    embeds = False

    def order(self, asked: Asked) -> Order:
        share = asked.support / max(1.0, float(asked.alive.sum()))
        rows = ranked(asked.snapshot.over_texts(share), asked.alive)
        wanted = set(np.flatnonzero(share >= _COMMON).tolist())
        for taken, row in enumerate(rows[:MOST], start=1):
            wanted -= set(asked.snapshot.items_of_text[row])
            if not wanted:
                return Order(rows, taken)
        return Order(rows, min(MOST, len(rows)))
