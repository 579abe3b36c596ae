"""An explanation for a person to read: node by node, two lines an item, and figures behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from sqlore.answer.explain.facts import Figure
from sqlore.answer.explain.model import ExplainedNode, Explanation, Item
from sqlore.interfaces.cli.common import plural
from sqlore.interfaces.cli.margin import (
    MARKS,
    citation_text,
    shown_status,
    trust_text,
    values_text,
    warning_text,
)
from sqlore.interfaces.cli.render import KIND_STYLES, STYLES, cell, hanging
from sqlore.model import Citation

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["node_title", "show_explanation", "source_text"]

_KINDS = {
    "cte": "CTE",
    "branch": "part of a set operation",
    "final": "the query",
    "function": "table function",
}
_USES = {"value": "as a value", "in": "behind IN", "exists": "behind EXISTS", "from": "in FROM", "": ""}
_COLUMNS = 8


def show_explanation(console: Console, found: Explanation, figures: Sequence[Figure]) -> None:
    """The whole explanation: tables in a line each, then each query in the order of computing."""
    known = {(figure.node, figure.item): figure for figure in figures}
    if found.description:
        hanging(console, Text(""), Text(found.description, style="bold"))
    if found.citation is not None and found.citation.status == "cited":
        status = shown_status(found.citation)
        hanging(console, Text(MARKS[status] + " ", style=STYLES[status]), Text(citation_text(found.citation)))
    for one in found.nodes:
        _show_node(console, found, one, known)


def node_title(found: Explanation, one: ExplainedNode) -> str:
    """What a node is and reads, in one line.

    >>> from sqlore.answer.explain.explanation import explain
    >>> found = explain("SELECT a FROM t WHERE a > (SELECT AVG(a) FROM t)", dialect="sqlite")
    >>> [node_title(found, one) for one in found.nodes]
    ['table', 'subquery as a value, reads t', 'the query, reads t, subquery 1']
    """
    node = one.node
    said = _KINDS.get(node.kind, node.kind)
    if node.kind == "subquery":
        said = f"{'correlated ' if node.correlated else ''}subquery {_USES[node.usage]}".rstrip()
    elif node.kind == "cte" and any(
        edge.source == node.id for edge in found.edges if edge.how == "recursion"
    ):
        said = "recursive CTE"
    read = [found.node(edge.source).node.name for edge in found.graph.reads(node.id) if edge.how != "outer"]
    return said + (f", reads {', '.join(dict.fromkeys(read))}" if read else "")


def _show_node(
    console: Console, found: Explanation, one: ExplainedNode, known: dict[tuple[str, str], Figure]
) -> None:
    node = one.node
    console.print(Text(f"\n{cell(node.name)}", style="bold").append(f"  {node_title(found, one)}", "dim"))
    if node.kind == "table":
        if one.description:
            hanging(console, Text("  "), Text(cell(one.description, 160), style="dim"))
    elif node.columns:
        hanging(console, Text("  "), Text(_columns(one), style="dim"))
    if node.reason:
        hanging(console, Text("  "), Text(node.reason, style="dim" if node.runnable else "yellow"))
    _show_figure(console, known.get((node.id, "")), "  ")
    for item in one.items:
        _show_item(console, item, known.get((node.id, item.id)))


def _columns(one: ExplainedNode) -> str:
    named = [f"{cell(c.name, 40)} {c.type}".strip() for c in one.node.columns[:_COLUMNS]]
    more = len(one.node.columns) - len(named)
    said = f"{plural(len(one.node.columns), 'column')}: {', '.join(named)}"
    return said + (f" and {more} more" if more else "")


def _show_item(console: Console, item: Item, figure: Figure | None) -> None:
    status = shown_status(item.citation) if item.citation is not None else ""
    mark = MARKS.get(status, "·")
    head = Text(f"  {mark} ", style=STYLES[status]).append(f"{item.kind:<12}", KIND_STYLES[item.kind])
    hanging(console, head, Text(cell(" ".join(item.fragment.sql.split()), 200)))
    margin = " " * 16
    said = item.description + (f" · {source_text(item.citation)}" if item.citation is not None else "")
    hanging(console, Text(margin), Text(said, style="dim"))
    _show_figure(console, figure, margin)


def _show_figure(console: Console, figure: Figure | None, margin: str) -> None:
    if figure is None:
        return
    hanging(
        console, Text(margin), Text(figure.text, style="default" if figure.status == "done" else "yellow")
    )
    if figure.warning:
        hanging(console, Text(margin), Text(figure.warning, style="bold red"))


def source_text(citation: Citation) -> str:
    """Where an item is known from, in a few words.

    >>> source_text(Citation(0, 4, "condition", "a = 1", "cited", item=7, support=3))
    'item 7, used in 3 scripts'
    """
    if citation.status == "novel":
        return "new: nobody has checked it"
    used = "synthetic" if citation.synthetic else f"used in {plural(citation.support, 'script')}"
    near = f"{citation.similarity:.0%} like " if citation.status == "near" else ""
    trust = f", {trust_text(citation)}" if citation.trust != "unverified" else ""
    return f"{near}item {citation.item}, {used}{trust}{warning_text(citation)}{values_text(citation)}"
