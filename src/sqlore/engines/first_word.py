"""The first word of a statement: what is plainly no query is refused with a clear message."""

from __future__ import annotations

import re
from typing import Final

from sqlore.engines.base import line_and_column
from sqlore.errors import QueryError, UnsafeSql

__all__ = ["first_word"]

#: What a query begins with, behind any opening brackets.
QUERIES: Final = frozenset({"select", "with", "values", "table"})
_COMMANDS: Final = frozenset(
    (
        *("abort", "alter", "analyze", "attach", "begin", "call", "change", "checkpoint", "close", "cluster"),
        *("comment", "commit", "copy", "create", "deallocate", "declare", "delete", "desc", "describe"),
        *(
            "detach",
            "discard",
            "do",
            "drop",
            "end",
            "execute",
            "explain",
            "export",
            "fetch",
            "flush",
            "grant",
        ),
        *("handler", "import", "insert", "install", "kill", "listen", "load", "lock", "merge", "move"),
        *("notify", "optimize", "pragma", "prepare", "purge", "reassign", "refresh", "reindex", "release"),
        *("rename", "repair", "replace", "reset", "revoke", "rollback", "savepoint", "security", "set"),
        *("show", "shutdown", "start", "stop", "truncate", "unlisten", "unlock", "update", "use", "vacuum"),
    )
)
_WORD: Final = re.compile(r"[^\W\d]\w*")
_BLOCK: Final = re.compile(r"/\*|\*/")


def first_word(sql: str, *, nested_comments: bool = False) -> str:
    """The first word of a query, in small letters.

    Raises `UnsafeSql` where it is that of another statement, `QueryError` where it is none of SQL's.

    >>> first_word("-- all\\n(/* now */ SELECT 1)")
    'select'
    >>> first_word("DELETE FROM t")
    Traceback (most recent call last):
    sqlore.errors.UnsafeSql: the database is open for reading only: DELETE is not allowed
    """
    at = 0
    while at < len(sql):
        if sql.startswith("--", at):
            end = sql.find("\n", at)
            at = len(sql) if end < 0 else end + 1
        elif sql.startswith("/*", at):
            at = _behind_block(sql, at, nested_comments)
        elif sql[at].isspace() or sql[at] in "(;":
            at += 1
        else:
            break
    found = _WORD.match(sql, at)
    if found is None:
        raise QueryError("there is no query to run")
    word = found.group().lower()
    if word in _COMMANDS:
        raise UnsafeSql(f"the database is open for reading only: {word.upper()} is not allowed")
    if word not in QUERIES:
        line, column = line_and_column(sql, at)
        raise QueryError(
            f"it does not begin like a query: {found.group()}",
            position=at,
            line=line,
            column=column,
        )
    return word


def _behind_block(sql: str, start: int, nested: bool) -> int:
    depth = 0
    for mark in _BLOCK.finditer(sql, start):
        depth += 1 if mark.group() == "/*" and (nested or not depth) else -1 if mark.group() == "*/" else 0
        if depth == 0:
            return mark.end()
    return len(sql)
