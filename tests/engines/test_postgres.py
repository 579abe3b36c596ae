"""What only PostgreSQL has: schemas, enums, arrays, rights, positions of errors, a connection lost."""

from __future__ import annotations

import datetime
import threading
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

import servers
from sqlore.engines import Engine, connect
from sqlore.errors import ConnectError, QueryError, QueryTimeout, UnsafeSql
from sqlore.model import ForeignKey
from sqlore.passwords import also_known_as, without_password

ODD = (
    "CREATE SCHEMA s1",
    "CREATE TYPE appointment AS ENUM ('open', 'kept')",
    "CREATE DOMAIN positive AS integer CHECK (value > 0)",
    "CREATE TABLE s1.t (id integer PRIMARY KEY, twin integer)",
    """CREATE TABLE t (id integer PRIMARY KEY REFERENCES s1.t, state appointment, states appointment[],
       n positive, tags text[], doc jsonb, uid uuid, raw bytea, at timestamptz, day date, price numeric(8, 2),
       ratio double precision, span interval, range int4range, flag boolean, bits bit(3))""",
    "CREATE TABLE sold (day date, amount integer) PARTITION BY RANGE (day)",
    "CREATE TABLE sold_2024 PARTITION OF sold FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')",
    "INSERT INTO sold VALUES ('2024-05-01', 3)",
    "CREATE MATERIALIZED VIEW s1.m AS SELECT 1 AS x",
    "CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA s1",
    "COMMENT ON TABLE t IS 'things'",
    "COMMENT ON COLUMN t.price IS 'in euro'",
    "COMMENT ON VIEW s1.pg_stat_statements IS 'not ours'",
    "INSERT INTO s1.t VALUES (1, 2)",
    """INSERT INTO t VALUES (1, 'open', '{open,kept}', 5, '{a,NULL}', '{"b": [1]}',
       '3f333df6-90a4-4fda-8dd3-9485d27cee36', '\\x00ff', '2024-01-01 10:00+02', 'infinity', 'NaN',
       '-Infinity', '1 day 2 seconds', '[1,3)', true, '101')""",
    "CREATE SEQUENCE counter",
    "CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO s1.t VALUES (9, 9) RETURNING 1'",
)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with connect(servers.postgres().make(ODD, "odd")) as opened:
        yield opened


def test_schemas_comments_enums_and_what_is_not_the_users(engine: Engine) -> None:
    schema = engine.schema()
    found = {(table.schema, table.name): table for table in schema.tables}
    assert set(found) == {(None, "t"), (None, "sold"), ("s1", "t"), ("s1", "m")}
    t = found[None, "t"]
    assert schema.table("t") is t
    assert (t.comment, t.rows, t.foreign_keys) == ("things", 1, (ForeignKey(("id",), "s1.t", ("id",)),))
    kinds = {column.name: column.type for column in t.columns}
    assert (kinds["state"], kinds["n"], kinds["tags"]) == ("enum appointment", "integer", "text[]")
    price = t.column("price")
    assert price is not None
    assert (price.type, price.comment) == ("numeric(8,2)", "in euro")
    assert found["s1", "m"].is_view


def test_only_the_schemas_that_are_named() -> None:
    with connect(servers.postgres().make(ODD, "odd") + "?schemas=s1") as engine:
        assert {(one.schema, one.name) for one in engine.schema().tables} == {(None, "t"), (None, "m")}
        schema = engine.schema()
        assert schema.table("s1.t") is schema.table("t")
        assert engine.url.endswith("/odd?schemas=s1")


def test_a_search_path_of_the_role_is_kept_and_fixed() -> None:
    server = servers.postgres()
    with connect(server.make(ODD, "odd") + "?options=-csearch_path%3Ds1,public") as engine:
        assert engine.run("SELECT twin FROM t").rows == ((2,),)
        engine.run("SELECT set_config('search_path', 'public', false)")
        assert engine.run("SELECT twin FROM t").rows == ((2,),)
        assert engine.schema().table("s1.t") is not None


def test_values_are_those_of_the_other_engines(engine: Engine) -> None:
    rows = engine.run("SELECT * FROM t")
    row: dict[str, Any] = dict(zip(rows.columns, rows.rows[0], strict=True))
    assert (row["state"], row["states"], row["tags"]) == ("open", ["open", "kept"], ["a", None])
    assert (row["doc"], row["raw"], row["range"], row["bits"]) == ('{"b": [1]}', b"\x00\xff", "[1,3)", "101")
    assert row["uid"] == uuid.UUID("3f333df6-90a4-4fda-8dd3-9485d27cee36")
    assert row["at"] == datetime.datetime(2024, 1, 1, 8, tzinfo=datetime.UTC)
    assert (row["day"], row["span"]) == ("infinity", datetime.timedelta(days=1, seconds=2))
    assert isinstance(row["price"], Decimal)
    assert row["price"].is_nan()
    assert row["ratio"] == float("-inf")
    assert row["flag"] is True
    assert engine.run("SELECT date '0044-03-15 BC', time '24:00', 1.50::numeric").rows == (
        ("0044-03-15 BC", "24:00:00", Decimal("1.50")),
    )


