"""SQL rebuilt from a script's knowledge items alone, by program: what does taking apart lose?

Cerebra measures its extraction so ("SQL Reconstruction Accuracy"): the SQL that is rebuilt solely from the
extracted items is run, and its rows are compared with the script's. Here the items are sqlore's, in
the form in which a store keeps them: skeletons with their literals, kinds and scopes, no text of the script.

Two things that a query needs are no item by the paper's definition (4.2.2): a selected column that is no
formula, and a FROM of one table. They are its `Outline`, which the paper's description of a whole script
tells. Without it only what consists of formulas and joins can be rebuilt; both figures are reported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.errors import SqlError
from sqlore.model import Fragment
from sqlore.sql.tree import parse_expression, parse_one

__all__ = ["Lost", "Outline", "items_of", "losses", "outline_of", "rebuild"]

_INSTANCE: Final = re.compile(r"(\bfrom |\bjoin )?((?:\w+\.)?(?:\w+|\"(?:[^\"]|\"\")*\"))#(\d+)")


class Lost(SqlError):
    """The items do not say what the query needs; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What is no item: the selected columns, with None where a formula stands, and a sole table of FROM."""

    columns: tuple[str | None, ...] = ()
    source: str = ""


def items_of(fragments: Sequence[Fragment]) -> list[Fragment]:
    """The fragments that say something on their own, in the order of the text.

    The whole query is none of them, nor is what stands within another one: the edges of a FROM clause, the
    formula of an ORDER BY, the inside of a subquery that a condition holds.
    """
    parts = [one for one in fragments if one.kind != "query"]
    whole = [one for one in parts if one.form != "edge"]
    return sorted(
        (
            one
            for one in whole
            if not any(
                other is not one and other.start <= one.start and one.end <= other.end for other in whole
            )
        ),
        key=lambda one: one.start,
    )


def outline_of(fragments: Sequence[Fragment], dialect: str) -> Outline:
    """The outline of a script, read off its query's canonical form. Raises `Lost` where it has none."""
    tree = _tree(fragments, dialect)
    if not isinstance(tree, exp.Select):
        raise Lost("set operation")
    columns: list[str | None] = []
    for one in tree.expressions:
        if isinstance(one.unalias(), exp.Subquery):
            raise Lost("scalar subquery in SELECT")
        bare = one.is_star or isinstance(one.unalias(), exp.Column | exp.Literal | exp.Null)
        columns.append(one.sql(dialect=dialect) if bare and not one.find(exp.AggFunc) else None)
    source = tree.args.get("from_") or tree.args.get("from")
    if source is None or tree.args.get("joins"):
        return Outline(tuple(columns))
    if not isinstance(source.this, exp.Table):
        raise Lost("derived table")
    return Outline(tuple(columns), source.this.sql(dialect=dialect))


def rebuild(fragments: Sequence[Fragment], dialect: str, outline: Outline | None = None) -> str:
    """SQL that the items of a script say, with its `outline` or without.

    Raises `Lost` with the reason where they do not make a query.

    >>> from sqlore.sql import parse_script
    >>> parsed = parse_script("SELECT COUNT(*) FROM a JOIN b ON a.id = b.id WHERE b.x > 3 LIMIT 2", "sqlite")
    >>> rebuild(parsed.fragments, "sqlite")
    'select count(*) from a join b on a.id = b.id where b.x > 3 limit 2'
    """
    items = items_of(fragments)
    other = next((one.scope for one in items if one.scope != "main"), "")
    if other:
        raise Lost(
            "set operation" if "union" in other else "CTE" if "cte" in other else "subquery of its own"
        )
    clause: dict[str, list[str]] = {
        "select": [],
        "from": [],
        "where": [],
        "having": [],
        "group": [],
        "tail": [],
    }
    distinct = ""
    for one in items:
        text = _named(one.canonical)
        if one.kind == "calculation":
            clause["select"].append(text)
        elif one.kind == "condition":
            clause["having" if _aggregated(text, dialect) else "where"].append(text)
        elif one.kind == "relation":
            clause["from"].append(text)
        elif one.kind == "dimension":
            clause["group"].append(text)
        elif text == "distinct":
            distinct = "distinct "
        else:
            clause["tail"].append(text)
    selected = _selected(clause["select"], outline)
    source = " ".join(clause["from"]) or f"from {_source(items, outline)}"
    parts = [f"select {distinct}{', '.join(selected)}", source]
    if clause["where"]:
        parts.append(f"where {' and '.join(clause['where'])}")
    parts += clause["group"]
    if clause["having"]:
        parts.append(f"having {' and '.join(clause['having'])}")
    return " ".join([*parts, *clause["tail"]])


