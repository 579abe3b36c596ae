"""Explanations and their figures: a small firm in two engines, its numbers counted by hand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli_helpers import make_duckdb, make_sqlite
from sqlore.answer.explain.as_json import explanation_json, figure_json
from sqlore.answer.explain.explanation import explain
from sqlore.answer.explain.facts import Counts, Figure, Groups, Joined, Sample, Values
from sqlore.answer.explain.figures import costs_of, jobs_of
from sqlore.answer.explain.model import Explanation
from sqlore.answer.explain.run import figures
from sqlore.catalog import Catalog, catalog_from_schema
from sqlore.engines import Engine, connect
from sqlore.errors import NotAQuery, ParseError
from sqlore.model import Draft, Script

FIRM = (
    "CREATE TABLE dept (id INTEGER PRIMARY KEY, name TEXT, city TEXT)",
    "CREATE TABLE emp (id INTEGER PRIMARY KEY, name TEXT, dept_id INTEGER, boss_id INTEGER, salary REAL)",
    "CREATE TABLE sale (id INTEGER PRIMARY KEY, emp_id INTEGER, amount REAL, kind TEXT)",
    "INSERT INTO dept VALUES (1, 'A', 'x'), (2, 'B', 'y'), (3, 'C', 'x')",
    "INSERT INTO emp VALUES (1, 'ann', 1, NULL, 100), (2, 'bob', 1, 1, 80), (3, 'cid', 2, 1, 70),"
    " (4, 'dee', NULL, 3, 60), (5, 'eve', 2, 3, 60)",
    "INSERT INTO sale VALUES (1, 2, 10, 'p'), (2, 2, 20, 'q'), (3, 3, 5, 'p'), (4, 5, 50, 'p'),"
    " (5, 9, 1, 'q')",
)
SLOW = (
    "SELECT COUNT(*) FROM emp a, emp b, emp c, emp d, emp e, emp f, emp g, emp h, emp i, emp j, emp k, emp l,"
    " emp m, emp n, emp o"
    " WHERE a.salary + b.salary + c.salary + d.salary + e.salary + f.salary + g.salary > h.salary"
)


@pytest.fixture(scope="module", params=["sqlite", "duckdb"])
def firm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("firm")
    made = make_sqlite if request.param == "sqlite" else make_duckdb
    with connect(str(made(folder / f"firm.{request.param}", FIRM))) as engine:
        yield engine


@pytest.fixture(scope="module")
def catalog(firm: Engine) -> Catalog:
    return catalog_from_schema(firm.schema())


class Seen:
    """The figures of one query by the SQL of their items, those of nodes by the node's id."""

    def __init__(self, sql: str, engine: Engine, catalog: Catalog) -> None:
        self.explained = explain(sql, engine, catalog)
        self.figures = list(figures(self.explained, engine))
        names = {item.id: item.fragment.sql for item in self.explained.items}
        self.by_sql = {names.get(figure.item, figure.node): figure for figure in self.figures}

    def facts(self, sql: str) -> object:
        figure = self.by_sql[sql]
        assert figure.status == "done", figure
        return figure.facts


# -------------------------------------------------------------- what is said at once


def test_items_are_described_in_the_order_of_computing() -> None:
    found = explain(
        "SELECT dept_id, AVG(salary) FROM emp WHERE salary > 60 GROUP BY dept_id HAVING COUNT(*) > 1 LIMIT 5",
        dialect="sqlite",
    )
    assert [(i.kind, i.clause) for i in found.items] == [
        ("condition", "where"),
        ("dimension", "group"),
        ("condition", "having"),
        ("calculation", "select"),
        ("output", "order"),
    ]
    assert found.items[0].description == "emp rows whose salary is more than 60"
    assert len({item.id for item in found.items}) == len(found.items)


def test_ids_are_unique_where_one_text_gives_two_edges(firm: Engine, catalog: Catalog) -> None:
    found = explain("SELECT * FROM emp NATURAL JOIN dept", firm, catalog)
    edges = [item for item in found.items if item.fragment.form == "edge"]
    assert len(edges) == 2  # id and name
    assert len({item.id for item in edges}) == 2
    assert found.item(edges[1].id) is edges[1]
    with pytest.raises(KeyError):
        found.item("main@0-0:edge")


def test_what_is_no_query_is_refused(firm: Engine) -> None:
    with pytest.raises(NotAQuery):
        explain("DELETE FROM emp", firm)
    with pytest.raises(ParseError):
        explain("SELECT FROM WHERE", firm)


