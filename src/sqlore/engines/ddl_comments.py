"""Comments that people leave inside CREATE TABLE: SQLite keeps the text but has no COMMENT ON."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["DdlComments", "ddl_comments"]

_TOKEN = re.compile(
    r"""(?P<line>--[^\n]*)
      | (?P<block>/\*.*?(?:\*/|\Z))
      | (?P<name>"(?:[^"]|"")*" | `(?:[^`]|``)*` | \[[^\]]*\] | '(?:[^']|'')*')
      | (?P<newline>\n)
      | (?P<blank>[^\S\n]+)
      | (?P<punct>[(),;])
      | (?P<word>[^\s(),;"'`\[/-]+ | .)
    """,
    re.VERBOSE | re.DOTALL,
)
_CONSTRAINTS = frozenset({"constraint", "primary", "unique", "check", "foreign"})


@dataclass(slots=True)
class DdlComments:
    """The comment of the table and those of its columns, keyed by lower-case name."""

    table: str | None = None
    columns: dict[str, str] = field(default_factory=dict)


def ddl_comments(sql: str) -> DdlComments:
    """The comments of one CREATE TABLE statement, each given to what it stands beside.

    A comment on the line of a column belongs to it, also after the comma; one on a line of its own
    belongs to the column below. What comes before the first column is the table's.

    >>> found = ddl_comments("CREATE TABLE t ( -- the cases\\n  a INT, -- 1 = open\\n  -- who\\n  b INT)")
    >>> found.table, found.columns
    ('the cases', {'a': '1 = open', 'b': 'who'})
    """
    reader = _Reader()
    for token in _TOKEN.finditer(sql):
        reader.take(token.lastgroup or "", token.group())
    return reader.finish()


class _Reader:
    """Walks the tokens; `owner` is the column of the line, `waiting` the comments for the next one."""

    def __init__(self) -> None:
        self.table: list[str] = []
        self.columns: dict[str, list[str]] = {}
        self.depth = 0
        self.expects_name = False
        self.owner: str | None = None
        self.own_line = True
        self.waiting: list[str] = []

    def take(self, kind: str, text: str) -> None:
        if kind in ("line", "block"):
            self._comment(_plain(text))
        elif kind == "newline":
            self.own_line = True
        elif kind == "punct":
            self.own_line = False
            self._punctuation(text)
        elif kind in ("name", "word"):
            self._word(text)
            self.own_line = False

    def _punctuation(self, text: str) -> None:
        if text == "(":
            self.depth += 1
            self.expects_name = self.expects_name or self.depth == 1
        elif text == ")":
            self.depth -= 1
            self.owner = self.owner if self.depth else None
        elif text == "," and self.depth == 1:
            self.expects_name = True

    def _word(self, text: str) -> None:
        if not (self.expects_name and self.depth == 1):
            return
        self.expects_name = False
        if text.lower() in _CONSTRAINTS:
            self.owner = None
            self.waiting.clear()
            return
        self.owner = _unquote(text).lower()
        self.columns[self.owner] = self.waiting
        self.waiting = []

    def _comment(self, text: str) -> None:
        if not text:
            return
        if self.depth == 0 and not self.columns:
            self.table.append(text)
        elif not self.own_line and self.owner is not None:
            self.columns[self.owner].append(text)
        elif not self.own_line and not self.columns:
            self.table.append(text)
        elif self.depth >= 1:
            self.waiting.append(text)

    def finish(self) -> DdlComments:
        columns = {name: " ".join(parts) for name, parts in self.columns.items() if parts}
        return DdlComments(" ".join(self.table) or None, columns)


def _plain(text: str) -> str:
    """The words of a comment, without its markers and decoration."""
    if text.startswith("--"):
        return text.strip("- \t\r")
    lines = text.removeprefix("/*").removesuffix("*/").split("\n")
    return " ".join(part for part in (line.strip(" \t\r*") for line in lines) if part)


def _unquote(text: str) -> str:
    if text[0] == "[":
        return text[1:-1]
    if text[0] in "\"'`":
        return text[1:-1].replace(text[0] * 2, text[0])
    return text
