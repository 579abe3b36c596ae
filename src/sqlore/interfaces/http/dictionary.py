"""The dictionary as the API shows it: what is in each table and column, and who says what about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from sqlore.catalog import PRECEDENCE, Catalog, Entry
from sqlore.interfaces.http.contract_dictionary import (
    Alias,
    ColumnEntry,
    DictionaryPatch,
    Meaning,
    Sample,
    Saying,
    TableEntry,
    TableSummary,
)
from sqlore.interfaces.http.problems import NotFound
from sqlore.model import Column, Table

if TYPE_CHECKING:
    from sqlore.interfaces.http.state import Served

__all__ = ["changed_entries", "table_view", "tables_view"]

SAMPLES: Final = 12
"""Values of a column that are shown."""


class _Known:
    """What is known of a database, looked up once for a view of it."""

    def __init__(self, state: Served) -> None:
        self.catalog: Catalog = state.catalog
        self.sensitive = self.catalog.dictionary.sensitive(self.catalog.schema)
        store = state.store
        found = store.mentions() if store is not None else {}
        self._items = {_folded(*names): count for names, count in found.items()}
        self._said: dict[tuple[str, str], list[Entry]] = {}
        for entry in self.catalog.dictionary.entries:
            self._said.setdefault((entry.table, entry.column or ""), []).append(entry)

    def items(self, table: str, column: str = "") -> int:
        """How many knowledge items name it."""
        return self._items.get((table.lower(), column.lower()), 0)

    def said(self, table: str, column: str = "") -> list[Entry]:
        """What is said of it and of its values, the most trusted first."""
        entries = self._said.get((table.lower(), column.lower()), [])
        return sorted(entries, key=lambda one: (PRECEDENCE[one.source], -one.support))


def _folded(table: str, column: str) -> tuple[str, str]:
    return table.replace('"', "").lower(), column.replace('"', "").lower()


def tables_view(state: Served) -> list[TableSummary]:
    """All tables, in the schema's order."""
    known = _Known(state)
    return [TableSummary(**_table(known, table)) for table in known.catalog.schema.tables]


def table_view(state: Served, name: str) -> TableEntry:
    """One table with its columns. Raises `NotFound`."""
    known = _Known(state)
    table = known.catalog.schema.table(name)
    if table is None:
        raise NotFound(f"the database has no table {name}")
    return TableEntry(
        **_table(known, table),
        said=_sayings(known.said(table.full_name)),
        entries=[_column(known, table, column) for column in table.columns],
    )


def _table(known: _Known, table: Table) -> dict[str, Any]:
    name, said = table.full_name, known.catalog.dictionary
    columns = {f"{name}.{column.name}".lower() for column in table.columns}
    return {
        "name": name,
        "rows": table.rows,
        "columns": len(table.columns),
        "is_view": table.is_view,
        "called": said.name_of(name),
        "description": said.describe_table(name) or "",
        "source": _source(known.said(name)),
        "sensitive": bool(columns) and columns <= known.sensitive,
        "items": known.items(name),
    }


def _column(known: _Known, table: Table, column: Column) -> ColumnEntry:
    name, dictionary = table.full_name, known.catalog.dictionary
    best, said = dictionary.entry(name, column.name), known.said(name, column.name)
    profile = known.catalog.profile.column(name, column.name)
    values: dict[str, Any] = {}
    if profile is not None:
        values = {
            "kind": profile.kind,
            "distinct": profile.distinct,
            "filled": profile.filled,
            "complete": profile.complete,
            "minimum": profile.minimum,
            "maximum": profile.maximum,
            "skipped": profile.skipped,
            "samples": [Sample(value=value, count=count) for value, count in profile.values[:SAMPLES]],
        }
    return ColumnEntry(
        name=column.name,
        type=column.type,
        nullable=column.nullable,
        primary_key=column.primary_key,
        references=_references(table, column),
        called=dictionary.name_of(name, column.name),
        description=dictionary.describe_column(name, column.name) or "",
        source=_source(said),
        synonyms=list(best.synonyms) if best is not None else [],
        sensitive=f"{name}.{column.name}".lower() in known.sensitive,
        meanings=_meanings(said),
        aliases=_aliases(said),
        said=_sayings(said),
        items=known.items(name, column.name),
        **values,
    )


def _references(table: Table, column: Column) -> str | None:
    for key in table.foreign_keys:
        for own, other in zip(key.columns, key.ref_columns, strict=False):
            if own.lower() == column.name.lower():
                return f"{key.ref_table}.{other}"
    return None


def _source(said: Iterable[Entry]) -> Any:
    """Who wrote the description that is shown."""
    return next((one.source for one in said if one.value is None and one.description), None)


def _meanings(said: Iterable[Entry]) -> list[Meaning]:
    best: dict[str, Meaning] = {}
    for one in said:
        if one.value is not None and one.description:
            best.setdefault(one.value, Meaning(value=one.value, meaning=one.description, source=one.source))
    return [best[value] for value in sorted(best)]


def _aliases(said: Iterable[Entry]) -> list[Alias]:
    """What scripts call the column: the name that most use has their count, the others at least one."""
    return [
        Alias(name=name, support=one.support if not place else 1)
        for one in said
        if one.source == "history" and one.value is None
        for place, name in enumerate((one.name, *one.synonyms))
        if name
    ]


def _sayings(said: Iterable[Entry]) -> list[Saying]:
    return [
        Saying(
            source=one.source,
            description=one.description,
            name=one.name,
            synonyms=list(one.synonyms),
            support=one.support,
        )
        for one in said
        if one.value is None and (one.description or one.name or one.synonyms)
    ]


# ------------------------------------------------------------------ saving


def changed_entries(catalog: Catalog, asked: DictionaryPatch) -> tuple[list[Entry], list[Entry]]:
    """The person's entries that a patch makes, and those that it takes back. Raises `NotFound`."""
    table = catalog.schema.table(asked.table)
    if table is None:
        raise NotFound(f"the database has no table {asked.table}")
    if asked.column is not None and table.column(asked.column) is None:
        raise NotFound(f"table {asked.table} has no column {asked.column}")
    name = table.full_name
    made: list[Entry] = []
    gone: list[Entry] = []
    if asked.model_fields_set & {"description", "name", "synonyms", "sensitive"}:
        entry = _patched(catalog, name, asked)
        empty = not (entry.description or entry.name or entry.synonyms) and entry.sensitive is None
        (gone if empty else made).append(entry)
    for value, meaning in asked.meanings.items():
        said = " ".join((meaning or "").split())
        (made if said else gone).append(Entry(name, asked.column, value, said, "person"))
    return made, gone


def _patched(catalog: Catalog, table: str, asked: DictionaryPatch) -> Entry:
    """What the person said before, with what the patch says instead."""
    key = Entry(table, asked.column).key
    mine = [e for e in catalog.dictionary.entries if e.source == "person" and e.key == key]
    before = mine[-1] if mine else Entry(table, asked.column, source="person")

    def now(field: str, old: Any) -> Any:
        return getattr(asked, field) if field in asked.model_fields_set else old

    return Entry(
        table,
        asked.column,
        None,
        " ".join((now("description", before.description) or "").split()),
        "person",
        " ".join((now("name", before.name) or "").split()),
        tuple(word.strip() for word in now("synonyms", before.synonyms) or () if word.strip()),
        sensitive=now("sensitive", before.sensitive),
    )