def test_citations_are_those_of_the_draft_or_the_store(
    firm: Engine, catalog: Catalog, tmp_path: Path
) -> None:
    from sqlore.answer.cite import cite
    from sqlore.knowledge import Store, learn

    history = [Script("SELECT name FROM emp WHERE salary > 50", key="1", question="well paid people")]
    sql = "SELECT name FROM emp WHERE salary > 70 AND boss_id IS NULL"
    with Store.create(tmp_path / "firm.sqlore") as store:
        learn(store, history, catalog=catalog, dialect=firm.dialect)
        found = explain(sql, firm, catalog, store)
        cited = cite(sql, store, firm.dialect, catalog.schema)
    statuses = {i.fragment.sql: i.citation.status for i in found.items if i.citation is not None}
    assert statuses["salary > 70"] == "cited"
    assert statuses["boss_id IS NULL"] != "cited"
    again = explain(Draft("who?", sql, citations=cited), firm, catalog)
    assert again == replace(found, question="who?")


def test_json_is_plain_and_complete(firm: Engine, catalog: Catalog) -> None:
    seen = Seen(
        "SELECT d.name, COUNT(*) FROM dept d JOIN emp e ON e.dept_id = d.id GROUP BY d.name", firm, catalog
    )
    made = json.loads(json.dumps(explanation_json(seen.explained)))
    assert [node["id"] for node in made["nodes"]] == ["table:dept", "table:emp", "main"]
    assert {e["how"] for e in made["edges"]} == {"from"}
    assert [i["kind"] for i in made["nodes"][-1]["items"]] == [
        "relation",
        "relation",
        "dimension",
        "calculation",
    ]
    shown = json.loads(json.dumps([figure_json(figure) for figure in seen.figures], default=str))
    edge = next(f for f in shown if f["item"] and f["item"].endswith(":edge"))
    assert edge["facts"]["type"] == "joined"
    assert edge["facts"]["multiplies"] is True
    assert edge["status"] == "done"


# -------------------------------------------------------------- figures


def test_every_item_and_node_has_one_figure(firm: Engine, catalog: Catalog) -> None:
    seen = Seen("SELECT DISTINCT name FROM emp WHERE salary > 60 ORDER BY name LIMIT 2", firm, catalog)
    wanted = {item.id for item in seen.explained.items} | {node.id for node in seen.explained.nodes}
    assert sorted(figure.item or figure.node for figure in seen.figures) == sorted(wanted)


def test_conditions_alone_and_together(firm: Engine, catalog: Catalog) -> None:
    seen = Seen(
        "SELECT name FROM emp e WHERE salary >= 70 AND (dept_id = 2 OR boss_id IS NULL)"
        " AND EXISTS (SELECT 1 FROM sale s WHERE s.emp_id = e.id)",
        firm,
        catalog,
    )
    assert seen.facts("salary >= 70") == Counts(3, 1, 5)
    assert seen.facts("dept_id = 2") == Counts(2, 1, 5)
    assert seen.facts("boss_id IS NULL") == Counts(1, 1, 5)
    assert seen.facts("EXISTS (SELECT 1 FROM sale s WHERE s.emp_id = e.id)") == Counts(3, 1, 5)
    assert seen.facts("s.emp_id = e.id") == Counts(4, 4, 25)  # over the five outer rows


def test_conditions_of_groups_and_of_joins(firm: Engine, catalog: Catalog) -> None:
    seen = Seen(
        "SELECT dept_id AS d, COUNT(*) AS n FROM emp"
        " LEFT JOIN sale ON sale.emp_id = emp.id AND sale.kind = 'p'"
        " GROUP BY 1 HAVING COUNT(*) > 1 AND MAX(salary) < 90",
        firm,
        catalog,
    )
    assert seen.facts("sale.kind = 'p'") == Counts(5, 5, 6)
    assert seen.facts("COUNT(*) > 1") == Counts(2, 1, 3, "groups")
    assert seen.facts("MAX(salary) < 90") == Counts(2, 1, 3, "groups")


def test_a_condition_that_nothing_meets_is_warned_of(firm: Engine, catalog: Catalog) -> None:
    seen = Seen("SELECT name FROM emp WHERE salary > 70 AND name = 'nobody'", firm, catalog)
    assert seen.facts("name = 'nobody'") == Counts(0, 0, 5)
    assert "no row" in seen.by_sql["name = 'nobody'"].warning


