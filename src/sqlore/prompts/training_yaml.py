"""One file of the own training form, read with errors that name the line."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, Final

import yaml

from sqlore.errors import SourceError
from sqlore.prompts.text import sql_line
from sqlore.prompts.training_pairs import Pair, TrainingDatabase

_KEYS: Final = {
    "a training file": frozenset({"database", "about", "dialect", "ddl", "rows", "pairs"}),
    "a pair": frozenset({"question", "sql", "parts", "natsql"}),
}


class _Lines(yaml.SafeLoader):
    """Remembers the line of every mapping under the key None."""


def _mapping(loader: Any, node: Any) -> dict[Any, Any]:
    loader.flatten_mapping(node)
    found: dict[Any, Any] = loader.construct_mapping(node, deep=True)
    found[None] = node.start_mark.line + 1
    return found


_Lines.add_constructor("tag:yaml.org,2002:map", _mapping)


def read_database(text: bytes, where: str) -> TrainingDatabase:
    """The database in one file. Raises SourceError; its `where` is ``file:line``."""
    try:
        data = yaml.load(text, Loader=_Lines)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        raise SourceError(
            f"not YAML: {problem}", where=f"{where}:{mark.line + 1}" if mark else where
        ) from error
    _check(data, "a training file", where, required=("database", "ddl", "pairs"))
    name, dialect = _text(data, "database", where), str(data.get("dialect") or "sqlite")
    if not isinstance(data["pairs"], list) or not data["pairs"]:
        raise SourceError("`pairs` is a list of questions with their SQL", where=f"{where}:{data[None]}")
    return TrainingDatabase(
        name,
        _text(data, "ddl", where),
        tuple(_pair(one, name, dialect, where) for one in data["pairs"]),
        str(data.get("about") or ""),
        dialect,
        _rows(data.get("rows") or {}, where),
    )


def _pair(data: Any, database: str, dialect: str, where: str) -> Pair:
    _check(data, "a pair", where, required=("question", "sql"))
    parts, natsql = (_texts(data, key, where) for key in ("parts", "natsql"))
    if parts and natsql and len(parts) != len(natsql):
        raise SourceError(
            f"{len(parts)} parts, but NatSQL for {len(natsql)}",
            where=f"{where}:{data[None]}",
            hint="`natsql` has one line for each of `parts`",
        )
    question = " ".join(_text(data, "question", where).split())
    return Pair(database, question, sql_line(_text(data, "sql", where)), parts, natsql, dialect)


def _check(data: Any, what: str, where: str, *, required: tuple[str, ...]) -> None:
    if not isinstance(data, Mapping):
        raise SourceError(f"{what} is a mapping, this is {type(data).__name__}", where=where)
    place = f"{where}:{data[None]}"
    unknown = [str(key) for key in data if key is not None and key not in _KEYS[what]]
    if unknown:
        known = ", ".join(sorted(_KEYS[what]))
        raise SourceError(f"{what} has no {unknown[0]!r}", where=place, hint=f"it has: {known}")
    for key in required:
        if not data.get(key):
            raise SourceError(f"{what} needs {key!r}", where=place)


def _text(data: Mapping[Any, Any], key: str, where: str) -> str:
    value = data[key]
    if not isinstance(value, str):
        raise SourceError(f"{key!r} is a text", where=f"{where}:{data[None]}", hint="put it in quotes")
    return value.strip()


def _texts(data: Mapping[Any, Any], key: str, where: str) -> tuple[str, ...]:
    value = data.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise SourceError(
            f"{key!r} is a list of texts", where=f"{where}:{data[None]}", hint="put them in quotes"
        )
    return tuple(" ".join(one.split()) for one in value)


def _rows(data: Any, where: str) -> dict[str, tuple[tuple[Any, ...], ...]]:
    if not isinstance(data, Mapping):
        raise SourceError("`rows` is a mapping of tables to rows", where=where)
    found = {}
    for table, rows in data.items():
        if table is None:
            continue
        if not isinstance(rows, list) or not _alike(rows):
            raise SourceError(
                f"the rows of {table!r} are not lists of the same length", where=f"{where}:{data[None]}"
            )
        found[str(table)] = tuple(tuple(_value(value) for value in row) for row in rows)
    return found


def _alike(rows: list[Any]) -> bool:
    return all(isinstance(row, list) and len(row) == len(rows[0]) for row in rows)


def _value(value: Any) -> Any:
    """YAML reads 2021-03-01 as a date; the databases here keep dates as text."""
    return str(value) if isinstance(value, date | datetime) else value
