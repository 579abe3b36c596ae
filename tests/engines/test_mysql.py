"""What only MySQL and MariaDB have: files and variables from SELECT, their types, several databases."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

import servers
from sqlore.engines import Engine, connect
from sqlore.errors import ConnectError, QueryError, QueryTimeout, UnsafeSql
from sqlore.model import ForeignKey

ODD = (
    "CREATE TABLE p (id int PRIMARY KEY, twin int) COMMENT 'parents'",
    """CREATE TABLE t (id int PRIMARY KEY, p_id int, state enum('open', 'kept') COMMENT 'of the visit',
       flags set('x', 'y'), bits bit(3), doc json, raw blob, at datetime, day date, clock time, y year,
       price decimal(8, 2), ratio double, FOREIGN KEY (p_id) REFERENCES p (id))""",
    "INSERT INTO p VALUES (1, 2)",
    """INSERT INTO t VALUES (1, 1, 'open', 'x,y', b'101', '{"b": 1}', x'00ff', '2024-01-01 10:00:00',
       '2024-01-01', '10:11:12', 2020, 2.50, 0.5)""",
    "CREATE SEQUENCE counter",
    "CREATE FUNCTION writes() RETURNS int BEGIN INSERT INTO p VALUES (9, 9); RETURN 1; END",
)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with connect(servers.mysql().make(ODD, "odd")) as opened:
        yield opened


def test_comments_types_and_keys(engine: Engine) -> None:
    schema = engine.schema()
    assert [(table.schema, table.name) for table in schema.tables] == [(None, "p"), (None, "t")]
    p, t = schema.tables
    assert (p.comment, p.rows) == ("parents", 1)
    state = t.column("state")
    assert state is not None
    assert (state.type, state.comment) == ("enum('open','kept')", "of the visit")
    assert t.foreign_keys == (ForeignKey(("p_id",), "p", ("id",)),)


def test_other_databases_are_schemas_where_they_are_named() -> None:
    server = servers.mysql()
    server.make(["CREATE TABLE o (x int)"], "other")
    with connect(server.make(ODD, "odd") + "?schemas=odd,other") as engine:
        assert [(t.schema, t.name) for t in engine.schema().tables][-1] == ("other", "o")
        assert engine.run("SELECT x FROM other.o").rows == ()


def test_values_are_those_of_the_other_engines(engine: Engine) -> None:
    rows = engine.run("SELECT * FROM t")
    row: dict[str, Any] = dict(zip(rows.columns, rows.rows[0], strict=True))
    assert (row["state"], row["flags"], row["bits"], row["doc"]) == ("open", "x,y", 5, '{"b": 1}')
    assert (row["raw"], row["y"], row["price"], row["ratio"]) == (b"\x00\xff", 2020, Decimal("2.50"), 0.5)
    assert row["at"] == datetime.datetime(2024, 1, 1, 10)
    assert (row["day"], row["clock"]) == (datetime.date(2024, 1, 1), datetime.timedelta(seconds=36672))


@pytest.mark.parametrize(
    ("sql", "position", "line", "column"),
    [("SELECT id id id FROM t", 13, 1, 14), ("SELECT id\nFORM t x y", 15, 2, 6), ("SELECT (1", 9, 1, 10)],
)
def test_errors_say_where(engine: Engine, sql: str, position: int, line: int, column: int) -> None:
    with pytest.raises(QueryError) as caught:
        engine.run(sql)
    assert (caught.value.position, caught.value.line, caught.value.column) == (position, line, column)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 INTO OUTFILE '/tmp/x'",
        "SELECT id FROM t INTO DUMPFILE '/tmp/x'",
        "SELECT id INTO @x FROM t",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT `load_file`('/etc/passwd')",
        "SELECT GET_LOCK('a', 1)",
        "SELECT 1 /*!50000 INTO OUTFILE '/tmp/x' */",
        "SELECT 1 /*M! INTO OUTFILE '/tmp/x' */",
        "SELECT {#\n x 1}, load_file('/etc/passwd') AS #}\n y FROM t",
        "SELECT {#\n x 1} INTO OUTFILE '/tmp/x' FROM #}\n t",
        "SELECT id #> /*\n , load_file('/etc/passwd') -- */ 1\n FROM t",
        "SELECT writes()",
        "SELECT NEXTVAL(counter)",
        "SELECT id FROM t FOR UPDATE",
        "SELECT 1; DELETE FROM t",
        "COMMIT",
        "SET @x = 1",
        "SET SESSION TRANSACTION READ WRITE",
        "KILL 1",
        "DO SLEEP(1)",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
        "HANDLER t OPEN",
        "SHOW TABLES",
        "CALL writes()",
        "LOCK TABLES t WRITE",
        "CREATE TEMPORARY TABLE x (y int)",
    ],
)
def test_what_writes_or_changes_the_session_is_unsafe(engine: Engine, sql: str) -> None:
    with pytest.raises(UnsafeSql):
        engine.run(sql)
    assert engine.run("SELECT twin FROM p").rows == ((2,),)


def test_texts_that_look_unsafe_are_texts(engine: Engine) -> None:
    assert engine.run("SELECT 'into', \"; load_file(1)\" -- into").rows == (("into", "; load_file(1)"),)
    assert engine.run("SELECT 'it\\'s', 'a\\\\'").rows == (("it's", "a\\"),)


def test_quotes_are_read_as_the_check_reads_them() -> None:
    server = servers.mysql()
    url = server.make(ODD, "odd")
    server.run("", "SET GLOBAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,ORACLE'")
    try:
        with connect(url) as engine:
            assert engine.run("SELECT 'it\\'s', \"x\"").rows == (("it's", "x"),)
    finally:
        server.run("", "SET GLOBAL sql_mode = DEFAULT")


def test_sleep_is_stopped(engine: Engine) -> None:
    with pytest.raises(QueryTimeout):
        engine.run("SELECT SLEEP(20)", timeout=0.2)


def test_a_connection_that_was_lost_is_replaced(engine: Engine) -> None:
    own = engine.run("SELECT CONNECTION_ID()").rows[0][0]
    servers.mysql().run("", f"KILL CONNECTION {own}")
    assert engine.run("SELECT id FROM t").rows == ((1,),)


@pytest.mark.parametrize(
    ("change", "word", "hint"),
    [
        (("s3cret", "wrong"), "password is wrong", "SQLORE_DB_PASSWORD"),
        (("/odd", "/nope"), "no such database", "SHOW DATABASES"),
        (("127.0.0.1", "no-such-host.invalid"), "no host", "host"),
        (("/odd", "/odd?ssl_mode=required"), "TLS", "ssl_mode"),
    ],
)
def test_what_is_wrong_with_a_connection(change: tuple[str, str], word: str, hint: str) -> None:
    url = servers.mysql().make(ODD, "odd").replace(*change)
    with pytest.raises(ConnectError, match=word) as caught:
        connect(url)
    assert hint in (caught.value.hint or "")
    assert "cret" not in caught.value.report()


def test_the_password_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    server = servers.mysql()
    server.make(ODD, "odd")
    monkeypatch.setenv("SQLORE_DB_PASSWORD", servers.PASSWORD)
    with connect(server.shown("odd").replace("mysql:", "mariadb+pymysql:")) as engine:
        assert engine.url == server.shown("odd")


def test_what_was_asked_is_counted_by_the_server() -> None:
    from sqlore.history import read_history

    server = servers.mysql()
    url = server.make([*ODD, "CREATE TABLE asked (x int)"], "counted")
    server.run("counted", *(f"SELECT x FROM asked WHERE x IN ({n}, 2)" for n in range(3)))
    with connect(url) as engine:
        engine.schema()
    (found,) = read_history(url)
    assert (found.runs, found.database, found.dialect) == (3, "counted", "mysql")
    assert "`asked`" in found.sql