JOINS = [
    # from, edge, rows after, lost, kept without a match, too many
    ("dept d JOIN emp e ON e.dept_id = d.id", "e.dept_id = d.id", 4, 1, 0, 2),
    ("emp e JOIN dept d ON e.dept_id = d.id", "e.dept_id = d.id", 4, 1, 0, 0),
    ("dept d LEFT JOIN emp e ON e.dept_id = d.id", "e.dept_id = d.id", 5, 0, 1, 2),
    ("emp e RIGHT JOIN dept d ON e.dept_id = d.id", "e.dept_id = d.id", 5, 1, 0, 0),
    ("dept d FULL JOIN emp e ON e.dept_id = d.id", "e.dept_id = d.id", 6, 0, 1, 2),
    ("dept d, emp e WHERE e.dept_id = d.id AND e.salary > 0", "e.dept_id = d.id", 4, 1, 0, 2),
    ("emp JOIN sale USING (id)", "USING (id)", 5, 0, 0, 0),
]


@pytest.mark.parametrize(("source", "edge", "rows", "lost", "unmatched", "multiplied"), JOINS)
def test_joins_lose_keep_and_multiply(
    firm: Engine,
    catalog: Catalog,
    source: str,
    edge: str,
    rows: int,
    lost: int,
    unmatched: int,
    multiplied: int,
) -> None:
    seen = Seen(f"SELECT 1 AS one FROM {source}", firm, catalog)
    found = seen.facts(edge)
    assert isinstance(found, Joined)
    assert (found.rows, found.lost, found.unmatched, found.multiplied) == (rows, lost, unmatched, multiplied)
    assert ("several" in seen.by_sql[edge].text) == bool(multiplied)
    assert "several" not in seen.by_sql[edge].warning  # nothing is added up
    assert found.rows == firm.run(f"SELECT COUNT(*) FROM {source}").rows[0][0]


def test_a_whole_from_clause_tells_its_joins_one_by_one(firm: Engine, catalog: Catalog) -> None:
    seen = Seen(
        "SELECT d.name FROM dept d JOIN emp e ON e.dept_id = d.id CROSS JOIN sale s WHERE s.id < 3",
        firm,
        catalog,
    )
    clause = next(i for i in seen.explained.items if i.kind == "relation" and i.fragment.form == "clause")
    found = seen.facts(clause.fragment.sql)
    assert isinstance(found, Joined)
    assert (found.rows, found.columns) == (20, 3 + 5 + 4)
    assert [(step.before, step.rows, step.multiplied) for step in found.steps] == [(3, 4, 2), (4, 20, 16)]
    assert found.multiplies
    assert seen.by_sql[clause.fragment.sql].warning == ""


def test_dimensions(firm: Engine, catalog: Catalog) -> None:
    seen = Seen(
        "SELECT d.city, COUNT(*), RANK() OVER (PARTITION BY d.city ORDER BY d.city) FROM dept d"
        " JOIN emp e ON e.dept_id = d.id GROUP BY d.city, e.boss_id",
        firm,
        catalog,
    )
    group = seen.facts("GROUP BY d.city, e.boss_id")
    assert isinstance(group, Groups)
    assert group.distinct == 4
    assert sum(group.rows) == 4
    window = seen.facts("PARTITION BY d.city")
    assert isinstance(window, Groups)
    assert dict(zip(window.values, window.rows, strict=True)) == {("x",): 2, ("y",): 2}


def test_calculations_whatever_their_surroundings(firm: Engine, catalog: Catalog) -> None:
    seen = Seen(
        "SELECT CASE WHEN salary > 70 THEN 'hi' ELSE 'lo' END AS band, SUM(salary) * 2 AS twice FROM emp"
        " GROUP BY band HAVING twice > 0 ORDER BY COUNT(*) * 10 DESC",
        firm,
        catalog,
    )
    bands = seen.facts("CASE WHEN salary > 70 THEN 'hi' ELSE 'lo' END")
    assert isinstance(bands, Values)
    assert sorted(bands.values) == ["hi", "lo"]
    sums = seen.facts("SUM(salary) * 2")
    assert isinstance(sums, Values)
    assert sorted(sums.values) == [360, 380]
    order = seen.facts("COUNT(*) * 10")
    assert isinstance(order, Values)
    assert sorted(order.values) == [20, 30]


def test_a_calculation_of_a_correlated_subquery(firm: Engine, catalog: Catalog) -> None:
    seen = Seen(
        "SELECT name, (SELECT SUM(s.amount) FROM sale s WHERE s.emp_id = e.id) AS total FROM emp e",
        firm,
        catalog,
    )
    found = seen.facts("SUM(s.amount)")
    assert isinstance(found, Values)
    assert set(found.values) == {None, 30, 5, 50}
    rows = seen.facts("main/subquery:1")
    assert isinstance(rows, Sample)
    assert set(rows.rows) == {(1, None), (2, 30), (3, 5), (4, None), (5, 50)}


