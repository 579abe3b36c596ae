"""What a query is about: its tables, how they are linked, which of them is the subject of its sentence."""

from __future__ import annotations

from collections import Counter
from typing import Final

from sqlglot import exp

from sqlore.knowledge.describe.conditional import tables_in
from sqlore.knowledge.describe.words import Vocabulary

__all__ = [
    "absent",
    "conjuncts",
    "entity_of",
    "is_link",
    "links_of",
    "roles_of",
    "sources_of",
    "steps_of",
    "unwrapped",
]

HALVES: Final = ("SEMI", "ANTI")
"""The joins that keep rows of one side only: those with a match, those without one."""


def is_link(node: exp.Expr) -> bool:
    """Whether a predicate joins two tables: a column of one equal to a column of another."""
    left, right = node.this, node.args.get("expression")
    return (
        isinstance(node, exp.EQ)
        and isinstance(left, exp.Column)
        and isinstance(right, exp.Column)
        and left.table != right.table
    )


def unwrapped(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    node = unwrapped(node)
    return [unwrapped(part) for part in node.flatten()] if isinstance(node, exp.And) else [node]


def sources_of(node: exp.Select, words: Vocabulary) -> list[str]:
    """The tables a query reads, in the order of its FROM clause."""
    from_ = node.args.get("from_") or node.args.get("from")
    sources = [from_.this] if from_ is not None else []
    gone = absent(node, words)
    sources += [j.this for j in node.args.get("joins") or () if j.kind not in HALVES and id(j) not in gone]
    return [s.name for s in sources if isinstance(s, exp.Table)]


def absent(node: exp.Select, words: Vocabulary) -> dict[int, exp.Expr]:
    """The outer joins that look for rows without a match, by identity, each with the condition that says so.

    `LEFT JOIN orders ON orders.user_id = users.id WHERE orders.id IS NULL`: the users who have none. The
    column is one of those joined by, or one that every row of the table has.
    """
    where = node.args.get("where")
    missing = [one for one in conjuncts(where.this) if _is_missing(one)] if where is not None else []
    found = {}
    for join in node.args.get("joins") or ():
        on, table = join.args.get("on"), join.this.alias_or_name
        if join.side != "LEFT" or on is None or join.kind in HALVES:
            continue
        keys = {column.name for column in on.find_all(exp.Column) if column.table == table} | {"id"}
        for one in missing:
            name = one.this.name
            if one.this.table == table and (name in keys or words.is_required(table, name)):
                found[id(join)] = one
    return found


def _is_missing(node: exp.Expr) -> bool:
    return (
        isinstance(node, exp.Is)
        and isinstance(node.expression, exp.Null)
        and isinstance(node.this, exp.Column)
    )


def steps_of(node: exp.Select) -> list[tuple[str, exp.Expr]]:
    """The queries that this one reads from: CTEs and subqueries in FROM, by name."""
    with_ = node.args.get("with_") or node.args.get("with")
    ctes = with_.expressions if with_ is not None else ()
    steps: list[tuple[str, exp.Expr]] = [(cte.alias, cte.this) for cte in ctes]
    from_ = node.args.get("from_") or node.args.get("from")
    sources = [from_.this] if from_ is not None else []
    sources += [join.this for join in node.args.get("joins") or ()]
    steps += [(source.alias, source.this) for source in sources if isinstance(source, exp.Subquery)]
    return steps


def links_of(node: exp.Select) -> list[tuple[exp.Column, exp.Column]]:
    """The equalities that join two tables, in ON and in WHERE."""
    places = [join.args.get("on") for join in node.args.get("joins") or ()]
    where = node.args.get("where")
    places.append(where.this if where is not None else None)
    atoms = [one for place in places if place is not None for one in conjuncts(place)]
    return [(one.this, one.expression) for one in atoms if is_link(one)]


def roles_of(node: exp.Select, words: Vocabulary) -> dict[str, str]:
    """What a looked-up table is in this query: `colour` by `superhero.eye_colour_id` is the eye colour."""
    roles: dict[str, set[str]] = {}
    for pair in links_of(node):
        for one, other in (pair, pair[::-1]):
            owner = words.column(one.table, one.name)
            role = words.column(other.table, other.name).removesuffix(" id")
            table = words.table(one.table).removeprefix("other ")
            if owner == "id" and role != table and role.endswith(" " + table):
                roles.setdefault(one.table, set()).add(role)
    return {table: found.pop() for table, found in roles.items() if len(found) == 1}


def entity_of(node: exp.Select, words: Vocabulary) -> str:
    """The table a query is about: the one whose key it counts, else the one most of it hangs on.

    A table gains by each column of it that is shown, grouped by or filtered, and by each key of another
    table that it holds, so that a looked-up name does not become the subject.
    """
    sources = sources_of(node, words)
    if len(sources) <= 1:
        return sources[0] if sources else ""
    for count in node.find_all(exp.Count):
        inner = count.this
        while isinstance(inner, (exp.Distinct, exp.Paren)):
            inner = inner.expressions[0] if isinstance(inner, exp.Distinct) else inner.this
        if isinstance(inner, exp.Column) and inner.table in sources and words.is_key(inner.table, inner.name):
            return inner.table
    votes: Counter[str] = Counter()
    for part in _parts(node):
        votes.update(tables_in(part))
    # Where rows are counted, a row is one of the table that points to the others; else the sentence is not
    # about a table that does nothing but link others.
    counted = any(isinstance(count.this, exp.Star) for count in node.find_all(exp.Count))
    if counted and (row := _row(node, words, votes)):
        return row
    said = sources if counted else [table for table in sources if votes[table]]
    for left, right in links_of(node):
        for one, other in ((left, right), (right, left)):
            if words.is_key(other.table, other.name) and not words.is_key(one.table, one.name):
                votes[one.table] += 2 if counted else 1
    shown = {table for one in node.expressions for table in tables_in(one)}
    return max(said or sources, key=lambda table: (votes[table], table in shown))


def _row(node: exp.Select, words: Vocabulary, votes: Counter[str]) -> str:
    """The one table that points to others and none to it: what a row of all of them together is.

    Not where it only links two others and nothing is said of it.
    """
    pointing: dict[str, set[str]] = {}
    for pair in links_of(node):
        for one, other in (pair, pair[::-1]):
            if words.is_key(other.table, other.name) and not words.is_key(one.table, one.name):
                pointing.setdefault(one.table, set()).add(other.table)
    pointed = set().union(*pointing.values())
    tops = [table for table in sources_of(node, words) if table not in pointed]
    if len(tops) != 1 or tops[0] not in pointing:
        return ""
    return tops[0] if votes[tops[0]] or len(pointing[tops[0]]) == 1 else ""


def _parts(node: exp.Select) -> list[exp.Expr]:
    """What of a query says something of its tables: all but the links between them."""
    where = node.args.get("where")
    wanted = [one for one in conjuncts(where.this) if not is_link(one)] if where is not None else []
    group = node.args.get("group")
    return [*node.expressions, *wanted, *([group] if group is not None else [])]
