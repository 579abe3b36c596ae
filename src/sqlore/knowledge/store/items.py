"""Reading items out of the store, whole, in a handful of queries however many are asked for."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, cast

from sqlore.knowledge.records import Change, Description, Known, Source, examples_of
from sqlore.knowledge.store.rows import MAX_LITERALS, packed, storable
from sqlore.model import Kind, KnowledgeItem, Trust

__all__ = [
    "Order",
    "changes_of",
    "count_items",
    "known_items",
    "load_items",
    "mentions",
    "merged_items",
    "rows_of",
    "scripts_with",
    "select_items",
    "strings",
]

_CHUNK: Final = 500  # SQLite's smallest limit of parameters is 999
_EXAMPLES: Final = 20
PIECES: Final = "IN (SELECT id FROM items WHERE kind <> 'query')"
"""Instead of ids: all items but the whole queries, which are more than half of a store."""
Wanted = Sequence[int] | str | None
Order = Literal["support", "name", "recent"]
_ORDERS: Final[dict[Order, str]] = {
    "support": "i.support DESC",
    "name": "lower(i.name)",
    "recent": "(SELECT max(g.last) FROM fragments f JOIN sightings g ON g.variant = f.variant"
    " WHERE f.item = i.id) DESC",
}
_SYNTHETIC: Final = "variant IN (SELECT id FROM variants WHERE synthetic)"
_REAL: Final = "variant NOT IN (SELECT id FROM variants WHERE synthetic)"
"""Which texts; the subquery is read from a partial index once, and there are few such texts or none."""

_ITEM = """
SELECT i.id, i.kind, i.form, i.skeleton,
    coalesce(i.sql, (SELECT v.sql FROM scripts s JOIN variants v ON v.script = s.id WHERE s.item = i.id
                     ORDER BY v.synthetic, v.id LIMIT 1), i.skeleton) AS sql,
    i.name, i.description, i.support, i.runs, i.aliases, i.trust, i.version, i.stale
