"""Examples whose questions are nearest in meaning: QP-TX of "Adapt and Decompose" (section 5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlore.prompts.base import Prompt, PromptContext, Setup
from sqlore.prompts.nearest import Nearest, embedder_of, text_vectors

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.llm import ChatModel
    from sqlore.prompts.nearest import Vectors
    from sqlore.prompts.training_set import TrainingSet


class QuestionText:
    """The nearest questions, by their embeddings."""

    name = "qp_tx"
    history = False

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedText:
        """Embeds every question of the examples, once; no model is asked."""
        embedder = embedder_of(setup)
        nearest = Nearest.of(catalog, examples, setup)
        vectors = text_vectors("questions", [pair.question for pair in nearest.pairs], embedder, setup)
        return PreparedText(nearest, embedder, vectors)


@dataclass(frozen=True)
class PreparedText:
    """The questions' vectors (n x d)."""

    nearest: Nearest
    embedder: Embedder
    vectors: Vectors
    name: str = "qp_tx"

    def prompt(self, context: PromptContext) -> Prompt:
        """Rules, the nearest examples (the best last), the target's schema, the question."""
        asked = self.embedder.embed([context.question])[0]
        return self.nearest.prompt(context, self.vectors @ asked)
