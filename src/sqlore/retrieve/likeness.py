"""How like the question each stored text is, and how much of what the question needs it is likely to hold.

Four likenesses (meaning, words, frame, structure) and shared literals, weighed by a logistic sum that was
fitted to the share of a text's items that questions of other databases turned out to need
(`tools/train_ranker.py`).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sqlore.retrieve.frames import grams
from sqlore.retrieve.fuse import sigmoid
from sqlore.retrieve.layout import Layout
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Floats

LIKENESS: Final = ("dense", "lexical", "frame", "structure", "literals")
#: Columns of `text_design`.
TEXT_WIDTH: Final = 18
_RARE: Final = 0.003
_LITERALS: Final = 3


def likeness(asked: Asked, layout: Layout, called: Floats) -> Floats:
    """The matrix (texts x len(LIKENESS)). `called` are the log odds of the tags (`Shape.odds`).

    Structure is the log likelihood of a text's tags, in tens. A text that may not be used has rows of little
    meaning; weigh them by `alive`.
    """
    frame = layout.frames.likeness(grams(asked.question), asked.alive)
    chances = np.clip(sigmoid(called), _RARE, 1 - _RARE)
    odds = np.log(chances / (1 - chances)).astype(np.float32)
    structure = (layout.text_tags @ odds + float(np.log(1 - chances).sum())) / 10
    literals = np.zeros(len(asked.alive), dtype=np.float32)
    for _, _, text in asked.snapshot.literal_uses(asked.question):
        literals[text] += 1
    literals = np.minimum(literals, _LITERALS) * asked.alive
    columns = (asked.dense, asked.lexical, frame, np.maximum(structure, -6), literals)
    return np.stack(columns, axis=1).astype(np.float32)


def text_design(like: Floats, alive: Floats) -> Floats:
    """The columns that the weights of a text belong to, shape (texts, TEXT_WIDTH): likenesses, how they
    compare with the best text's, powers, a product and a constant.
    """
    usable = like[alive > 0]
    best = usable.max(axis=0) if len(usable) else np.zeros(like.shape[1], dtype=np.float32)
    compared = like - best
    compared[:, :3] = like[:, :3] / np.maximum(best[:3], 1e-6)
    columns = (
        like,
        compared,
        like[:, :3] ** 2,
        like[:, :1] * like[:, 2:3],
        compared[:, :3] ** 4,
        np.ones((len(like), 1), dtype=np.float32),
    )
    return np.concatenate(columns, axis=1).astype(np.float32)


def worth(like: Floats, alive: Floats, weights: Floats) -> Floats:
    """For each text the weight 0..1 of what it says about the question; 0 where it may not be used."""
    chances = sigmoid(text_design(like, alive) @ weights)
    out: Floats = (chances**3 * alive).astype(np.float32)
    return out
