"""Joins, each against counting queries made of sqlglot's tree alone; and what was compared in all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations

from sqlglot import exp

from independent import Unit, Whole
from select_parts import conjuncts, expression, is_edge, links, over, predicates, read, sources, where_of
from sqlore.answer.explain.facts import Joined
from sqlore.answer.explain.model import Item

Columns = dict[str, set[str]]


@dataclass
class Found:
    """What was checked, how often it was the same, and everything else with its reason."""

    checked: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    differs: list[tuple[str, str, str]] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    scripts: int = 0
    explained: int = 0
    unexplained: list[tuple[str, str]] = field(default_factory=list)

    def compare(self, kind: str, script: str, ours: object, theirs: object, of: str) -> None:
        """Counts one comparison; what differs is kept with both values."""
        self.checked[kind] += 1
        if ours == theirs:
            self.same[kind] += 1
        else:
            self.differs.append((kind, script, f"{of}: {_short(ours)} and independently {_short(theirs)}"))

    def skip(self, kind: str, why: str) -> None:
        """Counts what could not be compared."""
        self.skipped[f"{kind}: {why}"] += 1


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 200 else text[:197] + "..."


class JoinChecks:
    """The checks of one script's joins; `columns` are those of the base tables, all in lower case."""

    def __init__(self, whole: Whole, columns: Columns, found: Found, script: str) -> None:
        self.whole, self.columns, self.found, self.script = whole, columns, found, script
        self.own, self.dialect = whole.own, whole.dialect

    def outers(self, unit: Unit) -> list[exp.Expression] | None:
        """The SELECTs whose rows a query is asked of, the nearest first; none where it runs by itself."""
        above: list[exp.Expression] = []
        node = unit.node.find_ancestor(exp.Select)
        while node is not None:
            above.append(node)
            node = node.find_ancestor(exp.Select)
        tries = [[], *([one] for one in above), *(list(pair) for pair in combinations(above, 2)), above]
        for chosen in tries:
            count = read(f"SELECT COUNT(*) FROM ({self.whole.text(unit)}) AS tried", self.dialect)
            try:
                self.own.run(f"{self.added_up(count, chosen)} LIMIT 0")
            except self.own.errors:
                continue
            return chosen
        return None

    def added_up(self, query: exp.Expression, outers: list[exp.Expression]) -> str:
        """A counting query, added up over the rows of outer queries: those that their links join."""
        text = query.sql(self.dialect, comments=False)
        for number, around in enumerate(outers):
            tied = links(around, self.columns)
            if number + 1 < len(outers):
                tied += self.ties(around)
            total = over(around, where=where_of(tied))
            total.set("expressions", [expression(f"SUM(({text}))", self.dialect)])
            text = total.sql(self.dialect, comments=False)
        return text

    @staticmethod
    def ties(select: exp.Expression) -> list[exp.Expression]:
        """The equalities of WHERE that tie a SELECT to the one around it, which write both qualifiers."""
        names = {source.alias_or_name.lower() for source in sources(select)}
        where = select.args.get("where")
        return [
            one
            for one in conjuncts(where.this if where is not None else None)
            if is_edge(one) and (one.left.table.lower() in names) != (one.right.table.lower() in names)
        ]

    def total(self, query: exp.Expression, outers: list[exp.Expression]) -> int:
        """The number that a counting query gives, over all rows of the outer queries."""
        return self.own.number(self.added_up(query, outers))

    def joined(self, node: exp.Expression, item: Item, facts: Joined) -> None:
        if item.fragment.form != "edge":
            whole = over(node, where=where_of(links(node, self.columns)))
            self.found.compare("FROM rows", self.script, facts.rows, self.total(whole, []), item.fragment.sql)
            for number, step in enumerate(facts.steps, 1):
                self.step(node, number, step, item.fragment.sql)
        elif item.join >= 1:
            self.step(node, item.join, facts, item.fragment.sql)

    def step(self, node: exp.Expression, number: int, facts: Joined, what: str) -> None:
        """One join: rows before and after; left rows that have no match; what several matches add."""
        before, after = (self.total(self.upto(node, n), []) for n in (number - 1, number))
        self.found.compare("join rows", self.script, (facts.before, facts.rows), (before, after), what)
        join = node.args["joins"][number - 1]
        lonely = self.lonely(node, number, join)
        if lonely is None or facts.multiplied is None or (facts.lost is None and facts.unmatched is None):
            self.found.skip("relation", "a join without a condition")
            return
        count = self.total(lonely, [])
        keeps = join.side in ("LEFT", "FULL")
        ours = facts.unmatched if keeps else facts.lost
        self.found.compare("join rows lost", self.script, ours, count, what)
        if join.side in ("", "LEFT") and join.kind not in ("SEMI", "ANTI"):
            more = after - before if keeps else after - (before - count)
            self.found.compare("join rows multiplied", self.script, facts.multiplied, more, what)

    def upto(self, node: exp.Expression, number: int) -> exp.Expression:
        """The rows of FROM up to and with a join, comma joins with the links of WHERE that they have."""
        copy = over(node, where=None)
        copy.set("joins", copy.args.get("joins", [])[:number])
        names = {
            s.alias_or_name.lower() for s in [copy.args["from_"].this, *(j.this for j in copy.args["joins"])]
        }
        linked = [
            link
            for link in links(node, self.columns)
            if all((c.table or self._owner(c, node)).lower() in names for c in link.find_all(exp.Column))
            and self._comma(link, node)
        ]
        copy.set("where", where_of(linked))
        return copy

    def lonely(self, node: exp.Expression, number: int, join: exp.Expression) -> exp.Expression | None:
        """The left rows of a join that have no match, found with NOT EXISTS, or with NOT IN for one key."""
        left = self.upto(node, number - 1)
        if join.args.get("using") or join.args.get("method"):
            return None
        condition = join.args.get("on") or self.linked(node, join)
        if condition is None:
            return None
        where = left.args.get("where")
        kept = [where.this.copy()] if where is not None else []
        left.set("where", where_of([*kept, self.no_match(node, join, condition)]))
        return left

    def linked(self, node: exp.Expression, join: exp.Expression) -> exp.Expression | None:
        """The links of WHERE that stand for a comma join's condition."""
        name = join.this.alias_or_name.lower()
        found = [
            link
            for link in links(node, self.columns)
            if self._comma(link, node) and name in self._names(link, node)
        ]
        return where_of(found).this if found else None

    def no_match(
        self, node: exp.Expression, join: exp.Expression, condition: exp.Expression
    ) -> exp.Expression:
        """Whether a left row has no match: NOT IN for one pair of columns, else NOT EXISTS."""
        source = join.this.sql(self.dialect)
        plain = list(predicates(condition))
        if len(plain) == 1 and is_edge(plain[0]):
            sides = [plain[0].left, plain[0].right]
            if (sides[0].table or self._owner(sides[0], node)).lower() == join.this.alias_or_name.lower():
                sides.reverse()
            mine, other = (side.sql(self.dialect) for side in sides)
            keys = f"SELECT {other} FROM {source} WHERE {other} IS NOT NULL"
            return expression(f"({mine} IS NULL OR {mine} NOT IN ({keys}))", self.dialect)
        told = condition.sql(self.dialect, comments=False)
        return expression(f"NOT EXISTS (SELECT 1 FROM {source} WHERE {told})", self.dialect)

    def _names(self, link: exp.Expression, node: exp.Expression) -> list[str]:
        """The sources that the columns of a link belong to."""
        return [(c.table or self._owner(c, node)).lower() for c in link.find_all(exp.Column)]

    def _owner(self, column: exp.Expression, node: exp.Expression) -> str:
        for s in [node.args["from_"].this, *(j.this for j in node.args.get("joins") or ())]:
            if isinstance(s, exp.Table) and column.name.lower() in self.columns.get(s.name.lower(), ()):
                return s.alias_or_name
        return ""

    def _comma(self, link: exp.Expression, node: exp.Expression) -> bool:
        """Whether a link of WHERE stands for the condition of a join that has none."""
        names = self._names(link, node)
        order = [node.args["from_"].this.alias_or_name.lower()]
        order += [j.this.alias_or_name.lower() for j in node.args.get("joins") or ()]
        last = max(order.index(n) for n in names)
        join = node.args["joins"][last - 1]
        return not (join.args.get("on") or join.args.get("using") or join.args.get("method"))
