"""What is counted in a query over several tables, and columns of subqueries that have one definition."""

from __future__ import annotations

import pytest

from sqlore.knowledge import Describer
from sqlore.sql import parse_script

LENT = (
    "WITH lend AS (SELECT c.title_id, COUNT(*) AS n FROM loan l JOIN copy c ON c.copy_id = l.copy_id"
    " GROUP BY c.title_id), stock AS (SELECT title_id, COUNT(*) AS copies FROM copy GROUP BY title_id)"
    " SELECT t.genre, 1.0 * SUM(lend.n) / SUM(stock.copies) AS turnover FROM title t"
    " JOIN lend ON lend.title_id = t.title_id JOIN stock ON stock.title_id = t.title_id"
    " GROUP BY t.genre HAVING SUM(lend.n) > SUM(stock.copies) ORDER BY turnover DESC"
)
TOP = (
    "SELECT b.name, COUNT(*) AS n, ROW_NUMBER() OVER (PARTITION BY b.branch_id ORDER BY COUNT(*) DESC) AS rk"
    " FROM loan l JOIN copy c ON c.copy_id = l.copy_id JOIN branch b ON b.branch_id = c.branch_id"
    " JOIN title t ON t.title_id = c.title_id GROUP BY b.branch_id, t.title_id"
)


def said(sql: str, kind: str, beginning: str = "") -> str:
    fragments = parse_script(sql, "sqlite").fragments
    found = next(one for one in fragments if one.kind == kind and one.sql.startswith(beginning))
    return Describer().fragment(found).text


def test_two_counts_of_subqueries_do_not_read_as_one() -> None:
    ratio = "ratio of total lend n to total stock copies"
    assert said(LENT, "calculation", "1.0") == ratio
    assert said(LENT, "output") == "sorted by turnover (highest first)"
    assert said(LENT, "condition") == "only where total n is more than total stock copies"
    whole = said(LENT, "query")
    assert whole.startswith(f"genre and {ratio} of titles; for each title genre")
    assert f"sorted by {ratio} (highest first)" in whole
    assert "only where total lend n is more than total stock copies" in whole


def test_the_one_of_a_fraction_is_not_said() -> None:
    assert (
        said("SELECT cat.height * 1.0 / cat.width FROM cat", "calculation")
        == "ratio of height to width of cats"
    )
    assert said("SELECT 1.5 * cat.height FROM cat", "calculation") == "1.5 times height of cats"


def test_rows_are_counted_of_the_table_that_points_to_the_others() -> None:
    assert said(TOP, "calculation", "ROW") == (
        "row number by number of rows (highest first) within each branch"
    )
    assert said(TOP, "query").startswith("branch name, number of loans and row number by number of loans (")
    stock = (
        "SELECT b.name, COUNT(*) FROM copy c JOIN branch b ON b.branch_id = c.branch_id WHERE c.flag = ''"
        " AND b.kind <> 'D' GROUP BY b.name"
    )
    assert said(stock, "query") == (
        "branch name and number of copies whose flag is empty and whose branch kind is not D;"
        " for each branch (name)"
    )


@pytest.mark.parametrize("column", ["out_dt", "joined"])
def test_a_day_is_before_and_after_and_not_less_and_more(column: str) -> None:
    sql = f"SELECT 1 FROM loan WHERE {column} >= '2024-07-01'"
    assert f"whose {column.replace('_', ' ')} is on or after 2024-07-01" in said(sql, "condition")


COUNTER = "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT n * 2 FROM c"
TREE = (
    "WITH RECURSIVE up(code, d) AS (SELECT code, 0 FROM item WHERE parent IS NULL UNION ALL"
    " SELECT t.code, up.d + 1 FROM item t JOIN up ON up.code = t.parent) SELECT code, d AS depth FROM up"
)


@pytest.mark.parametrize(
    ("sql", "kind", "text"),
    [
        (TREE, "calculation", "d plus 1 of steps"),
        (COUNTER, "condition", "steps whose n is less than 5"),
        (
            COUNTER,
            "query",
            "2 times step n; from: rows, together with n plus 1 of steps whose n is less than 5",
        ),
    ],
)
def test_columns_of_a_recursive_query_have_the_names_of_the_script(sql: str, kind: str, text: str) -> None:
    assert said(sql, kind) == text
