"""Examples chosen anew for every question: the nearest of a training set, by any measure.

The comparisons of "Adapt and Decompose" (section 5.1) that look for examples when a question comes differ in
what is compared (`qp_tx`: the words, `qp_te`: the trees of the SQL, `qp_sk`: the skills) and share the rest.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sqlore.embed import load_embedder
from sqlore.prompts.base import Prompt, PromptContext, Setup
from sqlore.prompts.few_shot import Shot, Shots, Target, fitting
from sqlore.prompts.notebook import Notebook
from sqlore.prompts.training_pairs import Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.prompts.training_pairs import TrainingSet

    Vectors = NDArray[np.float32]

#: Examples in a prompt at most: as many as the paper's generic prompt has (section 5.1).
SHOTS = 16
#: The nearest pairs that are looked at for examples that fit.
_LOOKED_AT = 64
#: Texts embedded between two findings.
_CHUNK = 256


def embedder_of(setup: Setup) -> Embedder:
    """The embedding model of a preparation, else the one that comes with sqlore."""
    return setup.embedder() if setup.embedder is not None else load_embedder()


def text_vectors(name: str, texts: Sequence[str], embedder: Embedder, setup: Setup) -> Vectors:
    """Unit vectors of `texts` (n x d), kept on disk part by part, so that a stopped run goes on."""
    notes = Notebook(setup.folder, name, embedder.name, list(texts))
    parts = []
    for start in range(0, len(texts), _CHUNK):
        key = str(start)
        if key not in notes:
            if setup.on_progress is not None:
                setup.on_progress("reading examples", start, len(texts))
            made = np.asarray(embedder.embed(texts[start : start + _CHUNK]), dtype="<f4")
            notes.put(key, base64.b64encode(made.tobytes()).decode())
        parts.append(np.frombuffer(base64.b64decode(notes[key]), dtype="<f4").reshape(-1, embedder.dimension))
    return np.vstack(parts) if parts else np.zeros((0, embedder.dimension), dtype=np.float32)


def arranged(shots: Sequence[Shot]) -> list[Shot]:
    """Examples, best first, put in the order of a prompt: the best last, those of one database together.

    >>> a, b, c = (Shot(d, "", q, "") for d, q in (("x", "best"), ("y", "next"), ("x", "third")))
    >>> [one.question for one in arranged([a, b, c])]
    ['next', 'third', 'best']
    """
    databases = list(dict.fromkeys(one.database for one in shots))
    return [one for name in reversed(databases) for one in reversed(shots) if one.database == name]


@dataclass(frozen=True)
class Nearest:
    """The pairs of a training set that the target's dialect can say, and how one becomes an example."""

    target: Target
    pairs: Sequence[Pair]
    shot: Callable[[Pair], Shot]

    @classmethod
    def of(cls, catalog: Catalog, examples: TrainingSet, setup: Setup) -> Nearest:
        """For the database of `catalog`."""
        shots = Shots(examples, catalog.schema.dialect)
        return cls(Target.of(catalog, setup.budget), shots.pairs, shots)

    def prompt(self, context: PromptContext, scores: NDArray[np.floating]) -> Prompt:
        """A prompt with the pairs of the highest `scores` (n) that fit; of equal SQL only one is taken."""
        # The last digits of a score are the processor's: near ties go by the order of the training set.
        order = np.argsort(-np.round(scores, 4), kind="stable")[:_LOOKED_AT]
        shots: dict[tuple[str, str], Shot] = {}
        for number in order:
            one = self.shot(self.pairs[number])
            shots.setdefault((one.database, one.sql), one)
        taken = fitting(list(shots.values()), self.target.room, most=SHOTS)
        return self.target.prompt(context, arranged(taken))


@dataclass(frozen=True)
class PreparedVectors:
    """A strategy whose scores are products of the question's vector with one vector a pair (n x d)."""

    nearest: Nearest
    embedder: Embedder
    vectors: Vectors
    name: str

    def prompt(self, context: PromptContext) -> Prompt:
        """Rules, the examples of the highest scores (the best last), the target's schema, the question."""
        asked = self.embedder.embed([context.question])[0]
        return self.nearest.prompt(context, self.vectors @ asked)
