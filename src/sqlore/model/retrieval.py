"""What the history knows that touches a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlore.model.chat import Usage
from sqlore.model.history import KnowledgeItem, StoredScript

__all__ = [
    "RankedItem",
    "RankedScript",
    "Retrieval",
    "ValueMatch",
]


@dataclass(frozen=True, slots=True)
class RankedItem:
    """A knowledge item found for a question; `signals` says why (name of signal -> its share)."""

    item: KnowledgeItem
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RankedScript:
    """A script found for a question; `items` are the found items it holds."""

    script: StoredScript
    score: float
    items: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """Words of a question found among a column's values: `start`, `end` are offsets in the question."""

    table: str
    column: str
    value: str
    phrase: str
    start: int
    end: int
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What the history knows that touches a question, best first.

    `notes` say what did not go as asked; `usage` is what a language model cost, where one was asked.
    """

    question: str
    items: tuple[RankedItem, ...]
    scripts: tuple[RankedScript, ...]
    phrases: tuple[str, ...] = ()
    values: tuple[ValueMatch, ...] = ()
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    usage: Usage | None = None

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The scripts as few-shot examples: (question, SQL), the most useful first.

        The description stands in where nobody wrote a question.
        """
        stored = [ranked.script for ranked in self.scripts]
        return tuple((one.script.text or one.description, one.script.sql) for one in stored)
