"""A question that is a known one with other values: answered from the history, without a model.

The known SQL is taken as it is and only its literals are rewritten, at their places. That is done where
nothing is left to guess: every other word is the known question's, each new value is in the column that its
literal is compared with (or is a number or date of the same form), and all scripts that match say the same.
The known SQL has to be good as well: grounded in its own question (`grounded`), and, where values are
changed, attested: used twice, or verified by a person.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from sqlore.answer.grounded import adds_up_keys, key_columns, unexplained, unsaid
from sqlore.answer.pattern import (
    Literal,
    Pattern,
    Piece,
    asked_pieces,
    fillings,
    literals,
    pattern_of,
    texts_of,
)
from sqlore.catalog.text import fold
from sqlore.errors import SqlError
from sqlore.history.asking import warning_in
from sqlore.model import Fragment, FromHistory
from sqlore.sql import parse_script
from sqlore.sql.literals import quoted_again

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.knowledge import Store
    from sqlore.knowledge.records import Text

#: The share of a known question's words that its SQL may leave unexplained, and how often the SQL has to be
#: used before other values are put in. Chosen on one half of the databases (`tests/bench/bench_reuse.py`).
UNEXPLAINED: Final = 0.5
ATTESTED: Final = 2

_FIGURES: Final = re.compile(r"\d[\d.,:/ -]*\Z")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?\Z")
_YEAR: Final = re.compile(r"(?:1[89]|20)\d\d\Z")


@dataclass(frozen=True, slots=True)
class Reused:
    """SQL of the history with other values: from which script, and (old, new) of each value that changed."""

    sql: str
    script: int
    key: str = ""
    changed: tuple[tuple[str, str], ...] = ()

    @property
    def source(self) -> FromHistory:
        """What a person is told of it."""
        return FromHistory(self.script, self.key or str(self.script), changed=self.changed)


@dataclass(frozen=True, slots=True)
class _Entry:
    text: Text
    pattern: Pattern


class Reuser:
    """Finds the known question that a question is, among texts of a history.

    `texts` are `Store.texts()`; those without a question, deprecated ones, ones that their author warns of
    and ones that sqlore made itself are passed over. The catalog's values tell which column holds what.
    """

    def __init__(self, texts: Iterable[Text], catalog: Catalog, dialect: str | None = None) -> None:
        self._catalog = catalog
        self._dialect = dialect or catalog.schema.dialect or None
        tables = catalog.schema.tables
        self._names = {name.lower() for t in tables for name in (t.name, *(c.name for c in t.columns))}
        self._columns = {
            f"{c.table}.{c.column}".lower(): number for number, c in enumerate(catalog.values.columns)
        }
        self._meanings: dict[str, list[str]] = {}
        for column in catalog.values.columns:
            for meaning, value in column.meanings:
                self._meanings.setdefault(value, []).append(meaning)
        self._fragments = lru_cache(maxsize=500)(self._parsed)
        self._keys = key_columns(catalog.schema)
        known = list(texts)
        self._entries = [entry for text in known if (entry := self._entry(text)) is not None]
        self._uses: dict[int, list[Text]] = {}
        for text in known:
            if not text.synthetic:
                self._uses.setdefault(text.script, []).append(text)

    def find(
        self, question: str, exclude: Collection[int | str] = (), *, attested: int = ATTESTED
    ) -> Reused | None:
        """The known SQL with the question's values; None where that is not certain.

        `exclude` are ids of scripts, or keys of texts, that are not used. `attested` is how often a script
        has to be used before other values are put into it: 1 where what comes of it is checked otherwise.
        """
        asked = asked_pieces(question)
        words = {piece.folded for piece in asked}
        found: dict[str, list[tuple[_Entry, Reused]]] = {}
        for entry in self._entries:
            if not entry.pattern.words <= words or len(entry.pattern.parts) > len(asked):
                continue
            if _left_out(entry.text, exclude):
                continue
            for filling in fillings(entry.pattern, asked):
                reused = self._filled(entry, question, asked, filling)
                if reused is not None:
                    found.setdefault(self._meant(reused.sql), []).append((entry, reused))
        if len(found) != 1:
            return None
        good = (
            reused
            for entry, reused in next(iter(found.values()))
            if self._good(entry, reused, exclude, attested)
        )
        return next(good, None)

    def _good(self, entry: _Entry, reused: Reused, exclude: Collection[int | str], least: int) -> bool:
        """Whether the known SQL may be trusted with this question."""
        uses = self._uses[entry.text.script]
        attested = entry.text.trust == "verified" or (
            sum(not _left_out(text, exclude) for text in uses) >= least
        )
        return (attested or not reused.changed) and self._grounded(entry)

    def _entry(self, text: Text) -> _Entry | None:
        if not text.words.strip() or text.synthetic or text.trust == "deprecated":
            return None
        if warning_in(text.comment):
            return None  # its author says that it is wrong, whatever the values
        pattern = pattern_of(
            text.words, self._literals(text.sql), lambda one: self._meanings.get(one.text, ())
        )
        if pattern is None or not pattern.words:
            return None  # a pattern without a word of its own would take any question
        return _Entry(text, pattern)

    def _grounded(self, entry: _Entry) -> bool:
        """Whether a known script says what its question says."""
        text, pattern = entry.text, entry.pattern
        found = self._literals(text.sql)
        return (
            not unsaid(found, pattern, text.words)
            and unexplained(pattern, text.sql, found) <= UNEXPLAINED
            and not adds_up_keys(self._fragments(text.sql), self._keys)
        )

    def _literals(self, sql: str) -> list[Literal]:
        return literals(sql, lambda name: name.lower() in self._names)

    def _filled(
        self, entry: _Entry, question: str, asked: Sequence[Piece], filling: tuple[tuple[int, int], ...]
    ) -> Reused | None:
        """The script with the values of one filling, or None where one of them does not fit."""
        edits: list[tuple[Literal, str]] = []
        changed = []
        for slot, span in zip(entry.pattern.slots, filling, strict=True):
            if slot.said == " ".join(piece.folded for piece in asked[slice(*span)]):
                continue
            said = texts_of(question, asked, span)
            if len(asked[slice(*span)]) == 1 and _NUMBER.match(asked[span[0]].folded):
                said = [asked[span[0]].folded]
            values = {self._value(entry.text.sql, literal, said) for literal in slot.literals}
            value = values.pop() if len(values) == 1 else None
            if value is None:
                return None
            edits += [(literal, value) for literal in slot.literals]
            changed.append((slot.literals[0].core, value))
        sql = rewritten(entry.text.sql, edits, self._dialect or "")
        return Reused(sql, entry.text.script, entry.text.key, tuple(changed))

    def _value(self, sql: str, literal: Literal, said: Sequence[str]) -> str | None:
        """The value to write in place of `literal` where a question says `said`, where that is certain."""
        holder = _holder(self._fragments(sql), literal)
        if holder is None:
            return None
        if _FIGURES.match(literal.text):
            return next((text for text in said if same_form(literal, text)), None)
        column = self._columns.get(holder.columns[0]) if len(holder.columns) == 1 else None
        if column is None or not literal.quote:
            return None
        if "%" not in literal.text and literal.text not in self._spellings(column, literal.text):
            return None  # the known script does not write values as they are stored: nor can it be continued
        if "%" in literal.text and any(set(text) & set("%_\\") for text in said):
            return None  # LIKE would not read it as it is said
        for text in said:
            value = self._contained(column, text) if "%" in literal.text else self._stored(column, text)
            if value is not None:
                return value
        return None

    def _stored(self, column: int, said: str) -> str | None:
        """The column's value that is said, as it is stored; None for no or for several spellings."""
        values = self._spellings(column, said)
        if said in values:
            return said
        return values.pop() if len(values) == 1 else None

    def _spellings(self, column: int, said: str) -> set[str]:
        """The column's values that are said by these words, or mean them, or are them in another case."""
        index = self._catalog.values
        entries = index.same_key(fold(said) or said)
        return {index.values[entry] for entry in entries if index.owners[entry] == column}

    def _contained(self, column: int, said: str) -> str | None:
        """What is said, where a value of the column contains it."""
        low = said.casefold()
        values = self._catalog.values.columns[column].values
        return said if any(low in value.casefold() for value in values) else None

    def _parsed(self, sql: str) -> tuple[Fragment, ...]:
        try:
            return parse_script(sql, dialect=self._dialect, schema=self._catalog.schema).fragments
        except SqlError:
            return ()

    def _meant(self, sql: str) -> str:
        """What two scripts are compared by: the canonical form of the whole query."""
        return next((f.canonical for f in self._fragments(sql) if f.kind == "query"), sql)


