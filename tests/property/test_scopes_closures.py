"""Every part of a query runs by itself and gives what it gives inside the whole: real databases, real SQL."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

import pytest
import sqlglot
from sqlglot import exp

from sqlore.engines import Engine, connect
from sqlore.model import Rows, Schema
from sqlore.sql.scopes.graph import Graph, Node, graph_of
from support import data_dir, one_line

DATABASES = ("superhero", "financial")
_MOST = 100_000


@lru_cache(maxsize=4)
def opened(name: str) -> tuple[Engine, Schema]:
    engine = connect(str(data_dir("bird", "databases", f"{name}.sqlite")))
    return engine, engine.schema()


def scripts(name: str) -> list[tuple[str, str]]:
    """The scripts of one database: those of the development set, and composed ones with CTEs."""
    rows = json.loads(data_dir("bird", "dev.json").read_text(encoding="utf-8"))
    found = [(str(row["question_id"]), row["SQL"]) for row in rows if row["db_id"] == name]
    tasks = json.loads(data_dir("history_tasks", f"{name}.json").read_text(encoding="utf-8"))
    return found + [(str(task["question_id"]), task["SQL"]) for task in tasks]


def graphs(name: str) -> Iterator[tuple[str, Graph]]:
    _, schema = opened(name)
    for key, sql in scripts(name):
        yield key, graph_of(sql, "sqlite", schema)


def rows_of(engine: Engine, sql: str) -> Counter[tuple[object, ...]]:
    return Counter(engine.run(sql, limit=_MOST, timeout=60).rows)


@pytest.mark.parametrize("name", DATABASES)
def test_every_closure_runs_or_says_why(name: str) -> None:
    engine, _ = opened(name)
    count, seen = 0, set[str]()
    for key, graph in graphs(name):
        for node in graph.nodes[:-1]:
            count += 1
            if not node.runnable:
                assert node.reason, (key, node.id)
            elif node.sql not in seen:
                seen.add(node.sql)
                check_columns(node, engine.run(node.sql, limit=5, timeout=60), key)
    assert count > 200


def check_columns(node: Node, found: Rows, key: str) -> None:
    """A node's columns are those of its rows."""
    if node.columns_known and not node.correlated:
        names = [one_line(column.name.lower()) for column in node.columns]
        assert names == [column.lower() for column in found.columns], (key, node.id)


@pytest.mark.parametrize("name", DATABASES)
def test_the_closure_of_the_query_gives_its_rows(name: str) -> None:
    engine, _ = opened(name)
    for key, graph in graphs(name):
        whole = engine.run(graph.sql.rstrip().rstrip(";"), limit=500, timeout=60)
        found = engine.run(graph.final.sql, limit=500, timeout=60)
        assert found.rows == whole.rows, key
        check_columns(graph.final, found, key)


def inside(graph: Graph, node: Node) -> str:
    """The query with a CTE's rows as its result: made by the parser, not from slices of the text."""
    tree = sqlglot.parse_one(graph.sql, dialect="sqlite")
    with_ = tree.args["with_"].copy()
    return f"{with_.sql('sqlite')} SELECT * FROM {node.name}"


@pytest.mark.parametrize("name", DATABASES)
def test_a_part_gives_the_same_rows_inside_the_whole(name: str) -> None:
    engine, _ = opened(name)
    seen = 0
    for key, graph in graphs(name):
        for node in graph.nodes:
            if node.kind == "cte":
                seen += 1
                assert rows_of(engine, node.sql) == rows_of(engine, inside(graph, node)), (key, node.id)
    assert seen > 5


def where_counts(graph: Graph) -> Iterator[tuple[str, str]]:
    """Of a query that is one SELECT: each member of its WHERE, and a COUNT(*) written by the parser."""
    tree = sqlglot.parse_one(graph.sql, dialect="sqlite")
    where = tree.args.get("where")
    if not isinstance(tree, exp.Select) or where is None or tree.args.get("with_") is not None:
        return
    for one in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
        counted = exp.Select(expressions=[exp.Count(this=exp.Star())])
        counted.set("from_", tree.args["from_"].copy())
        counted.set("joins", [join.copy() for join in tree.args.get("joins") or ()])
        counted.set("where", exp.Where(this=one.copy()))
        yield one.sql("sqlite"), counted.sql("sqlite")


@pytest.mark.parametrize("name", ["superhero"])
def test_counts_of_conditions_are_those_of_independent_queries(name: str) -> None:
    from sqlore.answer.explain.explanation import explain
    from sqlore.answer.explain.facts import Counts
    from sqlore.answer.explain.run import figures
    from sqlore.catalog import catalog_from_schema

    engine, schema = opened(name)
    catalog = catalog_from_schema(schema)
    checked = 0
    for key, graph in graphs(name):
        independent = dict(where_counts(graph))
        if not independent:
            continue
        explained = explain(graph.sql, engine, catalog)
        conditions = [
            i for i in explained.node("main").items if i.kind == "condition" and i.clause == "where"
        ]
        wanted = {item.id: item for item in conditions}
        for figure in figures(explained, engine, only=set(wanted), seconds=60, quick=60):
            written = sqlglot.parse_one(wanted[figure.item].fragment.sql, dialect="sqlite").sql("sqlite")
            if written in independent:
                assert isinstance(figure.facts, Counts), (key, figure)
                assert figure.facts.alone == engine.run(independent[written]).rows[0][0], (key, figure)
                checked += 1
    assert checked > 100
