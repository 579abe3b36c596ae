"""SQL with its citations in the margin: slices of the draft's own text."""

from __future__ import annotations

from typing import Any

import pytest

from sqlore.interfaces.cli.explain_view import source_text
from sqlore.interfaces.cli.margin import (
    MARKS,
    break_lines,
    citation_text,
    margin_lines,
    notes,
    shown_status,
    whole_query,
)
from sqlore.model import Citation, Script, StoredScript

ONE_LINE = (
    "SELECT LEFT(a, 3), COUNT(*) FROM t LEFT JOIN u ON t.id = u.id AND u.x = 1 "
    "WHERE a IN (SELECT b FROM c WHERE d = 'or x') OR b BETWEEN 1 AND 2 GROUP BY a ORDER BY 2 LIMIT 5"
)


def test_one_line_sql_breaks_at_the_clauses_of_the_outer_query() -> None:
    assert [line.text for line in break_lines(ONE_LINE)] == [
        "SELECT LEFT(a, 3), COUNT(*)",
        "FROM t",
        "LEFT JOIN u ON t.id = u.id",
        "AND u.x = 1",
        "WHERE a IN (SELECT b FROM c WHERE d = 'or x')",
        "OR b BETWEEN 1 AND 2",
        "GROUP BY a",
        "ORDER BY 2",
        "LIMIT 5",
    ]


@pytest.mark.parametrize("sql", [ONE_LINE, "SELECT a\n  FROM t\n\n  WHERE b = 1\n", "SELECT 'it''s; -- no'"])
def test_lines_are_slices_of_the_text_and_lose_only_white_space(sql: str) -> None:
    lines = break_lines(sql)
    assert all(sql[line.start : line.end].strip() == line.text.strip() for line in lines)
    assert "".join("".join(line.text.split()) for line in lines) == "".join(sql.split())


def test_a_line_shows_the_least_sure_of_its_citations() -> None:
    sql = "SELECT COUNT(*) FROM t WHERE a = 1"
    cited = [
        Citation(7, 15, "calculation", "COUNT(*)", "cited"),
        Citation(29, 34, "condition", "a = 1", "novel"),
    ]
    assert margin_lines(sql, cited) == [
        ("1", "cited", "SELECT COUNT(*)"),
        ("", "", "FROM t"),
        ("2", "novel", "WHERE a = 1"),
    ]


def test_a_from_clause_says_nothing_its_edges_do_not_say() -> None:
    clause = Citation(0, 30, "relation", "FROM …", "cited", skeleton="from a join b on a.x = b.x")
    edge = Citation(20, 28, "relation", "a.x = b.x", "cited", skeleton="a.x = b.x")
    whole = Citation(0, 30, "query", "…", "novel")
    assert notes([whole, clause, edge]) == [edge]
    assert notes([whole, clause]) == [clause]


def test_a_citation_says_who_used_it_last() -> None:
    latest = StoredScript(7, Script("SELECT 1", author="anna", time="2025-03-01", key="a.sql:3"), "", "")
    near = Citation(0, 1, "condition", "x", "near", 3, 2, (7,), 0.81, description="refunded orders")
    assert citation_text(near, latest) == (
        "81% like item 3, used in 2 scripts, last by anna 2025-03-01 (a.sql:3) · refunded orders"
    )


@pytest.mark.parametrize(
    ("support", "said"), [(1, "used in 1 script (a.sql:3)"), (2, "used in 2 scripts, as in a.sql:3")]
)
def test_a_citation_of_scripts_without_dates_says_where_they_are(support: int, said: str) -> None:
    latest = StoredScript(7, Script("SELECT 1", key="a.sql:3"), "", "")
    cited = Citation(0, 1, "condition", "x", "cited", 3, support, (7,))
    assert citation_text(cited, latest) == f"item 3, {said}"


def test_how_far_the_scripts_speak_for_a_value_is_told() -> None:
    def cited(**said: Any) -> Citation:
        return Citation(0, 1, "condition", "x", "cited", 3, 9, (7,), **said)

    assert citation_text(cited(with_values=2)) == "item 3, used in 9 scripts, 2 of 9 with this value"
    assert citation_text(cited(with_values=9, trust="verified")) == "item 3, used in 9 scripts, verified"
    never = cited(with_values=0, new_values=("4000",), trust="verified")
    assert citation_text(never) == "item 3, used in 9 scripts, pattern verified, but never with 4000"
    assert source_text(never) == citation_text(never)
    assert [MARKS[shown_status(one)] for one in (cited(with_values=2), never)] == ["●", "◉"]
    only = citation_text(cited(with_values=0, new_values=tuple("abcdef"), parameter=True))
    assert (
        only == "item 3, used in 9 scripts, but never with a, b, c, d and 2 more, only ever with a parameter"
    )
    warned = cited(with_values=2, warning="do not use")
    assert citation_text(warned) == (
        "item 3, used in 9 scripts, their authors warn: 'do not use', 2 of 9 with this value"
    )
    assert source_text(warned) == citation_text(warned)


def test_a_query_that_the_history_holds_is_told_as_a_whole() -> None:
    whole = Citation(0, 30, "query", "…", "cited", 5, 1)
    assert whole_query([whole]) is whole
    assert whole_query([Citation(0, 30, "query", "…", "near", 5, 1)]) is None
    assert citation_text(whole) == "the whole query is item 5, used in 1 script"
