"""The ways to run a retriever that a comparison goes through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlore.retrieve.baselines import THRESHOLDED, Granularity

__all__ = ["VARIED", "Setting", "settings_for"]

#: The retriever whose granularity and threshold are varied, as in the paper, without and with a model.
VARIED: Final = ("published", "published_llm")


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run one retriever. `shots` None: as many as it thinks right."""

    retriever: str
    shots: int | None = None
    threshold: float | None = None
    granularity: Granularity = "qc"
    budget: int | None = None

    @property
    def label(self) -> str:
        """The retriever with whatever is not its default.

        >>> Setting("mqs", shots=3).label, Setting("published", granularity="q").label
        ('mqs, 3 shots', 'published, q')
        """
        parts = [self.retriever]
        if self.granularity != "qc":
            parts.append(self.granularity)
        if self.threshold is not None:
            parts.append(f"threshold {self.threshold:g}")
        if self.shots is not None:
            parts.append(f"{self.shots} shot{'s' if self.shots > 1 else ''}")
        if self.budget is not None:
            parts.append(f"{self.budget} tokens")
        return ", ".join(parts)


def settings_for(
    retrievers: Sequence[str],
    *,
    shots: Sequence[int | None] = (None,),
    thresholds: Sequence[float] = (),
    granularities: Sequence[Granularity] = ("qc",),
    budgets: Sequence[int] = (),
) -> list[Setting]:
    """Every retriever with every number of shots and every budget; one thing is varied at a time.

    One threshold holds for all that have one; several are tried on `published` alone, and so are
    granularities. An open number of shots comes first: it is what a retriever does when left alone, and pays
    for the embedding.

    >>> [s.label for s in settings_for(["mqs", "published"], thresholds=[0.5, 0.6])]
    ['mqs', 'published', 'published, threshold 0.5', 'published, threshold 0.6']
    >>> [s.label for s in settings_for(["mqs", "bm25"], thresholds=[0.9])]
    ['mqs, threshold 0.9', 'bm25']
    """
    shots = sorted(shots, key=lambda number: number is not None)
    one = thresholds[0] if len(thresholds) == 1 else None
    first = granularities[0] if len(granularities) == 1 else "qc"

    def plain(name: str, number: int | None, budget: int | None = None) -> Setting:
        threshold = one if name in THRESHOLDED else None
        return Setting(name, number, threshold, first if name in VARIED else "qc", budget)

    out = [plain(name, number) for name in retrievers for number in shots]
    for name in retrievers:
        if name in VARIED and len(thresholds) > 1:
            out += [Setting(name, shots[0], value, first) for value in thresholds]
        if name in VARIED and len(granularities) > 1:
            out += [Setting(name, shots[0], one, level) for level in granularities]
    out += [plain(name, None, budget) for name in retrievers for budget in budgets]
    return list(dict.fromkeys(out))
