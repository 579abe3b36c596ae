"""Tables, columns and values as words: the vocabulary of the rule-based describer.

Names come from the dictionary where it has one, from the schema's own spelling (`DisplayName` reads better
than the folded `displayname`), else from the name in the skeleton.
"""

from __future__ import annotations

import calendar
import re
from typing import Final, Protocol

from sqlore.catalog import Entry
from sqlore.catalog.names import humanize, word_set
from sqlore.catalog.text import STOP_WORDS
from sqlore.knowledge.describe.english import plural, singular
from sqlore.model import Schema

__all__ = ["INSTANCE", "Vocabulary", "Words"]

INSTANCE: Final = "__instance"
"""What stands for the `#` of a table's second instance while a text is parsed."""

_DATE_WORDS: Final = word_set(
    "date day month year time birthday birthdate timestamp dob datetime created updated at on period dt"
)
_ID_WORDS: Final = frozenset({"id", "uuid", "key", "no", "code", "guid"})
_MONTHS: Final = tuple(calendar.month_name)[1:]
_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T].*)?\Z")
_MONTH = re.compile(r"(\d{4})-?(\d{2})\Z")
_PLAIN = re.compile(r"[^\W_][\w .,:/&'’()+-]*\Z")
_TOKEN = re.compile(r"[^\W_]+")
_OF = re.compile(r"(?:the )?(.+?) of (?:the |an? )?(.+)\Z", re.IGNORECASE)
_EMPTY: Final = word_set("the of a an s or and is in this that whether its for")
_VOWELS: Final = frozenset("aeiouy")
_KNOWN_SHORT: Final = word_set("id ids km cm kg mm ID URL API km2 1 2 3")
_SHOUTED: Final = word_set("SEX AGE NAME DATE TYPE CODE YEAR CITY DAY NO")
_ABBREVIATED: Final = word_set("avg num amt qty cnt addr fname lname cd cds dt desc doc adm ext tot pct")
_NO_WORDS: Final = word_set(
    "disp trans cust ord emp dept acct inv trx txn mgr stg fct tbl attr cfg usr grp proj hist dst src tmp"
)
_KEY_WORDS: Final = word_set("api unique row")
_GLOSS_WORDS: Final = 8
_NOUN_WORDS: Final = 3
_VALUE: Final = 60


class Words(Protocol):
    """What the describer asks of a dictionary; `sqlore.catalog.Dictionary` is one."""

    def entry(self, table: str, column: str | None = None, value: str | None = None) -> Entry | None: ...


