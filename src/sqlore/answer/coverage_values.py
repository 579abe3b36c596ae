"""Words that the history says with another value than a query has: "seniors", where it writes ``cat = 2``.

A query that takes the wrong value of a coded column has everything else right, so nothing of the question
seems to be left out. It is told where the scripts whose questions say the word agree on one value that hardly
any other script has, and nothing else in the question speaks for the value that the query has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlore.answer.coverage_tied import named_in
from sqlore.catalog.text import fold
from sqlore.model import VAL, Uncovered
from sqlore.retrieve.association import Going
from sqlore.retrieve.plain_words import QUANTITIES, SAYS_NOTHING
from sqlore.retrieve.words import stem
from sqlore.sql.names import table_and_column

if TYPE_CHECKING:
    from sqlore.answer.coverage_sql import Uses
    from sqlore.answer.coverage_told import Told
    from sqlore.catalog import Catalog

__all__ = ["other_values"]

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_SAYS_NOTHING: Final = SAYS_NOTHING | QUANTITIES
#: Of fewer texts that say a word another word, or another item, may be what it is about.
_SURE: Final = 3
#: Nearly all texts that say a word use the condition, and nearly all with its value say the word; where many
#: say it a part of these is enough. The condition has to be used this many times more often than its value.
_SHARE: Final = 0.8
_SHARE_SURE: Final = 0.2
_TELLING: Final = 1.25
#: A word speaks for the query's own value where it stands by it so many times more often than others do.
_SPEAKS: Final = 1.5
#: A value longer than this is not told.
_LONG: Final = 40

_Values = Mapping[int, frozenset[tuple[str, ...]]]


class _Word(NamedTuple):
    """A word of the question, and the texts whose own words hold it."""

    stem: str
    start: int
    end: int
    rows: frozenset[int]


def other_values(question: str, told: Told, uses: Uses, catalog: Catalog) -> Iterator[Uncovered]:
    """A word for each ``column = value`` of the query that the history has with another value for it."""
    words = list(_words(question, uses))
    open_ = [word for word in words if word.stem not in told.own_words]
    numbers_left = any(not told.counts(number) for number in re.findall(r"\d+", question))
    for item, written in uses.held.items():
        known = uses.snapshot.items[item]
        if known.kind != "condition" or not known.skeleton.endswith(f" = {VAL}") or len(written) != 1:
            continue
        (own,) = written
        if len(own) != 1 or len(own[0]) > _LONG or _is_named(question, known.columns, own[0], catalog):
            continue
        if numbers_left and own[0].isdecimal():
            continue  # one of them is rather the value than one of the history
        values = uses.values_of(item)
        if any(_speaks_for(word, own, values) for word in open_):
            continue
        unknown = any(not word.rows for word in open_)
        found = [
            (word, value)
            for word in open_
            if (value := _meant(word, values)) not in ("", own[0])
            and not told.has_value(value)
            and not all(named_in(uses.snapshot.texts[row].words, value, word.stem) for row in word.rows)
        ]
        sure = [
            (word, value)
            for word, value in found
            if len(word.rows) >= _SURE
            or not (unknown or uses.explains(word.rows, item, _having(value, values)))
        ]
        if sure:
            word, value = max(sure, key=lambda one: (len(one[0].rows), one[0].start))
            texts = tuple(row for row in sorted(word.rows) if (value,) in values.get(row, ()))
            going = Going(item, texts, (value,), len(texts) / len(word.rows), len(values) / len(texts))
            goes = uses.item(going, catalog.schema.dialect, catalog.schema)
            yield Uncovered(question[word.start : word.end], word.start, word.end, (goes,), own[0])


def _words(question: str, uses: Uses) -> Iterator[_Word]:
    """The words of a question that may stand for a value."""
    for match in _WORD.finditer(question):
        plain = match[0].lower()
        if _SAYS_NOTHING.isdisjoint((plain, stem(plain))):
            rows = frozenset(uses.saying([stem(plain)]).tolist())
            yield _Word(stem(plain), *match.span(), rows)


def _meant(word: _Word, values: _Values) -> str:
    """The value with which the texts that say a word have a condition, and few others; "" for none."""
    using = word.rows & values.keys()
    sure = len(using) >= _SURE
    if not using or len(using) < (_SHARE if sure else 1) * len(word.rows):
        return ""
    said = {value for row in using for value in values[row]}
    if len(said) != 1:
        return ""
    (value,) = said
    if len(value) != 1 or len(value[0]) > _LONG:
        return ""
    having = _having(value[0], values)
    if len(using) < (_SHARE_SURE if sure else _SHARE) * having or having * _TELLING > len(values):
        return ""
    return value[0]


def _having(value: str, values: _Values) -> int:
    """How many texts have a value."""
    return sum((value,) in has for has in values.values())


def _speaks_for(word: _Word, own: tuple[str, ...], values: _Values) -> bool:
    """Whether the history says a word with the query's own value rather than with others of the condition."""
    here = [values[row] for row in word.rows if row in values]
    every = Counter(value for has in values.values() for value in has)
    share = sum(own in has for has in here) / max(1, len(here))
    return share > 0 and share >= _SPEAKS * every[own] / len(values)


def _is_named(question: str, columns: tuple[str, ...], value: str, catalog: Catalog) -> bool:
    """Whether the question says a value itself: its words, a number in it, what it means."""
    said = set(fold(question).split())
    if set(fold(value).split()) & said or not said:
        return True
    numbers = {n.lstrip("0") for n in re.findall(r"\d+", question)}
    if numbers & {n.lstrip("0") for n in re.findall(r"\d+", value)}:
        return True
    for name in columns:
        table, column = table_and_column(name)
        meaning = catalog.dictionary.describe_value(table, column, value) or ""
        if set(fold(meaning).split()) & said - set(map(fold, _SAYS_NOTHING)):
            return True
        if any(
            (one.table.lower(), one.column.lower(), one.value) == (table, column, value)
            for one in catalog.values.match(question)
        ):
            return True
    return False