def _left_out(text: Text, exclude: Collection[int | str]) -> bool:
    return text.script in exclude or bool(text.key and text.key in exclude)


def _holder(fragments: Iterable[Fragment], literal: Literal) -> Fragment | None:
    """The smallest fragment that holds the literal, if it reads it as a literal too."""
    around = [f for f in fragments if f.start <= literal.start and literal.end <= f.end]
    holder = min(around, key=lambda f: f.end - f.start, default=None)
    return holder if holder is not None and literal.text in holder.literals else None


def same_form(literal: Literal, text: str) -> bool:
    """Whether a number or date has the form of the literal that it is to replace.

    >>> same_form(Literal("2012-01-05", 0, 12, "'", True), "2013-11-30")
    True
    >>> [same_form(Literal("50", 0, 2, "", True), text) for text in ("7.5", "2012", "many")]
    [True, False, False]
    """
    if literal.quote:
        return re.sub(r"\d", "9", literal.text) == re.sub(r"\d", "9", text)
    return bool(_NUMBER.match(text)) and bool(_YEAR.match(text)) == bool(_YEAR.match(literal.text))


def rewritten(sql: str, edits: Iterable[tuple[Literal, str]], dialect: str = "") -> str:
    """The SQL with each literal replaced by its new value, quotes and wildcards as they were.

    >>> rewritten("SELECT * FROM t WHERE a LIKE '%x%'", [(Literal("%x%", 29, 34, "'", True), "O'Neil")])
    "SELECT * FROM t WHERE a LIKE '%O''Neil%'"
    >>> print(rewritten("SELECT 'x'", [(Literal("x", 7, 10, "'", True), "A\\\\b")], "mysql"))
    SELECT 'A\\\\b'
    """
    for literal, value in sorted(edits, key=lambda edit: -edit[0].start):
        new = literal.text.replace(literal.core, value) if literal.quote else value
        sql = sql[: literal.start] + quoted_again(new, literal.quote, dialect) + sql[literal.end :]
    return sql


_REUSERS: WeakKeyDictionary[Store, tuple[tuple[int, int], Catalog, Reuser]] = WeakKeyDictionary()


def reuser_of(store: Store, catalog: Catalog, dialect: str | None = None) -> Reuser:
    """The reuser of a store, made once and again when the store has changed."""
    stamp = store.stamp()
    kept = _REUSERS.get(store)
    if kept is None or kept[0] != stamp or kept[1] is not catalog:
        kept = stamp, catalog, Reuser(store.texts(), catalog, dialect)
        _REUSERS[store] = kept
    return kept[2]
