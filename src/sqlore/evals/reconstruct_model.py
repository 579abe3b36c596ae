"""SQL that a language model writes from descriptions of items, and a user who corrects it, step by step.

The paper's own way to rebuild: the model is told what the extraction knows of a script in plain language and
nothing of its text. Then refinement: given SQL that is wrong, a simulated user compares its items with those
of gold, names the first that is in error and the right one in its place, and the model revises the SQL, told
nothing else. One step is one correction; five at most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.catalog.render import schema_text
from sqlore.errors import SqlError, SqloreError
from sqlore.evals.reconstruct import Lost, Outline, items_of, outline_of
from sqlore.knowledge.describe.describer import Describer
from sqlore.model import Fragment, Message
from sqlore.prompts.rules import rules
from sqlore.sql import extract_sql, parse_script

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel

__all__ = ["STEPS", "Writer", "correction"]

#: Corrections at most, as in the paper.
STEPS: Final = 5
_TOKENS: Final = 500


@dataclass
class Writer:
    """Asks `model` for the SQL of scripts over the database of `catalog`."""

    model: ChatModel
    catalog: Catalog

    def __post_init__(self) -> None:
        schema = self.catalog.schema
        self._describer = Describer(self.catalog.dictionary, schema)
        text = schema_text(self.catalog)
        self._system = Message("system", f"{rules(schema.dialect, schema.name)}\n\n{text}")

    def refined(self, gold: Sequence[Fragment], right: Callable[[str], bool], steps: int) -> list[str]:
        """The first answer and one more for each correction, until `right` says so or nothing is left to say.

        An answer that holds no SQL is "".
        """
        dialect = self.catalog.schema.dialect
        answers = [self._asked(self.told(gold))]
        said: set[str] = set()
        while not right(answers[-1]) and len(answers) <= steps:
            change = correction(answers[-1], gold, dialect, self.catalog, said)
            if change is None:
                break
            said.add(change)
            wrong = answers[-1] or "(none)"
            answers.append(
                self._asked(
                    f"This query is not right:\n{wrong}\n\n{change}\n\nAnswer with the revised SQL only."
                )
            )
        return answers

    def told(self, gold: Sequence[Fragment]) -> str:
        """The items of a script in plain language, one a line, then its outline."""
        lines = ["Write the query that these pieces describe, all of them and nothing else:"]
        lines += [f"- {one.kind}: {self._describer.fragment(one).text}" for one in items_of(gold)]
        try:
            outline = outline_of(gold, self.catalog.schema.dialect)
        except Lost:
            outline = Outline()
        if outline.columns:
            shown = ", ".join(column or "the calculation" for column in outline.columns)
            lines.append(f"- its columns, in this order: {shown}")
        if outline.source:
            lines.append(f"- its only table: {outline.source}")
        return "\n".join([*lines, "", "Answer with SQL only."])

    def _asked(self, task: str) -> str:
        answer = self.model.chat((self._system, Message("user", task)), max_tokens=_TOKENS)
        try:
            return extract_sql(answer.text, dialect=self.catalog.schema.dialect)
        except SqloreError:
            return ""


def correction(
    sql: str, gold: Sequence[Fragment], dialect: str, catalog: Catalog, said: set[str]
) -> str | None:
    """What a user says of wrong SQL: the first item that differs from gold's, with the right one.

    None where nothing is left that was not said. Of two items of one kind the wrong one is named with the
    right one; an item too many is to be left out; last the selected columns and the table.
    """
    try:
        parsed = parse_script(sql, dialect, catalog.schema).fragments
    except SqlError as error:
        parsed = ()
        told = f"It cannot be read as SQL: {error.message}." if sql else "There is no query in your answer."
        if told not in said:
            return told
    changes = _changes(items_of(parsed), items_of(gold))
    columns = _columns(parsed, gold, dialect)
    if columns is not None:
        changes.append(columns)
    return next((change for change in changes if change not in said), None)


def _changes(mine: Sequence[Fragment], right: Sequence[Fragment]) -> list[str]:
    have, want = {one.canonical for one in mine}, {one.canonical for one in right}
    missing = [one for one in right if one.canonical not in have]
    extra = [one for one in mine if one.canonical not in want]
    out = []
    for one in missing:
        wrong = next((other for other in extra if other.kind == one.kind), None)
        if wrong is None:
            out.append(f"A {one.kind} is missing: {one.canonical}")
        else:
            extra.remove(wrong)
            out.append(f"This {one.kind} is wrong: {wrong.canonical}\nIt has to be: {one.canonical}")
    return out + [f"Leave out this {one.kind}: {one.canonical}" for one in extra]


def _columns(mine: Sequence[Fragment], gold: Sequence[Fragment], dialect: str) -> str | None:
    """What is to be said of the selected columns, where they differ."""
    try:
        right = outline_of(gold, dialect)
        if mine and outline_of(mine, dialect) == right:
            return None
    except Lost:
        return None
    shown = ", ".join(column or "the calculation" for column in right.columns)
    return f"Select these columns in this order: {shown}" + (f", from {right.source}" if right.source else "")