def test_output_tells_what_distinct_and_limit_leave(firm: Engine, catalog: Catalog) -> None:
    seen = Seen("SELECT DISTINCT kind FROM sale ORDER BY kind LIMIT 1", firm, catalog)
    distinct, limit = seen.facts("DISTINCT"), seen.facts("ORDER BY kind LIMIT 1")
    assert isinstance(distinct, Sample)
    assert isinstance(limit, Sample)
    assert (distinct.before, limit.before) == (5, 2)
    assert limit.rows == (("p",),)


def test_parts_of_set_operations_and_recursion(firm: Engine, catalog: Catalog) -> None:
    seen = Seen(
        "WITH RECURSIVE chain(id, depth) AS (SELECT id, 0 FROM emp WHERE boss_id IS NULL UNION ALL"
        " SELECT e.id, c.depth + 1 FROM emp e JOIN chain c ON e.boss_id = c.id) SELECT depth FROM chain",
        firm,
        catalog,
    )
    assert seen.facts("boss_id IS NULL") == Counts(1, 1, 5)
    chain = seen.facts("cte:chain")
    assert isinstance(chain, Sample)
    assert chain.count == 5
    step = seen.facts("e.boss_id = c.id")
    assert isinstance(step, Joined)
    assert (step.before, step.rows, step.lost) == (5, 4, 1)


def test_large_results_are_counted_not_fetched(firm: Engine, catalog: Catalog) -> None:
    seen = Seen("SELECT a.name FROM emp a, emp b, emp c", firm, catalog)
    found = seen.facts("main")
    assert isinstance(found, Sample)
    assert found.count == 125
    assert len(found.rows) == 10


def test_what_cannot_be_computed_says_why(firm: Engine, catalog: Catalog) -> None:
    seen = Seen("SELECT name, no_such_function(salary) FROM emp WHERE name = :name", firm, catalog)
    figure = seen.by_sql["name = :name"]
    assert (figure.status, figure.text) == ("failed", "it holds a placeholder: a value is missing")
    broken = Seen("SELECT no_such_function(salary) FROM emp WHERE salary > 60", firm, catalog)
    assert broken.by_sql["no_such_function(salary)"].status == "failed"
    assert "no_such_function" in broken.by_sql["no_such_function(salary)"].text
    assert broken.facts("salary > 60") == Counts(3, 3, 5)


# -------------------------------------------------------------- how they come


def test_the_cheapest_come_first(firm: Engine, catalog: Catalog) -> None:
    tables = tuple(replace(t, rows={"sale": 9_000_000, "emp": 5}.get(t.name)) for t in catalog.schema.tables)
    sized = replace(catalog, schema=replace(catalog.schema, tables=tables))
    found = explain("WITH s AS (SELECT emp_id FROM sale) SELECT name FROM emp WHERE salary > 1", firm, sized)
    order = [job.item or job.node for job in jobs_of(found)]
    assert order.index("table:emp") < order.index("main") < order.index("table:sale")
    correlated = explain(
        "SELECT (SELECT MAX(s.id) FROM sale s WHERE s.emp_id = e.id) FROM emp e", firm, sized
    )
    assert costs_of(correlated)["main/subquery:1"] == 45_000_000


def slow_one(firm: Engine, catalog: Catalog) -> Explanation:
    return explain(f"WITH a AS (SELECT name FROM emp WHERE salary > 60) {SLOW}", firm, catalog)


def test_a_slow_figure_says_so_and_holds_up_no_other(firm: Engine, catalog: Catalog) -> None:
    found = slow_one(firm, catalog)
    came: list[Figure] = list(figures(found, firm, quick=0.4, seconds=1, only=["cte:a", "main"]))
    slow = [figure for figure in came if figure.status == "slow"]
    assert {figure.node for figure in slow} == {"main"}
    first_end = next(n for n, figure in enumerate(came) if figure.status == "timeout")
    assert all(came.index(f) < first_end for f in came if f.node == "cte:a")
    # Each comes once more, when the others are through; a busy machine may call a quick one slow.
    ends = [figure for figure in came if figure.node == "main" and figure.status != "slow"]
    assert {figure.item for figure in slow} <= {figure.item for figure in ends}
    assert {figure.status for figure in ends} <= {"timeout", "done"}
    assert "" in {figure.item for figure in ends if figure.status == "timeout"}


