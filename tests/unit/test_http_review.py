"""Reviews over HTTP: blind judging, discussion, a senior's decision, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import sqlore.workspace
from cli_helpers import make_history, make_sqlite
from http_helpers import shop_client
from sqlore.errors import UsageError
from sqlore.evals.build.review import CRITERIA
from sqlore.interfaces.http import create_app
from sqlore.interfaces.http.reviews import Reviewing

TASKS = [
    ("How many orders are there?", "SELECT COUNT(*) FROM orders"),
    ("Which customers are big?", "SELECT name FROM customer"),
    ("How many customers do we have?", "SELECT COUNT(*) FROM customer"),
]
YES = dict.fromkeys(CRITERIA, True)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """A server opened for the review of three tasks by two annotators."""
    make_sqlite(tmp_path / "shop.sqlite")
    make_history(tmp_path / "history")
    records = [
        {"question_id": number, "db_id": "shop", "question": question, "SQL": sql, "history_knowledge": {}}
        for number, (question, sql) in enumerate(TASKS, 7)
    ]
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps(records), encoding="utf-8")
    review = Reviewing(file, tmp_path / "reviews", history=(str(tmp_path / "history"),))
    lore = sqlore.workspace.open(str(tmp_path / "shop.sqlite"), home=tmp_path / ".sqlore", model="none")
    app = create_app(lore, static=tmp_path / "no-app", review=review)
    with TestClient(app, base_url="http://localhost:8642") as made:
        yield made


def judge(client: TestClient, name: str, number: int, *no: str, **more: Any) -> Any:
    client.post("/api/review/annotators", json={"name": name}).raise_for_status()
    address = f"/api/review/annotators/{name}/tasks/{number}"
    digest = client.get(address).json()["digest"]
    answers = YES | dict.fromkeys(no, False)
    return client.put(address, json={"digest": digest, "answers": answers, **more})


def decide(client: TestClient, who: str, number: int, keep: bool | None, **more: Any) -> Any:
    digest = client.get("/api/review/open").json()[0]["digest"]
    return client.put(f"/api/review/{who}/{number}", json={"digest": digest, "keep": keep, **more})


def all_judged(client: TestClient) -> None:
    """Of one mind on the first (stays) and the last (goes), not on the second."""
    for name, no in [("anna", ()), ("ben", ("unique",))]:
        judge(client, name, 1)
        judge(client, name, 2, *no)
        judge(client, name, 3, "natural")


def test_judging_is_blind_until_all_are_done(client: TestClient) -> None:
    judge(client, "anna", 1, "unique", comment="which orders?").raise_for_status()
    client.post("/api/review/annotators", json={"name": "ben"})
    told = client.get("/api/review").json()
    assert told["blind"]
    assert told["states"] == []
    assert told["annotators"] == [{"name": "anna", "done": 1}, {"name": "ben", "done": 0}]
    own = client.get("/api/review/annotators/ben/tasks/1")
    assert own.json()["own"] is None
    assert "which orders?" not in own.text
    for path in ("open", "agreement", "final"):
        assert client.get(f"/api/review/{path}").status_code == 409
    assert client.get("/api/review/annotators/anna/tasks/1").json()["own"]["answers"]["unique"] is False


def test_judgements_stay_once_they_can_be_seen(client: TestClient) -> None:
    all_judged(client)
    assert client.get("/api/review").json()["blind"] is False
    digest = client.get("/api/review/annotators/anna/tasks/1").json()["digest"]
    again = client.put("/api/review/annotators/anna/tasks/1", json={"digest": digest, "answers": YES})
    assert again.status_code == 409
    assert client.post("/api/review/annotators", json={"name": "cem"}).status_code == 409


def test_discussion_then_senior_then_the_tasks_that_stay(client: TestClient) -> None:
    all_judged(client)
    (task,) = client.get("/api/review/open").json()
    assert (task["number"], task["state"]) == (2, "open")
    assert [(one["annotator"], one["valid"]) for one in task["judgements"]] == [
        ("anna", True),
        ("ben", False),
    ]
    assert decide(client, "senior", 2, True, by=["dora"]).status_code == 409  # nobody has discussed it
    decide(client, "discussion", 2, None, comment="what is big?").raise_for_status()
    new = {"question": "What are all customers called?", "sql": "SELECT name FROM customer;"}
    assert decide(client, "senior", 2, True).status_code == 422  # no name
    decide(client, "senior", 2, True, by=["dora"], edit=new).raise_for_status()
    assert {one["state"]: one["tasks"] for one in client.get("/api/review").json()["states"]} == {
        "kept": 2,
        "dropped": 1,
    }
    final = client.get("/api/review/final").json()
    assert [one["question"] for one in final] == [TASKS[0][0], new["question"]]
    assert final[1]["SQL"] == TASKS[1][1]  # the same SQL but for its end is no change
    assert (
        client.put(
            "/api/review/discussion/1", json={"digest": final[0].get("digest", ""), "keep": True}
        ).status_code
        == 409
    )


def test_changed_sql_runs_and_its_knowledge_is_found_anew(client: TestClient) -> None:
    assert judge(client, "anna", 2, edit={"sql": "SELECT nosuch FROM customer"}).status_code == 422
    better = "SELECT COUNT(*) FROM customer WHERE segment = 'ENT'"
    judge(client, "anna", 2, edit={"sql": better}).raise_for_status()
    judge(client, "anna", 1)
    judge(client, "anna", 3, "natural")
    for number, no in ((1, ()), (2, ()), (3, ("natural",))):
        judge(client, "ben", number, *no)
    decide(client, "discussion", 2, True, edit={"sql": better}).raise_for_status()
    kept = client.get("/api/review/final").json()
    assert kept[1]["SQL"] == better
    assert "condition: customer.segment = <val>" in kept[1]["history_knowledge"]


def test_agreement_has_every_measure_with_its_interval(client: TestClient) -> None:
    all_judged(client)
    found = {one["criterion"]: one for one in client.get("/api/review/agreement").json()}
    assert list(found) == ["valid", *CRITERIA]
    assert found["valid"]["full"]["value"] == pytest.approx(2 / 3)
    assert found["consistent"]["full"]["value"] == 1
    assert found["consistent"]["fleiss"]["value"] is None
    assert found["valid"]["cohen"][0]["annotators"] == ["anna", "ben"]
    assert found["valid"]["ac1"]["low"] < found["valid"]["ac1"]["value"] < found["valid"]["ac1"]["high"]


def test_what_cannot_be_said(client: TestClient) -> None:
    assert client.get("/api/review/annotators/nobody").status_code == 404
    assert client.post("/api/review/annotators", json={"name": "../x"}).status_code == 422
    client.post("/api/review/annotators", json={"name": "anna"})
    assert client.get("/api/review/annotators/anna/tasks/9").status_code == 404
    stale = {"digest": "old", "answers": YES}
    assert client.put("/api/review/annotators/anna/tasks/1", json=stale).status_code == 409
    assert judge(client, "anna", 1, edit={"question": " "}).status_code == 422
    digest = client.get("/api/review/annotators/anna/tasks/1").json()["digest"]
    part = {"digest": digest, "answers": {"natural": True}}
    assert client.put("/api/review/annotators/anna/tasks/1", json=part).status_code == 422


def test_without_a_review_there_is_none(tmp_path: Path) -> None:
    with shop_client(tmp_path, learned=False) as client:
        assert client.get("/api/review").status_code == 404
        assert client.get("/api/health").json()["review"] is None


def test_ids_that_repeat_are_no_tasks_to_review(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(
        json.dumps([{"question_id": 1, "question": "a", "SQL": "SELECT 1"}] * 2), encoding="utf-8"
    )
    with pytest.raises(UsageError, match="repeat"):
        Reviewing(file, tmp_path / "reviews")