class Vocabulary:
    """Words for names, remembered: one history uses the same few columns again and again.

    `roles` are other words for tables while one query is said: `colour` joined by `eye_colour_id` is the eye
    colour there.
    """

    def __init__(self, dictionary: Words | None = None, schema: Schema | None = None) -> None:
        self._dictionary = dictionary
        self._schema = schema
        self._tables: dict[str, str] = {}
        self._columns: dict[tuple[str, str], str] = {}
        self.roles: dict[str, str] = {}

    def table(self, name: str) -> str:
        """One row of the table: `hero_power` -> hero power, `molecules` -> molecule."""
        return self.roles.get(name) or self._owner(name)

    def _owner(self, name: str) -> str:
        known = self._tables.get(name)
        if known is None:
            table, second, _ = name.partition(INSTANCE)
            words = "step" if self._is_step(table) else singular(self._given(table, None))
            known = self._tables[name] = f"other {words}" if second else words
        return known

    def _is_step(self, table: str) -> bool:
        """Whether a name stands for what a recursive query has found so far."""
        return table == "cte" and (self._schema is None or self._schema.table(table) is None)

    def tables(self, name: str) -> str:
        """Its rows: `superhero` -> superheroes; of a name that is no word, `disp` -> disp rows."""
        words = self.table(name)
        return plural(words) if _is_word(words.rpartition(" ")[2]) else f"{words} rows"

    def column(self, table: str, column: str) -> str:
        """The column without its table's name: `publisher.publisher_name` -> name."""
        known = self._columns.get((table, column))
        if known is None:
            known = self._columns[table, column] = self._short(table.partition(INSTANCE)[0], column)
        return known

    def full(self, table: str, column: str) -> str:
        """The column with its table, each word once: `publisher.publisher_name` -> publisher name."""
        words, owner = self.column(table, column), self.table(table)
        if not table or owner in words:
            return words
        if words in owner.split():
            return owner
        head, _, last = owner.rpartition(" ")
        return f"{head} {words}" if head and words.split()[0] == last else f"{owner} {words}"

    def gloss(self, table: str, column: str) -> str:
        """A few more words about a column whose name alone says too little, else nothing."""
        said = self.column(table, column)
        entry = self._entry(table, column)
        if entry is None or said.split()[-1] in _ID_WORDS:
            return ""
        known = {singular(word) for word in _TOKEN.findall(f"{self.full(table, column)} {said}".lower())}
        for text in (entry.name, *entry.synonyms, entry.description):
            short = _first_words(text)
            words = _TOKEN.findall(short.lower())
            new = [word for word in words if singular(word) not in known and word not in _EMPTY]
            about = _OF.match(short)
            if (about and about[1].lower() == said) or short.lower().startswith(f"{said.lower()} "):
                continue  # "gender of the superhero" says no more than gender
            if new and len(words) <= _GLOSS_WORDS and short[-1] not in "…," and "•" not in short:
                return short
        return ""

    def value(self, text: str, table: str = "", column: str = "") -> str:
        """A literal as people say it, with what its code means: `+` -> '+' (carcinogenic)."""
        if not text:
            return "empty"
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
        if self.is_key(table, column) or self.is_name(table, column):
            return self.tables(table)
        words = self.column(table, column).split()
        known = self.refers(table, column)
        if known:
            return self.tables(known)
        if words[-1] not in _ID_WORDS:
            return plural(self.full(table, column))
        return plural(" ".join(word for word in words[:-1] if word not in _KEY_WORDS))

    def is_key(self, table: str, column: str) -> bool:
        """Whether a column is its table's own key: by the schema, else by its words."""
        if self._keys(table)[0] == _bare(column).lower():
            return True
        if self.refers(table, column):
            return False
        words, owner = self.column(table, column).split(), self._owner(table).removeprefix("other ")
        if words[-1] not in _ID_WORDS:
            return False
        rest = " ".join(word for word in words[:-1] if word not in _KEY_WORDS)
        solid = owner.replace(" ", "")
        return not rest or rest.replace(" ", "") == solid or (owner == solid and rest in owner)

    def is_required(self, table: str, column: str) -> bool:
        """Whether every row of a table has a value there: one of its key, or one that may not be missing."""
        found = self._schema.table(_bare(table.partition(INSTANCE)[0])) if self._schema else None
        known = found.column(_bare(column)) if found is not None else None
        return known.primary_key or not known.nullable if known is not None else self.is_key(table, column)

    def refers(self, table: str, column: str) -> str:
        """The table that a column points to, by the schema."""
        return self._keys(table)[1].get(_bare(column).lower(), "")

    def is_name(self, table: str, column: str) -> bool:
        """Whether a column names its rows: `publisher.publisher_name`, `colour.colour`."""
        owner = self._owner(table).removeprefix("other ")
        return self.column(table, column) in ("name", "title", owner, f"{owner} name")

    def _keys(self, table: str) -> tuple[str, dict[str, str]]:
        """By the schema: a table's key where it is one column, and the tables its other keys point to."""
        found = self._schema.table(_bare(table.partition(INSTANCE)[0])) if self._schema else None
        if found is None:
            return "", {}
        keys = [column.name.lower() for column in found.columns if column.primary_key]
        others = {
            key.columns[0].lower(): key.ref_table for key in found.foreign_keys if len(key.columns) == 1
        }
        return keys[0] if len(keys) == 1 else "", others

    def _entry(self, table: str, column: str | None, value: str | None = None) -> Entry | None:
        if self._dictionary is None:
            return None
        bare = _bare(table.partition(INSTANCE)[0])
        return self._dictionary.entry(bare, _bare(column) if column else None, value)

    def _given(self, table: str, column: str | None) -> str:
        """The name a person gave; else the name itself as words; else, where that says nothing, a file's."""
        bare_table, bare_column = _bare(table), _bare(column) if column else None
        found = self._schema.table(bare_table) if self._schema else None
        spelled = found.column(bare_column) if found is not None and bare_column else found
        folded = bare_column or bare_table.rpartition(".")[2]
        own = _lower(humanize(spelled.name if spelled else folded))
        entry = self._entry(table, column)
        plain = _says_something(own) and (column is not None or _is_word(own.rpartition(" ")[2]))
        if entry is None or (plain and (entry.source != "person" or not entry.name)):
            return own
        given = entry.name or (_noun(entry.description) if column is None else "")
        return _lower(humanize(given)) or own

    def _short(self, table: str, column: str) -> str:
        if self._is_step(table) and column[:1] == "c" and column[1:].isdigit():
            return f"column {column[1:]}"
        words = self._given(table, column)
        if not table:
            return words
        owner = self._owner(table)
        described = _OF.match(words)
        if described and singular(described[2].lower()) == owner:
            return described[1]  # "the name of the publisher" is its name
        words = words.removeprefix("the ")
        for prefix in (owner + " ", plural(owner) + " "):
            if words.startswith(prefix) and not words.startswith(prefix + "of "):  # day of week
                return words[len(prefix) :]
        return words

    def _meaning(self, text: str, table: str, column: str) -> str:
        entry = self._entry(table, column, text) if table and column else None
        known = _first_words(entry.description) if entry else ""
        return known if known.lower() != text.lower() else ""

    def _moment(self, text: str, table: str, column: str) -> str:
        if not column or not text[:1].isdigit() or not self.is_moment(table, column):
            return ""
        if day := _DAY.match(text):
            return _spoken(day[1], day[2], day[3])
        month = _MONTH.match(text)
        return _spoken(month[1], month[2]) if month else ""


