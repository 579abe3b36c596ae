"""What the BIRD-History paper printed, to stand beside our own figures.

Measured by its authors on their own tasks with their own language model: a mark to see the order of size by,
not a result of this comparison. Percentages as printed: precision, recall, F1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["BY_KIND", "BY_LEVEL", "BY_SHOTS", "BY_THRESHOLD", "COST", "RETRIEVERS", "SOURCE", "said"]

Rates = tuple[float, float, float]
SOURCE: Final = "the paper's, on its own tasks"

#: Table 3; `published` is the paper's own retriever.
RETRIEVERS: Final[Mapping[str, Rates]] = {
    "mqs": (21.11, 48.84, 29.48),
    "dail": (20.44, 48.10, 28.69),
    "mqs_filter": (25.09, 57.18, 34.88),
    "mqs_qs": (24.38, 52.47, 33.29),
    "published": (35.53, 83.07, 49.77),
}
#: Table 4.
BY_KIND: Final[Mapping[str, Rates]] = {
    "condition": (36.70, 76.67, 49.64),
    "output": (33.62, 84.26, 48.06),
    "dimension": (30.24, 79.19, 43.77),
    "relation": (25.75, 78.09, 38.73),
    "calculation": (23.33, 76.44, 35.75),
}
#: Table 5, by the most shots allowed.
BY_SHOTS: Final[Mapping[str, Rates]] = {
    "1": (57.95, 42.78, 49.23),
    "2": (48.37, 62.13, 54.39),
    "3": (42.55, 73.14, 53.80),
    "4": (38.75, 79.33, 52.07),
    "5": (36.68, 81.60, 50.61),
    "dynamic": (35.53, 83.07, 49.77),
}
#: Table 6, by the cosine from which something is a candidate.
BY_THRESHOLD: Final[Mapping[str, Rates]] = {
    "0.5": (35.58, 82.52, 49.72),
    "0.6": (35.78, 81.33, 49.70),
    "0.7": (35.17, 74.42, 47.77),
    "0.8": (34.19, 54.94, 42.15),
    "0.9": (33.48, 32.68, 33.07),
}
#: Table 13, by the level of retrieval.
BY_LEVEL: Final[Mapping[str, Rates]] = {
    "Q+C": (35.53, 83.07, 49.77),
    "Q": (34.61, 69.45, 46.19),
    "C": (33.91, 79.29, 47.50),
}
#: Table 14: milliseconds of a script learned (parsing, describing, embedding) and of a question asked
#: (keywords, retrieval, filter and rerank); kilobytes a script.
COST: Final[Mapping[str, Mapping[str, float]]] = {
    "learning": {"parse": 2.137, "describe": 5181, "embed": 3.048, "kilobytes": 20.62},
    "asking": {"keywords": 1918, "retrieval": 53.96, "filter and rerank": 4062},
}


def said(table: Mapping[str, Rates]) -> str:
    """A table as a line for a note.

    >>> said({"Q": (34.61, 69.45, 46.19)})
    "Precision / recall / F1 of the paper's, on its own tasks: Q 34.61 / 69.45 / 46.19."
    """
    rows = "; ".join(f"{name} {p:.2f} / {r:.2f} / {f:.2f}" for name, (p, r, f) in table.items())
    return f"Precision / recall / F1 of {SOURCE}: {rows}."
