"""Which schema of a PostgreSQL database a name means: as it is checked, so it runs and so it is cited."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

import servers
import sqlore.workspace
from sqlore.answer.cite import cite
from sqlore.answer.slips import mended_names
from sqlore.catalog import build_catalog
from sqlore.catalog.build import schema_from_json, schema_to_json
from sqlore.engines import Engine, connect
from sqlore.engines.postgres_errors import cannot_connect
from sqlore.engines.server_url import parse_server
from sqlore.errors import ConnectError, QueryError, QueryTimeout, UnknownName
from sqlore.prompts.bare_schema import bare_schema
from sqlore.sql import check_query, parse_script
from store_helpers import WordEmbedder

TWICE = (
    "CREATE SCHEMA s1",
    "CREATE TABLE orders (amount int, mood text)",
    "CREATE TABLE s1.orders (amount int)",
    "CREATE TABLE s1.apart (x int)",
    "INSERT INTO orders SELECT n, 'happy' FROM generate_series(1, 20) AS n",
    "INSERT INTO s1.orders SELECT n FROM generate_series(1, 3) AS n",
    "CREATE TABLE events (day date PRIMARY KEY, clicks int) PARTITION BY RANGE (day)",
    "CREATE TABLE events_2025 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01')",
    "CREATE TABLE seen (day date REFERENCES events)",
    "INSERT INTO events VALUES ('2025-05-01', 3)",
)


def url_of(options: str = "") -> str:
    return servers.postgres().make(TWICE, "twice") + options


@pytest.fixture
def engine() -> Iterator[Engine]:
    with connect(url_of()) as opened:
        yield opened


def count(engine: Engine, table: str) -> int:
    """How many rows a table has, asked as any query is: checked, then run."""
    found: int = engine.run(check_query(f"SELECT COUNT(*) FROM {table}", "postgres", engine.schema())).rows[
        0
    ][0]
    return found


@pytest.mark.parametrize(
    ("options", "rows"),
    [("", 20), ("?schemas=s1", 3), ("?schemas=s1,public", 3), ("?schemas=public,%20s1", 20),
     ("?options=-csearch_path%3Ds1", 3), ("?options=-csearch_path%3Ds1,public", 3)],
)  # fmt: skip
def test_a_bare_name_is_checked_and_run_as_one_table(options: str, rows: int) -> None:
    with connect(url_of(options)) as engine:
        table = engine.schema().table("orders")
        assert table is not None
        assert (count(engine, "orders"), table.rows) == (rows, rows)
        assert (table.column("mood") is None) == (rows == 3)
        bare = [one for one in engine.schema().tables if (one.schema, one.name) == (None, "orders")]
        assert bare in ([], [table])


def test_what_the_url_leaves_out_is_not_read() -> None:
    with connect(url_of("?schemas=s1")) as engine:
        assert count(engine, "s1.orders") == 3
        with pytest.raises(UnknownName, match=r"no table public\.orders") as caught:
            count(engine, "public.orders")
        assert caught.value.hint == "did you mean orders?"


def test_a_schema_that_is_not_there_is_said() -> None:
    with pytest.raises(ConnectError, match="has no schema nope") as caught:
        connect(url_of("?schemas=s1,nope"))
    assert caught.value.hint == "?schemas= names some of: public, s1"


def test_a_schema_that_no_table_is_in_is_refused(engine: Engine) -> None:
    for name, meant in (("nosuch.orders", "orders"), ("public.apart", "s1.apart"), ("x.y.apart", "s1.apart")):
        with pytest.raises(UnknownName, match="there is no table") as caught:
            count(engine, name)
        assert caught.value.hint == f"did you mean {meant}?"
        assert caught.value.position is not None
    for name in ("public.orders", "twice.public.orders", "PUBLIC.Orders"):
        assert count(engine, name) == 20
    assert count(engine, "information_schema.schemata") > 0
    schema = engine.schema()
    [learned] = {
        one.tables for one in parse_script("SELECT amount FROM nosuch.orders", "postgres", schema).fragments
    }
    assert learned == ("nosuch.orders",)


def test_public_is_another_schema_where_names_are_looked_for_elsewhere(tmp_path: Path) -> None:
    history = "SELECT SUM(amount) FROM orders;\nSELECT MAX(amount) FROM public.orders WHERE mood = 'happy';\n"
    (tmp_path / "history.sql").write_text(history)
    url = url_of("?options=-csearch_path%3Ds1")
    with sqlore.workspace.open(url, home=tmp_path / ".sqlore", model="none") as lore:
        lore.__dict__["embedder"] = WordEmbedder()
        lore.learn(tmp_path / "history.sql")
        assert lore.store is not None
        items = {item.skeleton: item for item in lore.store.items()}
        assert not any(item.stale for item in items.values())
        assert "public.orders.mood = <val>" in items

        def status(sql: str) -> set[str]:
            cited = cite(sql, lore.store, "postgres", lore.catalog.schema)
            return {one.status for one in cited}

        assert status("SELECT SUM(amount) FROM orders") == {"cited"}
        assert status("SELECT SUM(amount) FROM s1.orders") == {"cited"}
        assert "cited" not in status("SELECT SUM(amount) FROM public.orders")


def test_where_public_is_home_it_is_left_out_of_a_skeleton_as_ever(engine: Engine) -> None:
    def keys(sql: str) -> set[str]:
        return {one.skeleton for one in parse_script(sql, "postgres", engine.schema()).fragments}

    assert keys("SELECT SUM(amount) FROM public.orders") == keys("SELECT SUM(amount) FROM orders")
    assert keys("SELECT SUM(amount) FROM s1.orders") != keys("SELECT SUM(amount) FROM orders")


def test_a_partition_can_be_asked_and_is_not_listed(engine: Engine) -> None:
    assert count(engine, "events_2025") == count(engine, "public.events_2025") == 1
    catalog = build_catalog(engine)
    part = catalog.schema.table("events_2025")
    assert part is not None
    assert [(c.name, c.primary_key) for c in part.columns] == [("day", True), ("clicks", False)]
    assert "events_2025" not in bare_schema(catalog.schema)
    assert not any(one.table == "events_2025" for one in catalog.profile.columns)
    seen = catalog.schema.table("seen")
    assert seen is not None
    assert [key.ref_table for key in seen.foreign_keys] == ["events"]
    again = schema_from_json(schema_to_json(catalog.schema))
    assert again == catalog.schema
    with pytest.raises(UnknownName):
        check_query("SELECT nope FROM events_2025", "postgres", again)


def test_the_time_limit_of_a_role_is_never_raised() -> None:
    with connect(url_of("?options=-cstatement_timeout%3D200")) as engine:
        engine.schema()
        with pytest.raises(QueryTimeout, match=r"after 0\.2 s"):
            engine.run("SELECT pg_sleep(20)", timeout=10)
        with pytest.raises(QueryTimeout, match=r"after 0\.1 s"):
            engine.run("SELECT pg_sleep(20)", timeout=0.1)


def test_a_mode_of_tls_that_is_none() -> None:
    with pytest.raises(ConnectError, match="no such sslmode") as caught:
        connect(url_of("?sslmode=bogus"))
    assert "verify-full" in (caught.value.hint or "")


def test_a_certificate_for_another_host_is_not_called_untrusted() -> None:
    target = parse_server("postgresql://ann@127.0.0.1/shop?sslmode=verify-full&sslrootcert=ca.pem")
    said = 'server certificate for "db.example" does not match host name "127.0.0.1"'
    error = cannot_connect(target, f'connection to server at "127.0.0.1", port 5432 failed: {said}')
    assert "is for another host" in str(error)
    assert "sslrootcert=FILE" not in (error.hint or "")


CAPITALS = (
    'CREATE TABLE "Orders" (id int PRIMARY KEY, "createdAt" date, "Date" date, "order" text)',
    "CREATE TABLE lines (order_id int, amount int)",
    'CREATE TABLE "order" ("Kunde" int, "end" int)',
    'CREATE TABLE "Kunde" (kunde int)',
    'INSERT INTO "order" VALUES (1, 7)',
    "CREATE SCHEMA hr",
    "CREATE TABLE hr.staff (id int)",
    "INSERT INTO \"Orders\" VALUES (1, '2025-01-01', '2025-02-01', 'createdAt'), (2, NULL, NULL, 'b')",
    "INSERT INTO lines VALUES (1, 5), (1, 7), (2, 9)",
)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT createdAt FROM Orders ORDER BY createdAt LIMIT 1", ((date(2025, 1, 1),),)),
        ("SELECT o.date FROM orders o WHERE o.CREATEDAT = '2025-01-01'", ((date(2025, 2, 1),),)),
        ("SELECT count(*) FROM public.Orders WHERE \"order\" = 'createdAt'", ((1,),)),
        ("SELECT MAX(end) FROM order WHERE order.end > 1", ((7,),)),
        ("SELECT count(*) FROM Kunde WHERE Kunde.kunde IS NULL", ((0,),)),
        ("SELECT count(staff.id) FROM staff", ((0,),)),
        ("SELECT sum(amount) FROM Orders JOIN lines ON Orders.id = order_id WHERE Orders.id = 1", ((12,),)),
    ],
)
def test_names_run_without_their_quotes_or_schema(sql: str, rows: tuple[object, ...]) -> None:
    with connect(servers.postgres().make(CAPITALS, "capitals")) as engine:
        schema = engine.schema()
        with pytest.raises(QueryError):
            engine.run(sql, limit=5, timeout=10)
        checked = mended_names(sql, "postgres", schema)
        assert checked.fault is None
        assert checked.slips[0].sql == sql
        assert engine.run(checked.sql, limit=5, timeout=10).rows == rows
