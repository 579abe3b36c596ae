"""The check before a query runs: one statement, only reading, every name known, no false alarms."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import defaultdict
from pathlib import Path

import pytest
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect

from sqlore.errors import NotAQuery, ParseError, SqlError, UnknownName, UnsafeSql
from sqlore.model import Column, Schema, Table
from sqlore.sql.check.query import check_query
from support import data_dir

SCHEMA = Schema(
    (
        Table("customer", tuple(map(Column, ("id", "full_name", "city", "from", "Free Meal Count (K-12)")))),
        Table("orders", tuple(map(Column, ("id", "customer_id", "total", "status", "日本", 'a"b')))),
        Table("Order", (Column("x"),)),
        Table("table-name", (Column("y"),)),
        Table("t", (Column("a"), Column("only_one")), schema="s1"),
        Table("t", (Column("b"), Column("only_two")), schema="s2"),
        Table("unread", (), is_view=True),
    )
)


def check(sql: str, dialect: str = "sqlite", schema: Schema | None = SCHEMA) -> str:
    return check_query(sql, dialect, schema)


@pytest.mark.parametrize(
    ("sql", "kept"),
    [
        ("SELECT 1", "SELECT 1"),
        ("SELECT 1;", "SELECT 1"),
        (" SELECT 1 ; ; ", "SELECT 1"),
        ("/* note */ SELECT 1", "SELECT 1"),
        ("-- why\nWITH x AS (SELECT 1) SELECT * FROM x", "WITH x AS (SELECT 1) SELECT * FROM x"),
        ("(SELECT 1)", "(SELECT 1)"),
        ("(SELECT 1) UNION (SELECT 2)", "(SELECT 1) UNION (SELECT 2)"),
        ("VALUES (1)", "VALUES (1)"),
        ("SELECT ';' AS a /* ; */ -- ; DROP TABLE t\n;-- done; really", "SELECT ';' AS a"),
        ("SELECT 1 -- no semicolon", "SELECT 1"),
    ],
)
def test_the_one_statement_comes_back_clean(sql: str, kept: str) -> None:
    assert check(sql) == kept


@pytest.mark.parametrize(
    ("sql", "dialect", "kind"),
    [
        ("SELECT 1; DROP TABLE t", "sqlite", UnsafeSql),
        ("SELECT 1; -- note\n/* more */ DELETE FROM t", "sqlite", UnsafeSql),
        ("SELECT 1 /* x */ ; SELECT 2", "duckdb", UnsafeSql),
        ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "postgres", UnsafeSql),
        ("WITH d AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM d", "postgres", UnsafeSql),
        ("SELECT * FROM (UPDATE t SET a = 1 RETURNING *) AS u", "postgres", SqlError),
        ("WITH d AS (SELECT 1) DELETE FROM t", "postgres", NotAQuery),
        ("WITH d AS (SELECT 1) INSERT INTO t SELECT * FROM d", "sqlite", NotAQuery),
        ("SELECT * INTO copy FROM t", "tsql", UnsafeSql),
        ("SELECT * INTO copy FROM t", "postgres", UnsafeSql),
        ("SELECT a INTO @x FROM t", "mysql", UnsafeSql),
        ("SELECT * FROM t INTO OUTFILE '/tmp/x'", "mysql", SqlError),
        ("CREATE TABLE c AS SELECT 1", "duckdb", NotAQuery),
        ("COPY t TO '/tmp/x'", "postgres", NotAQuery),
        ("DO $$ BEGIN DELETE FROM t; END $$", "postgres", NotAQuery),
        ("SELECT * FROM t FOR UPDATE", "postgres", UnsafeSql),
        ("SELECT * FROM t FOR SHARE", "mysql", UnsafeSql),
        ("SELECT * FROM t WITH (UPDLOCK)", "tsql", UnsafeSql),
        ("SELECT /*!50000 1 */ FROM t", "mysql", SqlError),
        ("SELECT 1 /*! INTO OUTFILE '/tmp/x' */", "mysql", UnsafeSql),
        ("SELECT @a := 1", "mysql", UnsafeSql),
        ("ATTACH 'x.db' AS y", "sqlite", NotAQuery),
        ("PRAGMA writable_schema=1", "sqlite", NotAQuery),
        ("EXPLAIN SELECT 1", "sqlite", NotAQuery),
        ("REPLACE INTO t VALUES (1)", "sqlite", NotAQuery),
        ("SHOW TABLES", "duckdb", NotAQuery),
        ("rm @stage/file", "snowflake", NotAQuery),
        ("SET x = 1", "duckdb", NotAQuery),
        ("ALTER TABLE t RECLUSTER", "snowflake", NotAQuery),
        ("BEGIN", "sqlite", NotAQuery),
        ("SELECT load_extension('x')", "sqlite", UnsafeSql),
        ("SELECT pg_sleep(60)", "postgres", UnsafeSql),
        ("SELECT PG_SLEEP(60)", "postgres", UnsafeSql),
        ("SELECT pg_catalog.pg_sleep(60)", "postgres", UnsafeSql),
        ("SELECT lo_export(1, '/tmp/x')", "postgres", UnsafeSql),
        ("SELECT set_config('x', 'y', false)", "postgres", UnsafeSql),
        ("SELECT pg_read_file('/etc/passwd')", "postgres", UnsafeSql),
        ("SELECT nextval('s')", "postgres", UnsafeSql),
        ("SELECT sleep(5)", "mysql", UnsafeSql),
        ("SELECT load_file('/etc/passwd')", "mysql", UnsafeSql),
        ('SELECT U&"pg_sl\\0065ep"(60)', "postgres", UnsafeSql),
        ("SELECT pg_stat_reset()", "postgres", UnsafeSql),
        ("SELECT pg_log_backend_memory_contexts(1)", "postgres", UnsafeSql),
        ("SELECT ts_rewrite('a'::tsquery, 'SELECT pg_sleep(60)')", "postgres", UnsafeSql),
        ("SELECT crosstab('SELECT pg_sleep(60)')", "postgres", UnsafeSql),
        ("SELECT * FROM dblink('x', 'y') AS t(a int)", "postgres", UnsafeSql),
        ("SELECT lo_import('/etc/passwd')", "postgres", UnsafeSql),
        ("SELECT pg_terminate_backend(1)", "postgres", UnsafeSql),
        ("COPY t TO PROGRAM 'true'", "postgres", NotAQuery),
        ("SELECT rolpassword FROM pg_catalog.pg_authid", "postgres", UnsafeSql),
        ("SELECT passwd FROM pg_shadow", "postgres", UnsafeSql),
        ("SELECT authentication_string FROM mysql.user", "mysql", UnsafeSql),
        ("SELECT 1 /*M!100100 , SLEEP(60) */ + 1", "mysql", UnsafeSql),
        ("SELECT 5--SLEEP(60)\n + 1", "mysql", UnsafeSql),
        ("SELECT 1 /* /* */ , SLEEP(60) -- */", "mysql", UnsafeSql),
        # what the parser skips as a comment, and the database reads
        ("SELECT {#\n x 1}, load_file('/etc/passwd') AS #}\n y FROM t", "mysql", UnsafeSql),
        ("SELECT {#\n x 1} INTO OUTFILE '/tmp/x' FROM #}\n t", "mysql", UnsafeSql),
        ("SELECT a #> /*\n , load_file('/etc/passwd') -- */ 1\n b FROM t", "mysql", UnsafeSql),
        ("SELECT /*+ ' */ 1, load_file('x') -- '*/", "mysql", SqlError),
        ("SELECT 1 {# 2 #}", "sqlite", UnsafeSql),
        ("SELECT 1 {# 2 #}", "duckdb", UnsafeSql),
        ("SELECT 1 {# 2 #}", "postgres", UnsafeSql),
        ("SELECT a -|-- /*\n 1, pg_sleep(60) -- */ b", "postgres", UnsafeSql),
        ("SELECT E'a'\n'\\' || '', pg_sleep(60), '", "postgres", SqlError),
        ("SELECT $a(/*), load_extension('x') --*/)", "sqlite", UnsafeSql),
        ("SELECT `/*`, 1 AS a, `*/`", "duckdb", UnsafeSql),
        ("SELECT id FROM t INTO OUTFILE '/tmp/x'", "mysql", UnsafeSql),
        ("SELECT id FROM t INTO DUMPFILE '/tmp/x'", "mysql", UnsafeSql),
        ("SELECT id INTO @x FROM t", "mysql", UnsafeSql),
        ("SELECT @x := 1", "mysql", UnsafeSql),
        ("SELECT get_lock('a', 1)", "mysql", UnsafeSql),
        ("SELECT keyring_key_fetch('a')", "mysql", UnsafeSql),
        ("SELECT * FROM openrowset('a', 'b', 'c')", "tsql", UnsafeSql),
        ("SELECT * FROM read_csv('/etc/passwd')", "duckdb", UnsafeSql),
        ("SELECT * FROM read_csv_auto('/etc/passwd')", "duckdb", UnsafeSql),
        ("SELECT * FROM read_parquet('x')", "duckdb", UnsafeSql),
        ("SELECT * FROM read_text('x')", "duckdb", UnsafeSql),
        ("SELECT * FROM 'x.csv'", "duckdb", UnsafeSql),
        ('SELECT * FROM "x.parquet"', "duckdb", UnsafeSql),
        ("FROM 'https://example.com/x'", "duckdb", UnsafeSql),
        ("SELECT (SELECT count(*) FROM glob('/*'))", "duckdb", UnsafeSql),
        ("SELECT * FROM query('DROP TABLE t')", "duckdb", UnsafeSql),
        ("SELECT * FROM anything_new('x')", "duckdb", UnsafeSql),
        ("SELECT 1 WHERE EXISTS (SELECT * FROM sniff_csv('x'))", "duckdb", UnsafeSql),
        ("SELECT $1 FROM @stage/file", "snowflake", UnsafeSql),
        ("SELECT * FROM TABLE(my_function('x'))", "snowflake", UnsafeSql),
        ("SELECT * FROM t, LATERAL anything_new(t.a)", "duckdb", UnsafeSql),
        ("SELECT utl_http.request('http://x') FROM dual", "oracle", UnsafeSql),
        ("SELECT 1 SETTINGS readonly = 0", "clickhouse", UnsafeSql),
        ("SELECT * FROM csv.`/etc/passwd`", "spark", UnsafeSql),
        ("SELECT * FROM ROWS FROM (pg_ls_dir('/'))", "postgres", UnsafeSql),
        ("SELECT * FROM (DESCRIBE t)", "duckdb", UnsafeSql),
        ("SELECT , FROM t", "sqlite", ParseError),
        ("SELEKT a FRM t", "sqlite", ParseError),
        ("SELECT 'open FROM t", "sqlite", ParseError),
        ("SELECT (1", "sqlite", ParseError),
        ("", "sqlite", ParseError),
        ("-- nothing", "sqlite", ParseError),
        (";", "sqlite", ParseError),
        ("; SELECT 1", "sqlite", ParseError),
        ("The answer is 42", "sqlite", ParseError),
        ("orders", "sqlite", ParseError),
        ("SELECT " + "(" * 20000 + "1" + ")" * 20000, "sqlite", ParseError),
        ("SELECT " + "NOT " * 20000 + "1", "sqlite", ParseError),
        ("SELECT * FROM " + "(SELECT * FROM " * 50000 + "t" + ")" * 50000, "sqlite", ParseError),
        ("SELECT 1", "klingon", ParseError),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else None,
)
def test_refused(sql: str, dialect: str, kind: type[SqlError]) -> None:
    with pytest.raises(kind) as caught:
        check(sql, dialect, None)
    assert str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        # aliases, scopes, common table expressions
        "SELECT o.total FROM orders o JOIN customer AS c ON c.id = o.customer_id WHERE C.CITY = 'Oslo'",
        "SELECT ORDERS.TOTAL FROM Orders",
        "WITH big AS (SELECT id, total AS amount FROM orders) SELECT amount FROM big WHERE big.id > 1",
        "WITH big(a, b) AS (SELECT id, total FROM orders) SELECT a, b FROM big",
        "WITH orders AS (SELECT 1 AS made_up) SELECT made_up FROM orders",
        "WITH a AS (SELECT id FROM orders), b AS (SELECT id AS k FROM a) SELECT k FROM b",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r",
        "SELECT (WITH x AS (SELECT 1 AS v) SELECT v FROM x), (WITH x AS (SELECT 2 AS w) SELECT w FROM x)",
        'SELECT customer.x FROM "Order" AS customer',
        "SELECT d.s FROM (SELECT status AS s, count(*) FROM orders GROUP BY 1) AS d",
        "SELECT s FROM (SELECT * FROM (SELECT status AS s FROM orders))",
        'SELECT d."count(*)" FROM (SELECT status, count(*) FROM orders GROUP BY 1) AS d',
        "SELECT * FROM (orders JOIN customer ON orders.customer_id = customer.id) WHERE city IS NULL",
        "SELECT x.total FROM (orders AS x)",
        # correlation
        "SELECT id FROM customer c WHERE EXISTS (SELECT 1 FROM orders WHERE id = c.id AND city > '')",
        "SELECT (SELECT max(total) FROM orders WHERE customer_id = c.id AND full_name > '') FROM customer c",
        "SELECT id FROM customer WHERE id IN (SELECT customer_id FROM orders WHERE orders.id = customer.id)",
        # joins
        "SELECT total FROM customer JOIN orders USING (id)",
        "SELECT total, city FROM customer NATURAL JOIN orders",
        "SELECT total FROM customer, orders WHERE customer_id = customer.id",
        # aliases of the list
        "SELECT total * 2 AS twice FROM orders WHERE twice > 3 ORDER BY twice",
        "SELECT status AS s, sum(total) AS amount FROM orders GROUP BY s HAVING amount > 5 ORDER BY amount",
        "SELECT id AS k FROM orders UNION SELECT id FROM customer ORDER BY k",
        "SELECT id FROM orders UNION SELECT id AS z FROM customer ORDER BY z",
        # SQLite's own ways
        "SELECT rowid, _rowid_, oid FROM orders WHERE orders.rowid = 1",
        'SELECT id FROM customer WHERE city = "Oslo"',
        'SELECT "no column", `city`, [city] FROM customer',
        "SELECT j.value, j.key FROM orders, json_each(orders.status) AS j",
        "SELECT value FROM json_each('[1]')",
        "SELECT name FROM sqlite_master WHERE type = 'table'",
        "SELECT cid FROM pragma_table_info('orders')",
        "SELECT anything, unread.more FROM unread",
        "SELECT glob('a*', city) FROM customer WHERE city GLOB 'a*'",
        "SELECT sum(total) OVER w FROM orders WINDOW w AS (PARTITION BY status ORDER BY id)",
        "SELECT row_number() OVER (PARTITION BY status ORDER BY total DESC) AS n FROM orders",
        "SELECT count(*) FILTER (WHERE total > 1) FROM orders",
        "SELECT column1 FROM (VALUES (1), (2))",
        "SELECT CASE WHEN total > 1 THEN 'a' ELSE NULL END, CAST(total AS REAL) FROM orders LIMIT 5 OFFSET 2",
        "SELECT orders.* FROM orders",
        "SELECT o.total FROM main.orders AS o WHERE main.orders.id IS NULL OR o.id = 1",
        # names that need quotes
        'SELECT "from", "Free Meal Count (K-12)" FROM customer',
        'SELECT "日本", "a""b", 日本 FROM orders',
        'SELECT x, y FROM "Order", `table-name`',
        "SELECT X FROM [order]",
    ],
)
def test_no_false_alarm(sql: str) -> None:
    assert check(sql) == sql


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("SELECT unnest([1, 2]) AS n, n + 1 AS m", "duckdb"),
        ("FROM orders SELECT total", "duckdb"),
        ("FROM orders", "duckdb"),
        ("SELECT t.i FROM range(10) AS t(i)", "duckdb"),
        ("SELECT range FROM range(10)", "duckdb"),
        ("SELECT generate_series FROM generate_series(1, 10)", "duckdb"),
        ("SELECT * EXCLUDE (id) FROM orders", "duckdb"),
        ("SELECT COLUMNS('t.*') FROM orders", "duckdb"),
        ("SELECT total AS x, x * 2 AS y FROM orders", "duckdb"),
        ("SELECT list_transform([1], z -> z + total) FROM orders", "duckdb"),
        ("SELECT status.field.deeper FROM orders", "duckdb"),
        (
            "SELECT d.m FROM customer c, (SELECT max(total) AS m FROM orders WHERE id = c.city) d",
            "duckdb",
        ),
        ("PIVOT orders ON status IN ('a', 'b') USING sum(total)", "duckdb"),
        ("SELECT * FROM (PIVOT orders ON status IN ('a') USING sum(total)) WHERE a > 1", "duckdb"),
        ("SELECT a.id FROM orders a ASOF JOIN customer b ON a.id >= b.id", "duckdb"),
        ("SELECT total FROM orders QUALIFY row_number() OVER (ORDER BY total) = 1", "duckdb"),
        ("SELECT id FROM orders GROUP BY ALL ORDER BY ALL", "duckdb"),
        ("SELECT t.only_one, u.only_two FROM s1.t AS t JOIN s2.t AS u ON t.a = u.b", "duckdb"),
        ("SELECT s1.t.only_one, s2.t.only_two FROM s1.t, s2.t", "duckdb"),
        ("SELECT table_name FROM information_schema.tables", "duckdb"),
        ("SELECT o FROM orders o", "duckdb"),
        ("SELECT date_diff('day', DATE '2020-01-01', id) FROM orders", "duckdb"),
        ("SELECT EXTRACT(year FROM id) FROM orders", "duckdb"),
        ("SELECT TOP 5 [total] FROM orders WITH (NOLOCK)", "tsql"),
        ("SELECT DATEDIFF(day, id, total), DATEPART(weekday, id) FROM orders", "tsql"),
        (
            "SELECT o.total FROM customer c CROSS APPLY (SELECT total FROM orders WHERE id = c.id) o",
            "tsql",
        ),
        ("SELECT x = total FROM orders", "tsql"),
        (
            "SELECT o.total FROM customer c, LATERAL (SELECT total FROM orders WHERE id = c.id) o",
            "postgres",
        ),
        ("SELECT g FROM generate_series(1, 3) AS g", "postgres"),
        ("SELECT ctid, current_date, current_user FROM orders", "postgres"),
        ("SELECT max FROM (SELECT max(total) FROM orders) AS m", "postgres"),
        ("SELECT i FROM orders, UNNEST(status) AS i", "bigquery"),
        ("SELECT i.sku FROM orders, UNNEST(orders.status) AS i", "bigquery"),
        ("SELECT f.value:name::string FROM orders, LATERAL FLATTEN(input => status) f", "snowflake"),
        ("SELECT DATEADD(month, 1, id) FROM orders", "snowflake"),
        ("SELECT rownum FROM orders WHERE rownum < 5", "oracle"),
        ("SELECT TIMESTAMPDIFF(YEAR, id, total) FROM orders", "mysql"),
        (
            "SELECT 'it''s \\' #', \"-- \\\" /*\", `#`, id # a 'note\n - -1 -- b\"\n FROM /* ' # */ `orders`",
            "mysql",
        ),
        ("SELECT /*+ MAX_EXECUTION_TIME(9) */ id-- \n FROM orders", "mysql"),
        ("SELECT $$it's -- $$, $a$ $$ /* $a$, E'\\'' --'\n FROM /* /* ' */ */ orders", "postgres"),
        ("SELECT date'2024-01-01', id::text -- it's\r, status #>> '{a}' FROM orders", "postgres"),
        ("SELECT {'a': '{# x #}'}, id // 2 FROM orders", "duckdb"),
    ],
)
def test_no_false_alarm_in_other_dialects(sql: str, dialect: str) -> None:
    assert check(sql, dialect) == sql


@pytest.mark.parametrize(
    ("sql", "name", "hint"),
    [
        ("SELECT fullname FROM customer", "fullname", "did you mean full_name?"),
        ("SELECT c.fullname FROM customer c", "fullname", "did you mean full_name?"),
        ("SELECT total FROM order_s", "order_s", "orders"),
        ("SELECT id FROM customer WHERE total > 5", "total", "total is a column of orders"),
        (
            "SELECT c.total FROM customer c JOIN orders o ON o.id = c.id",
            "total",
            "did you mean o.total?",
        ),
        ("SELECT customer.id FROM customer AS c", "customer", "the table customer is called c here"),
        ("SELECT orders.id FROM customer", "orders", "not in this FROM"),
        ("SELECT x.id FROM customer c", "x", None),
        ("SELECT nope AS nope FROM customer", "nope", None),
        ("SELECT [no column] FROM customer", "no column", None),
        ("SELECT d.total FROM (SELECT id FROM orders) AS d", "total", "total is a column of orders"),
        ("WITH w AS (SELECT id FROM orders) SELECT total FROM w", "total", None),
        ("WITH w(k) AS (SELECT id FROM orders) SELECT id FROM w", "id", None),
        ("SELECT 1 FROM orders UNION SELECT nope FROM customer", "nope", None),
        (
            "SELECT id FROM customer JOIN orders ON orders.customer = customer.id",
            "customer",
            "customer_id",
        ),
        ("SELECT id FROM customer ORDER BY nope", "nope", None),
        ("SELECT id FROM customer GROUP BY nope", "nope", None),
        ("SELECT id FROM customer JOIN orders USING (total)", "total", None),
        ("SELECT customer.id FROM customer JOIN orders ON orders.nope = customer.id", "nope", None),
        ("SELECT inner_only FROM (SELECT (SELECT 1 AS inner_only) AS v FROM orders)", "inner_only", None),
        ("SELECT missing.* FROM orders", "missing", None),
        ("SELECT (SELECT total FROM nowhere) FROM orders", "nowhere", None),
        (
            "SELECT d.m FROM customer c, (SELECT max(total) AS m FROM orders WHERE id = c.city) d",
            "c",
            None,
        ),
    ],
)
def test_unknown_names(sql: str, name: str, hint: str | None) -> None:
    with pytest.raises(UnknownName) as caught:
        check(sql)
    error = caught.value
    assert name in str(error)
    assert hint is None or hint in (error.hint or "")
    assert error.position is not None
    assert sql[error.position :].lstrip("[").startswith(name)


def test_positions_count_lines_and_columns() -> None:
    sql = "-- 😀 head\nSELECT id,\n  o.totl\nFROM orders AS o"
    with pytest.raises(UnknownName) as caught:
        check(sql)
    assert (caught.value.line, caught.value.column) == (3, 5)
    assert caught.value.position is not None
    assert sql[caught.value.position :].startswith("totl")
    with pytest.raises(UnsafeSql) as second:
        check("SELECT 1;\n  DROP TABLE t")
    assert (second.value.line, second.value.column) == (2, 3)
    with pytest.raises(ParseError) as third:
        check("SELECT 1\nFROM orders WHERE WHERE x")
    assert third.value.line == 2


def test_without_a_schema_names_are_not_judged() -> None:
    assert check("SELECT a FROM nowhere", schema=None)


def test_long_queries() -> None:
    many = "SELECT id FROM orders WHERE id IN (" + ", ".join(map(str, range(20000))) + ")"
    assert check(many) == many
    union = " UNION ALL ".join(["SELECT id FROM orders"] * 3000)
    assert check(union) == union
    chain = "SELECT id FROM orders WHERE " + " OR ".join(["id = 1"] * 3000)
    assert check(chain) == chain


# ---------------------------------------------------------------- real queries


def schemas(path: Path) -> dict[str, Schema]:
    """Schemas of a file in the format of BIRD and Spider."""
    found = {}
    for entry in json.loads(path.read_text()):
        columns = defaultdict(list)
        for number, name in entry["column_names_original"]:
            columns[number].append(Column(name))
        tables = (Table(name, tuple(columns[n])) for n, name in enumerate(entry["table_names_original"]))
        found[entry["db_id"]] = Schema(tuple(tables), entry["db_id"])
    return found


def test_every_query_of_bird_dev_is_accepted() -> None:
    known = schemas(data_dir("bird", "dev_tables.json"))
    entries = json.loads(data_dir("bird", "dev.json").read_text())
    assert len(entries) == 1057
    for entry in entries:
        check_query(entry["SQL"], "sqlite", known[entry["db_id"]])


def test_every_query_of_spider_dev_is_accepted() -> None:
    known = schemas(data_dir("spider", "tables.json"))
    entries = json.loads(data_dir("spider", "dev.json").read_text())
    assert len(entries) > 500
    for entry in entries:
        check_query(entry["query"], "sqlite", known[entry["db_id"]])


def test_postgresql_queries_of_bird_are_accepted() -> None:
    known = schemas(data_dir("bird", "dev_tables.json"))
    for entry in json.loads(data_dir("bird", "mini_dev_postgresql.json").read_text()):
        if entry["db_id"] in known:
            check_query(entry["SQL"], "postgres", known[entry["db_id"]])


def test_the_database_agrees_about_spoilt_queries() -> None:
    """Names exchanged at random: what the check reports SQLite refuses too, and most of what it refuses."""
    known = schemas(data_dir("bird", "dev_tables.json"))["superhero"]
    entries = json.loads(data_dir("bird", "dev.json").read_text())
    queries = [entry["SQL"] for entry in entries if entry["db_id"] == "superhero"]
    path = data_dir("bird", "databases", "superhero.sqlite")
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rng = random.Random(7)
    refused = reported = 0
    for sql in queries * 3:
        spoilt = _spoil(sql, known, rng)
        try:
            database.execute(f"EXPLAIN {spoilt}").close()
            runs = True
        except sqlite3.OperationalError as error:
            runs = "no such" not in str(error)
        try:
            check_query(spoilt, "sqlite", known)
            passed = True
        except UnknownName:
            passed = False
        assert passed or not runs, f"false alarm: {spoilt}"
        refused += not runs
        reported += not passed
    database.close()
    assert refused > 100
    assert reported >= 0.95 * refused


def _spoil(sql: str, schema: Schema, rng: random.Random) -> str:
    """The query with one of its names exchanged for another name of the schema, or misspelt."""
    tree = Dialect.get_or_raise("sqlite").parse(sql)[0]
    assert tree is not None
    target = rng.choice([node for node in tree.find_all(exp.Identifier) if "start" in node.meta])
    names = [column.name for table in schema.tables for column in table.columns]
    new = rng.choice([*names, *(table.name for table in schema.tables), target.name + "x", "T1", "T9"])
    return f"{sql[: target.meta['start']]}{new}{sql[target.meta['end'] + 1 :]}"


def test_forty_joins_without_a_condition_are_read() -> None:
    sql = "SELECT COUNT(*) FROM customer a0 " + " ".join(f"JOIN customer a{n}" for n in range(1, 41))
    assert check_query(f"{sql} ON a0.id = a1.id", "sqlite", SCHEMA).endswith("ON a0.id = a1.id")
    with pytest.raises(ParseError, match="outer joins need a condition"):
        check_query(sql.replace("JOIN", "LEFT JOIN"), "sqlite", SCHEMA)


def test_a_byte_order_mark_before_a_query_is_no_part_of_it() -> None:
    assert check_query("\ufeffSELECT id FROM customer;", "sqlite", SCHEMA) == "SELECT id FROM customer"
    with pytest.raises(UnknownName) as caught:
        check_query("\ufeffSELECT nosuch FROM customer", "sqlite", SCHEMA)
    assert caught.value.position == 8
