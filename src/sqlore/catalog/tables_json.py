"""Schemas from a `tables.json` file as BIRD, Spider, SEDE and KaggleDBQA write it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlore.catalog.names import humanize
from sqlore.errors import SourceError, UsageError
from sqlore.model import Column, ForeignKey, Schema, Table


def load_tables_json(path: str | Path, db_id: str | None = None) -> dict[str, Schema]:
    """Schemas by `db_id`, or the one of `db_id` alone.

    A column's comment is its description where the file has one (KaggleDBQA), else its name in words where
    that says more than the name itself (BIRD's "average salary" for ``A11``).

    Raises UsageError where the file or `db_id` is missing, SourceError where the file is not of this form.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}", hint="give the path of a tables.json file") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", where=str(path)) from error
    except ValueError as error:
        raise SourceError(f"not JSON: {error}", where=str(path)) from error
    if isinstance(data, Mapping):
        data = [data]
    if not isinstance(data, list):
        raise SourceError("a tables.json holds a list of databases", where=str(path))
    schemas: dict[str, Schema] = {}
    for number, record in enumerate(data, start=1):
        name = record.get("db_id") if isinstance(record, Mapping) else None
        if db_id is not None and name != db_id:
            continue
        try:
            schema = _schema(record)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            what = f"database {number} ({name or 'no db_id'})"
            raise SourceError(f"{what} is not a tables.json record: {error!r}", where=str(path)) from error
        schemas[schema.name] = schema
    if db_id is not None and not schemas:
        raise UsageError(f"{path} has no database {db_id!r}", where=str(path))
    return schemas


def _schema(record: Mapping[str, Any]) -> Schema:
    names: list[str] = record["table_names_original"]
    labels: list[str] = record.get("table_names") or names
    columns: list[tuple[int, str]] = [(int(t), str(c)) for t, c in record["column_names_original"]]
    keys = _primary_keys(record)
    comments = _column_comments(record, columns)
    types: list[str] = record["column_types"]
    # Some files leave out the type of `*`, the column before the first.
    shift = len(columns) - len(types)
    by_table: dict[int, list[Column]] = {}
    for index, (table, name) in enumerate(columns):
        if table >= 0:
            column = Column(name, types[index - shift], index not in keys, index in keys, comments[index])
            by_table.setdefault(table, []).append(column)
    foreign = _foreign_keys(record, columns, names)
    tables = tuple(
        Table(
            name,
            tuple(by_table.get(index, ())),
            foreign_keys=tuple(foreign.get(index, ())),
            comment=_label(label, name),
        )
        for index, (name, label) in enumerate(zip(names, labels, strict=True))
    )
    return Schema(tables, name=record["db_id"])


def _primary_keys(record: Mapping[str, Any]) -> set[int]:
    """Column numbers of all keys; a composite key is a list of numbers."""
    found: set[int] = set()
    for key in record.get("primary_keys") or ():
        found.update(key if isinstance(key, list) else [key])
    return found


def _column_comments(record: Mapping[str, Any], columns: list[tuple[int, str]]) -> list[str | None]:
    described = record.get("column_descriptions")
    labels = record.get("column_names")
    comments: list[str | None] = []
    for index, (_, name) in enumerate(columns):
        # KaggleDBQA writes descriptions as a list beside the columns, or as [table, text] pairs like them.
        text = described[index] if isinstance(described, list) and index < len(described) else None
        text = text[1] if isinstance(text, list) else text
        label = labels[index][1] if labels else None
        comments.append((text or "").strip() or _label(label, name))
    return comments


def _label(label: str | None, name: str) -> str | None:
    """The label where it says more than the name does."""
    label = (label or "").strip()
    if not label or _letters(label) == _letters(name) or label.lower() == humanize(name).lower():
        return None
    return label


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _foreign_keys(
    record: Mapping[str, Any], columns: list[tuple[int, str]], names: list[str]
) -> dict[int, list[ForeignKey]]:
    found: dict[int, list[ForeignKey]] = {}
    for here, there in record.get("foreign_keys") or ():
        froms = here if isinstance(here, list) else [here]
        tos = there if isinstance(there, list) else [there]
        key = ForeignKey(
            tuple(columns[i][1] for i in froms),
            names[columns[tos[0]][0]],
            tuple(columns[i][1] for i in tos),
        )
        found.setdefault(columns[froms[0]][0], []).append(key)
    return found
