"""The app over HTTP: how things stand, settings, the event log; its OpenAPI document; `sqlore serve`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from cli_helpers import Command, fresh_shop, make_sqlite
from http_helpers import ENDLESS, asked, heard, shop_client
from sqlore.config import Settings
from sqlore.interfaces.http.contract_jobs import event_of
from support import ROOT


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with shop_client(tmp_path) as opened:
        yield opened


# ------------------------------------------------------------------ settings and switches


def test_settings_are_told_with_what_they_may_be(client: TestClient) -> None:
    found = {one["name"]: one for one in client.get("/api/settings").json()}
    assert set(found) == set(Settings.model_fields)
    assert (found["row_limit"]["value"], found["row_limit"]["minimum"], found["row_limit"]["type"]) == (
        200, 1, "int",
    )  # fmt: skip
    assert found["narrow_schema"]["choices"] == ["off", "auto", "always"]
    assert not found["model"]["changeable"]


def test_a_changed_setting_counts_at_once_and_after_a_restart(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        changed = client.patch("/api/settings", json={"values": {"row_limit": 3}}).json()
        assert next(one for one in changed if one["name"] == "row_limit")["changed"]
        found = client.post("/api/run", json={"sql": "SELECT id FROM orders"}).json()
        assert (found["fetched"], found["truncated"]) == (3, True)
    with shop_client(tmp_path) as client:
        assert client.post("/api/run", json={"sql": "SELECT id FROM orders"}).json()["fetched"] == 3


@pytest.mark.parametrize(
    "values", [{"row_limit": 0}, {"row_limit": "many"}, {"model": "openai:x@http://evil.example"},
               {"api_key": "x"}, {"db": "/etc/passwd"}, {"home": "/"}, {"mask": False}, {"nothing": 1}],
)  # fmt: skip
def test_what_decides_where_data_goes_cannot_be_changed_from_a_page(client: TestClient, values: Any) -> None:
    before = client.get("/api/settings").json()
    assert client.patch("/api/settings", json={"values": values}).status_code == 422
    assert client.get("/api/settings").json() == before


def test_a_key_is_never_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLORE_API_KEY", "sk-very-secret")
    with shop_client(tmp_path) as client:
        for path in ("/api/settings", "/api/health", "/api/openapi.json"):
            assert "sk-very-secret" not in client.get(path).text


def test_nothing_is_logged_until_it_is_switched_on(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        event = {"phase": "structure", "action": "open script view", "detail": {"node": "main"}}
        assert client.post("/api/events", json=event).status_code == 204
        asked(client)
        assert client.get("/api/events").json() == []
        assert not (tmp_path / ".sqlore" / "events.jsonl").exists()
        client.patch("/api/app", json={"logging": True, "user": "Ann"})
        draft = asked(client, "secret question")["id"]
        client.post("/api/events", json=event | {"draft": draft})
        client.post("/api/run", json={"sql": "SELECT 1", "draft": draft, "node": "main"})
        told = client.get("/api/events", params={"draft": draft}).json()
        assert [(one["phase"], one["action"]) for one in told] == [
            ("prompting", "ask"), ("structure", "open script view"), ("inspection", "run"),
        ]  # fmt: skip
        lines = client.get("/api/events/export").text.splitlines()
        assert json.loads(lines[0])["detail"]["question"] == "secret question"
        assert client.get("/api/app").json() == {"baseline": False, "logging": True, "user": "Ann"}
        client.delete("/api/events")
        assert client.get("/api/events").json() == []
        assert client.post("/api/events", json=event | {"phase": "sleeping"}).status_code == 422


def test_an_event_with_another_end_of_line_in_it_is_read(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        client.patch("/api/app", json={"logging": True})
        event = {"phase": "prompting", "action": "type", "detail": {"text": "a\u2028b\x85c\nd"}}
        assert client.post("/api/events", json=event).status_code == 204
        assert client.get("/api/events").json()[-1]["detail"] == event["detail"]


def test_an_event_of_a_draft_says_how_that_draft_was_asked(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        client.patch("/api/app", json={"logging": True})
        draft = asked(client, baseline=True)
        client.post("/api/events", json={"phase": "structure", "action": "flow", "draft": draft["id"]})
        client.post("/api/events", json={"phase": "other", "action": "away"})
        events = client.get("/api/events").json()
        assert {one["baseline"] for one in events if one["draft"] == draft["id"]} == {True}
        assert not events[-1]["baseline"]


def test_health_names_what_keeps_it_from_working(tmp_path: Path) -> None:
    with shop_client(tmp_path) as client:
        health = client.get("/api/health").json()
        assert (health["status"], health["problems"], health["model"]) == ("ok", [], "function")
        assert health["held"]["by_kind"]["condition"] == 2
        assert "history" in health["strategies"]
        (tmp_path / ".sqlore" / "serve.json").write_text("{ half")
    with shop_client(tmp_path) as client:
        assert client.get("/api/app").json()["baseline"] is False


# ------------------------------------------------------------------ the contract


@pytest.fixture
def document(client: TestClient) -> Any:
    return client.get("/api/openapi.json").json()


def operations(document: Any) -> Iterator[tuple[str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_every_operation_is_named_once_and_described(document: Any) -> None:
    names = [operation["operationId"] for _, operation in operations(document)]
    assert len(names) == len(set(names)) > 50
    for name, operation in operations(document):
        assert operation["description"], name
        assert operation["tags"], name
        problem = operation["responses"]["default"]["content"]
        assert list(problem) == ["application/problem+json"], name
        assert "422" not in operation["responses"], name


def test_every_answer_has_a_model(document: Any) -> None:
    files = {"run_export", "app_export_events"}
    for name, operation in operations(document):
        [status] = [one for one in operation["responses"] if one.startswith("2")]
        if status == "204" or operation["operationId"] in files:
            continue
        for media, content in operation["responses"][status]["content"].items():
            assert content["schema"], (name, media)


def test_models_are_described_and_events_are_told_apart(document: Any) -> None:
    schemas = document["components"]["schemas"]
    assert "HTTPValidationError" not in schemas
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []
    events = document["paths"]["/api/jobs/{id}/events"]["get"]["responses"]["200"]["content"]
    assert list(events) == ["text/event-stream"]
    told = json.dumps(events)
    for event in ("stage", "token", "known", "draft", "figure", "proposal", "learned", "problem", "end"):
        assert f'"{event}":' in told


def test_every_event_that_is_sent_is_one_of_the_contract(client: TestClient) -> None:
    job = client.post("/api/asks", json={"question": "revenue"}).json()
    for event in heard(client, job):
        event.pop("id")
        assert event_of(json.dumps(event)).model_dump(mode="json") == event


# ------------------------------------------------------------------ the command


def test_serve_prints_its_address_answers_and_ends(tmp_path: Path) -> None:
    make_sqlite(tmp_path / "shop.sqlite")
    start = "from sqlore.interfaces.cli import main; raise SystemExit(main())"
    command = [sys.executable, "-c", start, "serve", "--db", "shop.sqlite", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "XDG_CONFIG_HOME": str(tmp_path)}
    with subprocess.Popen(
        [*command, "--model", "none", "--token", "a-long-enough-token"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            with httpx.Client(follow_redirects=True, trust_env=False, timeout=30) as client:
                assert "not built here" in client.get(address).text or "<script" in client.get(address).text
                api = address.partition("?")[0] + "api"
                assert client.get(f"{api}/health").json()["database"]["name"] == "shop"
                sql = f"SELECT name FROM customer WHERE id > ({ENDLESS})"
                found = client.post(f"{api}/explanations", json={"sql": sql}).json()
                job = client.post(f"{api}/explanations/{found['id']}/figures", json={"seconds": 600}).json()
                with client.stream("GET", f"{api}/jobs/{job['id']}/events") as stream:
                    parts = stream.iter_text()
                    assert "event: figure" in next(parts)
                    server.send_signal(signal.SIGINT)
                    assert "event: end" in "".join(parts)
            _, said = server.communicate(timeout=30)
        finally:
            server.kill()
    assert server.returncode in (0, 130)
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--host", "not-a-host.invalid"], "cannot listen"),
        (["--token", "short"], "too short"),
        (["--db", "gone.sqlite"], "gone.sqlite"),
    ],
)
def test_serve_says_what_keeps_it_from_starting(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fresh_shop(tmp_path, monkeypatch)
    outcome = Command(capsys)("serve", "--db", "shop.sqlite", *arguments)
    assert outcome.code == 2
    assert said in outcome.err
