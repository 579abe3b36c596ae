"""The adapted exemplars of one database as a prompt: those that fit, the schema, the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlore.errors import SqlError
from sqlore.model import Message, Schema
from sqlore.prompts.base import ANSWER_TOKENS, Prompt, PromptContext, Setup
from sqlore.prompts.da_gp_review import Entry
from sqlore.prompts.da_gp_schema import told_within
from sqlore.prompts.few_shot import (
    ABOUT,
    QUESTION_TOKENS,
    TARGET_SHARE,
    Shot,
    fitting,
    turns,
)
from sqlore.prompts.rules import rules
from sqlore.prompts.text import as_data, mask_values, neutral, sql_line, tokens, values_of
from sqlore.prompts.zero_shot import question_lines
from sqlore.sql import parse_script

if TYPE_CHECKING:
    from sqlore.catalog import Catalog

__all__ = ["PreparedAdapted", "Told"]

#: Of a prompt's budget, what the examples' schema may take where the whole schema is too large.
CUT_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Told:
    """The database as examples and questions tell it; `whole` says whether `schema` has all its tables.

    `tables` are all of them, by which a text in double quotes is told from a name.
    """

    name: str
    dialect: str
    schema: str
    whole: bool
    budget: int
    tables: Schema | None = None

    @classmethod
    def of(cls, catalog: Catalog, setup: Setup) -> Told:
        """The database of a catalog in prompts of `setup.budget` tokens."""
        schema, whole = told_within(catalog, int(setup.budget * TARGET_SHARE), mask=setup.mask)
        if not whole:
            schema, _ = told_within(catalog, int(setup.budget * CUT_SHARE), mask=setup.mask)
        read = catalog.schema
        return cls(read.name, read.dialect, schema, whole, setup.budget, read)

    def shot(self, question: str, sql: str, *, schema: str | None = None) -> Shot:
        """An example on this database."""
        told, line = self.schema if schema is None else schema, sql_line(sql, self.dialect)
        return Shot(self.name, told, as_data(question), line)

    def room(self, *, adapted: bool) -> int:
        """Tokens for examples with their schemas; `adapted` says whether they bring that of the target."""
        taken = tokens(rules(self.dialect, self.name)) + tokens(ABOUT) + QUESTION_TOKENS + ANSWER_TOKENS
        if not self.whole:
            taken += int(self.budget * TARGET_SHARE)
        elif not adapted:
            taken += tokens(self.schema)
        return max(0, self.budget - taken)

    def asked(self, context: PromptContext, *, shown: bool) -> str:
        """The question, with the schema where no example was `shown` with the whole of it."""
        lines = question_lines(context)
        if not self.whole or not shown:
            schema = self.schema if self.whole else neutral(context.schema).strip()
            lines = [f"Database {self.name}:" if self.name else "The database:", schema, "", *lines]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class PreparedAdapted:
    """The examples for one database: first those that stayed as they were (`kept`), then the adapted ones.

    `chosen` counts the exemplars there were, `adapted` those for which there is SQL and a question, whether
    or not they found room; `failed` counts samples by what they failed of. `entries` are the exemplars as
    they stand in the file `review`.
    """

    told: Told
    kept: tuple[Shot, ...]
    shots: tuple[Shot, ...]
    chosen: int
    adapted: int
    failed: Mapping[str, int]
    entries: tuple[Entry, ...] = ()
    review: Path | None = None
    name: str = "da_gp"

    @classmethod
    def of(
        cls,
        told: Told,
        originals: Sequence[Shot],
        entries: Sequence[Entry],
        mask: bool,
        review: Path | None = None,
    ) -> PreparedAdapted:
        """The examples that fit: the adapted ones before the others, each in the order of Algorithm 1."""
        adapted: list[Shot] = []
        stay: list[Shot] = []
        failed: Counter[str] = Counter()
        for original, entry in zip(originals, entries, strict=True):
            failed.update(entry.failed)
            if entry.problem:
                failed[entry.problem.partition(":")[0]] += 1
            own = _shot(told, entry, mask)
            if own is not None:
                adapted.append(own)
            else:
                stay.append(original)
        room = told.room(adapted=bool(adapted))
        taken = fitting([*adapted, *stay], room, most=len(originals) or 1)
        return cls(
            told,
            tuple(one for one in stay if one in taken),
            tuple(one for one in adapted if one in taken),
            len(originals),
            len(adapted),
            failed,
            tuple(entries),
            review,
        )

    @property
    def report(self) -> str:
        """How many exemplars were adapted, and what samples failed of.

        Those without an adaptation are examples of another database still.
        """
        text = f"{self.adapted} of {self.chosen} examples adapted"
        if self.adapted < self.chosen:
            text += f", {self.chosen - self.adapted} stay those of other databases"
        left_out = self.chosen - len(self.kept) - len(self.shots)
        if left_out:
            text += f", {left_out} found no room"
        if self.failed:
            reasons = sorted(self.failed.items(), key=lambda item: (-item[1], item[0]))
            text += "; samples that failed: " + ", ".join(f"{count} ({why})" for why, count in reasons)
        return text

    def prompt(self, context: PromptContext) -> Prompt:
        """Rules, examples, the question; the schema is told once, before the first example on it."""
        told = self.told
        system = Message("system", f"{rules(told.dialect, told.name)}\n{ABOUT}")
        last = Message("user", told.asked(context, shown=bool(self.shots)))
        return Prompt((system, *turns([*self.kept, *self.shots]), last))


def _shot(told: Told, entry: Entry, mask: bool) -> Shot | None:
    """The example of an entry; None where there is none to show. Masked it has no literal."""
    if not entry.usable:
        return None
    if not mask:
        return told.shot(entry.question, entry.sql)
    try:
        read = parse_script(entry.sql, told.dialect, told.tables)
        skeleton = next(f.skeleton for f in read.fragments if f.kind == "query")
    except (SqlError, StopIteration):
        return None
    return told.shot(mask_values(entry.question, values_of(entry.sql, skeleton, told.dialect)), skeleton)
