"""Scripts spoiled in the ways in which people spoil them: one change each, and what it was.

A change is a function of a tree, a schema and a generator of random numbers; it changes the tree and says
what it did, or says nothing where the tree has no place for it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sqlglot import exp

from sqlore.model import Schema

__all__ = ["BROKEN_TEXT", "FAILING", "NEARLY", "OLDER", "Change"]

Change = Callable[[Any, Schema | None, random.Random], str | None]

_COMPARED: Final = {exp.GT: exp.GTE, exp.GTE: exp.GT, exp.LT: exp.LTE, exp.LTE: exp.LT, exp.EQ: exp.NEQ}
_AGGREGATES: Final = {exp.Sum: exp.Avg, exp.Avg: exp.Sum, exp.Max: exp.Min, exp.Min: exp.Max}


def _pick(nodes: Sequence[Any], rng: random.Random) -> Any:
    return rng.choice(nodes) if nodes else None


def _told(node: Any) -> str:
    return str(node.sql())


# ------------------------------------------------------------------ near misses


def other_operator(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """``>=`` for ``>``, ``<>`` for ``=``, and the like, in one condition with a value."""
    found = [
        node
        for kind in _COMPARED
        for node in tree.find_all(kind)
        if isinstance(node.expression, exp.Literal) and node.find_ancestor(exp.Where, exp.Having)
    ]
    node = _pick(found, rng)
    if node is None:
        return None
    told = _told(node)
    other = _COMPARED[type(node)](this=node.this, expression=node.expression)
    node.replace(other)
    return f"{told} became {_told(other)}"


def other_aggregate(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """AVG for SUM, MIN for MAX, and the like; COUNT with DISTINCT, or without."""
    node = _pick(list(tree.find_all(*_AGGREGATES, exp.Count)), rng)
    if node is None or isinstance(node.this, exp.Star):
        return None
    told = _told(node)
    other: Any
    if isinstance(node, exp.Count):
        inner = node.this
        plain = isinstance(inner, exp.Distinct)
        other = exp.Count(this=inner.expressions[0] if plain else exp.Distinct(expressions=[inner]))
    else:
        other = _AGGREGATES[type(node)](this=node.this)
    node.replace(other)
    return f"{told} became {_told(other)}"


def other_column(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """Another column of the same table, in a condition or in what is shown; not in a join."""
    if schema is None:
        return None
    found = []
    for node in tree.find_all(exp.Column):
        if node.find_ancestor(exp.Join):
            continue
        table = _table_of(node, schema)
        others = [c.name for c in table.columns if c.name.lower() != node.name.lower()] if table else []
        if others:
            found.append((node, others))
    chosen = _pick(found, rng)
    if chosen is None:
        return None
    node, others = chosen
    told, name = _told(node), rng.choice(others)
    node.set("this", exp.to_identifier(name, quoted=not name.isidentifier()))
    return f"{told} became {_told(node)}"


def _table_of(column: Any, schema: Schema) -> Any:
    """The base table of a column, told from the FROM of its SELECT; None where that does not tell."""
    select = column.find_ancestor(exp.Select)
    source = select.args.get("from_") if select is not None else None
    if source is None:
        return None
    sources = [source.this, *(join.this for join in select.args.get("joins") or ())]
    tables = {one.alias_or_name.lower(): one for one in sources if isinstance(one, exp.Table)}
    if column.table:
        found = tables.get(column.table.lower())
    else:
        found = next(iter(tables.values())) if len(sources) == len(tables) == 1 else None
    return schema.table(found.name) if found is not None else None


def dropped_condition(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """One of several conditions is missing, or the only one."""
    where = _pick(list(tree.find_all(exp.Where)), rng)
    if where is None:
        return None
    both = _pick(list(where.find_all(exp.And)), rng)
    if both is None:
        told = _told(where)
        where.pop()
        return f"without {told}"
    gone, kept = rng.sample([both.this, both.expression], 2)
    told = _told(gone)
    both.replace(kept.copy())
    return f"without {told}"


def other_direction(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """The first in place of the last."""
    node = _pick(list(tree.find_all(exp.Ordered)), rng)
    if node is None:
        return None
    falling = not node.args.get("desc")
    node.set("desc", falling)
    node.set("nulls_first", not falling)  # NULL stays the smallest value, or the largest
    return f"sorted the other way: {_told(node)}"


# ------------------------------------------------------------------ superseded versions


def other_number(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """Another threshold."""
    found = [n for n in tree.find_all(exp.Literal) if not n.is_string and n.find_ancestor(exp.Where)]
    node = _pick(found, rng)
    if node is None or not re.fullmatch(r"\d+(\.\d+)?", node.name):
        return None
    value = float(node.name) * rng.choice((0.5, 0.8, 0.9, 1.1, 1.25, 2))
    other = exp.Literal.number(int(value) if "." not in node.name else round(value, 4))
    if other.name == node.name:
        return None
    told = node.name
    node.replace(other)
    return f"{told} was {other.name}"


# ------------------------------------------------------------------ failed attempts


def wrong_column(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """A column that there is not: misspelled."""
    node = _pick(list(tree.find_all(exp.Column)), rng)
    if node is None or isinstance(node.this, exp.Star):
        return None
    told, name = _told(node), _misspelled(node.name, rng)
    if schema is not None and any(table.column(name) for table in schema.tables):
        return None
    node.set("this", exp.to_identifier(name, quoted=not name.isidentifier()))
    return f"{told} became {_told(node)}"


def wrong_table(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """A table that there is not."""
    node = _pick(list(tree.find_all(exp.Table)), rng)
    if node is None:
        return None
    told, name = node.name, _misspelled(node.name, rng)
    if schema is not None and schema.table(name) is not None:
        return None
    node.set("this", exp.to_identifier(name, quoted=not name.isidentifier()))
    return f"{told} became {name}"


def missing_join(tree: Any, schema: Schema | None, rng: random.Random) -> str | None:
    """A table whose columns are used is not joined."""
    node = _pick(list(tree.find_all(exp.Join)), rng)
    if node is None:
        return None
    alias = node.this.alias_or_name.lower()
    select = node.parent
    used = any(
        c.table.lower() == alias and c.find_ancestor(exp.Join) is not node
        for c in select.find_all(exp.Column)
    )
    if not used:
        return None
    told = _told(node)
    node.pop()
    return f"without {told}"


def _misspelled(name: str, rng: random.Random) -> str:
    """A letter too few, too many, or in the wrong place; a plural for a singular."""
    place = rng.randrange(1, max(2, len(name) - 1))
    ways = [f"{name}s", name[:place] + name[place + 1 :], name[:place] + name[place - 1] + name[place:]]
    return rng.choice([way for way in ways if way and way != name])


# ------------------------------------------------------------------ text that cannot be read


def _without_bracket(text: str, rng: random.Random) -> str:
    place = text.rfind(")")
    return text[:place] + text[place + 1 :] if place >= 0 else ""


def _cut_off(text: str, rng: random.Random) -> str:
    words = text.split()
    return " ".join([*words[: rng.randrange(2, max(3, len(words) - 1))], "WHERE", "AND"])


def _misspelled_word(text: str, rng: random.Random) -> str:
    return re.sub(r"\bSELECT\b", "SELCT", text, count=1, flags=re.IGNORECASE)


def _two_commas(text: str, rng: random.Random) -> str:
    return re.sub(r"\bFROM\b", ", , FROM", text, count=1, flags=re.IGNORECASE)


#: What makes a query that runs and gives something else.
NEARLY: Final[Mapping[str, Change]] = {
    "operator": other_operator,
    "aggregate": other_aggregate,
    "column": other_column,
    "condition": dropped_condition,
    "direction": other_direction,
}
#: What makes the version that stood before: what was counted was another thing, or cut off elsewhere.
OLDER: Final[Mapping[str, Change]] = {
    "number": other_number,
    "condition": dropped_condition,
    "column": other_column,
}
#: What makes a query that does not run.
FAILING: Final[Mapping[str, Change]] = {
    "column": wrong_column,
    "table": wrong_table,
    "join": missing_join,
}
#: What makes a text that cannot be read.
BROKEN_TEXT: Final[Mapping[str, Callable[[str, random.Random], str]]] = {
    "bracket": _without_bracket,
    "cut": _cut_off,
    "word": _misspelled_word,
    "commas": _two_commas,
}
