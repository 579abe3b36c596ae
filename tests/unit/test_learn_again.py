"""Learning the same history again, with something said that was not said before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlore.history import parse_all
from sqlore.knowledge import Store
from sqlore.model import ParsedScript, Rejected, Script
from store_helpers import teach

T_SQL = """SELECT TOP 10 r.[res_id], t.[title], DATEDIFF(day, r.placed, GETDATE()) AS days_waiting
FROM [reservation] r INNER JOIN [title] t ON t.title_id = r.title_id
WHERE r.state = 'P' ORDER BY r.placed DESC"""
XML = "SELECT a FROM t FOR XML RAW"
"""T-SQL that bears no sure mark of it."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.create(tmp_path / "a.sqlore") as opened:
        yield opened


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres", "mysql", "snowflake"])
@pytest.mark.parametrize(
    "sql",
    [
        T_SQL,
        "SELECT DISTINCT TOP 5 PERCENT a FROM t",
        "SELECT CONVERT(varchar(10), d, 120) FROM t",
        "SELECT TOP 3 `a` FROM t WHERE b = 'SELECT `a`'",
    ],
)
def test_a_script_with_the_marks_of_another_dialect_is_read_in_it(sql: str, dialect: str) -> None:
    (outcome,) = parse_all([Script(sql, "7")], dialect=dialect)
    backticks = "`a` FROM" in sql
    assert isinstance(outcome, Rejected if backticks else ParsedScript)


def test_backticks_are_read_where_the_database_has_none() -> None:
    (outcome,) = parse_all([Script("SELECT `a` FROM `t` USE INDEX (i)", "7")], dialect="postgres")
    assert isinstance(outcome, ParsedScript)
    assert outcome.skeleton == "select t.a from t"


def test_marks_in_quotes_and_comments_are_none() -> None:
    sql = "SELECT 'TOP 5' FROM t -- CONVERT(varchar(10), [x])\nFOR XML RAW"
    assert isinstance(next(parse_all([Script(sql, "7")], dialect="sqlite")), Rejected)


def test_a_rejection_names_the_place_and_the_dialect_that_helps() -> None:
    (outcome,) = parse_all([Script(f"-- why\n{XML}", "7", line=3)], dialect="sqlite")
    assert isinstance(outcome, Rejected)
    assert outcome.line == 4
    assert "at 'FOR' (column 17)" in outcome.message
    assert outcome.message.endswith("it can be read with --dialect tsql")
    (hopeless,) = parse_all([Script("SELEKT a FRM t", "7", line=3)], dialect="sqlite")
    assert isinstance(hopeless, Rejected)
    assert hopeless.message == "no statement begins with 'SELEKT' (column 1)"


def test_what_was_rejected_is_read_again_in_another_dialect(store: Store) -> None:
    assert teach(store, XML).rejected == {"unparsable": 1}
    again = teach(store, XML)
    assert (again.known, dict(again.rejected)) == (1, {})
    report = teach(store, XML, dialect="tsql")
    assert (report.new, report.known) == (1, 0)
    assert store.rejected() == []


def test_what_no_dialect_can_read_tells_what_the_last_one_said(store: Store) -> None:
    teach(store, "SELEKT a FRM t")
    store.dismiss()
    report = teach(store, "SELEKT a FRM t", dialect="tsql")
    assert dict(report.rejected) == {"unparsable": 1}
    assert store.rejected() == []  # who dismissed it is not told again
    assert [one.script.dialect for _, one in store.rejections(dismissed=True)] == ["tsql"]
    assert teach(store, "SELEKT a FRM t", dialect="tsql").known == 1


def test_a_statement_that_ends_sooner_in_the_right_dialect_is_the_rejected_one(store: Store) -> None:
    sql = "DECLARE @n INT = 3\nSELECT a FROM t WHERE b = @n"
    teach(store, Script(f"{sql}\nGO", source="a.sql", line=1), Script("DROP TABLE t", source="a.sql", line=9))
    assert len(store.rejected()) == 2
    teach(store, Script(sql, source="a.sql", line=1), dialect="tsql")
    assert [one.script.sql for one in store.rejected()] == ["DROP TABLE t"]
