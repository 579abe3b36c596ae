"""The catalog: schema, data dictionary, profile and value index of one database, as one value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sqlore.catalog.dictionary import Dictionary, Entry, entries_from_schema
from sqlore.catalog.names import humanize
from sqlore.catalog.profile import ColumnProfile, Profile, ProfileBudget, Progress, profile_database
from sqlore.catalog.readers import read_dictionary
from sqlore.catalog.values import ColumnValues, ValueIndex
from sqlore.engines import Engine
from sqlore.model import Column, ForeignKey, Schema, Table

_KEPT: Final = 50  # values a column that stay in the profile; all of them are in the value index
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?\Z")
_TELLING_NUMBER: Final = re.compile(r"(?!\d+000\Z)-?(?:\d{5,}|\d+\.\d\d+)\Z")
_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\Z", re.I)
_YEAR: Final = re.compile(r"\d{4}\Z")


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a database holds and means. Immutable; `with_entries` makes a new one."""

    schema: Schema
    dictionary: Dictionary = field(default_factory=Dictionary)
    values: ValueIndex = field(default_factory=ValueIndex)
    profile: Profile = field(default_factory=Profile)

    def with_entries(self, entries: Iterable[Entry]) -> Catalog:
        """A catalog that knows these entries too; new meanings of values are found in questions."""
        return self.with_only((*self.dictionary.entries, *entries))

    def with_only(self, entries: Iterable[Entry]) -> Catalog:
        """A catalog that knows these entries and no others of its dictionary."""
        dictionary = Dictionary().with_entries(entries)
        kept = {(c.table.lower(), c.column.lower()): c.values for c in self.values.columns}
        return replace(self, dictionary=dictionary, values=_index(self.schema, dictionary, kept))

    def to_json(self) -> dict[str, Any]:
        """The catalog as plain data, for the store."""
        return {
            "schema": schema_to_json(self.schema),
            "dictionary": self.dictionary.to_json(),
            "values": self.values.to_json(),
            "profile": self.profile.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Catalog:
        """The catalog that `to_json` wrote; the database is not touched."""
        return cls(
            schema_from_json(data["schema"]),
            Dictionary.from_json(data["dictionary"]),
            ValueIndex.from_json(data["values"]),
            Profile.from_json(data["profile"]),
        )


def build_catalog(
    engine: Engine,
    *,
    dictionary_files: Iterable[str | Path] = (),
    entries: Iterable[Entry] = (),
    budget: ProfileBudget | None = None,
    on_progress: Progress | None = None,
) -> Catalog:
    """Read schema, comments and values of a database, and the dictionary files beside it.

    Of files that speak about one thing the later wins. Raises what `Engine.schema` and `read_dictionary`
    raise; columns that cannot be looked at within the budget are named in `catalog.profile.cut`.
    """
    schema = engine.schema()
    dictionary = _dictionary(schema, dictionary_files, entries)
    profile = profile_database(engine, schema, budget, on_progress)
    kept = {
        (c.table.lower(), c.column.lower()): tuple(_spoken(c, schema)) for c in profile.columns if c.values
    }
    return Catalog(schema, dictionary, _index(schema, dictionary, kept), profile.trimmed(_KEPT))


def catalog_from_schema(
    schema: Schema, *, dictionary_files: Iterable[str | Path] = (), entries: Iterable[Entry] = ()
) -> Catalog:
    """A catalog without a database: names, comments and dictionary files only."""
    dictionary = _dictionary(schema, dictionary_files, entries)
    return Catalog(schema, dictionary, _index(schema, dictionary, {}))


def _dictionary(schema: Schema, files: Iterable[str | Path], entries: Iterable[Entry]) -> Dictionary:
    read = [entry for file in files for entry in read_dictionary(file, schema.name or None)]
    return Dictionary().with_entries([*entries_from_schema(schema), *read, *entries])


def _spoken(profile: ColumnProfile, schema: Schema) -> Iterator[str]:
    """The values of a column that a question would name.

    Numbers of keys are left out, and of other numbers those that a question would rather say as a limit or a
    year ("over 10000", "in 1996"): they would be found everywhere.
    """
    table = schema.table(profile.table)
    name_words = set(humanize(profile.column).lower().split())
    keys = {c.name for c in table.columns if c.primary_key} if table else set()
    keys.update(c for k in (table.foreign_keys if table else ()) for c in k.columns)
    is_key = profile.column in keys or bool(name_words & {"id", "key"})
    is_year = bool(name_words & {"year", "season", "yr"})
    for value, _ in profile.values:
        if _UUID.match(value):
            continue
        if not _NUMBER.match(value):
            yield value
        elif profile.kind == "text":
            if not is_key or len(value) > 3:
                yield value
        elif (not is_key and _TELLING_NUMBER.match(value)) or (is_year and _YEAR.match(value)):
            yield value


def _index(
    schema: Schema, dictionary: Dictionary, kept: Mapping[tuple[str, str], tuple[str, ...]]
) -> ValueIndex:
    columns = []
    for table in schema.tables:
        name = table.full_name
        for column in table.columns:
            values = kept.get((name.lower(), column.name.lower()), ())
            meanings = dictionary.value_meanings(name, column.name)
            pairs = tuple((meaning, _as_stored(code, values)) for code, meaning in meanings.items())
            columns.append(ColumnValues(name, column.name, values, pairs))
    return ValueIndex(columns)


def _as_stored(code: str, values: tuple[str, ...]) -> str:
    """The code as the column spells it, where only the case differs."""
    if code in values:
        return code
    folded = code.casefold()
    return next((v for v in values[:_KEPT] if v.casefold() == folded), code)


# ------------------------------------------------------------------ the schema as plain data


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """A schema as plain data, the common case short."""
    return {
        "name": schema.name,
        "dialect": schema.dialect,
        "home": schema.home,
        "tables": [_table_to_json(t) for t in schema.tables],
        "partitions": [_table_to_json(t) for t in schema.partitions],
    }


def _table_to_json(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "schema": table.schema,
        "comment": table.comment,
        "rows": table.rows,
        "is_view": table.is_view,
        "columns": [[c.name, c.type, c.nullable, c.primary_key, c.comment] for c in table.columns],
        "foreign_keys": [[list(k.columns), k.ref_table, list(k.ref_columns)] for k in table.foreign_keys],
    }


def schema_from_json(data: Mapping[str, Any]) -> Schema:
    """The schema that `schema_to_json` wrote."""
    tables, partitions = (
        tuple(_table_from_json(t) for t in data.get(key, ())) for key in ("tables", "partitions")
    )
    return Schema(tables, data["name"], data["dialect"], data.get("home", ""), partitions)


def _table_from_json(data: Mapping[str, Any]) -> Table:
    return Table(
        data["name"],
        tuple(Column(*column) for column in data["columns"]),
        data["schema"],
        tuple(ForeignKey(tuple(here), table, tuple(there)) for here, table, there in data["foreign_keys"]),
        data["comment"],
        data["rows"],
        data["is_view"],
    )
