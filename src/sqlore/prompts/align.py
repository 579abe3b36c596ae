"""A generated query aligned with the database: its values, its functions, its way to write things.

Source: OpenSearch-SQL (Xie et al. 2025) has a model align what another one wrote: that values are in their
columns (agent), that aggregates are used where they may be (function), and habits of a dialect (style). Each
of these is decided here by looking at the database, and only where there is one answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.catalog.lookup import column_holds
from sqlore.sql.tree import parse_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlore.catalog import Catalog
    from sqlore.engines import Engine
    from sqlore.model import Column, Table

__all__ = ["Aligner"]

#: Seconds that looking for a value may take; a column too large for it is left alone.
_SECONDS: Final = 2.0
#: The certainty of a value match that a literal is replaced by.
_SURE: Final = 0.8
#: Dialects that sort NULL before everything else.
_NULLS_FIRST: Final = frozenset({"sqlite", "mysql", "tsql", "bigquery"})


@dataclass(frozen=True)
class Aligner:
    """Aligns queries with one database; without an `engine` values are left as they are."""

    catalog: Catalog
    engine: Engine | None = None

    def __call__(self, sql: str) -> tuple[str, str]:
        """The query, and what was aligned in it: "" where nothing was, and the query is untouched."""
        dialect = self.catalog.schema.dialect
        try:
            tree: Any = parse_one(sql, dialect or None)
        except (SqlglotError, RecursionError):
            return sql, ""
        done = [
            said
            for select in list(tree.find_all(exp.Select))
            for said in (*self._values(select), *_functions(select), *self._nulls(select))
        ]
        return (tree.sql(dialect=dialect or None), "; ".join(done)) if done else (sql, "")

    # -------------------------------------------------------------- values

    def _values(self, select: Any) -> Iterator[str]:
        """Texts compared with a column that does not hold them, where it holds what was meant."""
        for comparison in list(select.find_all(exp.EQ)):
            if comparison.parent_select is not select:
                continue
            column, literal = comparison.left, comparison.right
            if isinstance(column, exp.Literal):
                column, literal = literal, column
            if not isinstance(column, exp.Column) or not isinstance(literal, exp.Literal):
                continue
            if not literal.is_string or self.engine is None:
                continue
            found = self._column(column, select)
            if found is None or self._holds(*found, literal.name) is not False:
                continue
            meant = self._meant(*found, literal.name)
            if meant is None:
                continue
            name, value = meant
            said = f"'{literal.name}' is no {column.name}: {name} = '{value}' was meant"
            if name != column.name:
                column.set("this", exp.to_identifier(name, quoted=not name.isidentifier()))
            literal.replace(exp.Literal.string(value))
            yield said

    def _meant(self, table: Table, column: Column, said: str) -> tuple[str, str] | None:
        """The column and value of the same table that a text stands for: the same column before others."""
        full = table.full_name
        matches = [
            match
            for match in self.catalog.values.match(said)
            if match.table.lower() == full.lower()
            and match.score >= _SURE
            and match.end - match.start == len(said.strip())
        ]
        own = {match.value for match in matches if match.column.lower() == column.name.lower()}
        if own:
            return (column.name, next(iter(own))) if len(own) == 1 else None
        others = {(match.column, match.value) for match in matches}
        return next(iter(others)) if len(others) == 1 else None

    def _holds(self, table: Table, column: Column, text: str) -> bool | None:
        """Whether a column has the text; None where that cannot be seen."""
        if self.engine is None:
            return None
        return column_holds(self.engine, self.catalog.schema, table.full_name, column.name, text, _SECONDS)

    # -------------------------------------------------------------- style

    def _nulls(self, select: Any) -> Iterator[str]:
        """The first rows by a column that has NULLs, which the dialect puts first: nobody asks for those."""
        order, dialect = select.args.get("order"), self.catalog.schema.dialect
        if order is None or select.args.get("limit") is None or select.args.get("group"):
            return
        key = order.expressions[0]
        column = key.this
        if not isinstance(column, exp.Column) or key.args.get("desc") or dialect not in _NULLS_FIRST:
            return
        found = self._column(column, select)
        where = select.args.get("where")
        said_already = where is not None and any(c.name == column.name for c in where.find_all(exp.Column))
        if found is None or said_already or not self._has_nulls(*found):
            return
        select.where(exp.Not(this=exp.Is(this=column.copy(), expression=exp.null())), copy=False)
        yield f"rows without a {column.name} would come first"

    def _has_nulls(self, table: Table, column: Column) -> bool:
        seen = self.catalog.profile.column(table.name, column.name)
        return (
            seen is not None
            and seen.filled is not None
            and table.rows is not None
            and seen.complete
            and seen.filled < table.rows
        )

    def _column(self, column: Any, select: Any) -> tuple[Table, Column] | None:
        """The column of the database that is meant, where a table in FROM has it and no other could."""
        sources = [select.args.get("from_"), *(select.args.get("joins") or ())]
        found = []
        for source in (one.this for one in sources if one is not None):
            if not isinstance(source, exp.Table):
                return None
            if column.table and column.table.lower() != source.alias_or_name.lower():
                continue
            table = self.catalog.schema.table(".".join(p for p in (source.db, source.name) if p))
            known = table.column(column.name) if table is not None else None
            if table is not None and known is not None:
                found.append((table, known))
        return found[0] if len(found) == 1 else None


def _functions(select: Any) -> Iterator[str]:
    """MAX or MIN to sort by, where nothing is grouped: all rows would become one."""
    order = select.args.get("order")
    if order is None or select.args.get("group"):
        return
    if any(one.find(exp.AggFunc) for one in select.expressions):
        return
    for key in order.expressions:
        if isinstance(key.this, (exp.Max, exp.Min)):
            said = key.this.sql()
            key.set("this", key.this.this)
            yield f"{said} sorts one row where nothing is grouped"
