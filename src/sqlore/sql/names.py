"""How a dialect folds names, and how a name is written in a skeleton."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from sqlore.sql.placeholders import INSTANCE


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


_PART: Final = re.compile(r'"(?:[^"]|"")*"|[^."]+')
"""A part of a name with dots, in quotes or not."""
DEFAULT_SCHEMAS: Final = frozenset({"main", "public", "dbo"})

_PLAIN = re.compile(r"(?:\#{1,2})?[^\W\d][\w$]*(?:#\d+)?\Z")
"""A name that stands bare; ``#t`` is T-SQL's temporary table."""


_RESERVED: Final = word_set(
    """all alter and any as asc between by case cast check collate connect_by_root constraint create cross
    cube current_catalog current_date current_schema current_time current_timestamp current_user default
    delete desc describe distinct drop else end except exists false fetch for foreign from full glob grant
    group having ilike in inner insert intersect interval into is join lateral left like limit localtime
    localtimestamp lock natural not notnull null offset on or order outer partition partitioned_by primary
    qualify references regexp returning revoke right rlike rollback rollup select session_user set some
    straight_join summarize table tablesample then to true uncache union unique update using values when
    where window with xor"""
)
"""What some dialect's parser does not take for a name where a name stands bare."""


@lru_cache(maxsize=8192)
def fold(name: str, quoted: bool, dialect: str) -> str:
    """The name as the dialect compares it, unquoted.

    PostgreSQL and Snowflake keep the case of quoted names (Snowflake's own folding is to upper case, so
    ``"NAME"`` there is the unquoted ``name``); the other dialects compare without case.

    >>> fold("Full_Name", False, "postgres"), fold("Full_Name", True, "postgres"), fold("A", True, "sqlite")
    ('full_name', 'Full_Name', 'a')
    """
    if not name.isascii() or INSTANCE in name:
        name = name.replace(INSTANCE, "#")
    if name[:1] == "\x01":
        name = name[1:]
    if not quoted or dialect not in ("postgres", "snowflake", "redshift"):
        return name.lower()
    if dialect == "snowflake":
        # A quoted lower-case name differs from the unquoted one; the mark makes `spell` quote it.
        return name.lower() if name == name.upper() else f"\x04{name}"
    return name


@lru_cache(maxsize=8192)
def spell(name: str) -> str:
    """A folded name as a skeleton writes it: in double quotes where it could not stand bare.

    >>> spell("order"), spell("free meal count"), spell("superhero"), spell("Id")
    ('"order"', '"free meal count"', 'superhero', '"Id"')
    """
    if name[:1] == "\x04":
        return '"' + name[1:].replace('"', '""') + '"'
    if _PLAIN.match(name) and name not in _RESERVED and name == name.lower():
        return name
    base, mark, number = name.rpartition("#")
    if mark and number.isdigit() and base:
        return f"{spell(base)}#{number}"
    return '"' + name.replace('"', '""') + '"'


def table_and_column(name: str) -> tuple[str, str]:
    """A column as fragments name it in two, without quotes; the table may have its schema.

    >>> table_and_column('frpm."free meal count"'), table_and_column("shop.orders.id"), table_and_column("id")
    (('frpm', 'free meal count'), ('shop.orders', 'id'), ('', 'id'))
    >>> table_and_column('"order line"."Order. Id"')
    ('order line', 'Order. Id')
    """
    if '"' not in name:
        table, _, column = name.rpartition(".")
        return table, column
    parts = [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in _PART.findall(name)]
    return ".".join(parts[:-1]), parts[-1] if parts else name
