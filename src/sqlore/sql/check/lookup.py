"""Is a name there: tables in the schema, columns in what a query sees; and what is said where it is not.

A name is reported only where it surely cannot be right. Whatever is not fully known (table functions, views
that cannot be read, pivots, structs) matches any name, and the database decides.
"""

from __future__ import annotations

from sqlglot import exp

from sqlore.errors import UnknownName
from sqlore.model import Schema
from sqlore.sql.check.known import base_table, is_catalogue, is_pseudo, is_row_of_statement
from sqlore.sql.check.scope import (
    STRUCTS,
    TEXT_NAMES,
    UNNAMED,
    Columns,
    Scope,
    Source,
    did_you_mean,
)

__all__ = ["Names"]


class Names:
    """Looks names up for one query, whose text is `sql`. What it raises is `UnknownName`."""

    def __init__(self, dialect: str, schema: Schema, sql: str) -> None:
        self.dialect = dialect
        self.schema = schema
        self.sql = sql

    # ---------------------------------------------------------------- tables

    def table_columns(self, node: exp.Table, scope: Scope) -> Columns:
        """The columns of a table of FROM, None where they are not known. Raises where there is no table."""
        name, db = node.name, node.db
        table = base_table(self.schema, name, db)
        if table is not None:
            return tuple(column.name for column in table.columns) or None
        if is_catalogue(name, db):
            return None
        if self._is_column_of_outer(node, scope):
            return None
        other = self.schema.table(name)
        if other is not None:
            meant = f"did you mean {f'{other.schema}.' if other.schema else ''}{other.name}?"
            raise self._error(f"there is no table {db}.{name}", node.args["db"], meant)
        choices = [*(t.name for t in self.schema.tables), *scope.ctes]
        raise self._error(f"there is no table {name}", node.this, did_you_mean(name, choices))

    def _is_column_of_outer(self, node: exp.Table, scope: Scope) -> bool:
        """BigQuery and its kin read `FROM t, t.items` as a table and one of its columns."""
        if self.dialect not in STRUCTS:
            return False
        wanted = (node.db or node.name).lower()
        return any(source.name == wanted or source.has(wanted, False) for source in scope.all_sources())

    # ---------------------------------------------------------------- columns

    def column(self, node: exp.Column, scope: Scope) -> None:
        """Raises where a column, or the table in front of it, is surely not there."""
        identifier = node.this
        table = node.table.lower()
        if isinstance(identifier, exp.Star):
            if table:
                self._source(node, table, scope)
            return
        if not isinstance(identifier, exp.Identifier):
            return
        name = identifier.name.lower()
        if table:
            self._qualified(node, identifier, name, table, scope)
        elif not self._bare(identifier, name, scope) and not self._excused(node, identifier, name):
            self.unknown_column(identifier, list(scope.all_sources()), scope)

    def _bare(self, identifier: exp.Identifier, name: str, scope: Scope) -> bool:
        quoted = bool(identifier.quoted)
        for level in scope.chain():
            if name in level.aliases:
                return True
            for source in level.sources:
                if source.has(name, quoted) or source.name == name or self._searched(source, name):
                    return True
        return False

    def _searched(self, source: Source, name: str) -> bool:
        """A full-text table of SQLite is searched by a hidden column of its own name, whatever its alias."""
        return self.dialect == "sqlite" and name == source.table.lower()

    def _excused(self, node: exp.Column, identifier: exp.Identifier, name: str) -> bool:
        """Names that are no columns: row ids, units of a date function, SQLite's texts in double quotes."""
        if is_pseudo(name):
            return True
        if isinstance(node.parent, (exp.Func, exp.Kwarg, exp.PropertyEQ)) and self.dialect not in TEXT_NAMES:
            return True
        start = identifier.meta.get("start")
        return self.dialect == "sqlite" and (start is None or self.sql[start : start + 1] == '"')

    def _qualified(
        self, node: exp.Column, identifier: exp.Identifier, name: str, table: str, scope: Scope
    ) -> None:
        source = self._source(node, table, scope)
        if source is None or source.has(name, bool(identifier.quoted)) or is_pseudo(name):
            return
        if self._searched(source, name):
            return
        same = [s for s in scope.all_sources() if s.name == table]
        if not any(other.has(name, True) for other in same):
            self.unknown_column(identifier, [source], scope)

    def _source(self, node: exp.Column, table: str, scope: Scope) -> Source | None:
        """The item of FROM called `table`; None where it may be something that is not known here."""
        sources = list(scope.all_sources())
        found = next((source for source in sources if source.name == table), None)
        if found is not None:
            return found
        if any(source.table.lower() == table and source.table for source in sources if node.db):
            return None
        if self.dialect in STRUCTS:
            # What looks like table.column may be column.field, and db.table.column column.field.field.
            outermost = (node.catalog or node.db or node.table).lower()
            if any(source.name == outermost or source.has(outermost, True) for source in sources):
                return None
        if is_row_of_statement(table):
            return None
        part = node.args["table"]
        called = next((source.name for source in sources if source.table.lower() == table), None)
        hint: str | None
        if called:
            hint = f"the table {part.name} is called {called} here"
        elif self.schema.table(table) is not None:
            hint = f"the table {part.name} is not in this FROM; join it"
        else:
            hint = did_you_mean(part.name, [source.name for source in sources if source.name])
        raise self._error(f"there is no table or alias {part.name} in this query", part, hint)

    # ---------------------------------------------------------------- messages

    def unknown_column(self, identifier: exp.Expr, sources: list[Source], scope: Scope) -> None:
        """Raises: none of `sources` has this column; the hint says what else `scope` has."""
        name = identifier.name
        single = sources[0] if len(sources) == 1 else None
        where = f" in {single.table or single.name}" if single and (single.table or single.name) else ""
        owners = [
            f"{s.name}.{name}"
            for s in scope.all_sources()
            if s.folded and name.lower() in s.folded and s.name
        ]
        meant = f"did you mean {' or '.join(owners[:3])}?"
        hint = meant if owners else self._column_hint(name, sources)
        error = self._error(f"there is no column {name}{where}", identifier, hint)
        error.instead = owners[0] if len(owners) == 1 else None
        raise error

    def _column_hint(self, name: str, sources: list[Source]) -> str | None:
        here = [column for source in sources for column in source.columns or () if column != UNNAMED]
        parts = [did_you_mean(name, here)]
        others = [table.name for table in self.schema.tables if table.column(name) is not None]
        if others:
            parts.append(f"{name} is a column of {', '.join(others[:4])}")
        elif parts[0] is None and here and len(here) <= 40:
            parts.append(f"the columns are {', '.join(dict.fromkeys(here))}")
        return "; ".join(part for part in parts if part) or None

    def _error(self, message: str, node: exp.Expr, hint: str | None) -> UnknownName:
        meta = node.meta
        if "start" not in meta:
            return UnknownName(message, hint=hint)
        start = int(meta["start"])
        line_start = self.sql.rfind("\n", 0, start) + 1
        return UnknownName(
            message,
            position=start,
            line=self.sql.count("\n", 0, start) + 1,
            column=start - line_start + 1,
            hint=hint,
        )
