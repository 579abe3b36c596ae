"""What in a text tells the dialect that it was written in, whatever the database here speaks."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["dialects_marked"]

_HIDDEN: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.S)
_T_SQL: Final = re.compile(
    r"""\bselect\s+(?:distinct\s+|all\s+)?top\s*(?:\d+|\(\s*[\d@]\w*\s*\))\s*(?:percent\b|with\s+ties\b|[\w\[*(])
    | (?:[\s(,.=]|\A)\[[a-z_#][\w $#-]*\]   # a name in brackets; a list would follow an operator or a name
    | \bwith\s*\(\s*nolock\s*\) | \b(?:cross|outer)\s+apply\b | \bfor\s+xml\s+path\b
    | \b(?:try_)?convert\s*\(\s*(?:n?(?:var)?char|date|datetime|int|decimal|float|money)\b
    | \b(?:getdate|sysdatetime|getutcdate)\s*\(\s*\) | (?:\A|\n)[ \t]*go[ \t\r]*(?:\n|\Z)""",
    re.I | re.X,
)
_BACKTICKS: Final = re.compile(r"`[^`\n]+`")


def dialects_marked(text: str) -> tuple[str, ...]:
    """The dialects that a text bears sure marks of, the likeliest first; quotes and comments do not count.

    >>> dialects_marked("SELECT TOP 10 a FROM [t]"), dialects_marked("SELECT `a` FROM t")
    (('tsql',), ('mysql', 'bigquery'))
    >>> dialects_marked("SELECT 'TOP 5' AS top FROM t -- [old]")
    ()
    """
    shown = _HIDDEN.sub(" '' ", text)
    found = ("tsql",) if _T_SQL.search(shown) else ()
    return (*found, "mysql", "bigquery") if _BACKTICKS.search(shown) else found