@pytest.mark.parametrize(
    ("sql", "position", "line", "column", "word"),
    [
        ("SELECT nope FROM t", 7, 1, 8, "nope"),
        ("SELECT id,\n  'é', nope FROM t", 18, 2, 8, "nope"),
        ("SELECT 'x'::integer", 7, 1, 8, "integer"),
        ("SELECT id FROM\nnowhere", 15, 2, 1, "nowhere"),
        ("SELECT (1", 9, 1, 10, "end of input"),
    ],
)
def test_errors_say_where(engine: Engine, sql: str, position: int, line: int, column: int, word: str) -> None:
    with pytest.raises(QueryError, match=word) as caught:
        engine.run(sql)
    assert (caught.value.position, caught.value.line, caught.value.column) == (position, line, column)
    assert f"line {line}, column {column}" in (caught.value.where or "")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT writes()",
        "SELECT * INTO copy FROM t",
        "SELECT * FROM t FOR UPDATE",
        "WITH d AS (UPDATE s1.t SET twin = 0 RETURNING *) SELECT * FROM d",
        "COPY t TO '/tmp/out.csv'",
        "COPY t TO PROGRAM 'true'",
        "SET statement_timeout = 0",
        "SHOW search_path",
        "EXPLAIN ANALYZE SELECT 1",
        "COMMIT",
        "COMMIT; DELETE FROM t",
        "SELECT 1; COMMIT; DELETE FROM t",
        "DO 'BEGIN END'",
        "LISTEN x",
        "LOCK t",
        "CALL writes()",
        "PREPARE p AS SELECT 1",
        "DECLARE c CURSOR FOR SELECT 1",
        "CREATE TEMP TABLE x (y int)",
    ],
)
def test_what_writes_or_changes_the_session_is_unsafe(engine: Engine, sql: str) -> None:
    with pytest.raises(UnsafeSql):
        engine.run(sql)
    assert engine.run("SELECT twin FROM s1.t").rows == ((2,),)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_ls_dir('/')",
        "SELECT nextval('counter')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT lo_export(1, '/tmp/x')",
        "SELECT pg_reload_conf()",
        "SELECT pg_terminate_backend(pg_backend_pid())",
        "SELECT set_config('transaction_read_only', 'off', true)",
        "SELECT set_config('log_min_messages', 'panic', true)",
    ],
)
def test_a_superuser_lays_its_powers_down(engine: Engine, sql: str) -> None:
    with pytest.raises(QueryError):
        engine.run(sql)
    assert engine.run("SELECT current_user::text").rows == (("pg_read_all_data",),)


def test_nothing_a_query_sets_outlives_it(engine: Engine) -> None:
    engine.run("SELECT set_config('search_path', 's1', false), set_config('role', 'none', false)")
    engine.run("SELECT pg_advisory_lock(7), set_config('default_transaction_read_only', 'off', false)")
    shown = "current_user::text, current_setting('search_path'), current_setting('transaction_read_only')"
    held = "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')"
    rows = engine.run(f"SELECT {shown}, current_setting('default_transaction_read_only'), {held}").rows
    assert rows == (("pg_read_all_data", "public", "on", "on", 0),)


def test_a_time_limit_cannot_be_lifted(engine: Engine) -> None:
    with pytest.raises(QueryTimeout):
        engine.run("SELECT set_config('statement_timeout', '0', true), pg_sleep(20)", timeout=0.2)
    assert engine.run("SELECT 1").rows == ((1,),)


def test_a_user_without_rights_sees_less() -> None:
    server = servers.postgres()
    url = server.make(ODD, "odd")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SQLORE_DB_PASSWORD", "pw")
        server.run(
            "odd",
            "DO $$ BEGIN CREATE ROLE reader LOGIN PASSWORD 'pw'; EXCEPTION WHEN duplicate_object THEN END $$",
            "GRANT USAGE ON SCHEMA public TO reader",
            "GRANT SELECT (id, price) ON t TO reader",
        )
        with connect(without_password(url).replace("postgres@", "reader@")) as engine:
            schema = engine.schema()
            assert [(t.schema, t.name) for t in schema.tables] == [(None, "t")]
            assert [column.name for column in schema.tables[0].columns] == ["id", "price"]
            assert engine.run("SELECT id FROM t").rows == ((1,),)
            with pytest.raises(QueryError, match="permission denied") as caught:
                engine.run("SELECT tags FROM t")
            assert "GRANT" in (caught.value.hint or "")


