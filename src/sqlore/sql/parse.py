"""From text to one parsed query: which statement it is, whether it is one, and where it fails."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import TokenType, exp
from sqlglot.errors import ParseError as GlotParseError
from sqlglot.errors import SqlglotError

from sqlore.errors import NotAQuery, ParseError, SqlError
from sqlore.sql.failures import plain
from sqlore.sql.marks import dialects_marked
from sqlore.sql.names import word_set
from sqlore.sql.statements import statements
from sqlore.sql.tokens import Tokens, TooLarge, tokenize, tools

_STATEMENTS: Final = word_set(
    """abort alter analyze attach backup begin call checkpoint close cluster comment commit copy create
    deallocate declare delete deny desc describe detach discard do drop exec execute exit explain export
    fetch flush get go grant if import insert install kill list listen load lock ls merge notify open
    optimize pragma prepare print put raise raiserror reconfigure refresh reindex release remove rename
    replace reset restore return revoke rm rollback savepoint security set show start summarize truncate
    undrop unload unlock update upsert use vacuum waitfor while cache uncache msck else end repair throw
    goto"""
)
_QUERY_WORDS: Final = frozenset({"select", "with", "values", "from", "table"})
_FALLBACKS: Final[dict[str, tuple[str, ...]]] = {"": ("tsql", "mysql", "bigquery", "snowflake")}
_HINTED: Final = ("tsql", "mysql", "postgres", "sqlite", "duckdb", "snowflake", "bigquery")
_HINTED_UP_TO: Final = 20_000
"""Characters of a text up to which it is tried in every dialect to say which of them can read it."""
_WRITES: Final = (exp.Insert, exp.Update, exp.Delete, exp.Merge)
_WORD: Final = re.compile(r"(?:\s|--[^\n]*\n|/\*.*?\*/|\(|;)*([A-Za-z_]+)", re.S)


@dataclass(slots=True)
class Parsed:
    """One query: its tree, the tokens of the whole text, and which of them are the query's."""

    tree: Any
    tokens: Tokens
    first: int
    stop: int


def parse_query(text: str, dialect: str) -> Parsed:
    """The one query of a text.

    Raises `NotAQuery` where it holds none, `ParseError` where it cannot be read or holds several; the
    position is that of the failure under the given dialect, whatever was tried after it.
    """
    return _read(text, dialect, several=False)[0]


def parse_queries(text: str, dialect: str) -> list[Parsed]:
    """The queries of a text in their order, at least one; what stands between them is passed over.

    A text that bears the marks of another dialect is read in that one where the given one fails. Raises what
    `parse_query` raises: all queries are read, or none.
    """
    return _read(text, dialect, several=True)


def readable_in(text: str, dialect: str) -> str | None:
    """Another dialect that can read a text which this one cannot, to be offered and not to be relied on.

    >>> readable_in("SELECT a FROM t FOR XML PATH", "sqlite"), readable_in("SELEKT a", "sqlite")
    ('tsql', None)
    """
    if len(text) > _HINTED_UP_TO:
        return None
    for other in (dialect, *_HINTED):
        try:
            _parse(text, other, several=True)
        except SqlError:
            continue
        return other if other != dialect else None  # where it can read it, the fault is another one
    return None


def _read(text: str, dialect: str, *, several: bool) -> list[Parsed]:
    try:
        return _parse(text, dialect, several)
    except TooLarge:
        raise
    except ParseError as error:
        failure = error
    # What is learned was written for some database once; what is to run was written for this one.
    marked = dialects_marked(text) if several else ()
    for other in (*_FALLBACKS.get(dialect, ("",)), *marked):
        try:
            return _parse(text, other, several)
        except SqlError:
            continue
    raise failure


def _parse(text: str, dialect: str, several: bool) -> list[Parsed]:
    if not text.strip(" \t\r\n;\ufeff\x00"):
        raise NotAQuery("the script is empty", position=0)
    try:
        tokens = tokenize(text, dialect)
    except ParseError:
        _refuse_statement(text)
        raise
    found = statements(tokens, dialect)
    if not found:
        raise NotAQuery("the script holds only comments", position=0)
    queries = [(first, stop) for first, stop, word in found if word in _QUERY_WORDS]
    if len(queries) > 1 and not several:
        raise _error(
            tokens, queries[1][0], f"the script holds {len(queries)} queries", "give one query at a time"
        )
    if not queries:
        _not_a_query(tokens, found)
    parsed = []
    for first, stop in queries:
        _check_tokens(tokens, first, stop)
        parsed.append(Parsed(_tree(tokens, first, stop), tokens, first, stop))
    return parsed


def _refuse_statement(text: str) -> None:
    word = _WORD.match(text)
    if word and word.group(1).lower() in _STATEMENTS:
        raise NotAQuery(f"it is not a query: {word.group(1).upper()}", position=word.start(1))


