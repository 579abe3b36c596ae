"""What a strategy gets and gives: the context of a question in, chat messages out.

Every prompt has its stable part first. The system message (rules, schema, dictionary) is the same, byte
for byte, for all questions of one database, so that a model's prefix cache reads it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sqlore.model import Message, RankedItem, Retrieval, ValueMatch
from sqlore.prompts.rules import rules
from sqlore.prompts.text import as_data, neutral


@dataclass(frozen=True, slots=True)
class PromptContext:
    """A question with everything a strategy may use.

    `schema` is the schema and dictionary as text. `budget` is in tokens, for the whole prompt. With `mask`
    no literal of the history and no value of the database goes into the prompt: for remote models.
    """

    question: str
    schema: str
    dialect: str = "sqlite"
    database: str = ""
    retrieval: Retrieval | None = None
    values: tuple[ValueMatch, ...] = ()
    budget: int = 3000
    mask: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages for a model, and where its answer ends."""

    messages: tuple[Message, ...]
    stop: tuple[str, ...] = ()

    def repaired(self, sql: str, error: str) -> Prompt:
        """The prompt that follows an answer which did not work: what was answered, and why it failed."""
        problem = (
            f"That query does not work: {as_data(error, 300)}\n"
            "Write the corrected query for the same question. Answer with SQL only."
        )
        turn = (Message("assistant", sql), Message("user", problem))
        return replace(self, messages=(*self.messages, *turn))


class Strategy(Protocol):
    """A way to put a question and its context to a model."""

    @property
    def name(self) -> str: ...

    def prompt(self, context: PromptContext) -> Prompt:
        """The messages for a question; pure, the same context gives the same bytes."""
        ...


def system_message(context: PromptContext) -> Message:
    """Rules and schema: the part that stays the same for all questions of one database."""
    return Message(
        "system", f"{rules(context.dialect, context.database)}\n\n{neutral(context.schema).strip()}"
    )


def value_lines(context: PromptContext, most: int = 6) -> list[str]:
    """The words of the question that are values of the database, a line each; none where they are masked."""
    if context.mask:
        return []
    best: dict[tuple[str, str, str], None] = {}
    for match in sorted(context.values, key=lambda m: -m.score):
        best.setdefault((match.table, match.column, match.value))
    lines = []
    for table, column, value in list(best)[:most]:
        quoted = as_data(value, 80).replace("'", "''")
        lines.append(f"- {table}.{column} = '{quoted}'")
    return lines


def usable(items: Sequence[RankedItem]) -> list[RankedItem]:
    """The items that may be offered as fact: neither deprecated nor stale."""
    return [ranked for ranked in items if ranked.item.trust != "deprecated" and not ranked.item.stale]
