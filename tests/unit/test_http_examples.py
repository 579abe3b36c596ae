"""Reviewing examples over HTTP: what people say is in the file, in the store, and has its trust there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

from http_helpers import heard, shop_client, state_of, warmed
from sqlore.knowledge import Store
from sqlore.llm import FunctionModel
from sqlore.model import Message

COUNT = "SELECT COUNT(*) FROM customer WHERE segment = 'ENT'"
BEST = "SELECT name FROM customer ORDER BY id DESC LIMIT 1"


def adapts(messages: Any) -> str:
    task = messages[-1].content
    if "Which question" in task:
        return "How many customers are ENT?" if COUNT in task else "Which customer is the last?"
    return f"```sql\n{BEST if 'LIMIT' in task.split('Query: ')[-1] else COUNT}\n```"


def never(messages: list[Message]) -> str:
    raise AssertionError("the model is asked")


def warm(client: TestClient, folder: Path, **options: Any) -> None:
    events = warmed(client, folder, **options)
    assert events[-1]["status"] == "done", events


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A server over a database that was warmed up; whoever asks the model then fails."""
    with shop_client(tmp_path, adapts, learned=False) as opened:
        warm(opened, tmp_path)
        state_of(opened).lore.__dict__["model"] = FunctionModel(never)
        yield opened


def examples(client: TestClient, **query: Any) -> Any:
    found = client.get("/api/examples", params=query)
    assert found.status_code == 200, found.text
    return found.json()


def keys(client: TestClient) -> dict[str, str]:
    """The key of each example by its SQL."""
    return {one["sql"]: one["key"] for one in examples(client)["examples"]}


def decided(client: TestClient, key: str, **body: Any) -> Any:
    """The example after a decision that was learned."""
    answer = client.put(f"/api/examples/{key}", json=body)
    assert answer.status_code == 200, answer.text
    if answer.json()["job"]:
        assert heard(client, answer.json()["job"])[-1]["status"] == "done"
    return client.get(f"/api/examples/{key}").json()


def store(client: TestClient) -> Store:
    return state_of(client).need_store()


def in_file(client: TestClient, key: str) -> Any:
    path = state_of(client).lore.examples.path
    assert path is not None
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))["exemplars"]
    return entries[client.get(f"/api/examples/{key}").json()["number"] - 1]


def test_without_examples_the_list_is_empty(tmp_path: Path) -> None:
    with shop_client(tmp_path, learned=False) as cold:
        none = {"waiting": 0, "approved": 0, "rejected": 0, "missing": 0}
        assert examples(cold) == {"examples": [], "total": 0, "offset": 0, "counts": none, "file": ""}
        assert cold.get("/api/examples/nosuch").status_code == 404
        assert cold.put("/api/examples/nosuch", json={"state": "approved"}).status_code == 404


def test_examples_are_listed_searched_and_paged(client: TestClient) -> None:
    page = examples(client)
    assert [one["sql"] for one in page["examples"]] == [COUNT, BEST]
    assert {one["state"] for one in page["examples"]} == {"waiting"}
    assert all(one["item"] for one in page["examples"])
    assert page["counts"]["waiting"] == page["total"] == 2
    assert Path(page["file"]).is_file()
    assert [one["sql"] for one in examples(client, text="LAST customer")["examples"]] == [BEST]
    second = examples(client, limit=1, offset=1)
    assert (second["total"], second["examples"][0]["number"]) == (2, 2)
    assert examples(client, said="approved")["total"] == 0


def test_what_is_approved_is_verified_under_the_name_of_who_did(client: TestClient) -> None:
    key = keys(client)[COUNT]
    after = decided(client, key, state="approved", who="Ann")
    assert (after["state"], after["by"], bool(after["at"])) == ("approved", "Ann", True)
    written = in_file(client, key)
    assert (written["approved"], written["by"], written["at"]) == (True, "Ann", after["at"])
    shown = client.get(f"/api/knowledge/{after['item']}").json()
    assert (shown["trust"], shown["verified"]["who"]) == ("verified", "Ann")
    assert examples(client)["counts"] == {"waiting": 1, "approved": 1, "rejected": 0, "missing": 0}
    again = client.put(f"/api/examples/{key}", json={"state": "approved", "who": "Ben"}).json()
    assert (again["job"], again["example"]["by"]) == (None, "Ann")


