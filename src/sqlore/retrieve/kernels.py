"""How like each other the texts of a history are, and how like each is to the question: the kernels.

A kernel is a likeness that a regression can be fitted with (`regress`). Four are blended: *meaning* (cosine
of the embeddings with the mean of the history taken off, so that what all its questions share counts for
nothing), *words* and *frame* (cosine over words, over word groups with names and numbers masked, rare ones
counting more), and *shape* (what the wordings call for, `shape`). ``topic`` is what a question is about,
``form`` how it asks, ``mix`` both.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import numpy as np

from sqlore.retrieve.frames import grams
from sqlore.retrieve.layout import Layout
from sqlore.retrieve.postings import Rarity
from sqlore.retrieve.shape import Shape
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Bools, Floats, Ints

__all__ = ["BLENDS", "Kernels", "blended"]

#: How much of each likeness is in a blend; chosen by cross-validation over the training databases.
BLENDS: Final[Mapping[str, Mapping[str, float]]] = {
    "mix": {"meaning": 2.0, "words": 0.7, "frame": 1.2, "shape": 0.7},
    "topic": {"meaning": 2.0, "words": 0.7},
    "form": {"frame": 1.2, "shape": 0.7},
}
_TINY: Final = 1e-6


class Kernels:
    """The likenesses among those texts of a layout that may be used (`alive`).

    Means and rarities are counted over these alone: a text that is withheld leaves no trace.
    """

    def __init__(self, layout: Layout, alive: Bools, shape: Shape) -> None:
        self.layout, self.shape = layout, shape
        self._words = Rarity(layout.snapshot.text_words, alive)
        self._frame = Rarity(layout.frames, alive)
        vectors = layout.snapshot.text_vectors
        squares = np.einsum("ij,ij->i", vectors, vectors)
        counted = alive & (squares > 0)
        self._mean: Floats = vectors[counted].sum(axis=0) / max(1, int(counted.sum()))
        away = squares - 2 * np.einsum("ij,j->i", vectors, self._mean) + float(self._mean @ self._mean)
        self._scale: Floats = np.where(squares > 0, 1 / np.sqrt(np.maximum(away, _TINY)), 0)

    def to_question(self, asked: Asked) -> dict[str, Floats]:
        """Likeness of the question to every text, by name; `shape` is not among them."""
        found = {
            "words": self._words.cosines(asked.words),
            "frame": self._frame.cosines(grams(asked.question)),
        }
        vectors = self.layout.snapshot.text_vectors
        if asked.vector is not None and vectors.shape[1]:
            own = asked.vector - self._mean
            products = np.einsum("ij,j->i", vectors, own) - float(self._mean @ own)
            found["meaning"] = products * self._scale / max(float(np.sqrt(own @ own)), _TINY)
        return found

    def of(self, asked: Asked, rows: Ints, near: Mapping[str, Floats]) -> dict[str, Floats]:
        """Likeness of the question to `rows`, by name; `near` is what `to_question` gave."""
        found = {name: values[rows] for name, values in near.items()}
        found["shape"] = self.shape_of(asked.question, rows)
        return found

    def shape_of(self, question: str, rows: Ints) -> Floats:
        """Likeness of shape of the question to `rows`; what all of these call for counts for nothing."""
        away, mean = self._shapes(rows)
        own = self.shape.chances(question) - mean
        likeness: Floats = away @ (own / max(float(np.sqrt(own @ own)), _TINY))
        return likeness

    def among(self, rows: Ints, names: Collection[str]) -> dict[str, Floats]:
        """Likeness of `rows` to each other (rows x rows), for each of `names`."""
        away, _ = self._shapes(rows)
        found = {"words": self._words.gram(rows), "frame": self._frame.gram(rows), "shape": away @ away.T}
        if "meaning" in names:
            unit = (self.layout.snapshot.text_vectors[rows] - self._mean) * self._scale[rows, None]
            found["meaning"] = unit @ unit.T
        return found

    def _shapes(self, rows: Ints) -> tuple[Floats, Floats]:
        """What the wordings of `rows` call for, as unit rows around their mean; and the mean."""
        chances = self.layout.chances(self.shape, rows)
        mean = chances.mean(axis=0)
        away = chances - mean
        return away / np.maximum(np.sqrt((away**2).sum(axis=1)), _TINY)[:, None], mean


def blended(likenesses: Mapping[str, Floats], blend: Mapping[str, float]) -> Floats:
    """The weighted mean of those likenesses of a blend that there are."""
    there = {name: weight for name, weight in blend.items() if name in likenesses}
    whole = sum(there.values())
    out: Floats = np.sum([likenesses[name] * np.float32(w / whole) for name, w in there.items()], axis=0)
    return out
