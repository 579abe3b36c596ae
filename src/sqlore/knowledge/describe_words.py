"""Tables, columns and values as words: the vocabulary of the rule-based describer.

Names come from the dictionary where it has one, from the schema's own spelling (`DisplayName` reads better
than the folded `displayname`), else from the name in the skeleton.
"""

from __future__ import annotations

import calendar
import re
from typing import Final, Protocol

from sqlore.catalog.names import humanize, word_set
from sqlore.model import Schema

__all__ = ["INSTANCE", "Vocabulary", "Words", "joined", "plural", "singular"]

INSTANCE: Final = "__instance"
"""What stands for the `#` of a table's second instance while a text is parsed."""

_IRREGULAR: Final = {"person": "people", "child": "children", "man": "men", "woman": "women", "foot": "feet"}
_SINGULAR: Final = {v: k for k, v in _IRREGULAR.items()}
_UNCHANGED: Final = word_set("series species data information news status trans gas atlas canvas bus basis")
_DATE_WORDS: Final = word_set(
    "date day month year time birthday birthdate timestamp dob datetime created updated at on period"
)
_ID_WORDS: Final = frozenset({"id", "uuid", "key", "no", "code", "guid"})
_MONTHS: Final = tuple(calendar.month_name)[1:]
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T].*)?\Z")
_MONTH = re.compile(r"(\d{4})-?(\d{2})\Z")
_PLAIN = re.compile(r"[^\W_][\w .,:/&'’()+-]*\Z")
_GLOSS_WORDS: Final = 8
_VALUE: Final = 60


class Words(Protocol):
    """What the describer asks of a dictionary; `sqlore.catalog.Dictionary` is one."""

    def name_of(self, table: str, column: str | None = None) -> str: ...
    def describe_column(self, table: str, column: str) -> str | None: ...
    def describe_value(self, table: str, column: str, value: str) -> str | None: ...


class Vocabulary:
    """Words for names, remembered: one history uses the same few columns again and again."""

    def __init__(self, dictionary: Words | None = None, schema: Schema | None = None) -> None:
        self._dictionary = dictionary
        self._schema = schema
        self._tables: dict[str, str] = {}
        self._columns: dict[tuple[str, str], str] = {}

    def table(self, name: str) -> str:
        """One row of the table: `hero_power` -> hero power, `molecules` -> molecule."""
        known = self._tables.get(name)
        if known is None:
            table, second, _ = name.partition(INSTANCE)
            words = singular(self._given(table, None))
            known = self._tables[name] = f"other {words}" if second else words
        return known

    def tables(self, name: str) -> str:
        """Its rows: `superhero` -> superheroes."""
        return plural(self.table(name))

    def column(self, table: str, column: str) -> str:
        """The column without its table's name: `publisher.publisher_name` -> name."""
        known = self._columns.get((table, column))
        if known is None:
            known = self._columns[table, column] = self._short(table.partition(INSTANCE)[0], column)
        return known

    def full(self, table: str, column: str) -> str:
        """The column with its table, each word once: `publisher.publisher_name` -> publisher name."""
        column_words, owner = self.column(table, column), self.table(table)
        if not table or owner in column_words or column_words in owner.split():
            return column_words
        return f"{owner} {column_words}"

    def gloss(self, table: str, column: str) -> str:
        """A few more words about a column whose name alone says too little, else nothing."""
        text = self._dictionary.describe_column(table, column) if self._dictionary else None
        if not text:
            return ""
        short = re.split(r"[\n;.(:]", text.strip(" #"), maxsplit=1)[0].strip()
        words = short.lower().split()
        known = set(self.full(table, column).lower().split()) | {"the", "of", "a", "an", "s"}
        new = [word for word in words if word.strip("'’s,") not in known]
        return short if new and 0 < len(words) <= _GLOSS_WORDS else ""

    def value(self, text: str, table: str = "", column: str = "") -> str:
        """A literal as people say it, with what its code means: `+` -> '+' (carcinogenic)."""
        shown = text if len(text) <= _VALUE else text[:_VALUE].rstrip() + "…"
        shown = shown if _PLAIN.match(shown) else f"'{shown}'"
        meaning = self._meaning(text, table, column) or self._moment(text, table, column)
        return f"{shown} ({meaning})" if meaning else shown

    def is_moment(self, table: str, column: str) -> bool:
        """Whether a column holds dates or times, by its words."""
        words = self.full(table, column).lower().replace("-", " ").split()
        return not _DATE_WORDS.isdisjoint(words) and "id" not in words

    def counted(self, table: str, column: str) -> str:
        """What is counted when this column is: rows of its table for its key, of another for another's."""
        words = self.column(table, column).split()
        owner = self.table(table)
        if words[-1] not in _ID_WORDS:
            return plural(self.full(table, column))
        rest = " ".join(word for word in words[:-1] if word != "api")
        if not rest or rest in owner or owner in rest:
            return plural(owner)
        return plural(rest)

    def is_key(self, table: str, column: str) -> bool:
        """Whether a column is its table's own key, by its words: `id`, `district.district_id`."""
        words = self.column(table, column).split()
        return words[-1] in _ID_WORDS and self.counted(table, column) == self.tables(table)

    def is_name(self, table: str, column: str) -> bool:
        """Whether a column names its rows: `publisher.publisher_name`, `colour.colour`."""
        words = self.column(table, column)
        return words in ("name", "title", self.table(table))

    def _given(self, table: str, column: str | None) -> str:
        bare_table, bare_column = _bare(table), _bare(column) if column else None
        words = self._dictionary.name_of(bare_table, bare_column) if self._dictionary else ""
        folded = humanize(bare_column or bare_table.rpartition(".")[2])
        if words and words != folded:
            return _lower(words)
        found = self._schema.table(bare_table) if self._schema else None
        spelled = None
        if found is not None:
            spelled = found.column(bare_column) if bare_column else found
        return _lower(humanize(spelled.name) if spelled else folded)

    def _short(self, table: str, column: str) -> str:
        words = self._given(table, column)
        if not table:
            return words
        owner = self.table(table)
        for prefix in (owner + " ", plural(owner) + " "):
            if words.startswith(prefix) and words != prefix.strip():
                return words[len(prefix) :]
        return words

    def _meaning(self, text: str, table: str, column: str) -> str:
        if not (self._dictionary and table):
            return ""
        known = self._dictionary.describe_value(_bare(table), _bare(column), text)
        return known.strip() if known and known.strip().lower() != text.lower() else ""

    def _moment(self, text: str, table: str, column: str) -> str:
        if not column or not text[:1].isdigit() or not self.is_moment(table, column):
            return ""
        if day := _DAY.match(text):
            return _spoken(day[1], day[2], day[3])
        month = _MONTH.match(text)
        return _spoken(month[1], month[2]) if month else ""