def _not_a_query(tokens: Tokens, found: list[tuple[int, int, str]]) -> None:
    kinds = [word for _, _, word in found]
    for first, _, word in found:
        if word not in _STATEMENTS:
            raise _error(tokens, first, f"no statement begins with {tokens.tokens[first].text!r}")
    names = ", ".join(dict.fromkeys(kind.upper() for kind in kinds))
    line, column, position = place(tokens.text, tokens.tokens[found[0][0]].start)
    raise NotAQuery(f"it is not a query: {names}", position=position, line=line, column=column)


def place(text: str, position: int) -> tuple[int, int, int]:
    """Line and column (from 1) of a character offset, and the offset itself."""
    line = text.count("\n", 0, position) + 1
    return line, position - (text.rfind("\n", 0, position) + 1) + 1, position


def _error(tokens: Tokens, index: int, message: str, hint: str | None = None) -> ParseError:
    position = tokens.tokens[index].start if index < len(tokens.tokens) else len(tokens.text)
    line, column, position = place(tokens.text, position)
    return ParseError(message, position=position, line=line, column=column, hint=hint)


# ------------------------------------------------------------------ the tree

_BEFORE_NOTHING: Final = frozenset(
    {
        TokenType.WHERE,
        TokenType.HAVING,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.ON,
        TokenType.AND,
        TokenType.OR,
        TokenType.FROM,
        TokenType.JOIN,
        TokenType.LIMIT,
        TokenType.UNION,
        TokenType.WITH,
        TokenType.QUALIFY,
        TokenType.BETWEEN,
        TokenType.IN,
        TokenType.NOT,
        TokenType.SELECT,
        TokenType.COMMA,
    }
)
_NOTHING: Final = frozenset(
    {
        TokenType.WHERE,
        TokenType.HAVING,
        TokenType.GROUP_BY,
        TokenType.ORDER_BY,
        TokenType.R_PAREN,
        TokenType.COMMA,
        TokenType.LIMIT,
        TokenType.UNION,
        TokenType.SEMICOLON,
        TokenType.THEN,
        TokenType.ON,
    }
)
# Halves of a keyword that the parser would take for an alias at the end of a text that was cut off.
_HALVES: Final = frozenset(
    {"GROUP", "ORDER", "PARTITION", "LEFT", "RIGHT", "INNER", "OUTER", "CROSS", "FULL"}
)
_TRAILING_COMMA: Final = ("duckdb", "bigquery", "snowflake", "databricks")


def _check_tokens(tokens: Tokens, first: int, stop: int) -> None:
    """Refuse what sqlglot lets pass: empty lists and clauses."""
    words = tokens.tokens
    name = tokens.name
    kinds = tokens.kinds
    for index in range(first, stop):
        kind = kinds[index]
        if kind not in _BEFORE_NOTHING:
            continue
        following = kinds[index + 1] if index + 1 < stop else TokenType.SEMICOLON
        bad = following in _NOTHING
        if kind is TokenType.SELECT:
            bad = bad or following is TokenType.FROM
        elif (kind is TokenType.COMMA and following is TokenType.FROM) or (
            kind is TokenType.COMMA and following is TokenType.R_PAREN
        ):
            bad = name not in _TRAILING_COMMA
        if bad:
            what = words[index + 1].text if index + 1 < stop else "the end"
            raise _error(tokens, min(index + 1, stop), f"nothing between {words[index].text!r} and {what!r}")
    last = words[stop - 1]
    if stop - first > 1 and tokens.text[last.start : last.end + 1].upper() in _HALVES:
        raise _error(tokens, stop - 1, f"it is cut off after {last.text!r}")


def _tree(tokens: Tokens, first: int, stop: int) -> Any:
    words = tokens.tokens[first:stop]
    try:
        trees = tools(tokens.name)[1].parse(words, tokens.text)
    except GlotParseError as error:
        raise _from_glot(tokens, error) from error
    except (
        SqlglotError,
        RecursionError,
        ValueError,
        AttributeError,
        TypeError,
        IndexError,
        KeyError,
    ) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else plain(str(error))[:200]
        raise _error(tokens, first, f"cannot be read: {what}") from error
    tree = trees[0] if trees else None
    if tree is None or isinstance(tree, exp.Command):
        raise _error(tokens, first, "cannot be read as a query")
    if isinstance(tree, _WRITES):
        raise NotAQuery(f"it is not a query: {type(tree).__name__.upper()}")
    if not isinstance(tree, exp.Query | exp.Values):
        raise _error(tokens, first, "cannot be read as a query")
    return tree


def _from_glot(tokens: Tokens, error: GlotParseError) -> ParseError:
    details = error.errors[0] if error.errors else {}
    line, column = details.get("line"), details.get("col")
    message = plain(str(details.get("description") or error))
    mark = str(details.get("highlight") or "")
    if line is None or column is None:
        return _error(tokens, 0, message)
    column = max(1, column - max(len(mark), 1) + 1)
    lines = tokens.text.split("\n")
    position = min(sum(len(text) + 1 for text in lines[: line - 1]) + column - 1, len(tokens.text))
    return ParseError(message, position=position, line=line, column=column)
