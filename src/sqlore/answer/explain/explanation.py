"""A query explained: what flows into what, and the knowledge in each part with its meaning and source.

This is Cerebra's Script View and Knowledge View without the views: a graph of tables, CTEs, subqueries and
the final query, and in each node its knowledge items in the order in which they are computed. Figures from
the data come from `run.figures`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlore.answer.cite import cite_fragments
from sqlore.answer.explain.model import ExplainedNode, Explanation, Item
from sqlore.catalog import Catalog
from sqlore.knowledge.describe.describer import Describer
from sqlore.knowledge.describe.english import joined
from sqlore.knowledge.records import Description
from sqlore.model import Citation, Draft, Fragment, Kind
from sqlore.sql import unknown_name
from sqlore.sql.scopes.graph import Graph, Node, Piece, graph_of

if TYPE_CHECKING:
    from sqlore.engines import Engine
    from sqlore.knowledge import Store

__all__ = ["describer_for", "explain"]

_Place = tuple[Kind, int, int, str]


def explain(
    query: Draft | str,
    engine: Engine | None = None,
    catalog: Catalog | None = None,
    store: Store | None = None,
    *,
    dialect: str | None = None,
) -> Explanation:
    """The explanation of a query, at once: nothing is asked of the database.

    Without a catalog names are taken as they are written, without a store nothing is cited; the engine says
    which dialect is meant where `dialect` does not. Raises `ParseError` or `NotAQuery` where the text is not
    one query, `UnknownName` where it names a table or column that the catalog does not have.

    >>> found = explain("SELECT name FROM hero WHERE cm > 200", dialect="sqlite")
    >>> [(item.kind, item.description) for item in found.items]
    [('condition', 'heroes whose cm is more than 200')]
    """
    sql = query.sql if isinstance(query, Draft) else query
    schema = catalog.schema if catalog is not None else None
    chosen = dialect or (engine.dialect if engine is not None else None) or (schema.dialect if schema else "")
    graph = graph_of(sql, chosen, schema)
    if schema is not None and (unknown := unknown_name(sql, chosen, schema)):
        raise unknown  # once and with what was meant, in place of figures that all fail for it
    citations: Iterable[Citation] = query.citations if isinstance(query, Draft) else ()
    if not citations and store is not None:
        citations = cite_fragments(graph.fragments, store, catalog)
    cited = {(c.kind, c.start, c.end, c.skeleton): c for c in citations}
    named = frozenset(store.described_by("person")) if store is not None else frozenset[int]()
    describer = describer_for(catalog)
    whole = next((f for f in graph.fragments if f.kind == "query"), None)
    return Explanation(
        sql=sql,
        dialect=chosen,
        graph=graph,
        nodes=tuple(_explained(graph, node, catalog, describer, cited, named) for node in graph.nodes),
        description=describer.fragment(whole).text if whole is not None else "",
        citation=cited.get(_place(whole)) if whole is not None else None,
        question=query.question if isinstance(query, Draft) else "",
    )


class _Identity:
    """A catalog as a key: the same one, not an equal one, which would take long to compare."""

    __slots__ = ("catalog",)

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.catalog is self.catalog

    def __hash__(self) -> int:
        return id(self.catalog)


@lru_cache(maxsize=8)
def _describer_of(known: _Identity) -> Describer:
    return Describer(known.catalog.dictionary, known.catalog.schema)


def describer_for(catalog: Catalog | None) -> Describer:
    """The describer of a catalog; it is kept, because its vocabulary is that of the whole schema."""
    return Describer() if catalog is None else _describer_of(_Identity(catalog))


def _place(fragment: Fragment) -> _Place:
    return fragment.kind, fragment.start, fragment.end, fragment.skeleton


def _explained(
    graph: Graph,
    node: Node,
    catalog: Catalog | None,
    describer: Describer,
    cited: dict[_Place, Citation],
    named: frozenset[int],
) -> ExplainedNode:
    """A node with its items; an item of `named` is called what a person called it."""
    if node.kind == "table":
        table = catalog.schema.table(node.id.partition(":")[2]) if catalog is not None else None
        said = catalog.dictionary.describe_table(node.name) if catalog is not None else None
        return ExplainedNode(node, (), said or "", table.rows if table is not None else None)
    items: dict[str, Item] = {}
    for piece in node.pieces:
        id_ = f"{node.id}@{piece.fragment.start}-{piece.fragment.end}:{piece.fragment.form}"
        number = sum(known.startswith(id_) for known in items)  # NATURAL JOIN: an edge for each column
        id_ += f"#{number + 1}" if number else ""
        described = _joins(graph, node, piece) or describer.fragment(piece.fragment)
        citation = cited.get(_place(piece.fragment))
        if citation is not None and citation.status == "cited" and citation.item in named:
            described = Description(citation.description, citation.description)
        items[id_] = Item(
            id=id_,
            node=node.id,
            fragment=piece.fragment,
            clause=piece.clause,
            name=described.name,
            description=described.text,
            citation=citation,
            join=piece.join,
            correlated=piece.correlated,
        )
    return ExplainedNode(node, tuple(items.values()))


def _joins(graph: Graph, node: Node, piece: Piece) -> Description | None:
    """A FROM clause over CTEs and subqueries by what these are called: the query has nodes of them."""
    if piece.fragment.kind != "relation" or piece.fragment.form != "clause" or node.parts is None:
        return None
    sources = [graph.index.get(join.node) for join in node.parts.joins]
    if not sources or all(source is None or source.kind == "table" for source in sources):
        return None
    said = joined([source.name if source is not None else "?" for source in sources])
    return Description(said, f"how {said} are linked")
