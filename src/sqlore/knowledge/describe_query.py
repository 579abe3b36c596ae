"""Conditions and whole queries as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from sqlore.knowledge.describe_expr import Formulas, bare, tables_in
from sqlore.knowledge.describe_functions import date_unit, number_of, text_of
from sqlore.knowledge.describe_words import Vocabulary, joined

__all__ = ["Queries", "is_link", "with_owner"]

_COMPARE: Final[dict[type[exp.Expr], tuple[str, str]]] = {
    exp.EQ: ("is", "is"),
    exp.NEQ: ("is not", "is not"),
    exp.GT: ("is more than", "is after"),
    exp.GTE: ("is at least", "is on or after"),
    exp.LT: ("is less than", "is before"),
    exp.LTE: ("is at most", "is on or before"),
    exp.NullSafeEQ: ("is", "is"),
    exp.NullSafeNEQ: ("is not", "is not"),
}
_AVERAGE: Final = {"is more than": "is above", "is less than": "is below"}
_FLIP: Final[dict[type[exp.Expr], type[exp.Expr]]] = {
    exp.GT: exp.LT,
    exp.LT: exp.GT,
    exp.GTE: exp.LTE,
    exp.LTE: exp.GTE,
}
_YES: Final = frozenset({"1", "true", "t", "y", "yes"})
_NO: Final = frozenset({"0", "false", "f", "n", "no"})
_SETS: Final = ((exp.Union, "together with"), (exp.Intersect, "that are also"), (exp.Except, "but not"))
_FLAGS: Final = {
    "is": ("are", "are not"),
    "was": ("were", "were not"),
    "has": ("have", "do not have"),
    "can": ("can", "cannot"),
}
_LIST: Final = 5
_FIRST_YEAR: Final = 1000  # a smaller number beside a "time" is a duration


def is_link(node: exp.Expr) -> bool:
    """Whether a predicate joins two tables: a column of one equal to a column of another."""
    left, right = node.this, node.args.get("expression")
    return (
        isinstance(node, exp.EQ)
        and isinstance(left, exp.Column)
        and isinstance(right, exp.Column)
        and left.table != right.table
    )


class Queries:
    """Sentences for predicates and queries; formulas inside them are said by `Formulas`."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words

    def formulas(self, entity: str = "") -> Formulas:
        """The formulas of a sentence about `entity`."""
        return Formulas(self.words, self, entity)

    # ---------------------------------------------------------------- conditions

    def where(self, node: exp.Expr, entity: str) -> str:
        """A condition on rows: "where height is more than 200"."""
        return f"where {self.condition(node, entity)}"

    def whose(self, node: exp.Expr, entity: str) -> str:
        """A condition on things: "whose height is more than 200 and that are not hidden"."""
        node = _unwrapped(node)
        for kind, word in ((exp.And, "and"), (exp.Or, "or")):
            if isinstance(node, kind):
                parts = [self.whose(part, entity) for part in node.flatten()]
                return f" {word} ".join(dict.fromkeys(parts))
        flag = self._flag(node)
        if flag is not None:
            return f"that {flag}"
        if isinstance(node, exp.Exists) or (isinstance(node, exp.Not) and isinstance(node.this, exp.Exists)):
            return f"for which {self.condition(node, entity)}"
        subject = node.this if isinstance(node, exp.Not) else node
        if isinstance(subject, exp.Predicate) and isinstance(bare(subject.this), exp.Column):
            return f"whose {self.condition(node, entity)}"
        return f"where {self.condition(node, entity)}"

    def condition(self, node: exp.Expr, entity: str, *, negated: bool = False) -> str:
        """A predicate as a clause: "height is more than 200"."""
        node = _unwrapped(node)
        for kind, word in ((exp.And, "and"), (exp.Or, "or")):
            if isinstance(node, kind):
                parts = [self.condition(part, entity) for part in node.flatten()]
                text = f" {word} ".join(dict.fromkeys(parts))
                return f"not ({text})" if negated else text
        if isinstance(node, exp.Not):
            return self.condition(node.this, entity, negated=not negated)
        if node.args.get("negate"):  # NOT LIKE is a LIKE with a mark
            negated = not negated
        if isinstance(node, exp.Exists):
            return f"there is {'no' if negated else 'a'} {self.rows(node.this)}"
        if isinstance(node, exp.Column) or not isinstance(node, exp.Predicate):
            return f"{self.formulas(entity).noun(node)} is {'not ' if negated else ''}true"
        left, right = node.this, node.args.get("expression")
        kind_of: type[exp.Expr] = type(node)
        if kind_of in _COMPARE and text_of(left) is not None and text_of(right) is None:
            left, right, kind_of = right, left, _FLIP.get(kind_of, kind_of)
        return f"{self._subject(left, entity)} {self._verb(node, kind_of, left, right, entity, negated)}"

    def _subject(self, node: exp.Expr, entity: str) -> str:
        inner = bare(node)
        if isinstance(inner, exp.Column) and inner.table:
            # "whose publisher is Marvel", not "whose publisher name is Marvel".
            if inner.table != entity and self.words.is_name(inner.table, inner.name):
                return self.words.table(inner.table)
            gloss = self.words.gloss(inner.table, inner.name)
            said = self.formulas(entity).column(inner)
            return f"{said} ({gloss})" if gloss else said
        return self.formulas(entity).noun(node)

    def _verb(
        self,
        node: exp.Expr,
        kind: type[exp.Expr],
        left: exp.Expr,
        right: exp.Expr | None,
        entity: str,
        negated: bool,
    ) -> str:
        no = " not" if negated else ""
        if kind in _COMPARE and right is not None:
            return self._compare(kind, left, right, entity, negated)
        if isinstance(node, exp.Is):
            return self._is(right, negated)
        if isinstance(node, exp.Between):
            low, high = (self._value(left, node.args[side], entity) for side in ("low", "high"))
            return f"is{no} between {low} and {high}"
        if isinstance(node, exp.In):
            return self._in(node, left, entity, negated)
        if isinstance(node, (exp.Like, exp.ILike, exp.SimilarTo, exp.Glob, exp.RegexpLike)):
            return self._like(left, right, negated)
        shown = self.formulas(entity).noun(right) if isinstance(right, exp.Expr) else ""
        return f"{'does not satisfy' if negated else 'satisfies'} {node.key} {shown}".strip()

    def _compare(
        self,
        kind: type[exp.Expr],
        left: exp.Expr,
        right: exp.Expr,
        entity: str,
        negated: bool,
    ) -> str:
        number = number_of(right)
        moment = (
            self._is_moment(left)
            and not isinstance(bare(right), (exp.Subquery, exp.Select))
            and (number is None or number >= _FIRST_YEAR)
        )
        verb = _COMPARE[kind][1 if moment else 0]
        if negated:
            verb = verb.replace("is ", "is not ", 1) if " " in verb else "is not"
        inner = bare(right)
        query = inner.this if isinstance(inner, exp.Subquery) else inner
        if isinstance(query, exp.Select):
            average = query.expressions and isinstance(bare(query.expressions[0]), exp.Avg)
            verb = _AVERAGE.get(verb, verb) if average else verb
            return f"{verb} the {self.select(query, short=True)}"
        return f"{verb} {self._value(left, right, entity)}"

    def _value(self, left: exp.Expr, right: exp.Expr, entity: str) -> str:
        text, column = text_of(right), bare(left)
        if text is None:
            return self.formulas(entity).noun(right)
        if isinstance(column, exp.Column):
            return self.words.value(text, column.table, column.name)
        return self.words.value(text)

    def _is(self, right: exp.Expr | None, negated: bool) -> str:
        if isinstance(right, exp.Null):
            return "is known" if negated else "is missing"
        true = isinstance(right, exp.Boolean) and right.this
        return f"is {'yes' if true != negated else 'no'}"

    def _in(self, node: exp.In, left: exp.Expr, entity: str, negated: bool) -> str:
        query = node.args.get("query")
        no = " not" if negated else ""
        if query is not None:
            return f"is{no} among the {self.select(query, short=True)}"
        values = [self._value(left, value, entity) for value in node.expressions[:_LIST]]
        more = len(node.expressions) - _LIST
        if more > 0:
            return f"is{no} one of {', '.join(values)} and {more} more"
        return f"is{no} one of {joined(values, 'or')}" if len(values) > 1 else f"is{no} {joined(values)}"

    def _like(self, left: exp.Expr, right: exp.Expr | None, negated: bool) -> str:
        pattern = text_of(right)
        if pattern is None:
            shown = self.formulas().noun(right) if right is not None else ""
            return f"{'does not look' if negated else 'looks'} like {shown}"
        core = pattern.strip("%*")
        column = bare(left)
        table, name = (column.table, column.name) if isinstance(column, exp.Column) else ("", "")
        value = self.words.value(core, table, name)
        starts, ends = not pattern.startswith(("%", "*")), not pattern.endswith(("%", "*"))
        if not core or any(sign in core for sign in "%*"):
            value, starts, ends = f"'{pattern}'", True, True
        if starts and ends:
            return f"{'is not' if negated else 'is'} like {value}"
        if starts:
            return f"{'does not start' if negated else 'starts'} with {value}"
        if ends:
            return f"{'does not end' if negated else 'ends'} with {value}"
        return f"{'does not contain' if negated else 'contains'} {value}"

    def _is_moment(self, node: exp.Expr) -> bool:
        node = bare(node)
        if isinstance(node, exp.Column):
            return self.words.is_moment(node.table, node.name)
        found = date_unit(node)
        return found is not None and found[0] in ("year", "date", "day", "year and month")

    def _flag(self, node: exp.Expr) -> str | None:
        """A yes/no column that is compared with 1 or 0: "are oversized", "do not have full art"."""
        if isinstance(node, exp.Column):
            column, value = node, "1"
        elif isinstance(node, exp.EQ) and isinstance(node.this, exp.Column):
            column = node.this
            right = node.expression
            value = (
                str(right.this).lower() if isinstance(right, exp.Boolean) else (text_of(right) or "").lower()
            )
        else:
            return None
        words = self.words.column(column.table, column.name)
        verb, _, rest = words.partition(" ")
        if verb not in _FLAGS or not rest or value not in _YES | _NO:
            return None
        return f"{_FLAGS[verb][value in _NO]} {rest}"

    # ---------------------------------------------------------------- queries

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
        entity = next(iter(_sources(query)), "")
        where = query.args.get("where")
        wanted = [one for one in _conjuncts(where.this) if not is_link(one)] if where is not None else []
        said = " and ".join(dict.fromkeys(self.whose(one, entity) for one in wanted))
        return f"{self.words.table(entity) or 'row'} {said}".strip()

    def select(self, node: exp.Expr, *, short: bool = False) -> str:
        """A query as a sentence; `short` for one inside another, without its sorting words."""
        while isinstance(node, (exp.Subquery, exp.Paren)):
            node = node.this
        for kind, word in _SETS:
            if isinstance(node, kind):
                first, second = (self.select(side, short=short) for side in (node.this, node.expression))
                return f"{first}, {word} {second}"
        if not isinstance(node, exp.Select):
            return self.formulas().noun(node)
        before = self.words.roles
        self.words.roles = {**before, **_roles(node, self.words)}
        try:
            return self._sentence(node, _entity(node, self.words), short=short)
        finally:
            self.words.roles = before

    def _sentence(self, node: exp.Select, entity: str, *, short: bool) -> str:
        said, filters = self._selected(node, self.formulas(entity), entity), self._filters(node, entity)
        if filters and any(word in said for word in (" whose ", " where ", " that ")):
            filters = f", among those {filters}"
        elif filters:
            filters = " " + filters
        parts = [said + filters]
        group, having = node.args.get("group"), node.args.get("having")
        if group is not None and group.expressions:
            parts.append("for each " + self.each(group.expressions, entity))
        if having is not None:
            parts.append("only " + self.where(having.this, entity))
        output = self.output(node, entity) if node.args.keys() & {"order", "limit", "offset"} else ""
        if output:
            parts.append(output)
        if node.args.get("distinct") and not short:
            parts.append("without duplicates")
        parts += [self._step(step) for step in self._steps(node) if not short]
        return ("; " if not short else ", ").join(parts)

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
        wanted: list[exp.Expr] = []
        for join in node.args.get("joins") or ():
            if join.args.get("on") is not None:
                wanted += _conjuncts(join.args["on"])
        where = node.args.get("where")
        if where is not None:
            wanted += _conjuncts(where.this)
        said = [self.whose(one, entity) for one in wanted if not is_link(one)]
        return " and ".join(dict.fromkeys(said))

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

    def output(self, node: exp.Expr, entity: str = "") -> str:
        """ORDER BY with LIMIT and OFFSET: "top 5 by weight kg, highest first"."""
        order, limit, offset = (node.args.get(part) for part in ("order", "limit", "offset"))
        count = _count(limit)
        said = ""
        if order is not None and order.expressions:
            keys = self.order(order.expressions, entity)
            rows = self.words.tables(entity) + " " if entity else ""
            if count == "1":
                one = self.words.table(entity) if entity else "one"
                said = f"the {one} with the {self._extreme(order.expressions, entity)}"
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

    def _steps(self, node: exp.Select) -> list[tuple[str, exp.Expr]]:
        """The queries that this one reads from: CTEs and subqueries in FROM, by name."""
        with_ = node.args.get("with_") or node.args.get("with")
        ctes = with_.expressions if with_ is not None else ()
        steps: list[tuple[str, exp.Expr]] = [(cte.alias, cte.this) for cte in ctes]
        from_ = node.args.get("from_") or node.args.get("from")
        sources = [from_.this] if from_ is not None else []
        sources += [join.this for join in node.args.get("joins") or ()]
        steps += [(source.alias, source.this) for source in sources if isinstance(source, exp.Subquery)]
        return steps

    def _step(self, step: tuple[str, exp.Expr]) -> str:
        name, query = step
        said = self.select(query, short=True)
        return f"{name.replace('_', ' ')}: {said}" if name else f"from: {said}"


