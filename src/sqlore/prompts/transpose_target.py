"""What a database has for the places of a query: columns that suit a use, values of a column, known joins."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sqlore.catalog.names import looks_secret, quote_name
from sqlore.prompts.transpose_slots import Use
from sqlore.sql.literals import quote_text

if TYPE_CHECKING:
    from sqlore.catalog import Catalog, ColumnProfile
    from sqlore.model import Table

__all__ = ["Join", "Target", "TargetColumn"]

Join = tuple[str, str, str, str]
"""Table, column, table, column, lower-case: the first refers to the second, or the other way round."""

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_DATE: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?\b|\d{1,2}/\d{1,2}/\d{4}")
_KEY: Final = re.compile(r"(?:^|_)(?:id|key|code|no|nr|uuid)s?$|(?<=[a-z])(?:Id|ID|Key)$", re.IGNORECASE)
_NAME: Final = re.compile(r"name|title|label|description", re.IGNORECASE)
#: Numbers that nobody adds up.
_NO_MEASURE: Final = re.compile(
    r"lat(itude)?$|lon(g|gitude)?$|year|zip|phone|code|_?nr$|number$", re.IGNORECASE
)


@dataclass(frozen=True)
class TargetColumn:
    """A column of the target; `kind` is what its values are, whatever its type is declared as."""

    table: str
    name: str
    kind: str  # number, date, text, other
    key: bool
    distinct: int
    filled: int
    values: tuple[str, ...]
    bare: bool  # whether its values stand without quotes

    def suits(self, use: Use) -> int:
        """How well it serves a use: 3 well, 2 perhaps, 1 in need, 0 not at all."""
        named = bool(_NAME.search(self.name)) and self.kind == "text"
        measure = self.kind == "number" and not self.key and not _NO_MEASURE.search(self.name)
        coded = 1 < self.distinct <= max(2, self.filled // 3)
        if use == "number":
            return 0 if self.kind != "number" or self.key else 3 if measure and self.distinct > 5 else 1
        if use == "range":
            return 3 if measure or self.kind == "date" else 1 if self.kind == "number" and not self.key else 0
        if use == "date":
            return 3 if self.kind == "date" else 0
        if use == "text":
            return 0 if self.kind != "text" else 3 if named else 2
        if use == "category":
            if not coded or self.kind == "other":
                return 0
            return 3 if self.kind == "text" else 1 if measure else 2
        return 0 if self.kind == "other" else 1 if self.key else 3 if named or self.kind == "text" else 2

    def literal(self, number: int) -> str:
        """One of its values as SQL, the most frequent first; empty where none is known."""
        if not self.values:
            return ""
        return self._said(self.values[number % len(self.values)])

    def at(self, share: float) -> str:
        """The value that about this share of the known ones lie below."""
        if self.kind == "number" and len(self.values) == 2:  # the ends of what is there
            low, high = (float(value) for value in self.values)
            between = low + share * (high - low)
            whole = "." not in "".join(self.values) or abs(high - low) > 20
            return self._said(str(round(between)) if whole else f"{between:.2f}")
        values = sorted(self.values, key=float) if self.kind == "number" else sorted(self.values)
        return self._said(values[min(len(values) - 1, int(share * len(values)))]) if values else ""

    def word(self, number: int) -> str:
        """A word of one of its values, to look for with LIKE; empty where none is known."""
        words = [word for value in self.values for word in re.findall(r"[^\W\d_]{3,}", value)[:1]]
        return words[number % len(words)] if words else ""

    def _said(self, value: str) -> str:
        return value if self.bare else quote_text(value)


class Target:
    """A database to fill patterns from; what is secret or has no values is not offered."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.dialect = catalog.schema.dialect
        self.tables = {table.name.lower(): table for table in catalog.schema.tables if not table.schema}

    @cached_property
    def columns(self) -> dict[str, list[TargetColumn]]:
        """The columns of each table that hold something."""
        return {name: list(self._columns(table)) for name, table in self.tables.items()}

    def column(self, table: str, name: str) -> TargetColumn | None:
        """A column by its names, lower-case."""
        return next((one for one in self.columns[table] if one.name.lower() == name), None)

    def _columns(self, table: Table) -> Iterator[TargetColumn]:
        for column in table.columns:
            seen = self._catalog.profile.column(table.name, column.name)
            if seen is None or not seen.filled or seen.skipped or looks_secret(column.name):
                continue
            kind = _kind(seen)
            values = tuple(v for v in _samples(seen) if kind != "number" or _is_number(v))
            single = kind == "number" and (seen.distinct or 0) >= max(50, 0.98 * seen.filled)
            key = column.primary_key or single or bool(_KEY.search(column.name))
            bare = seen.kind == "number"  # numbers in a column declared as text, or as nothing, are texts
            yield TargetColumn(
                table.name, column.name, kind, key, seen.distinct or 0, seen.filled, values, bare
            )

    @cached_property
    def joins(self) -> list[Join]:
        """The declared foreign keys; where there are none, key-like columns of the same name."""
        declared = [
            (name, key.columns[0].lower(), key.ref_table.lower(), key.ref_columns[0].lower())
            for name, table in self.tables.items()
            for key in table.foreign_keys
            if len(key.columns) == 1 and key.ref_columns and key.ref_table.lower() in self.tables
        ]
        return declared or list(self._namesakes())

    @cached_property
    def on(self) -> dict[tuple[str, str], tuple[str, str]]:
        """The columns on which two tables are joined, either way round; of several joins the first."""
        found: dict[tuple[str, str], tuple[str, str]] = {}
        for left, left_column, right, right_column in self.joins:
            found.setdefault((left, right), (left_column, right_column))
            found.setdefault((right, left), (right_column, left_column))
        return found

    def joined(self, one: str, other: str = "") -> bool:
        """Whether two tables are joined; one alone, or with itself, needs no join."""
        return other in ("", one) or (one, other) in self.on

    def _namesakes(self) -> Iterator[Join]:
        names = list(self.tables)
        for number, one in enumerate(names):
            for other in names[number + 1 :]:
                mine = {c.name.lower() for c in self.columns[one] if c.key}
                for column in sorted(mine & {c.name.lower() for c in self.columns[other]}):
                    yield one, column, other, column

    def fitting(self, table: str, use: Use, taken: Collection[str]) -> list[TargetColumn]:
        """The table's columns that serve a use best, without those of `taken` names (lower-case)."""
        free = [one for one in self.columns[table] if one.suits(use) and one.name.lower() not in taken]
        best = max((one.suits(use) for one in free), default=0)
        return [one for one in free if one.suits(use) == best]

    def quoted(self, name: str) -> str:
        """A name as SQL."""
        return quote_name(name, self.dialect)


def _samples(seen: ColumnProfile) -> tuple[str, ...]:
    values = [value for value, _ in seen.values[:40] if value.strip() and len(value) <= 60]
    ends = [end for end in (seen.minimum, seen.maximum) if end]
    return tuple(values or ends)


def _is_number(text: str) -> bool:
    """Whether it is written as a number of SQL: a column of numbers may hold ``N/A``."""
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def _kind(seen: ColumnProfile) -> str:
    """What the values are: a column declared as text, or as nothing, may hold numbers."""
    values = [value for value, _ in seen.values[:40]]
    if seen.kind in ("number", "date") or not values:
        return seen.kind
    for kind, form in (("number", _NUMBER), ("date", _DATE)):
        if all(form.fullmatch(value) if kind == "number" else form.match(value) for value in values if value):
            return kind
    return seen.kind
