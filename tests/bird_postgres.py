"""BIRD's superhero database in PostgreSQL, and the questions of BIRD mini-dev with their PostgreSQL SQL."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from servers import Server
from support import data_dir

__all__ = ["load_superhero", "superhero_questions"]


def load_superhero(server: Server) -> str:
    """Copies the SQLite file, its keys and rows, into a database of the server. Its URL."""
    with sqlite3.connect(data_dir("bird", "databases", "superhero.sqlite")) as source:
        return server.make(list(_statements(source)), "superhero")


def _statements(source: sqlite3.Connection) -> Iterator[str]:
    """Tables in any order, so keys come last."""
    names = [row[0] for row in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    names = [name for name in names if not name.startswith("sqlite_")]
    for name in names:
        columns = source.execute(f"PRAGMA table_info('{name}')").fetchall()
        keys = ", ".join(f'"{column[1]}"' for column in columns if column[5])
        kinds = ", ".join(f'"{c[1]}" {"bigint" if c[2].upper() == "INTEGER" else "text"}' for c in columns)
        yield f'CREATE TABLE "{name}" ({kinds}{f", PRIMARY KEY ({keys})" if keys else ""})'
        rows = source.execute(f'SELECT * FROM "{name}"').fetchall()
        for start in range(0, len(rows), 500):
            values = ", ".join(_row(row) for row in rows[start : start + 500])
            yield f'INSERT INTO "{name}" VALUES {values}'
    for name in names:
        for key in source.execute(f"PRAGMA foreign_key_list('{name}')"):
            there = f'"{key[2]}" ("{key[4] or "id"}")'
            yield f'ALTER TABLE "{name}" ADD FOREIGN KEY ("{key[3]}") REFERENCES {there}'


def _row(row: tuple[Any, ...]) -> str:
    return f"({', '.join(_literal(value) for value in row)})"


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, int) else "'" + str(value).replace("'", "''") + "'"


def superhero_questions() -> list[dict[str, Any]]:
    """The questions of superhero with their gold."""
    text = data_dir("bird", "mini_dev_postgresql.json").read_text(encoding="utf-8")
    return [one for one in json.loads(text) if one["db_id"] == "superhero"]