def losses(fragments: Sequence[Fragment], dialect: str) -> tuple[str, ...]:
    """What a script has that its items do not say; empty where they say all."""
    try:
        tree = _tree(fragments, dialect)
    except Lost:
        return ("canonical form does not parse",)
    found = []
    if isinstance(tree, exp.SetOperation):
        found.append("set operation")
    for word in ("where", "having"):
        clause = tree.args.get(word)
        if clause is not None and any(isinstance(one, exp.Or) for one in _own(clause)):
            found.append("OR between conditions")
    if any(one.find_ancestor(exp.From, exp.Join) for one in tree.find_all(exp.Subquery)):
        found.append("derived table")
    query = next((one for one in fragments if one.kind == "query"), None)
    if query is not None and "#" in query.skeleton:
        found.append("self join")
    return tuple(dict.fromkeys(found))


def _tree(fragments: Sequence[Fragment], dialect: str) -> Any:
    query = next((one for one in fragments if one.kind == "query" and one.scope == "main"), None)
    if query is None:
        raise Lost("no query")
    try:
        return parse_one(_named(query.canonical), dialect)
    except (SqlglotError, RecursionError) as error:
        raise Lost("canonical form does not parse") from error


def _own(node: Any) -> list[Any]:
    """The nodes of a clause without what is inside its subqueries."""
    return list(node.walk(prune=lambda one: isinstance(one, exp.Subquery | exp.Select | exp.Exists)))


def _aggregated(text: str, dialect: str) -> bool:
    """Whether a condition is one of groups: it aggregates outside of its subqueries."""
    try:
        tree = parse_expression(text, dialect)
    except (SqlglotError, RecursionError) as error:
        raise Lost("a condition does not parse") from error
    return any(isinstance(one, exp.AggFunc) and not one.find_ancestor(exp.Window) for one in _own(tree))


def _selected(formulas: list[str], outline: Outline | None) -> list[str]:
    """The select list: the outline's columns with the formulas in their places."""
    if outline is None:
        if not formulas:
            raise Lost("no formula is selected")
        return formulas
    left = list(formulas)
    out = []
    for column in outline.columns:
        if column is None and not left:
            raise Lost("fewer formulas than were selected")
        out.append(left.pop(0) if column is None else column)
    if left:
        raise Lost("more formulas than were selected")
    return out


def _source(items: Sequence[Fragment], outline: Outline | None) -> str:
    """The sole table: the outline's, or the one that all items speak of."""
    if outline is not None and outline.source:
        return outline.source
    tables = {table for one in items for table in one.tables}
    if len(tables) != 1:
        raise Lost("no item names the table" if not tables else "a join is missing")
    return tables.pop()


def _named(canonical: str) -> str:
    """A canonical text with its further instances of a table, ``t#2``, as aliases that SQL has.

    >>> _named("from emp join emp#2 on emp.boss = emp#2.id")
    'from emp join emp AS "emp#2" on emp.boss = "emp#2".id'
    """

    def alias(found: re.Match[str]) -> str:
        bare = found[2].rpartition(".")[2].strip('"')
        name = f'"{bare}#{found[3]}"'
        return f"{found[1]}{found[2]} AS {name}" if found[1] else name

    return _INSTANCE.sub(alias, canonical)
