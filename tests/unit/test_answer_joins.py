"""The way between tables, the part of a schema that a question touches, and joins that a query forgot."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.store_helpers import WordEmbedder

from sqlore.answer import ask
from sqlore.answer.context import prompt_context
from sqlore.answer.join_path import Join, JoinGraph, edge_of, join_graph, joins_line, known_joins
from sqlore.answer.missing_joins import mended_joins
from sqlore.answer.narrow import joined_tables, linked_part, touched_tables
from sqlore.answer.slips import mended_names
from sqlore.catalog import Catalog, build_catalog, catalog_from_schema
from sqlore.config import Settings
from sqlore.engines import connect
from sqlore.knowledge import Store, learn
from sqlore.llm import FunctionModel
from sqlore.model import (
    Column,
    Draft,
    ForeignKey,
    KnowledgeItem,
    RankedItem,
    Retrieval,
    Schema,
    Script,
    Table,
    ValueMatch,
)
from sqlore.prompts import prepare_strategy
from sqlore.retrieve import Retriever
from support import one_line


def table(name: str, columns: str, **keys: str) -> Table:
    """A table with foreign keys: column -> the table whose `id` it refers to."""
    return Table(
        name,
        tuple(Column(c, primary_key=c == "id") for c in columns.split()),
        foreign_keys=tuple(ForeignKey((c,), other, ("id",)) for c, other in keys.items()),
    )


SCHEMA = Schema(
    (
        table(
            "hero",
            "id name weight side_id eye_id hair_id",
            side_id="side",
            eye_id="colour",
            hair_id="colour",
        ),
        table("side", "id side"),
        table("colour", "id colour"),
        table("hero_power", "hero_id power_id", hero_id="hero", power_id="power"),
        table("power", "id power_name"),
        table("film", "id title year"),
    ),
    "heroes",
    "sqlite",
)


def names(joins: tuple[Join, ...] | None) -> list[tuple[str, str]]:
    assert joins is not None
    return [(join.left, join.right) for join in joins]


# ------------------------------------------------------------------ the way between tables


def test_a_way_through_a_table_that_links() -> None:
    graph = join_graph(SCHEMA)
    assert names(graph.path(["hero", "power"])) == [("hero_power", "hero"), ("hero_power", "power")]
    assert graph.path(["hero"]) == ()
    assert graph.path(["hero", "film"]) is None, "nothing joins it"


def test_of_several_ways_the_one_that_the_question_touches() -> None:
    graph = join_graph(SCHEMA)
    (hair,) = graph.path(["hero", "colour"], {"hero.hair_id": 1.0}) or ()
    (eye,) = graph.path(["hero", "colour"], {"hero.eye_id": 1.0}) or ()
    assert (hair.columns, eye.columns) == ((("hair_id", "id"),), (("eye_id", "id"),))
    assert joins_line([hair], SCHEMA) == "hero.hair_id = colour.id"


def test_the_history_joins_what_no_key_does() -> None:
    with Store.create(":memory:") as store:
        scripts = [
            Script(
                "SELECT 1 FROM hero JOIN film ON film.title = hero.name", "q1", "films called like heroes"
            ),
            Script("SELECT 2 FROM hero h LEFT JOIN film f ON h.weight = f.year", "q2", "by weight"),
            Script("SELECT 3 FROM film f JOIN hero h ON h.name = f.title WHERE h.id = 1", "q3", "one hero"),
        ]
        learn(store, scripts, catalog=catalog_from_schema(SCHEMA), dialect="sqlite", embedder=WordEmbedder())
        (join,) = join_graph(SCHEMA, store).path(["film", "hero"]) or ()
        assert set(join.names()) == {"film.title", "hero.name"}
        assert join.support == 2, "the one that was made more often"
        edges, texts = store.items(kind="relation"), store.texts()
        known = {join.columns: join.support for join in known_joins(edges, texts, {"q1"})}
        assert known == {(("title", "name"),): 1, (("year", "weight"),): 1}
        assert join_graph(SCHEMA, store, {"q1", "q2", "q3"}).path(["film", "hero"]) is None, "withheld"


def test_half_of_a_key_of_two_columns_is_no_way() -> None:
    whole = Join("a", "b", (("x", "x"), ("y", "y")))
    assert JoinGraph([Join("b", "a", (("x", "x"),), 9), whole]).joins == (whole,)


@pytest.mark.parametrize(
    "skeleton", ["from a join b on a.id = b.id", "a.x > b.y", "a.x = <val>", "lower(a.x) = b.y"]
)
def test_what_is_no_edge(skeleton: str) -> None:
    assert edge_of(skeleton) is None


# ------------------------------------------------------------------ the prompt


def test_settings_of_the_prompt(tmp_path: Path) -> None:
    catalog = catalog_from_schema(SCHEMA)
    question = "What is the weight of each hero by power name?"

    def prompt(**settings: object) -> str:
        given = Settings(home=tmp_path, **settings)  # type: ignore[arg-type]
        ready = prepare_strategy("zero_shot", catalog, None, given)
        messages = ready.prompt(prompt_context(question, catalog, None, given)).messages
        return "\n".join(message.content for message in messages)

    assert "joined" not in prompt()
    line = "Tables are joined so: hero_power.hero_id = hero.id AND hero_power.power_id = power.id"
    assert line in prompt(join_path=True)
    shown = prompt(narrow_schema="always")
    assert "CREATE TABLE film" in prompt()
    assert "CREATE TABLE film" not in shown
    assert all(f"CREATE TABLE {name}" in shown for name in ("hero", "power", "hero_power"))


def test_values_can_be_left_out(heroes: str) -> None:
    with connect(heroes) as engine:
        catalog = build_catalog(engine)
    for linked in (True, False):
        context = prompt_context("heroes with Flight", catalog, None, Settings(link_values=linked))
        assert [match.value for match in context.values] == (["Flight"] if linked else [])


def test_a_schema_that_is_never_narrowed() -> None:
    wide = Schema(
        tuple(table(f"table_{n}", " ".join(f"column_{n}_{i}" for i in range(30))) for n in range(40))
    )
    catalog = catalog_from_schema(wide)
    auto, off = (
        prompt_context("column 3 2", catalog, None, Settings(narrow_schema=mode)).schema  # type: ignore[arg-type]
        for mode in ("auto", "off")
    )
    assert "column_39_29" in off
    assert "column_39_29" not in auto
    assert "column_3_2" in auto


def test_wide_tables_keep_keys_and_what_is_touched() -> None:
    wide = table("wide", "id " + " ".join(f"c{n}" for n in range(40)) + " hero_id", hero_id="hero")
    catalog = catalog_from_schema(Schema((*SCHEMA.tables, wide)))
    (kept,) = linked_part(catalog, {"wide.c30": 1.0}).schema.tables
    assert [c.name for c in kept.columns if c.name in ("id", "c30", "hero_id", "c39")] == [
        "id",
        "c30",
        "hero_id",
    ]
    assert len(kept.columns) == 20
    assert linked_part(catalog, {}) is catalog
    assert touched_tables(SCHEMA, {"hero.weight": 1.0, "side": 0.6, "film": 0.3}) == ["hero", "side"]


def test_tables_to_join_are_those_of_what_was_found() -> None:
    def found(score: float, *tables: str) -> RankedItem:
        return RankedItem(KnowledgeItem(1, "condition", "predicate", "", "", "", "", 1, tables=tables), score)

    items = (found(0.9, "hero", "side"), found(0.1, "film"), found(0.5, '"power"', "gone"))
    sure, unsure = (ValueMatch("colour", "colour", "blue", "blue", 0, 4, score) for score in (1.0, 0.5))
    assert joined_tables(SCHEMA, Retrieval("", items, (), values=(sure,)), {}) == [
        "hero",
        "side",
        "power",
        "colour",
    ]
    assert joined_tables(SCHEMA, Retrieval("", items, (), values=(unsure,)), {}) == ["hero", "side", "power"]
    assert joined_tables(SCHEMA, None, {"film": 1.0}) == ["film"]


# ------------------------------------------------------------------ joins that were forgotten

HERO = "FROM hero AS T1"
TO_SIDE = "JOIN side AS T2 ON T1.side_id = T2.id"


@pytest.mark.parametrize(
    ("sql", "mended"),
    [
        (
            "SELECT weight FROM hero WHERE side = 'Good' -- all",
            "SELECT weight FROM hero JOIN side ON hero.side_id = side.id WHERE side.side = 'Good'",
        ),
        (
            f"SELECT T1.name {HERO} WHERE T2.side = 'Good'",
            f"SELECT T1.name {HERO} {TO_SIDE} WHERE T2.side = 'Good'",
        ),
        (f"SELECT T1.side {HERO} LIMIT 3", f"SELECT T2.side {HERO} {TO_SIDE} LIMIT 3"),
        (
            "SELECT id, name FROM hero WHERE side = 'Good' ORDER BY id",
            "SELECT hero.id, name FROM hero JOIN side ON hero.side_id = side.id"
            " WHERE side.side = 'Good' ORDER BY hero.id",
        ),
        (
            "SELECT T1.name, T2.power_name FROM hero T1 GROUP BY T1.name, T2.power_name",
            "SELECT T1.name, T2.power_name FROM hero T1 JOIN hero_power AS T3 ON T3.hero_id = T1.id"
            " JOIN power AS T2 ON T3.power_id = T2.id GROUP BY T1.name, T2.power_name",
        ),
        (
            "SELECT name FROM hero WHERE id IN (SELECT hero_id FROM hero_power WHERE power_name = 'Flight')",
            "SELECT name FROM hero WHERE id IN (SELECT hero_id FROM hero_power"
            " JOIN power ON hero_power.power_id = power.id WHERE power.power_name = 'Flight')",
        ),
        (
            f"SELECT T1.side {HERO} JOIN hero_power AS T2 ON T1.id = T2.hero_id WHERE power.power_name = 'x'",
            "SELECT T3.side FROM hero AS T1 JOIN hero_power AS T2 ON T1.id = T2.hero_id"
            " JOIN side AS T3 ON T1.side_id = T3.id JOIN power ON T2.power_id = power.id"
            " WHERE power.power_name = 'x'",
        ),
    ],
    ids=["bare", "alias unknown", "wrong alias", "told apart", "two steps", "subquery", "two joins"],
)
def test_a_forgotten_join(sql: str, mended: str, heroes: str) -> None:
    checked = mended_joins(mended_names(sql, "sqlite", SCHEMA), "sqlite", SCHEMA, lambda: join_graph(SCHEMA))
    found, told = checked.sql, checked.slips
    assert (found, checked.fault) == (mended, None)
    assert told[0].sql == sql
    assert told[0].error is not None
    assert told[0].error.endswith("was joined")
    with connect(heroes) as engine:
        engine.run(found)  # the database agrees


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM hero",
        "SELECT colour FROM hero",
        "SELECT title FROM hero",
        "SELECT height FROM hero",
        "SELECT h.name FROM hero h, hero k WHERE side.side = 'Good'",
        "SELECT T1.name FROM hero AS T1 JOIN hero_power AS T2 ON T2.power_name = T1.name",
        "SELECT x.name FROM (SELECT * FROM hero) AS x WHERE side.side = 'Good'",
        "SELECT side FROM hero WHERE",
    ],
    ids=["right", "two keys", "no way", "no such column", "self join", "in a join", "derived", "cut off"],
)
def test_nothing_is_joined_where_it_is_not_certain(sql: str) -> None:
    given = mended_names(sql, "sqlite", SCHEMA)
    assert mended_joins(given, "sqlite", SCHEMA, lambda: join_graph(SCHEMA)) == given
    assert (given.sql, given.slips) == (sql.strip(), [])


SPACED = Schema(
    (
        Table(
            "order",
            (Column("id"), Column("customer_id"), Column("status")),
            foreign_keys=(ForeignKey(("customer_id",), "customer", ("Cust ID",)),),
        ),
        Table("customer", (Column("Cust ID", primary_key=True), Column("city"))),
        Table(
            "Order Details",
            (Column("id"), Column("order_id"), Column("qty")),
            foreign_keys=(ForeignKey(("order_id",), "order", ("id",)),),
        ),
    ),
    dialect="sqlite",
)
TO_ORDER = 'JOIN "order" ON "order".customer_id ='


@pytest.mark.parametrize(
    ("sql", "mended"),
    [
        (
            "SELECT city FROM customer WHERE \"order\".status = 'x'",
            f'SELECT city FROM customer {TO_ORDER} customer."Cust ID" WHERE "order".status = \'x\'',
        ),
        (
            'SELECT status FROM "order" WHERE "Order Details".qty > 1',
            'SELECT status FROM "order" JOIN "Order Details" ON "Order Details".order_id = "order".id'
            ' WHERE "Order Details".qty > 1',
        ),
        (
            'SELECT "A B".city FROM customer AS "A B" WHERE status = \'order\'',
            'SELECT "A B".city FROM customer AS "A B" JOIN "order" AS T2 ON T2.customer_id = "A B"."Cust ID"'
            " WHERE T2.status = 'order'",
        ),
        (
            'SELECT o.status FROM "order" o JOIN customer c ON o.customer_id = c',
            'SELECT o.status FROM "order" o JOIN customer c ON o.customer_id = c."Cust ID"',
        ),
        (
            'SELECT "O".city FROM customer AS "A B" JOIN "order" AS "O" ON "O".customer_id = "A B"."Cust ID"',
            'SELECT "A B".city FROM customer AS "A B" JOIN "order" AS "O"'
            ' ON "O".customer_id = "A B"."Cust ID"',
        ),
    ],
    ids=["a word of SQL", "a blank", "an alias with one", "a key with one", "the wrong alias"],
)
def test_names_that_need_quotes(sql: str, mended: str) -> None:
    given = mended_names(sql, "sqlite", SPACED)
    checked = mended_joins(given, "sqlite", SPACED, lambda: join_graph(SPACED))
    assert (checked.sql, checked.fault) == (mended, None)


# ------------------------------------------------------------------ in the pipeline


@pytest.fixture
def heroes(tmp_path: Path) -> str:
    path = tmp_path / "heroes.sqlite"
    with sqlite3.connect(path) as db:
        for one in SCHEMA.tables:
            lines = [f"{c.name} {'INTEGER PRIMARY KEY' if c.primary_key else ''}" for c in one.columns]
            lines += [f"FOREIGN KEY ({k.columns[0]}) REFERENCES {k.ref_table}(id)" for k in one.foreign_keys]
            db.execute(f"CREATE TABLE {one.name} ({', '.join(lines)})")
        db.executescript(
            "INSERT INTO side VALUES (1, 'Good'), (2, 'Bad'); INSERT INTO power VALUES (1, 'Flight');"
            "INSERT INTO hero VALUES (1, 'Storm', 58, 1, NULL, NULL), (2, 'Loki', 90, 2, NULL, NULL);"
        )
    db.close()
    return f"sqlite:///{path}"


def asked(url: str, said: str, **settings: object) -> Draft:
    with connect(url) as engine, Store.create(":memory:") as store:
        catalog: Catalog = build_catalog(engine)
        script = Script("SELECT title FROM film JOIN hero ON hero.name = film.title", "q1", "films of heroes")
        learn(store, [script], catalog=catalog, dialect="sqlite", embedder=WordEmbedder())
        return ask(
            "Who is good?",
            engine=engine,
            catalog=catalog,
            model=FunctionModel(lambda _: said),
            retriever=Retriever(store, WordEmbedder(), catalog),
            store=store,
            settings=Settings(repairs=0, **settings),  # type: ignore[arg-type]
        )


def test_the_pipeline_joins(heroes: str) -> None:
    said = "SELECT name FROM hero WHERE side = 'Good'"
    draft = asked(heroes, said)
    assert draft.result is not None
    assert draft.result.rows == (("Storm",),)
    assert [attempt.error is None for attempt in draft.attempts] == [False, True]
    assert asked(heroes, said, mend_joins=False).error is not None


def test_the_pipeline_joins_as_the_history_does(heroes: str) -> None:
    draft = asked(heroes, "SELECT title FROM film WHERE weight > 5")
    assert (
        one_line(draft.sql)
        == "SELECT title FROM film JOIN hero ON film.title = hero.name WHERE hero.weight > 5"
    )
