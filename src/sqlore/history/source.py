"""Where scripts come from: a file, a folder of files, standard input."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, cast

from sqlore.engines import is_server, mistyped, place_of
from sqlore.errors import SourceError, UsageError
from sqlore.history.columns import FIELDS, check_fields, looks_like_sql
from sqlore.history.decode import binary_kind, lines_of
from sqlore.history.naming import SourceNames
from sqlore.history.notebook import notebook_scripts
from sqlore.history.records import OnColumns, Origin, scripts_of
from sqlore.history.server_log import server_scripts
from sqlore.history.sqlfile import sql_scripts
from sqlore.history.structured import json_lines, json_records
from sqlore.history.tabular import csv_records, delimiter_of, parquet_records
from sqlore.model import Rejected, Script

__all__ = ["FORMATS", "databases_in", "read_history"]

#: Format -> the file names it is recognised by in a folder.
FORMATS: Final[dict[str, tuple[str, ...]]] = {
    "sql": (".sql", ".psql", ".pgsql", ".tsql", ".hql"),
    "json": (".json",),
    "jsonl": (".jsonl", ".ndjson"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "ipynb": (".ipynb",),
}
#: How files end that may hold SQL and are not read: they are told, other files of a folder are not.
_MAY_HOLD_SQL: Final = re.compile(
    r"""(?ix) \.(?: txt|log|md|rst|pyw?|r|rmd|qmd|scala|java|kt|cs|js|ts|php|rb|go|sh|ya?ml|toml|xml|html?
    |xlsx?|ods|docx?|pdf|gz|zip|bz2|xz|zst|7z|tar|tgz|avro|orc|ddl|dml|prc|sp|j2|jinja|bak|old|orig|dump )"""
)
OnUnread = Callable[[str], None]
"""Is told how a file ends that is not read and may hold SQL."""
_BY_SUFFIX: Final = {suffix: name for name, suffixes in FORMATS.items() for suffix in suffixes}
_STDIN: Final = "stdin"


def read_history(
    source: str | Path,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    dialect: str | None = None,
    database: str | None = None,
    on_columns: OnColumns | None = None,
    names: SourceNames | None = None,
    on_unread: OnUnread | None = None,
) -> Iterator[Script | Rejected]:
    """The scripts of a history in order, lazily, with a `Rejected` for what gives none.

    `source` is a file, a folder (read recursively, in the order of names) or ``-`` for standard input; or
    the URL of a database on a server, which stands for the statements that the server counted.
    `format` is one of `FORMATS`, else it is told from the file's name or content. `columns` names the
    columns of a table that are not recognised by their own names: ``{"sql": "stmt", "author": "who"}``.
    Of a history of several databases, `database` keeps the scripts of that one and those of none.
    `on_columns` is told of each table, by its source, which of its columns is read as which field,
    and which are not read. `names` are those that files have already; without them a file is called by its
    path within `source`, whatever other files are called so. `on_unread` is told the ending of each file of
    a folder that may hold SQL and is not read.

    Raises `UsageError` for an unknown format or field, or an empty path, at once; `SourceError` for a missing
    source at once, for an empty one or one without SQL while it is read.
    """
    _check_arguments(format, columns)
    if not str(source).strip():
        raise UsageError("the path of the history is empty", hint="is a variable of the shell not set?")
    if is_server(str(source)):
        shown = place_of(str(source))
        return _never_empty(_of_database(server_scripts(str(source), dialect), database), shown)
    origin = Origin(_STDIN, dialect, columns or {}, on_columns)
    if str(source) == "-":
        found = _read_stream(sys.stdin.buffer, origin, format)
        return _never_empty(_of_database(found, database), _STDIN)
    path = Path(source)
    meant = None if path.exists() else mistyped(str(source))
    if meant is not None:
        raise SourceError(
            "no such file, and no URL of a database either", where=f"{meant[0]}…", hint=meant[1]
        )
    if not path.exists():
        raise SourceError("no such file or folder", where=str(source), hint="check the path of the history")
    if path.is_dir():
        if not os.access(path, os.R_OK | os.X_OK):
            raise SourceError(
                "the folder cannot be opened", where=str(source), hint="give yourself permission to read it"
            )
        found = _read_folder(path, origin, format, names, on_unread)
    else:
        name = names.name(path, path.parent) if names else path.name
        found = _read_file(path, replace(origin, source=name), format)
    return _never_empty(_of_database(found, database), str(source))


def databases_in(
    source: str | Path, *, format: str | None = None, columns: Mapping[str, str] | None = None
) -> dict[str, int]:
    """The databases that a history names, each with its number of scripts, most first.

    Raises what `read_history` raises.
    """
    counts: dict[str, int] = {}
    for item in read_history(source, format=format, columns=columns):
        if isinstance(item, Script) and item.database:
            counts[item.database] = counts.get(item.database, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _check_arguments(format: str | None, columns: Mapping[str, str] | None) -> None:
    if format is not None and format not in FORMATS:
        raise UsageError(f"no such history format: {format}", hint=f"the formats are {', '.join(FORMATS)}")
    check_fields(columns or {})


def _of_database(found: Iterator[Script | Rejected], database: str | None) -> Iterator[Script | Rejected]:
    """Keeps one database's scripts; raises `SourceError` that names the others where there is none."""
    if database is None:
        yield from found
        return
    kept, others = False, set()
    for item in found:
        name = item.database if isinstance(item, Script) else item.script.database
        if name is None or name.lower() == database.lower():
            kept = True
            yield item
        else:
            others.add(name)
    if not kept and others:
        raise SourceError(
            f"the history has no script of database {database}",
            hint=f"its databases are {', '.join(sorted(others)[:20])}",
        )


