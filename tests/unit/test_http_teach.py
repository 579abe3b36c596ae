"""Teaching over HTTP: a draft that is right is knowledge from then on; a cold database is warmed up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from http_helpers import asked, heard, shop_client, warmed
from sqlore.errors import ModelUnavailable
from sqlore.model import Message

NEW = "SELECT segment, MAX(amount) FROM orders o JOIN customer c ON o.customer_id = c.id GROUP BY segment"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path) as opened:
        yield opened


def draft_of(client: TestClient, sql: str = NEW, question: str = "the largest order of each segment") -> Any:
    made = client.post("/api/drafts", json={"sql": sql, "question": question})
    assert made.status_code == 201, made.text
    return made.json()


def taught(client: TestClient, draft: Any, **lesson: Any) -> Any:
    job = client.post(f"/api/drafts/{draft['id']}/lessons", json=lesson)
    assert job.status_code == 202, job.text
    events = heard(client, job.json())
    assert events[-1]["status"] == "done", events
    return next(one["report"] for one in events if one["event"] == "learned")


def test_what_was_new_is_cited_once_it_is_taught(client: TestClient) -> None:
    draft = draft_of(client)
    before = {c["sql"]: c["status"] for c in draft["citations"]}
    assert before["MAX(amount)"] != "cited"
    report = taught(client, draft)
    assert (report["new"], report["verified"]) == (1, 0)
    again = client.get(f"/api/drafts/{draft['id']}").json()
    assert {c["status"] for c in again["citations"]} == {"cited"}
    [source] = {
        script["source"]
        for c in again["citations"]
        if c["sql"] == "MAX(amount)"
        for script in client.get(f"/api/knowledge/{c['item']}").json()["scripts"]
    }
    assert source == f"draft {draft['id']}"
    assert taught(client, draft)["known"] == 1


def test_a_lesson_verifies_its_pieces_by_name_and_with_a_reason(client: TestClient) -> None:
    draft = draft_of(client)
    report = taught(client, draft, verify=True, who="Ann", why="compared with the ledger")
    cited = client.get(f"/api/drafts/{draft['id']}").json()["citations"]
    assert report["verified"] == len({c["item"] for c in cited})
    assert {c["trust"] for c in cited} == {"verified"}
    verdict = client.get(f"/api/knowledge/{cited[0]['item']}").json()["verified"]
    assert (verdict["who"], verdict["why"]) == ("Ann", "compared with the ledger")


def test_what_was_deprecated_is_not_verified_in_passing(client: TestClient) -> None:
    draft = draft_of(client)
    taught(client, draft)
    item = next(
        c["item"]
        for c in client.get(f"/api/drafts/{draft['id']}").json()["citations"]
        if c["sql"] == "MAX(amount)"
    )
    client.post(f"/api/knowledge/{item}/trust", json={"trust": "deprecated", "why": "sums, not maxima"})
    taught(client, draft, verify=True)
    assert client.get(f"/api/knowledge/{item}").json()["trust"] == "deprecated"


def test_a_draft_without_sql_teaches_nothing(tmp_path: Path) -> None:
    with shop_client(tmp_path, lambda messages: "I cannot say.") as client:
        draft = asked(client)
        assert client.post(f"/api/drafts/{draft['id']}/lessons", json={}).status_code == 409
        assert client.post("/api/drafts/nosuch/lessons", json={}).status_code == 404


# ------------------------------------------------------------------ a cold start


def adapts(messages: Sequence[Message]) -> str:
    """A model that adapts the one example to the shop."""
    if "Which question" in messages[-1].content:
        return "How many customers are in the segment ENT?"
    return "```sql\nSELECT COUNT(*) FROM customer WHERE segment = 'ENT'\n```"


def test_a_cold_database_is_warmed_up_and_says_how_far_it_is(tmp_path: Path) -> None:
    with shop_client(tmp_path, adapts, learned=False) as client:
        assert client.get("/api/knowledge").status_code == 404
        events = warmed(client, tmp_path, pairs=1)
        assert events[-1]["status"] == "done", events
        assert {"event": "stage", "stage": "adapting examples", "done": 0, "total": 1} in [
            {name: value for name, value in one.items() if name != "id"} for one in events
        ]
        report = next(one["report"] for one in events if one["event"] == "warmed")
        assert (report["chosen"], report["adapted"], report["new"], report["synthetic"]) == (1, 1, 1, 1)
        assert "".join(one["text"] for one in events if one["event"] == "token")
        items = client.get("/api/knowledge").json()["items"]
        assert items
        assert all(one["synthetic"] for one in items)
        assert client.app.state.served.lore.on_progress is None  # type: ignore[attr-defined]


def test_without_a_model_nothing_is_warmed_up(tmp_path: Path) -> None:
    from sqlore.llm.function import NoModel

    with shop_client(tmp_path, NoModel(), learned=False) as client:
        refused = client.post("/api/warm", json={})
        assert refused.status_code == 422
        assert "--model" in refused.json()["hint"]


def test_a_model_that_is_not_there_is_a_problem_of_the_job(tmp_path: Path) -> None:
    def gone(messages: Sequence[Message]) -> str:
        raise ModelUnavailable("the endpoint does not answer")

    with shop_client(tmp_path, gone, learned=False) as client:
        events = warmed(client, tmp_path, pairs=1)
        assert events[-1]["status"] == "failed"
        problem = next(one["problem"] for one in events if one["event"] == "problem")
        assert problem["detail"] == "the endpoint does not answer"


def test_what_the_model_could_not_write_is_counted(tmp_path: Path) -> None:
    with shop_client(tmp_path, lambda messages: "I cannot.", learned=False) as client:
        report = next(one["report"] for one in warmed(client, tmp_path, pairs=1) if one["event"] == "warmed")
        assert sum(report["failed"].values()) > 0
