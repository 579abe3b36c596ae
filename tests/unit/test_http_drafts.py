"""Drafts over HTTP: proposals, undo and redo, wishes, trust, and what survives a restart."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cli_helpers import LAID_OUT, REVENUE
from http_helpers import asked, heard, shop_client
from sqlore.interfaces.http import routes_drafts
from sqlore.interfaces.http.jobs import Jobs
from sqlore.interfaces.http.kept import KeptDraft
from sqlore.interfaces.http.problems import Conflict
from sqlore.interfaces.http.state import Served


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path) as opened:
        yield opened


def number_of(client: TestClient, draft: str, sql: str) -> int:
    items = client.get(f"/api/drafts/{draft}/items").json()
    return int(next(one["number"] for one in items if one["sql"] == sql))


def proposed(client: TestClient, draft: str, **act: Any) -> Any:
    made = client.post(f"/api/drafts/{draft}/proposals", json=act)
    assert made.status_code == 201, made.text
    return made.json()


def applied(client: TestClient, draft: str, proposal: Any) -> Any:
    done = client.post(f"/api/drafts/{draft}/proposals/{proposal['id']}/apply")
    assert done.status_code == 200, done.text
    return done.json()


def test_an_edit_is_looked_at_first_and_changes_its_fragment_alone(client: TestClient) -> None:
    draft = asked(client)["id"]
    number = number_of(client, draft, "c.segment = 'ENT'")
    proposal = proposed(client, draft, act="edit", number=number, text="c.segment = 'SMB'")
    assert proposal["before"] == LAID_OUT
    assert proposal["after"] == LAID_OUT.replace("'ENT'", "'SMB'")
    [[start, end, new_start, new_end]] = proposal["spans"]
    assert proposal["before"][:start] == proposal["after"][:new_start]
    assert proposal["before"][end:] == proposal["after"][new_end:]
    assert "-WHERE c.segment = 'ENT'" in proposal["diff"]
    assert client.get(f"/api/drafts/{draft}").json()["sql"] == LAID_OUT
    after = applied(client, draft, proposal)
    assert after["sql"] == proposal["after"]
    changed = next(c for c in after["citations"] if c["sql"] == "c.segment = 'SMB'")
    assert (changed["status"], changed["new_values"]) == ("cited", ["SMB"])


def test_undo_and_redo_go_through_the_history(client: TestClient) -> None:
    draft = asked(client)["id"]
    number = number_of(client, draft, "o.status = 'P'")
    without = applied(client, draft, proposed(client, draft, act="off", number=number))["sql"]
    assert "status" not in without
    undone = client.post(f"/api/drafts/{draft}/undo").json()
    assert (undone["sql"], undone["can_undo"], undone["can_redo"]) == (LAID_OUT, False, True)
    assert [step["done"] for step in undone["steps"]] == [False]
    assert client.post(f"/api/drafts/{draft}/undo").status_code == 422
    assert client.post(f"/api/drafts/{draft}/redo").json()["sql"] == without
    assert client.post(f"/api/drafts/{draft}/redo").status_code == 422


def test_what_was_switched_off_comes_back(client: TestClient) -> None:
    draft = asked(client)["id"]
    number = number_of(client, draft, "o.status = 'P'")
    off = applied(client, draft, proposed(client, draft, act="off", number=number))
    [step] = [one["number"] for one in off["steps"] if one["off"]]
    back = applied(client, draft, proposed(client, draft, act="on", step=step))
    assert back["sql"] == LAID_OUT
    assert not any(one["off"] for one in back["steps"])


def test_an_alternative_of_the_history_takes_the_place_of_an_item(client: TestClient) -> None:
    draft = asked(client)["id"]
    number = number_of(client, draft, "o.status = 'P'")
    options = client.get(f"/api/drafts/{draft}/items/{number}/alternatives").json()
    other = next(one for one in options if one["sql"] == "o.status = 'R'")
    chosen = proposed(client, draft, act="choose", number=number, item=other["item"], text=other["sql"])
    assert applied(client, draft, chosen)["sql"] == LAID_OUT.replace("'P'", "'R'")


def test_a_change_that_was_proposed_for_another_text_is_a_conflict(client: TestClient) -> None:
    draft = asked(client)["id"]
    first = proposed(client, draft, act="off", number=number_of(client, draft, "o.status = 'P'"))
    second = proposed(client, draft, act="off", number=number_of(client, draft, "c.segment = 'ENT'"))
    applied(client, draft, first)
    refused = client.post(f"/api/drafts/{draft}/proposals/{second['id']}/apply")
    assert refused.status_code == 409
    assert client.post(f"/api/drafts/{draft}/proposals/nothing/apply").status_code == 404


@pytest.mark.parametrize(
    ("act", "kind"),
    [
        ({"act": "edit", "number": 99, "text": "1"}, "edit-error"),
        ({"act": "sql", "text": "SELECT nme FROM customer"}, "unknown-name"),
        ({"act": "sql", "text": "DROP TABLE orders"}, "not-a-query"),
        ({"act": "add", "item": 12345}, "edit-error"),
        ({"act": "add", "item": 2**70}, "edit-error"),
        ({"act": "choose", "number": 2, "item": 2**70}, "edit-error"),
        ({"act": "on", "step": 3}, "edit-error"),
    ],
)
def test_what_cannot_be_done_says_so_as_a_problem(client: TestClient, act: Any, kind: str) -> None:
    draft = asked(client)["id"]
    refused = client.post(f"/api/drafts/{draft}/proposals", json=act)
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == f"urn:sqlore:problem:{kind}"
    assert client.get(f"/api/drafts/{draft}").json()["sql"] == LAID_OUT


def test_an_act_that_is_none_is_named_with_its_place(client: TestClient) -> None:
    draft = asked(client)["id"]
    refused = client.post(f"/api/drafts/{draft}/proposals", json={"act": "burn", "number": 1}).json()
    assert refused["status"] == 422
    assert refused["errors"][0]["at"] == "body"


def test_a_wish_that_needs_the_model_is_a_job_with_a_proposal(tmp_path: Path) -> None:
    def says(messages: Any) -> str:
        return "```sql\no.amount > 6\n```" if "Wish:" in messages[-1].content else f"```sql\n{REVENUE}\n```"

    with shop_client(tmp_path, says) as client:
        draft = asked(client)["id"]
        number = number_of(client, draft, "o.status = 'P'")
        wish = {"number": number, "words": "only the larger ones, whatever their state"}
        job = client.post(f"/api/drafts/{draft}/wishes", json=wish)
        events = heard(client, job.json())
        [proposal] = [event["proposal"] for event in events if event["event"] == "proposal"]
        assert proposal["after"] == LAID_OUT.replace("o.status = 'P'", "o.amount > 6")
        assert proposal["said"] == wish["words"]
        assert applied(client, draft, proposal)["sql"] == proposal["after"]


def test_a_wish_that_fails_tells_the_problem_and_ends(tmp_path: Path) -> None:
    with shop_client(tmp_path, lambda messages: "I do not know.") as client:
        draft = client.post("/api/drafts", json={"sql": REVENUE}).json()["id"]
        wish = {"number": 4, "words": "quite otherwise"}
        events = heard(client, client.post(f"/api/drafts/{draft}/wishes", json=wish).json())
        assert [event["event"] for event in events][-2:] == ["problem", "end"]
        assert events[-1]["status"] == "failed"
        assert events[-2]["problem"]["kinds"][-1] == "sqlore-error"


def test_sql_by_hand_is_a_step_and_is_checked(client: TestClient) -> None:
    draft = client.post("/api/drafts", json={"sql": "SELECT name FROM customer;", "question": "names"}).json()
    assert draft["sql"] == "SELECT name FROM customer"
    written = client.put(f"/api/drafts/{draft['id']}/sql", json={"sql": "SELECT id FROM customer"}).json()
    assert [step["act"] for step in written["steps"]] == ["sql"]
    bad = client.put(f"/api/drafts/{draft['id']}/sql", json={"sql": "SELECT idd FROM customer"})
    assert (bad.status_code, bad.json()["position"]) == (422, 7)
    assert client.get(f"/api/drafts/{draft['id']}").json() == written
    assert client.post("/api/drafts", json={"sql": "DELETE FROM customer"}).status_code == 422


# ------------------------------------------------------------------ sessions and restarts


def test_sessions_hold_drafts_and_let_them_go(client: TestClient) -> None:
    session = client.post("/api/sessions", json={"title": "Monday"}).json()
    draft = asked(client, session=session["id"])
    asked(client, "something else")
    assert [
        one["id"] for one in client.get("/api/drafts", params={"session": session["id"]}).json()["drafts"]
    ] == [draft["id"]]
    assert client.get("/api/sessions").json()[0]["drafts"] == 1
    renamed = client.patch(f"/api/sessions/{session['id']}", json={"title": "Tuesday"}).json()
    assert renamed["title"] == "Tuesday"
    assert client.post("/api/asks", json={"question": "x", "session": "a" * 16}).status_code == 404
    client.delete(f"/api/sessions/{session['id']}")
    assert client.get("/api/sessions").json() == []
    assert client.get(f"/api/drafts/{draft['id']}").json()["session"] is None
    titled = client.patch(f"/api/drafts/{draft['id']}", json={"title": "Revenue"}).json()
    assert titled["title"] == "Revenue"
    assert client.delete(f"/api/drafts/{draft['id']}").status_code == 204
    assert client.get(f"/api/drafts/{draft['id']}").status_code == 404
    assert client.get("/api/drafts").json()["total"] == 1


def test_a_server_that_is_started_again_has_lost_nothing(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        draft = asked(client)["id"]
        applied(client, draft, proposed(client, draft, act="off", number=4))
        client.post(f"/api/drafts/{draft}/undo")
        waiting = proposed(client, draft, act="off", number=5)
        before = client.get(f"/api/drafts/{draft}").json()
    with shop_client(tmp_path) as client:
        assert client.get(f"/api/drafts/{draft}").json() == before
        assert client.post(f"/api/drafts/{draft}/redo").status_code == 200
        assert client.post(f"/api/drafts/{draft}/undo").json()["sql"] == LAID_OUT
        assert applied(client, draft, waiting)["sql"] == waiting["after"]


def test_a_draft_that_a_killed_server_was_answering_says_so_and_is_asked_again(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        draft = asked(client)["id"]
        file = next((tmp_path / ".sqlore" / "drafts").rglob(f"{draft}.draft.json"))
        kept = json.loads(file.read_text())
        file.write_text(json.dumps({**kept, "status": "asking", "history": None}))
        file.with_name("b" * 16 + ".draft.json").write_text("{ half")
    with shop_client(tmp_path) as client:
        [shown] = client.get("/api/drafts").json()["drafts"]
        assert (shown["id"], shown["status"]) == (draft, "interrupted")
        assert client.get("/api/drafts/" + "b" * 16).json()["type"].endswith("store-error")
        assert asked(client, shown["question"], draft=draft)["sql"] == LAID_OUT


# ------------------------------------------------------------------ trust


def test_a_sensitive_column_asks_for_confirmation_until_what_computes_there_is_verified(
    client: TestClient,
) -> None:
    draft = asked(client)["id"]
    assert client.get(f"/api/drafts/{draft}").json()["trust"]["concerns"] == []
    saved = client.patch("/api/dictionary", json={"table": "orders", "column": "amount", "sensitive": True})
    assert saved.json()["job"] is None
    trust = client.get(f"/api/drafts/{draft}").json()["trust"]
    assert trust["needs_confirmation"]
    [concern] = trust["concerns"]
    assert (concern["sql"], concern["why"], concern["columns"]) == (
        "SUM(o.amount)", "unverified", ["orders.amount"],
    )  # fmt: skip
    item = concern["item"]
    verified = client.post(
        f"/api/knowledge/{item}/trust", json={"trust": "verified", "who": "Ann", "why": "ok"}
    )
    assert verified.json()["verified"] | {"time": ""} == {
        "who": "Ann", "why": "ok", "time": "", "version": 2, "outdated": False,
    }  # fmt: skip
    assert client.get(f"/api/drafts/{draft}").json()["trust"]["concerns"] == []


def test_a_confirmation_is_kept_and_a_new_concern_asks_anew(client: TestClient) -> None:
    client.patch("/api/dictionary", json={"table": "orders", "sensitive": True})
    draft = asked(client)["id"]
    confirmed = client.post(f"/api/drafts/{draft}/confirmations", json={"who": "Ann", "why": "seen"}).json()
    assert not confirmed["trust"]["needs_confirmation"]
    assert confirmed["trust"]["concerns"]
    assert (confirmed["trust"]["confirmed"]["who"], confirmed["trust"]["confirmed"]["why"]) == ("Ann", "seen")
    other = proposed(client, draft, act="edit", number=1, text="AVG(o.amount)")
    after = applied(client, draft, other)["trust"]
    assert after["needs_confirmation"]
    assert {(c["sql"], c["why"]) for c in after["concerns"]} >= {("AVG(o.amount)", "near")}
    assert client.post(f"/api/drafts/{draft}/undo").json()["trust"]["needs_confirmation"] is False


def test_a_verified_form_with_a_new_value_is_a_concern(client: TestClient) -> None:
    client.patch("/api/dictionary", json={"table": "orders", "column": "status", "sensitive": True})
    draft = asked(client)
    item = next(c["item"] for c in draft["citations"] if c["sql"] == "o.status = 'P'")
    client.post(f"/api/knowledge/{item}/trust", json={"trust": "verified"})
    assert client.get(f"/api/drafts/{draft['id']}").json()["trust"]["concerns"] == []
    number = number_of(client, draft["id"], "o.status = 'P'")
    other = proposed(client, draft["id"], act="edit", number=number, text="o.status = 'X'")
    [concern] = applied(client, draft["id"], other)["trust"]["concerns"]
    assert (concern["why"], concern["trust"]) == ("new_value", "verified")


def test_of_two_changes_at_once_one_is_refused_and_none_is_lost(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = asked(client)["id"]
    number = number_of(client, draft, "c.segment = 'ENT'")
    texts = ("c.segment = 'SMB'", "c.segment = 'MID'")
    first, second = (proposed(client, draft, act="edit", number=number, text=text) for text in texts)
    together, ready = threading.Barrier(2), routes_drafts._ready

    def meanwhile(state: Served, id: str) -> KeptDraft:
        kept = ready(state, id)
        together.wait(10)  # both have read the draft before either changes it
        return kept

    monkeypatch.setattr(routes_drafts, "_ready", meanwhile)
    with ThreadPoolExecutor(2) as pool:
        places = [f"/api/drafts/{draft}/proposals/{one['id']}/apply" for one in (first, second)]
        statuses = sorted(answer.status_code for answer in pool.map(client.post, places))
    assert statuses == [200, 409]
    assert len(client.get(f"/api/drafts/{draft}").json()["steps"]) == 1


def test_a_draft_is_asked_once_at_a_time() -> None:
    jobs, go = Jobs(), threading.Event()
    job = jobs.start("ask", lambda job: [go.wait(10)].clear(), draft="a")
    with pytest.raises(Conflict):
        jobs.start("ask", lambda job: None, draft="a")
    go.set()
    assert job.finished.wait(10)
    assert jobs.start("ask", lambda job: None, draft="a").finished.wait(10)


def test_what_cannot_come_back_is_not_offered_and_refused(client: TestClient) -> None:
    made = client.post("/api/drafts", json={"sql": "SELECT c.name FROM customer c WHERE c.segment = 'ENT'"})
    draft = made.json()["id"]
    off = applied(client, draft, proposed(client, draft, act="off", number=1))
    assert [(one["off"], one["stays_off"]) for one in off["steps"]] == [(True, "")]
    written = client.put(f"/api/drafts/{draft}/sql", json={"sql": "SELECT o.status FROM orders o"}).json()
    [step] = [one for one in written["steps"] if one["off"]]
    assert "c" in step["stays_off"]
    refused = client.post(f"/api/drafts/{draft}/proposals", json={"act": "on", "step": step["number"]})
    assert (refused.status_code, refused.json()["detail"]) == (422, step["stays_off"])


def test_a_proposal_that_joins_a_table_says_what_that_does_to_the_rows(client: TestClient) -> None:
    made = client.post("/api/drafts", json={"sql": "SELECT c.name FROM customer c WHERE c.segment = 'ENT'"})
    found = client.get("/api/knowledge", params={"kind": "condition", "table": "orders"}).json()["items"]
    item = next(one["id"] for one in found if one["tables"] == ["orders"])
    proposal = proposed(client, made.json()["id"], act="add", item=item)
    assert "JOIN orders" in proposal["after"]
    assert [note.partition(" row")[0] for note in proposal["notes"]] == ["the joins give 4"]