def _never_empty(found: Iterator[Script | Rejected], where: str) -> Iterator[Script | Rejected]:
    first = next(found, None)
    if first is None and is_server(where):
        raise SourceError("the server has counted no query of this database", where=where,
                          hint="the extension counts from when it was loaded or reset")  # fmt: skip
    if first is None and where.lower().endswith(".ipynb"):
        hint = "read are cells with %%sql, lines with %sql, and cells and texts in Python that are SQL"
        raise SourceError("the notebook has no SQL", where=where, hint=hint)
    if first is None:
        raise SourceError(
            "the history is empty: no statement was found",
            where=where,
            hint=f"give a file with SQL, or a folder with files named {', '.join(sorted(_BY_SUFFIX))}",
        )
    yield first
    yield from found


def _read_folder(
    root: Path, within: Origin, format: str | None, names: SourceNames | None, on_unread: OnUnread | None
) -> Iterator[Script | Rejected]:
    """Every file of the folder; one that cannot be read gives a rejection and does not stop the rest."""
    for path, fault in _files(root):
        known = _BY_SUFFIX.get(path.suffix.lower())
        if fault is None and (known is None or format not in (None, known)):
            if known is None and on_unread is not None and _MAY_HOLD_SQL.fullmatch(path.suffix):
                on_unread(path.suffix.lower())
            continue
        name = names.name(path, root) if names else path.relative_to(root).as_posix()
        origin = replace(within, source=name)
        if fault is not None:
            yield origin.reject("", "unreadable", fault, None)
        else:
            try:
                yield from _read_file(path, origin, known)
            except SourceError as error:
                yield origin.reject("", "unreadable", error.message, None)


def _files(root: Path) -> Iterator[tuple[Path, str | None]]:
    """Files below a folder in the order of their paths, hidden ones left out, each folder and file once."""
    faults: list[tuple[Path, str | None]] = []

    def note(error: OSError) -> None:
        faults.append((Path(error.filename), f"cannot be opened: {error.strerror}"))

    seen: set[tuple[int, int]] = set()
    _is_new(str(root), ".", seen)
    for folder, names, files in os.walk(root, followlinks=True, onerror=note):
        names[:] = sorted(name for name in names if not name.startswith(".") and _is_new(folder, name, seen))
        for name in sorted(files):
            path = Path(folder, name)
            if not os.path.lexists(path) or (path.is_symlink() and not os.path.exists(path)):
                faults.append((path, "is a link to nothing"))
            elif not name.startswith(".") and path.is_file() and _is_new(folder, name, seen):
                yield path, None
    yield from faults


def _is_new(folder: str, name: str, seen: set[tuple[int, int]]) -> bool:
    try:
        status = os.stat(os.path.join(folder, name))
    except OSError:  # opening it will say why
        return True
    identity = (status.st_dev, status.st_ino)
    return identity not in seen and not seen.add(identity)  # type: ignore[func-returns-value]


def _read_file(path: Path, origin: Origin, format: str | None) -> Iterator[Script | Rejected]:
    try:
        stream = path.open("rb")
    except OSError as error:
        message = f"cannot be opened: {error.strerror}"
        raise SourceError(message, where=str(path), hint="check the file's permissions") from error
    with stream:
        format = format or _BY_SUFFIX.get(path.suffix.lower()) or _sniff(stream)
        if format == "parquet":
            yield from scripts_of(parquet_records(path, origin), origin)
        else:
            yield from _read_text(stream, origin, format)


def _read_stream(stream: BinaryIO, origin: Origin, format: str | None) -> Iterator[Script | Rejected]:
    """Standard input. Parquet needs a file to seek in: it goes through a temporary one."""
    raw = cast(io.RawIOBase, stream)  # a test's or a library's standard input may be any binary stream
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(raw)
    format = format or _sniff(buffered)
    if format != "parquet":
        yield from _read_text(buffered, origin, format)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stdin.parquet")
        path.write_bytes(buffered.read())
        yield from scripts_of(parquet_records(path, origin), origin)


def _read_text(stream: io.BufferedReader, origin: Origin, format: str) -> Iterator[Script | Rejected]:
    kind = binary_kind(stream.peek(32)[:32])
    if kind is not None:
        yield origin.reject("", "unreadable", f"is {kind}, not a history of queries", 1)
        return
    lines = lines_of(stream)
    if format == "sql":
        yield from sql_scripts(lines, origin)
    elif format == "ipynb":
        yield from notebook_scripts("".join(lines), origin)
    elif format == "json":
        yield from scripts_of(json_records("".join(lines), origin), origin)
    elif format == "jsonl":
        yield from scripts_of(json_lines(lines, origin), origin)
    else:
        yield from scripts_of(csv_records(lines, origin, "\t" if format == "tsv" else None), origin)


def _sniff(stream: io.BufferedReader) -> str:
    """The format by content: for standard input and files without a telling name."""
    head = stream.peek(8192)[:8192]
    if head.startswith(b"PAR1"):
        return "parquet"
    lines = list(islice(lines_of(io.BufferedReader(io.BytesIO(head))), 50))
    text = "".join(lines).lstrip()
    if text.startswith("["):
        return "json"
    if text.startswith("{"):
        whole = text.splitlines()[0].rstrip().endswith("}")
        return "jsonl" if whole else "json"
    return "csv" if _is_heading(text.splitlines()[0] if text else "") else "sql"


def _is_heading(line: str) -> bool:
    """Whether a line is the heading of a table that names a column of SQL."""
    if looks_like_sql(line + " "):
        return False
    names = [cell.strip(" \"'") for cell in line.split(delimiter_of(line))]
    folded = {"".join(filter(str.isalnum, name)).lower() for name in names}
    return bool(folded & set(FIELDS["sql"])) and all(name.replace(" ", "_").isidentifier() for name in names)
