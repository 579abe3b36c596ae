"""Made-up requests to every operation: no fault of the server, every error a problem, every answer JSON."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fastapi.testclient import TestClient

from http_fuzz import Call, Fuzzer
from http_helpers import shop_client

ROUNDS = int(os.environ.get("SQLORE_FUZZ", "4"))
SECONDS = 120  # an answer that takes so long never comes

#: Where what was made is found again: the path in front of its id.
MADE = {
    "/api/sessions": "/api/sessions/", "/api/drafts": "/api/drafts/", "/api/run": "/api/results/",
    "/api/explanations": "/api/explanations/", "/api/uploads": "/api/uploads/",
}  # fmt: skip


def in_time(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a function gives; `TimeoutError` where it never comes back."""
    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(work(*given, **named))
        except BaseException as error:
            found.set_exception(error)

    Thread(target=run, daemon=True).start()
    return found.result(timeout=SECONDS)


def sent(client: TestClient, call: Call) -> Any:
    headers = {"Content-Type": call.media} if call.body is not None else {}
    return in_time(
        client.request, call.method, call.path, params=call.query, content=call.body, headers=headers
    )


def body_of(response: Any) -> Any:
    """What an answer says; None where that is not JSON."""
    if response.headers.get("content-type", "") not in ("application/json", "application/problem+json"):
        return None
    try:
        return response.json()
    except ValueError:
        return None


def remembered(fuzzer: Fuzzer, call: Call, response: Any) -> None:
    """Ids that a request made are used by later ones."""
    found = body_of(response) if response.status_code in (200, 201, 202) else None
    if not isinstance(found, dict):
        return
    place = MADE.get(call.path) if call.method == "POST" else None
    if place and "id" in found:
        fuzzer.known.setdefault(place, []).append(found["id"])
    if call.path.endswith("/proposals") and "id" in found:
        fuzzer.known.setdefault(call.path + "/", []).append(found["id"])
        fuzzer.known.setdefault("/api/drafts/{id}/proposals/", []).append(found["id"])
    if response.status_code == 202 and "id" in found:
        fuzzer.known.setdefault("/api/jobs/", []).append(found["id"])
        if found.get("draft"):
            fuzzer.known.setdefault("/api/drafts/", []).append(found["draft"])


def wrong(call: Call, response: Any) -> str:
    """What is wrong with an answer; nothing where it is a promised one or a problem."""
    kind = response.headers.get("content-type", "")
    status = response.status_code
    if status < 400:
        empty = kind == "application/json" and body_of(response) is None
        return f"{status}: an answer that is no JSON" if empty and response.content != b"null" else ""
    if status == 500 or kind != "application/problem+json":
        return f"{status} {kind}: {response.text[:300]}"
    problem = response.json()
    if problem.get("status") != status or not problem.get("title") or not problem.get("type"):
        return f"{status}: a problem without its parts: {response.text[:300]}"
    return ""


@pytest.mark.parametrize("seed", [1, 2])
def test_made_up_requests_are_answered_or_refused_with_a_problem(tmp_path: Path, seed: int) -> None:
    with shop_client(tmp_path) as client:
        fuzzer = Fuzzer(client.get("/api/openapi.json").json(), seed)
        fuzzer.known = {"/api/knowledge/": [1, 2, 3], "/api/scripts/": [1, 2]}
        failures, counts = [], dict[int, int]()
        for call in fuzzer.calls(ROUNDS):
            response = sent(client, call)
            counts[response.status_code] = counts.get(response.status_code, 0) + 1
            remembered(fuzzer, call, response)
            what = wrong(call, response)
            if what:
                failures.append(f"{call.operation} {call.path} {call.query} {call.body!r:.200} -> {what}")
        assert not failures, "\n".join(failures)
        answered = sum(count for status, count in counts.items() if status < 300)
        assert answered > sum(counts.values()) / 10  # else nothing but the door was tried
        assert client.get("/api/health").status_code == 200


@pytest.mark.parametrize("last", ["1", "3", "99", "9" * 400, "\u00b2", "x", "-1"])
def test_whoever_comes_back_after_the_last_event_hears_the_end_at_once(tmp_path: Path, last: str) -> None:
    with shop_client(tmp_path) as client:
        job = client.post("/api/asks", json={"question": "revenue"}).json()
        first = in_time(client.get, f"/api/jobs/{job['id']}/events")
        count = first.text.count("event: ")
        assert count > 3
        headers = {"Last-Event-ID": last.encode("latin-1")}
        again = in_time(client.get, f"/api/jobs/{job['id']}/events", headers=headers)
        passed = int(last) if last in ("1", "3", "99") else 0
        assert again.text.count("event: ") == max(0, count - passed)
