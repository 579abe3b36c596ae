"""Set operations as NatSQL writes them: the second query's conditions behind those of the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlore.model import Schema
from sqlore.sql.natsql.query import NatSql
from sqlore.sql.natsql.scope import foreign_keys
from sqlore.sql.natsql.where import PLACE, NatCondition

_WORDS = {"union": "or", "intersect": "and", "except": "except_"}


def combine(left: NatSql, right: NatSql, kind: str, schema: Schema | None) -> NatSql:
    """Both queries as one; `kind` is ``union``, ``intersect`` or ``except``."""
    conditions = _except(left, right) if kind == "except" else _both(left, right, kind, schema)
    order, limit = left.order or right.order, left.limit or right.limit
    return replace(left, conditions=conditions, order=order, limit=limit)


def _other(left: NatSql, right: NatSql) -> str:
    """The table that tells the second query from the first: the farthest where no condition names it."""
    other = [table for table in right.tables if table not in left.tables]
    return other[0 if _proper(right) else -1] if other else right.source


def _proper(query: NatSql) -> tuple[NatCondition, ...]:
    """The conditions besides ``@.@ join``."""
    return tuple(condition for condition in query.conditions if condition.sign != "join")


def _behind(conditions: Sequence[NatCondition]) -> tuple[NatCondition, ...]:
    """Conditions that belong to the one before them."""
    return tuple(replace(condition, inner=True) for condition in conditions)


def _both(left: NatSql, right: NatSql, kind: str, schema: Schema | None) -> tuple[NatCondition, ...]:
    word = _WORDS[kind]
    if not left.conditions:
        return (NatCondition(f"{PLACE} is {_other(left, right)}.*", f"{kind}_"), *_behind(_proper(right)))
    added = right.conditions
    plain = not any("(" in condition.text for condition in added)
    if not added or (right.source not in left.tables and len(right.tables) == 1 and plain):
        added = (NatCondition(f"{PLACE} in {_key(left, right, schema)}"), *added)
    return (*left.conditions, replace(added[0], word=word), *_behind(added[1:]))


def _key(left: NatSql, right: NatSql, schema: Schema | None) -> str:
    """What the second query selects, ``t.*`` where the foreign key tells it."""
    if left.first is None or right.first is None or right.first.table == left.first.table:
        return f"{right.source}.*"
    keys = foreign_keys(schema, left.first.table, right.first.table)
    return f"{right.source}.*" if (left.first.folded, right.first.folded) in keys else right.first.text


def _except(left: NatSql, right: NatSql) -> tuple[NatCondition, ...]:
    proper = _proper(right)
    if not left.conditions and not (len(left.tables) > 1 and proper):
        return (NatCondition(f"{PLACE} is {_other(left, right)}.*", "except_"), *_behind(proper))
    if not right.conditions:
        return (*left.conditions, NatCondition(f"{PLACE} not in {right.source}.*"))
    first = right.conditions[0]
    same = right.first is not None and left.first is not None and right.first.table == left.first.table
    if first.sign == "=" and not first.nested and same:
        negated = replace(first, text=first.text.replace(" = ", " != ", 1))
        kept = [
            condition
            for condition in left.conditions
            if condition.table != first.table or condition.sign != "join"
        ]
        return (*kept, negated, *_behind(right.conditions[1:]))
    return (*left.conditions, replace(first, word="except_"), *_behind(right.conditions[1:]))
