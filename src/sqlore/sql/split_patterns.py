"""What marks the parts of a file of SQL: quotes, comments, blocks, lines that begin a query."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

__all__ = [
    "AFTER_BLANK",
    "AFTER_STOP",
    "ASSIGNS",
    "BLANK_LINE",
    "BLOCK",
    "BLOCK_WORDS",
    "COPY_DATA",
    "NO_NESTING",
    "VARIABLES",
    "block_comment_end",
    "is_whole_query",
    "pattern_of",
]

# Dialects in which a backslash in a text escapes, and those in which # begins a comment.
_BACKSLASH: Final = frozenset(
    {"mysql", "bigquery", "snowflake", "spark", "databricks", "hive", "clickhouse", "doris"}
)
_HASH: Final = frozenset({"mysql", "bigquery", "doris", "starrocks"})
# Dialects whose own command line takes commands behind a backslash: \timing on, \echo done, SELECT 1 \gx.
_BACKSLASH_COMMANDS: Final = frozenset({"", "postgres", "redshift", "mysql"})
NO_NESTING: Final = frozenset({"mysql", "sqlite", "oracle", "bigquery", "snowflake"})

_QUERY_LINE: Final = (
    r"(?:SELECT\b|WITH\s+(?:RECURSIVE\s+)?[\w\"`\[\]]+\s*(?:\([^()]*\)\s*)?AS\s*(?:\w+\s+)*\()"
)
# Where reading goes on after a quote that is never closed: first the sure places, then the likely ones.
AFTER_BLANK: Final = re.compile(rf"\n[ \t\r]*\n[ \t]*(?={_QUERY_LINE}|--|/\*)", re.IGNORECASE)
AFTER_STOP: Final = re.compile(rf";[ \t\r]*\n[ \t]*(?={_QUERY_LINE}|--|/\*)", re.IGNORECASE)
BLOCK: Final = re.compile(
    r"""(?ix)(?:CREATE\s(?:[^;'"(]*\s)?(?:TRIGGER|PROCEDURE|PROC|FUNCTION|PACKAGE|EVENT)\b
      | DECLARE\s(?!\s*@) | BEGIN(?!\s*(?:;|TRAN|WORK|IMMEDIATE|DEFERRED|EXCLUSIVE|\Z)))"""
)
BLOCK_WORDS: Final = re.compile(
    r"""(?ixs)'(?:[^']|'')*' | "[^"]*" | --[^\n]* | /\*.*?\*/
      | \b(?P<open>BEGIN|CASE)\b | \bEND\b(?:\s+(?P<other>IF|LOOP|WHILE|REPEAT|FOR)\b)?(?:\s+CASE\b)?"""
)
_MASK: Final = re.compile(
    r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|(?P<bracket>[()])|\b(?P<word>SELECT)\b", re.I | re.S
)
_CONTINUES: Final = re.compile(
    r"(?:\b(?:UNION|ALL|DISTINCT|EXCEPT|INTERSECT|MINUS|AS|NAME|INTO|EXPLAIN)|[(,=<>+*/|-])\Z", re.I
)
VARIABLES: Final = re.compile(r"(?:DECLARE|SET)\s+@", re.IGNORECASE)
ASSIGNS: Final = re.compile(r"SELECT\s+@\w+\s*=", re.IGNORECASE)
BLANK_LINE: Final = re.compile(r"\n[ \t\r]*\n|[^\s]")
COPY_DATA: Final = re.compile(r"COPY\s[^;]*\sFROM\s+STDIN\b", re.IGNORECASE)


@lru_cache(maxsize=64)
def pattern_of(dialect: str, delimiter: str) -> re.Pattern[str]:
    """Everything the splitter looks at, in the order in which it is tried."""
    escape = r"\\.|" if dialect in _BACKSLASH else ""
    inner = r"[^'\\]" if escape else r"[^']"
    double = r"[^\"\\]" if escape else r"[^\"]"
    hash_comment = (
        r"\#[^\n]*" if dialect in _HASH else r"(?m:^)[ \t]*\#(?=[ \t])[^\n]*" if not dialect else r"(?!)"
    )
    bracket = r"|\[[^\]\n]*\]" if dialect in ("tsql", "sqlite", "fabric") else ""
    triple = r"'''.*?'''|\"\"\".*?\"\"\"|" if dialect == "bigquery" else ""
    go = (
        ""
        if dialect not in ("", "tsql", "fabric")
        else r"|(?P<go>(?m:^)[ \t]*GO(?:[ \t]+\d+)?[ \t]*;?[ \t\r]*(?m:$))"
    )
    slash = r"|(?P<slash>(?m:^)[ \t]*/[ \t\r]*(?m:$))" if dialect == "oracle" else ""
    psql = (
        r"|(?P<send>\\(?:g(?:x|set|desc|exec)?|watch|crosstabview)\b[^\n]*)"
        r"|(?P<command>(?m:^)[ \t]*\\(?!N\b)[A-Za-z!?][^\n]*)"
        if dialect in _BACKSLASH_COMMANDS
        else ""
    )
    return re.compile(
        rf"""(?P<comment>--[^\n]*|{hash_comment}|\{{\#.*?\#\}})
        |(?P<block>/\*)
        |(?P<quoted>{triple}\b[eE]'(?:[^'\\]|''|\\.)*'|'(?:{inner}|{escape}'')*'|"(?:{double}|{escape}"")*"|`[^`]*`{bracket})
        |(?P<open>['"`])
        |(?P<dollar>\$(?P<tag>[A-Za-z_]\w*|)\$.*?\$(?P=tag)\$)
        |(?P<jinja>\{{\{{.*?\}}\}}|\{{%.*?%\}})
        |(?P<stop>{re.escape(delimiter)})
        |(?P<paren>[()])
        |(?P<delimiter>(?m:^)[ \t]*DELIMITER[ \t]+(?P<new>\S+)[^\n]*)
        |(?P<query>(?m:^)[ \t]*(?={_QUERY_LINE}))
        {go}{slash}{psql}""",
        re.VERBOSE | re.DOTALL | re.IGNORECASE,
    )


def is_whole_query(sql: str) -> bool:
    """Whether a text is a query that may be complete.

    One that ends in a word or sign that wants more is not, nor a WITH whose own SELECT has not come yet.

    >>> [is_whole_query(sql) for sql in ("SELECT 1", "SELECT 1 UNION", "WITH a AS (SELECT 1)")]
    [True, False, False]
    """
    if _CONTINUES.search(sql) or not re.match(r"(?:SELECT|WITH)\b", sql, re.IGNORECASE):
        return False
    if sql[:4].upper() != "WITH":
        return True
    depth = 0
    for match in _MASK.finditer(sql):
        depth += {"(": 1, ")": -1}.get(match["bracket"] or "", 0)
        if match["word"] and depth == 0:
            return True
    return False


def block_comment_end(text: str, start: int, nested: bool) -> int:
    """The end of the comment that opens at `start`; -1 where it is never closed."""
    first = text.find("*/", start + 2)
    if first < 0 or not nested or "/*" not in text[start + 2 : first]:
        return first + 2 if first >= 0 else -1
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, start):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return match.end()
    return first + 2  # not nested after all
