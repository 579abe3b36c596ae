"""Does every table and column of a query exist: scopes, aliases, common table expressions.

The database would find the same, but later, one name at a time, and without saying what was meant. So the
rule here is: a name is reported only where it surely cannot be right. Whatever is not fully known (table
functions, views that cannot be read, pivots, structs) matches any name, and the database decides.
"""

from __future__ import annotations

from sqlglot import exp

from sqlore.errors import UnknownName
from sqlore.model import Schema
from sqlore.sql.check_scope import (
    CATALOGUE_TABLES,
    CATALOGUES,
    LATERAL_ALIASES,
    LATERAL_TABLES,
    PSEUDO,
    RECURSIVE_CTES,
    STRUCTS,
    TEXT_NAMES,
    UNNAMED,
    WHERE_ALIASES,
    Columns,
    Ctes,
    Scope,
    Source,
    alias_columns,
    did_you_mean,
    mentions,
    renamed,
)

__all__ = ["check_names"]


def check_names(tree: exp.Expr, dialect: str, schema: Schema, sql: str) -> None:
    """Raise `UnknownName` for the first table or column that is surely not there.

    `sql` is the text the tree was parsed from; positions refer to it.
    """
    _Checker(dialect.lower(), schema, sql).query(tree, None, {})


class _Checker:
    def __init__(self, dialect: str, schema: Schema, sql: str) -> None:
        self.dialect = dialect
        self.schema = schema
        self.sql = sql

    # ---------------------------------------------------------------- queries

    def query(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> Columns:
        """Check one query; returns the names of its columns."""
        ctes = self._with(node, outer, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, outer, ctes)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer, ctes)
        if isinstance(node, (exp.Subquery, exp.Paren)) and isinstance(node.this, (exp.Query, exp.Values)):
            columns = self.query(node.this, outer, ctes)
            self._tail(node, Scope(outer, ctes, [Source("", columns)]), ("this", "with_", "alias"))
            return columns
        scope = Scope(outer, ctes)
        if isinstance(node, (exp.Subquery, exp.Table, exp.Pivot)):
            self._add(node, scope)
            return None
        self._walk(node, scope)
        return None

    def _with(self, node: exp.Expr, outer: Scope | None, ctes: Ctes) -> Ctes:
        clause = node.args.get("with_")
        if clause is None:
            return ctes
        known = dict(ctes)
        for cte in clause.expressions:
            name = cte.alias.lower()
            given = alias_columns(cte)
            body = dict(known)
            if (clause.recursive or self.dialect in RECURSIVE_CTES) and mentions(cte.this, name):
                body[name] = given or None
            columns = self.query(cte.this, outer, body)
            known[name] = renamed(columns, given)
        return known

    def _set_operation(self, node: exp.SetOperation, outer: Scope | None, ctes: Ctes) -> Columns:
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
        scope = Scope(outer, ctes, [Source("", found) for found in columns])
        self._tail(node, scope, ("this", "expression", "with_"))
        return None if node.args.get("by_name") else columns[0]

    def _tail(self, node: exp.Expr, scope: Scope, done: tuple[str, ...]) -> None:
        """ORDER BY, LIMIT and the like around a whole query: they see the names of its columns."""
        for name, value in node.args.items():
            if name not in done:
                self._walk_all(value, scope)

    def _select(self, node: exp.Select, outer: Scope | None, ctes: Ctes) -> Columns:
        scope = Scope(outer, ctes)
        start = node.args.get("from_")
        if start is not None:
            self._add(start.this, scope)
        for join in node.args.get("joins") or ():
            self._join(join, scope)
        for lateral in node.args.get("laterals") or ():
            self._add(lateral, scope)
        names = [item.alias_or_name.lower() for item in node.expressions]
        for number, item in enumerate(node.expressions):
            others = names[:number] + names[number + 1 :] if self.dialect in LATERAL_ALIASES else []
            scope.aliases = frozenset(others)
            self._walk(item, scope)
        aliases = frozenset(name for name in names if name)
        for name, value in node.args.items():
            if name in ("from_", "joins", "laterals", "expressions", "with_"):
                continue
            seen = name != "where" or self.dialect in WHERE_ALIASES
            scope.aliases = aliases if seen else frozenset()
            self._walk_all(value, scope)
        for join in node.args.get("joins") or ():
            scope.aliases = aliases if self.dialect in WHERE_ALIASES else frozenset()
            self._walk_all(join.args.get("on"), scope)
        return self._output(node, scope)

    def _output(self, node: exp.Select, scope: Scope) -> Columns:
        columns: list[str] = []
        for item in node.expressions:
            if item.is_star:
                wanted = item.table.lower() if isinstance(item, exp.Column) else None
                if not isinstance(item, exp.Column) and not isinstance(item, exp.Star):
                    return None
                star = item.find(exp.Star)
                if star is not None and any(star.args.get(key) for key in ("except_", "replace", "rename")):
                    return None
                for source in scope.sources:
                    if wanted is not None and source.name != wanted:
                        continue
                    if source.columns is None:
                        return None
                    columns.extend(source.columns)
            elif isinstance(item, (exp.Alias, exp.Column)) and item.alias_or_name:
                columns.append(item.alias_or_name)
            elif self.dialect in TEXT_NAMES and not isinstance(
                item, (exp.Aliases, exp.Columns, exp.Dot, exp.UDTF)
            ):
                columns.append(UNNAMED)
            else:
                return None
        return tuple(columns)

    # ---------------------------------------------------------------- FROM

    def _join(self, join: exp.Join, scope: Scope) -> None:
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

    def _add(self, node: exp.Expr, scope: Scope) -> None:
        """Add what one item of FROM brings."""
        if isinstance(node, exp.Table):
            self._add_table(node, scope)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, (exp.Query, exp.Values)):
            sees = scope if self.dialect in LATERAL_TABLES else scope.outer
            columns = renamed(self.query(node, sees, scope.ctes), alias_columns(node))
            scope.sources.append(Source(node.alias.lower(), None if node.args.get("pivots") else columns))
        elif isinstance(node, (exp.Subquery, exp.Paren)):
            before = len(scope.sources)
            self._add(node.this, scope)
            for join in node.args.get("joins") or ():
                self._join(join, scope)
            if node.alias:  # (a JOIN b) AS c: both are seen under the one name
                scope.sources[before:] = [Source(node.alias.lower(), None)]
        elif isinstance(node, exp.Values) and node.alias:
            scope.sources.append(Source(node.alias.lower(), alias_columns(node) or None))
            self._walk_all(node.expressions, scope)
        else:
            scope.sources.append(Source(node.alias.lower(), None))
            if isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
                self.query(node.this, scope, scope.ctes)
            else:
                self._walk(node, scope)
        for join in (node.args.get("joins") or ()) if isinstance(node, exp.Table) else ():
            self._join(join, scope)
            self._walk_all(join.args.get("on"), scope)

    def _add_table(self, node: exp.Table, scope: Scope) -> None:
        alias = node.alias.lower()
        if not isinstance(node.this, exp.Identifier):
            name = alias or (node.this.name.lower() if isinstance(node.this, exp.Anonymous) else "")
            scope.sources.append(Source(name, None))
            self._walk(node.this, scope)
            return
        name = node.name.lower()
        if not node.db and name in scope.ctes:
            columns: Columns = scope.ctes[name]
        else:
            columns = self._table_columns(node, scope)
        if node.args.get("pivots"):
            columns = None
        scope.sources.append(Source(alias or name, renamed(columns, alias_columns(node)), node.name))

    def _table_columns(self, node: exp.Table, scope: Scope) -> Columns:
        name, db = node.name, node.db
        table = self.schema.table(f"{db}.{name}") if db else None
        table = table or self.schema.table(name)
        if table is not None:
            return tuple(column.name for column in table.columns) or None
        folded = name.lower()
        if db.lower() in CATALOGUES or folded.startswith(CATALOGUE_TABLES):
            return None
        if self._is_column_of_outer(node, scope):
            return None
        choices = [*(t.name for t in self.schema.tables), *scope.ctes]
        raise self._error(f"there is no table {name}", node.this, did_you_mean(name, choices))

    def _is_column_of_outer(self, node: exp.Table, scope: Scope) -> bool:
        """BigQuery and its kin read `FROM t, t.items` as a table and one of its columns."""
        if self.dialect not in STRUCTS:
            return False
        wanted = (node.db or node.name).lower()
        return any(source.name == wanted or source.has(wanted, False) for source in scope.all_sources())

    # ---------------------------------------------------------------- expressions

    def _walk_all(self, value: object, scope: Scope) -> None:
        if isinstance(value, exp.Expr):
            self._walk(value, scope)
        elif isinstance(value, list):
            for item in value:
                self._walk_all(item, scope)

    def _walk(self, root: exp.Expr, scope: Scope) -> None:
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

    def _lambda(self, node: exp.Lambda, scope: Scope) -> None:
        names = tuple(item.name for item in node.expressions)
        inner = Scope(scope, scope.ctes, [Source("", names)])
        self._walk(node.this, inner)

    def _column(self, node: exp.Column, scope: Scope) -> None:
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

    def _bare(self, identifier: exp.Identifier, name: str, scope: Scope) -> bool:
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
        if name in PSEUDO or name.startswith(("$", "@", "#")):
            return True
        if isinstance(node.parent, (exp.Func, exp.Kwarg, exp.PropertyEQ)) and self.dialect not in TEXT_NAMES:
            return True
        start = identifier.meta.get("start")
        return self.dialect == "sqlite" and (start is None or self.sql[start : start + 1] == '"')

    def _qualified(
        self, node: exp.Column, identifier: exp.Identifier, name: str, table: str, scope: Scope
    ) -> None:
        source = self._source(node, table, scope)
        if source is None or source.has(name, bool(identifier.quoted)) or name in PSEUDO:
            return
        same = [s for s in scope.all_sources() if s.name == table]
        if not any(other.has(name, True) for other in same):
            self._unknown_column(identifier, [source], scope)

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
        if table in ("excluded", "new", "old", "inserted", "deleted"):
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

    def _unknown_column(self, identifier: exp.Expr, sources: list[Source], scope: Scope) -> None:
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