FROM items i WHERE i.id {ids}
"""


def select_items(
    db: sqlite3.Connection,
    *,
    limit: int | None = None,
    offset: int = 0,
    order: Order = "support",
    **wanted: Any,
) -> list[int]:
    """Ids of the items that fit, most used first or in another order; `wanted` is that of `_fitting`."""
    where, values = _fitting(**wanted)
    sql = f"SELECT i.id FROM items i{where} ORDER BY {_ORDERS[order]}, i.id LIMIT ? OFFSET ?"
    return [int(row[0]) for row in db.execute(sql, (*values, -1 if limit is None else limit, offset))]


def count_items(db: sqlite3.Connection, **wanted: Any) -> int:
    """How many items fit."""
    where, values = _fitting(**wanted)
    return int(db.execute(f"SELECT count(*) FROM items i{where}", values).fetchone()[0])


def _fitting(
    *,
    kind: Kind | None = None,
    table: str | None = None,
    column: str | None = None,
    text: str | None = None,
    trust: Trust | None = None,
    stale: bool | None = None,
    support: int | None = None,
) -> tuple[str, list[Any]]:
    """The WHERE clause of what is wanted, and its values.

    `text` is a part of any of an item's words; `column` goes with a `table`; `support` is the least.
    """
    wanted: list[str] = []
    values: list[Any] = []
    for condition, value in (
        ("i.kind = ?", kind),
        ("i.trust = ?", trust),
        ("i.support >= ?", support),
        ("(i.stale IS NOT NULL) = ?", stale),
    ):
        if value is not None:
            wanted.append(condition)
            values.append(value)
    if table is not None:
        wanted.append(
            "i.id IN (SELECT u.item FROM item_names u JOIN names n ON n.id = u.name"
            " WHERE replace(n.column_name, char(34), '') = ? COLLATE NOCASE"
            " AND replace(n.table_name, char(34), '') = ? COLLATE NOCASE)"
        )
        values += [storable(column or "").replace('"', ""), storable(table).replace('"', "")]
    if text is not None:
        part = "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"
        words = "i.name || char(10) || i.aliases || char(10) || i.description || char(10) || i.skeleton"
        wanted.append(f"({words} || char(10) || coalesce(i.sql, '')) LIKE ? ESCAPE '!'")
        values.append(part)
    return " WHERE " + " AND ".join(wanted) if wanted else "", values


def load_items(db: sqlite3.Connection, ids: Wanted = None) -> list[KnowledgeItem]:
    """The items of these ids in their order (all, by id, where None is given; all but whole queries for
    `PIECES`); unknown ids are left out.
    """
    rows = {row[0]: row for row in rows_of(db, _ITEM, ids)}
    listed = isinstance(ids, Sequence) and not isinstance(ids, str)
    wanted = [number for number in ids or () if number in rows] if listed else sorted(rows)
    made_up = {number for number, row in rows.items() if not row[7]}
    literals, scripts = _literals(db, ids, made_up), _scripts_of(db, ids, made_up)
    tables, columns = _names(db, ids)
    people = _people(db, ids)
    none: tuple[str, ...] = ()
    return [
        KnowledgeItem(
            id=row[0],
            kind=row[1],
            form=row[2],
            skeleton=row[3],
            sql=row[4],
            name=row[5],
            description=row[6],
            support=row[7],
            runs=row[8],
            aliases=tuple(row[9].split("\n")) if row[9] else none,
            literals=literals.get(row[0], ()),
            scripts=scripts.get(row[0], ()),
            tables=tuple(tables.get(row[0], none)),
            columns=tuple(columns.get(row[0], none)),
            authors=people[row[0]][0] if row[0] in people else none,
            first_seen=people[row[0]][1] if row[0] in people else None,
            last_seen=people[row[0]][2] if row[0] in people else None,
            trust=row[10],
            version=row[11],
            stale=row[12],
            synthetic=not row[7],
        )
        for row in (rows[number] for number in wanted)
    ]


def known_items(db: sqlite3.Connection, hashes: Sequence[int], examples: int) -> dict[int, Known]:
    """For each known key hash what a describer needs: the first text and the first few single literals."""
    found: dict[int, Known] = {}
    for row in rows_of(
        db,
        "SELECT hash, id, coalesce(sql, skeleton), source, name, description, support = 0 FROM items"
        " WHERE hash {ids}",
        hashes,
    ):
        values = db.execute(
            "SELECT literals, min(variant) AS first FROM fragments WHERE item = ? AND literals IS NOT NULL"
            f" AND {_REAL} GROUP BY literals ORDER BY first",
            (row[1],),
        )
        single = (strings(value[0]) for value in values)
        found[row[0]] = Known(
            row[1],
            row[2],
            cast(Source, row[3]),
            Description(row[4], row[5]),
            examples_of((v[0] for v in single if len(v) == 1), examples),
            bool(row[6]),
        )
    return found


def changes_of(db: sqlite3.Connection, item: int) -> list[Change]:
    """The history of an item's trust, names and descriptions, oldest first."""
    rows = db.execute(
        "SELECT item, version, what, old, new, who, why, time FROM changes WHERE item = ? ORDER BY id",
        (item,),
    )
    return [Change(*row) for row in rows]


def merged_items(db: sqlite3.Connection) -> dict[int, int]:
    """The items that were merged into others, and into which; one that was taken back is not among them."""
    rows = db.execute(
        "SELECT c.item, c.new FROM changes c JOIN items i ON i.id = c.item WHERE c.what = 'merged'"
        " AND i.trust = 'deprecated' AND c.id = (SELECT max(o.id) FROM changes o WHERE o.item = c.item"
        " AND o.what IN ('merged', 'trust'))"
    )
    return {int(row[0]): int(row[1]) for row in rows}


def mentions(db: sqlite3.Connection) -> dict[tuple[str, str], int]:
    """How many items name each table (``(table, "")``) and column, as the skeletons spell them."""
    rows = db.execute(
        "SELECT n.table_name, n.column_name, count(*) FROM names n JOIN item_names u ON u.name = n.id"
        " GROUP BY n.id"
    )
    return {(row[0], row[1]): int(row[2]) for row in rows}


def rows_of(db: sqlite3.Connection, sql: str, ids: Wanted) -> Iterator[Any]:
    """The rows of `sql`, in which `{ids}` stands behind a column: only these ids, all for None, all items
    but whole queries for `PIECES`.
    """
    if ids is None or isinstance(ids, str):
        yield from db.execute(sql.format(ids=ids or "IS NOT NULL"))
        return
    for start in range(0, len(ids), _CHUNK):
        part = ids[start : start + _CHUNK]
        marks = ", ".join("?" * len(part))
        yield from db.execute(sql.format(ids=f"IN ({marks})"), tuple(part))


