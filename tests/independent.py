"""Another way to the same figures: a query taken apart by sqlglot alone, its CTEs materialised, own counts.

Nothing here uses the code that explains or edits queries, so that the two can be compared. CTEs become
temporary tables under names of their own; each query of the tree is then a text that runs beside them.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlglot import exp

from select_parts import read

Rows = Counter[tuple[object, ...]]
MOST = 200_000


class TooMuch(Exception):
    """More rows or more time than a check may take."""


class Own:
    """A connection of its own to a database file, with temporary tables; SQLite or DuckDB."""

    def __init__(self, path: Path, dialect: str, seconds: float = 20.0) -> None:
        self.dialect, self.seconds = dialect, seconds
        self.errors: tuple[type[Exception], ...]
        if dialect == "sqlite":
            self.connection: Any = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            self.connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            self.connection.set_progress_handler(lambda: time.monotonic() > self._deadline, 10_000)
            self.errors = (sqlite3.Error,)
        else:
            import duckdb

            self.connection = duckdb.connect(str(path), read_only=True)
            self.errors = (duckdb.Error,)
        self._deadline = float("inf")

    def run(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows; raises `TooMuch` where they are too many or take too long."""
        self._deadline = time.monotonic() + self.seconds
        try:
            found = self.connection.execute(sql).fetchmany(MOST + 1)
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise TooMuch(sql) from error
            raise
        finally:
            self._deadline = float("inf")
        if len(found) > MOST:
            raise TooMuch(sql)
        return [tuple(row) for row in found]

    def number(self, sql: str) -> int:
        """The one number of a result; of nothing 0."""
        return int(self.run(sql)[0][0] or 0)


def bag(rows: Sequence[Sequence[object]]) -> Rows:
    """Rows as a multiset; numbers that differ by rounding alone are one."""
    return Counter(tuple(_plain(value) for value in row) for row in rows)


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return float(f"{value:.9g}") if isinstance(value, float) else value


@dataclass
class Unit:
    """One query of a tree: a SELECT or a set operation; `name` where it is a CTE's."""

    node: exp.Expression
    key: str
    name: str = ""
    recursive: bool = False
    failed: str = ""
    inside: list[Unit] = field(default_factory=list)


