"""A value that one part gives and the next one asks with: its query stands in the place of the value."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlglot import exp

from sqlore.answer.least_to_most.compose import (
    PLAIN,
    CannotCompose,
    columns_named,
    plain_select,
    with_before,
)
from sqlore.prompts.ltmp_history import Step

__all__ = ["looked_up", "said_value"]


def looked_up(step: Step, sql: str, column: int, dialect: str, *, alone: bool = True) -> str:
    """`sql` with the step's result in place of the value that `column` of its first row has.

    `alone`: the step comes before it as a CTE; else the query is one of several after the step, whose columns
    are called as `values` calls them. Raises `CannotCompose` where the query does not ask for the value.
    """
    tree, value = plain_select(sql, dialect), step.rows.rows[0][column]
    name = step.rows.columns[column].lower() if alone else columns_named(step)[column]
    if not PLAIN.fullmatch(name):
        if len(step.rows.columns) > 1:
            raise CannotCompose(f"a column of {step.name} has no name")
        name = "*"
    found = _asked_for(tree, value, step.rows.columns[column])
    if not found:
        raise CannotCompose(f"the value of {step.name} is not asked for")
    for literal in found:
        literal.replace(exp.maybe_parse(f"(SELECT {name} FROM {step.name})", dialect=dialect or None))
    for like in list(tree.find_all(exp.Like)):
        if isinstance(like.expression, exp.Subquery):
            like.replace(exp.EQ(this=like.this, expression=like.expression))
    if not alone:
        return str(tree.sql(dialect=dialect or None, comments=False))
    return with_before(tree, step.name, plain_select(step.sql, dialect), dialect)


def _asked_for(tree: Any, value: Any, name: str) -> list[Any]:
    """The literals that a column is compared with and that are the value: no LIMIT, and no other column's.

    Of several columns the one called `name` is meant. Raises `CannotCompose` where none of them is.
    """
    found: dict[str, list[Any]] = {}
    for literal in tree.find_all(exp.Literal):
        inner = literal
        while isinstance(inner.parent, exp.Paren | exp.Cast | exp.Lower | exp.Upper):
            inner = inner.parent
        compared = inner.parent if isinstance(inner.parent, exp.Predicate) else None
        if compared is None or not _is_said(literal.this, value):
            continue
        others = [one for one in compared.iter_expressions() if one is not inner]
        columns = [one.name.lower() for other in others for one in other.find_all(exp.Column)]
        if columns:
            found.setdefault(columns[0], []).append(literal)
    if len(found) > 1 and name.lower() not in found:
        raise CannotCompose("the value may be that of several columns")
    return found[name.lower()] if len(found) > 1 else next(iter(found.values()), [])


def said_value(value: Any) -> str:
    """A value as a question says it.

    >>> said_value(3.14159265), said_value("Ann"), said_value(12)
    ('3.14', 'Ann', '12')
    """
    return f"{value:.2f}" if isinstance(value, (float, Decimal)) else str(value)


def _is_said(literal: str, value: Any) -> bool:
    """Whether a literal is the value, a number as it may have been rounded."""
    if isinstance(value, (float, Decimal)):
        try:
            return abs(float(literal) - float(value)) <= max(0.006, abs(float(value)) * 1e-4)
        except ValueError:
            return False
    return literal.casefold() == str(value).casefold()
