"""Whether SQL that a model wrote after a pattern may be an example: it runs, says something, is built alike.

"Adapt and Decompose" (section 4.3, stage 1) asks that it runs on the target and that its skeleton is within a
tree edit distance of the pattern's. Beyond the paper: a result that is empty or always the same teaches
nothing, and a text that no row has (the paper's own example looks for power plants named Marketing) teaches
the model to invent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlore.catalog.lookup import column_holds
from sqlore.errors import CheckError, ConnectError, EngineError, SqlError
from sqlore.model import Fragment, Rows
from sqlore.prompts.text import sql_line
from sqlore.prompts.tree_distance import skeleton_tree, tree_distance
from sqlore.sql import check_query, parse_script
from sqlore.sql.literals import quote_text
from sqlore.sql.names import table_and_column

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine

__all__ = ["Bench", "Unfit", "allowed_distance"]

#: Rows looked at and seconds spent on a query that is tried.
ROWS: Final = 50
SECONDS: Final = 5.0
#: A bare column that equals a value, or one of several; names that need quotes are in double ones.
_EQUAL: Final = re.compile(r"""(?:"[^"]*"|[^\s()"])+ (?:= <val>|in \(<val>\))""")
#: A table joined to itself on one and the same column: it gives back its own rows.
_SELF: Final = re.compile(r"""(?P<table>.+)\.(?P<column>[^.]+) = (?P=table)#2\.(?P=column)""")


class Unfit(Exception):
    """Why SQL is no example, in few words that can be counted; `detail` is what the database says of it."""

    def __init__(self, why: str, detail: str = "") -> None:
        super().__init__(why)
        self.detail = detail


def allowed_distance(size: int) -> int:
    """The largest tree edit distance to a pattern of `size` nodes; the paper leaves its threshold open.

    A quarter of the pattern, and at least 3: two columns more, not a condition more (4 nodes).

    >>> allowed_distance(8), allowed_distance(20)
    (3, 5)
    """
    return max(3, size // 4)


class Bench:
    """Tries SQL on the target: `engine` reads it, `catalog` knows its names."""

    def __init__(self, engine: Engine, catalog: Catalog) -> None:
        self._engine, self._schema = engine, catalog.schema
        self._dialect = catalog.schema.dialect or engine.dialect

    def runs(self, sql: str) -> tuple[str, Rows]:
        """The one statement on one line, and its rows. Raises Unfit where the database does not take it."""
        try:
            checked = sql_line(check_query(sql, self._dialect, self._schema), self._dialect)
            return checked, self._engine.run(checked, limit=ROWS, timeout=SECONDS)
        except ConnectError:  # no fault of the SQL, and what comes of it is kept
            raise
        except (CheckError, SqlError, EngineError) as error:
            raise Unfit("does not run", error.message) from error

    def fit(self, sql: str, pattern: str) -> str:
        """The statement, where it may stand for `pattern` (both in the target's dialect). Raises Unfit."""
        checked, rows = self.runs(sql)
        original = skeleton_tree(pattern, self._dialect)
        try:
            distance = tree_distance(original, skeleton_tree(checked, self._dialect))
            parsed = parse_script(checked, self._dialect, self._schema)
        except SqlError as error:  # the database reads what the parser does not
            raise Unfit("cannot be compared") from error
        if distance > allowed_distance(len(original)):
            raise Unfit("is built otherwise")
        _says_something(rows)
        for fragment in parsed.fragments:
            if fragment.kind == "relation" and _SELF.fullmatch(fragment.skeleton):
                raise Unfit("joins rows to themselves")
            if fragment.kind == "condition" and _EQUAL.fullmatch(fragment.skeleton):
                self._has_values(fragment)
        return checked

    def _has_values(self, fragment: Fragment) -> None:
        """Every text that a column is compared with is in the column. Raises Unfit."""
        if len(fragment.tables) != 1 or len(fragment.columns) != 1:
            return
        table, column = table_and_column(fragment.columns[0])
        for literal in fragment.literals:
            if quote_text(literal) not in fragment.sql:  # a number, or a placeholder
                continue
            # Where a table is too large to be searched in the time, its own query did run.
            if column_holds(self._engine, self._schema, table, column, literal, SECONDS) is False:
                raise Unfit("names a value that is not there")


def _says_something(rows: Rows) -> None:
    """Raises Unfit for rows that show nothing: none, nothing but NULL and 0, or all the same."""
    if all(value is None or value == 0 for row in rows.rows for value in row):
        raise Unfit("gives nothing")
    if len(rows.rows) > 1 and all(row == rows.rows[0] for row in rows.rows):
        raise Unfit("gives the same in every row")
