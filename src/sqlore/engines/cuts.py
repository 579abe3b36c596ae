"""Where the database cuts a text otherwise than the parser: in comments and quotes.

What the parser skips as a comment nobody judges, so the database must skip it as well. Each has its own
rules: the parser takes the `{# #}` of templates for a comment everywhere, where MySQL reads on below the `#`;
PostgreSQL and DuckDB nest `/* */`; SQLite and MySQL end `--` at a line feed only, and MySQL begins it only
before a blank. So the text is read a second time for these alone, as the database reads it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot.tokenizer_core import Token

__all__ = ["misread"]

_STRING: Final = r"'(?:[^']|'')*(?:'|\Z)"
_NAME: Final = r'"(?:[^"]|"")*(?:"|\Z)'
_TICKED: Final = r"`(?:[^`]|``)*(?:`|\Z)"
_BLOCK: Final = r"/\*.*?(?:\*/|\Z)"
# A text with escapes goes on in another pair of quotes below it, still with escapes.
_ESCAPED: Final = (
    r"[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)(?:(?:\s|--[^\r\n]*)*+'(?:[^'\\]|\\.|'')*(?:'|\Z))*"
    r"|(?P<dollar>\$(?:[^\W\d]\w*)?\$).*?(?:(?P=dollar)|\Z)"
)
_WORD: Final = r"(?P<word>[^\W\d][\w$]*)"
_POSTGRES: Final = rf"(?P<comment>--[^\r\n]*|(?P<nested>/\*))|{_ESCAPED}|{_STRING}|{_NAME}"
_LEXERS: Final = {
    name: re.compile(f"{pattern}|{_WORD}", re.DOTALL)
    for name, pattern in {
        # the name of a variable goes on in brackets: $a(/*)
        "sqlite": rf"(?P<comment>--[^\n]*|{_BLOCK})|{_STRING}|{_NAME}|{_TICKED}|\[[^\]]*(?:\]|\Z)"
        r"|[$@:\#][\w$:]+\([^\s)]*\)",
        "duckdb": f"{_POSTGRES}|{_TICKED}",
        "postgres": _POSTGRES,
        "mysql": rf"(?P<comment>\#[^\n]*|--(?=[\x00-\x20\x7f]|\Z)[^\n]*|{_BLOCK})"
        rf"|'(?:[^'\\]|\\.|'')*(?:'|\Z)|\"(?:[^\"\\]|\\.|\"\")*(?:\"|\Z)|{_TICKED}",
    }.items()
}
_MARK: Final = re.compile(r"/\*|\*/")


def misread(sql: str, tokens: Sequence[Token], dialect: str) -> int | None:
    """Where the first comment or quote stands that the database begins or ends elsewhere than the parser.

    None where there is none, and for a dialect that sqlore runs nothing in.

    >>> from sqlglot.dialects.mysql import MySQL
    >>> sql = "SELECT {# x 1},\\nload_file('/etc/passwd') #} y FROM t"
    >>> misread(sql, MySQL().tokenize(sql), "mysql")
    7
    """
    lexer = _LEXERS.get(dialect)
    if lexer is None:
        return None
    starts = [token.start for token in tokens]
    skipped: list[tuple[int, int]] = []
    wrong = len(sql)
    for start, end, comment in _pieces(sql, lexer):
        index = bisect_right(starts, start) - 1
        inside = index >= 0 and start <= tokens[index].end
        if comment and not inside and end <= (starts[index + 1] if index + 1 < len(starts) else len(sql)):
            skipped.append((start, end))
        elif not inside or end != tokens[index].end + 1 or (comment and start != starts[index]):
            wrong = start  # a hint is a comment and a token
            break
    first = min(wrong, _first_left(sql, skipped, tokens))
    return first if first < len(sql) else None


def _pieces(sql: str, lexer: re.Pattern[str]) -> Iterator[tuple[int, int, bool]]:
    """The start and end of each comment and quote, and whether it is a comment."""
    position = 0
    while (found := lexer.search(sql, position)) is not None:
        position = found.end()
        groups = found.groupdict()
        if groups.get("nested"):
            position = _behind_nested(sql, found.start())
        if groups["word"] is None:
            yield found.start(), position, groups["comment"] is not None


def _behind_nested(sql: str, start: int) -> int:
    depth = 0
    for mark in _MARK.finditer(sql, start):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(sql)


def _first_left(sql: str, skipped: list[tuple[int, int]], tokens: Sequence[Token]) -> int:
    """Where something stands that is in no token, no comment and no blank; the end where nothing does."""
    covered = sorted([*skipped, *((token.start, token.end + 1) for token in tokens)])
    at = 0
    for start, end in [*covered, (len(sql), len(sql))]:
        gap = sql[at:start]
        if gap.strip():
            return at + len(gap) - len(gap.lstrip())
        at = max(at, end)
    return len(sql)
