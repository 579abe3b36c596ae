"""Wishes that need no model: another value, each thing once, another order or limit.

They are few and certain. Whatever is not one of them is for the model (`ask`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sqlglot import TokenType

from sqlore.answer.refine.numbers import compared, in_digits
from sqlore.answer.refine.order import sorted_anew
from sqlore.catalog import Catalog, humanize, quote_name
from sqlore.catalog.text import fold
from sqlore.sql.edit.insert import aliases_of
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.text import TextEdit, applied
from sqlore.sql.literals import quoted_again
from sqlore.sql.spans import Range

__all__ = ["granted", "with_values"]

_LEADS: Final = re.compile(
    r"(?:please|only|just|use|take|make|it|set|to|for|in|with|from|the|year|value|and|of|be|should|is|show"
    r"|but|now|rather)\b[\s:=]*",
    re.IGNORECASE,
)
_TAILS: Final = re.compile(r"\s*\b(?:instead|please|only|rather|now)\s*\Z", re.IGNORECASE)
_SWAPS: Final = (
    re.compile(r"(?P<new>.+?)\s*(?:\binstead of\b|\brather than\b|,\s*not\b)\s*(?P<old>.+)", re.IGNORECASE),
    re.compile(r"(?:replace|change)\s+(?P<old>.+?)\s+(?:by|with|to|into)\s+(?P<new>.+)", re.IGNORECASE),
    re.compile(r"not\s+(?!only\b|just\b)(?P<old>.+?)\s*,?\s+but\s+(?P<new>.+)", re.IGNORECASE),
)
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?\Z")
_YEAR: Final = re.compile(r"(?:1[89]|20)\d\d")
_ONCE: Final = re.compile(
    r"\b(?:distinct|once|unique|de-?duplicated?|(?:no|without|remove|drop) (?:duplicates|repetitions))\b",
    re.IGNORECASE,
)
#: The same words about something else: what is there several times, or exactly once, or not to be told apart.
_NOT_ONCE: Final = re.compile(
    r"\b(?:not|never|non|more than|at least|at most|exactly)\b|n't\b|\bonce (?:a|an|per|in|every)\b"
    r"|\b(?:no|without|remove|drop)(?: the)? (?:distinct|unique|once)\b",
    re.IGNORECASE,
)
_ONLY: Final = re.compile(r"\b(?:only|just)\b", re.IGNORECASE)
#: Conditions that another value in the same place would not turn into "only this one".
_SIDED: Final = re.compile(r"<|>|!=|\bNOT\b", re.IGNORECASE)


def granted(query: Query, number: int, words: str, catalog: Catalog) -> str | None:
    """The new text of an item for a wish in plain words; None where a model has to be asked."""
    fragment, place = query.fragment(number), query.place(number)
    found = (place.first, place.stop)
    words = in_digits(" ".join(words.split()).strip(" .!"))
    if place.clause in ("tail", "window", "top"):
        new, old = _named(words)
        return sorted_anew(query, number, found, new if old else words)
    if fragment.kind == "calculation" and _ONCE.search(words):
        if _NOT_ONCE.search(words):
            return None
        return _once(query, number, found, words)
    if fragment.kind in ("condition", "calculation"):
        plain = compared(words, fragment.sql)
        alone = fragment.kind == "condition" and plain == words and _ONLY.search(words)
        if plain is None or (alone and _SIDED.search(fragment.sql)):
            return None
        return _valued(query, number, found, plain, catalog)
    return None


def with_values(query: Query, number: int, values: tuple[str, ...]) -> str | None:
    """The text of an item with other values, one a literal; None where they are not as many."""
    place = query.place(number)
    found = (place.first, place.stop)
    literals = _literals(query, found, query.fragment(number).literals)
    if len(literals) != len(values):
        return None
    base = query.offsets(found)[0]
    edits = []
    for literal, value in zip(literals, values, strict=True):
        if not literal.quote and not _NUMBER.match(value):
            return None
        edits.append(
            TextEdit(
                literal.start - base, literal.end - base, quoted_again(value, literal.quote, query.dialect)
            )
        )
    return applied(query.text(found), edits)


# ------------------------------------------------------------------ another value


@dataclass(frozen=True, slots=True)
class _Literal:
    """A literal of a fragment: where it stands, its text without quotes, and its quote."""

    start: int
    end: int
    text: str
    quote: str


def _literals(query: Query, found: Range, values: tuple[str, ...]) -> list[_Literal]:
    out = []
    for token in query.tokens[found[0] : found[1]]:
        written = query.sql[token.start : token.end + 1]
        quote = written[0] if written[0] in "'\"" else ""
        text = token.text if quote else written
        if quote and text == "list" and written[1:-1] != text:
            continue  # one token for a long list of values
        number = token.token_type is TokenType.NUMBER and _NUMBER.match(written)
        if (quote or number) and text in values:
            out.append(_Literal(token.start, token.end + 1, text, quote))
    return out


def _valued(query: Query, number: int, found: Range, words: str, catalog: Catalog) -> str | None:
    """The fragment with the value that the wish names in the place of the one it has."""
    fragment = query.fragment(number)
    literals = _literals(query, found, fragment.literals)
    new, old = _named(words)
    if old:
        year = old if _YEAR.fullmatch(old) else None
        literals = [
            one
            for one in literals
            if fold(one.text.strip("%")) == fold(old) or (year and one.text.startswith(year))
        ]
    if not literals or not new:
        return None
    if len({one.text for one in literals}) > 1:
        return _other_year(query, found, literals, new)
    texts = [_value(one, new, fragment.columns, catalog) for one in literals]
    if any(text is None for text in texts):
        return _other_year(query, found, literals, new)
    base = query.offsets(found)[0]
    edits = [
        TextEdit(one.start - base, one.end - base, quoted_again(text or "", one.quote, query.dialect))
        for one, text in zip(literals, texts, strict=True)
    ]
    return applied(query.text(found), edits)


def _named(words: str) -> tuple[str, str]:
    """The value that a wish names, and the one that it is to replace, where it says so.

    >>> _named("only 2016"), _named("DC Comics instead of Marvel Comics"), _named("use 'Good' instead")
    (('2016', ''), ('DC Comics', 'Marvel Comics'), ('Good', ''))
    """
    for pattern in _SWAPS:
        match = pattern.fullmatch(words)
        if match:
            return _bare(match["new"]), _bare(match["old"])
    return _bare(words), ""


def _bare(words: str) -> str:
    """Words without those that only ask."""
    words = _TAILS.sub("", words.strip())
    while match := _LEADS.match(words):
        words = words[match.end() :]
    return words.strip().strip("'\"‘’“”").strip()


def _value(literal: _Literal, new: str, columns: tuple[str, ...], catalog: Catalog) -> str | None:
    """What stands for the literal: a number of its form, or a value of its column as it is stored."""
    if _NUMBER.match(new):
        same = _NUMBER.match(literal.text) and bool(_YEAR.fullmatch(new)) == bool(
            _YEAR.fullmatch(literal.text)
        )
        if same and (not literal.quote or len(new) == len(literal.text)):
            return new
    if not literal.quote or len(columns) != 1:
        return None
    core = literal.text.strip("%_")
    stored = _stored(catalog, columns[0], new)
    if stored is None or not core or (core != literal.text and set(stored) & set("%_\\")):
        return None  # LIKE would not read it as it is
    return literal.text.replace(core, stored)


def _stored(catalog: Catalog, column: str, said: str) -> str | None:
    """The column's one value that these words say or mean; None for no or for several."""
    index = catalog.values
    wanted = column.replace('"', "").lower()
    found = {
        index.values[entry]
        for entry in index.same_key(fold(said) or said)
        if f"{index.columns[index.owners[entry]].table}.{index.columns[index.owners[entry]].column}".lower()
        == wanted
    }
    if said in found:
        return said
    return found.pop() if len(found) == 1 else None


