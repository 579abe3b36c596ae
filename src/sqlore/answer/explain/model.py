"""The words of an explanation: nodes with their knowledge items, and figures from the data.

An `Explanation` is there at once and never changes; a `Figure` comes later, one for each item and node.
Their JSON (`explanation_json`, `figure_json`) is stable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from sqlore.model import Citation, Fragment, Kind
from sqlore.sql.scopes.model import Clause, Edge, Graph, Node

FigureKind = Literal["calculation", "condition", "relation", "dimension", "output", "rows"]
"""As the kinds of knowledge; ``rows`` is what a node itself gives."""

Status = Literal["done", "slow", "timeout", "failed", "cancelled"]
"""``slow``: it takes longer than the others may wait; it comes again once they are through."""


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of knowledge in a query: a fragment in a node, what it means, and where it comes from.

    `id` names it within its explanation: node, place and form. `join` is the number of the join in
    `Node.parts.joins` that it belongs to, -1 where it belongs to none.
    """

    id: str
    node: str
    fragment: Fragment
    clause: Clause
    name: str
    description: str
    citation: Citation | None = None
    join: int = -1
    correlated: bool = False

    @property
    def kind(self) -> Kind:
        """Its kind of knowledge."""
        return self.fragment.kind


@dataclass(frozen=True, slots=True)
class ExplainedNode:
    """One node with its items in the order in which they are computed; `rows` of a base table."""

    node: Node
    items: tuple[Item, ...] = ()
    description: str = ""
    rows: int | None = None

    @property
    def id(self) -> str:
        """The node's id."""
        return self.node.id


@dataclass(frozen=True, slots=True)
class Explanation:
    """A query explained: its nodes in the order of computing, and whole-query knowledge.

    `description` says the query in words; `citation` is that of the whole query, where there is a history.
    """

    sql: str
    dialect: str
    graph: Graph
    nodes: tuple[ExplainedNode, ...]
    description: str = ""
    citation: Citation | None = None
    question: str = ""
    _index: dict[str, ExplainedNode] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._index.update({one.id: one for one in self.nodes})

    def node(self, id: str) -> ExplainedNode:
        """The node of that id; `KeyError` where there is none."""
        return self._index[id]

    def item(self, id: str) -> Item:
        """The item of that id; `KeyError` where there is none."""
        found = next((item for one in self.nodes for item in one.items if item.id == id), None)
        if found is None:
            raise KeyError(id)
        return found

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, node by node."""
        return tuple(item for one in self.nodes for item in one.items)

    @property
    def edges(self) -> tuple[Edge, ...]:
        """What reads from what."""
        return self.graph.edges


# ------------------------------------------------------------------ figures


@dataclass(frozen=True, slots=True)
class Values:
    """Different values that a calculation gives; `more` where there may be others."""

    values: tuple[Any, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows (of HAVING: groups) left by one condition `alone`, and by all of its clause `together`.

    `total` is how many there are without any of them. None where counting took too long. `empty` are tables
    without any row, where they leave none to be counted.
    """

    alone: int
    together: int | None
    total: int | None
    unit: Literal["rows", "groups"] = "rows"
    empty: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Twice:
    """An aggregate whose result a join changes, because it repeats rows of the `tables` it adds up.

    `sql` is the aggregate, `word` what it does (``sum``, ``avg``, ``count``); `counted` values are added up
    where there are `once` of different rows.
    """

    sql: str
    word: str
    tables: tuple[str, ...]
    counted: int
    once: int


@dataclass(frozen=True, slots=True)
class Joined:
    """What a join does: `before` rows on its left side become `rows`, with `columns` columns.

    `lost`: left rows that have no match and are gone; `unmatched`: those without a match that an outer join
    keeps. `multiplied`: rows too many, because left rows have several matches: several `many` for one `one`,
    where these have names. `steps` are the joins of a whole FROM clause one by one. `twice` are aggregates
    that are wrong because of it; None where that is not known. `empty` are tables without any row, where
    nothing is left. `unused` is the joined table where rows are lost and nothing else of it is used.
    """

    rows: int
    columns: int | None = None
    before: int | None = None
    lost: int | None = None
    unmatched: int | None = None
    multiplied: int | None = None
    steps: tuple[Joined, ...] = ()
    many: str = ""
    one: str = ""
    twice: tuple[Twice, ...] | None = ()
    empty: tuple[str, ...] = ()
    unused: str = ""

    @property
    def multiplies(self) -> bool:
        """Whether it makes several rows of one; what that changes is in `twice`."""
        return bool(self.multiplied) or any(step.multiplies for step in self.steps)


@dataclass(frozen=True, slots=True)
class Loose:
    """A SELECT column `sql` that is not grouped by: it has several values in so many of the `groups`."""

    sql: str
    several: int
    groups: int


@dataclass(frozen=True, slots=True)
class Groups:
    """The `distinct` different values of a dimension; the most frequent ones, each with its rows.

    `loose` are SELECT columns of which a group shows any one of several values (SQLite and MySQL allow that).
    """

    distinct: int
    values: tuple[tuple[Any, ...], ...]
    rows: tuple[int, ...]
    loose: tuple[Loose, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """The first rows of a result. `count` is how many there are, `before` how many the clause began with."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    count: int | None = None
    before: int | None = None


Facts = Values | Counts | Joined | Groups | Sample


@dataclass(frozen=True, slots=True)
class Figure:
    """Figures from the data for one item, or for a node where `item` is empty.

    `text` says them in one line; without facts it says why. `warning` is what a reader must not miss: a
    sum that counts rows twice, a condition that leaves nothing.
    """

    node: str
    item: str
    kind: FigureKind
    status: Status
    facts: Facts | None = None
    text: str = ""
    warning: str = ""
    seconds: float = 0.0


# ------------------------------------------------------------------ JSON


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
        "synthetic": citation.synthetic,
    }
