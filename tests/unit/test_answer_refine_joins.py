"""Which join brings a piece of the history into a draft, what is said first, and what cannot come back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from cli_helpers import make_sqlite
from sqlore.answer.refine.change import Refiner
from sqlore.answer.refine.history import DraftHistory
from sqlore.answer.refine.rows import with_rows
from sqlore.catalog import build_catalog
from sqlore.config import Settings
from sqlore.engines import Engine, connect
from sqlore.errors import EditError, UnknownName
from sqlore.knowledge import Store, learn
from sqlore.model import Script

BANK = (
    "CREATE TABLE district (district_id INTEGER PRIMARY KEY, a3 TEXT)",
    "CREATE TABLE account (account_id INTEGER PRIMARY KEY, district_id INTEGER, date TEXT)",
    "CREATE TABLE client (client_id INTEGER PRIMARY KEY, district_id INTEGER, gender TEXT)",
    "CREATE TABLE disp (disp_id INTEGER PRIMARY KEY, client_id INTEGER, account_id INTEGER)",
    "INSERT INTO district VALUES (1, 'Prague'), (2, 'Brno')",
    "INSERT INTO account VALUES (1, 1, '1993-01-01'), (2, 1, '1994-01-01'), (3, 1, '1993-05-05')",
    "INSERT INTO client VALUES (1, 1, 'F'), (2, 1, 'M')",
    "INSERT INTO disp VALUES (1, 1, 1), (2, 2, 2)",
)
YEAR = "strftime('%Y', a.date) = '1993'"
#: The history joins accounts with districts more often than with their holders.
HISTORY = [
    *[
        f"SELECT COUNT(*) FROM account a JOIN district d ON a.district_id = d.district_id"
        f" WHERE {YEAR} AND d.a3 = 'x{n}'"
        for n in range(9)
    ],
    "SELECT p.disp_id FROM disp p JOIN account a ON p.account_id = a.account_id WHERE a.date > '1993'",
    "SELECT c.gender FROM client c JOIN disp p ON p.client_id = c.client_id WHERE c.gender = 'F'",
]
DRAFT = (
    "SELECT COUNT(*) FROM client c JOIN disp p ON p.client_id = c.client_id"
    " JOIN district d ON c.district_id = d.district_id WHERE d.a3 = 'Prague' AND c.gender = 'M'"
)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Refiner]]:
    path = make_sqlite(tmp_path_factory.mktemp("bank") / "bank.sqlite", BANK)
    with connect(str(path)) as engine, Store.create(":memory:") as store:
        catalog = build_catalog(engine)
        scripts = [Script(sql, key=str(n), dialect="sqlite") for n, sql in enumerate(HISTORY)]
        learn(store, scripts, catalog=catalog, dialect="sqlite", embedder=None)
        yield engine, Refiner(catalog, "sqlite", store=store, settings=Settings())


def number(refiner: Refiner, sql: str, text: str) -> int:
    return next(item.number for item in refiner.items(sql) if item.sql == text)


def test_a_join_that_repeats_nothing_is_chosen_before_a_more_frequent_one(
    bank: tuple[Engine, Refiner],
) -> None:
    _, refiner = bank
    at = number(refiner, DRAFT, "d.a3 = 'Prague'")
    found = {one.sql: one for one in refiner.alternatives(DRAFT, at)}
    chosen = found[YEAR]
    assert chosen.joins == ("JOIN account AS a ON a.account_id = p.account_id",)
    added = refiner.add(DRAFT, chosen.item)
    assert chosen.joins[0] in added.after
    assert added.notes == ()


def test_of_joins_that_repeat_rows_the_one_by_a_key_is_chosen(bank: tuple[Engine, Refiner]) -> None:
    _, refiner = bank
    draft = (
        "SELECT COUNT(*) FROM district d JOIN client c ON c.district_id = d.district_id WHERE c.gender = 'F'"
    )
    found = {one.sql: one for one in refiner.alternatives(draft, number(refiner, draft, "c.gender = 'F'"))}
    assert found[YEAR].joins == ("JOIN account AS a ON a.district_id = d.district_id",)


def test_alternatives_warn_before_they_are_applied_as_additions_do(bank: tuple[Engine, Refiner]) -> None:
    engine, refiner = bank
    draft = (
        "SELECT COUNT(*) FROM district d JOIN client c ON c.district_id = d.district_id WHERE c.gender = 'F'"
    )
    at = number(refiner, draft, "c.gender = 'F'")
    item = next(one.item for one in refiner.alternatives(draft, at) if one.sql == YEAR)
    for step in (refiner.choose(draft, at, item), refiner.add(draft, item)):
        assert step.notes == ("one row may have several of account: the join may repeat rows",)
        counted = with_rows(step, engine, engine.schema())
        assert counted.notes == ("the joins give 6 rows, 2 before: rows are repeated",)
        assert counted == replace(step, notes=counted.notes)


def test_a_change_without_a_join_says_nothing_of_rows(bank: tuple[Engine, Refiner]) -> None:
    engine, refiner = bank
    step = refiner.edit(DRAFT, number(refiner, DRAFT, "c.gender = 'M'"), "c.gender = 'F'")
    assert with_rows(step, engine, engine.schema()) is step


def test_a_join_that_keeps_the_rows_says_so(bank: tuple[Engine, Refiner]) -> None:
    engine, refiner = bank
    at = number(refiner, DRAFT, "d.a3 = 'Prague'")
    item = next(one.item for one in refiner.alternatives(DRAFT, at) if one.sql == YEAR)
    counted = with_rows(refiner.add(DRAFT, item), engine, engine.schema())
    assert counted.notes == ("the joins give 2 rows as before",)


@pytest.mark.parametrize(
    "after",
    ["SELECT COUNT(*) FROM account a WHERE a.date > '1993'", "SELECT COUNT(*) FROM district AS c"],
)
def test_what_names_something_that_is_gone_does_not_come_back(
    bank: tuple[Engine, Refiner], after: str
) -> None:
    _, refiner = bank
    history = DraftHistory(DRAFT).apply(refiner.off(DRAFT, number(refiner, DRAFT, "c.gender = 'M'")))
    history = history.apply(refiner.rewrite(history.sql, after))
    with pytest.raises(UnknownName):
        refiner.on(history, 1)
    assert refiner.on(history.undo(), 1).after == DRAFT


def test_what_fits_into_a_part_can_be_added_with_the_values_that_are_wanted(
    bank: tuple[Engine, Refiner],
) -> None:
    _, refiner = bank
    inside = "SELECT d.district_id FROM district d WHERE d.a3 <> 'x'"
    draft = f"SELECT COUNT(*) FROM client c WHERE c.district_id IN ({inside})"
    assert [one.sql for one in refiner.additions(draft)] == ["c.gender = 'F'"]
    inner = "main/subquery:1"
    found = refiner.additions(draft, inner)
    assert found[0].sql.startswith("d.a3 = 'x")
    assert ("x3",) in found[0].values
    step = refiner.add(draft, found[0].item, inner, values=("Brno",))
    assert step.after == draft.replace("<> 'x')", "<> 'x' AND d.a3 = 'Brno')")
    with pytest.raises(EditError, match="other values"):
        refiner.add(draft, found[0].item, inner, values=("a", "b"))


def test_ids_are_alternatives_to_ids_alone(tmp_path: Path) -> None:
    path = make_sqlite(tmp_path / "bank.sqlite", BANK)
    sql = "SELECT c.district_id FROM client c WHERE c.gender = 'M'"
    history = [
        *[f"SELECT gender FROM client WHERE client_id = {n}" for n in (13539, 3356, 3541)],
        *[f"SELECT gender FROM client WHERE district_id > {n}" for n in (3, 4)],
        "SELECT client_id FROM client WHERE gender = 'F'",
    ]
    with connect(str(path)) as engine, Store.create(":memory:") as store:
        catalog = build_catalog(engine)
        scripts = [Script(text, key=str(n), dialect="sqlite") for n, text in enumerate(history)]
        learn(store, scripts, catalog=catalog, dialect="sqlite", embedder=None)
        refiner = Refiner(catalog, "sqlite", store=store, settings=Settings())
        found = refiner.alternatives(sql, number(refiner, sql, "c.gender = 'M'"))
        assert [one.sql for one in found] == ["c.gender = 'F'", "c.district_id > 3"]
        by_id = sql.replace("c.gender = 'M'", "c.client_id = 3356")
        others = refiner.alternatives(by_id, number(refiner, by_id, "c.client_id = 3356"))
        assert "c.client_id = 13539" in [one.sql for one in others]


def test_each_alternative_is_described_with_its_own_values(tmp_path: Path) -> None:
    path = make_sqlite(tmp_path / "bank.sqlite", BANK)
    history = [f"SELECT COUNT(*) FROM district WHERE a3 = '{name}'" for name in ("Prague", "Brno", "Tabor")]
    sql = "SELECT d.district_id FROM district d WHERE d.a3 = 'Opava'"
    with connect(str(path)) as engine, Store.create(":memory:") as store:
        catalog = build_catalog(engine)
        scripts = [Script(text, key=str(n), dialect="sqlite") for n, text in enumerate(history)]
        learn(store, scripts, catalog=catalog, dialect="sqlite", embedder=None)
        refiner = Refiner(catalog, "sqlite", store=store, settings=Settings())
        found = refiner.alternatives(sql, number(refiner, sql, "d.a3 = 'Opava'"))
        assert sorted((one.sql, one.description) for one in found) == [
            (f"d.a3 = '{name}'", f"districts whose a3 is {name}") for name in ("Brno", "Prague", "Tabor")
        ]
        store.describe(found[0].item, description="the home districts", who="Ann")
        again = Refiner(catalog, "sqlite", store=store, settings=Settings())
        named = again.alternatives(sql, number(again, sql, "d.a3 = 'Opava'"))
        assert {one.description for one in named} == {"the home districts"}, "a person's words stay"


# ------------------------------------------------------------------ outer joins


@pytest.fixture(scope="module")
def outer(bank: tuple[Engine, Refiner]) -> Iterator[tuple[Refiner, int]]:
    """A history that keeps every client, with or without a disposition; and the item that says so."""
    sql = "SELECT c.gender, p.disp_id FROM client c LEFT JOIN disp p ON p.client_id = c.client_id"
    script, catalog = Script(sql, key="1", dialect="sqlite"), build_catalog(bank[0])
    with Store.create(":memory:") as store:
        learn(store, [script], catalog=catalog, dialect="sqlite", embedder=None)
        (edge,) = [item.id for item in store.items(kind="relation") if item.form == "edge"]
        yield Refiner(catalog, "sqlite", store=store, settings=Settings()), edge


@pytest.mark.parametrize(
    ("sql", "joined"),
    [
        ("SELECT COUNT(*) FROM client", " LEFT JOIN disp ON client.client_id = disp.client_id"),
        ("SELECT COUNT(*) FROM disp", " RIGHT JOIN client ON client.client_id = disp.client_id"),
    ],
)
def test_an_outer_join_keeps_its_side(
    bank: tuple[Engine, Refiner], outer: tuple[Refiner, int], sql: str, joined: str
) -> None:
    added = outer[0].add(sql, outer[1]).after
    assert added == sql + joined
    assert bank[0].run(added).rows == ((2,),)


def test_rows_that_cannot_be_kept_are_told(outer: tuple[Refiner, int]) -> None:
    with pytest.raises(EditError, match="keeps all rows of client"):
        outer[0].add("SELECT COUNT(*) FROM disp p JOIN account a ON a.account_id = p.account_id", outer[1])


def test_what_is_there_already_is_not_added_again(bank: tuple[Engine, Refiner]) -> None:
    refiner = bank[1]
    sql = "SELECT COUNT(*) FROM client c WHERE c.gender = 'F'"
    (item,) = [one.item for one in refiner.additions("SELECT COUNT(*) FROM client") if "gender" in one.sql]
    with pytest.raises(EditError, match="there already"):
        refiner.add(sql, item)
    both = refiner.add(sql, item, values=("M",)).after
    assert both == "SELECT COUNT(*) FROM client c WHERE c.gender = 'M' AND c.gender = 'F'"


# ------------------------------------------------------------------ where a piece may stand

SHOP = """
    CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
    CREATE TABLE "order"(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id), status TEXT,
        amount INTEGER);
    CREATE TABLE "Order Details"(id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES "order"(id),
        qty INTEGER);
    INSERT INTO customer VALUES (1, 'Ann', 'X'), (2, 'Bob', 'X'), (3, 'Cy', 'Y');
    INSERT INTO "order" VALUES (1, 1, 'paid', 5), (2, 1, 'open', 6), (3, 2, 'open', 7);
    INSERT INTO "Order Details" VALUES (1, 1, 2)
