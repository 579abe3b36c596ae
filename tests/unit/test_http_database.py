"""A server over a database that changes, is replaced or goes away; and what no operation answers."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import sqlore.engines.sqlite
from cli_helpers import TABLES, make_sqlite
from http_helpers import asked, heard, shop_client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path) as opened:
        yield opened


def change(folder: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / "shop.sqlite")) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


def run(client: TestClient, sql: str) -> Any:
    return client.post("/api/run", json={"sql": sql})


def tables(client: TestClient) -> list[str]:
    return [one["name"] for one in client.get("/api/dictionary").json()]


def test_tables_and_columns_are_those_that_the_database_has_now(client: TestClient, tmp_path: Path) -> None:
    assert run(client, "SELECT v FROM fresh").status_code == 422
    change(tmp_path, "CREATE TABLE fresh (v TEXT)", "INSERT INTO fresh VALUES ('new')")
    assert run(client, "SELECT v FROM fresh").json()["rows"] == [["new"]]
    assert "fresh" in tables(client)
    change(tmp_path, "ALTER TABLE fresh RENAME COLUMN v TO w")
    assert run(client, "SELECT w FROM fresh").json()["rows"] == [["new"]]
    assert run(client, "SELECT v FROM fresh").json()["kinds"][0] == "unknown-name"
    draft = client.post("/api/drafts", json={"sql": "SELECT w FROM fresh"})
    assert draft.status_code == 201
    explained = client.post("/api/explanations", json={"sql": "SELECT w FROM fresh"})
    assert explained.status_code == 200, explained.text
    change(tmp_path, "DROP TABLE fresh")
    refused = run(client, "SELECT w FROM fresh").json()
    assert (refused["kinds"][0], refused["detail"]) == ("unknown-name", "there is no table fresh")
    again = client.post("/api/explanations", json={"sql": "SELECT w FROM fresh"})
    assert (again.status_code, again.json()) == (422, refused)
    assert refused["position"] == len("SELECT w FROM ")
    assert client.get(f"/api/drafts/{draft.json()['id']}").json()["sql"] == "SELECT w FROM fresh"


def test_what_was_learned_and_said_outlives_a_change_of_the_database(
    client: TestClient, tmp_path: Path
) -> None:
    said = client.patch("/api/dictionary", json={"table": "orders", "description": "what people bought"})
    assert said.status_code == 200, said.text
    change(tmp_path, "CREATE TABLE fresh (v TEXT)", "ALTER TABLE orders ADD COLUMN note TEXT")
    assert asked(client)["status"] == "ready"
    found = client.get("/api/dictionary/table", params={"name": "orders"}).json()
    assert "what people bought" in str(found)
    assert "note" in str(found)


def test_a_database_that_is_only_written_is_not_read_again(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(client, "SELECT 1").status_code == 200
    looks = []
    read = sqlore.engines.sqlite.read_schema
    monkeypatch.setattr(sqlore.engines.sqlite, "read_schema", lambda *given: looks.append(1) or read(*given))
    for _ in range(5):
        assert run(client, "SELECT 1").status_code == 200
    assert not looks
    change(tmp_path, "INSERT INTO customer VALUES (9, 'Zoe', 'ENT')")
    for _ in range(5):
        assert run(client, "SELECT 1").status_code == 200
    assert len(looks) == 1


def test_a_file_that_is_gone_is_said_and_one_that_is_back_is_read(client: TestClient, tmp_path: Path) -> None:
    assert client.get("/api/health").json()["status"] == "ok"
    (tmp_path / "shop.sqlite").unlink()
    gone = client.get("/api/health").json()
    assert gone["status"] == "degraded"
    assert "shop.sqlite" in gone["problems"][0]
    assert run(client, "SELECT 1").status_code == 503
    assert tables(client) == ["customer", "orders"]
    make_sqlite(tmp_path / "shop.sqlite", (*TABLES, "CREATE TABLE other (x)"))
    assert client.get("/api/health").json()["status"] == "ok"
    assert run(client, "SELECT x FROM other").json()["rows"] == []


def test_a_file_that_was_replaced_is_the_one_that_is_learned_from(client: TestClient, tmp_path: Path) -> None:
    make_sqlite(tmp_path / "next.sqlite", (*TABLES, "CREATE TABLE other (x)"))
    (tmp_path / "next.sqlite").replace(tmp_path / "shop.sqlite")
    draft = client.post("/api/drafts", json={"sql": "SELECT x FROM other", "question": "all others"}).json()
    taught = client.post(f"/api/drafts/{draft['id']}/lessons", json={})
    assert taught.status_code in (200, 202), taught.text
    if taught.status_code == 202:
        heard(client, taught.json())
    assert "other" in tables(client)


@pytest.mark.parametrize("sql", ["SELECT 'a\0b'", "SELECT 1,\n \0 2", "SELECT 1 -- \0", "\0"])
def test_a_nul_is_refused_where_it_stands(client: TestClient, sql: str) -> None:
    for place in ("/api/drafts", "/api/run"):
        refused = client.post(place, json={"sql": sql})
        assert refused.status_code == 422, (place, refused.text)
        problem = refused.json()
        assert "NUL" in problem["detail"]
        assert problem["position"] == sql.index("\0")
        assert problem["line"] == sql.count("\n", 0, sql.index("\0")) + 1


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("HEAD", "/api/health", "GET"),
        ("OPTIONS", "/api/health", "GET"),
        ("POST", "/api/health", "GET"),
        ("OPTIONS", "/api/drafts", "GET, POST"),
        ("GET", "/api/run", "POST"),
        ("PUT", "/api/drafts/x", "DELETE, GET, PATCH"),
    ],
)
def test_another_method_is_told_which_there_are(
    client: TestClient, method: str, path: str, allow: str
) -> None:
    refused = client.request(method, path)
    assert (refused.status_code, refused.headers["allow"]) == (405, allow)
    assert refused.headers["content-type"] == "application/problem+json"


def test_an_address_that_is_none_is_not_found_by_any_method(client: TestClient) -> None:
    for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE"):
        assert client.request(method, "/api/nothing/here").status_code == 404


def test_a_store_that_was_deleted_or_replaced_is_let_go(client: TestClient, tmp_path: Path) -> None:
    def held() -> Any:
        return client.get("/api/health").json()["held"]

    draft = client.post("/api/drafts", json={"sql": "SELECT 1 + 1 AS two", "question": "two"}).json()
    before = held()
    (file,) = tmp_path.glob(".sqlore/*.sqlore")
    with contextlib.closing(sqlite3.connect(file)) as db:
        db.execute("VACUUM INTO ?", [str(tmp_path / "other")])
    for one in tmp_path.glob(".sqlore/*.sqlore*"):
        one.unlink()
    assert held() is None
    heard(client, client.post(f"/api/drafts/{draft['id']}/lessons", json={}).json())
    assert held()["scripts"] == 1
    for one in tmp_path.glob(".sqlore/*.sqlore-*"):
        one.unlink()
    (tmp_path / "other").replace(file)
    assert held() == before
    heard(client, client.post(f"/api/drafts/{draft['id']}/lessons", json={}).json())
    with contextlib.closing(sqlite3.connect(file)) as db:  # it is in the file that is there
        assert db.execute("SELECT COUNT(*) FROM scripts").fetchone()[0] == before["scripts"] + 1


def test_a_full_disk_is_said_and_loses_nothing(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = client.post("/api/drafts", json={"sql": "SELECT 1 AS one"}).json()
    with monkeypatch.context() as full:

        def no_room(*_: Any, **__: Any) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        for name in ("write_text", "replace", "mkdir"):
            full.setattr(Path, name, no_room)
        refused = client.put(f"/api/drafts/{draft['id']}/sql", json={"sql": "SELECT 2 AS two"})
        assert (refused.status_code, refused.json()["kinds"][0]) == (503, "store-error")
        sent = client.post("/api/uploads", params={"name": "a.sql"}, content=b"SELECT 1")
        assert (sent.status_code, sent.json()["title"]) == (507, "The disk is full")
        assert "No space left" in sent.json()["detail"]
    assert client.get(f"/api/drafts/{draft['id']}").json()["sql"] == "SELECT 1 AS one"


def test_views_may_have_dots_in_their_addresses(tmp_path: Path) -> None:
    app = tmp_path / "app"
    (app / "assets").mkdir(parents=True)
    (app / "index.html").write_text("the app", encoding="utf-8")
    with shop_client(tmp_path, static=app) as client:
        assert client.get("/dictionary/sales.orders").text == "the app"
        assert client.get("/dictionary/%3Cimg%20src%3Dx.png%3E").text == "the app"
        for missing in ("/assets/gone.js", "/favicon.ico", "/robots.txt"):
            assert client.get(missing).status_code == 404
