"""A store whose file is damaged: said as such, with its path and what to do, never as a fault of sqlore."""

from __future__ import annotations

import contextlib
import json
import random
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest

from cli_helpers import Command, fresh_shop, make_history
from sqlore.errors import SqloreError
from sqlore.knowledge import Store

LEARN = ("learn", "--db", "shop.sqlite", "--history", "history")
RETRIEVE = ("retrieve", "revenue of enterprise customers")
DAMAGES: dict[str, tuple[str, Any]] = {
    "a catalog of other bytes": ("UPDATE meta SET value = ? WHERE key = 'catalog'", b"x" * 80),
    "a catalog of text": ("UPDATE meta SET value = ? WHERE key = 'catalog'", "{}"),
    "a catalog without a schema": (
        "UPDATE meta SET value = ? WHERE key = 'catalog'",
        zlib.compress(json.dumps({"dictionary": []}).encode()),
    ),
    "a catalog that is no JSON": ("UPDATE meta SET value = ? WHERE key = 'catalog'", zlib.compress(b"{")),
    "a dimension of another length": ("UPDATE meta SET value = ? WHERE key = 'dimension'", "7"),
    "a dimension that is no number": ("UPDATE meta SET value = ? WHERE key = 'dimension'", "many"),
    "literals that are no JSON": ("UPDATE fragments SET literals = ? WHERE literals IS NOT NULL", "[\\"),
    "a description of other bytes": ("UPDATE items SET description = CAST(? AS TEXT)", b"\xff\xfe\x1b[31m"),
    "aliases that are no text": ("UPDATE items SET aliases = ?", b"\x00\xff"),
}


@pytest.fixture
def sqlore_(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The store of the shop, learned, and a history that has more."""
    shop = fresh_shop(tmp_path, monkeypatch)
    learned = Path(Command(capsys)(*LEARN, "--json").json["store"])
    make_history(shop / "history", {"new.sql": "SELECT MAX(amount) FROM orders WHERE status = 'P';"})
    return learned


@pytest.mark.parametrize("damage", DAMAGES)
def test_content_that_cannot_be_read(store: Path, sqlore_: Command, damage: str) -> None:
    statement, value = DAMAGES[damage]
    with contextlib.closing(sqlite3.connect(store)) as db:
        db.execute(statement, (value,))
        db.commit()
    read = sqlore_(*RETRIEVE)
    assert read.code == 2, read
    assert store.name in read.err
    assert "\x1b" not in read.err
    assert ("doctor" in read.err and "backup" in read.err) or "--reembed" in read.err
    assert sqlore_(*LEARN).code in (0, 2)
    findings = {f["name"]: f for f in sqlore_("doctor", "--db", "shop.sqlite", "--json").json["findings"]}
    assert findings["store"]["ok"] is False
    assert findings["store"]["hint"]
    assert findings["database"]["ok"] is True


def test_the_database_is_not_what_is_damaged(store: Path, sqlore_: Command) -> None:
    whole = store.read_bytes()
    store.write_bytes(whole[:2048] + b"\xff" * (len(whole) - 2048))
    for named in ((), ("--db", "shop.sqlite")):
        findings = {f["name"]: f for f in sqlore_("doctor", *named, "--json").json["findings"]}
        assert findings["store"]["ok"] is False
        assert findings["database"]["ok"] is (True if named else None)
        assert "damaged" not in findings["database"]["detail"]


def test_bytes_that_changed_anywhere(store: Path) -> None:
    with Store.open(store) as opened:
        opened.compact()
    whole, chance = store.read_bytes(), random.Random(5)
    for number in range(60):
        torn = bytearray(whole)
        # the names of tables and columns are in the first page and in those behind it
        start = chance.randrange(1024, len(torn) - 64 if number % 2 else 16_384)
        torn[start : start + 64] = chance.randbytes(64)
        store.write_bytes(torn)
        with contextlib.suppress(SqloreError), Store.open(store) as opened:
            for read in (opened.health, opened.items, opened.scripts, opened.uses, opened.saved_catalog):
                with contextlib.suppress(SqloreError):
                    read()
