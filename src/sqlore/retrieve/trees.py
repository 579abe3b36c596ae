"""Boosted trees, evaluated: arrays in, log odds out, and NumPy is all it takes.

Trees are grown elsewhere (`tools/train_ranker.py`) and kept as flat arrays over all nodes of all trees. A
leaf points at itself, so every row makes the same number of steps and a step is a few array look-ups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sqlore.retrieve.snapshot import Floats


@dataclass(frozen=True, slots=True)
class Trees:
    """`roots` (trees) are node numbers; per node: the column it asks, its threshold, the nodes it leads to
    (`left` where the value is at most the threshold), and the value it adds (0 for an inner node).
    """

    roots: NDArray[np.int32]
    column: NDArray[np.int16]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]
    depth: int

    def odds(self, rows: Floats) -> Floats:
        """Log odds of each row of `rows` (n x columns); shape (n,).

        >>> stump = Trees(np.array([0]), np.array([1, 0, 0]), np.array([0.5, 0, 0]), np.array([1, 1, 2]),
        ...               np.array([2, 1, 2]), np.array([0, -1.0, 2.0]), 1)
        >>> stump.odds(np.array([[9, 0.5], [9, 0.6]])).tolist()
        [-1.0, 2.0]
        """
        width = rows.shape[1]
        flat = np.ascontiguousarray(rows).ravel()
        start = (np.arange(len(rows), dtype=np.int32) * width)[:, None]
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            goes_left = flat[start + self.column[at]] <= self.threshold[at]
            at = np.where(goes_left, self.left[at], self.right[at])
        total: Floats = self.value[at].sum(axis=1)
        return total

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays by name, for an .npz file."""
        names = ("roots", "column", "threshold", "left", "right", "value")
        return {f"{prefix}_{name}": getattr(self, name) for name in names} | {
            f"{prefix}_depth": np.asarray(self.depth)
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Self:
        """The trees that `to_arrays` wrote; `left` and `right` may be narrower integers there."""
        return cls(
            arrays[f"{prefix}_roots"].astype(np.int32),
            arrays[f"{prefix}_column"].astype(np.int16),
            arrays[f"{prefix}_threshold"].astype(np.float32),
            arrays[f"{prefix}_left"].astype(np.int32),
            arrays[f"{prefix}_right"].astype(np.int32),
            arrays[f"{prefix}_value"].astype(np.float32),
            int(arrays[f"{prefix}_depth"]),
        )
