"""A query explained: its nodes with their knowledge items. It is there at once and never changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlore.model import Citation, Fragment, Kind
from sqlore.sql.scopes.model import Clause, Edge, Graph, Node


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
