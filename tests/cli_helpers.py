"""What tests of the command line share: a small shop in two engines, its history, and an endpoint."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pytest

from sqlore.interfaces.cli.app import run

TABLES = (
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, segment TEXT)",
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(id),"
    " amount REAL, status TEXT)",
    "INSERT INTO customer VALUES (1, 'Ann', 'ENT'), (2, 'Bob', 'SMB'), (3, 'Eve', 'ENT')",
    "INSERT INTO orders VALUES (1, 1, 10.5, 'P'), (2, 1, 20, 'R'), (3, 2, 5, 'P'), (4, 3, 7, 'P')",
)
REVENUE = (
    "SELECT SUM(o.amount) AS revenue FROM orders o JOIN customer c ON o.customer_id = c.id"
    " WHERE c.segment = 'ENT' AND o.status = 'P'"
)
#: The same as an answer has it: laid out.
LAID_OUT = (
    "SELECT SUM(o.amount) AS revenue\nFROM orders o\nJOIN customer c ON o.customer_id = c.id\n"
    "WHERE c.segment = 'ENT'\n  AND o.status = 'P'"
)
HISTORY = {
    "finance.sql": f"-- Revenue of enterprise customers\n{REVENUE};\n\nSELEKT a FRM t;\n",
    "sales/lists.sql": (
        "-- Orders of each customer, most first\n"
        "SELECT c.name, COUNT(*) FROM customer c LEFT JOIN orders o ON o.customer_id = c.id"
        " GROUP BY c.name ORDER BY COUNT(*) DESC LIMIT 3;\n"
        "-- refunded orders\nSELECT id FROM orders WHERE status = 'R';\n"
    ),
}


def make_sqlite(path: Path, statements: tuple[str, ...] = TABLES) -> Path:
    """A SQLite file made by these statements."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return path


def make_duckdb(path: Path, statements: tuple[str, ...] = TABLES) -> Path:
    """A DuckDB file made by these statements."""
    with duckdb.connect(str(path)) as db:
        for statement in statements:
            db.execute(statement)
    return path


def make_history(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A folder of scripts."""
    for name, text in (HISTORY if files is None else files).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


class Outcome(NamedTuple):
    """What a command left: its exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """stdout as the one JSON document that it must be."""
        return json.loads(self.out)


class Command:
    """Runs `sqlore ARGUMENTS` in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> Outcome:
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        said = self._capsys.readouterr()
        assert "Traceback" not in said.err, said.err
        assert code != 70, said.err
        return Outcome(code, said.out, said.err)


def fresh_shop(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """The working folder with the SQLite shop and its history, nothing learned yet."""
    make_sqlite(folder / "shop.sqlite")
    make_history(folder / "history")
    clean_environment(patch, folder)
    return folder


def clean_environment(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """An empty working folder, and no settings of the person who runs the tests.

    The model is asked, whatever was asked before: tests that are about that take `SQLORE_REUSE` away.
    """
    for name in list(os.environ):
        if name.startswith(("SQLORE_", "OPENAI_")) and name != "SQLORE_DATA":
            patch.delenv(name)
    patch.setenv("SQLORE_ALLOW_MODEL_REQUESTS", "0")
    patch.setenv("SQLORE_REUSE", "none")
    patch.setenv("XDG_CONFIG_HOME", str(folder / "no-settings"))
    patch.setenv("COLUMNS", "200")
    patch.chdir(folder)


class Endpoint:
    """An OpenAI-compatible server: gives `replies` in turn, the last one again and again.

    A reply is the text of the model, or `(status, body)` with the body as it is sent.
    """

    def __init__(self) -> None:
        self.replies: list[str | tuple[int, str]] = [""]
        self.requests: list[dict[str, Any]] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.requests.append(json.loads(body))
                reply = endpoint.replies.pop(0) if len(endpoint.replies) > 1 else endpoint.replies[0]
                status, text = (200, _completion(reply)) if isinstance(reply, str) else reply
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text.encode())))
                with contextlib.suppress(ConnectionError):
                    self.end_headers()
                    self.wfile.write(text.encode())

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(
            target=self._server.serve_forever, daemon=True, kwargs={"poll_interval": 0.02}
        ).start()

    @property
    def spec(self) -> str:
        """What `--model` takes."""
        return f"openai:small@http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _completion(text: str) -> str:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    answer = {"id": "1", "object": "chat.completion", "created": 1, "model": "small"}
    return json.dumps({**answer, "choices": [choice], "usage": usage})


@contextlib.contextmanager
def serving() -> Iterator[Endpoint]:
    """An endpoint that runs, closed at the end."""
    endpoint = Endpoint()
    try:
        yield endpoint
    finally:
        endpoint.close()
