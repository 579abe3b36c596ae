"""What tests of the HTTP API share: a learned shop, a model that is a function, and reading events."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import uvicorn
from fastapi.testclient import TestClient

import sqlore.workspace
from cli_helpers import REVENUE, make_history, make_sqlite
from sqlore.interfaces.http import create_app
from sqlore.interfaces.http.security import Access
from sqlore.interfaces.http.state import Served
from sqlore.llm import Answer, FunctionModel
from sqlore.model import Message
from store_helpers import WordEmbedder

BASE = "http://localhost:8642"
ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT COUNT(*) FROM c"
ANSWER = f"```sql\n{REVENUE}\n```"

#: Examples that another database is warmed up with, as the file of `training` has them.
TRAINING = """
database: school
ddl: |
  CREATE TABLE pupil (pupil_id INTEGER PRIMARY KEY, name TEXT, town TEXT, marks INTEGER);
pairs:
"""
PAIRS = (
    ("How many pupils live in Bree?", "SELECT COUNT(*) FROM pupil WHERE town = 'Bree'"),
    ("Who has the best marks?", "SELECT name FROM pupil ORDER BY marks DESC LIMIT 1"),
)

Says = Callable[[Sequence[Message]], "str | Answer"]


class Running(NamedTuple):
    """A client of a server that runs, and the server's state."""

    client: httpx.Client
    state: Served


@contextmanager
def shop_client(
    folder: Path,
    says: Says | Any = lambda messages: ANSWER,
    *,
    learned: bool = True,
    reuse: str = "none",
    access: Access | None = None,
    static: Path | None = None,
    base: str = BASE,
) -> Iterator[TestClient]:
    """A client of a server over the shop in `folder`, which is made where it is not there yet.

    `says` is what the model answers, or a model; it is asked what the history knows too, unless `reuse` says
    otherwise. Without `static` there is no web app, built or not.
    """
    if not (folder / "shop.sqlite").exists():
        make_sqlite(folder / "shop.sqlite")
        make_history(folder / "history")
    lore = sqlore.workspace.open(
        str(folder / "shop.sqlite"), home=folder / ".sqlore", model="none", reuse=reuse
    )
    lore.__dict__["embedder"] = WordEmbedder()
    lore.__dict__["model"] = FunctionModel(says) if callable(says) and not hasattr(says, "chat") else says
    if learned and not lore.learned:
        lore.learn(folder / "history")
    with TestClient(create_app(lore, access, static=static or folder / "no-app"), base_url=base) as client:
        yield client


def heard(client: TestClient, job: dict[str, Any], **headers: str) -> list[dict[str, Any]]:
    """All events of a job, to its end."""
    with client.stream("GET", f"/api/jobs/{job['id']}/events", headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        return events_of("".join(response.iter_text()))


def events_of(text: str) -> list[dict[str, Any]]:
    """The events of a stream; the name and the id of each are those of its data and place."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if not fields:
            continue
        event = json.loads(fields["data"])
        assert event["event"] == fields["event"]
        found.append({**event, "id": int(fields["id"])})
    return found


def asked(client: TestClient, question: str = "revenue of enterprise customers", **more: Any) -> Any:
    """The draft that a question became."""
    job = client.post("/api/asks", json={"question": question, **more})
    assert job.status_code == 202, job.text
    heard(client, job.json())
    return client.get(f"/api/drafts/{job.json()['draft']}").json()


@contextmanager
def running(folder: Path, says: Says | Any = lambda messages: ANSWER, **options: Any) -> Iterator[Running]:
    """A real server on a free port, and a client of it: for streams that are read and left on their way."""
    with shop_client(folder, says, **options) as inner, socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(16)
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
        config = uvicorn.Config(inner.app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        try:
            with httpx.Client(base_url=address, timeout=20, trust_env=False) as client:
                yield Running(client, inner.app.state.served)  # type: ignore[attr-defined]
        finally:
            server.should_exit = True
            thread.join(10)


def wait_for(true: Callable[[], Any]) -> None:
    """Waits until something is so; what never becomes so fails the test."""
    for _ in range(1000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it did not become so")


def state_of(client: TestClient) -> Served:
    """The state of the server that a client talks to."""
    served: Served = client.app.state.served  # type: ignore[attr-defined]
    return served


def warmed(client: TestClient, folder: Path, pairs: int = len(PAIRS), **options: Any) -> list[dict[str, Any]]:
    """Warms the server's database up with the first `pairs` of the training; the events of the job."""
    lines = [f"  - question: {question}\n    sql: {sql}\n" for question, sql in PAIRS[:pairs]]
    (folder / "school.yaml").write_text(TRAINING + "".join(lines), encoding="utf-8")
    lore = state_of(client).lore
    lore.settings = lore.settings.model_copy(update={"training": folder / "school.yaml"})
    job = client.post("/api/warm", json=options)
    assert job.status_code == 202, job.text
    return heard(client, job.json())
