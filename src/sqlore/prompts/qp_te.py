"""Examples whose SQL is expected to be built alike: QP-TE of "Adapt and Decompose" (section 5.1).

This is target similarity tuning (Poesia et al., 2022): a scoring function of two questions is trained to say
how near the trees of their SQL are, so that a question finds examples by the SQL it will need and not by its
words. The paper trains a sentence encoder; here the encoder stays as it is, and a bilinear form over its
vectors is fitted, ``score(q, p) = q' M p``, which has a closed solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sqlore.prompts.base import Setup
from sqlore.prompts.nearest import Nearest, PreparedVectors, embedder_of, text_vectors
from sqlore.prompts.notebook import Notebook
from sqlore.prompts.tree_distance import SkeletonTree, skeleton_tree, tree_similarity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.nearest import Vectors
    from sqlore.prompts.training_pairs import Pair, TrainingSet

#: Pairs that the scoring function is fitted on at most: all their trees are compared.
FITTED = 480
#: Weight of the penalty on large entries of M, as a share of the number of pairs.
RIDGE = 0.005


class TargetTree:
    """The questions whose SQL is expected to have the nearest tree."""

    name = "qp_te"
    history = False

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedVectors:
        """Embeds the questions, compares trees and fits the scoring function, once; no model is asked."""
        embedder = embedder_of(setup)
        nearest = Nearest.of(catalog, examples, setup)
        pairs = nearest.pairs
        vectors = text_vectors("questions", [pair.question for pair in pairs], embedder, setup)
        chosen = spread(len(pairs), FITTED)
        similar = similarities([pairs[n] for n in chosen], setup)
        form = fitted(vectors[chosen], similar)
        # A product with a question's vector is then its score.
        return PreparedVectors(nearest, embedder, vectors @ form.T, self.name)


def spread(count: int, most: int) -> list[int]:
    """At most `most` numbers below `count`, evenly spread.

    >>> spread(10, 4), spread(3, 4)
    ([0, 2, 5, 7], [0, 1, 2])
    """
    return list(range(count)) if count <= most else [n * count // most for n in range(most)]


def similarities(pairs: Sequence[Pair], setup: Setup) -> NDArray[np.float64]:
    """How near the trees of the pairs' SQL are (n x n, 0 to 1), row by row kept on disk."""
    trees = [skeleton_tree(pair.sql, pair.dialect) for pair in pairs]
    notes = Notebook(setup.folder, "trees", [pair.sql for pair in pairs])
    rows = []
    for number, tree in enumerate(trees):
        key = str(number)
        if key not in notes:
            if setup.on_progress is not None:
                setup.on_progress("comparing trees", number, len(trees))
            notes.put(key, [round(_similar(tree, other), 4) for other in trees[: number + 1]])
        rows.append([*notes[key], *[0.0] * (len(trees) - number - 1)])
    lower = np.array(rows, dtype=np.float64).reshape(len(trees), len(trees))
    return lower + np.tril(lower, -1).T


def _similar(one: SkeletonTree, other: SkeletonTree) -> float:
    # one order for both ways round, so that a pair of trees is compared once
    return tree_similarity(*sorted((one, other), key=lambda tree: (len(tree), tree.labels)))


def fitted(vectors: Vectors, similar: NDArray[np.float64]) -> NDArray[np.float32]:
    """The form M (d x d) for which ``q' M p`` is nearest to the similarities, with a ridge penalty.

    The similarities are taken relative to their mean: only the order of the examples matters.
    """
    rows = vectors.astype(np.float64)
    penalty = RIDGE * len(rows) * np.eye(rows.shape[1])
    solved = np.linalg.solve(rows.T @ rows + penalty, rows.T)
    form: NDArray[np.float32] = (solved @ (similar - similar.mean()) @ solved.T).astype(np.float32)
    return form
