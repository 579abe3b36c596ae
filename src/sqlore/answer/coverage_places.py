"""Values of a question in whose place a query has another one: "in Bonn", where it writes ``city = 'Ulm'``.

Such a query speaks of the right column, so its names leave nothing of the question open. A value of the
question that stands in a table of codes ("X-ray", whose rows are picked by ``code = 'B2'``) is looked for in
the database: nothing is told where it cannot say which code belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from sqlore.catalog.lookup import column_with
from sqlore.catalog.text import fold
from sqlore.model import VAL, Fragment, Uncovered, ValueMatch
from sqlore.retrieve.words import stem, tokens
from sqlore.sql.names import table_and_column

if TYPE_CHECKING:
    from sqlore.answer.coverage_told import Told
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine

__all__ = ["number_in_place", "other_in_place"]

#: A value of the question is meant from this score of its match on.
_VALUE: Final = 0.6
#: Codes of a value looked for at most, and seconds for them.
_CODES: Final = 20
_SECONDS: Final = 1.0
#: A place longer than this is not told.
_LONG: Final = 80
_EXACT: Final = re.compile(rf".+ (?:=|like|ilike|glob|in) \(?{VAL}\)?")
_RANGE: Final = re.compile(rf".+ (?:[<>]=?|between) {VAL}.*")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def other_in_place(
    told: Told, matches: Sequence[ValueMatch], catalog: Catalog, engine: Engine | None = None
) -> Iterator[Uncovered]:
    """The values of a question that a query has not, with the condition that it has in their place.

    A reading of the same words that the query has settles them; so does a column of theirs that it uses
    without a value, as it gives what is asked for.
    """
    seen: list[ValueMatch] = []
    for one in sorted(matches, key=lambda match: -match.score):
        if one.score < _VALUE or any(_meet(one, other) for other in seen):
            continue
        seen.append(one)
        here = [other for other in matches if _meet(one, other)]
        if not _says(told, one.phrase) and not any(_settled(told, other) for other in here):
            place = next(filter(None, (_place(told, other, catalog, engine) for other in here)), None)
            if place is None or len(place.canonical) > _LONG:
                continue
            if one.phrase[0].islower() and any(_names(matches, value) for value in place.literals):
                continue  # both are said, and this one not as a name: "of expansion type Commander"
            yield Uncovered(one.phrase, one.start, one.end, instead=place.canonical)


def number_in_place(question: str, number: str, told: Told) -> str:
    """The one condition that has a year, or a limit, where the question has `number`; "" for none."""
    asked = {one.lstrip("0") for one in re.findall(r"\d+", question)}
    year = _YEAR.fullmatch(number)
    found = []
    for one in told.conditions:
        figures = _YEAR.findall(" ".join(one.literals)) if year else one.literals
        shape = _EXACT if year else _RANGE
        if not (shape.fullmatch(one.skeleton) or (year and _RANGE.fullmatch(one.skeleton))):
            continue
        if figures and all(part.isdigit() and part not in asked for part in figures):
            found.append(one.canonical)
    return found[0] if len(found) == 1 and len(found[0]) <= _LONG else ""


def _meet(one: ValueMatch, other: ValueMatch) -> bool:
    return one.start < other.end and other.start < one.end


def _says(told: Told, phrase: str) -> bool:
    """Whether names and values of the query say all words of a phrase, or one of its values is part of it."""
    return all(stem(word) in told.own_words for word in tokens(phrase)) or told.has_part(phrase)


def _names(matches: Sequence[ValueMatch], value: str) -> bool:
    """Whether the question names a value of the query."""
    return any(fold(one.value) == fold(value.strip("%")) for one in matches)


def _settled(told: Told, match: ValueMatch) -> bool:
    """Whether the query has a value, or uses its column with no value at all."""
    if told.has_part(match.value):
        return True
    name = f"{match.table}.{match.column}".lower()
    return name in told.columns and not any(name in one.columns and one.literals for one in told.conditions)


def _place(told: Told, match: ValueMatch, catalog: Catalog, engine: Engine | None) -> Fragment | None:
    """The condition that has another value on the match's column, or picks other rows of its table."""
    name = f"{match.table}.{match.column}".lower()
    exact = [one for one in told.conditions if len(one.columns) == 1 and _EXACT.fullmatch(one.skeleton)]
    on = [one for one in told.conditions if name in one.columns]
    if on:
        return on[0] if all(one in exact for one in on) else None
    keyed = [(one, key) for one in exact if (key := _key(one, match, catalog))]
    if engine is None or not keyed or name in told.columns:
        return None
    for condition, key in keyed:
        where = match.table, match.column, match.value
        codes = column_with(engine, catalog.schema, key, where, _CODES, _SECONDS)
        if not codes or len(codes) >= _CODES or any(code in condition.literals for code in codes):
            return None
    return keyed[0][0]


def _key(condition: Fragment, match: ValueMatch, catalog: Catalog) -> str:
    """The column of the match's table whose value a condition gives: its key, or what refers to it."""
    table, column = table_and_column(condition.columns[0])
    known = catalog.schema.table(table)
    if known is None:
        return ""
    if table == match.table.lower():
        own = known.column(column)
        return own.name if own is not None and own.primary_key else ""
    for key in known.foreign_keys:
        if key.ref_table.lower() == match.table.lower() and [c.lower() for c in key.columns] == [column]:
            return key.ref_columns[0]
    return ""
