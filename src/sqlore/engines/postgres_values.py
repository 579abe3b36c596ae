"""How PostgreSQL's values come to Python: as from the other engines, and none that cannot be read.

Numbers, dates, times, UUIDs and bytes are Python's own; arrays are lists; JSON, ranges, addresses and
everything else is text as the server writes it. A date that Python has none for (`infinity`, 44 BC) is text.
"""

from __future__ import annotations

from typing import Any, Final

from psycopg import DataError, adapters
from psycopg.adapt import Buffer, Loader
from psycopg.types import TypeInfo
from psycopg.types.datetime import (
    DateLoader,
    IntervalLoader,
    TimeLoader,
    TimestampLoader,
    TimestamptzLoader,
    TimetzLoader,
)

__all__ = ["register_values"]

_AS_TEXT: Final = (
    *("json", "jsonb", "inet", "cidr", "int4range", "int8range", "numrange", "daterange", "tsrange"),
    *("tstzrange", "int4multirange", "int8multirange", "nummultirange", "datemultirange", "tsmultirange"),
    *("tstzmultirange", "hstore"),
)
_TEXTS: Final = ("text", "varchar", "bpchar", "name", "unknown")


class _Text(Loader):
    """Text as it comes; a damaged character does not hide the rest."""

    def load(self, data: Buffer) -> str:
        return bytes(data).decode("utf-8", "replace")


def _or_text(kind: type[Loader]) -> type[Loader]:
    """A loader that gives the text where the value is beyond what Python holds."""

    class Careful(kind):  # type: ignore[misc, valid-type]
        def load(self, data: Buffer) -> Any:
            try:
                return super().load(data)
            except (DataError, ValueError, OverflowError, NotImplementedError):
                return bytes(data).decode("utf-8", "replace")

    return Careful


_CAREFUL: Final = {
    "date": _or_text(DateLoader),
    "time": _or_text(TimeLoader),
    "timetz": _or_text(TimetzLoader),
    "timestamp": _or_text(TimestampLoader),
    "timestamptz": _or_text(TimestamptzLoader),
    "interval": _or_text(IntervalLoader),
}


def register_values(connection: Any, enums: list[tuple[str, int, int]]) -> None:
    """Sets one connection's values up; `enums` are (name, oid, oid of its array) of its enum types."""
    own = connection.adapters
    for name, loader in _CAREFUL.items():
        own.register_loader(name, loader)
    for name in _AS_TEXT:
        if adapters.types.get(name) is not None:
            own.register_loader(name, _Text)
    if connection.info.parameter_status("server_encoding") == "SQL_ASCII":
        for name in _TEXTS:
            own.register_loader(name, _Text)
    for name, oid, array in enums:
        TypeInfo(name, oid, array).register(connection)
