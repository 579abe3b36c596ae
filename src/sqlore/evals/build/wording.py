"""Questions by rule: the words for rows, measures and groups that composed tasks ask with.

Where a script's own question says which rows it means ("How many superheroes have blue eyes?"), those words
are taken: "superheroes that have blue eyes". Else the describer says the conditions: "superheroes whose eye
colour is Blue". No word is taken from the SQL itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from sqlglot import exp

from sqlore.catalog import Catalog
from sqlore.evals.build.frame import Placed
from sqlore.evals.build.pieces import Keys, Part
from sqlore.knowledge.describe.describer import Describer
from sqlore.knowledge.describe.english import plural
from sqlore.model import Fragment

__all__ = ["Wording", "own_words", "several"]

_UNITS: Final = "cm|mm|km|m|kg|g|lb|lbs|usd|eur|gbp|czk|km2|sqft"
_UNIT_VALUE: Final = re.compile(
    rf"\b(\w+) ({_UNITS}) (is (?:not )?(?:more than|less than|at least|at most|above|below|between)?\s*)"
    r"([\d.,]+(?: and [\d.,]+)?)"
)
_UNIT_BARE: Final = re.compile(rf"\b([a-z]\w*) (?:{_UNITS}) (is (?:missing|known))")
_UNIT: Final = re.compile(rf"\b([a-z]\w*) ({_UNITS})\b")
_CUT: Final = re.compile(r" \([^()]*…\)")
_REPEATED: Final = re.compile(r"\b(\w*?)(\w{4,}) (\2)\b")
_COUNTED: Final = re.compile(
    r"(?:how many|what is the (?:total )?number of|count(?: the)?|calculate the number of) (?P<rows>.+?)"
    r"(?: are there| are available| exist)?(?: in total| in the \w+ universe)?\s*[?.]?\Z",
    re.IGNORECASE,
)
_AVERAGED: Final = re.compile(
    r"(?:what is|calculate|find|give) the average \w+(?: \w+)? of (?:all )?(?:the )?(?P<rows>.+?)\s*[?.]?\Z",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"(?:please )?(?:list|give|provide|name|describe|state|show)(?: down| out)? (?:the )?(?:\w+ )?names? of"
    r" (?:all )?(?:the )?(?P<rows>.+?)\s*[?.]?\Z",
    re.IGNORECASE,
)
_VERBS: Final = re.compile(r"(?:have|has|had|are|were|was|is|do not|did not|don't|didn't|belong|live|own)\b")
_RELATIVE: Final = re.compile(r"(?:that|who|whose|which|with|without|from|in|of|by|for|on)\b")
_UNCLEAR: Final = re.compile(
    r"\b(?:most|least|each|every|per|least|respectively|said|highest|lowest)\b", re.I
)
_LONGEST: Final = 14


def own_words(question: str, noun: str) -> str:
    """The words by which a question says which rows it counts, lists or averages over; empty if it does not.

    `noun` is what the rows are called, in the plural.

    >>> own_words("How many superheroes have blue eyes?", "superheroes")
    'superheroes that have blue eyes'
    >>> own_words("How many bad superheroes are there?", "superheroes")
    'bad superheroes'
    >>> own_words("Who is the dumbest superhero?", "superheroes")
    ''
    """
    text = " ".join(question.split())
    for pattern in (_COUNTED, _AVERAGED, _NAMED):
        found = pattern.match(text)
        if found is None:
            continue
        rows = found["rows"].strip()
        head = re.search(rf"\b(?:{'|'.join(_spellings(noun))})\b", rows, re.IGNORECASE)
        if head is None or len(rows.split()) > _LONGEST or _UNCLEAR.search(rows) or "," in rows:
            return ""
        before, rest = rows[: head.start()], rows[head.end() :].strip()
        if len(before.split()) > 3 or _RELATIVE.search(before):
            return ""
        if rest and _VERBS.match(rest):
            rest = f"that {rest}"
        elif rest and not _RELATIVE.match(rest):
            return ""
        return f"{before}{head.group().lower()} {rest}".strip()
    return ""


def _spellings(noun: str) -> list[str]:
    """The noun, and the end of one that is two words in one, such as heroes of superheroes."""
    ends = [noun[-6:]] if noun.endswith("heroes") and noun != "heroes" else []
    return [re.escape(one) for one in [noun, *ends]]


class Wording:
    """Says pieces of scripts over one database in plain words."""

    def __init__(self, catalog: Catalog, keys: Keys) -> None:
        self._keys = keys
        self._describer = Describer(catalog.dictionary, catalog.schema)
        self._words = self._describer.words

    def noun(self, anchor: str) -> str:
        """What the rows of a table are called: its name in the plural, without numbers and stray letters.

        ``transactions_1k`` are transactions.
        """
        words = [word for word in self._words.table(anchor).split() if word.isalpha() and len(word) > 1]
        return plural(" ".join(words) or anchor)

    def is_id(self, table: str, column: str) -> bool:
        """Whether a column's words say that it only names rows, such as product id."""
        return self._words.column(table, column).split()[-1].lower() in ("id", "ids")

    def rows(self, anchor: str, parts: Sequence[tuple[Part, str]]) -> str:
        """The rows that all parts mean; beside each part its own words, if it has any.

        One part gives its words to the beginning; the others follow as the describer says them.
        """
        first = next((words for _, words in parts if words), "")
        used = next((part for part, words in parts if words), None)
        clauses = [self.clause(part) for part, _ in parts if part is not used]
        noun = first or self.noun(anchor)
        if not clauses:
            return noun
        linked = " and " if re.search(r"\b(?:that|who|whose|with|from|in|by)\b", noun) else " "
        return f"{noun}{linked}{' and '.join(clauses)}"

    def clause(self, part: Part) -> str:
        """A part as a clause: "whose eye colour is Blue"."""
        key = self._keys.primary(part.anchor)
        counted = exp.column(key, table=part.anchor) if key else exp.Star()
        said = self._said(_select(part.anchor, exp.Count(this=counted), part))
        found = re.search(r"\b(?:whose|that|where|for which)\b.*", said)
        clause = found.group() if found else said
        return f"({clause})" if any(isinstance(one, exp.Or) for one in part.conditions) else clause

    def measure(self, measure: Placed, anchor: str) -> str:
        """A measure as a noun: "average height in cm"; of rows that are counted their "number"."""
        query = _select(anchor, measure.node, None, measure)
        said = self._said(query)
        noun = self.noun(anchor)
        for tail in (f" of {noun}", f" in {noun}"):
            said = said.removesuffix(tail)
        return said

    def column(self, placed: Placed, anchor: str) -> str:
        """A column as a noun, by the way that leads to it: "eye colour"."""
        query = _select(anchor, placed.node, None, placed)
        said = self._said(query)
        return said.removesuffix(f" of {self.noun(anchor)}")

    def _said(self, query: Any) -> str:
        text = query.sql()
        fragment = Fragment("query", text, text, text, 0, len(text), form="query")
        return _CUT.sub("", _units(self._describer.fragment(fragment).text))


