"""sqlglot's trees of statements, where nothing of the text itself is needed: always in a time that can be
waited for."""

from __future__ import annotations

from typing import Final

from sqlglot import Dialect, Token, exp
from sqlglot.errors import ParseError as GlotParseError

from sqlore.sql.adjust import MAX_OPEN_JOINS, cross_joins, open_joins

__all__ = ["parse_all", "parse_expression", "parse_one", "quickly_joined"]

_FEW: Final = 4
"""Joins without a condition that are left as they are: their nestings are soon tried."""


def parse_one(sql: str, dialect: str | None = None) -> exp.Expr:
    """As sqlglot's `parse_one`, which takes twice as long for each further join without a condition.

    Raises sqlglot's `ParseError`.

    >>> parse_one("SELECT 1 FROM a " + "JOIN b " * 40 + "ON a.x = b.x").sql().count("CROSS JOIN b")
    39
    """
    trees = parse_all(sql, dialect)
    if not trees:
        raise GlotParseError(f"there is no expression in {sql!r}")
    return trees[0]


def parse_expression(text: str, dialect: str | None = None) -> exp.Expr:
    """The tree of one formula or condition. Raises sqlglot's `ParseError`.

    A bare text that begins as a statement does would be read as that statement: `copy.flag = ''` as a COPY.

    >>> parse_expression("copy.flag = ''").key, parse_expression("set.n + 1").key
    ('eq', 'add')
    """
    # Not the first of its SELECT: `all(x)` would be SELECT ALL.
    tree = parse_one(f"SELECT 1, {text}", dialect)
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 2:
        raise GlotParseError(f"there is no one expression in {text!r}")
    found: exp.Expr = tree.expressions[1]
    return found.pop()


def parse_all(sql: str, dialect: str | None = None) -> list[exp.Expr]:
    """The trees of all statements, as `parse_one` reads each."""
    language = Dialect.get_or_raise(dialect or None)
    trees = language.parser().parse(quickly_joined(language.tokenize(sql)), sql)
    return [tree for tree in trees if tree is not None]


def quickly_joined(tokens: list[Token]) -> list[Token]:
    """The tokens, where there are many plain joins without a condition, with CROSS JOIN in their place.

    Raises sqlglot's `ParseError` where so many outer joins lack a condition.
    """
    if open_joins([token.token_type for token in tokens]) <= _FEW:
        return tokens
    tokens = cross_joins(tokens)
    if open_joins([token.token_type for token in tokens]) > MAX_OPEN_JOINS:
        raise GlotParseError("outer joins need a condition: ON or USING")
    return tokens
