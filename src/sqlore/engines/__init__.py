"""The databases that are asked: introspection and read-only execution behind one interface."""

from __future__ import annotations

from pathlib import Path

from sqlore.engines.base import Engine, short
from sqlore.engines.server_url import ServerTarget, is_server, parse_server
from sqlore.engines.url import mistyped, parse_target
from sqlore.errors import UsageError

__all__ = ["Engine", "connect", "is_server", "mistyped", "name_of", "place_of"]


def connect(url: str) -> Engine:
    """Open a database for reading.

    `url` is `sqlite:///relative.db`, `sqlite:////absolute.db`, `duckdb:///file.duckdb`, or simply the
    path of a file, whose kind is read from its header; or a server's: `postgresql://user@host/database`,
    `mysql://user@host/database`. Raises `UsageError` for other kinds of database and for a driver that is
    not installed, `ConnectError` where the database cannot be opened.
    """
    if is_server(url):
        return _on_server(parse_server(url))
    target = parse_target(url)
    if target.kind == "sqlite":
        from sqlore.engines.sqlite import SqliteEngine

        return SqliteEngine(target)
    from sqlore.engines.duckdb import DuckdbEngine

    return DuckdbEngine(target)


def _on_server(target: ServerTarget) -> Engine:
    is_mysql = target.kind == "mysql"
    try:
        if is_mysql:
            from sqlore.engines.mysql import MysqlEngine as Opened
        else:
            from sqlore.engines.postgres import PostgresEngine as Opened  # type: ignore[assignment]
    except ImportError as error:
        if (error.name or "").startswith("sqlore"):
            raise
        database, extra = ("MySQL", "mysql") if is_mysql else ("PostgreSQL", "postgres")
        raise UsageError(
            f"{database} needs a driver that is not installed: {short(str(error), 120)}",
            hint=f"pip install 'sqlore[{extra}]'",
        ) from error
    return Opened(target)


def place_of(url: str) -> str:
    """The URL of a database as it can be kept: whole paths, no password.

    Raises as `connect`, but opens nothing.

    >>> place_of("postgres://ann:secret@db.example/shop")
    'postgresql://ann@db.example/shop'
    """
    return parse_server(url).url if is_server(url) else parse_target(url).url


def name_of(url: str) -> str:
    """The name of a database in its URL or path: a file's without its ending; nothing is looked at.

    >>> name_of("sqlite:////data/shop.sqlite"), name_of("mysql://ann@h/shop?schemas=shop,other")
    ('shop', 'shop')
    """
    if is_server(url):
        return parse_server(url).database
    return Path(url.rsplit("/", 1)[-1]).stem
