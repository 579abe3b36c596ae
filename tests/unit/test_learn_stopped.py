"""A run of `learn` that does not come to its end: the next one reads what it did not keep."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cli_helpers import Command, fresh_shop, make_history
from sqlore.catalog import Entry
from sqlore.workspace import Workspace
from sqlore.workspace import open as open_workspace
from store_helpers import WordEmbedder

REFUNDED = "SELECT SUM(refunded) FROM refunds"
LEARN = ("learn", "--db", "shop.sqlite", "--history", "history")
KILLED = """
import os, signal, sys
from sqlore.workspace import open
def stop(stage, done, total):
    if stage == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)
with open("shop.sqlite") as lore:
    lore.learn("history", on_progress=stop)
"""


class Failing(WordEmbedder):
    """Fails with the first text."""

    def embed(self, texts: Sequence[str]) -> Any:
        raise RuntimeError("the embedder failed")


@pytest.fixture
def sqlore_(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fresh_shop(tmp_path, monkeypatch)


def opened() -> Workspace:
    return open_workspace("shop.sqlite")


def new_table(shop: Path) -> None:
    """The database gets a table, and the history a script that uses it."""
    with contextlib.closing(sqlite3.connect(shop / "shop.sqlite")) as db:
        db.execute("CREATE TABLE refunds (id INTEGER PRIMARY KEY, refunded REAL)")
        db.commit()
    make_history(shop / "history", {"refunds.sql": f"{REFUNDED};\n"})


def fail() -> None:
    """Stops a run where it embeds its first batch."""
    with opened() as lore:
        name, size = lore.embedder.name, lore.embedder.dimension
        failing = Failing(size)
        failing.name = name
        lore.__dict__["embedder"] = failing
        with pytest.raises(RuntimeError, match="the embedder failed"):
            lore.learn("history")


def kill(stage: str) -> None:
    """Kills a run with the first news of this stage."""
    done = subprocess.run([sys.executable, "-c", KILLED, stage], capture_output=True, text=True, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.parametrize("stage", ["embedding", "learning scripts", "reading columns"])
def test_the_next_run_reads_the_schema_again(shop: Path, sqlore_: Command, stage: str) -> None:
    assert sqlore_(*LEARN).code == 0
    new_table(shop)
    fail() if stage == "embedding" else kill(stage)
    with opened() as lore:
        lore.look_again()
        assert lore.catalog.schema.table("refunds") is not None
    assert sqlore_(*LEARN, "--json").json["new"] == (stage != "learning scripts")
    items = sqlore_("knowledge", "list", "--table", "refunds", "--json").json["items"]
    assert items
    assert not [item["skeleton"] for item in items if item["stale"]]
    assert sqlore_("explain", REFUNDED).code == 0


def test_a_first_run_that_was_killed(shop: Path, sqlore_: Command) -> None:
    kill("learning scripts")
    with opened() as lore:
        lore.look_again()
        new_table(shop)
        lore.look_again()
        assert lore.catalog.schema.table("refunds") is not None
    assert sqlore_(*LEARN).code == 0
    assert sqlore_("explain", REFUNDED).code == 0


def test_an_empty_file_of_the_store_last_learned_into(shop: Path, sqlore_: Command) -> None:
    assert sqlore_(*LEARN).code == 0
    assert sorted(file.name for file in (shop / ".sqlore").glob("current*")) == ["current"]
    (shop / ".sqlore/current").write_bytes(b"")
    listed = sqlore_("knowledge", "list")
    assert listed.code == 2
    assert "nothing has been learned here" in listed.err
    assert sqlore_(*LEARN).code == 0
    assert sqlore_("knowledge", "list").code == 0


def test_a_schema_from_elsewhere_is_not_that_of_the_database(shop: Path, sqlore_: Command) -> None:
    assert sqlore_(*LEARN).code == 0
    with opened() as lore:
        whole = lore.catalog.schema
        lore.learn("history", schema=type(whole)((whole.tables[0],), whole.name, whole.dialect))
        assert len(lore.catalog.schema.tables) == 1
    assert sqlore_(*LEARN).code == 0
    with opened() as lore:
        assert lore.catalog.schema == whole


def test_what_is_said_over_an_older_catalog(shop: Path, sqlore_: Command) -> None:
    assert sqlore_(*LEARN).code == 0
    with opened() as older:
        assert older.catalog.schema.table("refunds") is None
        new_table(shop)
        assert sqlore_(*LEARN).code == 0
        older.say(Entry("orders", "amount", name="turnover"))
    assert sqlore_(*LEARN).code == 0
    with opened() as lore:
        assert lore.catalog.schema.table("refunds") is not None
    items = sqlore_("knowledge", "list", "--table", "refunds", "--json").json["items"]
    assert not [item["skeleton"] for item in items if item["stale"]]