"""
SOLD = (
    "SELECT COUNT(*) FROM \"order\" o JOIN customer c ON o.customer_id = c.id WHERE c.city = 'X'",
    "SELECT SUM(amount) FROM \"order\" WHERE amount > 3 AND status = 'paid'",
    'SELECT COUNT(*) FROM "Order Details" WHERE qty > 1',
    'SELECT customer_id FROM "order" GROUP BY customer_id HAVING COUNT(*) > 1',
    "SELECT name, RANK() OVER (PARTITION BY city ORDER BY id) FROM customer",
)
OPEN = "SELECT COUNT(*) FROM \"order\" o WHERE o.customer_id = c.id AND o.status = 'open'"
PLACES = {
    "scalar": f"SELECT c.name, ({OPEN}) AS n FROM customer c",
    "exists": f"SELECT c.name FROM customer c WHERE EXISTS ({OPEN.replace('COUNT(*)', '1')})",
    "bare": 'SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM "order" WHERE customer_id = customer.id)',
    "in": "SELECT name FROM customer WHERE id IN (SELECT customer_id FROM \"order\" WHERE status = 'open')",
    "union": "SELECT name FROM customer WHERE city = 'X' UNION SELECT name FROM customer WHERE city = 'Y'",
    "derived": "SELECT name FROM (SELECT name FROM customer WHERE city = 'X') AS x",
    "named": "WITH x(n) AS (SELECT name FROM customer WHERE city = 'X') SELECT n FROM x",
    "star": "SELECT * FROM customer WHERE city = 'X'",
    "grouped": "SELECT city, COUNT(*) FROM customer GROUP BY city",
    "plain": "SELECT name FROM customer",
    "quoted": "SELECT COUNT(*) FROM customer WHERE city = 'X'",
}


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def shop(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Engine, Refiner]]:
    path = tmp_path_factory.mktemp("shop") / f"shop.{request.param}"
    if request.param == "sqlite":
        make_sqlite(path, [one for one in SHOP.split(";") if one.strip()])
    else:
        with duckdb.connect(str(path)) as connection:
            connection.execute(SHOP)
    with connect(f"{request.param}:///{path}") as engine, Store.create(":memory:") as store:
        catalog = build_catalog(engine)
        scripts = [Script(sql, key=str(n), dialect=engine.dialect) for n, sql in enumerate(SOLD)]
        learn(store, scripts, catalog=catalog, dialect=engine.dialect, embedder=None)
        yield engine, Refiner(catalog, engine.dialect, store=store, settings=Settings())


@pytest.mark.parametrize("place", PLACES)
def test_whatever_is_offered_runs(shop: tuple[Engine, Refiner], place: str) -> None:
    engine, refiner = shop
    sql = PLACES[place]
    found = 0
    for scope in {item.scope for item in refiner.items(sql)}:
        for one in refiner.additions(sql, scope):
            engine.run(refiner.add(sql, one.item, scope).after)
            found += 1
    for item in refiner.items(sql):
        for other in refiner.alternatives(sql, item.number) if item.kind != "query" else ():
            engine.run(refiner.choose(sql, item.number, other.item, other.sql).after)
            found += 1
    assert found, "something is offered"


@pytest.mark.parametrize("place", ["scalar", "exists"])
def test_a_subquery_stays_about_the_row_around_it(shop: tuple[Engine, Refiner], place: str) -> None:
    engine, refiner = shop
    sql = PLACES[place]
    (city,) = [one for one in refiner.additions(PLACES["plain"]) if one.sql == "city = 'X'"]
    step = refiner.add(sql, city.item, "main/subquery:1")
    assert step.after == sql.replace("o.status = 'open'", "o.status = 'open' AND c.city = 'X'")
    status = number(refiner, sql, "o.status = 'open'")
    offered = {one.sql: one for one in refiner.alternatives(sql, status)}
    assert offered["c.city = 'X'"].joins == ()
    assert refiner.alternatives(sql, number(refiner, sql, "o.customer_id = c.id")) == ()
    joins = [one for one in range(1, 12) if "customer" in refused(refiner, sql, one)]
    assert joins, "the join of both is refused there"
    assert len(engine.run(step.after).rows) <= 3


def refused(refiner: Refiner, sql: str, item: int) -> str:
    try:
        refiner.add(sql, item, "main/subquery:1")
    except EditError as error:
        return error.message if "about its row" in error.message else ""
    return ""


def test_a_table_that_is_joined_inside_hides_nothing_around_it(shop: tuple[Engine, Refiner]) -> None:
    _, refiner = shop
    sql = PLACES["in"]
    status = number(refiner, sql, "status = 'open'")
    (city,) = [one for one in refiner.alternatives(sql, status) if "city" in one.sql]
    assert city.sql == "c.city = 'X'"
    assert [join.split(" ON ")[0] for join in city.joins] == ["JOIN customer AS c"]


@pytest.mark.parametrize(
    ("place", "scope", "text", "why"),
    [
        ("scalar", "main/subquery:1", "SUM(amount)", "further column"),
        ("exists", "main/subquery:1", "SUM(amount)", "further column"),
        ("in", "main/subquery:1", "SUM(amount)", "further column"),
        ("in", "main/subquery:1", "GROUP BY customer_id", "further key"),
        ("named", "cte:x", "COUNT(*)", "further column"),
        ("union", "main/union:1", "COUNT(*)", "further column"),
        ("star", "main", "COUNT(*)", "SELECT *"),
        ("grouped", "main", "RANK()", "window"),
    ],
)
def test_what_cannot_stand_there_is_refused(
    shop: tuple[Engine, Refiner], place: str, scope: str, text: str, why: str
) -> None:
    _, refiner = shop
    store = refiner._history().store
    plain = {one.skeleton.replace('"order".', ""): one.id for one in store.items() if one.kind != "query"}
    items = [number for skeleton, number in plain.items() if skeleton.lower().startswith(text.lower())]
    assert items
    with pytest.raises(EditError, match=why.replace("*", r"\*")):
        refiner.add(PLACES[place], items[0], scope)
