"""The data dictionary: what tables, columns and coded values mean, and where that is known from.

Several sources may speak about one thing. For each property (name, description) the most trusted source that
has one wins: a person, then a file, then the database's own comments, then the history, then a model; within
one source the later entry wins, of a history the one that more scripts say. Nothing is thrown away: all
entries stay, so a person's entry taken back uncovers the file's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from sqlore.catalog.meanings import comment_meanings, reads_like_name
from sqlore.catalog.names import humanize
from sqlore.model import Schema

Source = Literal["database", "file", "history", "person", "model"]

PRECEDENCE: Final[Mapping[str, int]] = {"person": 0, "file": 1, "database": 2, "history": 3, "model": 4}
"""Whose word counts more: the smaller number."""

Key = tuple[str, str, str | None]

_NUMBERS: Final = re.compile(r"(?:tiny|small|medium|big|u)?int|num|dec|real|float|double|serial", re.I)


@dataclass(frozen=True, slots=True)
class Entry:
    """What one source says about a table (`column` and `value` None), a column (`value` None) or a value.

    `name` is a short name in words ("average salary" for ``A11``), `description` a sentence or more; for a
    value it is the meaning ("carcinogenic" for ``+``). `support` counts the scripts that say so. `sensitive`
    says that mistakes in this column (or in all columns of this table) are costly; None says nothing of it.
    `table` and `column` are folded to lower case, `value` is kept as it is in the database.
    """

    table: str
    column: str | None = None
    value: str | None = None
    description: str = ""
    source: Source = "file"
    name: str = ""
    synonyms: tuple[str, ...] = ()
    support: int = 1
    sensitive: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", self.table.lower())
        if self.column is not None:
            object.__setattr__(self, "column", self.column.lower())

    @property
    def key(self) -> Key:
        """What the entry is about: table, column or "" for the table itself, value or None."""
        return self.table, self.column or "", self.value


_DEFAULTS: Final = asdict(Entry(""))


@dataclass(frozen=True, slots=True)
class Dictionary:
    """All entries, with the best of each found at once. Immutable: `with_entries` makes a new one.

    >>> d = Dictionary().with_entries([Entry("Molecule", "label", "+", "carcinogenic", "history"),
    ...                                Entry("molecule", "label", None, "the verdict", "database")])
    >>> d.describe_value("molecule", "LABEL", "+"), d.describe_column("molecule", "label")
    ('carcinogenic', 'the verdict')
    >>> person = Entry("molecule", "label", "+", "causes cancer", "person")
    >>> d.with_entries([person]).value_meanings("molecule", "label")
    {'+': 'causes cancer'}
    """

    entries: tuple[Entry, ...] = ()
    _best: dict[Key, Entry] = field(default_factory=dict, init=False, repr=False, compare=False)
    _values: dict[tuple[str, str], dict[str, Entry]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        ranked = sorted(enumerate(self.entries), key=lambda pair: _trust(pair[1], pair[0]))
        for _, entry in ranked:
            known = self._best.get(entry.key)
            self._best[entry.key] = entry if known is None else _merged(known, entry)
        for (table, column, value), entry in self._best.items():
            if value is not None and entry.description:
                self._values.setdefault((table, column), {})[value] = entry

    def with_entries(self, entries: Iterable[Entry]) -> Dictionary:
        """A dictionary with these entries as well; an entry already there is not repeated."""
        return Dictionary(tuple(dict.fromkeys((*self.entries, *entries))))

    def without(
        self, table: str, column: str | None = None, value: str | None = None, *, source: Source
    ) -> Dictionary:
        """A dictionary without what `source` said about exactly this table, column or value."""
        key = Entry(table, column, value).key
        kept = tuple(e for e in self.entries if e.source != source or e.key != key)
        return Dictionary(kept)

    def entry(self, table: str, column: str | None = None, value: str | None = None) -> Entry | None:
        """The best entry, its properties completed from less trusted ones; None where nothing is known."""
        if value is None:
            return self._best.get((table.lower(), (column or "").lower(), None))
        known = self._values.get((table.lower(), (column or "").lower()), {})
        folded = value.casefold()
        return known.get(value) or next((e for v, e in known.items() if v.casefold() == folded), None)

    def describe_table(self, table: str) -> str | None:
        """What the table holds."""
        return _description(self.entry(table))

    def describe_column(self, table: str, column: str) -> str | None:
        """What the column holds."""
        return _description(self.entry(table, column))

    def describe_value(self, table: str, column: str, value: str) -> str | None:
        """What a coded value means; exact spelling first, then any case."""
        return _description(self.entry(table, column, value))

    def value_meanings(self, table: str, column: str) -> dict[str, str]:
        """All values of a column whose meaning is known, in a stable order."""
        known = self._values.get((table.lower(), column.lower()), {})
        return {value: known[value].description for value in sorted(known)}

    def name_of(self, table: str, column: str | None = None) -> str:
        """A short name in words for a table or column: a given one, else the name itself taken apart.

        >>> Dictionary((Entry("district", "a11", name="average salary"),)).name_of("district", "A11")
        'average salary'
        >>> Dictionary().name_of("district", "district_id")
        'district id'
        """
        entry = self.entry(table, column)
        return entry.name if entry and entry.name else humanize(column or table)

    def names(self, table: str, column: str | None = None) -> tuple[str, ...]:
        """Every name people use for a table or column: given names, synonyms, the name itself in words."""
        entry = self.entry(table, column)
        given = (entry.name, *entry.synonyms) if entry else ()
        return tuple(dict.fromkeys(n for n in (*given, humanize(column or table)) if n))

    def sensitive(self, schema: Schema) -> frozenset[str]:
        """The columns marked as sensitive (``table.column``, folded), by themselves or with their table.

        >>> from sqlore.model import Column, Table
        >>> schema = Schema((Table("Loan", (Column("id"), Column("Rate"))),))
        >>> entries = Entry("loan", sensitive=True), Entry("loan", "id", sensitive=False)
        >>> Dictionary(entries).sensitive(schema)
        frozenset({'loan.rate'})
        """
        if not any(entry.sensitive for entry in self.entries):
            return frozenset()
        found = set()
        for table in schema.tables:
            name = table.full_name
            whole = _is_sensitive(self.entry(name))
            for column in table.columns:
                own = _is_sensitive(self.entry(name, column.name))
                if whole if own is None else own:
                    found.add(f"{name}.{column.name}".lower())
        return frozenset(found)

    def to_json(self) -> list[dict[str, Any]]:
        """The entries as plain data; properties at their default are left out."""
        return [
            {k: v for k, v in asdict(entry).items() if v != _DEFAULTS[k] or k == "table"}
            for entry in self.entries
        ]

    @classmethod
    def from_json(cls, data: Iterable[Mapping[str, Any]]) -> Dictionary:
        """The dictionary that `to_json` wrote."""
        return cls(tuple(Entry(**{**row, "synonyms": tuple(row.get("synonyms", ()))}) for row in data))


def _trust(entry: Entry, position: int) -> tuple[int, int, int]:
    """Sorts the most trusted first; what more scripts say counts more than what a later one says."""
    said = entry.support if entry.source == "history" else 1
    return PRECEDENCE[entry.source], -said, -position


def _merged(better: Entry, other: Entry) -> Entry:
    """`better`, its empty properties filled from `other`, names of both kept as synonyms."""
    name = better.name or other.name
    names = (*better.synonyms, other.name, *other.synonyms)
    synonyms = tuple(dict.fromkeys(n for n in names if n and n.lower() != name.lower()))
    return Entry(
        better.table,
        better.column,
        better.value,
        better.description or other.description,
        better.source,
        name,
        synonyms,
        max(better.support, other.support),
        other.sensitive if better.sensitive is None else better.sensitive,
    )


def _description(entry: Entry | None) -> str | None:
    return entry.description or None if entry else None


def _is_sensitive(entry: Entry | None) -> bool | None:
    return entry.sensitive if entry else None


def entries_from_schema(schema: Schema) -> list[Entry]:
    """The database's own comments as entries: a short noun phrase is a name too, `3 = lost` a code's meaning.

    >>> from sqlore.model import Column, Table
    >>> columns = Column("a11", comment="average salary"), Column("st", comment="3 = lost")
    >>> [(e.value, e.name, e.description) for e in entries_from_schema(Schema((Table("t", columns),)))]
    [(None, 'average salary', 'average salary'), ('3', '', 'lost')]
    """
    entries = []
    for table in schema.tables:
        if table.comment and table.comment.strip():
            entries.append(Entry(table.full_name, None, None, table.comment.strip(), "database"))
        names = [column.name for column in table.columns]
        for column in table.columns:
            comment = (column.comment or "").strip()
            numeric = _NUMBERS.match(column.type) is not None
            about, meanings = comment_meanings(comment, numeric=numeric, column=column.name, columns=names)
            if about:
                name = about if reads_like_name(about) else ""
                entries.append(Entry(table.full_name, column.name, None, about, "database", name))
            for value, meaning in meanings.items():
                entries.append(Entry(table.full_name, column.name, value, meaning, "database"))
    return entries
