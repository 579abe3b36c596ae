"""From a question to the knowledge that touches it: signals, candidates, chances, selection.

    question -> signals of every item -> candidates -> chances -> items -> the fewest scripts that hold them

What may be replaced: the `Ranker` (signals to scores). Everything else is a pure function over arrays. What
may be added: a language model's say (`ModelFilter`), and the shape that another pipeline takes (`plugin`).
"""

from __future__ import annotations

from sqlore.retrieve.fuse import Ranker
from sqlore.retrieve.learned import Learned, default_ranker
from sqlore.retrieve.phrases import Phrase, phrases
from sqlore.retrieve.rerank import ModelFilter
from sqlore.retrieve.retriever import BUDGET, Retriever

__all__ = ["BUDGET", "Learned", "ModelFilter", "Phrase", "Ranker", "Retriever", "default_ranker", "phrases"]
