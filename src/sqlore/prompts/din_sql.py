"""DIN-SQL (Pourreza and Rafiei 2023), a comparison of "Adapt and Decompose" (section 5.1): five small tasks.

The model names what the question is linked to in the schema, then says of which class its query is. An easy
one it writes at once; for one with joins it writes NatSQL first; for one with queries inside, those. At the
end it looks at its query once more, without examples, and mends what is wrong.

The exemplars are pairs of the training set, the same for every question, and what they say of links, classes
and queries inside is read from their SQL (`din_examples`). DIN-SQL has a prompt with exemplars of its own for
each task; here the tasks are one conversation, so that they share what is read once (`worked`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any, Final

from sqlore.errors import ModelRefusal
from sqlore.model import Message
from sqlore.prompts.base import Prompt, PromptContext, Setup
from sqlore.prompts.din_examples import CLASSES, Class, Read, chosen_pairs
from sqlore.prompts.few_shot import ABOUT, Shot, Shots, Target
from sqlore.prompts.ltmp import said_natsql
from sqlore.prompts.notebook import Notebook
from sqlore.prompts.rules import rules
from sqlore.prompts.text import as_data, sql_line, tokens
from sqlore.prompts.worked import Worked, fitting_worked, go_on, listed, said_lines, worked_turns
from sqlore.sql import extract_sql

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet

__all__ = ["CORRECT", "DinSql", "PreparedDin", "said_class"]

#: Raised when the choice of exemplars or their form changes: what was kept before is not used then.
VERSION = 1
#: Exemplars of each class at most.
EACH: Final = 4

#: What is asked for in the tasks.
LINKS: Final = "Schema links:"
CLASS: Final = "Class:"
NATSQL: Final = "NatSQL:"
INNER: Final = "Queries inside:"
SQL: Final = "SQL:"
CORRECT: Final = (
    "Look at this query once more, with the tables and the question in mind. Are tables and columns the "
    "right ones, is every join there and none too many, are conditions, values, groups and order as the "
    "question asks, does it select only what is asked for? Mend what is wrong, and change nothing where "
    "nothing is wrong. Answer with the final query only."
)
#: Tokens that what the model says in a task may take, in its answer and in the next prompt.
LINKS_TOKENS: Final = 100
CLASS_TOKENS: Final = 120
PLAN_TOKENS: Final = 200
SQL_TOKENS: Final = 200
#: All of it, with the words that ask for it: what a prompt keeps free.
STEP_TOKENS: Final = LINKS_TOKENS + CLASS_TOKENS + PLAN_TOKENS + SQL_TOKENS + tokens(CORRECT) + 20

_ANSWER: Final = (
    "You are asked in steps: which columns, joins and values the question is about; the class of its query "
    "(EASY: one table. NON-NESTED: a join. NESTED: queries inside); what the class needs first; the query. "
    "Answer a step as in the examples and with nothing else."
)
_WHY: Final[dict[Class, str]] = {
    "EASY": "No join, no query inside",
    "NON-NESTED": "A join, no query inside",
    "NESTED": "Queries inside",
}
_CLASS: Final = re.compile(r"\b(?:(non[\s_-]*nested)|(nested)|(easy))\b", re.IGNORECASE)
_SELECTS: Final = re.compile(r"^\(?\s*(?:select|with)\b", re.IGNORECASE)


class DinSql:
    """Linking, classification, generation by class, self-correction."""

    name = "din_sql"
    history = False

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedDin:
        """Chooses exemplars of each class that fit beside the target's schema; no model is asked."""
        target = Target.of(catalog, setup.budget)
        told = rules(target.dialect, target.name, _ANSWER)
        room = target.room - STEP_TOKENS - (tokens(told) - tokens(rules(target.dialect, target.name)))
        notes = Notebook(setup.folder, self.name, VERSION, examples.fingerprint, target.dialect, room)
        if "exemplars" not in notes:
            if setup.on_progress is not None:
                setup.on_progress("choosing examples", 0, 1)
            notes.put("exemplars", [asdict(one) for one in _choose(examples, room, target.dialect)])
        return PreparedDin(target, f"{told}\n{ABOUT}", tuple(_read_back(one) for one in notes["exemplars"]))


def _choose(examples: TrainingSet, room: int, dialect: str) -> list[Worked]:
    """The exemplars within `room` tokens, database by database; where few fit, some of each class do."""
    shots = Shots(examples, dialect)
    by_class: dict[Class, list[Worked]] = {kind: [] for kind in CLASSES}
    for pair, read in chosen_pairs(examples, shots.pairs, EACH):
        by_class[read.kind].append(_worked(shots(pair), read))
    mixed = [one for one in chain(*zip_longest(*by_class.values())) if one is not None]
    return sorted(fitting_worked(mixed, room), key=lambda one: one.database)


