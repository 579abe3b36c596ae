"""Examples whose questions are nearest in meaning: QP-TX of "Adapt and Decompose" (section 5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlore.prompts.base import Setup
from sqlore.prompts.nearest import Nearest, PreparedVectors, embedder_of, text_vectors

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet


class QuestionText:
    """The nearest questions, by their embeddings."""

    name = "qp_tx"
    history = False

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedVectors:
        """Embeds every question of the examples, once; no model is asked."""
        embedder = embedder_of(setup)
        nearest = Nearest.of(catalog, examples, setup)
        vectors = text_vectors("questions", [pair.question for pair in nearest.pairs], embedder, setup)
        return PreparedVectors(nearest, embedder, vectors, self.name)
