"""OpenSearch-SQL: extraction, generation with structured reasoning, alignment, correction, a vote.

Source: Xie et al. 2025, as BIRD-History (Table 2) runs it. The model names columns and values first; what it
names is brought in line with schema and database. Then it answers in lines, from the reason to the SQL, as
the examples do. Several answers are sampled, aligned with the database (`align`) and voted on by their
results; the winner is corrected where it fails or gives nothing.

Both steps share rules, schema and examples, so that the second reads only its last message; the lines of the
examples are read off their SQL, where the original has a model write them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlore.model import Message, Rows, ValueMatch
from sqlore.prompts.align import Aligner
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext, Setup, value_lines
from sqlore.prompts.past import arranged, fitting, sizes
from sqlore.prompts.rules import rules
from sqlore.prompts.text import as_data, mask_values, neutral, sql_line, values_of
from sqlore.prompts.zero_shot import question_lines
from sqlore.retrieve.plugin.examples import Example, examples
from sqlore.retrieve.plugin.opensearch import structured

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet

#: Answers sampled: the original takes 21, of a model that is not on two cores.
SAMPLES: Final = 3
#: Tokens of the first step's answer, columns and values told of it at most.
_EXTRACT_TOKENS: Final = 160
_COLUMNS: Final = 12
_VALUES: Final = 8
#: Tokens that the found columns and values may add to the second step.
_FOUND_TOKENS: Final = 250
_REASON: Final = 120

_ANSWER: Final = (
    "Answer in these lines, each short, and nothing else: #reason: what is asked. #columns: table.column, "
    "separated by commas. #values: values with their columns, or None. #SELECT: what is selected. "
    "#SQL-like: the query without its joins. #SQL: one SELECT statement."
)
_SQL: Final = re.compile(r"^[\s*]*#+\s*SQL\s*:?(?!\s*-?\s*like)", re.IGNORECASE | re.MULTILINE)
_LINE: Final = r"^[\s*]*#+\s*{name}\s*:(.*)$"
_QUOTED: Final = re.compile(r"'((?:[^']|'')+)'|\"([^\"]+)\"")
_EMPTY: Final = "it runs, but its result is empty; a value, a column or a join may be wrong"


class OpenSearch:
    """Structured reasoning with the history's scripts as examples."""

    name = "opensearch"
    history = True

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> StructuredPrompt:
        """Needs the catalog, and the database to look for values in."""
        return StructuredPrompt(catalog, Aligner(catalog, setup.engine))


@dataclass(frozen=True)
class StructuredPrompt:
    """The prompts of one database."""

    catalog: Catalog
    aligner: Aligner
    name: str = "opensearch"

    def prompt(self, context: PromptContext) -> Prompt:
        """The step that extracts; then the one that writes SQL with what was found."""
        system = Message(
            "system",
            f"{rules(context.dialect, context.database, _ANSWER)}\n\n{neutral(context.schema).strip()}",
        )
        asked = "\n".join(question_lines(context))
        left = context.budget - ANSWER_TOKENS - _FOUND_TOKENS - sizes(system.content, asked)
        start = (system, *self._examples(context, left))

        def then(said: str) -> Prompt:
            return Prompt(
                (*start, Message("user", self._with_findings(said, context))),
                stop=("\nQuestion:",),
                samples=SAMPLES,
                read=sql_part,
                align=self._aligned(context),
                doubt=_doubt,
            )

        first = (*start, Message("user", asked))
        return Prompt(first, stop=("#SELECT", "#SQL"), most=_EXTRACT_TOKENS, then=then)

    def _examples(self, context: PromptContext, room: int) -> list[Message]:
        """Past scripts as turns, answered in lines, the most useful last."""
        found = examples(context.retrieval, self.catalog) if context.retrieval else ()
        shown = list(
            dict.fromkeys(turn for one in found if (turn := _turn(one, context.mask, context.dialect)))
        )
        return [
            message
            for question, answer in arranged(fitting(shown, lambda one: sizes(*one), room))
            for message in (Message("user", question), Message("assistant", answer))
        ]

    def _with_findings(self, said: str, context: PromptContext) -> str:
        """The question with the columns and values of the first step that the database has."""
        columns = self._columns(_said(said, "columns"))
        values = () if context.mask else self._values(_said(said, "values"))
        known = replace(context, values=(*context.values, *values))
        lines = []
        if columns:
            lines.append(f"Columns that the question may need: {', '.join(columns)}")
        told = value_lines(known, _VALUES)
        if told:
            lines += ["Values in the database that the question may mean:", *told]
        return "\n".join([*lines, *([""] if lines else []), *question_lines(replace(context, values=()))])

    def _columns(self, said: str) -> list[str]:
        """Columns as the schema spells them; a bare name stands for every table that has it.

        Names that are not there are dropped.
        """
        found: dict[str, None] = {}
        for part in said.split(","):
            table, _, column = re.sub(r"[\"`\[\]()]", "", part).strip().rpartition(".")
            for one in self.catalog.schema.tables:
                known = one.column(column)
                if known is not None and table.lower() in ("", one.name.lower(), one.folded_name):
                    found.setdefault(f"{one.full_name}.{known.name}")
        return list(found)[:_COLUMNS]

    def _values(self, said: str) -> list[ValueMatch]:
        """What the database has for the texts that were named, in place of their spelling there."""
        texts = [single or double for single, double in _QUOTED.findall(said)]
        texts = texts or [part.strip() for part in said.split(",")]
        matches = [match for text in dict.fromkeys(texts) for match in self.catalog.values.match(text)[:2]]
        return [replace(match, score=min(match.score, 0.5)) for match in matches]

    def _aligned(self, context: PromptContext) -> Aligner:
        """Values of the database go into no query that a remote model may see, where they are masked."""
        return Aligner(self.catalog) if context.mask else self.aligner


def sql_part(answer: str) -> str:
    """What stands behind the last ``#SQL:`` of an answer; the whole answer where there is none.

    >>> sql_part("#reason: count\\n#SQL-like: Show count(*)\\n#SQL: SELECT COUNT(*) FROM hero")
    'SELECT COUNT(*) FROM hero'
    >>> sql_part("SELECT 1")
    'SELECT 1'
    """
    marks = list(_SQL.finditer(answer))
    rest = answer[marks[-1].end() :].strip() if marks else ""
    return rest if re.search(r"\b(?:select|with)\b", rest, re.IGNORECASE) else answer


def _said(answer: str, name: str) -> str:
    """What an answer has in one of its lines; nothing where it says there is none."""
    line = re.search(_LINE.format(name=name), answer, re.IGNORECASE | re.MULTILINE)
    text = as_data(line[1], 1000) if line else ""
    return "" if text.lower().rstrip(".") == "none" else text


def _turn(example: Example, mask: bool, dialect: str | None = None) -> tuple[str, str] | None:
    """Question and answer of a past script; None where it cannot be masked."""
    sql, words = sql_line(example.sql, dialect), as_data(example.question)
    reason = as_data(example.description, _REASON)
    if mask:
        if example.parsed is None:
            return None
        values = values_of(example.sql, example.parsed.skeleton, dialect)
        words, reason = mask_values(words, values), mask_values(reason, values)
    lines = structured(replace(example, sql=sql, description=reason), masked=mask)
    return f"Question: {words}", "\n".join(as_data(line, 4000) for line in lines)


def _doubt(sql: str, rows: Rows) -> str | None:
    """An empty result, or one of nothing but NULL, is corrected like an error."""
    empty = all(value is None for row in rows.rows for value in row)
    return _EMPTY if empty else None
