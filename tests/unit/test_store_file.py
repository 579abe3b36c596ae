"""The store's file: made, opened, refused, and safe when the disk is not."""

from __future__ import annotations

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from sqlore.catalog import Catalog
from sqlore.errors import StoreError, StoreVersionError
from sqlore.knowledge import Store
from sqlore.knowledge.store import schema as store_schema
from sqlore.model import Schema, Table
from store_helpers import WordEmbedder, content, teach


def test_open_needs_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no knowledge store") as caught:
        Store.open(tmp_path / "none.sqlore")
    assert "sqlore learn" in (caught.value.hint or "")
    assert not (tmp_path / "none.sqlore").exists()


def test_what_is_written_is_there_when_opened_again(tmp_path: Path) -> None:
    saved = Catalog(Schema((Table("é", ()),))).to_json()
    path = tmp_path / "a.sqlore"
    with Store.create(path) as store:
        teach(store, "SELECT a FROM t WHERE b = 1")
        store.save_catalog(saved)
    with Store.open(path) as again:
        assert again.script(1).script.sql == "SELECT a FROM t WHERE b = 1"  # type: ignore[union-attr]
        assert again.catalog() == saved
        assert again.health(WordEmbedder()).ok
    with Store.create(path) as third:
        assert third.stats().scripts == 1


@pytest.mark.parametrize("junk", [b"hello, this is text", b"\x00" * 200, b"PK\x03\x04" + b"x" * 100])
def test_another_file_is_refused_and_left_alone(tmp_path: Path, junk: bytes) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(junk)
    for opened in (Store.open, Store.create):
        with pytest.raises(StoreError, match="not a knowledge store"):
            opened(path)
    assert path.read_bytes() == junk


def test_the_database_itself_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE orders (id)")
    db.close()
    before = path.read_bytes()
    for opened in (Store.open, Store.create):
        with pytest.raises(StoreError, match="not a knowledge store"):
            opened(path)
    assert path.read_bytes() == before


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="folder"):
        Store.create(tmp_path)


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened") as caught:
        Store.create(tmp_path / "no" / "such" / "a.sqlore")
    assert "folder" in (caught.value.hint or "")


def test_a_newer_store_is_refused_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlore"
    Store.create(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {store_schema.LATEST + 1}")
    db.close()
    before = path.read_bytes()
    for opened in (Store.open, Store.create):
        with pytest.raises(StoreVersionError, match=f"format {store_schema.LATEST + 1}") as caught:
            opened(path)
        assert "upgrade" in (caught.value.hint or "")
    assert path.read_bytes() == before


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sqlore"
    with Store.create(path) as store:
        teach(store, "SELECT 1")

    def broken(db: sqlite3.Connection) -> None:
        db.execute("CREATE TABLE half (a)")
        db.execute("INSERT INTO no_such_table VALUES (1)")

    with monkeypatch.context() as patch:
        patch.setattr(store_schema, "MIGRATIONS", [*store_schema.MIGRATIONS, broken])
        patch.setattr(store_schema, "LATEST", store_schema.LATEST + 1)
        with pytest.raises(StoreError):
            Store.open(path)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT name FROM sqlite_master WHERE name = 'half'").fetchall() == []
    with Store.open(path) as store:
        assert store.stats().scripts == 1


def test_a_later_migration_runs_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sqlore"
    Store.create(path).close()
    ran = []

    def later(db: sqlite3.Connection) -> None:
        ran.append(1)
        db.execute("CREATE TABLE more (a)")

    monkeypatch.setattr(store_schema, "MIGRATIONS", [*store_schema.MIGRATIONS, later])
    monkeypatch.setattr(store_schema, "LATEST", store_schema.LATEST + 1)
    Store.open(path).close()
    Store.open(path).close()
    assert ran == [1]


def test_a_full_disk_stores_whole_batches_only(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlore"
    store = Store.create(path)
    teach(store, "SELECT a FROM t")
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(StoreError, match="disk is full") as caught:
        teach(store, *(f"SELECT c{n}, '{'x' * 500}' FROM t{n}" for n in range(500)), batch=10)
    assert "goes on from there" in (caught.value.hint or "")
    left = store.stats().scripts
    assert left % 10 == 1
    assert store.health().ok
    store._db.execute("PRAGMA max_page_count = 100000")
    teach(store, *(f"SELECT c{n}, '{'x' * 500}' FROM t{n}" for n in range(500)), batch=10)
    assert store.stats().scripts == 501
    store.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to everything")
def test_a_read_only_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlore"
    Store.create(path).close()
    path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with Store.open(path, read_only=True) as store:
            assert store.stats().scripts == 0
    finally:
        tmp_path.chmod(0o755)


def test_read_only_reads_and_does_not_write(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlore"
    with Store.create(path) as store:
        teach(store, "SELECT a FROM t")
    with Store.open(path, read_only=True) as store:
        assert store.stats().scripts == 1
        with pytest.raises(StoreError, match="read-only"):
            store.set_meta(dialect="sqlite")


def test_a_damaged_file_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlore"
    with Store.create(path) as store:
        teach(store, *(f"SELECT c{n} FROM t{n}" for n in range(50)))
        store.compact()
    data = bytearray(path.read_bytes())
    data[4096:-4096] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    try:
        with Store.open(path) as store:
            said = " ".join(store.health().problems)
    except StoreError as error:
        said = error.message
    assert "damaged" in said or "not a knowledge store" in said


def test_a_failed_batch_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlore"
    store = Store.create(path)
    teach(store, "SELECT a FROM t")
    before = content(path)

    class Failing(WordEmbedder):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        teach(store, "SELECT b FROM t", embedder=Failing())
    assert content(path) == before
    store.close()


def test_threads_share_a_store(tmp_path: Path) -> None:
    faults: list[BaseException] = []
    with Store.create(tmp_path / "a.sqlore") as store:

        def read() -> None:
            try:
                for _ in range(20):
                    store.items()
                    store.stats()
            except BaseException as error:
                faults.append(error)

        readers = [threading.Thread(target=read) for _ in range(3)]
        for reader in readers:
            reader.start()
        teach(store, *(f"SELECT c{n} FROM t WHERE a = {n}" for n in range(60)), batch=5)
        for reader in readers:
            reader.join()
        assert faults == []
        assert store.stats().scripts == 60


def test_another_process_may_read_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlore"
    with Store.create(path) as writer, Store.open(path, read_only=True) as reader:
        teach(writer, "SELECT a FROM t")
        with writer._writing():
            assert reader.stats().scripts == 1
