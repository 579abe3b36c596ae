"""What a parser says of text that it cannot read, in words for people and models."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["plain"]

_MISSING: Final = re.compile(r"Required keyword: '(\w+)' missing for <class '[\w.]*?(\w+)'>")
_INNER: Final = re.compile(r"<class |object has no attribute|\bsqlglot\b|\bNoneType\b|must be \w+, not ")
_SIGNS: Final = {
    "EQ": "=", "NEQ": "<>", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<=",
    "Add": "+", "Sub": "-", "Mul": "*", "Div": "/",
}  # fmt: skip


def plain(message: str) -> str:
    """A message of the parser without the names of its classes.

    >>> plain("Required keyword: 'expression' missing for <class 'sqlglot.expressions.core.And'>")
    'something is missing after AND'
    >>> plain("Required keyword: 'this' missing for <class 'sqlglot.expressions.GTE'>")
    'something is missing at >='
    >>> plain("'NoneType' object has no attribute 'sql'"), plain("Expecting )")
    ('a part of it cannot be understood', 'Expecting )')
    """
    first = message.split("\n", 1)[0].rstrip(".")
    if missing := _MISSING.match(first):
        what = _SIGNS.get(missing[2]) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", missing[2]).upper()
        return f"something is missing {'after' if missing[1] == 'expression' else 'at'} {what}"
    return "a part of it cannot be understood" if _INNER.search(first) else first
