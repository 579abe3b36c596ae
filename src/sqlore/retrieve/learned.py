"""The learned ranker: boosted trees over everything that speaks for an item.

    all items --fusion, votes--> 60 candidates --trees, a second look at groupings--> chances

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
from sqlore.retrieve.grouping import groupings, second_look
from sqlore.retrieve.layout import Layout
from sqlore.retrieve.likeness import likeness, worth
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
    """Everything that was fitted: weights of the fusion (columns) and of the texts, the shape, the trees, and
    those of the second look, which add to the odds of candidates that group."""

    fusion: Floats
    text: Floats
    shape: Shape
    trees: Trees
    second: Trees

    def odds(self, evidence: Evidence) -> Floats:
        """The log odds of each candidate."""
        odds = self.trees.odds(evidence.matrix())
        if len(own := groupings(evidence)):
            odds[own] += self.second.odds(second_look(evidence, odds))
        return odds

    def save(self, path: str | Path) -> None:
        """Writes the model as an .npz file."""
        arrays = {
            "fusion": self.fusion.astype(np.float32),
            "text": self.text.astype(np.float32),
            **self.shape.to_arrays(),
            **self.trees.to_arrays("trees"),
            **self.second.to_arrays("second"),
        }
        np.savez_compressed(path, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, data: bytes) -> Self:
        """The model that `save` wrote."""
        with np.load(BytesIO(data), allow_pickle=False) as arrays:
            found: Mapping[str, NDArray[Any]] = dict(arrays)
        trees = (Trees.from_arrays(found, name) for name in ("trees", "second"))
        return cls(found["fusion"], found["text"], Shape.from_arrays(found), *trees)


@cache
def packaged_model() -> RankerModel:
    """The model that comes with sqlore."""
    return RankerModel.load((files("sqlore.retrieve") / MODEL).read_bytes())


class Learned:
    """The model as a `Ranker`. Keeps the regression over the last snapshot; safe to share between threads."""

    def __init__(self, model: RankerModel | None = None) -> None:
        self.model = model or packaged_model()
        self._kept: Regression | None = None

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
            chances = sigmoid(self.model.odds(evidence))
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
        rows = candidates(asked, fused, weights)
        return Evidence(asked, layout, columns, fused, like, weights, called, regressed, rows)

    def regression(self, layout: Layout) -> Regression:
        """The regressions over `layout`; those over a whole snapshot are kept."""
        kept = self._kept
        return kept if kept is not None and kept.layout is layout else Regression(layout, self.model.shape)

    def layout(self, snapshot: Snapshot) -> Layout:
        """The layout of `snapshot`, made when it is first asked about; that of a part from the whole's."""
        if isinstance(snapshot, Part):
            return self.layout(snapshot.whole).part(snapshot)
        kept = self._kept
        if kept is None or kept.layout.snapshot is not snapshot:
            shape = self.model.shape
            kept = self._kept = Regression(Layout(snapshot, shape.tags), shape)
        return kept.layout


def default_ranker() -> Ranker:
    """The ranker that a retriever uses where it is given none."""
    return Learned()


def candidates(asked: Asked, fused: Floats, weights: Floats) -> Ints:
    """The rows of the items that the fusion and the votes of worthy texts favour, best first."""
    votes = asked.snapshot.total(weights**2)
    both = fused / max(float(fused.max(initial=0)), 1e-9) + votes / max(float(votes.max(initial=0)), 1e-9)
    both = np.where(asked.offered, both, -1)
    best = np.argsort(-both, kind="stable")[:CANDIDATES]
    rows: Ints = best[asked.offered[best]].astype(np.int32)
    return rows
