"""Opening a store's file, and saying in plain words what SQLite says in its own."""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlore.errors import StoreError, UsageError
from sqlore.knowledge.store import schema

__all__ = ["RESTORE", "connect", "plain_errors", "sound"]

MEMORY: Final = ":memory:"
_HEADER: Final = b"SQLite format 3\x00"
# Small pages: a store of a hundred scripts has thirty tables and indexes, each at least one page.
_PAGE: Final = 2048
_BUSY_MS: Final = 15_000

RESTORE: Final = "restore it from a backup, or learn the history into a new store"
"""What to do about a store that is damaged."""
_ADVICE: Final = f"sqlore doctor says what of it; {RESTORE}: --store PATH"
_TOO_LARGE: Final = "too large to convert to SQLite"
_UNREADABLE: Final = "the file is damaged: what it holds cannot be read"

_MEANINGS: Final = (
    ("disk is full", "the disk is full", "free some space and run the command again: it goes on from there"),
    ("readonly", "the file is read-only", "give write permission to the file and its folder"),
    ("locked", "another process is writing to it", "wait until it is done and try again"),
    (
        "disk i/o",
        "the disk failed while reading or writing",
        "is the disk full? Free some space and run the command again; else restore the file from a backup",
    ),
    ("malformed", "the file is damaged", _ADVICE),
    # SQLite quotes the bytes, and a terminal shows whatever they are
    ("could not decode", _UNREADABLE, _ADVICE),
    ("not a database", "the file is not a knowledge store", "give another path; sqlore writes over no file"),
    (
        "unable to open",
        "the file cannot be opened or made",
        "check that its folder exists and can be written",
    ),
)


@contextmanager
def plain_errors(path: str) -> Iterator[None]:
    """Turns SQLite's errors into `StoreError`s with the path and what to do.

    A number that was asked for and is larger than SQLite's are is a `UsageError`.
    """
    try:
        yield
    except sqlite3.Error as error:
        text = str(error).lower()
        for sign, message, hint in _MEANINGS:
            if sign in text:
                raise StoreError(message, where=path, hint=hint) from error
        raise StoreError(f"the knowledge store cannot be used: {error}", where=path) from error
    except UnicodeDecodeError as error:  # SQLite names a damaged table or column, in the bytes that are there
        raise StoreError(_UNREADABLE, where=path, hint=_ADVICE) from error
    except OverflowError as error:
        if _TOO_LARGE not in str(error):
            raise
        raise UsageError(
            "there is no number as large as that", hint="numbers have 18 digits at most"
        ) from error


@contextmanager
def sound(path: str) -> Iterator[None]:
    """`plain_errors`, and also what is said of rows that are not what sqlore wrote there.

    Only around the store's own work on its rows: faults of anything else would be told as damage.
    """
    with plain_errors(path):
        try:
            yield
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, zlib.error) as error:
            if isinstance(error, OverflowError) and _TOO_LARGE in str(error):
                raise
            raise StoreError(_UNREADABLE, where=path, hint=_ADVICE) from error


def connect(path: Path, *, create: bool, read_only: bool = False) -> sqlite3.Connection:
    """An open, migrated connection in WAL mode.

    With `create` a missing (or empty) file becomes a new store. Raises `StoreError` where there is no store
    at `path`, `StoreVersionError` where a newer sqlore made it.
    """
    where = str(path)
    _check_file(path, create=create)
    fresh = where != MEMORY and not path.exists()
    with plain_errors(where):
        db = _open(path, read_only=read_only)
        try:
            _prepare(db, where, read_only=read_only)
        except BaseException:
            db.close()
            if fresh and path.exists() and _head(path) != _HEADER:
                path.unlink()  # a disk that was full before the first page was whole
            raise
    return db


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_HEADER))


def _check_file(path: Path, *, create: bool) -> None:
    where = str(path)
    if where == MEMORY:
        return
    if any("\ud800" <= ch <= "\udfff" for ch in where):
        raise StoreError(
            "the name of the store's file is not valid Unicode", hint="give another: --store PATH"
        )
    if path.is_dir():
        raise StoreError(
            "this is a folder, not a knowledge store", where=where, hint="give a file: --store PATH"
        )
    try:
        head = _head(path)
    except FileNotFoundError:
        if create:
            return
        raise StoreError(
            "there is no knowledge store here",
            where=where,
            hint="make one: sqlore learn --db DATABASE --history FOLDER",
        ) from None
    except OSError as error:
        raise StoreError(
            f"the file cannot be read: {error.strerror}",
            where=where,
            hint="give yourself permission to read it",
        ) from error
    if head != _HEADER and not (create and not head):
        raise StoreError(
            "the file is not a knowledge store",
            where=where,
            hint="give another path; sqlore writes over no file that it did not make",
        )


def _open(path: Path, *, read_only: bool) -> sqlite3.Connection:
    uri = MEMORY if str(path) == MEMORY else "file:" + quote(str(path.absolute()))
    if read_only:
        # In a folder that cannot be written SQLite cannot make the files that reading in WAL mode takes.
        still = not os.access(path.absolute().parent, os.W_OK) and not Path(f"{path}-wal").exists()
        uri += "?mode=ro&immutable=1" if still else "?mode=ro"
    # One connection serves all threads of a process; the store takes turns with a lock.
    db = sqlite3.connect(
        uri, uri=uri != MEMORY, isolation_level=None, check_same_thread=False, timeout=_BUSY_MS / 1000
    )
    db.execute(f"PRAGMA page_size = {_PAGE}")
    return db


def _prepare(db: sqlite3.Connection, where: str, *, read_only: bool) -> None:
    mark = db.execute("PRAGMA application_id").fetchone()[0]
    empty = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if mark != schema.APPLICATION_ID and not empty:
        raise StoreError(
            "this is an SQLite database, but not a knowledge store",
            where=where,
            hint="is it the database you want to ask? The store is another file: --store PATH",
        )
    db.execute("PRAGMA foreign_keys = ON")
    if not read_only:
        # A newer store is refused before anything is written to it.
        if schema.version(db) <= schema.LATEST:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
        schema.migrate(db, where)
    elif schema.version(db) < schema.LATEST and os.access(where, os.W_OK):
        connect(Path(where), create=False).close()  # an older store is brought up to date to be read, too
    elif schema.version(db) != schema.LATEST:
        schema.migrate(db, where)
