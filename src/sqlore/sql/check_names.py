"""Does every table and column of a query exist: scopes, aliases, common table expressions.

The database would find the same, but later, one name at a time, and without saying what was meant. So the
rule here is: a name is reported only where it surely cannot be right. Whatever is not fully known (table
functions, views that cannot be read, pivots, structs) matches any name, and the database decides.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from sqlore.errors import UnknownName
from sqlore.model import Schema

__all__ = ["check_names"]

#: Columns of a source in order; None where they cannot be known.
Columns = tuple[str, ...] | None
Ctes = Mapping[str, Columns]

_PSEUDO: Final = frozenset(
    {
        "$action",
        "$rowguid",
        "_file",
        "_part",
        "_partitiondate",
        "_partitiontime",
        "_rowid_",
        "_table_suffix",
        "cmax",
        "cmin",
        "column_value",
        "connect_by_isleaf",
        "ctid",
        "current_date",
        "current_time",
        "current_timestamp",
        "current_user",
        "dual",
        "excluded",
        "file_row_number",
        "filename",
        "generate_series",
        "level",
        "localtime",
        "localtimestamp",
        "oid",
        "rank",
        "rowid",
        "rownum",
        "rowversion",
        "session_user",
        "sysdate",
        "systimestamp",
        "tableoid",
        "unnest",
        "user",
        "value",
        "xmax",
        "xmin",
    }
)
_CATALOGUES: Final = frozenset(
    {"information_schema", "pg_catalog", "sys", "mysql", "performance_schema", "system"}
)
_CATALOGUE_TABLES: Final = ("sqlite_", "duckdb_", "pg_", "pragma_", "dbstat", "dual")
# Dialects in which a common table expression may name itself without RECURSIVE.
_RECURSIVE_CTES: Final = frozenset({"sqlite", "tsql", "oracle", ""})
# Dialects in which an alias of the SELECT list is seen by its other items, and by WHERE.
_LATERAL_ALIASES: Final = frozenset(
    {"duckdb", "snowflake", "redshift", "databricks", "spark", "clickhouse", ""}
)
_WHERE_ALIASES: Final = _LATERAL_ALIASES | {"sqlite", "teradata"}
_STRUCTS: Final = frozenset(
    {
        "duckdb",
        "bigquery",
        "snowflake",
        "spark",
        "databricks",
        "clickhouse",
        "trino",
        "presto",
        "hive",
        "athena",
        "",
    }
)
_LATERAL_TABLES: Final = _STRUCTS
# Dialects in which an unnamed column is called by its text, so that it can only be named in quotes.
_TEXT_NAMES: Final = frozenset({"sqlite", "duckdb", "mysql"})
_UNNAMED: Final = "\0"


def check_names(tree: exp.Expr, dialect: str, schema: Schema, sql: str) -> None:
    """Raise `UnknownName` for the first table or column that is surely not there.

    `sql` is the text the tree was parsed from; positions refer to it.
    """
    _Checker(dialect.lower(), schema, sql).query(tree, None, {})


@dataclass(slots=True)
class _Source:
    """One item of FROM: `name` as it is called here, `table` the base table behind it."""

    name: str
    columns: Columns
    table: str = ""
    folded: frozenset[str] | None = None

    def __post_init__(self) -> None:
        self.folded = None if self.columns is None else frozenset(c.lower() for c in self.columns)

    def has(self, name: str, quoted: bool) -> bool:
        return self.folded is None or name in self.folded or (quoted and _UNNAMED in self.folded)


@dataclass(slots=True)
class _Scope:
    """What one SELECT sees; `aliases` are those names of its list that count where the walk is now."""

    outer: _Scope | None
    ctes: Ctes
    sources: list[_Source] = field(default_factory=list)
    aliases: frozenset[str] = frozenset()

    def chain(self) -> Iterator[_Scope]:
        scope: _Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def all_sources(self) -> Iterator[_Source]:
        for scope in self.chain():
            yield from scope.sources


class _Checker:
    def __init__(self, dialect: str, schema: Schema, sql: str) -> None:
        self.dialect = dialect
        self.schema = schema
        self.sql = sql

    # ---------------------------------------------------------------- queries

    def query(self, node: exp.Expr, outer: _Scope | None, ctes: Ctes) -> Columns:
        """Check one query; returns the names of its columns."""
        ctes = self._with(node, outer, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, outer, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer, ctes)
        if isinstance(node, (exp.Subquery, exp.Paren)) and isinstance(node.this, (exp.Query, exp.Values)):
            columns = self.query(node.this, outer, ctes)
            self._tail(node, _Scope(outer, ctes, [_Source("", columns)]), ("this", "with_", "alias"))
            return columns
        scope = _Scope(outer, ctes)
        if isinstance(node, (exp.Subquery, exp.Table, exp.Pivot)):
            self._add(node, scope)
            return None
        self._walk(node, scope)
        return None

    def _with(self, node: exp.Expr, outer: _Scope | None, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        known = dict(ctes)
        for cte in clause.expressions:
            name = cte.alias.lower()
            given = _alias_columns(cte)
            body = dict(known)
            if (clause.recursive or self.dialect in _RECURSIVE_CTES) and _mentions(cte.this, name):
                body[name] = given or None
            columns = self.query(cte.this, outer, body)
            known[name] = _renamed(columns, given)
        return known

    def _set_operation(self, node: exp.SetOperation, outer: _Scope | None, ctes: Ctes) -> Columns:
        # A long UNION leans to the left: take it apart in a loop, not by recursion.
        branches: list[exp.Expr] = []
        current: exp.Expr = node
        while isinstance(current, exp.SetOperation):
            branches.append(current.expression)
            inner = current.this
            if not isinstance(inner, exp.SetOperation) or inner.args.get("with_") or inner.args.get("order"):
                branches.append(inner)
                break
            current = inner
        columns = [self.query(branch, outer, ctes) for branch in reversed(branches)]
        scope = _Scope(outer, ctes, [_Source("", found) for found in columns])
        self._tail(node, scope, ("this", "expression", "with_"))
        return None if node.args.get("by_name") else columns[0]

    def _tail(self, node: exp.Expr, scope: _Scope, done: tuple[str, ...]) -> None:
        """ORDER BY, LIMIT and the like around a whole query: they see the names of its columns."""
        for name, value in node.args.items():
            if name not in done:
                self._walk_all(value, scope)

    def _select(self, node: exp.Select, outer: _Scope | None, ctes: Ctes) -> Columns:
        scope = _Scope(outer, ctes)
        start = node.args.get("from_")
        if start is not None:
            self._add(start.this, scope)
        for join in node.args.get("joins") or ():
            self._join(join, scope)
        for lateral in node.args.get("laterals") or ():
            self._add(lateral, scope)
        names = [item.alias_or_name.lower() for item in node.expressions]
        for number, item in enumerate(node.expressions):
            others = names[:number] + names[number + 1 :] if self.dialect in _LATERAL_ALIASES else []
            scope.aliases = frozenset(others)
            self._walk(item, scope)
        aliases = frozenset(name for name in names if name)
        for name, value in node.args.items():
            if name in ("from_", "joins", "laterals", "expressions", "with_"):
                continue
            seen = name != "where" or self.dialect in _WHERE_ALIASES
            scope.aliases = aliases if seen else frozenset()
            self._walk_all(value, scope)
        for join in node.args.get("joins") or ():
            scope.aliases = aliases if self.dialect in _WHERE_ALIASES else frozenset()
            self._walk_all(join.args.get("on"), scope)
        return self._output(node, scope)

    def _output(self, node: exp.Select, scope: _Scope) -> Columns:
        columns: list[str] = []
        for item in node.expressions:
            if item.is_star:
                wanted = item.table.lower() if isinstance(item, exp.Column) else None
                if not isinstance(item, exp.Column) and not isinstance(item, exp.Star):
                    return None
                if any(item.find(exp.Star).args.get(key) for key in ("except_", "replace", "rename")):
                    return None
                for source in scope.sources:
                    if wanted is not None and source.name != wanted:
                        continue
                    if source.columns is None:
                        return None
                    columns.extend(source.columns)
            elif isinstance(item, (exp.Alias, exp.Column)) and item.alias_or_name:
                columns.append(item.alias_or_name)
            elif self.dialect in _TEXT_NAMES and not isinstance(
                item, (exp.Aliases, exp.Columns, exp.Dot, exp.UDTF)
            ):
                columns.append(_UNNAMED)
            else:
                return None
        return tuple(columns)

    # ---------------------------------------------------------------- FROM

    def _join(self, join: exp.Join, scope: _Scope) -> None:
        before = len(scope.sources)
        self._add(join.this, scope)
        left, right = scope.sources[:before], scope.sources[before:]
        for name in join.args.get("using") or ():
            identifier = name.this if isinstance(name, exp.Column) else name
            folded = identifier.name.lower()
            for side in (left, right):
                if side and not any(source.has(folded, True) for source in side):
                    self._unknown_column(identifier, side, scope)
        self._walk_all(join.args.get("match_condition"), scope)

    def _add(self, node: exp.Expr, scope: _Scope) -> None:
        """Add what one item of FROM brings."""
        if isinstance(node, exp.Table):
            self._add_table(node, scope)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, (exp.Query, exp.Values)):
            sees = scope if self.dialect in _LATERAL_TABLES else scope.outer
            columns = _renamed(self.query(node, sees, scope.ctes), _alias_columns(node))
            scope.sources.append(_Source(node.alias.lower(), None if node.args.get("pivots") else columns))
        elif isinstance(node, (exp.Subquery, exp.Paren)):
            before = len(scope.sources)
            self._add(node.this, scope)
            for join in node.args.get("joins") or ():
                self._join(join, scope)
            if node.alias:  # (a JOIN b) AS c: both are seen under the one name
                scope.sources[before:] = [_Source(node.alias.lower(), None)]
        elif isinstance(node, exp.Values) and node.alias:
            scope.sources.append(_Source(node.alias.lower(), _alias_columns(node) or None))
            self._walk_all(node.expressions, scope)
        else:
            scope.sources.append(_Source(node.alias.lower(), None))
            if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
                self.query(node.this, scope, scope.ctes)
            else:
                self._walk(node, scope)
        for join in (node.args.get("joins") or ()) if isinstance(node, exp.Table) else ():
            self._join(join, scope)
            self._walk_all(join.args.get("on"), scope)

    def _add_table(self, node: exp.Table, scope: _Scope) -> None:
        alias = node.alias.lower()
        if not isinstance(node.this, exp.Identifier):
            name = alias or (node.this.name.lower() if isinstance(node.this, exp.Anonymous) else "")
            scope.sources.append(_Source(name, None))
            self._walk(node.this, scope)
            return
        name = node.name.lower()
        if not node.db and name in scope.ctes:
            columns: Columns = scope.ctes[name]
        else:
            columns = self._table_columns(node, scope)
        if node.args.get("pivots"):
            columns = None
        scope.sources.append(_Source(alias or name, _renamed(columns, _alias_columns(node)), node.name))

    def _table_columns(self, node: exp.Table, scope: _Scope) -> Columns:
        name, db = node.name, node.db
        table = self.schema.table(f"{db}.{name}") if db else None
        table = table or self.schema.table(name)
        if table is not None:
            return tuple(column.name for column in table.columns) or None
        folded = name.lower()
        if db.lower() in _CATALOGUES or folded.startswith(_CATALOGUE_TABLES):
            return None
        if self._is_column_of_outer(node, scope):
            return None
        choices = [*(t.name for t in self.schema.tables), *scope.ctes]
        raise self._error(f"there is no table {name}", node.this, _did_you_mean(name, choices))

    def _is_column_of_outer(self, node: exp.Table, scope: _Scope) -> bool:
        """BigQuery and its kin read `FROM t, t.items` as a table and one of its columns."""
        if self.dialect not in _STRUCTS:
            return False
        wanted = (node.db or node.name).lower()
        return any(source.name == wanted or source.has(wanted, False) for source in scope.all_sources())

    # ---------------------------------------------------------------- expressions

    def _walk_all(self, value: object, scope: _Scope) -> None:
        if isinstance(value, exp.Expr):
            self._walk(value, scope)
        elif isinstance(value, list):
            for item in value:
                self._walk_all(item, scope)

    def _walk(self, root: exp.Expr, scope: _Scope) -> None:
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, exp.Column):
                self._column(node, scope)
            elif isinstance(node, exp.Query) or (isinstance(node, exp.Values) and node is not root):
                self.query(node, scope, scope.ctes)
            elif isinstance(node, exp.Lambda):
                self._lambda(node, scope)
            elif isinstance(node, exp.In) and isinstance(node.args.get("field"), exp.Expr):
                stack.append(node.this)  # x IN table: the database decides what that is
            else:
                stack.extend(reversed(list(node.iter_expressions())))

    def _lambda(self, node: exp.Lambda, scope: _Scope) -> None:
        names = tuple(item.name for item in node.expressions)
        inner = _Scope(scope, scope.ctes, [_Source("", names)])
        self._walk(node.this, inner)

    def _column(self, node: exp.Column, scope: _Scope) -> None:
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
            self._unknown_column(identifier, list(scope.all_sources()), scope)

    def _bare(self, identifier: exp.Identifier, name: str, scope: _Scope) -> bool:
        quoted = bool(identifier.quoted)
        for level in scope.chain():
            if name in level.aliases:
                return True
            for source in level.sources:
                if source.has(name, quoted) or source.name == name:
                    return True
        return False

    def _excused(self, node: exp.Column, identifier: exp.Identifier, name: str) -> bool:
        """Names that are no columns: row ids, units of a date function, SQLite's texts in double quotes."""
        if name in _PSEUDO or name.startswith(("$", "@", "#")):
            return True
        if isinstance(node.parent, (exp.Func, exp.Kwarg, exp.PropertyEQ)) and self.dialect not in _TEXT_NAMES:
            return True
        start = identifier.meta.get("start")
        return self.dialect == "sqlite" and (start is None or self.sql[start : start + 1] == '"')

    def _qualified(
        self, node: exp.Column, identifier: exp.Identifier, name: str, table: str, scope: _Scope
    ) -> None:
        source = self._source(node, table, scope)
        if source is None or source.has(name, bool(identifier.quoted)) or name in _PSEUDO:
            return
        same = [s for s in scope.all_sources() if s.name == table]
        if not any(other.has(name, True) for other in same):
            self._unknown_column(identifier, [source], scope)

    def _source(self, node: exp.Column, table: str, scope: _Scope) -> _Source | None:
        """The item of FROM called `table`; None where it may be something that is not known here."""
        sources = list(scope.all_sources())
        found = next((source for source in sources if source.name == table), None)
        if found is not None:
            return found
        if any(source.table.lower() == table and source.table for source in sources if node.db):
            return None
        if self.dialect in _STRUCTS:
            # What looks like table.column may be column.field, and db.table.column column.field.field.
            outermost = (node.catalog or node.db or node.table).lower()
            if any(source.name == outermost or source.has(outermost, True) for source in sources):
                return None
        if table in ("excluded", "new", "old", "inserted", "deleted"):
            return None
        part = node.args["table"]
        called = next((source.name for source in sources if source.table.lower() == table), None)
        if called:
            hint = f"the table {part.name} is called {called} here"
        elif self.schema.table(table) is not None:
            hint = f"the table {part.name} is not in this FROM; join it"
        else:
            hint = _did_you_mean(part.name, [source.name for source in sources if source.name])
        raise self._error(f"there is no table or alias {part.name} in this query", part, hint)

    # ---------------------------------------------------------------- messages

    def _unknown_column(self, identifier: exp.Expr, sources: list[_Source], scope: _Scope) -> None:
        name = identifier.name
        single = sources[0] if len(sources) == 1 else None
        where = f" in {single.table or single.name}" if single and (single.table or single.name) else ""
        raise self._error(
            f"there is no column {name}{where}", identifier, self._column_hint(name, sources, scope)
        )

    def _column_hint(self, name: str, sources: list[_Source], scope: _Scope) -> str | None:
        owners = [
            f"{s.name}.{name}"
            for s in scope.all_sources()
            if s.folded and name.lower() in s.folded and s.name
        ]
        if owners:
            return f"did you mean {' or '.join(owners[:3])}?"
        here = [column for source in sources for column in source.columns or () if column != _UNNAMED]
        parts = [_did_you_mean(name, here)]
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


def _alias_columns(node: exp.Expr) -> tuple[str, ...]:
    alias = node.args.get("alias")
    return tuple(column.name for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()


def _renamed(columns: Columns, given: tuple[str, ...]) -> Columns:
    """`t(a, b)` renames the first columns; the rest keep their names."""
    if columns is None:
        return None
    return (*given, *columns[len(given) :]) if given else columns


def _mentions(node: exp.Expr, name: str) -> bool:
    return any(table.name.lower() == name for table in node.find_all(exp.Table))


def _did_you_mean(name: str, choices: Iterable[str]) -> str | None:
    """The nearest of `choices`, by letters and by words: `fullname` is near `full_name`."""
    by_folded = {choice.lower(): choice for choice in choices if choice}
    close = difflib.get_close_matches(name.lower(), by_folded, n=3, cutoff=0.6)
    if not close:
        words = {word for word in name.lower().replace(" ", "_").split("_") if len(word) > 2}
        close = [folded for folded in by_folded if words & set(folded.replace(" ", "_").split("_"))][:3]
    return f"did you mean {' or '.join(by_folded[folded] for folded in close)}?" if close else None
