"""Counts of conditions, joins and groups, each against counting queries made of sqlglot's tree alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sqlglot import exp

from independent import Unit
from join_checks import JoinChecks
from select_parts import expression, is_edge, links, over, predicates, read, spelled, where_of
from sqlore.answer.explain.facts import Counts, Figure, Groups, Joined
from sqlore.answer.explain.model import Item


class FigureChecks(JoinChecks):
    """The checks of one script's figures; `columns` are those of the base tables, all in lower case."""

    def figure(self, unit: Unit, item: Item, figure: Figure) -> None:
        node, facts = unit.node, figure.facts
        if not isinstance(node, exp.Select):
            self.found.skip(item.kind, "of a set operation")
            return
        outers = self.outers(unit)
        if outers is None:
            self.found.skip(item.kind, "the independent query does not run")
            return
        if outers and unit.node.find_ancestor(exp.Lateral):
            self.found.skip(item.kind, "lateral")
            return
        if isinstance(facts, Counts):
            self.counts(node, item, facts, outers)
        elif isinstance(facts, Joined) and not outers:
            self.joined(node, item, facts)
        elif isinstance(facts, Groups) and item.clause == "group" and not outers:
            self.groups(node, item, facts)

    def counts(self, node: exp.Expression, item: Item, facts: Counts, outers: list[exp.Expression]) -> None:
        key = spelled(expression(item.fragment.sql, self.dialect), self.dialect)
        alone: Callable[[exp.Expression], exp.Expression]
        if item.clause == "where":
            linked = links(node, self.columns)
            atoms = list(predicates(node.args["where"].this))
            alone = partial(self.filtered, node, linked)
            base, together = over(node, where=where_of(linked)), over(node)
        elif item.clause == "having":
            whole = node.args["having"].this
            atoms = list(predicates(whole))
            alone = partial(self.grouped, node)
            base, together = self.grouped(node), self.grouped(node, whole)
        elif item.clause == "from" and item.join >= 1:
            atoms = list(predicates(node.args["joins"][item.join - 1].args.get("on")))
            edges = [one for one in atoms if is_edge(one)]
            alone = partial(self.joined_on, node, item.join, edges)
            base, together = self.joined_on(node, item.join, edges), self.joined_on(node, item.join, None)
        else:
            self.found.skip("condition", f"in {item.clause}")
            return
        atom = next((a for a in atoms if spelled(a, self.dialect) == self._here(key, atoms)), None)
        if atom is None:
            self.found.differs.append(("structure", self.script, f"no condition {key}"))
            return
        self.found.compare(
            f"{item.clause} condition alone", self.script, facts.alone, self.total(alone(atom), outers), key
        )
        if facts.together is not None:
            self.found.compare(
                f"{item.clause} conditions together",
                self.script,
                facts.together,
                self.total(together, outers),
                key,
            )
        if facts.total is not None:
            self.found.compare(
                f"{item.clause} rows without conditions",
                self.script,
                facts.total,
                self.total(base, outers),
                key,
            )

    def _here(self, key: str, atoms: list[exp.Expression]) -> str:
        """The key as the tree spells it, whose CTEs have other names."""
        if any(spelled(a, self.dialect) == key for a in atoms):
            return key
        tree = expression(key, self.dialect)
        found = [a for a in atoms if _shape(a, self.dialect) == _shape(tree, self.dialect)]
        return spelled(found[0], self.dialect) if found else key

    @staticmethod
    def filtered(node: exp.Expression, linked: list[exp.Expression], atom: exp.Expression) -> exp.Expression:
        """The rows that the links of a SELECT and one condition leave."""
        return over(node, where=where_of([*linked, atom]))

    def grouped(self, node: exp.Expression, having: exp.Expression | None = None) -> exp.Expression:
        """The number of groups that meet some conditions: one row a group, then counted."""
        named = {e.alias.lower(): e.this for e in node.expressions if isinstance(e, exp.Alias)}

        def meant(part: exp.Expression) -> exp.Expression:
            copy = part.copy()
            for column in list(copy.find_all(exp.Column)):
                if (
                    column.args.get("table") is None
                    and column.name.lower() in named
                    and not self._base(column, node)
                ):
                    new = exp.paren(named[column.name.lower()].copy())
                    if column is copy:
                        return new
                    column.replace(new)
            return copy

        group = node.args.get("group")
        keys = []
        for key in group.expressions if group is not None else ():
            ordinal = isinstance(key, exp.Literal) and not key.is_string
            keys.append(node.expressions[int(key.this) - 1].unalias().copy() if ordinal else meant(key))
        inner = over(node)
        inner.set("expressions", [expression("1 AS one", self.dialect)])
        if keys:
            inner.set("group", exp.Group(expressions=keys))
        else:
            inner.set("expressions", [expression("COUNT(*) AS one", self.dialect)])
        if having is not None:
            inner.set("having", exp.Having(this=meant(having)))
        return read(
            f"SELECT COUNT(*) FROM ({inner.sql(self.dialect, comments=False)}) AS counted", self.dialect
        )

    def _base(self, column: exp.Expression, node: exp.Expression) -> bool:
        """Whether a base table of the query has a column of that name, which comes before an alias."""
        tables = [node.args["from_"].this, *(j.this for j in node.args.get("joins") or ())]
        return any(
            isinstance(t, exp.Table) and column.name.lower() in self.columns.get(t.name.lower(), ())
            for t in tables
        )

    def joined_on(
        self,
        node: exp.Expression,
        number: int,
        edges: list[exp.Expression] | None,
        atom: exp.Expression | None = None,
    ) -> exp.Expression:
        """The rows of FROM up to a join; joined by some edges and a condition, or as it is (None)."""
        copy = over(node, where=None)
        joins = copy.args["joins"][:number]
        if edges is not None:
            on = [*edges, *([atom] if atom is not None else [])]
            joins[-1].set("on", where_of(on or [expression("1 = 1", self.dialect)]).this)
        copy.set("joins", joins)
        return copy

    def groups(self, node: exp.Expression, item: Item, facts: Groups) -> None:
        """How many groups there are."""
        if any(node.args["group"].args.get(key) for key in ("all", "rollup", "cube", "grouping_sets")):
            self.found.skip("dimension", "a GROUP BY without a list of keys")
            return
        count = self.total(self.grouped(node), [])
        self.found.compare("groups", self.script, facts.distinct, count, item.fragment.sql)


def _shape(node: exp.Expression, dialect: str) -> str:
    copy = node.copy()
    while isinstance(copy, exp.Paren):
        copy = copy.this
    for query in list(copy.find_all(exp.Query)):
        query.set("with_", None)
    for table in list(copy.find_all(exp.Table)):
        table.set("this", exp.to_identifier("t"))
        table.set("alias", None)
    return copy.sql(dialect, comments=False)