def _spoken(year: str, month: str, day: str = "") -> str:
    number = int(month)
    if not 1 <= number <= 12:
        return ""
    return f"{int(day)} {_MONTHS[number - 1]} {year}" if day else f"{_MONTHS[number - 1]} {year}"


def _bare(name: str) -> str:
    return name.strip('"').replace('""', '"') if '"' in name else name


def _lower(words: str) -> str:
    """Lower case but for abbreviations, which the dictionary and the schema keep apart."""
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words.split())


def plural(words: str) -> str:
    """The plural of the last word.

    >>> plural("superhero"), plural("hero power"), plural("person"), plural("cards"), plural("county")
    ('superheroes', 'hero powers', 'people', 'cards', 'counties')
    """
    head, _, last = words.rpartition(" ")
    return f"{head} {_plural(last)}".strip()


def _plural(word: str) -> str:
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if not word or low in _UNCHANGED or not word[-1].isalpha() or word.isupper():
        return word
    if low.endswith("s") and not low.endswith(("ss", "us")):
        return word
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if low.endswith(("ss", "us", "x", "ch", "sh", "hero", "potato", "veto")):
        return word + "es"
    return word + "s"


def singular(words: str) -> str:
    """The singular of the last word.

    >>> singular("molecules"), singular("categories"), singular("superhero"), singular("status")
    ('molecule', 'category', 'superhero', 'status')
    """
    head, _, last = words.rpartition(" ")
    return f"{head} {_singular(last)}".strip()


def _singular(word: str) -> str:
    low = word.lower()
    if low in _SINGULAR:
        return _SINGULAR[low]
    if low in _UNCHANGED or len(low) < 4 or low.endswith(("ss", "us", "is")) or not low.endswith("s"):
        return word
    if low.endswith("ies") and len(low) > 4:
        return word[:-3] + "y"
    if low.endswith(("sses", "xes", "ches", "shes", "heroes")):
        return word[:-2]
    return word[:-1]


def joined(parts: list[str], last: str = "and") -> str:
    """Parts as a list in a sentence.

    >>> joined(["a", "b", "c"]), joined(["a", "b"], "or"), joined(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    parts = list(dict.fromkeys(parts))
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}" if len(parts) > 1 else "".join(parts)
