"""Explanations and figures as plain data. These keys are stable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlore.answer.explain.facts import Figure, Joined
from sqlore.answer.explain.model import ExplainedNode, Explanation, Item
from sqlore.model import Citation

__all__ = ["explanation_json", "figure_json"]


def figure_json(figure: Figure) -> dict[str, Any]:
    """One figure as plain data; values of the database stay as they are.

    >>> figure_json(Figure("main", "", "rows", "failed", text="no such table"))["facts"] is None
    True
    """
    facts = None
    if figure.facts is not None:
        facts = {"type": type(figure.facts).__name__.lower(), **asdict(figure.facts)}
        if isinstance(figure.facts, Joined):
            facts["multiplies"] = figure.facts.multiplies
    return {
        "node": figure.node,
        "item": figure.item or None,
        "kind": figure.kind,
        "status": figure.status,
        "facts": facts,
        "text": figure.text,
        "warning": figure.warning or None,
        "seconds": round(figure.seconds, 4),
    }


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """The explanation as plain data, without figures."""
    return {
        "sql": explanation.sql,
        "dialect": explanation.dialect,
        "description": explanation.description,
        "citation": _citation_json(explanation.citation),
        "nodes": [_node_json(one) for one in explanation.nodes],
        "edges": [{"source": e.source, "target": e.target, "how": e.how} for e in explanation.edges],
    }


def _node_json(one: ExplainedNode) -> dict[str, Any]:
    node = one.node
    return {
        "id": node.id,
        "name": node.name,
        "kind": node.kind,
        "usage": node.usage or None,
        "start": node.start,
        "end": node.end,
        "spans": [list(span) for span in node.spans],
        "sql": node.sql or None,
        "reason": node.reason or None,
        "correlated": node.correlated,
        "recursive": node.recursive,
        "depends": list(node.depends),
        "columns": [{"name": column.name, "type": column.type or None} for column in node.columns],
        "columns_known": node.columns_known,
        "description": one.description,
        "rows": one.rows,
        "items": [_item_json(item) for item in one.items],
    }


def _item_json(item: Item) -> dict[str, Any]:
    fragment = item.fragment
    return {
        "id": item.id,
        "kind": fragment.kind,
        "form": fragment.form,
        "clause": item.clause,
        "sql": fragment.sql,
        "start": fragment.start,
        "end": fragment.end,
        "skeleton": fragment.skeleton,
        "name": item.name,
        "description": item.description,
        "citation": _citation_json(item.citation),
    }


def _citation_json(citation: Citation | None) -> Mapping[str, Any] | None:
    if citation is None:
        return None
    return {
        "status": citation.status,
        "item": citation.item,
        "support": citation.support,
        "similarity": round(citation.similarity, 4),
        "trust": citation.trust,
        "description": citation.description,
        "new_values": list(citation.new_values),
        "with_values": citation.with_values,
        "parameter": citation.parameter,
        "synthetic": citation.synthetic,
        "warning": citation.warning,
    }
