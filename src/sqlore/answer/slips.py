"""Slips that need no model to mend: a column under the wrong alias, an alias where its key belongs, a name
that needs quotes or the schema before it.

Small models often know the column and miss the alias: `T2.weight_kg` where only `T1` has a `weight_kg`. The
check says so, and where exactly one alias of the query has that column nothing else can have been meant.
And they break off early: `ON T1.race_id = T3` means the column of `T3` that a foreign key joins with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from sqlore.answer.letter_case import with_capitals
from sqlore.answer.placed import with_places
from sqlore.answer.reserved import with_reserved
from sqlore.catalog.names import quote_alias, quote_name
from sqlore.errors import SqlError, UnknownName
from sqlore.model import Attempt, Schema
from sqlore.sql import check_query
from sqlore.sql.parse import parse_query

__all__ = ["Checked", "mended_names"]

#: Slips mended in one query at most.
_MOST: Final = 12
_QUALIFIER: Final = re.compile(r"""(?:[\w$]+|"(?:[^"]|"")+"|`[^`]+`|\[[^\]]+\])\s*\.\s*\Z""")


@dataclass
class Checked:
    """A query after the check of its names: each slip that was mended, and the fault that is left, if any."""

    sql: str
    slips: list[Attempt] = field(default_factory=list)
    fault: SqlError | None = None


def mended_names(sql: str, dialect: str, schema: Schema) -> Checked:
    """The query, checked, with its columns under the alias that has them; each slip is an attempt of its own.

    A query that has another fault, or a name that could mean several columns, comes back as it is, with the
    fault. One without is as `check_query` gives it: it need not be checked again.

    >>> from sqlore.model import Column, Table
    >>> hero = Table("hero", (Column("id"), Column("weight"), Column("side_id")))
    >>> side = Table("side", (Column("id"), Column("name")))
    >>> sql = "SELECT s.weight FROM hero h JOIN side s ON h.side_id = s.id"
    >>> mended_names(sql, "sqlite", Schema((hero, side))).sql
    'SELECT h.weight FROM hero h JOIN side s ON h.side_id = s.id'
    """
    sql, told = _with_quotes(sql, dialect, schema)
    sql, keyless = _with_keys(sql, dialect, schema)
    slips = [*told, *keyless]
    while True:
        try:
            return Checked(check_query(sql, dialect, schema), slips)
        except UnknownName as error:
            mended = _in_place(sql, error, dialect)
            if mended is None or len(slips) >= _MOST:
                return Checked(sql, slips, error)
            slips.append(Attempt(sql, f"{error.message}; {error.instead} was meant"))
            sql = mended
        except SqlError as error:
            return Checked(sql, slips, error)


def _with_quotes(sql: str, dialect: str, schema: Schema) -> tuple[str, list[Attempt]]:
    """The query with its names written as the database finds them: quoted, and after their schema."""
    slips: list[Attempt] = []
    for mend, said in (
        (with_reserved, 'a word of SQL is no name without quotes; "{}" was meant'),
        (with_capitals, f'{dialect} reads names without quotes in small letters; "{{}}" was meant'),
        (with_places, "the database does not find the table by its name alone; {} was meant"),
    ):
        mended, names = mend(sql, dialect, schema)
        slips += [Attempt(sql, said.format(name)) for name in names]
        sql = mended
    return sql, slips


def _in_place(sql: str, error: UnknownName, dialect: str) -> str | None:
    """The query with the right qualifier at the error's position, where it can be found there."""
    if error.instead is None or error.position is None:
        return None
    qualifier = _QUALIFIER.search(sql, 0, error.position)
    if qualifier is None:
        return None
    alias = error.instead.rpartition(".")[0]
    quoted = re.search(rf"""(?<!\w)["`\[]{re.escape(alias)}["`\]]""", sql, re.IGNORECASE)
    alias = quoted.group() if quoted else quote_alias(alias, dialect)
    return f"{sql[: qualifier.start()]}{alias}.{sql[error.position :]}"


def _with_keys(sql: str, dialect: str, schema: Schema) -> tuple[str, list[Attempt]]:
    """The query with a key in place of each alias that stands alone where a key is compared.

    >>> from sqlore.model import Column, ForeignKey, Table
    >>> key = ForeignKey(("side_id",), "side", ("id",))
    >>> hero = Table("hero", (Column("id"), Column("side_id")), foreign_keys=(key,))
    >>> side = Table("side", (Column("id"), Column("name")))
    >>> _with_keys("SELECT 1 FROM hero h JOIN side s ON h.side_id = s", "sqlite", Schema((hero, side)))[0]
    'SELECT 1 FROM hero h JOIN side s ON h.side_id = s.id'
    """
    try:
        tree = parse_query(sql, dialect).tree
    except SqlError:
        return sql, []
    found = sorted({place for select in tree.find_all(exp.Select) for place in _bare(select, schema)})
    for end, key in reversed(found):
        sql = f"{sql[:end]}.{quote_name(key, dialect)}{sql[end:]}"
    return sql, [Attempt(sql, f"an alias is no column; its {key} was meant") for _, key in found]


def _bare(select: exp.Select, schema: Schema) -> Iterator[tuple[int, str]]:
    """Where an alias that stands for its key ends, and the key."""
    items = [select.args.get("from_"), *(select.args.get("joins") or ())]
    tables = [item.this for item in items if item is not None and isinstance(item.this, exp.Table)]
    of = {table.alias_or_name.lower(): table.name.lower() for table in tables}
    for equality in select.find_all(exp.EQ):
        for column, alias in (
            (equality.left, equality.right),
            (equality.right, equality.left),
        ):
            if not (isinstance(column, exp.Column) and isinstance(alias, exp.Column)) or alias.table:
                continue
            ends, name = alias.this.meta.get("end"), alias.name.lower()
            if ends is None or name not in of or column.table.lower() not in of:
                continue
            key = _key_between(schema, of[column.table.lower()], column.name.lower(), of[name])
            columns = [known.column(name) for known in map(schema.table, of.values()) if known is not None]
            if key is not None and not any(columns):
                yield ends + 1, key


def _key_between(schema: Schema, table: str, column: str, other: str) -> str | None:
    """The column of `other` that a foreign key joins with ``table.column``, in either direction."""
    for known in schema.tables:
        for key in known.foreign_keys:
            if len(key.columns) != 1 or len(key.ref_columns) != 1:
                continue
            ends = (known.name.lower(), key.columns[0]), (key.ref_table.lower(), key.ref_columns[0])
            for (one, here), (two, there) in (ends, ends[::-1]):
                if (one, here.lower(), two) == (table, column, other):
                    return there
    return None
