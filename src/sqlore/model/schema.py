"""A database as it describes itself, and what a query of it gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Column",
    "ForeignKey",
    "Rows",
    "Schema",
    "Table",
]


@dataclass(frozen=True, slots=True)
class Column:
    """One column as the database describes it; `type` is the database's own spelling."""

    name: str
    type: str = ""
    nullable: bool = True
    primary_key: bool = False
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of this table refer to `ref_columns` of `ref_table`, pair by pair."""

    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table or view; `schema` is None for the database's default schema."""

    name: str
    columns: tuple[Column, ...]
    schema: str | None = None
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str | None = None
    rows: int | None = None
    is_view: bool = False

    @property
    def full_name(self) -> str:
        """The name, after its schema's where that is not the default: as dictionaries have it."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    @property
    def folded_name(self) -> str:
        """The full name in lower case: what tables are looked up by, as skeletons have it."""
        return self.full_name.lower()

    def column(self, name: str) -> Column | None:
        """The column of that name, whatever its case."""
        folded = name.lower()
        return next((c for c in self.columns if c.name.lower() == folded), None)


@dataclass(frozen=True, slots=True)
class Schema:
    """All tables of one database; `name` is the database's own name (BIRD's `db_id`).

    `home` is the name of the default schema, whose tables have schema None; empty where it is not known.
    `partitions` can be asked by name like any table, and are not listed: there may be hundreds.

    >>> schema = Schema((Table("molecule", (Column("label", "TEXT"),)),))
    >>> schema.table("Molecule").column("LABEL").type
    'TEXT'
    """

    tables: tuple[Table, ...]
    name: str = ""
    dialect: str = ""
    home: str = ""
    partitions: tuple[Table, ...] = ()
    _index: dict[str, Table] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for table in (*reversed(self.partitions), *reversed(self.tables)):
            self._index[table.name.lower()] = table
            schema = table.schema or self.home
            if schema:
                self._index[f"{schema}.{table.name}".lower()] = table

    def table(self, name: str) -> Table | None:
        """The table of that name (`table` or `schema.table`), whatever its case."""
        return self._index.get(name.lower())


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of a query: at most the row limit, `truncated` where there was more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    seconds: float = 0.0
