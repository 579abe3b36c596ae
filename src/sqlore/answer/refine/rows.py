"""What a change does to the rows that are joined: said before it is applied, whatever the change was."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqlore.answer.explain.sql import NodeSql
from sqlore.answer.refine.history import Refinement
from sqlore.answer.refine.room import MAY_REPEAT
from sqlore.errors import EngineError, SqlError
from sqlore.model import Schema
from sqlore.sql.scopes.graph import Graph, Node, graph_of

if TYPE_CHECKING:
    from sqlore.engines import Engine

__all__ = ["with_rows"]

SECONDS: Final = 2.0
"""How long one count may take; without it a change says what may happen."""


def with_rows(step: Refinement, engine: Engine, schema: Schema | None) -> Refinement:
    """The step with a note on how many joined rows there are before it and after it, where it joins tables.

    Where that cannot be counted in time the step is as it was.
    """
    try:
        sides = [graph_of(sql, engine.dialect, schema) for sql in (step.before, step.after)]
        nodes = [_joining(graph, step) for graph in sides]
        if nodes[0] is None or nodes[1] is None or nodes[0].sql == nodes[1].sql:
            return step
        if _sources(nodes[0]) >= _sources(nodes[1]):
            return step
        before, after = (_count(engine, node) for node in nodes if node is not None)
    except (SqlError, EngineError):
        return step
    notes = tuple(note for note in step.notes if MAY_REPEAT not in note)
    return replace(step, notes=(*notes, _said(before, after)))


def _said(before: int, after: int) -> str:
    """The note.

    >>> _said(830, 86320), _said(5, 5), _said(5, 4)
    ('the joins give 86,320 rows, 830 before: rows are repeated', 'the joins give 5 rows as before', \
'the joins give 4 rows, 5 before')
    """
    if before == after:
        return f"the joins give {after:,} row{'' if after == 1 else 's'} as before"
    why = ": rows are repeated" if after > before else ""
    return f"the joins give {after:,} row{'' if after == 1 else 's'}, {before:,} before{why}"


def _joining(graph: Graph, step: Refinement) -> Node | None:
    """The innermost SELECT in which a step changes the text."""
    at = min((edit.start for edit in step.edits), default=-1)
    around = [node for node in graph.nodes if node.parts is not None and node.start <= at <= node.end]
    return min(around, key=lambda node: node.end - node.start, default=None)


def _sources(node: Node) -> int:
    return len(node.parts.joins) if node.parts is not None else 0


def _count(engine: Engine, node: Node) -> int:
    sql = NodeSql(node)
    rows = engine.run(sql.count([sql.source]), limit=1, timeout=SECONDS).rows
    return int(rows[0][0] or 0)
