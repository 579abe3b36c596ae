"""Whether a text still has holes where its values belong: parameters of a log, variables of a template."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["first_placeholder", "has_placeholders"]

_COMMENT: Final = r"--[^\n]*|/\*.*?\*/"
_TEMPLATE: Final = r"\{\{|\{%|\#\#[^#\n]+\#\#|\$\{[^}\n]*\}|%\(\w+\)[sdif]"
_BARE: Final = (
    r"\?\d*(?![\w|&?]|\s*')"  # a ? before a text is an operator of JSON
    r"|(?<![\w$])\$(?:\d+|[A-Za-z_]\w*)(?![\w$])|(?<![\w:\])\"]):[A-Za-z_]\w*|(?<![\w@])@(?P<variable>[A-Za-z_]\w*)|%s\b"
)
# Templates are filled in inside quotes too, the others are not.
_QUOTED: Final = r"(?P<quoted>'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|(?<![\w\])])\[[^\]\n]*\])"
_HOLE: Final = re.compile(
    rf"(?P<skip>{_COMMENT})|(?P<template>{_TEMPLATE})|{_QUOTED}|(?P<bare>{_BARE})", re.S
)
_TEMPLATES: Final = re.compile(_TEMPLATE, re.S)
_TRIGGER: Final = re.compile(r"[?$:@{#]|%[(s]")


def first_placeholder(sql: str) -> str | None:
    """The first parameter or template variable of a text that nothing in it gives a value; None for none.

    >>> first_placeholder("SELECT a FROM t WHERE d >= :from_dt"), first_placeholder("SELECT '{{ x }}' FROM t")
    (':from_dt', '{{')
    """
    if _TRIGGER.search(sql) is None:
        return None
    for match in _HOLE.finditer(sql):
        inner = match["template"] or ((found := _TEMPLATES.search(match["quoted"] or "")) and found[0])
        if inner:
            return inner
        if match["bare"] and not (match["variable"] and _is_given(match["variable"], sql)):
            return match["bare"]
    return None


def has_placeholders(sql: str) -> bool:
    """Whether a text has a parameter or a template variable that nothing in it gives a value.

    >>> has_placeholders("SELECT a FROM t WHERE d >= :from_dt")
    True
    >>> has_placeholders("SELECT ':x', y::date FROM t")
    False
    >>> has_placeholders("DECLARE @n INT = 5 SELECT a FROM t WHERE b = @n")
    False
    """
    return first_placeholder(sql) is not None


def _is_given(variable: str, sql: str) -> bool:
    """Whether a variable gets its value in the text itself."""
    return re.search(rf"(?<![\w@])@{re.escape(variable)}\b[^@;\n]*?:?=", sql) is not None and (
        re.search(r"\b(?:declare|set)\b", sql, re.I) is not None
    )
