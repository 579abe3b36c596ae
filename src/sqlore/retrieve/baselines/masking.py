"""A question with its database taken out: what is left is what kind of question it is.

Masked question similarity (DAIL-SQL and its followers; BIRD-History, section 5.1) compares questions after
everything that links to the schema or to a value is masked, so that "how many *heroes* are from *Marvel*" is
near "how many *loans* are from *Prague*".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final

from sqlore.retrieve.words import STOPWORDS, stem, tokens

if TYPE_CHECKING:
    from sqlore.model import Schema, ValueMatch

__all__ = ["MASK", "mask", "schema_stems"]

MASK: Final = "<mask>"
_PIECE: Final = re.compile(r"\"[^\"]*\"|'[^']*'(?!\w)|\d[\d.,:/-]*%?|[^\W_]+|[^\w\s]|_", re.UNICODE)
_NUMBER: Final = re.compile(r"\d")
_TOO_SHORT: Final = 3


def schema_stems(schema: Schema | None, more: Iterable[str] = ()) -> frozenset[str]:
    """Stems of the words in table and column names and in `more` (names such as ``table.column``)."""
    names = list(more)
    for table in schema.tables if schema else ():
        names.append(table.name)
        names += [column.name for column in table.columns]
        names += [column.comment for column in table.columns if column.comment]
    words = {stem(word) for name in names for word in tokens(name) if word not in STOPWORDS}
    return frozenset(word for word in words if len(word) >= _TOO_SHORT)


def mask(
    question: str,
    names: Collection[str],
    values: Iterable[ValueMatch] = (),
    literals: Iterable[str] = (),
) -> str:
    """The question with words of schema `names` (stems), values, quoted strings and numbers masked.

    Neighbouring masks become one.

    >>> mask("How many superheroes from 'Marvel Comics' are taller than 180?", {"superhero"})
    'How many <mask> from <mask> are taller than <mask> ?'
    >>> mask("List the loans of Prague.", {"loan"}, literals=["Prague"])
    'List the <mask> of <mask> .'
    """
    spans = [(match.start, match.end) for match in values]
    lowered = question.lower()
    for literal in literals:
        if len(literal) >= _TOO_SHORT:
            spans += [m.span() for m in re.finditer(rf"(?<!\w){re.escape(literal.lower())}(?!\w)", lowered)]
    out: list[str] = []
    for piece in _PIECE.finditer(question):
        text = piece[0]
        inside = any(start <= piece.start() < end for start, end in spans)
        if inside or text[0] in "\"'" or _NUMBER.match(text) or _names(text.lower(), names):
            text = MASK
        if text != MASK or not out or out[-1] != MASK:
            out.append(text)
    return " ".join(out)


def _names(word: str, names: Collection[str]) -> bool:
    """Whether a word is one of the names, in the plural too ("superheroes")."""
    return stem(word) in names or (len(word) > 5 and word.endswith("es") and word[:-2] in names)
