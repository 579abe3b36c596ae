"""A question taken apart with the NatSQL of its parts: by people where they did it, else from the SQL.

The paper takes both from Spider-SS for its exemplars and writes them by hand for those that it adapted to a
database ("Adapt and Decompose", sections 4.4 and 4.5). Here the SQL says it for those: its steps in words
(`steps`), and what each step adds in NatSQL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

from sqlglot.errors import SqlglotError

from sqlore.errors import SqlError
from sqlore.prompts.steps import say_steps
from sqlore.prompts.text import as_data
from sqlore.sql.decompose import Step, decompose
from sqlore.sql.natsql.writer import natsql_parts

if TYPE_CHECKING:
    from sqlore.knowledge.describe.words import Words
    from sqlore.model import Schema
    from sqlore.prompts.training_pairs import Pair

__all__ = ["Apart", "apart", "from_sql"]

_RETURN: Final = re.compile(r"^return (?=\S)", re.IGNORECASE)
_RESULT: Final = re.compile(r"#(\d+)")
_MASKED: Final = re.compile(r"""(["']?)<val \d+>\1""")


@dataclass(frozen=True, slots=True)
class Apart:
    """The parts of a question, and NatSQL: one for each part, or of the whole where that is all there is."""

    parts: tuple[str, ...]
    natsql: tuple[str, ...]

    @property
    def aligned(self) -> bool:
        """Whether each part has its NatSQL."""
        return len(self.parts) == len(self.natsql)


def apart(pair: Pair, schema: Schema) -> Apart | None:
    """A pair taken apart: what people wrote goes before what its SQL says. None where nothing can be said.

    >>> from sqlore.model import Column, Schema, Table
    >>> from sqlore.prompts.training_pairs import Pair
    >>> hut = Schema((Table("hut", (Column("name"), Column("beds"))),))
    >>> apart(Pair("huts", "Which huts have over 9 beds?", "SELECT name FROM hut WHERE beds > 9"), hut)
    Apart(parts=('huts whose beds is more than 9', 'name of #1'), natsql=('select where hut.beds > 9', \
'select hut.name'))
    """
    made = None
    if not pair.parts or not pair.natsql:
        made = from_sql(pair.sql, schema, pair.dialect)
    if not pair.parts:
        if made is None or not pair.natsql:
            return made
        return Apart(made.parts, _clean(pair.natsql))
    parts = tuple(_RETURN.sub("", as_data(part)) for part in pair.parts)
    if pair.natsql:
        return Apart(parts, _clean(pair.natsql))
    try:
        return Apart(parts, natsql_parts(pair.sql, schema, pair.dialect).parts)
    except (SqlError, SqlglotError):
        return None


def from_sql(
    sql: str, schema: Schema | None, dialect: str = "sqlite", dictionary: Words | None = None
) -> Apart | None:
    """The steps of SQL in words, and the NatSQL of each; None where the SQL cannot be taken apart.

    Literals that are masked (``<val>``) stay masked.
    """
    numbers = count(1)  # two masked literals need not be the same
    readable = re.sub("<val>", lambda _: f"'<val {next(numbers)}>'", sql)
    try:
        steps = decompose(readable, schema, dialect)
    except (SqlError, SqlglotError):
        return None
    said = [_RETURN.sub("", sentence) for sentence in say_steps(steps, dictionary, schema)]
    kept = _shortened(steps, said)
    number = {step.number: place for place, (step, _) in enumerate(kept, start=1)}
    return Apart(
        tuple(_MASKED.sub("<val>", _renumbered(text, number)) for _, text in kept),
        tuple(_MASKED.sub("<val>", step.natsql) for step, _ in kept),
    )


def _clean(natsql: Sequence[str]) -> tuple[str, ...]:
    return tuple(" ".join(line.split()) for line in natsql)


def _shortened(steps: Sequence[Step], said: Sequence[str]) -> list[tuple[Step, str]]:
    """The steps and their words, fewer of them: what only one other step uses is said in that one.

    Tables ("huts", "#1 whose ..." becomes "huts whose ...") and the columns that an answer puts together.
    """
    texts = {step.number: text for step, text in zip(steps, said, strict=True)}
    users: dict[int, list[Step]] = {}
    for step in steps:
        for used in step.uses:
            users.setdefault(used, []).append(step)
    gone: set[int] = set()
    for step in steps:
        using = users.get(step.number, [])
        if len(using) != 1 or not _may_go(step, using[0]):
            continue
        place = re.compile(rf"#{step.number}\b")
        if len(place.findall(texts[using[0].number])) == 1:
            own = texts[step.number].replace("\\", r"\\")
            texts[using[0].number] = place.sub(own, texts[using[0].number])
            gone.add(step.number)
    return [(step, texts[step.number]) for step in steps if step.number not in gone]


def _may_go(step: Step, user: Step) -> bool:
    if step.operation == "rows":
        return user.operation in ("filter", "join", "group", "project", "aggregate")
    return step.operation == "project" and user.operation == "together"


def _renumbered(text: str, number: dict[int, int]) -> str:
    return _RESULT.sub(lambda match: f"#{number.get(int(match[1]), int(match[1]))}", text)
