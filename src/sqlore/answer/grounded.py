"""Whether the SQL of a known question says what the question says, as far as words can tell.

Histories hold scripts that answer another question than the one written above them. What gives them away: a
literal that the question does not have, most words of the question nowhere among the names of the SQL, a sum
of identifiers. From such a script no other answer is made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sqlore.answer.pattern import Literal, Pattern, pieces
from sqlore.catalog.names import humanize, word_set
from sqlore.catalog.text import STOP_WORDS, fold_word
from sqlore.model import Fragment, Schema

__all__ = ["adds_up_keys", "key_columns", "unexplained", "unsaid"]

#: Words that say how and not what: SQL writes them as functions, clauses, joins, or not at all.
_GENERAL: Final = STOP_WORDS | word_set(
    """return tell different distinct ratio highest lowest high low large larger largest small smaller
    smallest big bigger biggest long longer longest short shorter shortest old older oldest young
    younger youngest early earlier earliest late later latest maximum minimum max min great greater
    greatest amount sort sorted ascending descending alphabetical alphabetically respectively value
    id type made make located using use used belong range rated held appear appeared come contain
    include including related live lived work working take taken given got get written wrote called
    titled issued published produced directed starred taller tallest heavier heaviest cheaper
    cheapest higher lower fewer fewest best worst since cm kg"""
)
#: Literals that belong to a calculation and not to a question, and formats.
_OF_THE_FORMULA: Final = frozenset({"0", "1", "100", "0.0", "1.0", "100.0"})
_FORMAT: Final = re.compile(r"%[A-Za-z]")
_NAME: Final = re.compile(r"\"[^\"]+\"|`[^`]+`|\[[^\]]+\]|[^\W\d]\w*")
_ADDED: Final = re.compile(r"\b(?:sum|avg|total)\(([^()]+)\)")
#: Letters from which on one word is taken for a form of another.
_STEM: Final = 5


def unsaid(found: Iterable[Literal], pattern: Pattern, question: str) -> list[str]:
    """The literals of the SQL that the question neither says nor has a value for.

    >>> from sqlore.answer.pattern import literals, pattern_of
    >>> words, sql = "Awards that Ann was nominated for?", "SELECT * FROM a WHERE n = 'Ann' AND r = 'Nominee'"
    >>> known = literals(sql)
    >>> unsaid(known, pattern_of(words, known, lambda _: ()), words)
    ['Nominee']
    """
    said = {piece.folded for piece in pieces(question)}
    values = {literal for slot in pattern.slots for literal in slot.literals}
    return [
        one.text
        for one in found
        if one not in values
        and one.text not in _OF_THE_FORMULA
        and not _FORMAT.search(one.text)
        and not {piece.folded for piece in pieces(one.core)} <= said
    ]


def unexplained(pattern: Pattern, sql: str, found: Iterable[Literal]) -> float:
    """The share of the question's own words that are in no name and no literal of the SQL: 0 to 1.

    Words that SQL has no names for ("how many", "highest") do not count.

    >>> pattern = Pattern(("award", "nominated"), (), frozenset())
    >>> unexplained(pattern, "SELECT count(award_id) FROM award", ())
    0.5
    """
    words = [part for part in pattern.parts if isinstance(part, str) and part.isalpha()]
    own = [word for word in words if word not in _GENERAL]
    known = {piece.folded for one in found for piece in pieces(one.core)}
    for name in _NAME.findall(sql):
        known.add(fold_word(name))
        known |= {fold_word(word) for word in humanize(name.strip('"`[]')).split()}
    if not re.search(r"\border\b(?!\s+by\b)", sql, re.IGNORECASE):
        known.discard("order")  # the clause is no name
    missing = [word for word in own if word not in known and not _has_form(word, known)]
    return len(missing) / len(own) if own else 0.0


def _has_form(word: str, known: Collection[str]) -> bool:
    """Whether another form of a word is among those known, or a part of one: nationality, nation."""
    others = [other for other in known if len(other) >= _STEM - 1 and other != "order"]
    return len(word) >= _STEM - 1 and any(word[:_STEM] in other or other in word for other in others)


def key_columns(schema: Schema) -> frozenset[str]:
    """The columns that identify rows, as ``table.column``: those of primary and foreign keys."""
    found = set()
    for table in schema.tables:
        names = {c.name for c in table.columns if c.primary_key}
        names |= {name for key in table.foreign_keys for name in key.columns}
        found |= {f"{table.name}.{name}".lower() for name in names}
    return frozenset(found)


def adds_up_keys(fragments: Sequence[Fragment], keys: Collection[str]) -> bool:
    """Whether a script adds up what only identifies rows: a slip for counting, or for another column."""
    added = (
        column for one in fragments for column in _ADDED.findall(one.skeleton) if one.kind == "calculation"
    )
    return any(column.replace('"', "") in keys for column in added)
