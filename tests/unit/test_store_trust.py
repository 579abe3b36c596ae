"""People's say over items, and items whose tables and columns are gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlore.errors import UsageError
from sqlore.knowledge import Store
from sqlore.model import Column, KnowledgeItem, Schema, Table
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
