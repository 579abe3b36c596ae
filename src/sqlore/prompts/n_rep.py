"""N-rep: the same question with the schema written in several ways, a candidate each, and a vote.

Source: Dönder et al. 2025, as BIRD-History (Table 2) runs it. A model stumbles over a schema in one form and
not in another, so forms of the schema take the place of a temperature: CREATE TABLE statements, columns with
types and samples, columns with meanings and samples. The candidates are voted on by their results. Where no
majority agrees the vote says nothing, and the model chooses among them (a confidence-aware selector).
Demonstrations share the database, so its schema is told once and not beside each of them.

Every representation is a prefix of its own that stays the same from question to question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sqlore.model import Message, Rows, Table
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext, Setup
from sqlore.prompts.past import arranged, fitting, pairs, sizes
from sqlore.prompts.rules import rules
from sqlore.prompts.schemas import told, without_values
from sqlore.prompts.text import as_data
from sqlore.prompts.zero_shot import question_lines
from sqlore.retrieve.plugin.nrep import REPRESENTATIONS, foreign_keys, represented

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet

#: Of a result, the rows and letters of each that the choice is shown.
_ROWS: Final = 3
_LETTERS: Final = 60
_CHOOSE: Final = "Which of these queries answers the question? Answer with its number and nothing else."


class NRep:
    """One prompt a representation of the schema."""

    name = "n_rep"
    history = True

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> Representations:
        """Needs the catalog alone."""
        return Representations(catalog)


@dataclass(frozen=True)
class Representations:
    """The prompts of one database."""

    catalog: Catalog
    name: str = "n_rep"

    @cached_property
    def _bare(self) -> Catalog:
        return without_values(self.catalog)

    def prompt(self, context: PromptContext) -> Prompt:
        """The prompt of the first representation, with those of the others and the choice between them."""
        first, *others = (self._prompt(name, context) for name in REPRESENTATIONS)

        def choose(candidates: Sequence[tuple[str, Rows]]) -> Prompt:
            return _choice(first.messages[0], candidates, context)

        return replace(first, others=tuple(others), samples=1, choose=choose)

    def _prompt(self, representation: str, context: PromptContext) -> Prompt:
        """Rules and schema, pairs of the history as turns (the best last), the question."""
        catalog = self._bare if context.mask else self.catalog

        def render(tables: Sequence[Table]) -> str:
            text = represented(representation, catalog, tables, context.database)
            # The third form names no keys of its own, and nothing could be joined without them.
            return "\n".join([text, *foreign_keys(tables)]) if representation == "mac_schema" else text

        system = f"{rules(context.dialect, context.database)}\n\n{told(render, catalog.schema, context)}"
        asked = "\n".join(question_lines(replace(context, values=())))
        left = context.budget - ANSWER_TOKENS - sizes(system, asked)
        shown = [(f"Question: {words}", sql) for words, sql in pairs(context)]
        turns = [
            message
            for question, sql in arranged(fitting(shown, lambda one: sizes(*one), left))
            for message in (Message("user", question), Message("assistant", sql))
        ]
        return Prompt((Message("system", system), *turns, Message("user", asked)))


def _choice(system: Message, candidates: Sequence[tuple[str, Rows]], context: PromptContext) -> Prompt:
    """The candidates with what they give, as far as they fit, after the schema they were written for."""
    lines = [f"Question: {as_data(context.question, 1000)}"]
    left = context.budget - sizes(system.content, *lines, _CHOOSE)
    shown = [
        f"{number}. {as_data(sql, 1000)}" + ("" if context.mask else f" gives {_preview(rows)}")
        for number, (sql, rows) in enumerate(candidates, start=1)
    ]
    lines += [*fitting(shown, sizes, left), _CHOOSE]
    return Prompt((system, Message("user", "\n".join(lines))), stop=("\n",), most=8)


def _preview(rows: Rows) -> str:
    """The first rows of a result on one line.

    >>> _preview(Rows(("a", "b"), ((1, "x"), (2, None))))
    '2 rows: (1, x), (2, None)'
    """
    told = ["(" + ", ".join(as_data(str(v), _LETTERS) for v in row[:6]) + ")" for row in rows.rows[:_ROWS]]
    more = ["…"] if len(rows.rows) > _ROWS else []
    count = f"{len(rows.rows)}{'+' if rows.truncated else ''} row{'s' if len(rows.rows) != 1 else ''}"
    return f"{count}: {', '.join([*told, *more])}" if told else count
