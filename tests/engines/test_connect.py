"""Opening a database: every way to name one, and every way in which it can be wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sqlore.engines import Engine, connect
from sqlore.errors import ConnectError, SourceError, UsageError
from sqlore.history import read_history

Make = Callable[..., Path]
files = pytest.mark.parametrize("kind", ["sqlite", "duckdb"])


@files
def test_by_path_by_url_relative_and_absolute(
    make: Make, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path: Path = make()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for text in (
        str(path),
        path.name,
        f"{kind}:///{path.name}",
        f"{kind}:///{path}",
        f"~/{path.name}",
        f"{kind}:///~/{path.name}",
        f"{kind.upper()}+driver:///{path.name}",
    ):
        with connect(text) as engine:
            assert engine.dialect == kind
            assert engine.name == "shop"
            assert engine.run("SELECT count(*) FROM customer").rows == ((3,),)
        with connect(engine.url) as again:
            assert again.url == engine.url


@files
@pytest.mark.parametrize("name", ["a b", "a#b", "100%25", "日本", 'it\'s "quoted"'])
def test_file_names_with_odd_characters(make: Make, kind: str, name: str) -> None:
    path = make(name=name)
    with connect(f"{kind}:///{path}") as engine:
        assert engine.name == name
        assert engine.run("SELECT count(*) FROM customer").rows == ((3,),)


@files
def test_a_question_mark_in_a_file_name(make: Make, kind: str) -> None:
    path = make(name="a?b")
    if kind == "sqlite":
        with connect(str(path)) as engine:
            assert engine.run("SELECT count(*) FROM customer").rows == ((3,),)
    else:
        with pytest.raises(ConnectError) as caught:
            connect(str(path))
        assert "rename" in (caught.value.hint or "")


@files
def test_a_percent_encoded_url(make: Make, kind: str) -> None:
    path = make(name="a b")
    with connect(f"{kind}:///{str(path).replace(' ', '%20')}") as engine:
        assert engine.name == "a b"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("oracle://u@h/db", "oracle"),
        ("mssql+pyodbc://u@h/db", "mssql"),
        ("postgresql+asyncpg://u@h/db", "asyncpg"),
        ("postgresql://u@h:port/db", "cannot be read"),
        ("mysql://u@h/", "no database"),
        ("mysql://u@h/db?speed=high", "speed"),
        ("sqlite://", "no file"),
        ("sqlite:///", "no file"),
        ("sqlite://shop.db", "two slashes"),
        ("", "no database"),
        (":memory:", "not a file"),
        ("a\0b", "not a file"),
    ],
)
def test_urls_that_cannot_be(text: str, word: str) -> None:
    with pytest.raises(UsageError, match=word) as caught:
        connect(text)
    assert caught.value.hint


@files
def test_files_that_cannot_be(kind: str, tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    (tmp_path / "text.db").write_text("id,name\n1,Ann\n")
    (tmp_path / "junk.db").write_bytes(os.urandom(4096))
    for name, word in (
        ("missing.db", "does not exist"),
        ("no/such.db", "does not exist"),
        (".", "folder"),
        ("empty.db", "empty"),
        ("text.db", "not a"),
        ("junk.db", "not a"),
    ):
        for text in (str(tmp_path / name), f"{kind}:///{tmp_path / name}"):
            with pytest.raises(ConnectError, match=word) as caught:
                connect(text)
            assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("postgres//ann:secret@db.example/shop", "postgresql://USER@HOST"),
        ("postgresql:/ann:secret@db.example/shop", "postgresql://USER@HOST"),
        ("postgresql:ann:secret@db.example/shop", "postgresql://USER@HOST"),
        (" mariadb://ann:secret@db.example/shop", "mysql://USER@HOST"),
        ("MySQL+pymysql//ann:secret@db.example/shop", "mysql://USER@HOST"),
        ("mysql;//ann:secret@db.example/shop", "mysql://USER@HOST"),
        ("sqlite:/secret.sqlite", "sqlite:///file"),
        ("sqlite//secret.sqlite", "sqlite:///file"),
        ("duckdb:secret.duckdb", "duckdb:///file"),
    ],
)
def test_a_mistyped_url_is_told_from_a_file_and_its_password_is_not_told(text: str, right: str) -> None:
    for read in (connect, read_history):
        with pytest.raises((UsageError, SourceError), match="no URL of a database") as caught:
            read(text)
        assert right in (caught.value.hint or "")
        assert "secret" not in f"{caught.value} {caught.value.where}"


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_file_may_be_called_like_a_mistyped_url(
    make: Make, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path: Path = make()
    monkeypatch.chdir(path.parent)
    path.rename("sqlite:shop")
    with connect("sqlite:shop") as engine:
        assert engine.dialect == kind


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConnectError, match="ordinary file"):
        connect(str(tmp_path / "pipe"))


@files
def test_a_damaged_database(make: Make) -> None:
    path: Path = make()
    with path.open("r+b") as file:
        file.seek(24)
        file.write(b"\xff" * 4000)
    with pytest.raises(ConnectError) as caught:
        connect(str(path))
    assert caught.value.hint


@files
def test_the_wrong_url_says_the_right_one(make: Make, kind: str) -> None:
    path: Path = make()
    other = "duckdb" if kind == "sqlite" else "sqlite"
    with pytest.raises(ConnectError) as caught:
        connect(f"{other}:///{path}")
    assert caught.value.hint == f"use {kind}:///{path}"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read(make: Make) -> None:
    path: Path = make()
    path.chmod(0)
    with pytest.raises(ConnectError, match="cannot read"):
        connect(str(path))


def test_a_duckdb_file_that_another_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "held.duckdb"
    code = (
        "import duckdb, sys\n"
        f"connection = duckdb.connect({str(path)!r})\n"
        "connection.execute('CREATE TABLE t (x INTEGER)')\n"
        "connection.execute('CHECKPOINT')\n"
        "print('ready', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        with pytest.raises(ConnectError, match="cannot open") as caught:
            connect(str(path))
        assert "another process" in (caught.value.hint or "")
        process.communicate()


@files
def test_what_a_killed_writer_left_is_read(make: Make, kind: str) -> None:
    path: Path = make()
    code = (
        "import os, sqlite3, duckdb\n"
        f"connection = {'sqlite3' if kind == 'sqlite' else 'duckdb'}.connect({str(path)!r})\n"
        + ("connection.execute('PRAGMA journal_mode=WAL')\n" if kind == "sqlite" else "")
        + "connection.execute(\"INSERT INTO customer VALUES (4, 'Dan', 'Rome')\")\n"
        "connection.commit()\n"
        "os._exit(9)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
    with connect(str(path)) as engine:
        assert engine.run("SELECT count(*) FROM customer").rows == ((4,),)


def test_two_engines_on_one_file(make: Make) -> None:
    path: Path = make()
    with connect(str(path)) as one, connect(str(path)) as two:
        one.close()
        assert two.run("SELECT count(*) FROM customer").rows == ((3,),)


def test_names_are_quoted_as_the_database_reads_them(engine: Engine, kind: str) -> None:
    assert engine.quote('a"b`c') == ('`a"b``c`' if kind == "mysql" else '"a""b`c"')


@pytest.mark.parametrize(
    ("url", "missing", "extra"),
    [
        ("postgresql://ann@db.example/shop", "psycopg", "sqlore[postgres]"),
        ("mysql://ann@db.example/shop", "pymysql", "sqlore[mysql]"),
        ("mysql://ann@db.example/shop", "sqlalchemy", "sqlore[mysql]"),
    ],
)
def test_a_driver_that_is_not_installed(url: str, missing: str, extra: str) -> None:
    code = (
        "import sys\n"
        f"sys.modules[{missing!r}] = None\n"
        "from sqlore.engines import connect\n"
        "from sqlore.errors import UsageError\n"
        "try:\n"
        f"    connect({url!r})\n"
        "except UsageError as error:\n"
        "    print(error.report())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "not installed" in done.stdout
    assert f"pip install '{extra}'" in done.stdout
