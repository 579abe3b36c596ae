"""Examples of other databases as turns of a conversation: each database's schema once, then its questions.

The target's own schema comes with the question, in the same form as the examples' (`bare_schema`). All that
stands before the question is the same, byte for byte, for every question with the same examples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlore.catalog import Catalog
from sqlore.model import Message
from sqlore.prompts.bare_schema import bare_schema
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext
from sqlore.prompts.rules import rules
from sqlore.prompts.text import as_data, neutral, sql_line, tokens
from sqlore.prompts.training_pairs import Pair, TrainingSet
from sqlore.prompts.translate import translated
from sqlore.prompts.zero_shot import question_lines

#: Of a prompt's budget, what the target's schema may take before it is cut to what a question touches.
TARGET_SHARE = 0.6
#: Tokens set aside for a question with the values found in it.
QUESTION_TOKENS = 160


@dataclass(frozen=True, slots=True)
class Shot:
    """One example as it goes into a prompt: `schema` is that of its database."""

    database: str
    schema: str
    question: str
    sql: str


class Shots:
    """Pairs of a training set as they go into prompts for a database of the dialect `dialect`."""

    def __init__(self, examples: TrainingSet, dialect: str) -> None:
        self._examples, self._dialect = examples, dialect
        self._schemas: dict[str, str] = {}

    @property
    def pairs(self) -> list[Pair]:
        """The pairs whose SQL the dialect can say."""
        return [pair for pair in self._examples.pairs if self._sql(pair) is not None]

    def _sql(self, pair: Pair) -> str | None:
        return translated(pair.sql, pair.dialect, self._dialect)

    def __call__(self, pair: Pair) -> Shot:
        """One of `pairs` as an example."""
        name = pair.database
        if name not in self._schemas:
            self._schemas[name] = neutral(bare_schema(self._examples.schema(name)))
        return Shot(name, self._schemas[name], as_data(pair.question), sql_line(self._sql(pair) or ""))


def turns(shots: Sequence[Shot]) -> list[Message]:
    """The examples as turns; a schema is said where the database changes."""
    messages: list[Message] = []
    last: tuple[str, str] | None = None  # two databases may share a name
    for one in shots:
        asked = f"Question: {one.question}"
        if (one.database, one.schema) != last:
            asked = f"Database {one.database}:\n{one.schema}\n\n{asked}"
            last = one.database, one.schema
        messages += [Message("user", asked), Message("assistant", one.sql)]
    return messages


def shot_tokens(shots: Sequence[Shot]) -> int:
    """About how many tokens the examples take."""
    return sum(tokens(message.content) for message in turns(shots))


@dataclass(frozen=True, slots=True)
class Target:
    """The database that is asked; `schema` is empty where it is too large for a prompt of `budget` tokens."""

    name: str
    dialect: str
    schema: str
    budget: int

    @classmethod
    def of(cls, catalog: Catalog, budget: int) -> Target:
        """The target of a catalog, in a prompt of `budget` tokens."""
        text = neutral(bare_schema(catalog.schema))
        fits = tokens(text) <= budget * TARGET_SHARE
        return cls(catalog.schema.name, catalog.schema.dialect, text if fits else "", budget)

    @property
    def room(self) -> int:
        """Tokens that are left for examples."""
        schema = tokens(self.schema) if self.schema else int(self.budget * TARGET_SHARE)
        taken = tokens(rules(self.dialect, self.name)) + schema + QUESTION_TOKENS + ANSWER_TOKENS
        return max(0, self.budget - taken)

    def prompt(self, context: PromptContext, shots: Sequence[Shot]) -> Prompt:
        """Rules, examples, the target's schema, the question."""
        system = Message("system", f"{rules(self.dialect, self.name)}\n{ABOUT}")
        return Prompt((system, *turns(shots), Message("user", self.asked(context))))

    def asked(self, context: PromptContext) -> str:
        """The target's schema, the values found in the question, the question."""
        schema = self.schema or neutral(context.schema).strip()
        named = f"Database {self.name}:" if self.name else "The database:"
        return "\n".join([named, schema, "", *question_lines(context)])


ABOUT = "- Every question is about the database whose tables were given last."


def fitting(shots: Sequence[Shot], room: int, *, most: int) -> list[Shot]:
    """The first `most` of `shots`, best first, that fit in `room` tokens with each database's schema once.

    One that does not fit is passed over.
    """
    taken: list[Shot] = []
    for one in shots:
        grouped = sorted([*taken, one], key=lambda each: each.database)
        if shot_tokens(grouped) <= room:
            taken.append(one)
            if len(taken) == most:
                break
    return taken