def _first_words(text: str) -> str:
    """The first few words of a description."""
    first = re.split(r"[\n;.(:]", text.strip(" #"), maxsplit=1)[0].strip().removeprefix("the ")
    words = first.split()
    return first if len(words) <= _GLOSS_WORDS else " ".join(words[:_GLOSS_WORDS]) + "…"


def _noun(description: str) -> str:
    """What a table is called where its description is no more than that: "Dispositions.", "order items".

    >>> _noun("Account dispositions."), _noun("who may use an account"), _noun("")
    ('Account dispositions', '', '')
    """
    words = _TOKEN.findall(description)
    short = 0 < len(words) <= _NOUN_WORDS and " ".join(words) == description.strip(" .")
    return " ".join(words) if short and STOP_WORDS.isdisjoint(word.lower() for word in words) else ""


def _says_something(words: str) -> bool:
    """Whether a name reads as words: not A11, T-BIL, cds or avg scr write."""
    return not any(
        word not in _KNOWN_SHORT
        and (word in _ABBREVIATED or not word.isalpha() or word.isupper() or _VOWELS.isdisjoint(word.lower()))
        for word in words.split()
    )


def _is_word(word: str) -> bool:
    """Whether a table's name has a plural: not disp, cust, T1 or xyz, which are parts of words or none."""
    low = word.lower()
    short = low in _NO_WORDS or low in _ABBREVIATED
    return not (short or (word.isascii() and word.isalpha() and len(word) < 6 and _VOWELS.isdisjoint(low)))


def _spoken(year: str, month: str, day: str = "") -> str:
    number = int(month)
    if not 1 <= number <= 12:
        return ""
    return f"{int(day)} {_MONTHS[number - 1]} {year}" if day else f"{_MONTHS[number - 1]} {year}"


def _bare(name: str) -> str:
    return name.strip('"').replace('""', '"') if '"' in name else name


def _lower(words: str) -> str:
    """Lower case but for abbreviations, which the dictionary and the schema keep apart."""
    return " ".join(
        word if word.isupper() and len(word) > 1 and word not in _SHOUTED else word.lower()
        for word in words.split()
    )
