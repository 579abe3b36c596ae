"""Data dictionaries from files: BIRD's description folders and column meanings, and a YAML of our own.

Our own form is YAML, everything in it optional::

    tables:
      orders:
        description: one row an order; test accounts are in here too
        name: order
        columns:
          status:
            name: order status
            description: where the order stands
            synonyms: [state]
            values: {3: shipped, 4: refunded}
            sensitive: true
          customer_id: who ordered        # a text alone is the description

`description` says what a table or column holds, `name` is a short name in words, `synonyms` are other words
people use, `values` say what codes mean, `sensitive` marks a column, or all columns of a table, in which
mistakes are costly: unverified knowledge that computes there is announced. Codes are read as they are written
(``on`` is the text "on").
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import yaml

from sqlore.catalog.dictionary import Entry
from sqlore.catalog.meanings import prose_meanings, reads_like_name, value_meanings, without_headings
from sqlore.catalog.names import humanize, word_set
from sqlore.errors import SourceError, UsageError

_USELESS: Final = re.compile(r"(?:not\s+useful|unuseful|useless|same as .{0,20}|n/?a|none|null)\W*\Z", re.I)
_SAID: Final = ("description", "name", "synonyms", "sensitive")
_TRUTHS: Final = {"true": True, "yes": True, "false": False, "no": False}
_NUMERIC: Final = word_set("integer int real float numeric number decimal bigint double")


def read_dictionary(path: str | Path, database: str | None = None) -> list[Entry]:
    """The entries of a dictionary file or folder, whatever its form.

    A folder holds one CSV a table (BIRD's `database_description/<database>`), or one folder a database, of
    which `database` names the one to read. A JSON file maps ``database|table|column`` to a text; of it the
    entries of `database` are read, or all of them. Everything else is our own YAML.

    Raises UsageError where the path is missing, SourceError (`where` is ``file:line``) where it is wrong.
    """
    path = Path(path)
    if not path.exists():
        raise UsageError(
            f"there is no dictionary {path}", hint="give a YAML, JSON or CSV file, or a folder of CSV files"
        )
    if path.is_dir():
        inner = path / database if database else path
        return read_descriptions(inner if inner.is_dir() else path)
    if path.suffix.lower() == ".csv":
        return _read_csv(path)
    if path.suffix.lower() == ".json":
        return read_column_meanings(path, database)
    return read_yaml(path)


# ------------------------------------------------------------------ BIRD


def read_descriptions(folder: Path) -> list[Entry]:
    """The entries of all CSV files of a folder; a file's name is its table's.

    Columns: `original_column_name, column_name, column_description, data_format, value_description`.
    """
    files = sorted(p for p in folder.iterdir() if p.suffix.lower() == ".csv")
    if not files:
        raise SourceError(f"there is no CSV file in {folder}", where=str(folder))
    return [entry for file in files for entry in _read_csv(file)]


def _read_csv(path: Path) -> list[Entry]:
    reader = csv.DictReader(io.StringIO(decode(path.read_bytes()), newline=""))
    fields = {(name or "").strip().lower(): name for name in reader.fieldnames or ()}
    original = fields.get("original_column_name")
    if original is None:
        raise SourceError(
            "the first line does not name a column original_column_name",
            where=f"{path}:1",
            hint="its columns: original_column_name, column_name, column_description, value_description",
        )
    try:
        rows = [{k: str(row.get(v) or "").strip() for k, v in fields.items()} for row in reader]
    except csv.Error as error:
        raise SourceError(f"not a CSV file: {error}", where=f"{path}:{reader.line_num}") from error
    columns = [row["original_column_name"] for row in rows]
    return [
        entry for row in rows if row["original_column_name"] for entry in _described(path.stem, row, columns)
    ]


def decode(data: bytes) -> str:
    """Text of a file in UTF-8 with or without BOM, UTF-16 with BOM, or Windows-1252.

    >>> decode(b"\\xef\\xbb\\xbfa"), decode(b"\\x95 b")
    ('a', '• b')
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _described(table: str, row: dict[str, str], columns: list[str]) -> Iterator[Entry]:
    """A row's column entry and its value entries; a value text without codes is description."""
    column = row["original_column_name"]
    label, told, values = (row.get(k, "") for k in ("column_name", "column_description", "value_description"))
    numeric = row.get("data_format", "").lower() in _NUMERIC
    meanings = value_meanings(values, numeric=numeric, column=column, columns=columns)
    rest = "" if meanings else without_headings(values)
    parts = [" ".join(t.split()) for t in (told, rest) if t and not _USELESS.match(t)]
    description = ". ".join(dict.fromkeys(p.rstrip(".") for p in parts))
    name = label if label and label.lower() != column.lower() else ""
    if not name and reads_like_name(told):
        name = told
    name = " ".join(name.split())
    if name.lower() == humanize(column).lower():
        name = ""
    if description or name:
        yield Entry(table, column, None, description or name, "file", name)
    for value, meaning in meanings.items():
        yield Entry(table, column, value, meaning, "file")


def read_column_meanings(path: Path, database: str | None = None) -> list[Entry]:
    """The entries of a JSON file that maps ``database|table|column`` to a text (TA-SQL's column meanings)."""
    try:
        data = json.loads(decode(path.read_bytes()))
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise SourceError(f"not JSON: {error}", where=f"{path}:{line}" if line else str(path)) from error
    if not isinstance(data, dict):
        raise SourceError('expected {"database|table|column": "meaning"}', where=str(path))
    entries: list[Entry] = []
    for key, text in data.items():
        parts = str(key).split("|")
        if len(parts) < 3 or not isinstance(text, str):
            raise SourceError(f"{key!r} is not database|table|column with a text", where=str(path))
        if database is not None and parts[0].lower() != database.lower():
            continue
        table, column = parts[1], "|".join(parts[2:])
        meaning = " ".join(text.strip().lstrip("#").split()).strip("'\" ")
        if meaning:
            entries.append(Entry(table, column, None, meaning, "file"))
            codes = prose_meanings(meaning, (parts[0], table, column, humanize(column)))
            entries += [Entry(table, column, code, says, "file") for code, says in codes.items()]
    return entries


# ------------------------------------------------------------------ our own YAML


def read_yaml(path: Path) -> list[Entry]:
    """The entries of our own YAML form, described at the top of this module."""
    try:
        root = yaml.compose(decode(path.read_bytes()), Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise SourceError(f"not YAML: {getattr(error, 'problem', None) or error}", where=where) from error
    except RecursionError:
        raise SourceError("nested too deeply", where=str(path)) from None
    if root is None:
        return []
    reader = _Yaml(path)
    entries: list[Entry] = []
    for key, node in reader.pairs(root, "the file", ("tables",)):
        if key == "tables":
            for table, body in reader.pairs(node, "tables"):
                entries += reader.table(table, body)
    return entries


class _Yaml:
    """Reads the nodes of one YAML file, so that every complaint has its line."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fail(self, node: yaml.Node, message: str) -> SourceError:
        return SourceError(message, where=f"{self.path}:{node.start_mark.line + 1}")

    def pairs(
        self, node: yaml.Node, what: str, allowed: Iterable[str] = ()
    ) -> Iterator[tuple[str, yaml.Node]]:
        """Keys and nodes of a mapping; keys as written."""
        if self._is_null(node):
            return
        if not isinstance(node, yaml.MappingNode):
            raise self.fail(node, f"{what} must be a mapping (name: ...)")
        names, seen = tuple(allowed), set[str]()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.fail(key, f"a name in {what} must be a plain text")
            if key.value in seen:
                raise self.fail(key, f"{key.value!r} is there twice in {what}")
            seen.add(key.value)
            if names and key.value not in names:
                raise self.fail(key, f"{key.value!r} is not known in {what}; known: {', '.join(names)}")
            yield key.value, value

    def text(self, node: yaml.Node, what: str) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail(node, f"{what} must be a text")
        return "" if self._is_null(node) else " ".join(node.value.split())

    def texts(self, node: yaml.Node, what: str) -> tuple[str, ...]:
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.text(item, what) for item in node.value)
        return (self.text(node, what),)

    def truth(self, node: yaml.Node, what: str) -> bool:
        said = self.text(node, what).lower()
        if said not in _TRUTHS:
            raise self.fail(node, f"{what} must be true or false")
        return _TRUTHS[said]

    def table(self, table: str, node: yaml.Node) -> list[Entry]:
        about = f"table {table}"
        if isinstance(node, yaml.ScalarNode):
            return [Entry(table, None, None, self.text(node, about))]
        parts = dict(self.pairs(node, about, (*_SAID, "columns")))
        entries = self._entry(table, None, parts, about)
        if "columns" in parts:
            for column, body in self.pairs(parts["columns"], f"the columns of {table}"):
                entries += self._column(table, column, body)
        return entries

    def _column(self, table: str, column: str, node: yaml.Node) -> list[Entry]:
        about = f"column {table}.{column}"
        if isinstance(node, yaml.ScalarNode):
            return [Entry(table, column, None, self.text(node, about))]
        parts = dict(self.pairs(node, about, (*_SAID, "values")))
        entries = self._entry(table, column, parts, about)
        if "values" in parts:
            for code, meaning in self.pairs(parts["values"], f"the values of {table}.{column}"):
                entries.append(Entry(table, column, code, self.text(meaning, f"value {code}")))
        return entries

    def _entry(self, table: str, column: str | None, parts: dict[str, yaml.Node], about: str) -> list[Entry]:
        description, name = (
            self.text(parts[k], f"{k} of {about}") if k in parts else "" for k in ("description", "name")
        )
        synonyms = self.texts(parts["synonyms"], f"synonyms of {about}") if "synonyms" in parts else ()
        flag = self.truth(parts["sensitive"], f"sensitive of {about}") if "sensitive" in parts else None
        said = Entry(table, column, None, description, "file", name, synonyms, sensitive=flag)
        return [said] if parts else []

    @staticmethod
    def _is_null(node: yaml.Node) -> bool:
        return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"
