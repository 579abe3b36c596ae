"""Operations found in the tree, and Algorithm 1: on small sets that show each step, and on Spider's."""

from __future__ import annotations

import pytest

from sqlore.errors import SqlError
from sqlore.prompts.coverage import by_coverage, generic_exemplars
from sqlore.prompts.operators import OPERATIONS, operations_of
from sqlore.prompts.training_pairs import Pair
from sqlore.prompts.training_set import training_set
from support import data_dir

BASE = {"SELECT", "FROM"}


@pytest.mark.parametrize(
    ("sql", "more"),
    [
        ("SELECT a FROM t", set()),
        ("SELECT a FROM t WHERE b NOT IN (1, 2)", {"WHERE", "NOT", "IN"}),
        ("SELECT a FROM t WHERE b NOT LIKE 'x%' OR c != 1", {"WHERE", "NOT", "LIKE", "OR", "!="}),
        ("SELECT a FROM t WHERE b IS NOT NULL", {"WHERE", "NOT", "IS NULL"}),
        ("SELECT COUNT(DISTINCT a) FROM t ORDER BY b DESC LIMIT 2 OFFSET 1",
         {"COUNT", "DISTINCT", "ORDER BY", "DESC", "LIMIT", "OFFSET"}),
        ("SELECT a FROM t ORDER BY b ASC", {"ORDER BY"}),
        ("SELECT a FROM t JOIN u ON t.x = u.x", {"JOIN", "="}),
        ("SELECT a FROM t, u", {"JOIN"}),
        ("SELECT a FROM t LEFT OUTER JOIN u USING (x)", {"LEFT JOIN"}),
        ("SELECT a FROM t UNION SELECT a FROM u", {"UNION"}),
        ("SELECT a FROM t UNION ALL SELECT a FROM u", {"UNION ALL"}),
        ("SELECT a FROM t EXCEPT SELECT a FROM u", {"EXCEPT"}),
        ("SELECT SUM(a) OVER (PARTITION BY b ORDER BY c) FROM t",
         {"SUM", "OVER", "PARTITION BY", "ORDER BY"}),
        ("SELECT a FROM t GROUP BY a HAVING MAX(b) BETWEEN 1 AND 2",
         {"GROUP BY", "HAVING", "MAX", "BETWEEN"}),
        ("SELECT CASE WHEN a THEN b ELSE c END || 'x' FROM t", {"CASE", "||"}),
        ("SELECT -a, a - 1, a % 2 FROM t", {"-", "%"}),
        ("SELECT IFNULL(a, 1), SUBSTRING(b, 1, 2) FROM t", {"COALESCE", "SUBSTR"}),
        ("SELECT 'a NOT IN b', \"WHERE\" FROM t", set()),
        ("WITH c AS (SELECT a FROM t) SELECT a FROM c WHERE EXISTS (SELECT 1 FROM t)",
         {"WITH", "WHERE", "EXISTS"}),
    ],
)  # fmt: skip
def test_the_operations_of_a_query(sql: str, more: set[str]) -> None:
    assert operations_of(sql) == BASE | more


@pytest.mark.parametrize(
    ("sql", "dialect", "name"),
    [
        ("SELECT TOP (3) a FROM t", "tsql", "LIMIT"),
        ("SELECT ISNULL(a, 1) FROM t", "tsql", "COALESCE"),
        ("SELECT string_agg(a, ',') FROM t", "postgres", "GROUP_CONCAT"),
        ("SELECT a::real FROM t", "duckdb", "CAST"),
    ],
)
def test_an_operation_has_one_name_in_all_dialects(sql: str, dialect: str, name: str) -> None:
    assert name in operations_of(sql, dialect)


def test_what_is_no_query_has_no_operations() -> None:
    with pytest.raises(SqlError):
        operations_of("DROP TABLE t")


def pairs(*sql: str, database: str = "a") -> list[Pair]:
    return [Pair(database, f"question {n}", one) for n, one in enumerate(sql)]


def chosen(*sql: str) -> list[str]:
    return [pair.sql for pair in generic_exemplars(pairs(*sql)).exemplars]


def test_a_query_is_taken_only_where_it_shows_something_new() -> None:
    first, again, new = "SELECT a FROM t WHERE b > 1", "SELECT c FROM t WHERE d > 2", "SELECT MAX(a) FROM t"
    assert chosen(first, again, new) == [first, new]


def test_exemplars_that_a_new_one_holds_are_dropped() -> None:
    small, other, large = "SELECT a FROM t", "SELECT MIN(a) FROM t", "SELECT a FROM t WHERE b > 1"
    assert chosen(small, other, large) == [other, large]


def test_it_stops_where_everything_is_covered() -> None:
    whole = "SELECT a FROM t WHERE b > 1 ORDER BY c"
    assert chosen(whole, "SELECT a FROM t ORDER BY c", "SELECT x FROM u WHERE y > 1 ORDER BY z") == [whole]


def test_the_database_with_the_most_operations_comes_first() -> None:
    few, many = pairs("SELECT a FROM t"), pairs("SELECT MAX(a) FROM t", "SELECT a FROM t", database="b")
    tied = pairs("SELECT MIN(a) FROM t", database="c")
    assert [pair.database for pair in by_coverage([*few, *tied, *many])] == ["c", "b", "b", "a"]


def test_what_does_not_fit_is_passed_over_and_named() -> None:
    sql = [
        "SELECT a FROM t WHERE b > 1",
        "SELECT MAX(a) FROM t",
        "SELECT a FROM t ORDER BY b",
        "SELECT MIN(a) FROM t",
    ]
    cost = {sql[0]: 5, sql[1]: 3, sql[2]: 9, sql[3]: 2}
    selection = generic_exemplars(pairs(*sql), budget=10, cost=lambda ps: sum(cost[p.sql] for p in ps))
    assert [pair.sql for pair in selection.exemplars] == [sql[0], sql[1], sql[3]]
    assert selection.missing == ("ORDER BY",)
    assert "ORDER BY" in selection.wanted


def test_spiders_training_set() -> None:
    """The paper: 16 exemplars of 4 databases for 32 operators (sections 4.2 and 5.2)."""
    spider = training_set(data_dir("spider"))
    selection = generic_exemplars(spider.pairs)
    assert len(selection.wanted) == 32
    assert selection.missing == ()
    assert (len(selection.exemplars), selection.databases) == (
        18,
        ("bike_1", "college_2", "formula_1", "inn_1"),
    )
    assert generic_exemplars(spider.pairs) == selection


def test_spiders_training_set_without_what_the_papers_exemplars_do_not_show() -> None:
    """None of the 16 exemplars of the paper's appendix A.3.1 has ``!=`` or ``<=``."""
    known = [p for p in training_set(data_dir("spider")).pairs if not operations_of(p.sql) & {"!=", "<="}]
    selection = generic_exemplars(known)
    assert (len(selection.wanted), len(selection.exemplars)) == (30, 16)


def test_each_exemplar_of_spider_adds_something_that_no_other_holds() -> None:
    exemplars = generic_exemplars(training_set(data_dir("spider")).pairs).exemplars
    used = [operations_of(pair.sql) for pair in exemplars]
    assert not any(a <= b for n, a in enumerate(used) for b in used[n + 1 :])


def test_the_set_has_no_name_twice() -> None:
    names = [name for group in OPERATIONS.values() for name in group]
    assert len(names) == len(set(names))
