"""People's say over items, and items whose tables and columns are gone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from sqlore.engines import connect
from sqlore.errors import EngineError, UsageError
from sqlore.knowledge import Store
from sqlore.model import Column, KnowledgeItem, Schema, Table
from sqlore.sql import check_query
from store_helpers import WordEmbedder, teach

SQL = "SELECT count(*) FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.status = 'P' LIMIT 3"


@pytest.fixture
def store(tmp_path: Path):  # type: ignore[no-untyped-def]
    with Store.create(tmp_path / "a.sqlore") as opened:
        teach(opened, SQL)
        yield opened


def condition(store: Store) -> KnowledgeItem:
    [found] = store.items(kind="condition")
    return found


def schema(**tables: str) -> Schema:
    return Schema(tuple(Table(name, tuple(map(Column, columns.split()))) for name, columns in tables.items()))


def test_trust_is_set_with_who_and_why(store: Store) -> None:
    number = condition(store).id
    changed = store.set_trust(number, "verified", "ann", "asked finance")
    assert (changed.trust, changed.version) == ("verified", 2)
    store.set_trust(number, "verified", "bob", "again")
    store.set_trust(number, "deprecated", "bob", "status was renamed")
    history = store.history(number)
    assert [(c.what, c.old, c.new, c.who, c.why, c.version) for c in history] == [
        ("trust", "unverified", "verified", "ann", "asked finance", 2),
        ("trust", "verified", "deprecated", "bob", "status was renamed", 3),
    ]
    assert all(c.time.startswith("20") for c in history)
    assert store.stats().by_trust["deprecated"] == 1


def test_a_scripts_trust_is_its_query_items(store: Store) -> None:
    [query] = store.items(kind="query")
    store.set_trust(query.id, "deprecated", "ann", "wrong join")
    assert store.scripts()[0].trust == "deprecated"
    assert store.texts()[0].trust == "deprecated"


@pytest.mark.parametrize(("number", "trust"), [(999, "verified"), (1, "golden")])
def test_unknown_items_and_trust_are_refused(store: Store, number: int, trust: str) -> None:
    with pytest.raises(UsageError):
        store.set_trust(number, trust, "ann", "")  # type: ignore[arg-type]
    assert store.stats().by_trust == {"unverified": store.stats().items}


def test_a_persons_words_stay(store: Store) -> None:
    number = condition(store).id
    store.describe(number, name="paid orders", description="orders that were paid", who="ann", why="clearer")
    teach(store, SQL.replace("'P'", "'X'"), SQL.replace("'P'", "'Y'"))
    found = condition(store)
    assert (found.name, found.description) == ("paid orders", "orders that were paid")
    assert [c.what for c in store.history(number)] == ["name", "description"]
    assert len(found.literals) == 3
    store.describe(number, name="settled orders", who="bob")
    assert condition(store).name == "settled orders"
    assert condition(store).description == "orders that were paid"


def test_a_new_name_is_found_by_meaning_too(store: Store) -> None:
    embedder, number = WordEmbedder(), condition(store).id
    store.describe(number, name="zebra", description="zebra zebra", who="ann", embedder=embedder)
    ids, matrix = store.vectors("item")
    scores = matrix @ embedder.embed(["zebra"])[0]
    assert ids[scores.argmax()] == number


# ------------------------------------------------------------------ staleness (case 19)


def test_items_of_a_gone_table_or_column_are_marked_and_come_back(store: Store) -> None:
    whole = schema(orders="id customer_id status", customer="id")
    assert store.mark_stale(whole) == (0, 0)

    marked, _ = store.mark_stale(schema(orders="id customer_id state", customer="id"))
    stale = {i.skeleton: i.stale for i in store.items() if i.stale}
    assert marked == len(stale) == 2  # the condition and the query that holds it
    assert stale["orders.status = <val>"] == "the database has no column orders.status"
    assert condition(store).support == 1
    assert store.stats().stale == 2

    store.mark_stale(schema(purchases="id customer_id status", customer="id"))
    assert condition(store).stale == "the database has no table orders"

    assert store.mark_stale(whole)[0] == 0
    assert [i for i in store.items() if i.stale] == []
    assert [c.new for c in store.history(condition(store).id)] == [
        "the database has no column orders.status",
        "the database has no table orders",
        "",
    ]


def test_names_are_compared_without_case_and_quotes(store: Store) -> None:
    teach(store, 'SELECT 1 FROM "Odd Table" WHERE "Free Meal (K-12)" = 1')
    there = Schema(
        (
            *schema(Orders="ID Customer_ID STATUS", CUSTOMER="Id").tables,
            Table("Odd Table", (Column("Free Meal (K-12)"),)),
        )
    )
    assert store.mark_stale(there) == (0, 0)


SQLITE = """
CREATE TABLE t1 (x TEXT, y INT);
CREATE VIRTUAL TABLE fts USING fts5 (title, body);
INSERT INTO fts VALUES ('hello', 'world');
"""
DUCKDB = """
CREATE TABLE "my table" (id INT, s STRUCT("b c" INT, a INT), j JSON, l INT[]);
CREATE TABLE t1 (id INT, x TEXT);
"""
RUNS = {
    "sqlite": [
        "SELECT rowid, x FROM t1",
        "SELECT _rowid_ FROM t1 AS a WHERE a.oid = 1",
        "SELECT * FROM fts WHERE fts MATCH 'hello' ORDER BY rank",
        "SELECT f.title, bm25(fts) FROM fts f WHERE f.fts MATCH 'hello'",
        "SELECT name FROM sqlite_master AS m WHERE m.type = 'table'",
        "SELECT x FROM main.t1",
        'SELECT x FROM t1 WHERE x = "Bob"',
    ],
    "duckdb": [
        'SELECT s."b c" FROM "my table"',
        'SELECT m.s.a, s.a FROM "my table" m WHERE s.a = 3',
        'SELECT j.a.b FROM "my table"',
        'SELECT main."my table".id FROM main."my table"',
        'SELECT u.v FROM "my table", unnest(l) AS u(v)',
        'SELECT t FROM "my table" t',
        "SELECT rowid FROM t1",
        "SELECT table_name FROM information_schema.tables",
    ],
}
GONE = {
    "sqlite": ["SELECT gone FROM t1", "SELECT 1 FROM gone", "SELECT f.gone FROM fts f"],
    "duckdb": ['SELECT m.gone FROM "my table" m', "SELECT gone.x FROM gone", "SELECT x.a FROM t1 x"],
}


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a real database with tables that hold more than their columns."""
    path = tmp_path_factory.mktemp(request.param) / f"odd.{request.param}"
    if request.param == "sqlite":
        with closing(sqlite3.connect(path)) as db:
            db.executescript(SQLITE)
    else:
        with duckdb.connect(str(path)) as made:
            made.execute(DUCKDB)
    return f"{request.param}:///{path}"


def test_what_runs_is_not_stale(real: str, tmp_path: Path) -> None:
    dialect = real.partition(":")[0]
    with connect(real) as engine, Store.create(tmp_path / "a.sqlore") as store:
        there = engine.schema()
        for sql in RUNS[dialect]:
            check_query(sql, dialect, there)
            engine.run(sql)
            teach(store, sql, dialect=dialect, schema=there)
        store.mark_stale(there)
        assert {item.skeleton: item.stale for item in store.items() if item.stale} == {}


def test_what_is_gone_is_stale_where_much_is_let_pass(real: str, tmp_path: Path) -> None:
    dialect = real.partition(":")[0]
    with connect(real) as engine, Store.create(tmp_path / "a.sqlore") as store:
        there = engine.schema()
        for sql in GONE[dialect]:
            with pytest.raises(EngineError):
                engine.run(sql)
            teach(store, sql, dialect=dialect, schema=there)
        store.mark_stale(there)
        assert [item.stale is not None for item in store.items(kind="query")] == [True] * len(GONE[dialect])


def test_a_column_of_a_table_whose_columns_are_unknown_is_not_missing(store: Store) -> None:
    assert store.mark_stale(schema(orders="", customer="")) == (0, 0)
