"""What MySQL's engine does with the text of a query: refuses what does more than read, finds a fault."""

from __future__ import annotations

import re
from typing import Final

from sqlglot.dialects.mysql import MySQL
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from sqlore.engines.base import line_and_column, short
from sqlore.engines.cuts import misread
from sqlore.engines.first_word import first_word
from sqlore.errors import QueryError, UnsafeSql

__all__ = ["query_error", "require_reading"]

_NEAR: Final = re.compile(r"near '(.*)' at line (\d+)", re.S)
# Beyond what a READ ONLY transaction stops: they read files of the server, call programs, or hold others up.
_DENIED: Final = frozenset(
    {
        "load_file",
        "sys_exec",
        "sys_eval",
        "sys_get",
        "sys_set",
        "get_lock",
        "release_all_locks",
        "release_lock",
    }
)


def require_reading(sql: str) -> None:
    """Raises `UnsafeSql` for what is no query, and for what makes one write; by tokens, not by texts in it.

    >>> require_reading("SELECT 'into' FROM t")
    >>> require_reading("SELECT a INTO OUTFILE 'x' FROM t")
    Traceback (most recent call last):
    sqlore.errors.UnsafeSql: a query may only read: INTO is not allowed
    """
    try:
        tokens = MySQL().tokenize(sql)
    except SqlglotError:
        raise QueryError("a quote or a comment is opened and never closed", where=short(sql, 120)) from None
    if any(comment.lstrip().startswith(("!", "M!")) for token in tokens for comment in token.comments):
        raise UnsafeSql("a comment that the server would run as SQL is not allowed")
    if misread(sql, tokens, "mysql") is not None:
        raise UnsafeSql("a comment or quote that the server may read otherwise is not allowed")
    words = [sql[token.start : token.end + 1].lower() for token in tokens]
    while words and words[-1] == ";":
        words.pop()
    first_word(sql)
    if ";" in words:
        raise UnsafeSql("only one statement at a time may run")
    for token, word, following in zip(tokens, words, [*words[1:], ""], strict=False):
        if word == "into" and token.token_type != TokenType.STRING:
            raise UnsafeSql("a query may only read: INTO is not allowed")
        if following == "(" and word.strip("`") in _DENIED:
            raise UnsafeSql(f"the function {word.strip('`')} is not allowed")


def _position(message: str, sql: str) -> int | None:
    """Where the server saw the fault: it tells the line and what stands there, cut at 80 characters."""
    found = _NEAR.search(message)
    if found is None:
        return None
    starts = [0, *(match.end() for match in re.finditer("\n", sql))]
    number = int(found.group(2))
    if number > len(starts):
        return None
    if not found.group(1):
        return len(sql.rstrip())
    # the message was made one line, so its first word is what can be found again
    head = found.group(1).split("\n")[0]
    position = sql.find(head, starts[number - 1])
    if position < 0:
        words = head.split()
        position = sql.find(words[0], starts[number - 1]) if words else -1
    return position if position >= 0 else None


def query_error(code: int, message: str, sql: str) -> QueryError:
    """The error of MySQL with the position that it tells, if any."""
    hint = None
    if code in (1142, 1143):
        hint = "GRANT SELECT on it to the user in the URL"
    elif code in (1205, 3572):
        hint = "somebody holds a lock on it; try again later"
    position = _position(message, sql)
    if position is None:
        return QueryError(message, where=short(sql, 120), hint=hint)
    line, column = line_and_column(sql, position)
    where = f"line {line}, column {column}: {short(sql[position:], 80)}"
    return QueryError(message, position=position, line=line, column=column, where=where, hint=hint)
