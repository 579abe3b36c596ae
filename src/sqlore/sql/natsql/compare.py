"""Whether two NatSQL texts say the same: the comparison that agreement with a NatSQL file is measured by."""

from __future__ import annotations

import re
from typing import Final

_TOKENS: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|@\.@|[\w$.*%]+|[<>=!]+|[^\s\w]")


def normalised(text: str) -> str:
    """A NatSQL text without case, spacing and kind of quotes; ANDed conditions in a fixed order.

    Only what cannot change the meaning goes: the case of everything outside of strings, blanks (also
    those just inside of quotes), ``'x'`` against ``"x"``. Conditions are sorted where ``and`` alone ties
    them; as soon as ``or``, ``sub`` or a set word is there, or ``@.@`` (what follows a subquery belongs to
    it), their order counts.

    >>> normalised("SELECT a.B FROM a WHERE a.x = 'Q' and a.c>1") == normalised(
    ...     'select a.b  from a where a.C > 1  and  a.X = "Q"')
    True
    """
    words = [_word(token) for token in _TOKENS.findall(text)]
    if "where" not in words:
        return " ".join(words)
    start = words.index("where") + 1
    stop = next((i for i in range(start, len(words)) if words[i] in ("group", "order", "limit")), len(words))
    return " ".join([*words[:start], *_sorted(words[start:stop]), *words[stop:]])


def _word(token: str) -> str:
    if token[0] in "'\"" and len(token) > 1:
        return '"' + token[1:-1].strip() + '"'
    return "!=" if token == "<>" else token.lower()


def _sorted(words: list[str]) -> list[str]:
    if {"or", "sub", "except_", "union_", "intersect_", "@.@"} & set(words):
        return words
    conditions: list[list[str]] = [[]]
    between = False
    for word in words:
        if word == "and" and not between:
            conditions.append([])
            continue
        between = word == "between" or (between and word != "and")
        conditions[-1].append(word)
    return " and ".join(sorted(" ".join(condition) for condition in conditions)).split(" ")


_CLAUSE: Final = re.compile(r" (?=from |where |group by |order by |limit )")


def differing(one: str, two: str) -> list[str]:
    """The clauses in which two NatSQL texts differ; `join` where only ``@.@ join`` does.

    >>> differing("select a.x from a order by a.x asc", "select a.y from a where @.@ join b.*")
    ['select', 'join', 'order']
    """
    first, second = _clauses(one), _clauses(two)
    names = ("select", "from", "where", "group", "order", "limit")
    out = [name for name in names if first.get(name) != second.get(name)]
    if "where" in out and _unjoined(first.get("where", "")) == _unjoined(second.get("where", "")):
        out[out.index("where")] = "join"
    return out


def _clauses(text: str) -> dict[str, str]:
    return {part.split(" ", 1)[0]: part for part in _CLAUSE.split(normalised(text))}


def _unjoined(where: str) -> str:
    parts = [part for part in where.removeprefix("where ").split(" and ") if "@.@ join " not in part]
    return " and ".join(sorted(parts))