def test_what_is_rejected_leaves_the_store_and_stays_out(client: TestClient, tmp_path: Path) -> None:
    key = keys(client)[COUNT]
    decided(client, key, state="approved")
    after = decided(client, key, state="rejected", who="Ben")
    assert (after["state"], after["item"]) == ("rejected", None)
    assert [one.script.sql for one in store(client).scripts()] == [BEST]
    warm(client, tmp_path)
    assert client.get(f"/api/examples/{key}").json()["state"] == "rejected"
    assert [one.script.sql for one in store(client).scripts()] == [BEST]
    back = decided(client, key, state="waiting")
    assert store(client).item(back["item"]).trust == "unverified"


def test_an_approval_that_is_taken_back_is_no_verification_any_more(client: TestClient) -> None:
    key = keys(client)[COUNT]
    item = decided(client, key, state="approved")["item"]
    assert store(client).item(item).trust == "verified"
    decided(client, key, state="waiting")
    assert store(client).item(item).trust == "unverified"
    decided(client, key, state="approved")
    assert store(client).item(item).trust == "verified"
    client.post(f"/api/knowledge/{item}/trust", json={"trust": "deprecated", "why": "not of interest"})
    decided(client, key, state="waiting")
    decided(client, key, state="approved")
    assert store(client).item(item).trust == "deprecated", "what somebody said of it goes before"


def test_other_texts_take_the_place_of_the_old_where_they_run(client: TestClient) -> None:
    key = keys(client)[COUNT]
    other = COUNT.replace("ENT", "SMB")
    after = decided(client, key, state="waiting", question="How many\n are SMB?", sql=other + ";")
    assert (after["question"], after["sql"], after["changed"]) == ("How many are SMB?", other, True)
    assert sorted(one.sql for one in store(client).texts()) == sorted([other, BEST])
    wrong = client.put(
        f"/api/examples/{key}", json={"state": "approved", "sql": "SELECT nosuch FROM customer"}
    )
    assert wrong.status_code == 422
    assert "nosuch" in wrong.json()["detail"]
    assert wrong.json()["position"] == 7
    assert client.put(
        f"/api/examples/{key}", json={"state": "approved", "sql": "DROP TABLE customer"}
    ).is_error
    assert client.put(f"/api/examples/{key}", json={"state": "approved", "question": " "}).status_code == 422
    assert client.get(f"/api/examples/{key}").json() == after


def test_nobody_overwrites_what_was_changed_meanwhile(client: TestClient) -> None:
    key = keys(client)[COUNT]
    seen = client.get(f"/api/examples/{key}").json()["version"]
    path = state_of(client).lore.examples.path
    assert path is not None
    path.write_text(path.read_text().replace("How many customers are ENT?", "How many are there?"))
    refused = client.put(f"/api/examples/{key}", json={"state": "rejected", "version": seen})
    assert refused.status_code == 409
    now = client.get(f"/api/examples/{key}").json()
    assert (now["question"], now["changed"], now["state"]) == ("How many are there?", True, "waiting")
    assert decided(client, key, state="approved", version=now["version"])["state"] == "approved"


def test_only_what_is_approved_is_learned_where_warm_was_told_so(tmp_path: Path) -> None:
    with shop_client(tmp_path, adapts, learned=False) as client:
        warm(client, tmp_path, approved=True)
        assert store(client).scripts() == []
        key = keys(client)[BEST]
        after = decided(client, key, state="approved")
        assert after["item"]
        assert [one.script.sql for one in store(client).scripts()] == [BEST]


def test_one_job_learns_what_was_decided_while_it_waited(client: TestClient) -> None:
    state, found = state_of(client), keys(client)
    with state.teaching:
        jobs = [
            client.put(f"/api/examples/{key}", json={"state": "approved"}).json()["job"]["id"]
            for key in found.values()
        ]
        assert jobs[0] == jobs[1]
    heard(client, {"id": jobs[0]})
    assert {one.trust for one in store(client).scripts()} == {"verified"}
    assert (
        client.put(f"/api/examples/{found[BEST]}", json={"state": "waiting"}).json()["job"]["id"] != jobs[0]
    )
