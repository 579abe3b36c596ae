"""From signals to one score: the columns of a logistic sum, which finds the candidates of the learned ranker.

The sum is cheap enough for every item of a large store; its weights are part of the model (`learned`), so a
score is roughly the probability that the item is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np

from sqlore.retrieve.signals import COMPANY, SIGNALS, Asked, measure
from sqlore.retrieve.snapshot import GROUPS, Floats

#: How likely an item of a script is that was asked this very question.
_ASKED_BEFORE: Final = 0.95
_VERIFIED: Final = 0.7
_SYNTHETIC: Final = -2.0


class Ranker(Protocol):
    """Scores all items of a snapshot for one question; `Learned`, or one of your own."""

    def rank(self, asked: Asked) -> tuple[Floats, Floats]:
        """Scores in 0..1, one an item, and the shares (items x len(self.names)) that explain them."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """What the columns of the shares are called."""
        ...


def design(asked: Asked) -> Floats:
    """The columns that the weights belong to: signals, their square roots where the scale is a share, groups.

    Shape (items, len(COLUMNS)).
    """
    signals = measure(asked) * asked.offered[:, None]
    columns = [signals, relative(signals[:, _RELATIVE]), np.sqrt(np.maximum(signals[:, _SHARES], 0))]
    columns.append(asked.snapshot.item_groups)
    return np.concatenate(columns, axis=1)


_RELATIVE: Final = [SIGNALS.index(name) for name in SIGNALS[:6]]
_SHARES: Final = [SIGNALS.index(name) for name in ("votes", "lexical_votes", "share")]
COLUMNS: Final[tuple[str, ...]] = (
    *SIGNALS,
    *(f"{SIGNALS[i]}:relative" for i in _RELATIVE),
    *(f"{SIGNALS[i]}:root" for i in _SHARES),
    *GROUPS,
)
#: The same with how well each item goes with those that the sum favours.
COLUMNS_2: Final = (*COLUMNS, *COMPANY, *(f"{name}:relative" for name in COMPANY))


def relative(columns: Floats) -> Floats:
    """Each column as a share of its largest value; a column of zeros stays so."""
    if not len(columns):
        return columns
    out: Floats = columns / np.maximum(columns.max(axis=0), 1e-6)
    return out


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + e^-x), safe at both ends."""
    out: Floats = 1 / (1 + np.exp(-np.clip(x, -30, 30)))
    return out


def by_sameness(asked: Asked, scores: Floats) -> Floats:
    """What a script does that answers this very question is wanted, whatever else speaks against it."""
    needed = asked.snapshot.best(asked.same.astype(np.float32))
    out: Floats = np.maximum(scores, _ASKED_BEFORE * needed).astype(np.float32)
    return out


def by_trust(asked: Asked, scores: Floats) -> Floats:
    """Verified items are moved up, items known from made-up scripts alone are moved down; order of the rest
    and the range 0..1 stay.

    Where there are no others, as in a cold database, nothing is moved down.
    """
    snapshot = asked.snapshot
    real = snapshot.total((asked.alive & ~snapshot.synthetic).astype(np.float32))
    shift = _VERIFIED * snapshot.verified + _SYNTHETIC * (real == 0) * bool(real.any())
    odds = scores / np.maximum(1 - scores, 1e-9) * np.exp(shift)
    out: Floats = (odds / (1 + odds)).astype(np.float32)
    return out
