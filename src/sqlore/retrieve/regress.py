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
        kept = number == len(asked.alive) <= WHOLE and not isinstance(self.layout.snapshot, Part)
        kernels = self._whole() if kept else Kernels(self.layout, asked.alive, self.shape)
        near = kernels.to_question(asked)
        if number > WHOLE:
            nearest = np.argsort(-blended(near, BLENDS["mix"])[rows], kind="stable")[:LOCAL]
            rows = np.sort(rows[nearest])
        own = {name: values[rows] for name, values in near.items()}
        own["shape"] = kernels.shape_of(asked.question, rows)
        wanted = {name: blended(own, blend) for name, blend in BLENDS.items()}
        if not kept:
            among = _ridged(kernels.among(rows, own))
            return rows, {name: np.linalg.solve(among[name], wanted[name]) for name in BLENDS}
        key = tuple(sorted(own))
        if key not in self._inverses:
            among = _ridged(kernels.among(rows, own))
            self._inverses[key] = {name: np.linalg.inv(matrix) for name, matrix in among.items()}
        return rows, {name: self._inverses[key][name] @ wanted[name] for name in BLENDS}

    def _whole(self) -> Kernels:
        if self._kernels is None:
            alive = np.ones(len(self.layout.snapshot.texts), dtype=np.bool_)
            self._kernels = Kernels(self.layout, alive, self.shape)
        return self._kernels


def _ridged(among: Mapping[str, Floats]) -> dict[str, Floats]:
    """The matrix of each blend's regression."""
    out = {}
    for name, blend in BLENDS.items():
        out[name] = blended(among, blend)
        out[name].flat[:: len(out[name]) + 1] += RIDGE
    return out
