"""May this text run: one statement, a query, nothing in it but reading, every name known.

This is the second line. The first is the engine itself, which is read-only whatever the text says. Here
the syntax tree decides: what each node of it may be is in `harmless`.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError as SqlglotParseError
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from sqlore.engines.cuts import misread
from sqlore.errors import NotAQuery, ParseError, SqlError, UnknownName, UnsafeSql
from sqlore.model import Schema
from sqlore.sql.check.harmless import STATEMENTS, node_name, require_harmless
from sqlore.sql.check.names import check_names
from sqlore.sql.failures import plain
from sqlore.sql.tree import quickly_joined

__all__ = ["check_query", "unknown_name"]


#: Deeper brackets make the parser's own recursion overflow the stack of the process.
MAX_DEPTH: Final = 300


def check_query(sql: str, dialect: str, schema: Schema | None) -> str:
    """The one statement in `sql`, without comments around it and without a trailing semicolon.

    Raises `ParseError` (it is not SQL), `NotAQuery` (it is, but does not read rows), `UnsafeSql` (several
    statements, or something in it writes, locks, or reaches outside the database), `UnknownName` (a table
    or column that `schema` does not have, with the nearest names; not checked where `schema` is None).

    >>> check_query("-- all of them\\nSELECT 1; -- done", "sqlite", None)
    'SELECT 1'
    >>> check_query("SELECT 1; DROP TABLE t", "sqlite", None)
    Traceback (most recent call last):
    sqlore.errors.UnsafeSql: only one statement is allowed, a second begins with DROP
    """
    language = _dialect(dialect)
    if sql.startswith("\ufeff"):
        sql = f" {sql[1:]}"  # places stay what they are
    if "\0" in sql:
        raise _nul(sql)
    cut = _tokens(sql, language)
    tokens = _one_statement(cut, sql)
    tree = _parse(tokens, sql, language)
    _require_query(tree, tokens)
    _require_same_cuts(sql, cut, dialect)
    for node in tree.walk():
        require_harmless(node, schema)
    if schema is not None:
        check_names(tree, dialect, schema, sql)
    return sql[tokens[0].start : tokens[-1].end + 1]


def unknown_name(sql: str, dialect: str, schema: Schema) -> UnknownName | None:
    """What `check_query` says of the first table or column that a schema lacks; None where it has them all,
    or where the text may not run for another reason.

    >>> str(unknown_name("SELECT a FROM t", "sqlite", Schema(())))
    'there is no table t'
    """
    try:
        check_query(sql, dialect, schema)
    except UnknownName as unknown:
        return unknown
    except SqlError:
        pass
    return None


def _nul(sql: str) -> ParseError:
    """The error for a character that no database takes, and that SQLite takes for the end."""
    at = sql.index("\0")
    line, column = sql.count("\n", 0, at) + 1, at - sql.rfind("\n", 0, at)
    return ParseError(
        "there is a NUL character in it", position=at, line=line, column=column, hint="take it out"
    )


def _dialect(name: str) -> Dialect:
    try:
        return Dialect.get_or_raise(name or None)
    except ValueError as error:
        raise ParseError(f"the dialect {name} is not known") from error


def _tokens(sql: str, language: Dialect) -> list[Token]:
    try:
        tokens = language.tokenize(sql)
    except SqlglotError as error:
        raise ParseError(
            "a quote or a comment is opened and never closed",
            hint="check the quotes; double one inside a text",
        ) from error
    if not tokens:
        raise ParseError("there is no SQL in it")
    return tokens


def _require_same_cuts(sql: str, tokens: list[Token], dialect: str) -> None:
    """What is judged must be what would run."""
    at = misread(sql, tokens, dialect)
    if at is not None:
        line, column = sql.count("\n", 0, at) + 1, at - sql.rfind("\n", 0, at)
        raise UnsafeSql(
            "a comment or quote that the database may read otherwise is not allowed",
            position=at,
            line=line,
            column=column,
        )


def _one_statement(tokens: list[Token], sql: str) -> list[Token]:
    """The tokens of the only statement; what a comment hides counts only where it could be run."""
    depth = 0
    for token in tokens:
        if any(comment.startswith(("!", "M!")) for comment in token.comments):
            raise _error(UnsafeSql, "a comment that MySQL would run as SQL is not allowed", token)
        if _ESCAPED_NAME.match(sql, token.start):
            raise _error(UnsafeSql, "a name with escapes (U&) is not allowed", token)
        if token.token_type in _OPEN:
            depth += 1
            if depth > MAX_DEPTH:
                raise _error(ParseError, f"brackets are nested more than {MAX_DEPTH} deep", token)
        elif token.token_type in _CLOSE:
            depth -= 1
    ends = [n for n, token in enumerate(tokens) if token.token_type == TokenType.SEMICOLON]
    if not ends:
        return tokens
    first, rest = tokens[: ends[0]], tokens[ends[0] :]
    extra = next((token for token in rest if token.token_type != TokenType.SEMICOLON), None)
    if not first:
        raise _error(ParseError, "there is nothing before the first semicolon", tokens[0])
    if extra is not None:
        word = sql[extra.start : extra.end + 1]
        raise _error(UnsafeSql, f"only one statement is allowed, a second begins with {word}", extra)
    return first


# What PostgreSQL reads as one name is three tokens here, so that nobody would see which name it is.
_ESCAPED_NAME: Final = re.compile(r"[uU]&[\"']")
_OPEN: Final = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE)
_CLOSE: Final = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END)


def _error(kind: type[SqlError], message: str, token: Token, hint: str | None = None) -> SqlError:
    """An error at the start of a token (the tokenizer counts the column at its end)."""
    column = token.col - (token.end - token.start)
    return kind(message, position=token.start, line=token.line, column=column, hint=hint)


def _parse(tokens: list[Token], sql: str, language: Dialect) -> exp.Expr:
    first = tokens[0]
    word = sql[first.start : first.end + 1].lower()
    if word in STATEMENTS:
        raise _error(NotAQuery, f"{word.upper()} is not a query", first, "only a SELECT may run")
    try:
        trees = language.parser().parse(quickly_joined(tokens), sql)
    except SqlglotParseError as error:
        for token, following in pairwise(tokens):
            if token.token_type == TokenType.INTO and following.text.upper() in _INTO_FILES:
                raise _error(UnsafeSql, f"INTO {following.text.upper()} writes a file", token) from error
        raise _parse_error(error) from error
    except SqlglotError as error:
        raise ParseError(plain(str(error))) from error
    except RecursionError as error:
        raise ParseError("it is nested too deeply to be read") from error
    tree = trees[0] if trees else None
    if tree is None:
        raise ParseError("there is no SQL in it")
    return tree


_INTO_FILES: Final = frozenset({"OUTFILE", "DUMPFILE"})


def _parse_error(error: SqlglotParseError) -> ParseError:
    found = error.errors[0] if error.errors else {}
    near = str(found.get("highlight") or "").strip()
    message = plain(str(found.get("description") or error))
    return ParseError(
        f"{message} near {near!r}" if near else message,
        line=found.get("line"),
        column=found.get("col") and max(1, found["col"] - len(near) + 1),
    )


def _require_query(tree: exp.Expr, tokens: list[Token]) -> None:
    """The root is a query; an empty list of columns, which the parser lets pass, is an error."""
    root = tree
    while isinstance(root, (exp.Subquery, exp.Paren)):
        root = root.this
    if isinstance(root, (exp.Select, exp.SetOperation, exp.Values, exp.Pivot, exp.Table)):
        for select in tree.find_all(exp.Select):
            if not select.expressions and not select.args.get("kind"):
                raise _error(ParseError, "a SELECT names nothing to select", tokens[0])
        return
    if isinstance(root, exp.Condition):
        raise _error(ParseError, f"it does not begin like a query: {tokens[0].text!r}", tokens[0])
    raise _error(NotAQuery, f"{node_name(root)} is not a query", tokens[0], "only a SELECT may run")
