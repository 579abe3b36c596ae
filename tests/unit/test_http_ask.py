"""A question over HTTP: what is known before, events while it is answered, the draft that stays."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cli_helpers import LAID_OUT, REVENUE
from http_helpers import ANSWER, asked, heard, running, shop_client, wait_for
from sqlore.errors import ModelUnavailable
from sqlore.llm import FunctionModel
from sqlore.llm.base import ModelStep


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path) as opened:
        yield opened


def test_what_is_known_is_told_before_anything_is_generated(client: TestClient) -> None:
    question = "revenue of Ann's enterprise orders"
    known = client.post("/api/known", json={"question": question}).json()
    assert known["learned"]
    for phrase in known["phrases"]:
        assert question[phrase["start"] : phrase["end"]].lower().endswith(phrase["text"].split()[-1].lower())
    assert [(v["table"], v["column"], v["value"]) for v in known["values"]] == [("customer", "name", "Ann")]
    assert REVENUE in [one["script"]["sql"] for one in known["scripts"]]
    kinds = {one["item"]["kind"] for one in known["items"]}
    assert kinds & {"calculation", "condition"}


def test_events_come_in_order_and_the_draft_has_rows_and_sources(client: TestClient) -> None:
    job = client.post("/api/asks", json={"question": "revenue of enterprise customers"}).json()
    events = heard(client, job)
    names = [event["event"] for event in events]
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    assert names.index("known") < names.index("token") < names.index("draft") < names.index("end")
    assert events[-1] == {"event": "end", "status": "done", "id": len(events)}
    told = next(event for event in events if event["event"] == "draft")
    assert told["result"]["rows"] == [[17.5]]
    draft = client.get(f"/api/drafts/{job['draft']}").json()
    assert draft == told["draft"]
    assert draft["sql"] == LAID_OUT
    assert {c["status"] for c in draft["citations"]} == {"cited"}
    assert draft["known"]["scripts"]


def test_a_listener_that_comes_back_goes_on_behind_what_it_saw(client: TestClient) -> None:
    job = client.post("/api/asks", json={"question": "revenue"}).json()
    events = heard(client, job)
    again = heard(client, job, **{"Last-Event-ID": "3"})
    assert again == events[3:]


def test_the_baseline_knows_nothing(client: TestClient) -> None:
    client.patch("/api/app", json={"baseline": True})
    draft = asked(client)
    assert draft["baseline"]
    assert draft["sql"] == LAID_OUT
    assert draft["citations"] == []
    assert draft["known"] is None
    assert not asked(client, baseline=False)["baseline"]


def test_a_draft_is_asked_again_as_a_step_that_can_be_undone(tmp_path: Path) -> None:
    answers = iter(["```sql\nSELECT COUNT(*) FROM orders\n```", "```sql\nSELECT COUNT(*) FROM customer\n```"])
    with shop_client(tmp_path, lambda messages: next(answers)) as client:
        draft = asked(client, "how many orders?")
        again = asked(client, "how many customers?", draft=draft["id"])
        assert again["id"] == draft["id"]
        assert again["sql"] == "SELECT COUNT(*) FROM customer"
        assert [step["act"] for step in again["steps"]] == ["sql"]
        of_question = ("question", "strategy", "known", "usage", "sql")
        for act, there in (("undo", draft), ("redo", again)):  # the question comes and goes with its SQL
            shown = client.post(f"/api/drafts/{draft['id']}/{act}").json()
            assert [shown[name] for name in of_question] == [there[name] for name in of_question]
        client.post(f"/api/drafts/{draft['id']}/undo")
        sql = {"sql": "SELECT COUNT(*) AS n FROM orders"}
        written = client.put(f"/api/drafts/{draft['id']}/sql", json=sql).json()
        assert (written["question"], written["can_redo"]) == ("how many orders?", False)


@pytest.mark.parametrize("end", ["cancelled", "failed", "no SQL", "killed"])
def test_without_a_new_answer_the_question_stays_that_of_the_sql(tmp_path: Path, end: str) -> None:
    waiting, asks = threading.Event(), list[Any]()

    def says(messages: Any) -> str:
        asks.append(messages)
        if len(asks) == 1:
            return "```sql\nSELECT COUNT(*) FROM orders\n```"
        if end == "failed":
            raise ModelUnavailable("no connection")
        if end != "no SQL":
            waiting.wait(20)
        return "I cannot say."

    with running(tmp_path, says) as (client, state):
        draft = asked(client, "how many orders?", strategy="history")
        body = {"question": "paid by Ann", "draft": draft["id"], "strategy": "ltmp_history", "reuse": "none"}
        job = client.post("/api/asks", json=body).json()
        if end == "cancelled":
            wait_for(lambda: len(asks) > 1)
            client.delete(f"/api/jobs/{job['id']}")
        if end == "killed":
            state.drafts.interrupted()
        else:
            heard(client, job)
        shown = client.get(f"/api/drafts/{draft['id']}").json()
        for name in ("question", "strategy", "known", "sql", "usage", "notes", "uncovered", "status"):
            assert shown[name] == draft[name], name
        assert bool(shown["error"]) == (end != "cancelled")
        waiting.set()


def test_an_answer_without_sql_is_a_draft_that_failed(tmp_path: Path) -> None:
    with shop_client(tmp_path, lambda messages: "I cannot say.") as client:
        draft = asked(client)
        assert draft["status"] == "failed"
        assert draft["sql"] == ""
        assert draft["attempts"]
        refused = client.post(f"/api/drafts/{draft['id']}/undo")
        assert refused.status_code == 409


def test_an_unknown_strategy_is_refused_before_a_draft_is_made(client: TestClient) -> None:
    refused = client.post("/api/asks", json={"question": "revenue", "strategy": "guess"})
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert "zero_shot" in refused.json()["hint"]
    assert client.get("/api/drafts").json()["drafts"] == []


def test_without_a_history_values_and_phrases_are_known_all_the_same(tmp_path: Path) -> None:
    with shop_client(tmp_path, learned=False) as client:
        known = client.post("/api/known", json={"question": "orders of Ann"}).json()
        assert not known["learned"]
        assert [v["value"] for v in known["values"]] == ["Ann"]
        assert asked(client)["sql"] == LAID_OUT


def test_a_draft_says_what_of_its_question_it_leaves_out_until_it_does_not(tmp_path: Path) -> None:
    answer = "```sql\nSELECT COUNT(*) FROM orders\n```"
    with shop_client(tmp_path, lambda messages: answer) as client:
        question = "how many orders of Ann?"
        draft = asked(client, question)
        (left,) = draft["uncovered"]
        assert question[left["start"] : left["end"]] == left["phrase"] == "Ann"
        sql = "SELECT COUNT(*) FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.name = 'Ann'"
        changed = client.put(f"/api/drafts/{draft['id']}/sql", json={"sql": sql})
        assert changed.status_code == 200, changed.json()
        assert changed.json()["uncovered"] == []


def test_what_is_told_with_an_answer_is_told_of_no_other_sql(tmp_path: Path) -> None:
    sql = "SELECT COUNT(*) FROM customer WHERE name = 'Anne'"
    with shop_client(tmp_path, lambda messages: f"```sql\n{sql}\n```") as client:
        draft = asked(client, "how many customers are there?")
        assert draft["notes"] == ["customer.name has no 'Anne'; nearest: 'Ann'"]
        changed = client.put(f"/api/drafts/{draft['id']}/sql", json={"sql": sql.replace("Anne", "Ann")})
        assert changed.json()["notes"] == []
        assert client.post(f"/api/drafts/{draft['id']}/undo").json()["notes"] == draft["notes"]


def test_the_event_of_the_model_says_how_far_it_is(tmp_path: Path) -> None:
    class Steps(FunctionModel):
        def chat(self, messages: Any, *, on_step: Any = None, **options: Any) -> Any:
            for step in (ModelStep("reads", 0, 300), ModelStep("reads", 128, 300, 60.0, still=True)):
                on_step(step)
            return super().chat(messages, **options)

    with shop_client(tmp_path, Steps(lambda messages: f"```sql\n{REVENUE}\n```")) as client:
        job = client.post("/api/asks", json={"question": "revenue"}).json()
        told = [event for event in heard(client, job) if event["event"] == "model"]
    assert [(one["phase"], one["done"], one["total"]) for one in told] == [
        ("reads", 0, 300),
        ("reads", 128, 300),
    ]
    assert (told[1]["limit"], told[1]["still"]) == (60.0, True)


def test_what_was_asked_before_is_answered_from_the_history_unless_the_model_is_wanted(
    tmp_path: Path,
) -> None:
    with shop_client(tmp_path, lambda messages: "SELECT COUNT(*) FROM orders", reuse="known") as client:
        draft = asked(client, "revenue of enterprise customers?")
        assert draft["reused"]["key"] == "finance.sql:2"
        assert "no model was asked" in draft["reused"]["note"]
        assert draft["usage"]["calls"] == 0
        other = asked(client, "revenue of enterprise customers?", draft=draft["id"], reuse="none")
        assert (other["reused"], other["sql"]) == (None, "SELECT COUNT(*) FROM orders")
        assert [step["act"] for step in other["steps"]] == ["sql"]


def test_the_filter_of_what_was_retrieved_asks_the_model_only_where_it_can_be_stopped(tmp_path: Path) -> None:
    asks: list[str] = []
    waiting = threading.Event()

    def says(messages: Any) -> str:
        asks.append(messages[-1].content)
        waiting.wait(20)
        return ANSWER

    with running(tmp_path, says) as (client, _):
        client.patch("/api/settings", json={"values": {"retrieve_filter": True}})
        assert client.post("/api/known", json={"question": "revenue of customers"}).json()["items"]
        assert client.get("/api/knowledge/search", params={"text": "revenue"}).json()
        assert asks == []
        job = client.post(
            "/api/asks", json={"question": "revenue of customers", "strategy": "history"}
        ).json()
        wait_for(lambda: asks)
        client.delete(f"/api/jobs/{job['id']}")
        assert heard(client, job)[-1]["status"] == "cancelled"
        assert not waiting.is_set()
        waiting.set()
