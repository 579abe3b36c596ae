"""The schema of a PostgreSQL database: four queries over its catalog, however many tables there are."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, Final

from sqlore.engines.base import quote_name
from sqlore.model import Column, ForeignKey, Schema, Table

__all__ = ["read_fingerprint", "read_schema", "read_schemas"]

#: Seconds that counting small tables that were never analysed may take, all together.
COUNT_SECONDS: Final = 1.0
_SMALL: Final = 8 * 1024 * 1024
_AT_ONCE: Final = 100

_SCHEMAS: Final = """
SELECT nspname FROM pg_catalog.pg_namespace
WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
  AND pg_catalog.has_schema_privilege(oid, 'USAGE') ORDER BY nspname
"""
# The tables of an extension belong to the extension.
_MINE: Final = """
  n.nspname NOT LIKE 'pg\\_%%' AND n.nspname <> 'information_schema'
  AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND (%(schemas)s::text[] IS NULL OR n.nspname = ANY(%(schemas)s::text[]))
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                  AND d.deptype = 'e')
"""
_TABLES: Final = f"""
SELECT c.oid, n.nspname, c.relname, c.relkind IN ('v', 'm'), obj_description(c.oid, 'pg_class'),
  CASE WHEN c.relkind IN ('v', 'f') THEN NULL
       WHEN c.relkind = 'p' THEN (SELECT sum(greatest(l.reltuples, 0))::bigint
            FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid WHERE t.isleaf)
       WHEN c.reltuples >= 0 AND (c.reltuples > 0 OR c.relpages > 0) THEN c.reltuples::bigint END,
  c.relkind = 'r' AND (c.reltuples < 0 OR (c.reltuples = 0 AND c.relpages = 0))
    AND NOT c.relispartition AND pg_relation_size(c.oid) < {_SMALL},
  c.relispartition
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE {_MINE} ORDER BY c.oid
"""
# An enum is said to be one, for its own name may look like that of any other type.
_COLUMNS: Final = f"""
SELECT a.attrelid, a.attname,
  CASE WHEN t.typtype = 'e' THEN 'enum ' || format_type(a.atttypid, NULL)
       WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod)
       ELSE format_type(a.atttypid, a.atttypmod) END,
  NOT a.attnotnull, col_description(a.attrelid, a.attnum), a.attnum
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attnum > 0 AND NOT a.attisdropped AND {_MINE}
  AND has_column_privilege(c.oid, a.attnum, 'SELECT') ORDER BY a.attrelid, a.attnum
"""
_KEYS: Final = f"""
SELECT k.conrelid, k.contype, k.conkey, k.confrelid, k.confkey
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype IN ('p', 'f') AND (k.conparentid = 0 OR c.relispartition) AND {_MINE}
ORDER BY k.conrelid, k.oid
"""
# The time left for counting; what is allowed at most is never raised, and 0 is no limit.
_LIMIT: Final = """
SELECT set_config('statement_timeout', least(%s::int, nullif(setting::int, 0))::text, true)
FROM pg_settings WHERE name = 'statement_timeout'
"""
# What was ever written, and what the tables look like. A standby counts no writes, but how far it follows.
_FINGERPRINT: Final = """
SELECT md5(concat_ws('-',
  (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::text || count(*) FROM pg_stat_user_tables),
  (SELECT sum(hashtext(c.oid::text || c.relname || c.relfilenode))
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
       AND c.relkind IN ('r', 'p', 'v', 'm', 'f')),
  (SELECT sum(hashtext(concat_ws('-', attrelid, attnum, attname, atttypid, atttypmod, attnotnull)))
     FROM pg_attribute a WHERE a.attrelid >= 16384 AND a.attnum > 0),
  (SELECT sum(hashtext(d.objoid::text || d.objsubid || d.description))
     FROM pg_description d WHERE d.objoid >= 16384),
  (SELECT sum(hashtext(k.oid::text)) FROM pg_constraint k WHERE k.oid >= 16384),
  CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END))