def test_a_connection_that_was_lost_is_replaced(engine: Engine) -> None:
    engine.run("SELECT 1")
    servers.postgres().run(
        "odd",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = 'odd' AND pid <> pg_backend_pid()",
    )
    assert engine.run("SELECT id FROM t").rows == ((1,),)


def test_a_query_whose_connection_is_cut_says_so(engine: Engine) -> None:
    server = servers.postgres()
    cut = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE query LIKE 'FETCH FORWARD%sqlore%' AND pid <> pg_backend_pid()"
    )
    timer = threading.Timer(0.5, server.run, ("odd", cut))
    timer.start()
    with pytest.raises(ConnectError, match="was lost"):
        engine.run("SELECT pg_sleep(20)", timeout=30)
    timer.join()
    assert engine.run("SELECT 1").rows == ((1,),)


def test_a_thousand_tables_are_read_at_once() -> None:
    tables = [f"CREATE TABLE t{n} (id int NOT NULL, n int)" for n in range(1000)]
    extension = "CREATE EXTENSION pg_stat_statements"
    url = servers.postgres().make(["; ".join(tables), extension], "wide")
    with connect(url) as engine:
        schema = engine.schema()
        assert len(schema.tables) == 1000
        assert all([c.nullable for c in table.columns] == [False, True] for table in schema.tables)
        asked = engine.run(
            "SELECT count(*) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid"
            " WHERE d.datname = 'wide' AND query LIKE 'SELECT%'"
        )
    assert asked.rows[0][0] < 20


@pytest.mark.parametrize(
    ("change", "word", "hint"),
    [
        (("127.0.0.1", "no-such-host.invalid"), "no host", "host"),
        (("s3cret", "wrong"), "password is wrong", "SQLORE_DB_PASSWORD"),
        (("/odd", "/nope"), "no such database", "psql -l"),
        (("/odd", "/odd?sslmode=require"), "no TLS", "sslmode"),
        (("postgres:", "tls_only:"), "without TLS", "sslmode=require"),
    ],
)
def test_what_is_wrong_with_a_connection(change: tuple[str, str], word: str, hint: str) -> None:
    url = servers.postgres().make(ODD, "odd").replace(*change)
    with pytest.raises(ConnectError, match=word) as caught:
        connect(url)
    assert hint in (caught.value.hint or "")
    assert "cret" not in caught.value.report()
    assert "wrong%2Fof" not in caught.value.report()


def test_nothing_listens_there() -> None:
    with pytest.raises(ConnectError, match="nothing listens") as caught:
        connect("postgresql://ann:pw@127.0.0.1:1/shop")
    assert caught.value.hint


@pytest.mark.parametrize(
    "url", ["postgresql://u:a/b@h/d", "postgresql://u:p@h:port/d", "postgresql://u:p@127.0.0.1:1/d?nope=1"]
)
def test_a_url_that_cannot_be(url: str) -> None:
    from sqlore.errors import UsageError

    with pytest.raises(UsageError) as caught:
        connect(url)
    assert caught.value.hint
    assert not any(secret in caught.value.report() for secret in (":a/b", ":p@"))


def test_the_password_from_the_environment_and_from_the_urls_of_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = servers.postgres()
    server.make(ODD, "odd")
    plain = server.shown("odd")
    also_known_as("postgresql://nobody@nowhere/", plain)  # nothing is known of either
    for variable in ("SQLORE_DB_PASSWORD", "PGPASSWORD"):
        monkeypatch.setenv(variable, servers.PASSWORD)
        with connect(plain.replace("postgresql:", "postgres:")) as engine:
            assert engine.url == plain
        monkeypatch.delenv(variable)
    with connect(server.url("odd")) as engine:
        assert engine.url == plain
        with connect(engine.url) as again:
            assert again.run("SELECT 1").rows == ((1,),)


def test_what_was_asked_is_counted_by_the_server() -> None:
    from sqlore.errors import SourceError
    from sqlore.history import read_history

    server = servers.postgres()
    url = server.make([*ODD, "CREATE TABLE asked (x int)"], "counted")
    server.run("counted", *(f"SELECT x FROM asked WHERE x = {n}" for n in range(3)), "BEGIN", "COMMIT")
    with connect(url) as engine:
        engine.schema()
        engine.run("SELECT count(*) FROM asked")
    found = list(read_history(url + "#pg_stat_statements"))
    assert [(one.sql, one.runs, one.author) for one in found] == [
        ("SELECT x FROM asked WHERE x = $1", 3, "postgres")
    ]
    assert (found[0].database, found[0].dialect, found[0].source) == (
        "counted",
        "postgres",
        server.shown("counted"),
    )
    with pytest.raises(SourceError, match="pg_stat_statements is not there"):
        list(read_history(server.make(["CREATE TABLE x (y int)"], "bare")))
