"""What the text of a query says of a question: its names, what is known of them, its values and numbers."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sqlore.answer.coverage_words import stems_in
from sqlore.catalog.text import fold
from sqlore.model import Fragment, ParsedScript, ValueMatch
from sqlore.sql.names import table_and_column

if TYPE_CHECKING:
    from sqlore.catalog import Catalog

__all__ = ["Told"]

#: Letters from which on one word is taken for a form of another: nation, nationality.
_FORM: Final = 4
_DIGITS: Final = re.compile(r"\d+")
#: A comparison for equality with its value or list of them.
_EXACTLY: Final = re.compile(
    r"(?:(?<![<>!])==?|\b(?:I?LIKE|GLOB)\b)\s*(?:'[^']*'|[\d.]+)|\bIN\s*\([^()]*\)", re.IGNORECASE
)


class Told:
    """What the text of a query says, and what is known of the names and values in it."""

    def __init__(self, parsed: ParsedScript, catalog: Catalog) -> None:
        self._parsed, self._catalog = parsed, catalog
        self._names = [name.replace('"', "").lower() for name in parsed.columns]
        self.columns = frozenset((*parsed.columns, *self._names))

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems of the SQL, of the names and descriptions of its tables and columns, and of its values."""
        found, dictionary = set(self.own_words), self._catalog.dictionary
        for table in self._parsed.tables:
            found |= set(stems_in(dictionary.describe_table(table)))
        for name in self._names:
            table, _, column = name.rpartition(".")
            found |= set(stems_in(dictionary.describe_column(table, column)))
        return frozenset(found)

    @cached_property
    def own_words(self) -> frozenset[str]:
        """The same without the descriptions, which may speak of any value of a column."""
        found = set(stems_in(self._parsed.script.sql, *(n.alias for n in self._parsed.namings)))
        dictionary = self._catalog.dictionary
        for table in self._parsed.tables:
            found |= set(stems_in(*dictionary.names(table)))
        for name in self._names:
            table, _, column = name.rpartition(".")
            found |= set(stems_in(*dictionary.names(table, column)))
        for fragment in self._parsed.fragments:
            for name in fragment.columns:
                table, column = table_and_column(name)
                meanings = (dictionary.describe_value(table, column, one) for one in fragment.literals)
                found |= set(stems_in(*meanings))
        return frozenset(found)

    @property
    def short_names(self) -> frozenset[str]:
        """The names that the query gives, which may be initials."""
        return frozenset(naming.alias.lower() for naming in self._parsed.namings if naming.alias)

    def says(self, word: str) -> bool:
        """Whether a stem is there, or another form of it."""
        if word in self.words:
            return True
        return len(word) >= _FORM and any(_alike(word, other) for other in self._long)

    @cached_property
    def _long(self) -> list[str]:
        return [word for word in self.words if len(word) >= _FORM]

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers of the SQL and of what is known of its columns, without leading zeros."""
        found = {word.lstrip("0") for word in self.words if word.isdigit()}
        return _numbers(self._parsed.script.sql) | found

    @cached_property
    def bounds(self) -> frozenset[str]:
        """The numbers that are not what something is compared with for equality."""
        return _numbers(_EXACTLY.sub(" ", self._parsed.script.sql))

    def counts(self, number: str) -> bool:
        """Whether a number is there, with all parts of a date; ``> 89`` counts from 90 on, not ``= 89``."""
        for part in _DIGITS.findall(re.sub(r",(?=\d{3})", "", number)):
            plain = part.lstrip("0") or "0"
            spellings = {plain, plain[2:]} if len(plain) == 4 else {plain}
            if any(plain in known for known in self.numbers) or spellings & self.numbers:
                continue
            if self.bounds.isdisjoint((str(int(plain) + 1), str(int(plain) - 1))):
                return False
        return True

    def has_value(self, value: str) -> bool:
        """Whether the query has a value anywhere."""
        return any(value in fragment.literals for fragment in self._parsed.fragments)

    def holds(self, match: ValueMatch) -> bool:
        """Whether the query has a value that was found in the question, or asks for its column or its key."""
        if fold(match.value) in self._values:
            return True
        if f"{match.table}.{match.column}".lower() in self._names:
            return True
        return match.table.lower() in self._by_key

    def has_part(self, value: str) -> bool:
        """Whether a value of the query is this one, a part of it, or has it as a part."""
        words = set(fold(value).split())
        return any(words <= own or own <= words for own in self._value_words)

    @cached_property
    def _value_words(self) -> list[frozenset[str]]:
        return [frozenset(one.split()) for one in self._values if one]

    @cached_property
    def conditions(self) -> tuple[Fragment, ...]:
        """Its conditions with values."""
        return tuple(f for f in self._parsed.fragments if f.kind == "condition" and f.literals)

    @cached_property
    def _values(self) -> frozenset[str]:
        return frozenset(fold(one) for f in self._parsed.fragments for one in f.literals)

    @cached_property
    def _by_key(self) -> frozenset[str]:
        """Tables of which the query picks rows by a key: ``superhero.race_id = 21``."""
        found = set()
        for fragment in self._parsed.fragments:
            if fragment.kind not in ("condition", "calculation") or not fragment.literals:
                continue
            for name in fragment.columns:
                table, column = table_and_column(name)
                known = self._catalog.schema.table(table)
                if known is None:
                    continue
                own = known.column(column)
                found |= {table} if own is not None and own.primary_key else set()
                keys = (k for k in known.foreign_keys if column in {c.lower() for c in k.columns})
                found |= {key.ref_table.lower() for key in keys}
        return frozenset(found)


def _numbers(sql: str) -> frozenset[str]:
    return frozenset(n.lstrip("0") or "0" for n in _DIGITS.findall(sql.replace(",", "")))


def _alike(word: str, other: str) -> bool:
    """One holds the other, or both begin alike."""
    return word[: _FORM + 1] in other or other in word
