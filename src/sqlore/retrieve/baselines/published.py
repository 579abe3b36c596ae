"""`published`: the retriever of the BIRD-History paper (section 4).

Two levels. *Query level* (q): scripts whose question is near the question. *Component level* (c): parts of
the question are compared with the descriptions of fragments, and fragments found are traced back to the
scripts that hold them. Both keep what reaches a cosine threshold; the two lists are merged (qc). The paper
then lets a language model filter and rerank: here that is optional, in our own words (`filtering`). Without
it the merged candidates are ranked by question similarity plus how well their fragments answer the parts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from sqlore.retrieve.baselines.base import MOST, Handed, Order, Piece, Pool, ScriptRetriever, ranked
from sqlore.retrieve.baselines.filtering import Choice, chosen_by_model, parts_by_model
from sqlore.retrieve.signals import Asked, cosines
from sqlore.retrieve.snapshot import Floats

if TYPE_CHECKING:
    from sqlore.llm import ChatModel

__all__ = ["Granularity", "Published"]

Granularity = Literal["q", "c", "qc"]
#: The paper's own choice among 0.5 to 0.9 (Table 6).
THRESHOLD: Final = 0.6


class Published(ScriptRetriever):
    """As the module says; with `model`, the model extracts the parts, filters and reranks."""

    def __init__(
        self,
        pool: Pool,
        name: str = "published",
        threshold: float | None = None,
        *,
        granularity: Granularity = "qc",
        model: ChatModel | None = None,
    ) -> None:
        super().__init__(pool, name)
        self.cosine = THRESHOLD if threshold is None else threshold
        self.granularity = granularity
        self.model = model

    def order(self, asked: Asked) -> Order:
        scores = self.candidates(asked)
        rows = ranked(scores, scores > 0)
        return Order(rows, min(len(rows), MOST), scores)

    def candidates(self, asked: Asked) -> Floats:
        """A score above 0 for each candidate text."""
        query = np.where(asked.dense >= self.cosine, asked.dense, 0)
        if self.granularity == "q":
            return query * asked.alive
        parts = self._fit_of_parts(asked)
        if self.granularity == "c":
            return parts * asked.alive
        merged: Floats = np.where((query > 0) | (parts > 0), asked.dense + parts, 0) * asked.alive
        return merged

    def _fit_of_parts(self, asked: Asked) -> Floats:
        """For each text the mean, over the question's parts, of its best fragment's likeness to the part."""
        vectors, matrix = asked.part_vectors, asked.snapshot.item_vectors
        total: Floats = np.zeros(len(asked.snapshot.texts), dtype=np.float32)
        if vectors is None or not len(vectors) or not matrix.shape[1]:
            return total
        snapshot = asked.snapshot
        for likeness in cosines(matrix, vectors).T:
            found = np.where((likeness >= self.cosine) & asked.offered, likeness, 0)
            best = np.zeros(len(snapshot.texts), dtype=np.float32)
            np.maximum.at(best, snapshot.text_of, found[snapshot.item_of])
            total += best
        return total / len(vectors)

    # -------------------------------------------------- with a language model

    def retrieve(
        self,
        question: str,
        exclude: Collection[str] = frozenset(),
        *,
        shots: int | None = None,
        budget: int | None = None,
    ) -> Handed:
        """As `TaskRetriever.retrieve`. A model may take single fragments of a script in place of all."""
        if self.model is None:
            return super().retrieve(question, exclude, shots=shots, budget=budget)
        started = perf_counter()
        asked = self.pool.ask(question, exclude, self.memory)
        if self.granularity != "q" and self.memory is not None:
            parts = parts_by_model(self.model, question)
            asked.part_vectors = self.memory.embed(parts) if parts else asked.part_vectors
        heard = perf_counter()
        order = self.order(asked)
        found = perf_counter()
        choices = chosen_by_model(self.model, self.pool, question, order.rows)
        if choices is None:  # as without a model
            choices = [Choice(row) for row in order.rows[: order.enough]]
        times = {
            "keywords": (heard - started) * 1000,
            "rank": (found - heard) * 1000,
            "filter": (perf_counter() - found) * 1000,
        }
        kept = [choice.row for choice in choices]
        taken = self._within(kept, budget) if budget is not None else kept[:shots]
        # the model's order has no scores
        reordered = Order(kept + [row for row in order.rows if row not in set(kept)], len(kept))
        return self._only_chosen(choices, self.handed(reordered, taken, times), taken)

    def _only_chosen(self, choices: list[Choice], handed: Handed, taken: list[int]) -> Handed:
        """Of a script from which the model wanted single fragments, those alone count as handed over."""
        wanted: dict[str, Piece] = {}
        for choice in choices:
            if choice.row in taken:
                for piece in self.pool.pieces([choice.row]):
                    if choice.fragments is None or piece.key in choice.fragments:
                        wanted.setdefault(piece.key, piece)
        return replace(handed, fragments=tuple(wanted.values()))
