"""What the check of names knows: the sources and scopes of a query, and the rules of the dialects."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

__all__ = [
    "CATALOGUES",
    "CATALOGUE_TABLES",
    "LATERAL_ALIASES",
    "LATERAL_TABLES",
    "PSEUDO",
    "RECURSIVE_CTES",
    "STRUCTS",
    "TEXT_NAMES",
    "UNNAMED",
    "WHERE_ALIASES",
    "Columns",
    "Ctes",
    "Scope",
    "Source",
    "alias_columns",
    "did_you_mean",
    "mentions",
    "renamed",
]

#: Columns of a source in order; None where they cannot be known.
Columns = tuple[str, ...] | None
Ctes = Mapping[str, Columns]

PSEUDO: Final = frozenset(
    {
        "$action",
        "$rowguid",
        "_file",
        "_part",
        "_partitiondate",
        "_partitiontime",
        "_rowid_",
        "_table_suffix",
        "cmax",
        "cmin",
        "column_value",
        "connect_by_isleaf",
        "ctid",
        "current_date",
        "current_time",
        "current_timestamp",
        "current_user",
        "docid",
        "dual",
        "excluded",
        "file_row_number",
        "filename",
        "generate_series",
        "level",
        "localtime",
        "localtimestamp",
        "oid",
        "rank",
        "rowid",
        "rownum",
        "rowversion",
        "session_user",
        "sysdate",
        "systimestamp",
        "tableoid",
        "unnest",
        "user",
        "value",
        "xmax",
        "xmin",
    }
)
CATALOGUES: Final = frozenset(
    {"information_schema", "pg_catalog", "sys", "mysql", "performance_schema", "system"}
)
CATALOGUE_TABLES: Final = ("sqlite_", "duckdb_", "pg_", "pragma_", "dbstat", "dual")
# Dialects in which a common table expression may name itself without RECURSIVE.
RECURSIVE_CTES: Final = frozenset({"sqlite", "tsql", "oracle", ""})
# Dialects in which an alias of the SELECT list is seen by its other items, and by WHERE.
LATERAL_ALIASES: Final = frozenset(
    {"duckdb", "snowflake", "redshift", "databricks", "spark", "clickhouse", ""}
)
WHERE_ALIASES: Final = LATERAL_ALIASES | {"sqlite", "teradata"}
STRUCTS: Final = frozenset(
    {
        "duckdb",
        "bigquery",
        "snowflake",
        "spark",
        "databricks",
        "clickhouse",
        "trino",
        "presto",
        "hive",
        "athena",
        "",
    }
)
LATERAL_TABLES: Final = STRUCTS
# Dialects in which an unnamed column is called by its text, so that it can only be named in quotes.
TEXT_NAMES: Final = frozenset({"sqlite", "duckdb", "mysql"})
UNNAMED: Final = "\0"


@dataclass(slots=True)
class Source:
    """One item of FROM: `name` as it is called here, `table` the base table behind it."""

    name: str
    columns: Columns
    table: str = ""
    folded: frozenset[str] | None = None

    def __post_init__(self) -> None:
        self.folded = None if self.columns is None else frozenset(c.lower() for c in self.columns)

    def has(self, name: str, quoted: bool) -> bool:
        return self.folded is None or name in self.folded or (quoted and UNNAMED in self.folded)


@dataclass(slots=True)
class Scope:
    """What one SELECT sees; `aliases` are those names of its list that count where the walk is now."""

    outer: Scope | None
    ctes: Ctes
    sources: list[Source] = field(default_factory=list)
    aliases: frozenset[str] = frozenset()

    def chain(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def all_sources(self) -> Iterator[Source]:
        for scope in self.chain():
            yield from scope.sources


def alias_columns(node: exp.Expr) -> tuple[str, ...]:
    alias = node.args.get("alias")
    return tuple(column.name for column in alias.columns) if isinstance(alias, exp.TableAlias) else ()


def renamed(columns: Columns, given: tuple[str, ...]) -> Columns:
    """`t(a, b)` renames the first columns; the rest keep their names."""
    if columns is None:
        return None
    return (*given, *columns[len(given) :]) if given else columns


def mentions(node: exp.Expr, name: str) -> bool:
    return any(table.name.lower() == name for table in node.find_all(exp.Table))


def did_you_mean(name: str, choices: Iterable[str]) -> str | None:
    """The nearest of `choices`, by letters and by words: `fullname` is near `full_name`."""
    by_folded = {choice.lower(): choice for choice in choices if choice}
    close = difflib.get_close_matches(name.lower(), by_folded, n=3, cutoff=0.6)
    if not close:
        words = {word for word in name.lower().replace(" ", "_").split("_") if len(word) > 2}
        close = [folded for folded in by_folded if words & set(folded.replace(" ", "_").split("_"))][:3]
    return f"did you mean {' or '.join(by_folded[folded] for folded in close)}?" if close else None
