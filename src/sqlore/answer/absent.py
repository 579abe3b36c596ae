"""Values that a query compares with a column which does not hold them: a name that is misspelt.

Such a query runs and gives nothing, or a zero. What the catalog holds of a column settles most values without
a question to the database; of the others each is looked for once, within a short time. Nothing is told of a
value that was not looked for to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from sqlore.answer.doubts import LONGEST_NAME, alike
from sqlore.catalog.lookup import column_holds
from sqlore.errors import SqlError
from sqlore.model import VAL, Fragment
from sqlore.sql import parse_script
from sqlore.sql.names import table_and_column
from sqlore.sql.placeholders import is_placeholder

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine

__all__ = ["AbsentValues"]

#: Values looked for in the database at most, and seconds for each.
_LOOKED_FOR: Final = 8
_SECONDS: Final = 3.0
_COMPARED: Final = re.compile(rf"(.+?) (?:= {VAL}|in \({VAL}(?:, {VAL})*\))")
#: Dates and months, which are compared with what lies between others.
_DATED: Final = re.compile(r"\d{4}[-/]\d\d|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:\d\d)?\Z")
#: Values among which the nearest are sought, how many are told, and how near they are.
_AMONG: Final = 5_000
_TOLD: Final = 2
_NEAR: Final = 0.7


@dataclass(frozen=True, slots=True)
class AbsentValues:
    """Says which values of a query its columns do not hold: called with SQL that runs, a line for each."""

    catalog: Catalog
    engine: Engine
    timeout: float = _SECONDS

    def __call__(self, sql: str) -> tuple[str, ...]:
        """The values that are compared with ``=`` or ``IN`` and are not there, each with what is near."""
        try:
            found = parse_script(sql, dialect=self.engine.dialect, schema=self.catalog.schema).fragments
        except SqlError:
            return ()
        compared = dict.fromkeys(one for fragment in found for one in self._compared(fragment))
        absent = [one for one in list(compared)[:_LOOKED_FOR] if self._is_absent(*one)]
        return tuple(self._said(column, value) for column, value in absent)

    def _compared(self, fragment: Fragment) -> Iterator[tuple[str, str]]:
        """Column and value of a comparison with a text that the catalog does not hold there."""
        shape = _COMPARED.fullmatch(fragment.skeleton)
        if fragment.kind != "condition" or shape is None or fragment.columns != (shape[1],):
            return
        table, column = table_and_column(shape[1])
        profile = self.catalog.profile.column(table, column)
        if len(fragment.tables) != 1 or profile is None or profile.kind != "text":
            return
        held = self.catalog.values.of(table, column)
        for value in fragment.literals:
            named = value.strip() and len(value) <= LONGEST_NAME and "\\" not in value
            if named and value not in held and not is_placeholder(value) and not _DATED.match(value):
                yield shape[1], value

    def _is_absent(self, column: str, value: str) -> bool:
        """Whether no row has the value; not where the database cannot say."""
        seconds = min(self.timeout, _SECONDS)
        named = table_and_column(column)
        return column_holds(self.engine, self.catalog.schema, *named, value, seconds) is False

    def _said(self, column: str, value: str) -> str:
        """That the column has no such value, and those of its own that are like it, else where it is."""
        table, name = table_and_column(column)
        said = f"{table}.{name} has no '{value}'"
        here, others = alike(self.catalog, column, value)
        near, held = [one.value for one in here], self.catalog.values.of(table, name)
        if not near and len(held) <= _AMONG:
            folded = {one.lower(): one for one in held}
            near = [folded[one] for one in get_close_matches(value.lower(), folded, _TOLD, _NEAR)]
        if near:
            quoted = dict.fromkeys(f"'{one}'" for one in near[:_TOLD])
            return f"{said}; nearest: {' or '.join(quoted)}"
        elsewhere = dict.fromkeys(
            f"{one.table}.{one.column}" for one in others if one.value.lower() == value.lower()
        )
        return f"{said}; it is in {' and '.join(list(elsewhere)[:_TOLD])}" if elsewhere else said
