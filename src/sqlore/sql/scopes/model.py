"""The words of a query's structure: the graph of what reads from what, and the parts of each SELECT.

All texts are slices of the script itself; offsets are character offsets into it, the end exclusive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sqlore.model import Column, Fragment

NodeKind = Literal["table", "values", "function", "cte", "subquery", "branch", "final"]
"""A base table; rows written out; a table function; a CTE; a subquery in FROM or in an expression; one
member of a set operation; the query itself."""

Usage = Literal["from", "value", "in", "exists", ""]
"""Where a subquery stands: in FROM, as a value, behind IN, behind EXISTS."""

How = Literal["from", "subquery", "branch", "recursion", "outer"]
"""How a node reads another: in FROM, as a subquery of an expression, as a member of a set operation, itself
again, or the rows of an outer query one by one."""

Clause = Literal["from", "where", "group", "having", "qualify", "select", "distinct", "order", "window"]


@dataclass(frozen=True, slots=True)
class Edge:
    """`target` reads from `source`; both are ids of nodes."""

    source: str
    target: str
    how: How


@dataclass(frozen=True, slots=True)
class Join:
    """One source of FROM: how it is joined, its text with its alias, and what it is joined by.

    `operator` is empty for the first one, ``,`` for a comma, else as in ``LEFT JOIN``. `on` is the condition
    behind ON, `using` the whole ``USING (...)``. `links` are the equalities of WHERE (comma joins) that link
    it with a source before it. `start`, `end` are those of the source, `on_start`, `on_end` of the condition.
    """

    node: str
    source: str
    start: int
    end: int
    operator: str = ""
    on: str = ""
    on_start: int = -1
    on_end: int = -1
    using: str = ""
    links: tuple[str, ...] = ()
    lateral: bool = False
    stop: int = -1
    tables: tuple[str, ...] = ()

    @property
    def natural(self) -> bool:
        """Whether its columns are matched by name."""
        return self.operator.startswith("NATURAL")

    @property
    def side(self) -> str:
        """``LEFT``, ``RIGHT``, ``FULL``, ``SEMI``, ``ANTI``, ``ASOF``; empty for an inner join."""
        words = self.operator.split()
        return next((w for w in words if w in ("SEMI", "ANTI", "ASOF", "LEFT", "RIGHT", "FULL")), "")


@dataclass(frozen=True, slots=True)
class Parts:
    """The clauses of one SELECT as texts without their keywords; empty where it has none.

    `expressions` are the projections without their aliases, `groups` the keys of GROUP BY, `tail` is ORDER BY
    with what bounds the rows, its keywords included; `windows` the whole WINDOW clause.
    """

    distinct: str = ""
    projections: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()
    source: str = ""
    joins: tuple[Join, ...] = ()
    where: str = ""
    links: tuple[str, ...] = ()
    group: str = ""
    groups: tuple[str, ...] = ()
    having: str = ""
    qualify: str = ""
    windows: str = ""
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """One fragment of a node, and the clause it stands in."""

    fragment: Fragment
    clause: Clause
    join: int = -1
    """The number of the join in `Parts.joins` that a relation or a condition of ON belongs to."""
    correlated: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """One source of rows: a base table, a CTE, a subquery, a member of a set operation, the query itself.

    `sql` is a query that gives its rows by itself: what it depends on comes first, in order. It is empty
    where there is none; `reason` says why, and of a correlated subquery what stands for it: a row for each
    row of the outer query. `own` is its own text, `start`, `end` where that is; `spans` are all places that
    name it.
    """

    id: str
    name: str
    kind: NodeKind
    start: int
    end: int
    own: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    usage: Usage = ""
    sql: str = ""
    reason: str = ""
    columns: tuple[Column, ...] = ()
    columns_known: bool = True
    depends: tuple[str, ...] = ()
    parts: Parts | None = None
    pieces: tuple[Piece, ...] = ()
    prelude: str = ""
    """The WITH clause that its parts need before them, empty where they need none."""
    outer: str = ""
    """FROM of the outer rows that a correlated subquery is asked of; empty where it is not correlated."""
    outer_columns: tuple[str, ...] = ()
    outer_alias: str = ""
    """What all outer columns are qualified with, so that rows that are alike can stand for each other."""
    recursive: bool = False
    own_with: str = ""
    """The WITH of a correlated query itself, which is asked for each outer row too."""

    @property
    def runnable(self) -> bool:
        """Whether there is a query that gives its rows."""
        return bool(self.sql)

    @property
    def correlated(self) -> bool:
        """Whether it is asked anew for each row of an outer query."""
        return bool(self.outer_columns)


@dataclass(frozen=True, slots=True)
class Graph:
    """A query as the graph of its sources of rows; `nodes` are in the order in which they can be computed."""

    sql: str
    dialect: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    fragments: tuple[Fragment, ...] = ()
    _index: dict[str, Node] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._index.update({node.id: node for node in self.nodes})

    def node(self, id: str) -> Node:
        """The node of that id; `KeyError` where there is none."""
        return self._index[id]

    @property
    def index(self) -> Mapping[str, Node]:
        """The nodes by their ids."""
        return self._index

    @property
    def final(self) -> Node:
        """The query itself."""
        return self.nodes[-1]

    def reads(self, id: str) -> tuple[Edge, ...]:
        """The edges that end at a node."""
        return tuple(edge for edge in self.edges if edge.target == id)
