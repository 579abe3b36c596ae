"""From a question to the knowledge that touches it: phrases, signals, fusion, selection.

    question -> phrases -> signals of every item -> score -> items -> the fewest scripts that hold them

What may be replaced: the `Ranker` (signals to scores). Everything else is a pure function over arrays.
"""

from __future__ import annotations

from sqlore.retrieve.fuse import Fusion, Ranker, default_ranker
from sqlore.retrieve.phrases import Phrase, phrases
from sqlore.retrieve.retriever import BUDGET, Retriever

__all__ = ["BUDGET", "Fusion", "Phrase", "Ranker", "Retriever", "default_ranker", "phrases"]
