"""From the URL of a database on a server to what its driver needs, the password kept apart."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from sqlore.errors import UsageError
from sqlore.passwords import SECRET_OPTIONS, also_known_as, keep_password, with_password

__all__ = ["KINDS", "PASSWORD_VARIABLE", "ServerTarget", "address", "form", "is_server", "parse_server"]

KINDS: Final = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
}
_DRIVERS: Final = {"postgresql": ("psycopg",), "mysql": ("pymysql",)}
#: The environment variable with the password of any server.
PASSWORD_VARIABLE: Final = "SQLORE_DB_PASSWORD"
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9]*)(?:\+([A-Za-z0-9_]+))?://")


@dataclass(frozen=True, slots=True)
class ServerTarget:
    """A database on a server. `url` can be shown and stored; only `password` and `secrets` cannot.

    `options` are those for the driver, in the order of the URL; `schemas` the schemas to be read, all where
    it is empty.
    """

    kind: str
    url: str
    user: str = ""
    host: str = ""
    port: int | None = None
    database: str = ""
    options: dict[str, str] = field(default_factory=dict)
    schemas: tuple[str, ...] = ()
    password: str | None = field(default=None, repr=False)


def is_server(text: str) -> bool:
    """Whether `text` is the URL of a database on a server.

    >>> is_server("postgres://h/db"), is_server("MySQL+pymysql://h/db"), is_server("sqlite:///x")
    (True, True, False)
    """
    found = _SCHEME.match(text)
    return found is not None and found.group(1).lower() in KINDS


def parse_server(text: str) -> ServerTarget:
    """The parts of a server's URL; the password typed in it is remembered by this process.

    Without a password there, it is that of `SQLORE_DB_PASSWORD`; where that is not set either, the driver
    looks where the database's own programs look (`PGPASSWORD`, `~/.pgpass`, `~/.my.cnf`). Raises `UsageError`
    for another driver, a port that is no number and the like; no message holds the password.

    >>> target = parse_server("postgres://ann:pw@db.example/shop?sslmode=require")
    >>> target.url, target.user, target.password
    ('postgresql://ann@db.example/shop?sslmode=require', 'ann', 'pw')
    """
    shown = keep_password(text)
    full = with_password(shown)
    scheme = _SCHEME.match(full)
    if scheme is None or (kind := KINDS.get(scheme.group(1).lower())) is None:
        raise UsageError(f"{shown} is not the URL of a server", hint=form("postgresql"))
    driver = scheme.group(2)
    if driver and driver.lower() not in _DRIVERS[kind]:
        raise UsageError(
            f"the driver {driver} is not used here", hint=f"write {kind}://… ({_DRIVERS[kind][0]} is used)"
        )
    rest = full[scheme.end() :]
    try:
        parts = urlsplit(f"{kind}://{rest}")
        host, port, user, password = _authority(parts.netloc)
    except ValueError:
        raise UsageError(
            f"{shown} cannot be read as a URL",
            hint=f"{form(kind)}; in a password write @ : / ? # % as %40 %3A %2F %3F %23 %25",
        ) from None
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    password = options.pop("password", options.pop("passwd", password))
    if password is None:
        password = os.environ.get(PASSWORD_VARIABLE) or None
    schemas = tuple(name.strip() for name in options.pop("schemas", "").split(",") if name.strip())
    own = {"schemas": ",".join(schemas)} if schemas else {}
    database = unquote(parts.path.lstrip("/"))
    told = {name: value for name, value in options.items() if name.lower() not in SECRET_OPTIONS}
    url = address(kind, user, host, port, database, told | own)
    also_known_as(shown, url)
    return ServerTarget(kind, url, user, host, port, database, options, schemas, password)


def _authority(netloc: str) -> tuple[str, int | None, str, str | None]:
    """Host, port, user and password; a list of hosts (PostgreSQL's) is kept as one host without a port."""
    account, at, place = netloc.rpartition("@")
    user, colon, password = account.partition(":")
    if "," in place:
        host, port = place, None
    else:
        found = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(?::(\d{0,5}))?", place)
        if found is None:
            raise ValueError("the port is not a number")
        host, port = found.group(1).strip("[]"), int(found.group(2)) if found.group(2) else None
    return unquote(host), port, unquote(user) if at else "", unquote(password) if colon else None


def address(kind: str, user: str, host: str, port: int | None, database: str, options: dict[str, str]) -> str:
    """A URL without a password.

    >>> address("postgresql", "ann", "::1", 5432, "shop", {"sslmode": "require"})
    'postgresql://ann@[::1]:5432/shop?sslmode=require'
    """
    several = "," in host
    shown = f"[{host}]" if ":" in host and not several else host if several else quote(host, safe=".-_")
    account = f"{quote(user, safe='')}@" if user else ""
    query = f"?{urlencode(options, safe='/,')}" if options else ""
    return f"{kind}://{account}{shown}{f':{port}' if port else ''}/{quote(database, safe='{}')}{query}"


def form(kind: str) -> str:
    """How the URL of a server is written, as advice."""
    return f"a URL is written {kind}://USER@HOST:PORT/DATABASE, the password in {PASSWORD_VARIABLE}"
