"""The learned ranker: boosted trees over what speaks for an item, then over how it goes with the others.

    all items --fusion--> 60 candidates --first trees--> chances --second trees--> chances

The model comes with the package (`ranker.npz`); `tools/train_ranker.py` makes it, `docs/ranker.md` tells on
what. Its scores are probabilities: the trees were grown on their logarithm, and reliability was checked on
databases that were held out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from sqlore.retrieve.evidence import Evidence
from sqlore.retrieve.fuse import COLUMNS, Ranker, design, relative, sigmoid
from sqlore.retrieve.layout import Layout
from sqlore.retrieve.likeness import likeness, worth
from sqlore.retrieve.mates import mates
from sqlore.retrieve.part import Part
from sqlore.retrieve.regress import Regression
from sqlore.retrieve.shape import Shape
from sqlore.retrieve.signals import Asked, keep_company
from sqlore.retrieve.snapshot import Floats, Ints, Snapshot
from sqlore.retrieve.trees import Trees

MODEL: Final = "ranker.npz"
#: Items that the trees are asked about.
CANDIDATES: Final = 60


@dataclass(frozen=True)
class RankerModel:
    """Everything that was fitted: weights of the fusion (columns) and of the texts, and the three models."""

    fusion: Floats
    text: Floats
    shape: Shape
    first: Trees
    second: Trees

    def save(self, path: str | Path) -> None:
        """Writes the model as an .npz file."""
        arrays = {
            "fusion": self.fusion.astype(np.float32),
            "text": self.text.astype(np.float32),
            **self.shape.to_arrays(),
            **self.first.to_arrays("first"),
            **self.second.to_arrays("second"),
        }
        np.savez_compressed(path, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, data: bytes) -> Self:
        """The model that `save` wrote."""
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            found: Mapping[str, NDArray[Any]] = dict(arrays)
        return cls(
            found["fusion"],
            found["text"],
            Shape.from_arrays(found),
            Trees.from_arrays(found, "first"),
            Trees.from_arrays(found, "second"),
        )


@cache
def packaged_model() -> RankerModel:
    """The model that comes with sqlore."""
    return RankerModel.load((files("sqlore.retrieve") / MODEL).read_bytes())


class Learned:
    """The model as a `Ranker`. Keeps the layout of the last snapshot; safe to share between threads."""

    def __init__(self, model: RankerModel | None = None) -> None:
        self.model = model or packaged_model()
        self._kept: tuple[Snapshot, Layout] | None = None
        self._regression: Regression | None = None

    @property
    def names(self) -> Sequence[str]:
        return (*COLUMNS, "learned")

    def rank(self, asked: Asked) -> tuple[Floats, Floats]:
        """As `Ranker.rank`.

        The shares are those of the fusion, which are sums; what the trees make of them is the last one.
        """
        evidence = self.gather(asked)
        shares = evidence.design[:, : len(COLUMNS)] * self.model.fusion
        scores = evidence.fused.copy()
        if len(evidence.rows):
            first = evidence.matrix()
            chances = sigmoid(self.model.first.odds(first))
            second = with_mates(evidence, first, chances)
            chances = sigmoid(self.model.second.odds(second))
            # The rest keeps its order below the candidates, at about the odds that it was left out with.
            scores *= float(chances.min()) / max(float(scores.max()), 1e-9)
            scores[evidence.rows] = chances
        odds = np.log(np.maximum(scores, 1e-9) / np.maximum(1 - scores, 1e-9))
        learned = (odds - shares.sum(axis=1))[:, None] * (scores > 0)[:, None]
        return scores.astype(np.float32), np.concatenate([shares, learned], axis=1).astype(np.float32)

    def gather(self, asked: Asked) -> Evidence:
        """Everything that the trees are asked about: the candidates and what speaks for them."""
        layout = self.layout(asked.snapshot)
        alone = design(asked)
        fused = np.where(asked.offered, sigmoid(alone @ self.model.fusion), 0).astype(np.float32)
        company = keep_company(asked, fused)
        columns = np.concatenate([alone, company, relative(company)], axis=1)
        called = self.model.shape.odds(asked.question)
        like = likeness(asked, layout, called)
        weights = worth(like, asked.alive.astype(np.float32), self.model.text)
        regressed = self.regression(layout).weights(asked)
        rows = candidates(asked, fused, weights, regressed["mix"])
        return Evidence(asked, layout, columns, fused, like, weights, called, regressed, rows)

    def regression(self, layout: Layout) -> Regression:
        """The regressions over `layout`; those over a whole snapshot are kept."""
        kept = self._regression
        if isinstance(layout.snapshot, Part):
            return Regression(layout, self.model.shape)
        if kept is None or kept.layout is not layout:
            kept = self._regression = Regression(layout, self.model.shape)
        return kept

    def layout(self, snapshot: Snapshot) -> Layout:
        """The layout of `snapshot`, made when it is first asked about; that of a part from the whole's."""
        if isinstance(snapshot, Part):
            return self.layout(snapshot.whole).part(snapshot)
        kept = self._kept
        if kept is None or kept[0] is not snapshot:
            kept = self._kept = (snapshot, Layout(snapshot, self.model.shape.tags))
        return kept[1]


def default_ranker() -> Ranker:
    """The ranker that a retriever uses where it is given none."""
    return Learned()


def with_mates(evidence: Evidence, first: Floats, chances: Floats) -> Floats:
    """The columns of the second round: those of the first and how each goes with the others."""
    return np.concatenate([first, np.stack(list(mates(evidence, chances).values()), axis=1)], axis=1)


def candidates(asked: Asked, fused: Floats, weights: Floats, regressed: Floats) -> Ints:
    """The rows of the items that the fusion, the votes of worthy texts and the regression favour, best first."""
    votes, said = asked.snapshot.total(weights**2), asked.snapshot.total(regressed)
    favour = sum(values / max(float(values.max(initial=0)), 1e-9) for values in (fused, votes, said))
    best = np.argsort(-np.where(asked.offered, favour, -np.inf), kind="stable")[:CANDIDATES]
    rows: Ints = best[asked.offered[best]].astype(np.int32)
    return rows
