"""From signals to one score: a logistic sum with fixed weights.

The weights were chosen on past histories of other databases (`tests/bench/bench_recall.py --tune` prints
them), so a score is roughly the probability that the item is needed. Two rounds: the first scores every
item alone, the second adds how well it goes with those that the first favours (BIRD-History, section 5.4,
names co-occurrence as what an independent retriever lacks).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import numpy as np

from sqlore.retrieve import weights
from sqlore.retrieve.signals import COMPANY, SIGNALS, Asked, keep_company, measure
from sqlore.retrieve.snapshot import GROUPS, Floats

_VERIFIED: Final = 0.7
_SYNTHETIC: Final = -1.0


class Ranker(Protocol):
    """Scores all items of a snapshot for one question; the fusion here, or a learned model."""

    def rank(self, asked: Asked) -> tuple[Floats, Floats]:
        """Scores in 0..1, one an item, and the shares (items x len(self.names)) that explain them."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """What the columns of the shares are called."""
        ...


def design(asked: Asked, company: Floats | None = None) -> Floats:
    """The columns that the weights belong to: signals, their square roots where the scale is a share, groups.

    Shape (items, len(columns)), columns as `COLUMNS` (first round) or `COLUMNS_2` (with `company`).
    """
    signals = measure(asked) * asked.offered[:, None]
    columns = [signals, relative(signals[:, _RELATIVE]), np.sqrt(np.maximum(signals[:, _SHARES], 0))]
    columns.append(asked.snapshot.item_groups)
    if company is not None:
        columns += [company, relative(company)]
    return np.concatenate(columns, axis=1)


_RELATIVE: Final = [SIGNALS.index(name) for name in SIGNALS[:8]]
_SHARES: Final = [SIGNALS.index(name) for name in ("votes", "lexical_votes", "share")]
COLUMNS: Final[tuple[str, ...]] = (
    *SIGNALS,
    *(f"{SIGNALS[i]}:relative" for i in _RELATIVE),
    *(f"{SIGNALS[i]}:root" for i in _SHARES),
    *GROUPS,
)
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


def by_trust(asked: Asked, scores: Floats) -> Floats:
    """Verified items are moved up, items known from made-up scripts alone are moved down; order of the rest
    and the range 0..1 stay.
    """
    snapshot = asked.snapshot
    real = snapshot.total((asked.alive & ~snapshot.synthetic).astype(np.float32))
    shift = _VERIFIED * snapshot.verified + _SYNTHETIC * (real == 0)
    odds = scores / np.maximum(1 - scores, 1e-9) * np.exp(shift)
    out: Floats = (odds / (1 + odds)).astype(np.float32)
    return out


class Fusion:
    """The fixed weights as a ranker; `first` and `second` map columns to weights."""

    def __init__(self, first: Mapping[str, float], second: Mapping[str, float]) -> None:
        self._first = np.asarray([first.get(name, 0.0) for name in COLUMNS], dtype=np.float32)
        self._second = np.asarray([second.get(name, 0.0) for name in COLUMNS_2], dtype=np.float32)

    @property
    def names(self) -> Sequence[str]:
        return COLUMNS_2

    def rank(self, asked: Asked) -> tuple[Floats, Floats]:
        """As `Ranker.rank`; items that nothing may be learned of score 0."""
        alone = design(asked)
        scores = np.where(asked.offered, sigmoid(alone @ self._first), 0).astype(np.float32)
        company = keep_company(asked, scores)
        shares = np.concatenate([alone, company, relative(company)], axis=1) * self._second
        final = np.where(asked.offered, sigmoid(shares.sum(axis=1)), 0).astype(np.float32)
        return final, shares


def default_ranker() -> Ranker:
    """The fusion with the weights that come with sqlore."""
    return Fusion(weights.FIRST, weights.SECOND)
