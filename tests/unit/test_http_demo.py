"""The main job over HTTP on the demo's business: ask, look, correct, verify, and go on after a restart."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from fastapi.testclient import TestClient

import sqlore.workspace
from http_helpers import BASE, asked, heard
from sqlore.interfaces.http import create_app
from sqlore.llm import FunctionModel
from sqlore.workspace import Workspace
from store_helpers import WordEmbedder
from support import ROOT

DEMO = ROOT / "demo"
QUESTION = next(
    one
    for one in yaml.safe_load((DEMO / "questions.yaml").read_text(encoding="utf-8"))["questions"]
    if one.get("featured")
)


def opened(folder: Path) -> Workspace:
    """The demo's database and its history, as it was learned."""
    lore = sqlore.workspace.open(
        str(folder / "shop.sqlite"),
        home=folder / ".sqlore",
        model="none",
        dictionary=[DEMO / "dictionary.yaml"],
    )
    lore.__dict__["embedder"] = WordEmbedder()
    lore.__dict__["model"] = FunctionModel(lambda messages: f"```sql\n{QUESTION['sql']}\n```")
    return lore


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if str(DEMO) not in sys.path:
        sys.path.append(str(DEMO))
    made = importlib.import_module("make_data")
    home: Path = tmp_path_factory.mktemp("demo")
    made.write_sqlite(made.build(), home / "shop.sqlite")
    with opened(home) as lore:
        lore.learn(DEMO / "history")
    return home


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(create_app(opened(folder)), base_url=BASE) as found:
        yield found


def explained(client: TestClient, sql: str) -> tuple[Any, dict[str, Any]]:
    """An explanation and its figures by item; those of nodes by their node."""
    found = client.post("/api/explanations", json={"sql": sql}).json()
    job = client.post(f"/api/explanations/{found['id']}/figures", json={}).json()
    figures = [event["figure"] for event in heard(client, job) if event["event"] == "figure"]
    return found, {figure["item"] or figure["node"]: figure for figure in figures}


def test_an_analyst_asks_checks_corrects_one_piece_and_finds_it_again(
    folder: Path, client: TestClient
) -> None:
    draft = asked(client, QUESTION["question"])
    assert draft["status"] == "ready"
    assert draft["known"]["items"]
    assert "cited" in {one["status"] for one in draft["citations"]}

    found, figures = explained(client, draft["sql"])
    assert all(figures[node["id"]]["status"] == "done" for node in found["nodes"])
    for node in found["nodes"]:
        if node["sql"]:
            rows = client.post("/api/run", json={"sql": node["sql"], "rows": 100_000, "limit": 5})
            assert rows.status_code == 200, node["sql"]
    condition = next(
        item for node in found["nodes"] for item in node["items"]
        if item["kind"] == "condition" and item["number"] is not None
    )  # fmt: skip
    counts = figures[condition["id"]]["facts"]
    assert 0 <= counts["together"] <= counts["alone"] <= counts["total"]

    act = {"act": "off", "number": condition["number"]}
    proposal = client.post(f"/api/drafts/{draft['id']}/proposals", json=act).json()
    assert condition["sql"] in proposal["before"]
    kept = client.post(f"/api/drafts/{draft['id']}/proposals/{proposal['id']}/apply").json()
    assert kept["sql"] == proposal["after"] != draft["sql"]
    client.post(f"/api/drafts/{draft['id']}/undo")

    item = condition["citation"]["item"]
    if item is not None:
        client.post(f"/api/knowledge/{item}/trust", json={"trust": "verified", "who": "Ann"})
    with TestClient(create_app(opened(folder)), base_url=BASE) as again:
        restarted = again.get(f"/api/drafts/{draft['id']}").json()
        assert (restarted["sql"], restarted["can_redo"]) == (draft["sql"], True)
        if item is not None:
            assert again.get(f"/api/knowledge/{item}").json()["verified"]["who"] == "Ann"


def test_scripts_of_the_history_can_be_drafted_explained_and_judged(client: TestClient) -> None:
    client.patch("/api/dictionary", json={"table": "orders", "column": "gross_c", "sensitive": True})
    assert len(client.get("/api/dictionary").json()) == 12
    listed = client.get("/api/knowledge", params={"kind": "query", "limit": 1000}).json()["items"]
    drafted, concerned = 0, 0
    for one in listed[::6]:
        [script, *_] = client.get(f"/api/knowledge/{one['id']}").json()["scripts"]
        made = client.post("/api/drafts", json={"sql": script["sql"]})
        if made.status_code == 422:  # with placeholders of other tools it is knowledge, and does not run
            continue
        draft = made.json()
        drafted += 1
        computes = [c for c in draft["citations"] if "gross_c" in c["sql"] and c["kind"] == "calculation"]
        assert draft["trust"]["needs_confirmation"] or not computes, script["sql"]
        concerned += draft["trust"]["needs_confirmation"]
        assert {c["status"] for c in draft["citations"]} == {"cited"}, script["sql"]
        found = client.post("/api/explanations", json={"sql": draft["sql"]})
        assert found.json()["nodes"], script["sql"]
    assert drafted > 8
    assert concerned > 0