"""


def read_schema(connection: Any, name: str, path: tuple[str, ...], schemas: tuple[str, ...]) -> Schema:
    """Every table and view that may be read; those of the default schema have schema None.

    The default schema is `public` where names are looked for there, else the first of the search path. What
    a bare name means is decided by the search path alone: a table that another hides is never without its
    schema, and those of the search path come first, in its order. Partitions belong to their table: they
    can be asked, and are not listed.
    """
    home = "public" if "public" in path or not path else path[0]
    given = {"schemas": list(schemas) or None}
    with connection.cursor() as cursor:
        rows = cursor.execute(_TABLES, given).fetchall()
        columns: dict[int, list[tuple[Any, ...]]] = {}
        for oid, *column in cursor.execute(_COLUMNS, given):
            columns.setdefault(oid, []).append(tuple(column))
        keys = cursor.execute(_KEYS, given).fetchall()
        uncounted = [(row[0], f"{quote_name(row[1])}.{quote_name(row[2])}") for row in rows if row[6]]
        counts = _counts(connection, uncounted)
    ranks = {schema: rank for rank, schema in enumerate(path or (home,))}
    rows.sort(key=lambda row: ranks.get(row[1], len(ranks)))
    first: dict[str, str] = {}
    for row in rows:
        first.setdefault(row[2], row[1])
    known = {row[0]: (None if row[1] == home == first[row[2]] else row[1], row[2]) for row in rows}
    names = {oid: {column[4]: column[0] for column in found} for oid, found in columns.items()}
    primary = {oid: set(own) for oid, kind, own, *_ in keys if kind == "p"}
    listed = {row[0]: known[row[0]] for row in rows if not row[7]}
    foreign = _foreign(keys, listed, names)
    tables = {
        oid: Table(
            name=table,
            columns=tuple(
                Column(column, kind, nullable, number in primary.get(oid, ()), note)
                for column, kind, nullable, note, number in columns.get(oid, ())
            ),
            schema=known[oid][0],
            foreign_keys=tuple(foreign.get(oid, ())),
            comment=comment,
            rows=counts.get(oid, estimate),
            is_view=is_view,
        )
        for oid, _, table, is_view, comment, estimate, *_ in rows
    }
    return Schema(
        tuple(table for oid, table in tables.items() if oid in listed),
        name=name,
        dialect="postgres",
        home=home,
        partitions=tuple(table for oid, table in tables.items() if oid not in listed),
    )


def _foreign(
    keys: Iterable[tuple[Any, ...]],
    known: dict[int, tuple[str | None, str]],
    names: dict[int, dict[int, str]],
) -> dict[int, list[ForeignKey]]:
    """The foreign keys of each table; one whose columns or target may not be seen is left out."""
    found: dict[int, list[ForeignKey]] = {}
    for oid, kind, own, target, theirs in keys:
        if kind != "f" or target not in known:
            continue
        here, there = names.get(oid, {}), names.get(target, {})
        if all(n in here for n in own) and all(n in there for n in theirs):
            schema, table = known[target]
            spelled = f"{schema}.{table}" if schema else table
            key = ForeignKey(tuple(here[n] for n in own), spelled, tuple(there[n] for n in theirs))
            found.setdefault(oid, []).append(key)
    return found


def _counts(connection: Any, tables: list[tuple[int, str]]) -> dict[int, int]:
    """Exact counts of small tables that were never analysed, while the time lasts."""
    import psycopg

    counts: dict[int, int] = {}
    end = time.monotonic() + COUNT_SECONDS
    for start in range(0, len(tables), _AT_ONCE):
        some = tables[start : start + _AT_ONCE]
        left = end - time.monotonic()
        if left <= 0:
            break
        asked = ", ".join(f"(SELECT count(*) FROM {name})" for _, name in some)
        try:
            with connection.transaction(), connection.cursor() as cursor:
                cursor.execute(_LIMIT, (max(1, round(left * 1000)),))
                row = cursor.execute(f"SELECT /* sqlore */ {asked}").fetchone()
        except psycopg.Error:  # too slow, or one of them may not be counted: nothing is known
            break
        counts.update(zip((oid for oid, _ in some), row, strict=True))
    return counts


def read_schemas(cursor: Any) -> tuple[str, ...]:
    """The schemas in which the user may look for tables."""
    return tuple(row[0] for row in cursor.execute(_SCHEMAS).fetchall())


def read_fingerprint(connection: Any) -> str:
    """A hash of what was written and of what the tables look like."""
    with connection.cursor() as cursor:
        return str(cursor.execute(_FINGERPRINT).fetchone()[0])