def _literals(
    db: sqlite3.Connection, ids: Wanted, made_up: set[int]
) -> dict[int, tuple[tuple[tuple[str, ...], int], ...]]:
    """The literals of what people ran; for items that are `made_up`, those of synthetic texts."""
    found: dict[int, list[tuple[tuple[str, ...], int]]] = defaultdict(list)
    sql = (
        "SELECT item, literals, count(DISTINCT variant) AS n FROM fragments"
        " WHERE item {ids} AND literals IS NOT NULL AND {texts}"
        " GROUP BY item, literals ORDER BY item, n DESC, min(variant)"
    )
    for item, text, count in _of_texts(db, sql, ids, made_up):
        if len(found[item]) < _EXAMPLES:
            found[item].append((strings(text), count))
    return {item: tuple(values) for item, values in found.items()}


def scripts_with(db: sqlite3.Connection, item: int, literals: Sequence[str], rows: int = 0) -> int:
    """How many scripts that people ran use an item with just these literals; the last `rows` of them, which
    say how many rows are wanted, may be others.
    """
    values: tuple[str | int, ...] = (item, packed(literals))
    same = "f.literals = ?"
    if rows and len(literals) <= MAX_LITERALS:
        first = packed(literals[:-rows])[:-1]
        same = "json_array_length(f.literals) = ? AND substr(f.literals, 1, ?) = ?"
        values = (item, len(literals), len(first), first)
    row = db.execute(
        "SELECT count(DISTINCT v.script) FROM fragments f JOIN variants v ON v.id = f.variant"
        f" WHERE f.item = ? AND {same} AND NOT v.synthetic",
        values,
    ).fetchone()
    return int(row[0])


def _scripts_of(db: sqlite3.Connection, ids: Wanted, made_up: set[int]) -> dict[int, tuple[int, ...]]:
    """The scripts that people ran; for items that are `made_up`, the synthetic ones."""
    found: dict[int, list[int]] = defaultdict(list)
    sql = (
        "SELECT DISTINCT f.item, v.script FROM fragments f JOIN variants v ON v.id = f.variant"
        " WHERE f.item {ids} AND {texts} ORDER BY f.item, v.script"
    )
    for item, script in _of_texts(db, sql, ids, made_up):
        found[item].append(script)
    return {item: tuple(scripts) for item, scripts in found.items()}


def _of_texts(db: sqlite3.Connection, sql: str, ids: Wanted, made_up: set[int]) -> Iterator[Any]:
    """The rows of `sql` over the texts that people ran, then over synthetic ones for `made_up` items.

    `{texts}` stands in it where texts are chosen.
    """
    yield from rows_of(db, sql.replace("{texts}", _REAL), ids)
    if made_up:
        yield from rows_of(db, sql.replace("{texts}", _SYNTHETIC), sorted(made_up))


def _names(db: sqlite3.Connection, ids: Wanted) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    tables: dict[int, list[str]] = defaultdict(list)
    columns: dict[int, list[str]] = defaultdict(list)
    for item, table, column in rows_of(
        db,
        "SELECT u.item, n.table_name, n.column_name FROM item_names u JOIN names n ON n.id = u.name"
        " WHERE u.item {ids} ORDER BY u.item, n.table_name, n.column_name",
        ids,
    ):
        if not column:
            tables[item].append(table)
        else:
            columns[item].append(f"{table}.{column}" if table else column)
    return tables, columns


def _people(db: sqlite3.Connection, ids: Wanted) -> dict[int, tuple[tuple[str, ...], str | None, str | None]]:
    """Authors, first and last time of each item that has any."""
    authors: dict[int, dict[str, None]] = defaultdict(dict)
    times: dict[int, list[str]] = defaultdict(list)
    for item, author, first, last in rows_of(
        db,
        "SELECT f.item, p.name, min(g.first), max(g.last) FROM fragments f"
        " JOIN sightings g ON g.variant = f.variant LEFT JOIN people p ON p.id = g.author"
        " WHERE f.item {ids} GROUP BY f.item, p.name ORDER BY f.item, p.name",
        ids,
    ):
        if author:
            authors[item][author] = None
        times[item] += [moment for moment in (first, last) if moment]
    return {
        item: (tuple(authors.get(item, ())), min(found, default=None), max(found, default=None))
        for item, found in times.items()
    }


def strings(text: str | None) -> tuple[str, ...]:
    """The strings of a JSON list of strings, as the store writes them.

    >>> strings('["a","b c"]'), strings('["say \\\\"hi\\\\""]'), strings('[""]'), strings(None)
    (('a', 'b c'), ('say "hi"',), ('',), ())
    """
    if not text:
        return ()
    # A store holds hundreds of thousands of these. Without a backslash each quotation mark is a bound.
    if text[:2] == '["' and "\\" not in text:
        return tuple(text[2:-2].split('","'))
    return tuple(json.loads(text))
