"""What tests of the evaluation share: a small history with its schema, learned."""

from __future__ import annotations

import json
from pathlib import Path

from sqlore.catalog import catalog_from_schema
from sqlore.evals.tasks import History
from sqlore.history import parse_all
from sqlore.knowledge import Store
from sqlore.model import Column, ParsedScript, Schema, Script, Table
from sqlore.retrieve.baselines import Pool
from store_helpers import WordEmbedder, teach

SCHEMA = Schema(
    (
        Table("hero", (Column("id"), Column("name"), Column("height"), Column("publisher_id"))),
        Table("publisher", (Column("id"), Column("title"))),
    ),
    name="comics",
    dialect="sqlite",
)
JOIN = "FROM hero h JOIN publisher p ON h.publisher_id = p.id"
SCRIPTS = (
    Script(f"SELECT h.name {JOIN} WHERE p.title = 'Marvel'", "1", "List the heroes published by Marvel"),
    Script(f"SELECT COUNT(*) {JOIN} WHERE p.title = 'DC'", "2", "How many heroes are published by DC?"),
    Script("SELECT AVG(height) FROM hero", "3", "What is the average height of heroes?"),
    Script("SELECT name FROM hero ORDER BY height DESC LIMIT 1", "4", "Who is the tallest hero?"),
    Script("SELECT name FROM hero ORDER BY height DESC LIMIT 3", "5", "Name the three tallest heroes"),
    Script(
        f"SELECT DISTINCT p.title {JOIN} WHERE h.height > 200 AND h.name LIKE '%man'",
        "6",
        "Which publishers have giants above 200 whose name ends in man?",
    ),
    Script("SELECT COUNT(*) FROM hero WHERE height > 180", "7", "How many heroes are taller than 180?"),
)
#: Only script 6 has these.
ONLY_IN_6 = {"output: distinct", "condition: hero.name like <val>"}


def history(scripts: tuple[Script, ...] = SCRIPTS) -> History:
    """The scripts, parsed."""
    outcomes = parse_all(scripts, dialect="sqlite", schema=SCHEMA)
    return History("comics", [one for one in outcomes if isinstance(one, ParsedScript)])


def pool(scripts: tuple[Script, ...] = SCRIPTS, **options: object) -> Pool:
    """The scripts, learned with an embedder that needs no model."""
    store, catalog = Store.create(":memory:"), catalog_from_schema(SCHEMA)
    embedder = WordEmbedder()
    teach(store, *scripts, catalog=catalog, embedder=embedder)
    return Pool(store, embedder, catalog, **options)  # type: ignore[arg-type]


#: The schema twice over, as BIRD's and Spider's `tables.json` have it.
TABLES_JSON = [
    {
        "db_id": name,
        "table_names_original": [table.name for table in SCHEMA.tables],
        "column_names_original": [[-1, "*"]]
        + [[n, column.name] for n, table in enumerate(SCHEMA.tables) for column in table.columns],
        "column_types": ["text"] * (1 + sum(len(table.columns) for table in SCHEMA.tables)),
        "primary_keys": [1, 5],
        "foreign_keys": [[4, 5]],
    }
    for name in ("comics", "films")
]


def write_comics(folder: Path) -> None:
    """`dev.json`, a history over the databases comics and films in BIRD's format, and its `tables.json`."""
    records = [
        {
            "question_id": f"{name[0]}{s.key}",
            "db_id": name,
            "question": s.question,
            "evidence": "",
            "SQL": s.sql,
        }
        for name in ("comics", "films")
        for s in SCRIPTS
    ]
    (folder / "dev.json").write_text(json.dumps(records), encoding="utf-8")
    (folder / "tables.json").write_text(json.dumps(TABLES_JSON), encoding="utf-8")
