"""CodeS: only the tables and columns that matter, the values found in them, and all that is known of them.

Source: Li et al. 2024 (schema filter, value retriever, metadata of a column: type, key, comment, samples), as
BIRD-History (Table 2) runs it with demonstrations of the history. CodeS trains a classifier for its schema
filter; here the relevance of the retrieved knowledge, of names and of values decides. Its demonstrations have
each their own database and repeat its schema; those of a history share one, which is told once.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sqlore.model import Message, Table
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext, Setup, best_values
from sqlore.prompts.past import arranged, fitting, pair, sizes
from sqlore.prompts.rules import rules
from sqlore.prompts.schemas import filtered, told, without_values
from sqlore.prompts.text import as_data, neutral
from sqlore.prompts.zero_shot import question_lines
from sqlore.retrieve.plugin.codes import contents_of, contents_sequence, schema_sequence
from sqlore.retrieve.plugin.examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet

#: Tables, and columns of each beside its keys, that pass the filter: as many as CodeS keeps.
TABLES: Final = 6
COLUMNS: Final = 10


class CodeS:
    """Filtered schema with metadata, demonstrations and matched values."""

    name = "codes"
    history = True

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> FilteredPrompt:
        """Needs the catalog alone."""
        return FilteredPrompt(catalog)


@dataclass(frozen=True)
class FilteredPrompt:
    """The prompts of one database."""

    catalog: Catalog
    name: str = "codes"

    @cached_property
    def _bare(self) -> Catalog:
        return without_values(self.catalog)

    def prompt(self, context: PromptContext) -> Prompt:
        """Rules and filtered schema; demonstrations as turns, the best last; values found, the question."""
        system = f"{rules(context.dialect, context.database)}\n\n{self._schema(context)}"
        asked = "\n".join([_matched(context), *question_lines(replace(context, values=()))])
        left = context.budget - ANSWER_TOKENS - sizes(system, asked)
        turns = [
            message
            for question, sql in arranged(
                fitting(self._demonstrations(context), lambda one: sizes(*one), left)
            )
            for message in (Message("user", question), Message("assistant", sql))
        ]
        return Prompt((Message("system", system), *turns, Message("user", asked)))

    def _schema(self, context: PromptContext) -> str:
        """The tables and columns that pass the filter, fewer where even those do not fit."""
        catalog = self._bare if context.mask else self.catalog
        kept = filtered(catalog.schema, context.relevance, TABLES, COLUMNS)

        def render(tables: Sequence[Table]) -> str:
            return schema_sequence(tables, catalog)

        return told(render, replace(catalog.schema, tables=tuple(kept)), context)

    def _demonstrations(self, context: PromptContext) -> list[tuple[str, str]]:
        """Matched values and question, and the SQL; the most useful first, equal ones once."""
        if context.retrieval is None:
            return []
        found = []
        parsed = examples(context.retrieval, self.catalog)
        for ranked, example in zip(context.retrieval.scripts, parsed, strict=True):
            words, sql = pair(ranked, mask=context.mask)
            contents = contents_sequence({}) if context.mask else neutral(contents_of(example))
            found.append((f"{contents}\nQuestion: {words}", sql))
        return list(dict.fromkeys(found))


def _matched(context: PromptContext) -> str:
    """The values of the database that the question names, by column; none where they are masked."""
    held: dict[tuple[str, str], list[str]] = defaultdict(list)
    for table, column, value in best_values(context):
        held[table, column].append(as_data(value, 80))
    return contents_sequence(held)