def _other_year(query: Query, found: Range, literals: list[_Literal], new: str) -> str | None:
    """Dates of one year in another year: both ends of ``BETWEEN '2013-01-01' AND '2013-12-31'``."""
    years = {match.group() for one in literals for match in [_YEAR.match(one.text)] if match}
    dated = all(_YEAR.match(one.text) and one.quote for one in literals)
    if not _YEAR.fullmatch(new) or len(years) != 1 or not dated:
        return None
    base = query.offsets(found)[0]
    edits = [TextEdit(one.start + 1 - base, one.start + 5 - base, new) for one in literals]
    return applied(query.text(found), edits)


# ------------------------------------------------------------------ each thing once


def _once(query: Query, number: int, found: Range, words: str) -> str | None:
    """``COUNT(x)`` as ``COUNT(DISTINCT x)``; ``COUNT(*)`` by the key of the table that the wish names."""
    counts = [
        i
        for i in range(found[0], found[1] - 1)
        if query.tokens[i].text.replace("\x01", "").upper() == "COUNT" and i + 1 in query.spans.match
    ]
    if len(counts) != 1:
        return None
    inner = (counts[0] + 2, query.spans.match[counts[0] + 1])
    argument = query.text(inner)
    if argument.upper().startswith("DISTINCT"):
        return None
    key = _key(query, number, argument, inner, words)
    if key is None:
        return None
    base = query.offsets(found)[0]
    start, end = query.offsets(inner)
    return applied(query.text(found), [TextEdit(start - base, end - base, f"DISTINCT {key}")])


def _key(query: Query, number: int, argument: str, inner: Range, words: str) -> str | None:
    """What is counted once: the column that is counted, or the key of the table that the wish names."""
    scope = query.scope(number)
    said = set(fold(words).split())
    named = [s for s in scope.sources if s.table and set(fold(humanize(s.table.name)).split()) <= said]
    start, end = query.offsets(inner)
    mine = [use.source for use in query.inner_uses(start, end)]
    counted = len(mine) == 1 and mine[0] is not None
    if counted and (len(named) != 1 or mine[0] is named[0]):
        return argument
    chosen = named if named else list(scope.sources)
    table = chosen[0].table if len(chosen) == 1 else None
    keys = [column.name for column in table.columns if column.primary_key] if table is not None else []
    if len(keys) != 1 or (mine and not counted):
        return None
    alias = aliases_of(query, scope).get(chosen[0].base, chosen[0].alias)
    name = quote_name(keys[0], query.dialect)
    return f"{alias}.{name}" if alias else name
