"""Descriptions made anew where the dictionary has changed, and those that a model completes."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqlore.workspace
from cli_helpers import make_history, make_sqlite
from sqlore.catalog import Entry
from sqlore.errors import ModelRefusal, UsageError
from sqlore.knowledge.complete import complete_description
from sqlore.llm import FunctionModel
from sqlore.workspace import Workspace
from store_helpers import WordEmbedder


@pytest.fixture
def lore(tmp_path: Path) -> Workspace:
    make_sqlite(tmp_path / "shop.sqlite")
    opened = sqlore.workspace.open(str(tmp_path / "shop.sqlite"), home=tmp_path / ".sqlore", model="none")
    opened.__dict__["embedder"] = WordEmbedder()
    opened.learn(make_history(tmp_path / "history"))
    return opened


def words(lore: Workspace) -> dict[str, str]:
    return {f"{one.kind}: {one.skeleton}": one.description for one in lore.store.items()}


def test_what_names_a_column_is_said_with_its_new_name_and_nothing_else(lore: Workspace) -> None:
    before = words(lore)
    lore.say(Entry("orders", "amount", name="gross value"))
    told: list[tuple[str, int, int | None]] = []
    looked_at, changed = lore.redescribe(["orders.amount"], on_progress=lambda *said: told.append(said))
    after = words(lore)
    different = {key for key in before if before[key] != after[key]}
    assert after["calculation: sum(orders.amount)"] == "total gross value of orders"
    assert all("orders.amount" in key for key in different)
    assert len(different) == changed == looked_at == 2
    assert told[-1] == ("describing", 2, 2)
    [total] = [one.id for one in lore.store.items() if one.skeleton == "sum(orders.amount)"]
    assert [number for number, _ in lore.store.fts_search("gross value")] == [total]
    ids, vectors = lore.store.vectors("item")
    near = vectors @ lore.embedder.embed(["total gross value of orders"])[0]
    assert ids[near.argmax()] == total
    assert near.max() > 0.99


def test_describing_anew_without_a_change_changes_nothing(lore: Workspace) -> None:
    before = lore.store.items()
    looked_at, changed = lore.redescribe(["orders", "customer"])
    assert looked_at > 5
    assert changed == 0
    assert lore.store.items() == before


def test_what_a_person_said_of_an_item_stays(lore: Workspace) -> None:
    one = next(i for i in lore.store.items() if i.skeleton == "sum(orders.amount)")
    lore.store.describe(one.id, description="what we invoice", who="Ann")
    lore.say(Entry("orders", "amount", name="gross value"))
    lore.redescribe(["orders.amount"])
    assert words(lore)["calculation: sum(orders.amount)"] == "what we invoice"


def test_what_a_person_says_is_kept_and_can_be_taken_back(lore: Workspace, tmp_path: Path) -> None:
    lore.say(Entry("orders", "status", "P", "paid"), Entry("orders", "status", sensitive=True))
    with sqlore.workspace.open(str(tmp_path / "shop.sqlite"), home=tmp_path / ".sqlore") as again:
        assert again.catalog.dictionary.describe_value("orders", "status", "P") == "paid"
        assert again.catalog.dictionary.sensitive(again.catalog.schema) == {"orders.status"}
        assert [m.value for m in again.catalog.values.match("all paid orders")] == ["P"]
        again.say(taken_back=[Entry("orders", "status", "P")])
        assert again.catalog.dictionary.describe_value("orders", "status", "P") is None
        assert again.catalog.dictionary.sensitive(again.catalog.schema) == {"orders.status"}


def test_learning_again_keeps_what_a_person_said(lore: Workspace, tmp_path: Path) -> None:
    lore.say(Entry("orders", "amount", name="gross value", sensitive=True))
    make_history(tmp_path / "more", {"a.sql": "SELECT AVG(amount) FROM orders;"})
    lore.learn(tmp_path / "more")
    assert words(lore)["calculation: avg(orders.amount)"] == "average gross value of orders"
    assert lore.catalog.dictionary.sensitive(lore.catalog.schema) == {"orders.amount"}


def test_a_database_without_a_history_can_be_described(tmp_path: Path) -> None:
    make_sqlite(tmp_path / "new.sqlite")
    with sqlore.workspace.open(str(tmp_path / "new.sqlite"), home=tmp_path / ".sqlore") as fresh:
        fresh.__dict__["embedder"] = WordEmbedder()
        fresh.say(Entry("orders", description="one row an order"))
        assert fresh.learned
        assert fresh.redescribe(["orders"]) == (0, 0)
        assert fresh.retrieve("orders").items == ()


# ------------------------------------------------------------------ completion


def test_the_model_is_told_what_is_known_and_goes_on_from_what_was_begun(lore: Workspace) -> None:
    model = FunctionModel(lambda messages: "Description: The state of the order, P or R.\n\nNote: short.")
    text, usage = complete_description(
        lore.catalog, model, "orders", "status", "The state of", store=lore.store
    )
    assert text == "The state of the order, P or R."
    assert usage.calls == 1
    said = model.requests[0][-1].content
    assert "Values: P, R" in said
    assert "orders whose status is P" in said
    assert said.endswith("The description begins: The state of")


def test_a_masked_model_is_told_no_value(lore: Workspace) -> None:
    model = FunctionModel(lambda messages: "Where the order stands.")
    complete_description(lore.catalog, model, "orders", "status", store=lore.store, mask=True)
    said = model.requests[0][-1].content
    assert "Values" not in said
    assert " P" not in said


def test_what_cannot_be_completed_is_refused(lore: Workspace) -> None:
    model = FunctionModel(lambda messages: "  ")
    with pytest.raises(UsageError, match="no column nothing"):
        complete_description(lore.catalog, model, "orders", "nothing")
    with pytest.raises(ModelRefusal):
        complete_description(lore.catalog, model, "orders")
