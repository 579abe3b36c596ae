"""Running queries read-only: what every engine must do alike."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from sqlore.engines import Engine, connect
from sqlore.errors import EngineError, QueryError, QueryTimeout, SqloreError, UnsafeSql

Make = Callable[..., Any]
RUNAWAY = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
NUMBERS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {}) "
#: MariaDB ends a recursion after 1,000 steps without a word; it has tables of numbers.
ENDLESS = "SELECT count(*) FROM seq_1_to_10000000 AS a, seq_1_to_10000000 AS b WHERE a.seq + b.seq = 7"

WRITES = [
    "DELETE FROM orders",
    "INSERT INTO customer VALUES (9, 'Eve', 'Bonn')",
    "UPDATE orders SET total = 0",
    "DROP TABLE orders",
    "CREATE TABLE copy AS SELECT 1 AS x",
    "CREATE TEMP TABLE copy AS SELECT 1 AS x",
    "CREATE VIEW v AS SELECT 1 AS x",
    "ALTER TABLE orders ADD COLUMN x INTEGER",
    "ATTACH 'other.db' AS other",
    "BEGIN",
    "VACUUM",
    "ANALYZE",
]


def test_rows_and_columns(engine: Engine) -> None:
    rows = engine.run("SELECT name, city FROM customer ORDER BY id")
    assert rows.columns == ("name", "city")
    assert rows.rows == (("Ann", "Oslo"), ("Bob", None), ("Cai", "Graz"))
    assert rows.truncated is False
    assert rows.seconds >= 0


@pytest.mark.parametrize(
    "sql",
    [
        "/* note */ SELECT 1",
        "-- why\nWITH x AS (SELECT 1) SELECT * FROM x",
        "SELECT 1;",
        "SELECT 1; -- that is all",
        "VALUES (1)",
        "SELECT count(*) FROM (SELECT 1 UNION ALL SELECT 1) AS u WHERE ';' = ';' HAVING count(*) = 2"
        " ORDER BY 1 - 1 LIMIT 1",
    ],
)
def test_queries_in_any_dress_run(engine: Engine, sql: str) -> None:
    assert len(engine.run(sql).rows) == 1


def test_a_query_without_rows_still_has_columns(engine: Engine) -> None:
    rows = engine.run("SELECT id, name FROM customer WHERE id = 99")
    assert (rows.columns, rows.rows, rows.truncated) == (("id", "name"), (), False)


@pytest.mark.parametrize("sql", WRITES)
def test_everything_but_reading_is_refused(engine: Engine, sql: str) -> None:
    before = engine.fingerprint()
    with pytest.raises(UnsafeSql):
        engine.run(sql)
    assert engine.fingerprint() == before
    assert engine.run("SELECT count(*) FROM orders").rows == ((3,),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; DROP TABLE orders",
        "SELECT 1; -- note\n/* more */ DELETE FROM orders",
        "SELECT 1; SELECT 2",
    ],
)
def test_one_statement_only(engine: Engine, sql: str) -> None:
    with pytest.raises(UnsafeSql, match="one statement"):
        engine.run(sql)
    assert engine.run("SELECT count(*) FROM orders").rows == ((3,),)


def test_a_delete_inside_a_query_writes_nothing(engine: Engine) -> None:
    with pytest.raises(SqloreError):
        engine.run("WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d")
    assert engine.run("SELECT count(*) FROM orders").rows == ((3,),)


@pytest.mark.parametrize("sql", ["", "   ", "-- only a comment", ";"])
def test_nothing_to_run(engine: Engine, sql: str) -> None:
    with pytest.raises(QueryError):
        engine.run(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT , FROM orders",
        "SELEKT a FRM t",
        "SELECT nope FROM orders",
        "SELECT ?",
        "SELECT 'a\0b' , (",
        "SELECT '\udc80'",
    ],
    ids=range(6),
)
def test_what_the_database_refuses(engine: Engine, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        engine.run(sql)
    assert str(caught.value)
    assert engine.run("SELECT 1").rows == ((1,),)


def test_deep_brackets_are_run_or_refused(engine: Engine) -> None:
    rows: tuple[object, ...] = ((1,),)
    with suppress(QueryError):
        rows = engine.run("SELECT " + "(" * 5000 + "1" + ")" * 5000).rows
    assert rows == ((1,),)
    assert engine.run("SELECT 1").rows == ((1,),)


def test_the_row_limit(engine: Engine) -> None:
    whole = engine.run("SELECT id FROM customer", limit=3)
    assert (len(whole.rows), whole.truncated) == (3, False)
    cut = engine.run("SELECT id FROM customer", limit=2)
    assert (len(cut.rows), cut.truncated) == (2, True)
    none = engine.run("SELECT id FROM customer", limit=0)
    assert (none.rows, none.truncated) == ((), True)


def test_ten_million_rows_are_not_held(engine: Engine, kind: str) -> None:
    sources = {
        "duckdb": "SELECT range AS n, {} FROM range(10000000)",
        "mysql": "SELECT seq AS n, {} FROM seq_1_to_10000000",
    }
    query = sources.get(kind, NUMBERS.format(10_000_000) + "SELECT n, {} FROM r")
    rows = engine.run(query.format("'some text that takes room' AS x"), limit=5)
    assert len(rows.rows) == 5
    assert rows.truncated


CROSS = NUMBERS.format(100_000) + "SELECT count(*) FROM r a, r b, r c WHERE a.n + b.n + c.n = 7"


@pytest.mark.parametrize("sql", [RUNAWAY, CROSS], ids=["recursion", "cross join"])
def test_a_runaway_is_stopped_and_the_connection_lives(engine: Engine, kind: str, sql: str) -> None:
    with pytest.raises(QueryTimeout, match=r"0\.2 s"):
        engine.run(ENDLESS if kind == "mysql" else sql, timeout=0.2)
    assert engine.run("SELECT count(*) FROM orders").rows == ((3,),)


def test_interrupt_from_another_thread(engine: Engine, kind: str) -> None:
    stopped = threading.Event()

    def stop() -> None:
        while not stopped.wait(0.02):
            engine.interrupt()

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        with pytest.raises(QueryError, match="interrupted"):
            engine.run(ENDLESS if kind == "mysql" else RUNAWAY, timeout=30)
    finally:
        stopped.set()
        thread.join()
    engine.interrupt()
    assert engine.run("SELECT 1").rows == ((1,),)


def test_two_threads_share_an_engine(engine: Engine) -> None:
    found: list[int] = []

    def ask() -> None:
        found.extend(engine.run("SELECT count(*) FROM orders").rows[0][0] for _ in range(20))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [3] * 80


def test_a_time_limit_does_not_outlive_its_query(engine: Engine) -> None:
    engine.run("SELECT 1", timeout=0.05)
    time.sleep(0.1)
    assert engine.run("SELECT count(*) FROM orders").rows == ((3,),)


def test_closed(engine: Engine) -> None:
    engine.close()
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        engine.run("SELECT 1")
    with pytest.raises(EngineError, match="closed"):
        engine.schema()


def test_the_fingerprint_follows_the_file(make: Make) -> None:
    path = make()
    with connect(str(path)) as first:
        before = first.fingerprint()
        assert first.fingerprint() == before
    again = make(["CREATE TABLE more (x INTEGER)"], "shop")
    assert again == path
    with connect(str(path)) as second:
        assert second.fingerprint() != before


def test_names_that_need_quotes(make: Make, kind: str) -> None:
    names = ['a"b', "from", "Free Meal Count (K-12)", "日本", "x'y", "a;b", "a`b", "100%"]
    names += [] if kind == "mysql" else ["😀", " "]  # which MySQL has no names for
    mark = "`" if kind == "mysql" else '"'
    quoted = ", ".join(mark + name.replace(mark, mark * 2) + f"{mark} INTEGER" for name in names)
    path = make([f"CREATE TABLE {mark}Order-table{mark} ({quoted})"], "odd")
    with connect(str(path)) as engine:
        assert [column.name for column in engine.schema().tables[0].columns] == names
        columns = ", ".join(engine.quote(name) for name in names)
        rows = engine.run(f"SELECT {columns} FROM {engine.quote('Order-table')}")
        assert rows.columns == tuple(names)


def test_control_c_stops_a_query(make: Make, kind: str) -> None:
    code = (
        "import os, signal, threading, sys\n"
        # whoever runs the tests in the background has Ctrl-C ignored, and so would this process
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from sqlore.engines import connect\n"
        f"engine = connect({str(make())!r})\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        f"    engine.run({ENDLESS if kind == 'mysql' else RUNAWAY!r}, timeout=60)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', engine.run('SELECT count(*) FROM orders').rows)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "stopped ((3,),)\n"
