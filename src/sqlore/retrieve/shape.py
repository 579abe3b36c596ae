"""What a question's wording calls for: for each tag, how likely it is that the SQL has it.

One logistic model a tag over the words, pairs and triples of the question's frame, trained on many databases
(`tools/train_ranker.py`), none of whose own names are among the words that it knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sqlore.retrieve.frames import grams
from sqlore.retrieve.fuse import sigmoid
from sqlore.retrieve.snapshot import Floats


@dataclass(frozen=True)
class Shape:
    """`weights` (grams x tags) and `bias` (tags): a tag's log odds are their sum over a question's grams."""

    tags: Sequence[str]
    grams: Mapping[str, int]
    weights: Floats
    bias: Floats

    def odds(self, question: str) -> Floats:
        """Log odds of each tag, shape (tags,)."""
        rows = [self.grams[gram] for gram in set(grams(question)) if gram in self.grams]
        out: Floats = self.bias + self.weights[rows].sum(axis=0)
        return out

    def chances(self, question: str) -> Floats:
        """How likely each tag is called for, 0..1, shape (tags,)."""
        return sigmoid(self.odds(question))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, for an .npz file; the weights in 256 steps a tag."""
        step = np.maximum(np.abs(self.weights).max(axis=0), 1e-6) / 127
        return {
            "shape_tags": np.asarray(self.tags),
            "shape_grams": np.asarray("\n".join(self.grams)),
            "shape_weights": np.round(self.weights / step).astype(np.int8),
            "shape_step": step.astype(np.float32),
            "shape_bias": self.bias.astype(np.float32),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The model that `to_arrays` wrote."""
        words = str(arrays["shape_grams"]).split("\n")
        return cls(
            [str(tag) for tag in arrays["shape_tags"]],
            {gram: row for row, gram in enumerate(words)},
            arrays["shape_weights"].astype(np.float32) * arrays["shape_step"],
            arrays["shape_bias"],
        )
