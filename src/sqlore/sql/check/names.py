"""Does every table and column of a query exist: scopes, aliases, common table expressions.

The database would find the same, but later, one name at a time, and without saying what was meant. Here the
tree is walked, and at each place it is known what can be seen there; `lookup` says whether a name can
be right.
"""

from __future__ import annotations

from sqlglot import exp

from sqlore.model import Schema
from sqlore.sql.check.lookup import Names
from sqlore.sql.check.scope import (
    LATERAL_ALIASES,
    LATERAL_TABLES,
    RECURSIVE_CTES,
    TEXT_NAMES,
    UNNAMED,
    WHERE_ALIASES,
    Columns,
    Ctes,
    Scope,
    Source,
    alias_columns,
    mentions,
    renamed,
)

__all__ = ["check_names"]


def check_names(tree: exp.Expr, dialect: str, schema: Schema, sql: str) -> None:
    """Raise `UnknownName` for the first table or column that is surely not there.

    `sql` is the text the tree was parsed from; positions refer to it.
    """
    _Walk(dialect.lower(), Names(dialect.lower(), schema, sql)).query(tree, None, {})


class _Walk:
    """Walks one query, from its sources to its expressions, with the scope of each place."""

    def __init__(self, dialect: str, names: Names) -> None:
        self.dialect = dialect
        self.names = names

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
                    self.names.unknown_column(identifier, side, scope)
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
            columns = self.names.table_columns(node, scope)
        if node.args.get("pivots"):
            columns = None
        scope.sources.append(Source(alias or name, renamed(columns, alias_columns(node)), node.name))

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
                self.names.column(node, scope)
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
