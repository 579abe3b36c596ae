"""From what the user typed (a URL or a path) to a database file that exists and its engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from sqlore.engines.base import short
from sqlore.engines.server_url import KINDS, form
from sqlore.errors import ConnectError, UsageError

__all__ = ["SUPPORTED", "Target", "mistyped", "parse_target"]

SUPPORTED: Final = (
    "sqlite:///relative.db",
    "sqlite:////absolute/path.db",
    "duckdb:///relative.duckdb",
    "duckdb:////absolute/path.duckdb",
    "postgresql://user@host:port/database",
    "mysql://user@host:port/database",
    "the path of a SQLite or DuckDB file",
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_MISTYPED = re.compile(
    rf"\s*(?P<kind>{'|'.join(KINDS)}|sqlite3?|duckdb)(?:\+\w+)?(?:\s*:(?!//)|\s*//|;//|\s*://)", re.I
)
_SQLITE_MAGIC = b"SQLite format 3\x00"
_DUCKDB_MAGIC = b"DUCK"


@dataclass(frozen=True, slots=True)
class Target:
    """A database file that exists, and the kind of engine that reads it."""

    kind: str
    path: Path

    @property
    def url(self) -> str:
        """The target as a URL: one for one file, however the user wrote its path."""
        return f"{self.kind}:///{self.path.resolve()}"


def parse_target(text: str) -> Target:
    """The database file that `text` names.

    Raises `UsageError` for a URL of a kind that is not supported, `ConnectError` for a file that is
    missing, a folder, empty, unreadable, or no database of the kind it should be.

    >>> parse_target("oracle://host/db")
    Traceback (most recent call last):
    sqlore.errors.UsageError: databases of the kind oracle are not supported
    """
    scheme = _SCHEME.match(text)
    if scheme is None:
        path = _existing(text)
        return Target(_recognise(path, None), path)
    kind = scheme.group(1).lower().partition("+")[0]
    if kind not in ("sqlite", "duckdb"):
        raise UsageError(
            f"databases of the kind {kind} are not supported", hint="supported: " + ", ".join(SUPPORTED)
        )
    rest = text[scheme.end() :]
    if not rest.startswith("/") or rest == "/":
        what = "names no file" if rest in ("", "/") else "has two slashes where it needs three"
        raise UsageError(f"{text} {what}", hint=f"write {kind}:///file or {kind}:////absolute/file")
    path = _existing(rest[1:])
    return Target(_recognise(path, kind), path)


def mistyped(text: str) -> tuple[str, str] | None:
    """How a text begins that was meant to be the URL of a database, and how such a URL is written.

    The rest of it is not told: it may hold a password.

    >>> mistyped("postgres//ann:secret@db/shop")[0], mistyped("mysql:/db/shop")[0]
    ('postgres//', 'mysql:/')
    >>> mistyped("sqlite:/shop.sqlite")[1], mistyped("queries/shop.sqlite")
    ('write sqlite:///file or sqlite:////absolute/file', None)
    """
    found = _MISTYPED.match(text)
    if found is None:
        return None
    kind = found["kind"].lower()
    begins = text[: found.end()].strip() + "/" * text.startswith("/", found.end())
    if kind in KINDS:
        return begins, form(KINDS[kind])
    kind = kind.rstrip("3")
    return begins, f"write {kind}:///file or {kind}:////absolute/file"


def _existing(text: str) -> Path:
    """The file itself, or a `ConnectError` that says what is there instead."""
    if not text.strip():
        raise UsageError("no database given", hint="supported: " + ", ".join(SUPPORTED))
    if "\0" in text or text == ":memory:":
        raise UsageError(f"{text!r} is not a file", hint="supported: " + ", ".join(SUPPORTED))
    if any("\ud800" <= ch <= "\udfff" for ch in text):
        raise UsageError("the name of the database's file is not valid Unicode", hint="rename the file")
    path = _path(text)
    if not path.exists() and "%" in text:
        path = _path(unquote(text))
    if path.is_dir():
        raise ConnectError(f"{path} is a folder", hint="give the database file inside it")
    meant = None if path.exists() else mistyped(text)
    if meant is not None:
        raise UsageError(f"no file, and no URL of a database either: {meant[0]}…", hint=meant[1])
    if not path.exists():
        raise ConnectError(f"{path} does not exist", hint=_missing_hint(path))
    if not path.is_file():
        raise ConnectError(f"{path} is not an ordinary file", hint="give a database file")
    return path


def _path(text: str) -> Path:
    """The path, with ``~`` put in; a `ConnectError` where the system cannot even look for it."""
    try:
        path = Path(text).expanduser()
        path.exists()
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConnectError(f"cannot look for {short(text)}: {reason}", hint="check the path") from error
    return path


def _missing_hint(path: Path) -> str:
    if not path.parent.is_dir():
        return f"the folder {path.parent.absolute()} does not exist either; check the path"
    if not path.is_absolute():
        return (
            f"relative paths start at {Path.cwd()}; an absolute one has four slashes: sqlite:////folder/file"
        )
    return "check the path"


def _recognise(path: Path, wanted: str | None) -> str:
    """The kind of database by the file's own header."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError as error:
        raise ConnectError(
            f"cannot read {path}: {error.strerror or error}", hint="check the file's permissions"
        ) from error
    if not head:
        raise ConnectError(f"{path} is empty", hint="an empty file holds no tables; check the path")
    found = "sqlite" if head == _SQLITE_MAGIC else "duckdb" if head[8:12] == _DUCKDB_MAGIC else None
    if found is None:
        kind = {"sqlite": "a SQLite", "duckdb": "a DuckDB"}.get(wanted or "", "a SQLite or DuckDB")
        raise ConnectError(
            f"{path} is not {kind} database", hint="it is another kind of file, encrypted, or damaged"
        )
    if wanted is not None and found != wanted:
        raise ConnectError(
            f"{path} is a {'SQLite' if found == 'sqlite' else 'DuckDB'} database",
            hint=f"use {found}:///{path}",
        )
    return found
