"""Items merged, judged again, counted and found: what looking after a store needs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqlore.errors import UsageError
from sqlore.knowledge import Store
from sqlore.model import KnowledgeItem
from store_helpers import WordEmbedder, teach


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.create(":memory:") as opened:
        teach(
            opened,
            "SELECT COUNT(*) FROM orders WHERE status = 'P'",
            "SELECT COUNT(*) FROM orders WHERE status = 'R' AND amount > 5",
            'SELECT COUNT(id) FROM "Free Meals" WHERE amount > 7',
        )
        yield opened


def item(store: Store, skeleton: str) -> KnowledgeItem:
    return next(one for one in store.items() if one.skeleton == skeleton)


def test_a_merged_item_is_deprecated_and_its_names_lead_to_the_other(store: Store) -> None:
    gone, kept = item(store, 'count("free meals".id)'), item(store, "count(*)")
    store.describe(gone.id, name="meals served", who="Ann", embedder=WordEmbedder())
    after = store.merge(gone.id, kept.id, who="Ann", why="the same")
    assert "meals served" in after.aliases
    assert kept.id in [number for number, _ in store.fts_search("meals served")]
    assert store.item(gone.id).trust == "deprecated"  # type: ignore[union-attr]
    assert store.merged() == {gone.id: kept.id}
    assert [(c.what, c.new, c.who, c.why) for c in store.history(gone.id)][-1] == (
        "merged", str(kept.id), "Ann", "the same",
    )  # fmt: skip
    assert after.support == kept.support
    assert store.health().ok


def test_a_merge_is_taken_back_with_the_verdict(store: Store) -> None:
    gone, kept = item(store, 'count("free meals".id)'), item(store, "count(*)")
    store.merge(gone.id, kept.id, who="Ann")
    store.set_trust(gone.id, "unverified", who="Bob", why="they differ")
    assert store.merged() == {}


@pytest.mark.parametrize("case", ["itself", "other kind", "deprecated", "unknown"])
def test_what_cannot_be_one_is_not_merged(store: Store, case: str) -> None:
    gone, kept = item(store, 'count("free meals".id)'), item(store, "count(*)")
    into = {
        "itself": gone.id,
        "other kind": item(store, "orders.status = <val>").id,
        "deprecated": kept.id,
        "unknown": 999,
    }[case]
    if case == "deprecated":
        store.set_trust(kept.id, "deprecated", who="Ann")
    with pytest.raises(UsageError):
        store.merge(gone.id, into, who="Ann")
    assert store.item(gone.id) == gone
    assert store.history(gone.id) == []


def test_what_was_changed_after_it_was_verified_can_be_verified_again(store: Store) -> None:
    one = item(store, "count(*)")
    store.set_trust(one.id, "verified", who="Ann")
    assert store.set_trust(one.id, "verified", who="Bob").version == 2
    store.describe(one.id, name="orders in all", who="Ann")
    again = store.set_trust(one.id, "verified", who="Bob", why="with its new name")
    assert [(c.version, c.what, c.who) for c in store.history(again.id)] == [
        (2, "trust", "Ann"),
        (3, "name", "Ann"),
        (4, "trust", "Bob"),
    ]


def test_items_are_counted_and_filtered_alike(store: Store) -> None:
    verified = item(store, "count(*)")
    store.set_trust(verified.id, "verified", who="Ann")
    assert [one.id for one in store.items(trust="verified")] == [verified.id]
    assert store.count(trust="verified") == 1
    assert store.count() == len(store.items())
    assert store.count(kind="condition", support=1) == len(store.items(kind="condition"))
    assert store.count(support=2) == sum(one.support >= 2 for one in store.items()) > 0
    assert store.count(stale=True) == 0


def test_a_quoted_table_and_its_column_are_found_without_their_quotes(store: Store) -> None:
    found = store.items(kind="condition", table="free meals", column="AMOUNT")
    assert [one.skeleton for one in found] == ['"free meals".amount > <val>']
    assert store.count(table="orders", column="amount", kind="condition") == 1
    assert store.mentions()["orders", "status"] == 3


def test_items_come_by_name_where_that_is_asked(store: Store) -> None:
    names = [one.name.lower() for one in store.items(order="name")]
    assert names == sorted(names)
    assert len(names) > 3
