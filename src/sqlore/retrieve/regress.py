"""How much each text of the history says for and against the question's items: kernel ridge regression.

Votes of similar texts count what five nearly equal questions share five times, and never count against
anything. A regression from questions to items knows how like the texts are to each other as well: a text
says what those before it have not said, and one that is near in topic but asks otherwise takes away. What is
predicted for an item, a table, a column or a tag is linear in the texts, so one weight a text is all that
has to be found, and a text that is withheld has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from sqlore.retrieve.kernels import BLENDS, Kernels, blended
from sqlore.retrieve.layout import Layout
from sqlore.retrieve.part import Part
from sqlore.retrieve.shape import Shape
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Floats, Ints
from sqlore.retrieve.threads import one_core

__all__ = ["LOCAL", "RIDGE", "WHOLE", "Regression"]

#: How much a text's own label is doubted; chosen by cross-validation over the training databases.
RIDGE: Final = 0.25
#: Texts up to which all of them are in the regression; its inverse is computed once a snapshot.
WHOLE: Final = 1600
#: Texts of a larger history that are: the nearest. The others speak by their mean alone.
LOCAL: Final = 300


class Regression:
    """The regressions over one layout. `shape` is that of the ranker."""

    def __init__(self, layout: Layout, shape: Shape) -> None:
        self.layout, self.shape = layout, shape
        self._kernels: Kernels | None = None
        self._inverses: dict[tuple[str, ...], Mapping[str, Floats]] = {}

    def weights(self, asked: Asked) -> Mapping[str, Floats]:
        """For each blend the weights of the texts; they add up to 1 and may be negative.

        The sum of the weights of the texts that use an item is what the regression says of it: about 1 where
        it is needed, about 0 where not. All zero where no text may be used.
        """
        number = int(asked.alive.sum())
        if not number:
            return {name: np.zeros(len(asked.alive), dtype=np.float32) for name in BLENDS}
        with one_core():
            rows, found = self._fitted(asked, number)
        out = {}
        for name, own in found.items():
            mean = (1 - float(own.sum())) / number
            out[name] = np.where(asked.alive, mean, 0).astype(np.float32)
            out[name][rows] += own
        return out

    def _fitted(self, asked: Asked, number: int) -> tuple[Ints, Mapping[str, Floats]]:
        """The texts in the regression, and for each blend what each of them adds to its share of the mean."""
        rows: Ints = np.flatnonzero(asked.alive).astype(np.int32)
        if number == len(asked.alive) <= WHOLE and not isinstance(self.layout.snapshot, Part):
            return self._kept(asked, rows)
        kernels = Kernels(self.layout, asked.alive, self.shape)
        near = kernels.to_question(asked)
        if number > WHOLE:
            likeness = blended(near, BLENDS["mix"])[rows]
            rows = np.sort(rows[np.argsort(-likeness, kind="stable")[:LOCAL]])
        return self._solved(kernels, kernels.of(asked, rows, near), rows)

    def _solved(
        self, kernels: Kernels, own: Mapping[str, Floats], rows: Ints
    ) -> tuple[Ints, Mapping[str, Floats]]:
        among = kernels.among(rows, own)
        return rows, {
            name: np.linalg.solve(_ridged(among, blend), blended(own, blend))
            for name, blend in BLENDS.items()
        }

    def _kept(self, asked: Asked, rows: Ints) -> tuple[Ints, Mapping[str, Floats]]:
        """As `_solved`, over the whole history: with inverses that are made once."""
        if self._kernels is None:
            self._kernels = Kernels(self.layout, asked.alive, self.shape)
        own = self._kernels.of(asked, rows, self._kernels.to_question(asked))
        key = tuple(sorted(own))
        if key not in self._inverses:
            among = self._kernels.among(rows, own)
            self._inverses[key] = {
                name: np.linalg.inv(_ridged(among, blend)) for name, blend in BLENDS.items()
            }
        return rows, {name: self._inverses[key][name] @ blended(own, blend) for name, blend in BLENDS.items()}


def _ridged(among: Mapping[str, Floats], blend: Mapping[str, float]) -> Floats:
    """The matrix of a blend's regression."""
    matrix = blended(among, blend)
    matrix.flat[:: len(matrix) + 1] += RIDGE
    return matrix
