"""What tests of the evaluation share: a small history with its schema, learned."""

from __future__ import annotations

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