def with_owner(said: str, owner: str) -> str:
    """A noun phrase with the rows it is about, unless it names them.

    >>> with_owner("total height where sex is F", "superheroes"), with_owner("number of heroes", "powers")
    ('total height of superheroes where sex is F', 'number of heroes in powers')
    """
    if not owner or owner in said:
        return said
    if ";" in said:
        return f"{said} (of {owner})"
    end = min(
        (at for word in (" where ", " whose ", " that ") if (at := said.find(word)) > 0), default=len(said)
    )
    return f"{said[:end]} {'in' if said.startswith('number of') else 'of'} {owner}{said[end:]}"


def _unwrapped(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _conjuncts(node: exp.Expr) -> list[exp.Expr]:
    node = _unwrapped(node)
    return [_unwrapped(part) for part in node.flatten()] if isinstance(node, exp.And) else [node]


def _count(limit: exp.Expr | None) -> str:
    if limit is None:
        return ""
    count = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
    number = number_of(count)
    if number is not None:
        return f"{number:g}"
    return "a given number" if count is not None else "1"


def _sources(node: exp.Select) -> list[str]:
    """The tables a query reads, in the order of its FROM clause."""
    from_ = node.args.get("from_") or node.args.get("from")
    sources = [from_.this] if from_ is not None else []
    sources += [join.this for join in node.args.get("joins") or ()]
    return [s.name for s in sources if isinstance(s, exp.Table)]


def _links(node: exp.Select) -> list[tuple[exp.Column, exp.Column]]:
    """The equalities that join two tables, in ON and in WHERE."""
    places = [join.args.get("on") for join in node.args.get("joins") or ()]
    where = node.args.get("where")
    places.append(where.this if where is not None else None)
    atoms = [one for place in places if place is not None for one in _conjuncts(place)]
    return [(one.this, one.expression) for one in atoms if is_link(one)]


def _roles(node: exp.Select, words: Vocabulary) -> dict[str, str]:
    """What a looked-up table is in this query: `colour` by `superhero.eye_colour_id` is the eye colour."""
    roles: dict[str, set[str]] = {}
    for pair in _links(node):
        for one, other in (pair, pair[::-1]):
            owner = words.column(one.table, one.name)
            role = words.column(other.table, other.name).removesuffix(" id")
            table = words.table(one.table).removeprefix("other ")
            if owner == "id" and role != table and role.endswith(" " + table):
                roles.setdefault(one.table, set()).add(role)
    return {table: found.pop() for table, found in roles.items() if len(found) == 1}


def _entity(node: exp.Select, words: Vocabulary) -> str:
    """The table a query is about: the one whose key it counts, else the one most of it hangs on.

    A table gains by each column of it that is shown, grouped by or filtered, and by each key of another
    table that it holds, so that a looked-up name does not become the subject.
    """
    sources = _sources(node)
    if len(sources) <= 1:
        return sources[0] if sources else ""
    for count in node.find_all(exp.Count):
        inner = count.this
        while isinstance(inner, (exp.Distinct, exp.Paren)):
            inner = inner.expressions[0] if isinstance(inner, exp.Distinct) else inner.this
        if isinstance(inner, exp.Column) and inner.table in sources and words.is_key(inner.table, inner.name):
            return inner.table
    votes: Counter[str] = Counter()
    parts = [*node.expressions, node.args.get("where"), node.args.get("group")]
    for part in parts:
        votes.update(tables_in(part) if part is not None else ())
    # Where rows are counted, a row is one of the table that points to the others.
    weight = 2 if any(isinstance(count.this, exp.Star) for count in node.find_all(exp.Count)) else 1
    for left, right in _links(node):
        for one, other in ((left, right), (right, left)):
            if words.is_key(other.table, other.name) and not words.is_key(one.table, one.name):
                votes[one.table] += weight
    return max(sources, key=lambda table: votes[table])
