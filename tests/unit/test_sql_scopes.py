"""Structure of queries beyond the golden cases: size, errors, placeholders, offsets of real scripts."""

from __future__ import annotations

import json

import pytest

from sqlore.errors import NotAQuery, ParseError
from sqlore.sql import parse_script
from sqlore.sql.scopes.graph import graph_of
from sqlore.sql.scopes.text import Texts
from support import data_dir


def chain(length: int) -> str:
    """A query of that many CTEs, each of which reads the one before it."""
    steps = [f"c{i} AS (SELECT id, n FROM {f'c{i - 1}' if i else 't'} WHERE n > {i})" for i in range(length)]
    return f"WITH {', '.join(steps)} SELECT * FROM c{length - 1}"


def test_a_long_chain_of_ctes_is_read() -> None:
    graph = graph_of(chain(300), "sqlite")
    assert len(graph.nodes) == 302
    assert [node.id for node in graph.nodes[:3]] == ["table:t", "cte:c0", "cte:c1"]
    assert [column.name for column in graph.final.columns] == ["id", "n"]
    assert graph.node("cte:c7").depends == ("table:t", *(f"cte:c{i}" for i in range(7)))
    assert graph.node("cte:c1").sql.startswith("WITH c0 AS (")


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("DELETE FROM t", NotAQuery),
        ("SELECT FROM", ParseError),
        ("", NotAQuery),
        ("SELECT 1; SELECT 2", ParseError),
    ],
)
def test_what_is_not_one_query_is_refused(sql: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        graph_of(sql, "sqlite")


@pytest.mark.parametrize("hole", ["?", ":x", "@x", "$1", "%(x)s", "{{ x }}", "##x##"])
def test_every_kind_of_placeholder_is_a_missing_value(hole: str) -> None:
    graph = graph_of(f"SELECT a FROM (SELECT a FROM t WHERE b = {hole}) q WHERE a IN (SELECT c FROM u)")
    assert "placeholder" in graph.node("main/subquery:1").reason
    assert "placeholder" in graph.final.reason
    assert graph.node("main/subquery:2").runnable
    assert not graph_of("SELECT a FROM t WHERE b = 0 AND c = '?' AND d = .0").final.reason


def test_the_final_closure_is_the_text_itself() -> None:
    sql = "-- of last year\nWITH a AS (SELECT 1 AS x) -- one\nSELECT x FROM a;"
    graph = graph_of(sql, "sqlite")
    assert graph.final.sql == "WITH a AS (SELECT 1 AS x) -- one\nSELECT x FROM a"
    assert graph.final.own == "SELECT x FROM a"


def test_a_node_knows_every_place_that_names_it() -> None:
    sql = 'SELECT 1 FROM "Emp" e JOIN main.emp b ON e.id = b.id'
    graph = graph_of(sql, "sqlite")
    assert [sql[start:end] for start, end in graph.node("table:emp").spans] == ['"Emp"', "main.emp"]


@pytest.mark.parametrize(
    ("file", "dialect"), [("bird/mini_dev_postgresql.json", "postgres"), ("bird/train.json", "sqlite")]
)
def test_real_scripts_are_all_explained(file: str, dialect: str) -> None:
    rows = json.loads(data_dir(*file.split("/")).read_text(encoding="utf-8"))
    count = 0
    for row in rows[:: max(1, len(rows) // 300)]:
        sql = row["SQL"]
        graph = graph_of(sql, dialect)
        count += 1
        assert graph.fragments == parse_script(sql, dialect).fragments
        assert all(node.runnable for node in graph.nodes), sql
        for node in graph.nodes:
            assert sql[node.start : node.end] == node.own != "", (sql, node.id)
            for piece in node.pieces:
                assert node.start <= piece.fragment.start < piece.fragment.end <= node.end, (sql, node.id)
            joins = node.parts.joins if node.parts is not None else ()
            assert bool(joins) == bool(node.parts is not None and node.parts.source), (sql, node.id)
    assert count >= 300


def test_a_chain_of_unions_is_found_without_looking_at_all_of_it_for_each_member(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[int] = []
    find = Texts._find_leaves
    monkeypatch.setattr(Texts, "_find_leaves", lambda self, here: looked.append(1) or find(self, here))
    sql = " UNION ALL ".join(f"SELECT {n} AS a" for n in range(60))
    nodes = graph_of(sql, "sqlite").nodes
    assert len(looked) <= 2 * 60
    assert [node.sql for node in nodes if node.sql == "SELECT 31 AS a"]
