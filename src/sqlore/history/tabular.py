"""Records of CSV, TSV and Parquet."""

from __future__ import annotations

import csv
import glob
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sqlore.errors import SourceError
from sqlore.history.columns import FIELDS, looks_like_sql
from sqlore.history.records import Origin, Record
from sqlore.model import Rejected

__all__ = ["csv_records", "delimiter_of", "parquet_records"]

_DELIMITERS = ",;\t|"
_BATCH = 1000


def csv_records(
    lines: Iterable[str], origin: Origin, delimiter: str | None = None
) -> Iterator[Record | Rejected]:
    """Records of delimited text, lazily; the delimiter is read off the first line where it is not given.

    A first row that holds SQL is data and not a heading: its columns are called column1, column2, ...
    A row that cannot be read (an unclosed quote, too many fields) gives one rejection with its line and
    the rest goes on; SQL that was left unquoted in the last column is put together again.

    >>> found = csv_records(["query,calls\\n", '"SELECT a, b FROM t",3\\n'], Origin("log.csv"))
    >>> [row.values for row in found]
    [{'query': 'SELECT a, b FROM t', 'calls': '3'}]
    """
    feed = _Feed(lines)
    header: list[str] | None = None
    for row in _rows(feed, origin, delimiter):
        if isinstance(row, Rejected):
            yield row
        elif header is None and not any(map(looks_like_sql, row.fields)):
            header = [name.strip() for name in row.fields]
        else:
            header = header or [f"column{n}" for n in range(1, len(row.fields) + 1)]
            yield _record(header, row, origin, feed.delimiter)


def delimiter_of(line: str) -> str:
    """The delimiter that a heading uses.

    >>> delimiter_of("query;calls;user")
    ';'
    """
    return max(_DELIMITERS, key=line.count)


def parquet_records(path: Path, origin: Origin) -> Iterator[Record | Rejected]:
    """Records of a Parquet file, lazily, through an in-memory DuckDB that reads this file and no other.

    Raises `SourceError` where the file is not Parquet.
    """
    import duckdb

    settings = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    connection = duckdb.connect(":memory:", config=settings)  # type: ignore[arg-type]
    try:
        cursor = connection.execute("SELECT * FROM read_parquet(?)", [glob.escape(str(path))])
        names = [column[0] for column in cursor.description or ()]
        line = 0
        while rows := cursor.fetchmany(_BATCH):
            for row in rows:
                line += 1
                yield Record(dict(zip(names, row, strict=True)), line)
    except duckdb.Error as error:
        message = f"cannot be read as Parquet: {str(error).splitlines()[0]}"
        raise SourceError(message, where=origin.source, hint="check that the file is whole") from error
    finally:
        connection.close()


class _Row:
    __slots__ = ("fields", "line", "text")

    def __init__(self, fields: list[str], line: int, text: str) -> None:
        self.fields, self.line, self.text = fields, line, text


class _Feed:
    """Lines for the csv reader that can be put back, with their numbers."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._back: list[str] = []
        self.number = 0  # of the last line given
        self.record: list[str] = []  # the lines given since the record began
        self.delimiter = ","

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._back.pop() if self._back else next(self._lines)
        self.number += 1
        self.record.append(line)
        return line

    def peek(self) -> str:
        """The next line that is not blank, without taking it; empty at the end."""
        while not self._back:
            line = next(self._lines, None)
            if line is None:
                return ""
            if line.strip():
                self._back.append(line)
            else:
                self.number += 1
        return self._back[-1]

    def put_back(self) -> str:
        """Takes back all lines of the record but its first, which is returned."""
        first, *rest = self.record
        self._back.extend(reversed(rest))
        self.number -= len(rest)
        self.record = []
        return first


def _rows(feed: _Feed, origin: Origin, delimiter: str | None) -> Iterator[_Row | Rejected]:
    csv.field_size_limit(sys.maxsize)
    feed.delimiter = delimiter or delimiter_of(feed.peek())
    reader = csv.reader(feed, delimiter=feed.delimiter, strict=True)
    while True:
        feed.record = []
        start = feed.number + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            shown, message = feed.put_back().strip(), f"line {start} is not CSV: {error}"
            yield origin.reject(shown, "unreadable", message, start)
            reader = csv.reader(feed, delimiter=feed.delimiter, strict=True)
            continue
        if any(field.strip() for field in fields):
            yield _Row(fields, start, "".join(feed.record).strip())


def _record(header: list[str], row: _Row, origin: Origin, delimiter: str) -> Record | Rejected:
    fields, width = row.fields, len(header)
    if len(fields) > width:
        tail = delimiter.join(fields[width - 1 :])
        named = "".join(filter(str.isalnum, header[-1])).lower() in FIELDS["sql"]
        if not (named and looks_like_sql(tail)) and any(field.strip() for field in fields[width:]):
            message = f"line {row.line} has {len(fields)} fields, the heading {width}"
            return origin.reject(row.text, "unreadable", message, row.line)
        fields = [*fields[: width - 1], tail] if named and looks_like_sql(tail) else fields[:width]
    return Record(dict(zip(header, fields, strict=False)), row.line)
