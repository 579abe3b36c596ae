"""An explanation held against independent means (`independent`): closures, conditions, joins, groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import exp

from figure_checks import FigureChecks
from independent import MOST, Own, Rows, TooMuch, Unit, Whole, bag
from join_checks import Columns, Found
from select_parts import read
from sqlore.answer.explain.explanation import explain
from sqlore.answer.explain.facts import Figure
from sqlore.answer.explain.model import ExplainedNode, Explanation
from sqlore.answer.explain.run import figures
from sqlore.catalog import Catalog
from sqlore.engines import Engine
from sqlore.errors import QueryTimeout
from sqlore.model import Schema

__all__ = ["Found", "check_script", "columns_of"]


def check_script(
    sql: str, engine: Engine, catalog: Catalog, own: Own, found: Found, script: str, seconds: float = 10.0
) -> None:
    """Every closure and figure of one script, each against its independent counterpart."""
    found.scripts += 1
    explanation = explain(sql, engine, catalog)
    came = {
        f.item or f.node: f for f in figures(explanation, engine, quick=seconds, seconds=seconds, workers=1)
    }
    reasons = [f"{one.id}: {one.node.reason}" for one in explanation.nodes if not one.node.runnable] + [
        f"{key}: {figure.status}, {figure.text}" for key, figure in came.items() if figure.facts is None
    ]
    found.explained += not reasons
    found.unexplained += [(script, why) for why in reasons]
    whole = Whole(sql, engine.dialect, own, f"{found.scripts}_")
    _Check(whole, engine, found, script).run(explanation, came, columns_of(catalog.schema))


def columns_of(schema: Schema) -> dict[str, set[str]]:
    """The columns of each table, all in lower case."""
    return {table.name.lower(): {c.name.lower() for c in table.columns} for table in schema.tables}


class _Check:
    """The checks of one script."""

    def __init__(self, whole: Whole, engine: Engine, found: Found, script: str) -> None:
        self.whole, self.engine, self.found, self.script = whole, engine, found, script
        self.own, self.dialect = whole.own, whole.dialect
        self._results: dict[int, Rows] = {}
        self._tables = 0

    def run(self, explanation: Explanation, came: dict[str, Figure], columns: Columns) -> None:
        """Every node and every item."""
        counts = FigureChecks(self.whole, columns, self.found, self.script)
        for one, unit in self.pairs(explanation):
            if unit is None:
                self.found.skip("closure", "no such query in the other tree")
                self.found.differs.append(("structure", self.script, f"{one.id} is not in the other tree"))
                continue
            self._guarded("closure", self.closure, one, unit)
            for item in one.items:
                figure = came.get(item.id)
                if figure is not None and figure.facts is not None:
                    self._guarded(item.kind, counts.figure, unit, item, figure)

    def _guarded(self, kind: str, check: Callable[..., None], *args: Any) -> None:
        try:
            check(*args)
        except (TooMuch, QueryTimeout):
            self.found.skip(kind, "too many rows or too slow to check")
        except self.own.errors as error:
            self.found.skip(kind, f"the independent query does not run: {str(error)[:60]}")

    def pairs(self, explanation: Explanation) -> Iterator[tuple[ExplainedNode, Unit | None]]:
        """The nodes with their queries in the other tree: alike by their text, in the order of the text."""
        left = list(self.whole.units)
        queries = [one for one in explanation.nodes if one.node.kind not in ("table", "values", "function")]
        for one in sorted(queries, key=lambda one: one.node.start):
            key = self._key(one.node.own)
            unit = next((u for u in left if u.key == key), None)
            if unit is not None:
                left.remove(unit)
            yield one, unit
        for unit in left:
            if isinstance(unit.node.parent, exp.SetOperation) and isinstance(unit.node, exp.SetOperation):
                continue  # a chain of UNION is one operation of several members
            self.found.differs.append(("structure", self.script, f"no node for {unit.key[:120]}"))

    def _key(self, own: str) -> str:
        tree = read(own, self.dialect)
        while isinstance(tree, exp.Subquery | exp.Paren):
            tree = tree.this
        copy = tree.copy()
        copy.set("with_", None)
        return copy.sql(self.dialect, comments=False)

    # -------------------------------------------------------------- closures

    def closure(self, one: ExplainedNode, unit: Unit) -> None:
        """Its rows by itself, and the whole with them in its place."""
        if not one.node.runnable:
            self.found.skip("closure", one.node.reason)
            return
        if one.node.correlated:
            self.correlated(one, unit)
            return
        ours = self.engine.run(one.node.sql, limit=MOST, timeout=self.own.seconds)
        if ours.truncated:
            raise TooMuch
        rows = bag(ours.rows)
        theirs = bag(self.own.run(self.whole.text(unit)))
        self.found.compare("closure rows", self.script, rows, theirs, one.id)
        if not unit.name and unit.node is not self.whole.root(unit):
            name = self._table()
            self.own.run(f"CREATE TEMP TABLE {name} AS {one.node.sql}")
            self.replaced("closure in the whole", one, unit, f"SELECT * FROM {name}")

    def replaced(self, kind: str, one: ExplainedNode, unit: Unit, new: str) -> None:
        root = self.whole.root(unit)
        if id(root) not in self._results:
            self._results[id(root)] = bag(self.own.run(root.sql(self.dialect, comments=False)))
        rows = bag(self.own.run(self.whole.with_replaced(unit, new)))
        self.found.compare(kind, self.script, rows, self._results[id(root)], one.id)

    def _table(self) -> str:
        self._tables += 1
        return f"given_{self.whole.label}{self._tables}"

    def correlated(self, one: ExplainedNode, unit: Unit) -> None:
        """A value or EXISTS looked up among the closure's rows gives what the subquery gives."""
        node = one.node
        listed = [f"o{n}" for n in range(len(node.outer_columns))]
        if node.usage not in ("value", "exists"):
            self.found.skip("closure", f"correlated, used as {node.usage or 'a member'}")
            return
        name = self._table()
        self.own.run(
            f"CREATE TEMP TABLE {name} AS WITH g({', '.join([*listed, 'v'])}) AS ({node.sql}) SELECT * FROM g"
        )
        same = " AND ".join(
            f"{name}.{mine} IS NOT DISTINCT FROM {outer}"
            for mine, outer in zip(listed, node.outer_columns, strict=True)
        )
        held = f" AND {name}.v" if node.usage == "exists" else ""
        self.replaced("correlated in the whole", one, unit, f"SELECT {name}.v FROM {name} WHERE {same}{held}")
