"""A result that looks wrong though the query runs: no rows, only NULL, a value that its column does not hold.

The model is then asked once more, with what exactly is wrong (execution-guided repair). What a doubt says
comes of the database: each condition is tried alone, and a value that is not where it is looked for is sought
elsewhere, among the other values of the column first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.errors import EngineError, SqlError
from sqlore.model import Fragment, Rows, ValueMatch
from sqlore.sql import check_query, parse_script
from sqlore.sql.names import table_and_column

if TYPE_CHECKING:
    from sqlore.catalog import Catalog

__all__ = ["LONGEST_NAME", "Doubts", "alike"]

#: Conditions tried alone, and values told instead of a wrong one, at most.
_TRIED: Final = 8
_TOLD: Final = 3
#: A value longer than this is a text, not a name.
LONGEST_NAME: Final = 60


@dataclass(frozen=True)
class Doubts:
    """Says what is doubtful about a result: called with the query and its rows, it gives one line or None.

    `run` runs a query on the database; what it raises as an error of the database counts as unknown. With
    `mask` no value of the database is told.
    """

    catalog: Catalog
    run: Callable[[str], Rows]
    mask: bool = False

    def __call__(self, sql: str, rows: Rows) -> str | None:
        """The reason to ask once more, None where there is none."""
        dead = self._dead(sql)
        if not rows.rows:
            return f"it gives no rows: {dead[0] if dead else _TOGETHER}"
        if all(value is None for row in rows.rows for value in row):
            return f"it gives nothing but NULL: {dead[0] if dead else _NULL}"
        return next((f"it may give a wrong result: {said}" for said in dead if _NO_VALUE in said), None)

    def _dead(self, sql: str) -> list[str]:
        """What is known of each condition that no row fulfils, those with a wrong value first."""
        try:
            fragments = parse_script(
                sql, dialect=self.catalog.schema.dialect, schema=self.catalog.schema
            ).fragments
        except SqlError:
            return []
        conditions = [
            f
            for f in fragments
            if f.kind == "condition" and len(f.tables) == 1 and "(select" not in f.skeleton
        ]
        said = [self._reason(f) for f in conditions[:_TRIED] if self._is_dead(f)]
        return sorted(said, key=lambda reason: _NO_VALUE not in reason)

    def _is_dead(self, condition: Fragment) -> bool:
        """Whether no row of its table fulfils a condition; False where the database cannot say."""
        schema = self.catalog.schema
        probe = f"SELECT 1 FROM {condition.tables[0]} WHERE {condition.canonical} LIMIT 1"
        try:
            return not self.run(check_query(probe, schema.dialect, schema)).rows
        except (SqlError, EngineError):
            return False

    def _reason(self, condition: Fragment) -> str:
        """Why no row fulfils a condition, as far as the values of its column tell."""
        plain = f"no row of {condition.tables[0]} has {condition.canonical}"
        if (
            len(condition.columns) != 1
            or len(condition.literals) != 1
            or not _EQUAL.intersection(condition.skeleton.split())
        ):
            return plain
        value = condition.literals[0].strip("%")
        column = condition.columns[0]
        said = f"{column} {_NO_VALUE} '{value}'"
        if self.mask or not value.strip() or len(value) > LONGEST_NAME or not self._is_text(condition):
            return said
        here, elsewhere = self._instead(column, value)
        if here:
            return f"{said}; it holds {' or '.join(here)}"
        return f"{said}; {' or '.join(elsewhere)}" if elsewhere else said

    def _is_text(self, condition: Fragment) -> bool:
        return "'" in condition.canonical

    def _instead(self, column: str, value: str) -> tuple[list[str], list[str]]:
        """Values of the column that are like `value`, and where else it is to be found."""
        here, others = alike(self.catalog, column, value)
        elsewhere = [f"{one.table}.{one.column} = '{one.value}'" for one in others]
        return _few([f"'{one.value}'" for one in here]), _few(elsewhere)


def alike(catalog: Catalog, column: str, value: str) -> tuple[list[ValueMatch], list[ValueMatch]]:
    """The values like `value` that a column (as fragments name it) holds, and those that others hold."""
    here: list[ValueMatch] = []
    elsewhere: list[ValueMatch] = []
    named = table_and_column(column)
    for match in catalog.values.match(f"'{value}'"):
        own = (match.table.lower(), match.column.lower()) == named
        (here if own else elsewhere).append(match)
    return here, elsewhere


_NO_VALUE: Final = "holds no"
_EQUAL: Final = frozenset({"=", "in", "like", "ilike", "glob"})
_TOGETHER: Final = "each condition alone has rows, so look at the joins and at what has to hold together"
_NULL: Final = "take a column that has values, or leave out the rows without one"


def _few(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(texts))[:_TOLD]
