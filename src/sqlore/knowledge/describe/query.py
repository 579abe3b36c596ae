"""Conditions and whole queries as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from sqlore.knowledge.describe.conditional import bare
from sqlore.knowledge.describe.conditions import Conditions, there_is, within
from sqlore.knowledge.describe.correlated import of_the_same, same
from sqlore.knowledge.describe.english import clause_at, joined
from sqlore.knowledge.describe.expr import Formulas
from sqlore.knowledge.describe.functions import number_of, text_of
from sqlore.knowledge.describe.subject import (
    HALVES,
    absent,
    conjuncts,
    entity_of,
    is_link,
    roles_of,
    sources_of,
    steps_of,
)
from sqlore.knowledge.describe.words import Vocabulary

__all__ = ["Queries", "with_owner"]

_SETS: Final = ((exp.Union, "together with"), (exp.Intersect, "that are also"), (exp.Except, "but not"))


_NTH: Final = {0.0: "", 1.0: "second ", 2.0: "third ", 3.0: "fourth ", 4.0: "fifth "}


class Queries(Conditions):
    """Sentences for predicates and queries; formulas inside them are said by `Formulas`."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words

    def formulas(self, entity: str = "") -> Formulas:
        """The formulas of a sentence about `entity`."""
        return Formulas(self.words, self, entity)

    def order(self, keys: Sequence[exp.Expr], entity: str) -> str:
        """What is sorted by and which end comes first: "weight kg (highest first)"."""
        said = []
        for key in keys:
            inner = key.this if isinstance(key, exp.Ordered) else key
            down = bool(isinstance(key, exp.Ordered) and key.args.get("desc"))
            said.append(f"{self.formulas(entity).noun(inner)} ({self.end(inner, down)} first)")
        return ", then ".join(said)

    def end(self, node: exp.Expr, down: bool) -> str:
        """highest or lowest; of dates latest or earliest; of names the end of the alphabet."""
        inner = bare(node)
        if isinstance(inner, exp.Column) and self.words.is_name(inner.table, inner.name):
            return "Z" if down else "A"
        if self._is_moment(node):
            return "latest" if down else "earliest"
        return "highest" if down else "lowest"

    def rows(self, node: exp.Expr) -> str:
        """The rows of a subquery, for EXISTS: "loan whose status is C"."""
        query = node.this if isinstance(node, exp.Subquery) else node
        if not isinstance(query, exp.Select):
            return self.select(query, short=True)
        entity = next(iter(sources_of(query, self.words)), "")
        rows = f"{self.words.table(entity) or 'row'}{same(query, self, own=True)}"
        return f"{rows} {self._filters(query, entity)}".strip()

    def select(self, node: exp.Expr, *, short: bool = False) -> str:
        """A query as a sentence; `short` for one inside another, without its sorting words."""
        while isinstance(node, (exp.Subquery, exp.Paren)):
            node = node.this
        for kind, word in _SETS:
            if isinstance(node, kind):
                first, second = (self.select(side, short=short) for side in (node.this, node.expression))
                said = f"{first}, {word} {second}"
                sorted_ = node.args.keys() & {"order", "limit", "offset"}
                last = self.output(node, _first_entity(node, self.words), groups="row") if sorted_ else ""
                return f"{said}; of all together, {last}" if last else said
        if not isinstance(node, exp.Select):
            return self.formulas().noun(node)
        before = self.words.roles
        self.words.roles = {**before, **roles_of(node, self.words)}
        try:
            return self._sentence(node, entity_of(node, self.words), short=short)
        finally:
            self.words.roles = before

    def _sentence(self, node: exp.Select, entity: str, *, short: bool) -> str:
        filters = self._filters(node, entity)
        group, having = node.args.get("group"), node.args.get("having")
        if (
            short
            and entity
            and group is None
            and _count(node.args.get("limit")) == "1"
            and node.args.get("order")
        ):
            return self._one(node, entity, filters)
        said = of_the_same(self._selected(node, self.formulas(entity), entity), same(node, self))
        if filters and clause_at(said) < len(said):
            filters = f", among those {filters}"
        elif filters:
            filters = " " + filters
        parts = [said + filters]
        groups = self.groups(group, entity) if group is not None else ""
        if groups:
            parts.append("for each " + groups)
        if having is not None:
            parts.append("only " + self.where(having.this, entity))
        if node.args.get("qualify") is not None:
            parts.append("only " + self.where(node.args["qualify"].this, entity))
        parts += self._matched(node)
        sorted_ = node.args.keys() & {"order", "limit", "offset"}
        output = self.output(node, entity, groups=groups) if sorted_ else ""
        if output:
            parts.append(output)
        distinct = node.args.get("distinct")
        if distinct and (distinct.args.get("on") is not None or not short):
            parts.append(self.distinct(distinct, entity))
        parts += [self._step(step) for step in steps_of(node) if not short]
        return ("; " if not short else ", ").join(parts)

    def _one(self, node: exp.Select, entity: str, filters: str) -> str:
        """A subquery for the first row: "district id of the client with the earliest birth date"."""
        columns = [one.this if isinstance(one, exp.Alias) else one for one in node.expressions[:8]]
        said = joined([self.formulas(entity).noun(one) for one in columns])
        among = f" among {self.words.tables(entity)} {filters}" if filters else ""
        return f"{said} of {self.output(node, entity)}{same(node, self)}{among}"

    def _selected(self, node: exp.Select, formulas: Formulas, entity: str) -> str:
        owner = self.words.tables(entity) if entity else ""
        nouns = []
        for one in node.expressions[:8]:
            inner = one.this if isinstance(one, exp.Alias) else one
            if not isinstance(inner, (exp.Star, exp.Literal)):
                nouns.append(formulas.noun(inner))
        if not nouns:
            return owner or "rows"
        said = joined(nouns)
        return with_owner(said, owner)

    def _filters(self, node: exp.Select, entity: str) -> str:
        """What a query asks of its rows; an outer join's ON asks it of the rows that it adds."""
        wanted: list[exp.Expr] = []
        gone, without = absent(node, self.words), []
        for join in node.args.get("joins") or ():
            if id(join) in gone or join.kind in HALVES:
                without.append(f"for which {self._match(join, negated=join.kind != 'SEMI')}")
            elif join.args.get("on") is not None and not join.side:
                wanted += conjuncts(join.args["on"])
        where = node.args.get("where")
        if where is not None:
            found = list(gone.values())
            wanted += [one for one in conjuncts(where.this) if not any(one is other for other in found)]
        wanted = [one for one in wanted if not is_link(one)]
        # Among several that all hold, one of alternatives is said in brackets.
        among = exp.And() if len(wanted) + len(without) > 1 else exp.Or()
        said = [within(among, one, self.whose(one, entity)) for one in wanted]
        return " and ".join(dict.fromkeys([*said, *without]))

    def _match(self, join: exp.Expr, *, negated: bool) -> str:
        """That a joined table has such a row, or has none: "there is no order whose status is paid"."""
        table = join.this.alias_or_name
        return there_is(f"{self.words.table(table)} {self._asked(join, table)}".strip(), negated=negated)

    def _asked(self, join: exp.Expr, table: str) -> str:
        """What a join asks of the rows of its table, other than which ones they belong to."""
        on = join.args.get("on")
        wanted = [one for one in conjuncts(on) if not is_link(one)] if on is not None else []
        return self.whose(exp.and_(*wanted), table) if wanted else ""

    def _matched(self, node: exp.Select) -> list[str]:
        """What outer joins ask of the rows that they add."""
        parts, gone = [], absent(node, self.words)
        for join in node.args.get("joins") or ():
            table = join.this.alias_or_name
            if not join.side or id(join) in gone or join.kind in HALVES:
                continue
            if asked := self._asked(join, table if join.side == "LEFT" else ""):
                left = f"with the {self.words.tables(table)} {asked}, if any"
                parts.append(left if join.side == "LEFT" else f"matched only {asked}")
        return parts

    def distinct(self, node: exp.Expr, entity: str) -> str:
        """DISTINCT, and DISTINCT ON: the first row of each group."""
        on = node.args.get("on")
        if on is None:
            return "without duplicates"
        return f"only the first row for each {self.each(on.expressions or [on], entity)}"

    def groups(self, group: exp.Expr, entity: str = "") -> str:
        """What GROUP BY groups by; of GROUP BY ALL all that is not aggregated."""
        if group.expressions:
            return self.each(group.expressions, entity)
        return "combination of the columns that are not aggregated" if group.args.get("all") else ""

    def each(self, groups: Sequence[exp.Expr], entity: str = "") -> str:
        """What rows are grouped by; the key of a table stands for its rows: "district (name)"."""
        said: dict[str, list[str]] = {}
        for group in groups:
            inner = bare(group)
            if not isinstance(inner, exp.Column) or not inner.table:
                said.setdefault(self.formulas(entity).noun(group), [])
                continue
            table = inner.table
            key, name = self.words.is_key(table, inner.name), self.words.is_name(table, inner.name)
            other = self.words.refers(table, inner.name)
            if key or other:
                said.setdefault(self.words.table(table if key else other), [])
            elif name:
                said.setdefault(self.words.table(table), []).append(self.words.column(table, inner.name))
            else:
                said.setdefault(self.words.full(table, inner.name), [])
        return joined(
            [f"{one} ({', '.join(more)})" if more and more != [one] else one for one, more in said.items()]
        )

    def output(self, node: exp.Expr, entity: str = "", groups: str = "") -> str:
        """ORDER BY with LIMIT and OFFSET: "top 5 by weight kg, highest first"; of groups, not of rows."""
        order, limit, offset = (node.args.get(part) for part in ("order", "limit", "offset"))
        count = _count(limit)
        said = ""
        if order is not None and order.expressions:
            keys = self.order(order.expressions, entity)
            rows = self.words.tables(entity) + " " if entity and not groups else ""
            if count == "1":
                one = self.words.table(entity) if entity else "one"
                if groups:
                    one = groups.partition(" (")[0]
                    one = "one" if " and " in one or one in keys else one
                place = number_of(offset.expression) if offset is not None else None
                nth = _NTH.get(place) if place is not None else None
                offset = None if nth is not None else offset
                said = f"the {one} with the {nth or ''}{self._extreme(order.expressions, entity)}"
            elif count:
                said = f"top {count} {rows}by {keys}"
            else:
                said = f"{rows}sorted by {keys}"
        elif count:
            said = "only the first row" if count == "1" else f"only the first {count} rows"
        if offset is not None:
            skipped = text_of(offset.expression) or self.formulas().noun(offset.expression)
            said += f"{' ' if said else ''}after skipping {skipped}"
        return said

    def _extreme(self, keys: Sequence[exp.Expr], entity: str) -> str:
        first = keys[0]
        inner = first.this if isinstance(first, exp.Ordered) else first
        down = bool(isinstance(first, exp.Ordered) and first.args.get("desc"))
        rest = f", then {self.order(keys[1:], entity)}" if len(keys) > 1 else ""
        return f"{self.end(inner, down)} {self.formulas(entity).noun(inner)}{rest}"

    def _step(self, step: tuple[str, exp.Expr]) -> str:
        name, query = step
        said = self.select(query, short=True)
        return f"{name.replace('_', ' ')}: {said}" if name else f"from: {said}"


def _first_entity(node: exp.Expr, words: Vocabulary) -> str:
    """What the first of several combined queries is about, whose columns name those of all."""
    while isinstance(node, (exp.SetOperation, exp.Subquery, exp.Paren)):
        node = node.this
    return entity_of(node, words) if isinstance(node, exp.Select) else ""


def with_owner(said: str, owner: str) -> str:
    """A noun phrase with the rows it is about, unless it names them.

    >>> with_owner("total height where sex is F", "superheroes"), with_owner("number of heroes", "powers")
    ('total height of superheroes where sex is F', 'number of heroes in powers')
    """
    if not owner or owner in said:
        return said
    if ";" in said:
        return f"{said} (of {owner})"
    end = clause_at(said)
    return f"{said[:end]} {'in' if said.startswith('number of') else 'of'} {owner}{said[end:]}"


def _count(limit: exp.Expr | None) -> str:
    if limit is None:
        return ""
    count = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
    number = number_of(count)
    if number is not None:
        return f"{number:g}"
    return "a given number" if count is not None else "1"
