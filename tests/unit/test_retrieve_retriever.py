"""The retriever over a real store, learned from a small history with the real embedding model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sqlore.catalog import Catalog, ColumnValues, ValueIndex, catalog_from_schema
from sqlore.embed import Embedder, load_embedder
from sqlore.errors import ModelUnavailable, StoreEmbeddingError
from sqlore.knowledge import Store, learn
from sqlore.model import Column, ForeignKey, Schema, Script, Table
from sqlore.retrieve import Retriever


def table(name: str, columns: str, *keys: ForeignKey) -> Table:
    return Table(name, tuple(Column(column, "TEXT") for column in columns.split()), foreign_keys=keys)


SCHEMA = Schema(
    (
        table("customers", "id name country is_test"),
        table("orders", "id customer_id status total placed_at",
              ForeignKey(("customer_id",), "customers", ("id",))),
        table("refunds", "id order_id amount reason", ForeignKey(("order_id",), "orders", ("id",))),
    ),
    "shop",
)  # fmt: skip
NET = (
    "SELECT SUM(o.total) - SUM(r.amount) FROM orders o JOIN refunds r ON r.order_id = o.id"
    " WHERE o.status = 'P'"
)
HISTORY = (
    ("net", NET, "What is the net revenue?"),
    ("paid", "SELECT COUNT(*) FROM orders WHERE status = 'P'", "How many paid orders are there?"),
    ("open", "SELECT COUNT(*) FROM orders WHERE status = 'O'", "How many orders are still open?"),
    ("de", "SELECT COUNT(*) FROM customers c WHERE c.country = 'Germany' AND c.is_test = 0",
     "How many customers do we have in Germany?"),
    ("fr", "SELECT name FROM customers WHERE country = 'France' AND is_test = 0",
     "Names of French customers"),
    ("big", "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.id"
     " GROUP BY c.id, c.name ORDER BY SUM(o.total) DESC LIMIT 5", "Which five customers spent the most?"),
    ("country", "SELECT c.country, SUM(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id"
     " WHERE c.is_test = 0 GROUP BY c.country", "What is the order total for each country?"),
    ("reason", "SELECT DISTINCT reason FROM refunds", "List the different reasons of refunds"),
    ("late", "SELECT id FROM orders WHERE placed_at > '2024-01-01' AND status = 'O'",
     "Open orders placed after New Year 2024"),
    ("damaged", "SELECT SUM(amount) FROM refunds WHERE reason = 'damaged'",
     "How much did we refund for damaged goods?"),
)  # fmt: skip


def scripts(rows: tuple[tuple[str, str, str], ...] = HISTORY) -> Iterator[Script]:
    for key, sql, question in rows:
        yield Script(sql, key=key, question=question or None, dialect="sqlite")


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return catalog_from_schema(SCHEMA)


def learned(
    catalog: Catalog, embedder: Embedder | None, rows: tuple[tuple[str, str, str], ...] = HISTORY
) -> Store:
    store = Store.create(":memory:")
    learn(store, scripts(rows), catalog=catalog, dialect="sqlite", embedder=embedder)
    return store


@pytest.fixture
def store(catalog: Catalog, embedder: Embedder) -> Iterator[Store]:
    with learned(catalog, embedder) as made:
        yield made


@pytest.fixture
def retriever(store: Store, embedder: Embedder) -> Retriever:
    return Retriever(store, embedder)


def skeletons(found: object) -> list[str]:
    return [ranked.item.skeleton for ranked in found.items]  # type: ignore[attr-defined]


def test_a_new_question_gets_the_pieces_it_needs(retriever: Retriever) -> None:
    found = retriever.retrieve("How many customers are there in Spain?")
    assert "customers.country = <val>" in skeletons(found)
    assert any("is_test" in ranked.script.script.sql for ranked in found.scripts)
    assert not any("refunds" in skeleton for skeleton in skeletons(found))
    assert {ranked.script.script.key for ranked in found.scripts} & {"de", "fr"}
    assert found.phrases


def test_scores_fall_and_stay_between_0_and_1(retriever: Retriever) -> None:
    for question in ("What is the net revenue of paid orders per country?", "x", "hello world"):
        for ranking in (retriever.retrieve(question).items, retriever.rank(question, limit=100)):
            scores = [ranked.score for ranked in ranking]
            assert scores == sorted(scores, reverse=True)
            assert all(0 < score < 1 for score in scores)


def test_chosen_items_are_held_by_the_delivered_scripts(retriever: Retriever) -> None:
    for _, _, question in HISTORY:
        found = retriever.retrieve(question)
        held = {number for ranked in found.scripts for number in ranked.items}
        assert held == {ranked.item.id for ranked in found.items}
        for ranked in found.scripts:
            assert set(ranked.items) <= set(ranked.script.items)
            assert 0 < ranked.score <= 1


def test_one_script_is_enough_for_its_own_question(retriever: Retriever) -> None:
    found = retriever.retrieve("What is the net revenue?")
    assert found.scripts[0].script.script.key == "net"


def test_an_example_shows_values_where_one_of_its_texts_has_them(catalog: Catalog) -> None:
    filled, asked = "SELECT SUM(total) FROM orders WHERE placed_at > {}", "What are the sales since a day?"
    rows = (("hole", filled.format(":day"), asked), ("may", filled.format("'2025-05-01'"), "Sales since May"),
            ("only", "SELECT reason FROM refunds WHERE id = ?", "Why was this refund paid?"))  # fmt: skip
    with learned(catalog, None, rows) as store:
        retriever = Retriever(store)
        assert [r.script.script.key for r in retriever.retrieve(asked).scripts] == ["may"]
        assert [r.script.script.key for r in retriever.retrieve(rows[2][2]).scripts] == ["only"]


def test_a_script_of_several_queries_is_no_example(catalog: Catalog) -> None:
    rows = (("two", f"{NET}; SELECT COUNT(*) FROM customers WHERE is_test = 0", "What is the net revenue?"),)
    with learned(catalog, None, rows) as store:
        retriever = Retriever(store)
        assert retriever.retrieve("What is the net revenue?").scripts == ()
        assert "customers.is_test = <val>" in [r.item.skeleton for r in retriever.rank("net revenue")]


def test_limits_are_kept(retriever: Retriever) -> None:
    question = "Net revenue, refunds for damaged goods, and the five customers in Germany who spent the most"
    assert len(retriever.retrieve(question, items=3).items) == 3
    assert len(retriever.retrieve(question, scripts=1).scripts) == 1
    assert retriever.retrieve(question, scripts=0).scripts == ()
    assert retriever.retrieve(question, budget=1).scripts == ()


@pytest.mark.parametrize("by_key", [True, False])
def test_a_withheld_script_leaves_no_trace(store: Store, retriever: Retriever, by_key: bool) -> None:
    texts, uses = store.texts(), store.uses()
    for text in texts:
        exclude = {text.key} if by_key else {text.script}
        others = [t for t in texts if not exclude & {t.key, t.script}]
        left = [use for use in uses if use.text in {other.id for other in others}]
        found = retriever.retrieve(text.words, exclude=exclude)
        assert {r.script.script.key for r in found.scripts} <= {other.key for other in others}
        everything = retriever.rank(text.words, limit=1000, exclude=exclude)
        assert {ranked.item.id for ranked in everything} <= {use.item for use in left}
        for item in (ranked.item for ranked in everything):
            assert set(item.scripts) <= {other.script for other in others}
            assert item.support == len(item.scripts) > 0
            assert {literals for literals, _ in item.literals} <= {
                u.literals for u in left if u.item == item.id
            }
            written = any(item.sql in other.sql for other in others)
            assert written or item.sql == item.skeleton


def test_one_of_two_texts_of_a_script_may_be_withheld(catalog: Catalog, embedder: Embedder) -> None:
    with learned(catalog, embedder) as store:
        assert store.stats().scripts < len(HISTORY)  # "paid" and "open" are one script
        found = Retriever(store, embedder).retrieve("How many paid orders are there?", exclude={"paid"})
    shown = {ranked.script.script.key: ranked.script.script for ranked in found.scripts}
    assert "paid" not in shown
    assert shown["open"].sql.endswith("'O'")
    assert shown["open"].question == "How many orders are still open?"


def test_the_text_nearest_to_the_question_is_shown(retriever: Retriever) -> None:
    found = retriever.retrieve("How many orders are open?")
    assert found.scripts[0].script.script.key == "open"


def test_deprecated_items_are_not_offered_and_verified_ones_rise(store: Store, retriever: Retriever) -> None:
    question = "How many customers do we have in Italy?"
    before = {ranked.item.skeleton: ranked for ranked in retriever.rank(question)}
    test_account = before["customers.is_test = <val>"]
    store.set_trust(test_account.item.id, "verified", "ann")
    raised = {ranked.item.skeleton: ranked for ranked in retriever.rank(question)}
    assert raised["customers.is_test = <val>"].score > test_account.score
    store.set_trust(test_account.item.id, "deprecated", "ann", "no test accounts any more")
    assert "customers.is_test = <val>" not in [r.item.skeleton for r in retriever.rank(question)]
    found = retriever.retrieve(question)
    assert "customers.is_test = <val>" not in skeletons(found)


def test_stale_items_are_not_offered_nor_scripts_that_hold_them(store: Store, retriever: Retriever) -> None:
    without = tuple(
        Table(t.name, tuple(c for c in t.columns if c.name != "is_test"), foreign_keys=t.foreign_keys)
        for t in SCHEMA.tables
    )
    store.mark_stale(Schema(without, "shop"))
    found = retriever.retrieve("How many customers do we have in Germany?")
    assert "customers.country = <val>" in skeletons(found)
    assert not any("is_test" in skeleton for skeleton in skeletons(found))
    assert not any("is_test" in ranked.script.script.sql for ranked in found.scripts)


def test_what_is_learned_later_is_found(
    store: Store, retriever: Retriever, catalog: Catalog, embedder: Embedder
) -> None:
    question = "average order value of customers"
    assert "avg(orders.total)" not in [r.item.skeleton for r in retriever.rank(question)]
    new = Script("SELECT AVG(total) FROM orders", question="What is the average order value?")
    learn(store, [new], catalog=catalog, dialect="sqlite", embedder=embedder)
    assert "avg(orders.total)" in [r.item.skeleton for r in retriever.rank(question)]


def test_what_another_process_learned_is_found(tmp_path: Path, catalog: Catalog, embedder: Embedder) -> None:
    path = tmp_path / "shop.sqlore"
    with Store.create(path) as writer, Store.open(path) as reader:
        learn(writer, scripts(HISTORY[:3]), catalog=catalog, dialect="sqlite", embedder=embedder)
        retriever = Retriever(reader, embedder)
        assert "customers.country = <val>" not in [
            r.item.skeleton for r in retriever.rank("customers in Peru")
        ]
        learn(writer, scripts(HISTORY[3:]), catalog=catalog, dialect="sqlite", embedder=embedder)
        assert "customers.country = <val>" in [r.item.skeleton for r in retriever.rank("customers in Peru")]


def test_a_history_without_questions_is_found_by_its_descriptions(
    catalog: Catalog, embedder: Embedder
) -> None:
    silent = tuple((key, sql, "") for key, sql, _ in HISTORY)
    with learned(catalog, embedder, silent) as store:
        found = Retriever(store, embedder).retrieve("Which refunds were given for damaged goods?")
    assert "refunds.reason = <val>" in skeletons(found)


def test_a_store_without_vectors_is_searched_by_words(catalog: Catalog) -> None:
    with learned(catalog, None) as store:
        found = Retriever(store).retrieve("How many customers are in Germany?")
    assert "customers.country = <val>" in skeletons(found)


def test_vectors_of_another_model_are_refused(store: Store) -> None:
    class Other:
        name, dimension = "other", 3

        def embed(self, texts: list[str]) -> object:
            return np.ones((len(texts), 3), dtype=np.float32)

    with pytest.raises(StoreEmbeddingError):
        Retriever(store, Other()).retrieve("orders?")  # type: ignore[arg-type]


def test_the_models_name_in_the_store_is_enough(store: Store) -> None:
    assert Retriever(store).retrieve("How many orders are open?").items


def test_a_question_goes_to_no_address_that_nobody_gave(store: Store) -> None:
    store.set_meta(embedder="openai:text-embedding-3-small")
    with pytest.raises(ModelUnavailable):
        Retriever(store).retrieve("How many orders are open?")


def test_a_value_of_the_database_points_at_its_column(store: Store, embedder: Embedder) -> None:
    values = ValueIndex([ColumnValues("refunds", "reason", ("wrong size", "damaged"))])
    catalog = Catalog(SCHEMA, catalog_from_schema(SCHEMA).dictionary, values)
    question = "How often did wrong size come up?"
    plain = {r.item.skeleton: r.score for r in Retriever(store, embedder).rank(question)}
    found = Retriever(store, embedder, catalog).retrieve(question)
    assert [match.value for match in found.values] == ["wrong size"]
    helped = {r.item.skeleton: r.score for r in Retriever(store, embedder, catalog).rank(question)}
    assert helped["refunds.reason = <val>"] > plain["refunds.reason = <val>"]


def test_synthetic_scripts_come_after_real_ones(catalog: Catalog, embedder: Embedder) -> None:
    made_up = ("x", "SELECT COUNT(*) FROM refunds WHERE reason = 'lost'", "How many refunds for lost goods?")
    question = "How many refunds were given for late goods?"
    with learned(catalog, embedder, (*HISTORY, made_up)) as store:
        real = {r.item.skeleton: r.score for r in Retriever(store, embedder).rank(question, limit=100)}
    with learned(catalog, embedder) as store:
        learn(
            store, scripts((made_up,)), catalog=catalog, dialect="sqlite", embedder=embedder, synthetic=True
        )
        other = {r.item.skeleton: r.score for r in Retriever(store, embedder).rank(question, limit=100)}
    alone = "count(*)"
    assert other.keys() == real.keys()
    assert all(other[key] <= real[key] + 1e-6 for key in real)
    assert alone in other


def test_an_empty_store_and_an_empty_question(embedder: Embedder, retriever: Retriever) -> None:
    with Store.create(":memory:") as empty:
        found = Retriever(empty, embedder).retrieve("anything")
    assert (found.items, found.scripts) == ((), ())
    for question in ("", " \n", "?"):
        retriever.retrieve(question)


def test_reasons_and_times_are_told(retriever: Retriever) -> None:
    found = retriever.retrieve("What is the net revenue?")
    assert all(ranked.signals for ranked in found.items)
    assert {"embed", "rank", "select"} <= set(found.milliseconds)


def test_relations_come_as_edges_and_no_query_is_an_item(retriever: Retriever) -> None:
    ranking = retriever.rank("orders of customers and their refunds", limit=1000)
    kinds = [(ranked.item.kind, ranked.item.form) for ranked in ranking]
    assert ("relation", "edge") in kinds
    assert ("relation", "clause") not in kinds
    assert not any(kind == "query" for kind, _ in kinds)


def test_a_question_asked_before_brings_all_of_its_script(retriever: Retriever) -> None:
    asked_before = retriever.retrieve("what is the NET revenue", scripts=2)
    assert asked_before.scripts[0].script.script.key == "net"
    found = {ranked.item.skeleton for ranked in asked_before.items}
    assert {"orders.status = <val>", "sum(orders.total) - sum(refunds.amount)"} <= found
    withheld = retriever.retrieve("what is the NET revenue", scripts=2, exclude={"net"})
    assert all(ranked.script.script.key != "net" for ranked in withheld.scripts)