class Whole:
    """A query whose CTEs are temporary tables on a connection."""

    def __init__(self, sql: str, dialect: str, own: Own, label: str = "") -> None:
        self.sql, self.dialect, self.own = sql, dialect, own
        self.tree = read(sql, dialect)
        self.label = label
        self.units: list[Unit] = []
        self._known: dict[int, Unit] = {}
        self._collect(self.tree)
        self._rename()
        self._materialise()

    # -------------------------------------------------------------- the queries of the tree

    def _collect(self, tree: exp.Expression) -> None:
        for node in tree.dfs():
            if isinstance(node, exp.Select | exp.SetOperation):
                copy = node.copy()
                copy.set("with_", None)
                unit = Unit(node, copy.sql(self.dialect, comments=False))
                parent = node.parent
                while isinstance(parent, exp.Subquery | exp.Paren):
                    parent = parent.parent
                if isinstance(parent, exp.CTE):
                    unit.name = parent.alias
                self.units.append(unit)
                self._known[id(node)] = unit

    def _rename(self) -> None:
        """Each CTE gets a name that nothing else has, wherever it is read."""
        meant = []
        for table in self.tree.find_all(exp.Table):
            cte = None if table.args.get("db") else self._cte_of(table)
            if cte is not None:
                meant.append((table, cte))
        for number, cte in enumerate(self.tree.find_all(exp.CTE)):
            cte.set("_own", f"own_{self.label}{number}")
        for table, cte in meant:
            inner = self._known.get(id(cte.this.unnest()))
            if inner is not None and table.find_ancestor(exp.CTE) and _within(table, cte):
                inner.recursive = True
            if not table.alias:
                table.set("alias", exp.TableAlias(this=table.this.copy()))
            table.set("this", exp.to_identifier(cte.args["_own"]))

    @staticmethod
    def _cte_of(table: exp.Table) -> exp.CTE | None:
        node: exp.Expression | None = table
        while node is not None:
            clause = node.args.get("with_") if isinstance(node, exp.Query) else None
            for cte in clause.expressions if clause is not None else ():
                named = cte.alias.lower() == table.name.lower()
                if named and (not _within(table, cte) or _reads_itself(cte)):
                    return cte
            node = node.parent
        return None

    def _materialise(self) -> None:
        for cte in self._innermost_first():
            unit = self._known.get(id(cte.this.unnest()))
            name = cte.args["_own"]
            listed = cte.args["alias"].args.get("columns") or []
            columns = f"({', '.join(c.sql(self.dialect) for c in listed)})" if listed else ""
            body = cte.this.sql(self.dialect, comments=False)
            recursive = unit is not None and unit.recursive
            source = f"WITH RECURSIVE {name}{columns} AS ({body}) SELECT * FROM {name}"
            if not recursive:
                source = f"WITH given{columns} AS ({body}) SELECT * FROM given" if columns else body
            if recursive:  # while it is made the name means the recursion, not the table
                source = source.replace(name, f"{name}_r")
            try:
                self.own.run(f"CREATE TEMP TABLE {name} AS {source}")
            except (*self.own.errors, TooMuch) as error:
                if unit is not None:
                    unit.failed = str(error)
                continue
            owner = cte.parent.parent
            if owner is not None:
                rest = [one for one in cte.parent.expressions if one is not cte]
                clause = cte.parent
                clause.set("expressions", rest)
                if not rest:
                    owner.set("with_", None)

    def _innermost_first(self) -> list[exp.CTE]:
        found: list[exp.CTE] = []

        def walk(node: exp.Expression) -> None:
            clause = node.args.get("with_")
            for cte in clause.expressions if clause is not None else ():
                walk(cte.this)
                found.append(cte)
            for child in node.iter_expressions():
                if child is not clause:
                    walk(child)

        walk(self.tree)
        return found

    # -------------------------------------------------------------- rows

    def table_of(self, unit: Unit) -> str:
        """The temporary table of a CTE."""
        node = unit.node
        while not isinstance(node, exp.CTE):
            node = node.parent
        return str(node.args["_own"])

    def text(self, unit: Unit) -> str:
        """A query of the tree as it runs beside the temporary tables."""
        if unit.name and not unit.failed:
            return f"SELECT * FROM {self.table_of(unit)}"
        return unit.node.sql(self.dialect, comments=False)

    def root(self, unit: Unit) -> exp.Expression:
        """The query that a query stands in as it runs: the whole, or the body of the CTE that is a table."""
        node = unit.node
        while node.parent is not None and not isinstance(node.parent, exp.CTE):
            node = node.parent
        return node

    def with_replaced(self, unit: Unit, new: str) -> str:
        """What a query stands in (`root`) with another query in its place."""
        unit.node.set("_here", True)
        copy = self.root(unit).copy()
        unit.node.set("_here", None)
        place = next(node for node in copy.walk() if node.args.get("_here"))
        other = read(new, self.dialect)
        place.replace(other if isinstance(place.parent, _HOLDERS) else exp.Subquery(this=other))
        return copy.sql(self.dialect, comments=False)


#: What holds a query without brackets of its own.
_HOLDERS = (exp.Exists, exp.In, exp.Subquery, exp.SetOperation, exp.Any, exp.All)


def _within(node: exp.Expression, cte: exp.Expression) -> bool:
    current: exp.Expression | None = node
    while current is not None:
        if current is cte:
            return True
        current = current.parent
    return False


def _reads_itself(cte: exp.CTE) -> bool:
    """Whether the CTE is a set operation that names itself: a recursion."""
    body = cte.this.unnest()
    return isinstance(body, exp.SetOperation) and any(
        t.name.lower() == cte.alias.lower() and not t.args.get("db") for t in body.find_all(exp.Table)
    )
