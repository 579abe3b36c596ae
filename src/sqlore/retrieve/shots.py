"""A fixed number of worked examples: those that hold the items, then the fittest of the rest.

A few-shot pipeline has places for so many examples and expects them filled. The cover comes first, so a
smaller number is always the beginning of a larger one's need: what holds most of what the question asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from sqlore.retrieve.deliver import length_in_tokens
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Floats

__all__ = ["filled"]

#: What a description that no person wrote counts for beside a question.
_SYNTHETIC: Final = 0.5
_VERIFIED: Final = 0.1


def filled(
    asked: Asked,
    taken: Sequence[int],
    wanted: Sequence[int],
    scores: Floats,
    *,
    number: int,
    budget: int,
) -> list[int]:
    """Rows of the fittest texts that bring `taken` to `number`, one a script, within what `budget` leaves.

    Fitness is nearness to the question plus the share of the `wanted` items' worth that the text holds: of
    two texts alike in words the one that does what is asked comes first.
    """
    if len(taken) >= number:
        return []
    snapshot = asked.snapshot
    worth = np.zeros(len(scores), dtype=np.float32)
    worth[list(wanted)] = scores[list(wanted)]
    near = np.maximum(asked.dense, asked.lexical)
    held = snapshot.over_texts(worth) / max(float(worth.sum()), 1e-9)
    written = np.asarray([_SYNTHETIC if t.synthetic else 1.0 for t in snapshot.texts], dtype=np.float32)
    verified = np.asarray([t.verified for t in snapshot.texts], dtype=np.float32)
    fitness = near * written + _VERIFIED * verified + held
    usable = asked.alive.astype(np.bool_)
    usable[list(snapshot.undeliverable)] = False
    rows = np.flatnonzero(usable)
    seen = {snapshot.texts[row].script for row in taken}
    left = budget - sum(length_in_tokens(snapshot.texts[row]) for row in taken)
    out: list[int] = []
    for row in rows[np.argsort(-fitness[rows], kind="stable")].tolist():
        if len(taken) + len(out) >= number:
            break
        text = snapshot.texts[row]
        tokens = length_in_tokens(text)
        if text.script in seen or tokens > left:
            continue
        seen.add(text.script)
        out.append(row)
        left -= tokens
    return out