def _worked(shot: Shot, read: Read) -> Worked:
    """An exemplar with the tasks that its class takes."""
    said = f"Tables: {', '.join(read.tables)}. {_WHY[read.kind]}: {read.kind}"
    turns = [(LINKS, ", ".join(read.links))]
    if read.kind == "NESTED":
        turns.append((CLASS, f"{said}\n{listed([question for question, _ in read.inner])}"))
        turns.append((INNER, listed([sql_line(sql) for _, sql in read.inner])))
    else:
        turns.append((CLASS, said))
    if read.kind == "NON-NESTED":
        turns.append((NATSQL, listed(read.natsql)))
    return Worked(shot.database, shot.schema, shot.question, (*turns, (SQL, shot.sql)))


def _read_back(one: dict[str, Any]) -> Worked:
    return Worked(one["database"], one["schema"], one["question"], tuple((a, b) for a, b in one["turns"]))


@dataclass(frozen=True)
class PreparedDin:
    """The exemplars for one database."""

    target: Target
    system: str
    examples: tuple[Worked, ...]
    name: str = "din_sql"

    def prompt(self, context: PromptContext) -> Prompt:
        """The first task, schema linking; `then` leads to the next ones."""
        before = (Message("system", self.system), *worked_turns(self.examples))
        start = (*before, Message("user", f"{self.target.asked(context)}\n{LINKS}"))

        def linked(said: str) -> Prompt:
            links = ", ".join(said_lines(said, LINKS_TOKENS, ends=(CLASS, SQL)))
            return self._classified(start, links or "none")

        return Prompt(start, (f"\n{CLASS}",), linked, LINKS_TOKENS)

    def _classified(self, start: Sequence[Message], links: str) -> Prompt:
        asked = go_on(start, links, CLASS)

        def classified(said: str) -> Prompt:
            kind, inner = said_class(said)
            label = f"{_WHY[kind]}: {kind}"
            # The model's own words are kept where they are few: its cache holds them already.
            text = "\n".join([_label_line(said) or label, *([listed(inner)] if inner else [])])
            if kind == "EASY":
                return self._written(asked.messages, text)
            return self._planned(asked.messages, text, NATSQL if kind == "NON-NESTED" else INNER)

        ends = (f"\n{SQL}", f"\n{NATSQL}", f"\n{INNER}")
        return Prompt(asked.messages, ends, classified, CLASS_TOKENS)

    def _planned(self, before: Sequence[Message], said_before: str, step: str) -> Prompt:
        """What comes before the query of a class that is not easy; where it says nothing, the query comes."""
        asked = go_on(before, said_before, step)

        def planned(said: str) -> Prompt:
            plan = said_natsql(said) if step == NATSQL else _said_queries(said)
            if not plan:
                return self._written(before, said_before)
            return self._written(asked.messages, listed(plan))

        return Prompt(asked.messages, (f"\n{SQL}",), planned, PLAN_TOKENS)

    def _written(self, before: Sequence[Message], said_before: str) -> Prompt:
        """The query, then the look at it; where there is none to look at, it is asked for again."""
        asked = go_on(before, said_before, SQL)

        def corrected(said: str) -> Prompt:
            try:
                sql = sql_line(extract_sql(said, dialect=self.target.dialect or None))
            except ModelRefusal:
                return asked
            if tokens(sql) > SQL_TOKENS:
                return asked
            return replace(go_on(asked.messages, sql, CORRECT), read=lambda answer: self._kept(answer, sql))

        return Prompt(asked.messages, then=corrected)

    def _kept(self, answer: str, sql: str) -> str:
        """The answer to the look at `sql`: that query itself, where it only says that nothing is wrong."""
        try:
            return extract_sql(answer, dialect=self.target.dialect or None)
        except ModelRefusal:
            return sql


def said_class(said: str) -> tuple[Class, list[str]]:
    """The class in a model's answer, and the sub-questions of a nested one.

    Where no class is said it is the one between: its NatSQL also says what an easy query is.

    >>> said_class("Tables: hut. Queries inside: NESTED\\n1. average beds of huts")
    ('NESTED', ['average beds of huts'])
    >>> said_class("It is non-nested."), said_class("")
    (('NON-NESTED', []), ('NON-NESTED', []))
    """
    match = _CLASS.search(said)
    if match is None or match[1]:
        return "NON-NESTED", []
    if match[3]:
        return "EASY", []
    rest = said[match.end() :].partition("\n")[2]
    return "NESTED", said_lines(rest, CLASS_TOKENS - 40, ends=(SQL, INNER, NATSQL))


def _label_line(said: str) -> str:
    """The line that says the class, where it is a short one; empty otherwise."""
    line = next((line for line in said.splitlines() if _CLASS.search(line)), "")
    return as_data(line, 300) if tokens(line) <= 40 else ""


def _said_queries(said: str) -> list[str]:
    """The queries in a model's answer, one a line."""
    return [line for line in said_lines(said, PLAN_TOKENS, ends=(SQL,)) if _SELECTS.match(line)]
