"""Template text and log placeholders, swapped for stand-ins of the same length before tokenising.

Real logs are not plain SQL: query parameters (``##name##``, ``%(name)s``, ``{{ name }}``, ``${name}``,
``$1``) and dbt models with Jinja blocks. Every swap keeps the length, so all offsets stay offsets into
the original text, and the original spelling is read back from there.
"""

from __future__ import annotations

import re
from typing import Final

MASK: Final = "<val>"
INSTANCE: Final = "\ue000"
"""Stands for the ``#`` of ``employee#2`` while a skeleton is read back."""

_TRIGGERS: Final = ("{{", "{%", "{#", "##", "$", "%s", "%(", "<val>", "\ufeff")

_SKIP = r"'(?:[^'\\]|\\.|'')*(?:'|\Z)|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|\Z)"
_SKIP_PLAIN = r"'(?:[^']|'')*(?:'|\Z)|\"[^\"]*\"|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|\Z)"
# A hole ends before the next one opens: a search for its end must not run through a script again and again.
_HOLES = r"""
    (?P<block>\{%(?:(?!\{%).)*?%\} | \{\#(?:(?!\{\#).)*?\#\})
  | (?P<jinja>\{\{(?:(?!\{\{).)*?\}\})
  | (?P<hash>\#\#[^#\n]{1,300}\#\#(?!\w))
  | (?P<dollar>\$\{[^}\n]{0,300}\} | (?<![\w$"`[])\$(?:\d+|[A-Za-z_]\w*)(?![\w$]))
  | (?P<pyformat>%\([^)\n]{0,300}\)[sdif] | (?<![\w)])%s(?!\w))
  | (?P<mask><val>)
  | (?P<bom>\ufeff)
"""
# What goes on behind ## is no hole but a temporary table of T-SQL: FROM ##a AS a JOIN ##b AS b
_SCAN = re.compile(f"(?P<skip>{_SKIP})|{_HOLES}", re.S | re.X)
_SCAN_PLAIN = re.compile(f"(?P<skip>{_SKIP_PLAIN})|{_HOLES}", re.S | re.X)
_REFERENCE = re.compile(r"\{\{\s*(ref|source)\s*\((.*?)\)\s*\}\}", re.S)
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_JINJA_STATEMENT = re.compile(r"\{\{-?\s*(config|log|exceptions|print)\b", re.S)
_NUMBERED = re.compile(r'(?<=[\w"])#(?=\d+(?!\w))')


_PLACEHOLDER = re.compile(
    r"-?(?:\?\d*|\$\d+|\$\w+|\$\{.*\}|[:@]\w+|%s|%\(.*\)[sdif]|##.*##|\{\{.*\}\}|<val>)", re.DOTALL
)


def is_placeholder(literal: str) -> bool:
    """Whether a literal of a script is a place for a value that its log does not tell.

    >>> [is_placeholder(text) for text in ("?", "$1", ":name", "%(name)s", "##name##", "7", "a?")]
    [True, True, True, True, True, False, False]
    """
    return _PLACEHOLDER.fullmatch(literal) is not None


def _blank(text: str) -> str:
    """Spaces of the same length; line ends stay, so that line numbers stay."""
    return re.sub(r"[^\r\n]", " ", text)


def _stand_in(kind: str, text: str) -> str:
    if kind in ("block", "bom"):
        return _blank(text)
    if kind == "mask":
        return "'val'"
    if kind == "jinja":
        reference = _REFERENCE.fullmatch(text)
        if reference:
            name = [a or b for a, b in _QUOTED.findall(reference.group(2))]
            if name and len(name[-1]) <= len(text):
                dotted = ".".join(name) if reference.group(1) == "source" else name[-1]
                return _pad(dotted, text)
        if _JINJA_STATEMENT.match(text):
            return _blank(text)
    lead = len(text) - len(text.lstrip())
    return text[:lead] + "0" * (len(text) - lead)


def _pad(name: str, text: str) -> str:
    # Line ends inside the hole stay where they are.
    tail = _blank(text[len(name) :])
    return name + tail


def swap_placeholders(text: str, *, backslash: bool = False) -> str:
    """The text with every template hole replaced by a literal, a table name or blanks of equal length.

    `backslash` says that the dialect escapes quotes in strings with a backslash.

    >>> swap_placeholders("SELECT TOP ##n:int?5## x FROM {{ ref('orders') }}")
    'SELECT TOP 00000000000 x FROM orders             '
    """
    if not any(trigger in text for trigger in _TRIGGERS):
        return text

    def swap(match: re.Match[str]) -> str:
        kind = match.lastgroup or "skip"
        return match.group() if kind == "skip" else _stand_in(kind, match.group())

    return (_SCAN if backslash else _SCAN_PLAIN).sub(swap, text)


def hide_numbers(skeleton: str) -> str:
    """``employee#2`` of a skeleton as one identifier."""
    return _NUMBERED.sub(INSTANCE, skeleton) if "#" in skeleton else skeleton
