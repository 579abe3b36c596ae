"""Knowledge, dictionary and learning over HTTP."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import sqlore.workspace
from http_helpers import events_of, heard, running, shop_client, wait_for
from sqlore.interfaces.http import routes_dictionary, security
from sqlore.interfaces.http.state import Served
from store_helpers import WordEmbedder


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path, lambda messages: "amount in euros, before tax.") as opened:
        yield opened


def item_of(client: TestClient, skeleton: str) -> Any:
    found = client.get("/api/knowledge", params={"limit": 1000}).json()["items"]
    return next(one for one in found if one["skeleton"] == skeleton)


def column_of(table: Any, name: str) -> Any:
    return next(one for one in table["entries"] if one["name"] == name)


# ------------------------------------------------------------------ the knowledge browser


def test_items_are_listed_filtered_and_counted(client: TestClient) -> None:
    every = client.get("/api/knowledge").json()
    assert every["total"] == len(every["items"]) == client.get("/api/health").json()["held"]["items"]
    supports = [one["support"] for one in every["items"]]
    assert supports == sorted(supports, reverse=True)
    conditions = client.get("/api/knowledge", params={"kind": "condition", "table": "orders"}).json()
    assert [one["skeleton"] for one in conditions["items"]] == ["orders.status = <val>"]
    page = client.get("/api/knowledge", params={"limit": 2, "offset": 3}).json()
    assert [one["id"] for one in page["items"]] == [one["id"] for one in every["items"][3:5]]
    assert page["total"] == every["total"]
    assert client.get("/api/knowledge", params={"text": "100%"}).json()["total"] == 0
    assert client.get("/api/knowledge", params={"kind": "spell"}).status_code == 422


def test_knowledge_is_searched_as_questions_search_it(client: TestClient) -> None:
    found = client.get("/api/knowledge/search", params={"text": "refunded orders"}).json()
    assert found[0]["item"]["skeleton"] == "orders.status = <val>"
    assert found[0]["signals"]
    scores = [one["score"] for one in found]
    assert scores == sorted(scores, reverse=True)
    only = client.get(
        "/api/knowledge/search", params={"text": "orders", "kind": "relation", "limit": 2}
    ).json()
    assert [one["item"]["kind"] for one in only] == ["relation", "relation"]


def test_an_item_comes_with_its_scripts_values_and_places(client: TestClient) -> None:
    id = item_of(client, "orders.status = <val>")["id"]
    item = client.get(f"/api/knowledge/{id}").json()
    assert item["literals"] == [{"values": ["P"], "count": 1}, {"values": ["R"], "count": 1}]
    assert item["scripts_total"] == len(item["scripts"]) == 2
    assert [one["source"] for one in item["scripts"]] == ["finance.sql", "sales/lists.sql"]
    script = client.get(f"/api/scripts/{item['scripts'][0]['id']}").json()
    places = [one for one in script["fragments"] if one["item"] == id]
    assert [script["sql"][one["start"] : one["end"]] for one in places] == ["o.status = 'P'"]
    assert client.get("/api/knowledge/999").status_code == 404
    for address in (f"knowledge/{2**64}", f"scripts/{2**64}"):
        assert client.get(f"/api/{address}").status_code == 404
    for query in (f"knowledge?offset={2**64}", f"knowledge?support={2**64}"):
        assert client.get(f"/api/{query}").status_code == 422
    assert client.delete("/api/rejected", params={"id": "9" * 19}).status_code == 422
    assert client.get("/api/scripts/999").status_code == 404


def test_verdicts_are_kept_with_the_version_that_they_are_about(client: TestClient) -> None:
    id = item_of(client, "sum(orders.amount)")["id"]
    verified = client.post(f"/api/knowledge/{id}/trust", json={"trust": "verified", "who": "Ann"}).json()
    assert (verified["trust"], verified["version"], verified["verified"]["version"]) == ("verified", 2, 2)
    renamed = client.patch(f"/api/knowledge/{id}", json={"name": "revenue", "who": "Bob"}).json()
    assert renamed["name"] == "revenue"
    assert renamed["verified"]["outdated"]
    again = client.post(f"/api/knowledge/{id}/trust", json={"trust": "verified", "who": "Bob"}).json()
    assert (again["verified"]["who"], again["verified"]["outdated"], again["version"]) == ("Bob", False, 5)
    assert [(c["what"], c["who"]) for c in again["changes"]] == [
        ("trust", "Ann"), ("name", "Bob"), ("description", "Bob"), ("trust", "Bob"),
    ]  # fmt: skip
    found = client.get("/api/knowledge", params={"text": "revenue", "kind": "calculation"}).json()
    assert [one["id"] for one in found["items"]] == [id]


def test_to_deprecate_takes_a_reason(client: TestClient) -> None:
    id = item_of(client, "sum(orders.amount)")["id"]
    refused = client.post(f"/api/knowledge/{id}/trust", json={"trust": "deprecated", "why": " "})
    assert refused.status_code == 422
    gone = client.post(f"/api/knowledge/{id}/trust", json={"trust": "deprecated", "why": "net is used now"})
    assert gone.json()["changes"][-1]["why"] == "net is used now"
    known = client.post("/api/known", json={"question": "total amount of orders"}).json()
    assert id not in [one["item"]["id"] for one in known["items"]]


def test_items_are_merged_with_a_reason_and_into_their_kind(client: TestClient) -> None:
    kept = item_of(client, "orders.status = <val>")
    gone = client.get(f"/api/knowledge/{kept['id']}/similar").json()[0]["item"]
    assert gone["kind"] == "condition"
    assert client.post(f"/api/knowledge/{gone['id']}/merge", json={"into": kept["id"]}).status_code == 422
    wrong = {"into": item_of(client, "sum(orders.amount)")["id"], "why": "x"}
    assert client.post(f"/api/knowledge/{gone['id']}/merge", json=wrong).status_code == 422
    merged = client.post(f"/api/knowledge/{gone['id']}/merge", json={"into": kept["id"], "why": "one thing"})
    assert merged.json()["merged_from"] == [gone["id"]]
    assert gone["name"] in merged.json()["aliases"]
    after = client.get(f"/api/knowledge/{gone['id']}").json()
    assert (after["merged"], after["trust"]) == (kept["id"], "deprecated")


def test_what_a_person_names_is_what_lists_drafts_and_citations_show(client: TestClient) -> None:
    item = item_of(client, "customer.segment = <val>")
    path = f"/api/knowledge/{item['id']}"
    changed = client.patch(path, json={"name": "large customers"}).json()
    assert (changed["name"], changed["description"]) == ("large customers", "large customers")
    listed = client.get("/api/knowledge", params={"text": "large customers"}).json()["items"]
    assert [one["description"] for one in listed] == ["large customers"]
    sql = "SELECT c.name FROM customer c WHERE c.segment = 'ENT' AND c.id > 2"
    explained = client.post("/api/explanations", json={"sql": sql}).json()
    shown = {one["sql"]: one for node in explained["nodes"] for one in node["items"]}
    assert shown["c.segment = 'ENT'"]["description"] == "large customers"
    assert shown["c.segment = 'ENT'"]["citation"]["description"] == "large customers"
    assert "large" not in shown["c.id > 2"]["description"]
    both = client.patch(path, json={"name": "big ones", "description": "customers of the ENT segment"}).json()
    assert both["description"] == "customers of the ENT segment"


def test_without_a_history_there_is_no_knowledge_and_it_says_so(tmp_path: Path) -> None:
    with shop_client(tmp_path, learned=False) as client:
        for path in ("/api/knowledge", "/api/knowledge/1", "/api/rejected", "/api/knowledge/search?text=a"):
            refused = client.get(path)
            assert (refused.status_code, refused.json()["hint"]) == (404, "POST /api/learn")


# ------------------------------------------------------------------ the dictionary


def test_tables_and_columns_say_what_is_in_them(client: TestClient) -> None:
    tables = client.get("/api/dictionary").json()
    assert [(one["name"], one["rows"], one["columns"]) for one in tables] == [
        ("customer", 3, 3), ("orders", 4, 4),
    ]  # fmt: skip
    orders = client.get("/api/dictionary/table", params={"name": "ORDERS"}).json()
    status = column_of(orders, "status")
    assert status["samples"] == [{"value": "P", "count": 3}, {"value": "R", "count": 1}]
    assert (status["distinct"], status["filled"], status["complete"], status["items"]) == (2, 4, True, 3)
    assert column_of(orders, "customer_id")["references"] == "customer.id"
    assert column_of(orders, "id")["primary_key"]
    assert client.get("/api/dictionary/table", params={"name": "nothing"}).status_code == 404


def test_saving_describes_anew_what_it_touches_and_tells_how_far_it_is(client: TestClient) -> None:
    patch = {"table": "orders", "column": "amount", "name": "gross value", "description": "in euros"}
    saved = client.patch("/api/dictionary", json=patch)
    assert saved.status_code == 200
    column = column_of(saved.json()["table"], "amount")
    assert (column["called"], column["description"], column["source"]) == (
        "gross value",
        "in euros",
        "person",
    )
    events = heard(client, saved.json()["job"])
    assert [e for e in events if e["event"] == "stage"][-1]["total"] == 2
    [described] = [e for e in events if e["event"] == "described"]
    assert (described["looked_at"], described["changed"]) == (2, 2)
    assert item_of(client, "sum(orders.amount)")["description"] == "total gross value of orders"
    assert item_of(client, "orders.status = <val>")["version"] == 1


def test_values_get_meanings_that_questions_find_and_lose_them_again(client: TestClient) -> None:
    patch = {"table": "orders", "column": "status", "meanings": {"R": "sent back"}}
    saved = client.patch("/api/dictionary", json=patch).json()
    heard(client, saved["job"])
    assert column_of(saved["table"], "status")["meanings"] == [
        {"value": "R", "meaning": "sent back", "source": "person"}
    ]
    known = client.post("/api/known", json={"question": "how many were sent back?"}).json()
    assert [(one["column"], one["value"]) for one in known["values"]] == [("status", "R")]
    back = client.patch("/api/dictionary", json=patch | {"meanings": {"R": None}}).json()
    heard(client, back["job"])
    assert column_of(back["table"], "status")["meanings"] == []


def test_what_is_not_given_stays_and_empty_text_uncovers_what_was_said_before(client: TestClient) -> None:
    where = {"table": "orders", "column": "amount"}
    client.patch("/api/dictionary", json=where | {"description": "in euros", "synonyms": ["value"]})
    flagged = client.patch("/api/dictionary", json=where | {"sensitive": True}).json()
    amount = column_of(flagged["table"], "amount")
    assert (amount["description"], amount["synonyms"], amount["sensitive"]) == ("in euros", ["value"], True)
    emptied = client.patch("/api/dictionary", json=where | {"description": "", "synonyms": []}).json()
    amount = column_of(emptied["table"], "amount")
    assert (amount["description"], amount["source"], amount["sensitive"]) == ("", None, True)
    gone = client.patch("/api/dictionary", json=where | {"sensitive": None}).json()
    assert not column_of(gone["table"], "amount")["sensitive"]


def test_what_is_said_survives_a_restart(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        client.patch("/api/dictionary", json={"table": "orders", "description": "one row an order"})
    with shop_client(tmp_path) as client:
        [_, orders] = client.get("/api/dictionary").json()
        assert (orders["description"], orders["source"]) == ("one row an order", "person")


@pytest.mark.parametrize(
    ("patch", "status"),
    [
        ({"table": "nothing", "description": "x"}, 404),
        ({"table": "orders", "column": "nothing", "description": "x"}, 404),
        ({"table": "orders", "meanings": {"P": "paid"}}, 422),
        ({"table": "orders", "descripton": "x"}, 422),
    ],
)
def test_what_cannot_be_said_is_refused(client: TestClient, patch: Any, status: int) -> None:
    assert client.patch("/api/dictionary", json=patch).status_code == status


def test_the_model_completes_a_description_and_nothing_is_saved(client: TestClient) -> None:
    asked = {"table": "orders", "column": "amount", "begun": "The gross"}
    job = client.post("/api/dictionary/completions", json=asked)
    events = heard(client, job.json())
    [told] = [event for event in events if event["event"] == "completion"]
    assert told["text"] == "The gross amount in euros, before tax."
    assert "token" in [event["event"] for event in events]
    orders = client.get("/api/dictionary/table", params={"name": "orders"}).json()
    assert column_of(orders, "amount")["description"] == ""


def test_names_of_the_history_are_offered(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        named = "SELECT status AS order_state FROM orders"
        text = f"{named}; {named} WHERE id = 1;"
        heard(client, client.post("/api/learn", json={"text": text}).json())
        orders = client.get("/api/dictionary/table", params={"name": "orders"}).json()
        assert column_of(orders, "status")["aliases"] == [{"name": "order state", "support": 2}]


# ------------------------------------------------------------------ learning


def test_uploads_and_pasted_sql_are_learned_and_what_was_not_says_why(tmp_path: Path) -> None:
    with shop_client(tmp_path, learned=False) as client:
        sql = (
            b"-- paid orders of Bob\nSELECT * FROM orders WHERE status = 'P' AND customer_id = 2;\nSELEKT 1;"
        )
        raw = {"Content-Type": "application/octet-stream"}
        upload = client.post("/api/uploads", params={"name": "../bob.sql"}, content=sql, headers=raw).json()
        assert (upload["name"], upload["bytes"]) == ("bob.sql", len(sql))
        asked = {"uploads": [upload["id"]], "text": "SELECT MAX(amount) FROM orders"}
        events = heard(client, client.post("/api/learn", json=asked).json())
        [report] = [event["report"] for event in events if event["event"] == "learned"]
        assert (report["read"], report["new"], report["rejected"]) == (3, 2, {"unparsable": 1})
        assert report["scripts"] == 2
        [rejected] = client.get("/api/rejected").json()
        assert (rejected["source"], rejected["line"], rejected["sql"]) == ("bob.sql", 3, "SELEKT 1")
        assert report["seconds"] > 0
        assert client.delete("/api/rejected", params={"id": "12"}).json() == {"dismissed": 0}
        assert client.delete("/api/rejected", params={"id": rejected["id"]}).json() == {"dismissed": 1}
        assert client.get("/api/rejected").json() == []
        assert list((tmp_path / ".sqlore" / "uploads").iterdir()) == []
        known = client.post("/api/known", json={"question": "paid orders of Bob"}).json()
        assert known["scripts"][0]["script"]["comment"] == "paid orders of Bob"
        again = heard(client, client.post("/api/learn", json={"text": asked["text"]}).json())
        assert next(e["report"]["known"] for e in again if e["event"] == "learned") == 1


def test_an_upload_can_be_taken_back_and_nothing_is_not_learned(client: TestClient, tmp_path: Path) -> None:
    raw = {"Content-Type": "application/octet-stream"}
    upload = client.post("/api/uploads", params={"name": "a.sql"}, content=b"SELECT 1", headers=raw).json()
    assert client.delete(f"/api/uploads/{upload['id']}").status_code == 204
    assert client.post("/api/learn", json={"uploads": [upload["id"]]}).status_code == 404
    assert client.post("/api/learn", json={"text": "  "}).status_code == 422
    assert list((tmp_path / ".sqlore" / "uploads").iterdir()) == []


def test_a_history_that_cannot_be_read_is_a_problem_of_its_job(client: TestClient) -> None:
    raw = {"Content-Type": "application/octet-stream"}
    upload = client.post("/api/uploads", params={"name": "a.csv"}, content=b"a,b\n1,2\n", headers=raw).json()
    events = heard(client, client.post("/api/learn", json={"uploads": [upload["id"]]}).json())
    assert [event["event"] for event in events][-2:] == ["problem", "end"]
    assert events[-2]["problem"]["status"] == 422
    assert events[-1]["status"] == "failed"


def test_a_job_that_waits_for_another_says_so_and_can_be_cancelled(tmp_path: Path) -> None:
    with running(tmp_path) as (client, state), state.teaching:
        job = client.post("/api/learn", json={"text": "SELECT MAX(amount) FROM orders"}).json()
        wait_for(lambda: state.jobs.get(job["id"]).stage_name == "waiting for another job")
        client.delete(f"/api/jobs/{job['id']}")
        events = events_of(client.get(f"/api/jobs/{job['id']}/events").text)
        assert events[-1]["status"] == "cancelled"
        assert client.get("/api/knowledge", params={"text": "max"}).json()["total"] == 0


def test_what_is_said_while_a_history_is_learned_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes_dictionary, "WAIT", 0.05)
    with shop_client(tmp_path) as client:
        state: Served = client.app.state.served  # type: ignore[attr-defined]
        with state.teaching:
            refused = client.patch("/api/dictionary", json={"table": "orders", "description": "x"})
        assert refused.status_code == 409
        assert client.get("/api/dictionary").json()[1]["description"] == ""


def test_an_upload_that_is_too_large_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "MOST_UPLOAD", 1000)

    def parts() -> Iterator[bytes]:
        for _ in range(5):
            yield b"-" * 500

    with shop_client(tmp_path) as client:
        raw = {"Content-Type": "application/octet-stream"}
        refused = client.post("/api/uploads", params={"name": "a.sql"}, content=parts(), headers=raw)
        assert refused.status_code == 413
        assert list((tmp_path / ".sqlore" / "uploads").iterdir()) == []
        told = client.post("/api/uploads", params={"name": "a.sql"}, content=b"-" * 1001, headers=raw)
        assert told.status_code == 413


def test_what_is_said_and_what_another_process_learns_both_survive(tmp_path: Path) -> None:
    where = {"table": "orders", "column": "amount"}
    (tmp_path / "dict.yaml").write_text("tables:\n  customer: who buys\n", encoding="utf-8")
    (tmp_path / "more.sql").write_text("SELECT MAX(amount) FROM orders;\n", encoding="utf-8")
    with shop_client(tmp_path) as client:
        client.get("/api/dictionary")  # what was known before is in memory
        other = sqlore.workspace.open(
            str(tmp_path / "shop.sqlite"), home=tmp_path / ".sqlore", dictionary=[tmp_path / "dict.yaml"]
        )
        other.__dict__["embedder"] = WordEmbedder()
        said: list[int] = []

        def meanwhile(stage: str, done: int, total: int | None) -> None:
            if stage == "learning scripts" and not said:
                patch = where | {"description": "in euros"}
                said.append(client.patch("/api/dictionary", json=patch).status_code)

        with other:
            other.learn(tmp_path / "more.sql", on_progress=meanwhile)
        assert said == [200]
        for description in ("in euros", "net, in euros"):
            customer, _ = client.get("/api/dictionary").json()
            orders = client.get("/api/dictionary/table", params={"name": "orders"}).json()
            assert (customer["description"], customer["source"]) == ("who buys", "file")
            assert column_of(orders, "amount")["description"] == description
            client.patch("/api/dictionary", json=where | {"description": "net, in euros"})


def test_of_two_quick_changes_of_one_column_none_is_lost(tmp_path: Path) -> None:
    where = {"table": "orders", "column": "status"}
    with running(tmp_path) as (client, state), ThreadPoolExecutor() as pool:
        with state.teaching:
            patches = [where | {"description": "how far it is"}, where | {"synonyms": ["state"]}]
            sent = [pool.submit(client.patch, "/api/dictionary", json=one) for one in patches]
            time.sleep(0.3)
        assert [one.result().status_code for one in sent] == [200, 200]
        shown = client.get("/api/dictionary/table", params={"name": "orders"}).json()
        status = column_of(shown, "status")
        assert (status["description"], status["synonyms"]) == ("how far it is", ["state"])
