"""The databases that are asked: introspection and read-only execution behind one interface."""

from __future__ import annotations

from sqlore.engines.base import Engine
from sqlore.engines.url import parse_target

__all__ = ["Engine", "connect"]


def connect(url: str) -> Engine:
    """Open a database for reading.

    `url` is `sqlite:///relative.db`, `sqlite:////absolute.db`, `duckdb:///file.duckdb`, or simply the
    path of a file, whose kind is read from its header. Raises `UsageError` for other kinds of database
    and `ConnectError` where the file cannot be opened as one.
    """
    target = parse_target(url)
    if target.kind == "sqlite":
        from sqlore.engines.sqlite import SqliteEngine

        return SqliteEngine(target)
    from sqlore.engines.duckdb import DuckdbEngine

    return DuckdbEngine(target)
