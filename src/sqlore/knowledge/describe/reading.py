"""Canonical text read again as trees, whichever dialect's operators stand in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError

from sqlore.knowledge.describe.functions import number_of, text_of
from sqlore.knowledge.describe.words import INSTANCE
from sqlore.sql.tree import parse_all, parse_expression

__all__ = ["escaped", "parse", "parse_query", "parse_several", "plain", "readable"]

_PARTS: Final = re.compile(
    r"""(?P<string>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<second>(?<=[\w"])\#(?P<number>\d+))
    |\#\#(?P<hashed>\w+)[^#\n]{0,80}\#\#
    |\{\{\s*(?P<braced>\w+)[^{}\n]{0,80}\}\}
    |\$\{(?P<dollar>\w+)\}
    |%\((?P<percent>\w+)\)s
    |(?P<val><val>|%s)""",
    re.VERBOSE,
)
# Operators of lists and documents that the general dialect lacks or misreads, and who has them.
_FOREIGN: Final = re.compile(r"@>|<@|&&|\?[|&]|\bmember of\b|[\w\])]:[a-z_]|\bseparator ''")
_OWNERS: Final = ("postgres", "snowflake", "mysql")
_ESCAPE: Final = re.compile(r"\bescape\b", re.IGNORECASE)
_SIGNS: Final = {"%": "\ue000", "_": "\ue001"}  # what stands for a sign that a pattern means as itself
_STRING: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")


def parse(text: str) -> exp.Expr:
    """The tree of a readable formula or condition. Raises sqlglot's errors."""
    return _read(text, lambda one, dialect: [parse_expression(one, dialect)])[0]


def parse_query(text: str) -> exp.Expr:
    """The tree of a readable query. Raises sqlglot's errors."""
    return parse_several(text)[0]


def parse_several(text: str) -> list[exp.Expr]:
    """The trees of all queries of a readable text, at least one. Raises sqlglot's errors."""
    return _read(text, parse_all)


def _read(text: str, parser: Callable[[str, str | None], list[exp.Expr]]) -> list[exp.Expr]:
    if _FOREIGN.search(_STRING.sub("''", text)) is not None:
        for dialect in _OWNERS:
            try:
                return [_from_zero(_unescaped(tree, text), dialect) for tree in parser(text, dialect)]
            except SqlglotError:
                continue
    return [_unescaped(tree, text) for tree in parser(text, None)]


def escaped(pattern: str, sign: str) -> str:
    """A pattern in which a `%` or `_` behind the escape sign is one of no special meaning.

    >>> plain(escaped("10!%", "!").strip("%"))
    '10%'
    """
    for special, mark in _SIGNS.items():
        pattern = pattern.replace(sign + special, mark)
    return pattern if sign == "\\" else pattern.replace(sign * 2, sign)


def plain(pattern: str) -> str:
    """A pattern as it is read by people, with its own signs."""
    for special, mark in _SIGNS.items():
        pattern = pattern.replace(mark, special)
    return pattern


def _unescaped(tree: exp.Expr, text: str) -> exp.Expr:
    """The tree with LIKE ... ESCAPE as LIKE of a pattern without escapes."""
    for node in list(tree.find_all(exp.Escape)) if _ESCAPE.search(text) else ():
        like, sign = node.this, text_of(node.expression)
        pattern = text_of(like.expression) if isinstance(like, exp.Binary) else None
        if pattern is not None and sign:
            like.set("expression", exp.Literal.string(escaped(pattern, sign)))
        if node is tree:
            tree = like.pop() if like.parent else like
        else:
            node.replace(like)
    return tree


def _from_zero(tree: exp.Expr, dialect: str) -> exp.Expr:
    """The tree with the numbers in brackets as its text has them: canonical text counts from zero."""
    offset = Dialect.get_or_raise(dialect).INDEX_OFFSET
    for bracket in tree.find_all(exp.Bracket) if offset else ():
        numbers = [(one, number_of(one)) for one in bracket.expressions]
        bracket.set(
            "expressions",
            [one if at is None else exp.Literal.number(int(at) + offset) for one, at in numbers],
        )
    return tree


def readable(canonical: str) -> str:
    """The canonical text with placeholders and instance numbers in a form that every parser takes."""

    def spelled(match: re.Match[str]) -> str:
        if match["string"]:
            return match["string"]
        if match["second"]:
            return f"{INSTANCE}{match['number']}"
        name = match["hashed"] or match["braced"] or match["dollar"] or match["percent"]
        return f":{name}" if name else "?"

    return _PARTS.sub(spelled, canonical) if _PARTS.search(canonical) else canonical
