"""Rows and explanations over HTTP: pages, files, figures, and what is stopped when nobody wants it."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
from fastapi.testclient import TestClient

from cli_helpers import REVENUE, make_sqlite
from http_helpers import ANSWER, ENDLESS, events_of, heard, running, shop_client, wait_for
from sqlore.interfaces.http.export import write_csv, write_parquet
from sqlore.interfaces.http.results import Results, page_of
from sqlore.interfaces.http.routes_run import QUERIES
from sqlore.model import Rows


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path) as opened:
        yield opened


def run(client: TestClient, sql: str, **more: Any) -> Any:
    answer = client.post("/api/run", json={"sql": sql, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_result_is_paged_sorted_and_filtered_without_the_database(client: TestClient) -> None:
    first = run(client, "SELECT id, amount, status FROM orders", limit=2)
    assert first["rows"] == [[1, 10.5, "P"], [2, 20.0, "R"]]
    assert (first["fetched"], first["found"], first["truncated"]) == (4, 4, False)
    assert [column["kind"] for column in first["columns"]] == ["number", "number", "text"]
    page = f"/api/results/{first['id']}"
    assert client.get(page, params={"offset": 2}).json()["rows"] == [[3, 5.0, "P"], [4, 7.0, "P"]]
    by_amount = client.get(page, params={"sort": 1, "descending": True}).json()["rows"]
    assert [row[1] for row in by_amount] == [20.0, 10.5, 7.0, 5.0]
    found = client.get(page, params={"contains": "r"}).json()
    assert (found["rows"], found["found"]) == ([[2, 20.0, "R"]], 1)
    assert client.get(page, params={"sort": 7}).status_code == 422
    assert client.get("/api/results/none").status_code == 404


def test_rows_are_bounded_and_counted_by_the_database(client: TestClient) -> None:
    cut = run(client, "SELECT id FROM orders ORDER BY id", rows=3)
    assert (cut["fetched"], cut["truncated"]) == (3, True)
    assert client.get(f"/api/results/{cut['id']}/count").json() == {"rows": 4}
    assert client.post("/api/run", json={"sql": "SELECT 1", "rows": 10**9}).status_code == 422


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("DELETE FROM orders", 422),
        ("SELECT 1; DELETE FROM orders", 403),
        ("PRAGMA writable_schema = 1", 422),
        ("ATTACH 'x' AS y", 422),
        ("SELECT load_extension('x')", 403),
        ("SELECT * FROM nothing", 422),
    ],
)
def test_what_is_no_reading_query_is_refused(client: TestClient, sql: str, status: int) -> None:
    refused = client.post("/api/run", json={"sql": sql})
    assert (refused.status_code, refused.headers["content-type"]) == (status, "application/problem+json")
    assert run(client, "SELECT COUNT(*) FROM orders")["rows"] == [[4]]


def test_a_query_that_takes_too_long_is_stopped_and_says_so(client: TestClient) -> None:
    slow = client.post("/api/run", json={"sql": ENDLESS, "seconds": 0.2})
    assert (slow.status_code, slow.json()["kinds"][0]) == (504, "query-timeout")


def test_exports_hold_the_rows_that_were_read_or_all_there_are(client: TestClient) -> None:
    cut = run(client, "SELECT id, amount, status FROM orders ORDER BY id", rows=2)
    page = f"/api/results/{cut['id']}/export"
    some = list(csv.reader(io.StringIO(client.get(page).content.decode("utf-8-sig"))))
    assert some == [["id", "amount", "status"], ["1", "10.5", "P"], ["2", "20.0", "R"]]
    every = client.get(page, params={"all": True})
    assert every.content.count(b"\r\n") == 5
    assert 'attachment; filename="result.csv"' in every.headers["content-disposition"]
    assert client.get(page, params={"format": "xls"}).status_code == 422


def test_parquet_keeps_types_nulls_and_names(tmp_path: Path) -> None:
    day, moment = date(2024, 2, 1), datetime(2024, 2, 1, 9, 30)
    rows = Rows(
        ("n", "N", "x", "t", "d", "m", "b", "mixed", "big", "it's"),
        (
            (1, None, 1.5, "a'b\n,", day, moment, True, 1, 2**70, b"\x00\xff"),
            (None, None, Decimal("2.25"), None, None, None, None, "z", 3, None),
        ),
    )
    write_parquet(rows, tmp_path / "a.parquet")
    with duckdb.connect() as db:
        found = db.execute("SELECT * FROM read_parquet(?)", [str(tmp_path / "a.parquet")])
        assert [column[0] for column in found.description] == [
            "n", "N_2", "x", "t", "d", "m", "b", "mixed", "big", "it's",
        ]  # fmt: skip
        assert found.fetchall() == [
            (1, None, 1.5, "a'b\n,", day, moment, True, "1", str(2**70), "0x00ff"),
            (None, None, 2.25, None, None, None, None, "z", "3", None),
        ]
    write_csv(rows, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        read = list(csv.reader(file))
    assert read[1][3] == "a'b\n,"
    assert read[2][0] == ""


def test_numbers_that_javascript_cannot_hold_are_text(client: TestClient) -> None:
    found = run(client, "SELECT 9007199254740993 AS a, 9007199254740991 AS b, x'00ff' AS c, 1e999 AS d")
    assert found["rows"] == [["9007199254740993", 9007199254740991, "0x00ff", "inf"]]


# ------------------------------------------------------------------ explanations


def test_an_explanation_has_nodes_that_run_and_items_with_numbers(client: TestClient) -> None:
    found = client.post("/api/explanations", json={"sql": REVENUE}).json()
    assert [(node["kind"], node["name"]) for node in found["nodes"]][:2] == [
        ("table", "orders"), ("table", "customer"),
    ]  # fmt: skip
    assert {(edge["source"], edge["target"]) for edge in found["edges"]} == {
        ("table:orders", "main"), ("table:customer", "main"),
    }  # fmt: skip
    main = found["nodes"][-1]
    assert run(client, main["sql"])["rows"] == [[17.5]]
    draft = client.post("/api/drafts", json={"sql": REVENUE}).json()["id"]
    numbers = {one["number"]: one["sql"] for one in client.get(f"/api/drafts/{draft}/items").json()}
    for item in main["items"]:
        assert numbers[item["number"]] == item["sql"]
        assert item["citation"]["status"] == "cited"
        assert REVENUE[item["start"] : item["end"]] == item["sql"]
    bare = client.post("/api/explanations", json={"sql": REVENUE, "baseline": True}).json()
    assert all(item["citation"] is None for item in bare["nodes"][-1]["items"])
    assert client.post("/api/explanations", json={"sql": "SELEKT"}).status_code == 422


def test_figures_are_those_of_the_database_and_are_computed_once(client: TestClient) -> None:
    found = client.post("/api/explanations", json={"sql": REVENUE}).json()
    path = f"/api/explanations/{found['id']}/figures"
    job = client.post(path, json={}).json()
    figures = [event["figure"] for event in heard(client, job) if event["event"] == "figure"]
    items = [item for node in found["nodes"] for item in node["items"]]
    assert {figure["item"] for figure in figures} == {None, *(item["id"] for item in items)}
    for item in items:
        if item["kind"] != "condition":
            continue
        facts = next(figure["facts"] for figure in figures if figure["item"] == item["id"])
        joined = "FROM orders o JOIN customer c ON o.customer_id = c.id"
        [[alone]] = run(client, f"SELECT COUNT(*) {joined} WHERE {item['sql']}")["rows"]
        [[together]] = run(client, f"SELECT COUNT(*) {REVENUE[REVENUE.index('FROM') :]}")["rows"]
        assert (facts["alone"], facts["together"]) == (alone, together)
    again = client.post("/api/explanations", json={"sql": REVENUE}).json()
    assert again["id"] == found["id"]
    assert client.post(path, json={}).json()["id"] == job["id"]
    only = client.post(path, json={"only": [items[0]["id"]]}).json()
    assert [e["figure"]["item"] for e in heard(client, only) if e["event"] == "figure"] == [items[0]["id"]]
    assert client.post("/api/explanations/none/figures", json={}).status_code == 404


# ------------------------------------------------------------------ stopping


def first_events(response: httpx.Response, count: int) -> list[Any]:
    """The first events of a stream that goes on."""
    text = ""
    for part in response.iter_text():
        text += part
        if text.count("\n\n") >= count:
            break
    return events_of(text[: text.rindex("\n\n")])


def test_cancelled_figures_end_at_once_and_can_be_asked_for_again(tmp_path: Path) -> None:
    sql = f"SELECT name FROM customer WHERE id > ({ENDLESS})"
    with running(tmp_path) as (client, _):
        found = client.post("/api/explanations", json={"sql": sql}).json()
        path = f"/api/explanations/{found['id']}/figures"
        job = client.post(path, json={"seconds": 600}).json()
        assert client.delete(f"/api/jobs/{job['id']}").status_code == 202
        events = events_of(client.get(f"/api/jobs/{job['id']}/events").text)
        assert events[-1]["status"] == "cancelled"
        assert "cancelled" in {e["figure"]["status"] for e in events if e["event"] == "figure"}
        again = client.post(path, json={"seconds": 600}).json()
        assert again["id"] != job["id"]
        client.delete(f"/api/jobs/{again['id']}")


def test_figures_that_nobody_listens_to_any_more_are_stopped(tmp_path: Path) -> None:
    sql = f"SELECT name FROM customer WHERE id > ({ENDLESS})"
    with running(tmp_path) as (client, state):
        found = client.post("/api/explanations", json={"sql": sql}).json()
        job = client.post(f"/api/explanations/{found['id']}/figures", json={"seconds": 600}).json()
        with client.stream("GET", f"/api/jobs/{job['id']}/events") as response:
            assert first_events(response, 1)[0]["event"] == "figure"
            assert state.jobs.get(job["id"]).status == "running"
        wait_for(state.jobs.get(job["id"]).finished.is_set)
        assert state.jobs.get(job["id"]).status == "cancelled"


def test_a_run_whose_client_leaves_is_stopped(tmp_path: Path) -> None:
    with running(tmp_path) as (client, state):
        with pytest.raises(httpx.ReadTimeout):
            client.post("/api/run", json={"sql": ENDLESS, "seconds": 600}, timeout=0.3)
        assert client.post("/api/run", json={"sql": "SELECT 7"}).json()["rows"] == [[7]]
        wait_for(lambda: not state.running)


def test_a_question_is_cancelled_while_the_model_thinks(tmp_path: Path) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def says(messages: Any) -> str:
        asked.set()
        go_on.wait(20)
        return ANSWER

    with running(tmp_path, says) as (client, _):
        job = client.post("/api/asks", json={"question": "revenue"}).json()
        assert asked.wait(10)
        draft = client.get(f"/api/drafts/{job['draft']}").json()
        assert (draft["status"], draft["job"]) == ("asking", job["id"])
        assert client.post(f"/api/drafts/{job['draft']}/undo").status_code == 409
        assert client.delete(f"/api/drafts/{job['draft']}").status_code == 409
        client.delete(f"/api/jobs/{job['id']}")
        events = events_of(client.get(f"/api/jobs/{job['id']}/events").text)
        assert events[-1]["status"] == "cancelled"
        assert client.get(f"/api/drafts/{job['draft']}").json()["status"] == "cancelled"
        go_on.set()


def test_tokens_come_while_the_model_writes(tmp_path: Path) -> None:
    go_on = threading.Event()

    class Slow:
        name, remote, context = "slow", False, 9999

        def chat(self, messages: Any, *, on_token: Any = None, **options: Any) -> Any:
            from sqlore.llm import Answer

            on_token("```sql\n")
            assert go_on.wait(20)
            on_token(REVENUE)
            return Answer(ANSWER)

    with running(tmp_path, Slow()) as (client, _):
        job = client.post("/api/asks", json={"question": "revenue"}).json()
        with client.stream("GET", f"/api/jobs/{job['id']}/events") as response:
            text = ""
            for part in response.iter_text():
                text += part
                if '"```sql\\n"' in text and not go_on.is_set():
                    assert "event: end" not in text
                    go_on.set()
            assert [e["text"] for e in events_of(text) if e["event"] == "token"] == ["```sql\n", REVENUE]


def test_a_slow_query_holds_up_nobody_else(tmp_path: Path) -> None:
    with running(tmp_path) as (client, state), closing(httpx.Client(base_url=client.base_url)) as other:
        thread = threading.Thread(
            target=lambda: other.post("/api/run", json={"sql": ENDLESS, "seconds": 2}, timeout=30)
        )
        thread.start()
        wait_for(lambda: state.running)
        assert client.post("/api/run", json={"sql": "SELECT 7"}).json()["rows"] == [[7]]
        assert client.get("/api/health").json()["status"] == "ok"
        assert state.running == 1
        thread.join()


def test_the_databases_name_is_no_secret_but_its_password_is(tmp_path: Path) -> None:
    from sqlore.interfaces.http.routes_app import without_password

    assert without_password("postgresql://a:b@c/d") == "postgresql://a@c/d"
    make_sqlite(tmp_path / "shop.sqlite")
    with shop_client(tmp_path, learned=False) as client:
        health = client.get("/api/health").json()
        assert (health["database"]["name"], health["database"]["tables"], health["learned"]) == (
            "shop",
            2,
            False,
        )


def test_many_queries_that_do_not_end_keep_nobody_else_waiting(tmp_path: Path) -> None:
    with running(tmp_path) as (client, state):
        asked = {"sql": ENDLESS, "seconds": 60}

        def ask() -> None:
            with (
                httpx.Client(base_url=client.base_url, headers=client.headers) as own,
                suppress(httpx.HTTPError),
            ):
                own.post("/api/run", json=asked, timeout=3.0)

        threads = [threading.Thread(target=ask) for _ in range(60)]
        for thread in threads:
            thread.start()
        wait_for(lambda: state.running >= QUERIES)
        assert client.get("/api/sessions", timeout=30).status_code == 200
        assert state.running <= QUERIES + 1  # it was answered while they ran, not after them
        for thread in threads:
            thread.join()
        wait_for(lambda: state.running == 0)  # those that waited for their turn are not run for nobody


def test_values_longer_than_memory_allows_cut_a_result(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlore.engines.base.MOST_TEXT", 10_000)
    sql = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 90) SELECT n, {} FROM r"
    cut = run(client, sql.format("hex(zeroblob(500))"))
    assert cut["truncated"]
    assert 10 <= cut["fetched"] < 30
    whole = run(client, sql.format("'a'"))
    assert (whole["fetched"], whole["truncated"]) == (90, False)


def test_files_have_every_byte_and_every_digit(tmp_path: Path) -> None:
    image, price, big = b"\x01" * 70_000, Decimal("12345678901234567.89"), 2**53 + 1
    rows = Rows(("image", "price", "mixed"), ((image, price, big), (None, Decimal(1), 0.5)), False, 0.0)
    write_csv(rows, tmp_path / "a.csv")
    csv.field_size_limit(1_000_000)
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as read:
        assert list(csv.reader(read))[1] == [f"0x{image.hex()}", str(price), str(big)]
    write_parquet(rows, tmp_path / "a.parquet")
    with duckdb.connect() as db:
        found = db.execute("SELECT * FROM read_parquet(?)", [str(tmp_path / "a.parquet")]).fetchall()
    assert found[0] == (f"0x{image.hex()}", price, str(big))


def test_numbers_that_are_none_are_sorted_last_among_numbers() -> None:
    values = [Decimal("NaN"), Decimal(2), None, Decimal(1)]
    kept = Results().keep("SELECT x", Rows(("x",), tuple((value,) for value in values), False, 0.0))
    assert [row[0] for row in page_of(kept, sort=0).rows] == [1, 2, "nan", None]