def test_cancelling_ends_what_runs_and_says_what_is_missing(firm: Engine, catalog: Catalog) -> None:
    found = slow_one(firm, catalog)
    cancel = threading.Event()
    came = []
    for figure in figures(found, firm, quick=60, seconds=60, cancel=cancel):
        came.append(figure)
        if figure.node == "cte:a":
            cancel.set()
    assert {figure.status for figure in came if figure.node == "main"} == {"cancelled"}
    assert firm.run("SELECT COUNT(*) FROM emp").rows == ((5,),)  # the caller's own connection lives on


def test_closing_the_iterator_ends_the_workers(firm: Engine, catalog: Catalog) -> None:
    before = threading.active_count()
    running = figures(slow_one(firm, catalog), firm, quick=60, seconds=60)
    next(running)
    running.close()
    names = [thread.name for thread in threading.enumerate()]
    assert "sqlore-figures" not in names
    assert threading.active_count() <= before + 1  # DuckDB's own thread may still be ending


def test_only_what_is_wanted_is_computed(firm: Engine, catalog: Catalog) -> None:
    found = explain("SELECT name FROM emp WHERE salary > 60", firm, catalog)
    item = found.items[0].id
    assert [figure.item for figure in figures(found, firm, only=[item])] == [item]
    assert list(figures(found, firm, only=[])) == []


def test_a_join_that_loses_rows_for_a_table_that_is_not_used(firm: Engine, catalog: Catalog) -> None:
    sql = (
        "SELECT e.dept_id, COUNT(e.id) FROM emp e JOIN dept d ON d.id = e.dept_id"
        " JOIN sale s ON s.emp_id = e.id AND s.kind = 'q' WHERE d.city = 'x' GROUP BY e.dept_id"
    )
    seen = Seen(sql, firm, catalog)
    link = seen.by_sql["s.emp_id = e.id"]
    assert isinstance(link.facts, Joined)
    assert (link.facts.lost, link.facts.before, link.facts.unused) == (3, 4, "sale")
    assert "3 of 4 rows lost, and nothing else of sale is used" in link.text
    other = seen.facts("d.id = e.dept_id")
    assert isinstance(other, Joined)
    assert (other.lost, other.unused) == (1, "")
    whole = next(f for f in seen.figures if isinstance(f.facts, Joined) and f.facts.steps)
    assert whole.text.endswith("sale loses 3 of 4 rows")


@pytest.mark.parametrize("shown", ["COUNT(*)", "COUNT(amount)", "e.id, s.amount"])
def test_a_table_whose_rows_are_counted_or_shown_is_used(firm: Engine, catalog: Catalog, shown: str) -> None:
    sql = f"SELECT {shown} FROM emp e JOIN sale s ON s.emp_id = e.id"
    facts = Seen(sql, firm, catalog).facts("s.emp_id = e.id")
    assert isinstance(facts, Joined)
    assert (facts.lost, facts.unused) == (2, "")


# -------------------------------------------------------------- columns outside GROUP BY


def test_a_column_outside_group_by_is_told_where_a_group_has_several(firm: Engine, catalog: Catalog) -> None:
    if firm.dialect != "sqlite":
        pytest.skip("it is an error there")

    def warning(sql: str, piece: str) -> str:
        return Seen(sql, firm, catalog).by_sql[piece].warning

    joined = "FROM dept d JOIN emp e ON e.dept_id = d.id GROUP BY"
    assert warning(f"SELECT e.id, COUNT(*) {joined} d.name", "GROUP BY d.name") == (
        "e.id is not grouped by: 2 of 2 groups have several of it, and any one of them is shown"
    )
    assert warning("SELECT id, COUNT(*) FROM dept GROUP BY city", "GROUP BY city") == (
        "id is not grouped by: 1 of 2 groups has several of it, and any one of them is shown"
    )
    assert not warning("SELECT id FROM dept GROUP BY city HAVING COUNT(*) = 1", "GROUP BY city")
    assert not warning(f"SELECT d.name, COUNT(*) {joined} d.id", "GROUP BY d.id")
    assert not warning("SELECT UPPER(city) AS c, COUNT(*) FROM dept GROUP BY city", "GROUP BY city")
    assert not warning("SELECT city AS c, COUNT(*) FROM dept GROUP BY c", "GROUP BY c")
    assert not warning("SELECT name, MAX(salary) FROM emp GROUP BY dept_id", "GROUP BY dept_id")
