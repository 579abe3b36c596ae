"""A script as a log of bare SQL would hold it: without a word that somebody wrote about it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from sqlglot.errors import SqlglotError

from sqlore.model import Script
from sqlore.sql.placeholders import swap_placeholders
from sqlore.sql.tokens import tools

__all__ = ["withheld", "without_comments"]

_HOLE: Final = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_TEMPLATE_COMMENT: Final = re.compile(r"\{#.*?#\}", re.DOTALL)


def withheld(script: Script, dialect: str | None = None) -> Script:
    """The script without its question, comment, evidence, the comments within its SQL, and its file's name.

    >>> bare = withheld(Script("SELECT 1 -- how many?", "7", "How many are there?"))
    >>> bare.sql, bare.text
    ('SELECT 1', None)
    """
    sql = without_comments(script.sql, script.dialect or dialect)
    return replace(script, sql=sql, question=None, comment=None, evidence=None, source=None)


def without_comments(sql: str, dialect: str | None = None) -> str:
    """The SQL with white space in place of each comment; what cannot be cut into words stays as it is.

    Such a script cannot be parsed either, so nothing is learned from it.

    >>> without_comments("/* all of them */ SELECT '--' -- one\\nFROM t /* two */ WHERE a = {{ b }}")
    "SELECT '--' \\nFROM t WHERE a = {{ b }}"
    """
    text = _TEMPLATE_COMMENT.sub(" ", sql)
    swapped = swap_placeholders(text)
    try:
        tokens = tools(dialect or "")[0].tokenize(swapped)
    except (SqlglotError, RecursionError, ValueError, OverflowError):
        return text
    parts, last = [], 0
    for token in tokens:
        parts += [
            _gap(text[last : token.start], swapped[last : token.start]),
            text[token.start : token.end + 1],
        ]
        last = token.end + 1
    parts.append(_gap(text[last:], swapped[last:]))
    return "".join(parts).strip()


def _gap(text: str, swapped: str) -> str:
    """What stands between two words, without comments; a template's holes, swapped for blanks, stay."""
    if not swapped.strip():
        return text
    holes = [hole.group() for hole in _HOLE.finditer(text) if not swapped[slice(*hole.span())].strip()]
    return " ".join(["", *holes, "\n" if "\n" in text else ""])
