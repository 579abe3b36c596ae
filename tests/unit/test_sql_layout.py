"""Long SQL gets line breaks and nothing else: all queries of a benchmark, and the places that matter."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from sqlore.engines import connect
from sqlore.sql import parse_script
from sqlore.sql.layout import SHORT, WIDTH, laid_out
from support import data_dir


def test_every_query_of_the_benchmark_stays_what_it_is() -> None:
    """The same text but for white space, the same pieces in the same order, and lines that can be read."""
    queries = [one["SQL"] for one in json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8"))]
    wide = 0
    for sql in queries:
        found = laid_out(sql, "sqlite")
        assert "".join(found.split()) == "".join(sql.split())
        before, after = parse_script(sql, "sqlite").fragments, parse_script(found, "sqlite").fragments
        assert [(one.kind, one.skeleton) for one in before] == [(one.kind, one.skeleton) for one in after]
        for one in after:
            assert found[one.start : one.end] == one.sql
        if len(sql) > SHORT:
            assert "\n" in found
        wide += max(map(len, found.splitlines())) > WIDTH + 12
    assert wide < 0.01 * len(queries)


def test_clauses_joins_conditions_and_subqueries_have_lines() -> None:
    sql = (
        "SELECT T1.name, (SELECT COUNT(*) FROM orders AS o WHERE o.cust = T1.id AND o.state = 'paid' ) "
        "FROM cust AS T1 "
        "LEFT OUTER JOIN region AS r ON r.id = T1.region WHERE T1.born BETWEEN 1950 AND 1960 "
        "AND (r.x = 1 OR r.x = 2) "
        "AND CASE WHEN r.a = 1 AND r.b = 2 THEN 1 ELSE 0 END = 1 GROUP BY T1.name "
        "HAVING COUNT(*) > 1 ORDER BY 2 DESC LIMIT 3"
    )
    assert laid_out(sql).splitlines() == [
        "SELECT",
        "  T1.name,",
        "  (",
        "    SELECT COUNT(*)",
        "    FROM orders AS o",
        "    WHERE o.cust = T1.id",
        "      AND o.state = 'paid'",
        "  )",
        "FROM cust AS T1",
        "LEFT OUTER JOIN region AS r ON r.id = T1.region",
        "WHERE T1.born BETWEEN 1950 AND 1960",
        "  AND (r.x = 1 OR r.x = 2)",
        "  AND CASE WHEN r.a = 1 AND r.b = 2 THEN 1 ELSE 0 END = 1",
        "GROUP BY T1.name",
        "HAVING COUNT(*) > 1",
        "ORDER BY 2 DESC",
        "LIMIT 3",
    ]


def test_ctes_and_set_operations_have_lines() -> None:
    sql = (
        "WITH a AS (SELECT id, name FROM customer WHERE country = 'DE' AND state = 'active' ), "
        "b AS (SELECT 1 AS id) "
        "SELECT id FROM a UNION ALL SELECT id FROM b ORDER BY id"
    )
    assert laid_out(sql).splitlines() == [
        "WITH a AS (",
        "  SELECT id, name",
        "  FROM customer",
        "  WHERE country = 'DE'",
        "    AND state = 'active'",
        "),",
        "b AS (SELECT 1 AS id)",
        "SELECT id",
        "FROM a",
        "UNION ALL",
        "SELECT id",
        "FROM b",
        "ORDER BY id",
    ]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM account WHERE district_id = 5",
        "SELECT a.x -- the one that matters, and not the other one, which is older than it\nFROM a WHERE "
        + "a.y = 1 AND " * 9
        + "1 = 1",
        "SELECT a\n  , b  , c\nFROM some_table_with_a_name\nWHERE a = 1 AND b = 2 AND c = 3",
        "this is no SQL at all ' but a sentence that is long enough to be one and does not end (",
    ],
    ids=["short", "with a comment", "laid out by somebody", "no SQL"],
)
def test_what_stays_as_it_is(sql: str) -> None:
    assert laid_out(sql, "sqlite") == sql


def test_words_that_only_look_like_clauses_stay_where_they_are() -> None:
    sql = (
        "SELECT LEFT(t.name, 3), EXTRACT(YEAR FROM t.day), t.\"from\", 'it''s  from  where' FROM t "
        "WHERE t.a IS DISTINCT FROM t.b AND t.c LIKE '%a  b%' AND t.limit > 5"
    )
    found = laid_out(sql, "postgres")
    assert "IS DISTINCT FROM t.b\n" in found
    assert "'it''s  from  where'" in found
    assert "  LEFT(t.name, 3),\n  EXTRACT(YEAR FROM t.day),\n" in found
    assert "AND t.limit > 5" in found


def test_a_column_without_a_name_is_called_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (a INTEGER, b INTEGER)")
    db.close()
    with connect(f"sqlite:///{path}") as engine:
        assert engine.run("SELECT SUM(a\n  + b) FROM t").columns == ("SUM(a + b)",)
