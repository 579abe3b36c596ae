"""The list of drafts over HTTP: searched and paged, with what each rests on; a deleted one comes back."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cli_helpers import REVENUE
from http_helpers import asked, shop_client
from sqlore.interfaces.http.drafts import RESTORABLE


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path) as opened:
        yield opened


def listed(client: TestClient, **query: Any) -> Any:
    found = client.get("/api/drafts", params=query)
    assert found.status_code == 200, found.text
    return found.json()


def written(client: TestClient, sql: str, question: str = "") -> str:
    return str(client.post("/api/drafts", json={"sql": sql, "question": question}).json()["id"])


def test_drafts_come_in_pages_the_last_changed_first(client: TestClient) -> None:
    made = [written(client, f"SELECT {number}") for number in range(5)]
    client.patch(f"/api/drafts/{made[1]}", json={"title": "touched"})
    page = listed(client, limit=2)
    assert (page["total"], page["offset"]) == (5, 0)
    assert [one["id"] for one in page["drafts"]] == [made[1], made[4]]
    rest = listed(client, limit=10, offset=2)
    assert [one["id"] for one in rest["drafts"]] == [made[3], made[2], made[0]]
    assert listed(client, offset=9) == {"drafts": [], "total": 5, "offset": 9}


def test_words_are_looked_for_in_title_question_and_sql(client: TestClient) -> None:
    draft = asked(client, "revenue of enterprise customers")["id"]
    other = written(client, "SELECT name FROM customer", "Who is there?")
    client.patch(f"/api/drafts/{other}", json={"title": "The Names"})

    def found(text: str) -> set[str]:
        return {one["id"] for one in listed(client, text=text)["drafts"]}

    assert found("ENTERPRISE revenue") == {draft}
    assert found("the names") == {other}
    assert found("from customer who") == {other}
    assert found("customer") == {draft, other}
    assert found("revenue names") == set()


def test_drafts_are_chosen_by_state_and_by_how_they_were_answered(client: TestClient) -> None:
    ready = asked(client)["id"]
    bare = asked(client, "the same without the history", baseline=True)["id"]
    assert [one["id"] for one in listed(client, baseline=True)["drafts"]] == [bare]
    assert [one["id"] for one in listed(client, baseline=False)["drafts"]] == [ready]
    assert listed(client, status="ready")["total"] == 2
    assert listed(client, status="failed")["total"] == 0
    assert client.get("/api/drafts", params={"status": "nosuch"}).status_code == 422


def test_a_draft_says_how_many_versions_it_has_and_what_it_rests_on(client: TestClient) -> None:
    draft = asked(client)
    [shown] = listed(client, holds=True)["drafts"]
    pieces = [one for one in draft["citations"] if one["kind"] != "query"]
    assert shown["versions"] == 1
    assert shown["holds"] == {"verified": 0, "cited": len(pieces), "near": 0, "novel": 0}
    item = next(one["item"] for one in pieces if one["sql"] == "c.segment = 'ENT'")
    client.post(f"/api/knowledge/{item}/trust", json={"trust": "verified"})
    client.put(f"/api/drafts/{draft['id']}/sql", json={"sql": REVENUE + " LIMIT 3"})
    client.post(f"/api/drafts/{draft['id']}/undo")
    client.post(f"/api/drafts/{draft['id']}/redo")
    [after] = listed(client, holds=True)["drafts"]
    assert after["versions"] == 2
    assert after["holds"]["verified"] == 1
    assert after["holds"]["novel"] + after["holds"]["near"] == 1
    assert listed(client)["drafts"][0]["holds"] is None


def test_what_has_no_citations_rests_on_nothing_that_can_be_counted(client: TestClient) -> None:
    asked(client, baseline=True)
    [shown] = listed(client, holds=True)["drafts"]
    assert shown["holds"] is None


def test_a_deleted_draft_comes_back_with_its_history(client: TestClient) -> None:
    draft = asked(client)["id"]
    client.put(f"/api/drafts/{draft}/sql", json={"sql": REVENUE + " LIMIT 3"})
    before = client.get(f"/api/drafts/{draft}").json()
    assert client.post(f"/api/drafts/{draft}/restore").status_code == 409
    assert client.delete(f"/api/drafts/{draft}").status_code == 204
    assert client.get(f"/api/drafts/{draft}").status_code == 404
    assert listed(client)["total"] == 0
    assert client.delete(f"/api/drafts/{draft}").status_code == 404
    assert client.post(f"/api/drafts/{draft}/restore").json() == before
    assert listed(client)["drafts"][0]["id"] == draft


def test_what_was_deleted_long_ago_is_gone_for_good(client: TestClient, tmp_path: Path) -> None:
    draft, other = written(client, "SELECT 1"), written(client, "SELECT 2")
    client.delete(f"/api/drafts/{draft}")
    [file] = (tmp_path / ".sqlore" / "drafts").rglob("*.deleted")
    old = time.time() - RESTORABLE - 5
    os.utime(file, (old, old))
    client.delete(f"/api/drafts/{other}")
    assert not file.exists()
    assert client.post(f"/api/drafts/{draft}/restore").status_code == 404
    assert client.post(f"/api/drafts/{other}/restore").status_code == 200
    assert client.post("/api/drafts/..%2f..%2fx/restore").status_code == 404