def several(words: str) -> str:
    """A noun in the plural, its unit left as it is.

    >>> several("height in cm"), several("full name")
    ('heights in cm', 'full names')
    """
    head, unit, rest = words.partition(" in ")
    return f"{plural(head)}{unit}{rest}"


def _select(anchor: str, shown: Any, part: Part | None, placed: Placed | None = None) -> Any:
    """A query in canonical names, for the describer."""
    query = exp.select(shown.copy()).from_(exp.to_table(anchor))
    paths = [path for one in (part, placed) if one is not None for path in one.paths.values()]
    seen = set()
    for path in paths:
        before = anchor
        for end, step in enumerate(path, 1):
            if path[:end] not in seen:
                seen.add(path[:end])
                on = exp.EQ(
                    this=exp.column(step.own, table=before),
                    expression=exp.column(step.column, table=step.table),
                )
                query = query.join(exp.to_table(step.table), on=on, copy=False)
            before = step.table
    return query.where(*(one.copy() for one in part.conditions)) if part is not None else query


def _units(text: str) -> str:
    """Units behind their numbers: "height cm is more than 200" is "height is more than 200 cm".

    >>> _units("average height cm"), _units("whose height cm is between 150 and 180")
    ('average height in cm', 'whose height is between 150 and 180 cm')
    """
    text = _UNIT_BARE.sub(r"\1 \2", _UNIT_VALUE.sub(r"\1 \3\4 \2", text))
    text = _UNIT.sub(r"\1 in \2", text)
    return _REPEATED.sub(r"\1\2", text)
