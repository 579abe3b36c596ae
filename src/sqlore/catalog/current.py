"""Whether a database still has the tables and columns that its catalog was read with."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from sqlore.catalog.build import Catalog
from sqlore.catalog.dictionary import entries_from_schema
from sqlore.engines import Engine, connect
from sqlore.errors import SqloreError
from sqlore.model import Schema, Table

__all__ = ["Watch", "with_schema"]

_QUICK: Final = 0.5
"""Seconds of a look that one bears again and again; after one that took longer the next has to wait."""
_REST: Final = 20
"""Times as long as a slow look took, until the next."""


def with_schema(known: Catalog, schema: Schema) -> Catalog:
    """The catalog over the database as it is now; `known` itself where tables and columns are the same.

    What is said of things that are gone is kept, they may come back. The values of new columns are not read.

    >>> old = Schema((Table("a", ()),))
    >>> with_schema(Catalog(old), Schema((Table("a", ()), Table("b", ())))).schema.table("b").name
    'b'
    """
    if _shape(known.schema) == _shape(schema):
        return known
    return replace(known, schema=schema).with_entries(entries_from_schema(schema))


def _shape(schema: Schema) -> tuple[str, list[Table]]:
    """Everything but the numbers of rows, which change all the time."""
    return schema.home, [replace(table, rows=None) for table in (*schema.tables, *schema.partitions)]


class Watch:
    """Looks at a database again and again: cheaply where it has not changed, seldom where looking is slow."""

    def __init__(self, seen: str | None) -> None:
        self._seen = seen
        self._next = 0.0

    def look(self, known: Catalog, engine: Engine) -> Catalog:
        """The catalog as the database is now; `known` where that is the same, or cannot be found out."""
        began = time.monotonic()
        if began < self._next:
            return known
        try:
            mark = engine.fingerprint()
            if mark and mark != self._seen:  # there is none of a file that is gone
                with connect(engine.url) as fresh:  # the file may be another one of the same name
                    known = with_schema(known, fresh.schema())
                self._seen = mark
        except SqloreError:
            pass  # whoever asks the database will be told
        took = time.monotonic() - began
        self._next = began + took + _REST * took if took > _QUICK else 0.0
        return known
