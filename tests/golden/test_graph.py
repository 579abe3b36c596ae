"""The golden cases of `graph/`: a query in, its graph out, as written there.

Expected lines: ``nodes`` and ``edges`` are complete (nodes in order); ``sql NODE``, ``reason NODE``,
``columns NODE`` and ``items NODE`` speak of one node; every node that a case has no ``reason`` line for must
be runnable, and without a ``sql`` line nothing is said of how.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from sqlore.model import Column, Schema, Table
from sqlore.sql.scopes.graph import Graph, Node, graph_of

_spec = importlib.util.spec_from_file_location("golden_reader", Path(__file__).with_name("reader.py"))
assert _spec is not None
assert _spec.loader is not None
reader = sys.modules.setdefault("golden_reader", importlib.util.module_from_spec(_spec))
_spec.loader.exec_module(reader)


def typed(schema: Schema | None) -> Schema | None:
    """The schema of a case: a column is its name and its type."""
    if schema is None:
        return None
    tables = [
        Table(table.name, tuple(Column(*column.name.split(None, 1)) for column in table.columns))
        for table in schema.tables
    ]
    return Schema(tuple(tables), dialect=schema.dialect)


def said(graph: Graph, node: Node) -> dict[str, str]:
    """What can be expected of one node."""
    return {
        f"sql {node.id}": " ".join(node.sql.split()),
        f"reason {node.id}": node.reason,
        f"columns {node.id}": ", ".join(f"{c.name} {c.type}".strip() for c in node.columns)
        + ("" if node.columns_known else " and others"),
        f"items {node.id}": "; ".join(f"{p.clause}: {' '.join(p.fragment.sql.split())}" for p in node.pieces),
    }


CASES = [
    pytest.param(case, dialect, id=f"{case.place}-{dialect}-{case.title}".replace(" ", "_"))
    for case in reader.read_cases("graph")
    for dialect in case.dialects
]


@pytest.mark.parametrize(("case", "dialect"), CASES)
def test_graph(case: reader.Case, dialect: str) -> None:
    (text,) = case.texts
    graph = graph_of(text, dialect, typed(case.schema))
    found = {
        "nodes": ", ".join(node.id for node in graph.nodes),
        "edges": "; ".join(sorted(f"{e.source} {e.how} {e.target}" for e in graph.edges)),
    }
    for node in graph.nodes:
        found |= said(graph, node)
    expected = dict(line.split(": ", 1) for line in case.expected)
    assert {"nodes", "edges"} <= expected.keys(), f"{case.place}: nodes and edges are always expected"
    assert {key: found.get(key) for key in expected} == expected
    for node in graph.nodes:
        assert node.runnable or f"reason {node.id}" in expected, node.id
        assert text[node.start : node.end] == node.own


def test_the_cases_are_many() -> None:
    cases = list(reader.read_cases("graph"))
    assert len(cases) >= 25
    assert len({case.title for case in cases}) == len(cases)
