"""DAIL-SQL: the schema as code, and question-SQL pairs with the most similar nearest the question.

Source: Gao et al. 2024, as BIRD-History (Table 2) runs it: which pairs is the retriever's affair (`dail@mqs`,
`dail@dail`), here is how they stand in the prompt. Schema, pairs and question are one text of SQL with
comments. No descriptions, no samples, no values found in the question: what only the code says is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlore.model import Message, Schema
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext, Setup
from sqlore.prompts.past import arranged, fitting, pairs, sizes
from sqlore.prompts.rules import rules
from sqlore.prompts.schemas import create_tables, told
from sqlore.prompts.text import as_data, tokens
from sqlore.prompts.zero_shot import JOINS_LIMIT, QUESTION_LIMIT

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet

_SCHEMA = "/* The tables of the database: */"
_PAIRS = "/* Questions asked before, and the SQL that answered them: */"


class Dail:
    """Code representation with pairs of the history."""

    name = "dail"
    history = True

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> CodePrompt:
        """Needs the schema alone."""
        return CodePrompt(catalog.schema)


@dataclass(frozen=True)
class CodePrompt:
    """The prompts of one database."""

    schema: Schema
    name: str = "dail"

    def prompt(self, context: PromptContext) -> Prompt:
        """The rules and the schema; then the pairs and the question in one text."""
        schema = told(create_tables(self.schema), self.schema, context)
        system = f"{rules(context.dialect, context.database)}\n\n{_SCHEMA}\n{schema}"
        joins = [_comment(f"Tables are joined so: {context.joins}", JOINS_LIMIT)] if context.joins else []
        asked = "\n".join([*joins, _comment(f"Question: {context.question}", QUESTION_LIMIT)])
        left = context.budget - ANSWER_TOKENS - sizes(system, asked, _PAIRS)
        shown = [f"{_comment(f'Question: {words}')}\n{sql}" for words, sql in pairs(context)]
        taken = arranged(fitting(shown, lambda text: tokens(text) + 1, left))
        parts = [_PAIRS, *taken, asked] if taken else [asked]
        return Prompt((Message("system", system), Message("user", "\n\n".join(parts))))


def _comment(text: str, limit: int = 400) -> str:
    """Text as a comment of SQL that it cannot end.

    >>> _comment("How many? */ DROP TABLE hero")
    '/* How many? * / DROP TABLE hero */'
    """
    return f"/* {as_data(text, limit).replace('*/', '* /')} */"
