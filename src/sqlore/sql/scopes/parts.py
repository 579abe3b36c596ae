"""The clauses of one SELECT as texts: what queries about a part of it are put together from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlglot import exp

from sqlore.sql.render import unwrap
from sqlore.sql.resolve import Source
from sqlore.sql.scopes.model import Clause, Join, Parts
from sqlore.sql.scopes.text import JoinRange, Texts
from sqlore.sql.scopes.walk import Entered
from sqlore.sql.sources import Item
from sqlore.sql.spans import Block, Range, position_of

_SETS: Final = ("ROLLUP", "CUBE", "GROUPING SETS", "ALL")

RANK: dict[Clause, int] = {
    "from": 0,
    "where": 1,
    "group": 2,
    "having": 3,
    "window": 4,
    "select": 5,
    "qualify": 6,
    "distinct": 7,
    "order": 8,
}
"""The clauses in the order in which they are computed."""


def parts_of(here: Entered, texts: Texts, node_of: Callable[[Source], str]) -> Parts | None:
    """The parts of a SELECT; None for any other query, and where its text cannot be found."""
    block = texts.block(here)
    if block is None or not isinstance(here.node, exp.Select):
        return None
    spans, node = texts.spans, here.node
    ranges = spans.projections(block)
    matched = len(ranges) == len(node.expressions)
    bare = [_expression(texts, item, at) for item, at in zip(node.expressions, ranges, strict=False)]
    start, stop = spans.prefix(block)
    source = texts.from_range(here)
    where = _behind(block.clause("where"))
    group = block.clause("group")
    expressions = tuple(texts.slice(at) for at in bare) if matched else ()
    links = tuple(texts.slice(at) for at, _, _ in here.links)
    return Parts(
        distinct=texts.slice((start, stop)) if node.args.get("distinct") is not None else "",
        projections=tuple(texts.slice(at) for at in ranges),
        expressions=expressions,
        source=texts.slice(source),
        joins=_joins(here, texts, source, node_of),
        where=texts.slice(where),
        links=links,
        group=texts.slice(_behind(group)),
        groups=_groups(here, texts, block, group, expressions),
        having=texts.slice(_behind(block.clause("having"))),
        qualify=texts.slice(_behind(block.clause("qualify"))),
        windows=texts.slice(block.clause("window")),
        tail=_tail(node, texts, block),
    )


def _behind(found: Range | None) -> Range | None:
    return None if found is None else (found[0] + 1, found[1])


def _expression(texts: Texts, item: Any, found: Range) -> Range:
    return texts.walker._without_alias(found, item) if type(item) is exp.Alias else found


def _tail(node: Any, texts: Texts, block: Block) -> str:
    """ORDER BY and LIMIT of the SELECT itself, not of the set operation that it ends."""
    own = any(node.args.get(key) for key in ("order", "limit", "offset"))
    return texts.slice(block.tail()) if own else ""


def _groups(
    here: Entered, texts: Texts, block: Block, found: Range | None, expressions: tuple[str, ...]
) -> tuple[str, ...]:
    """The keys of GROUP BY; ordinals and aliases as the expressions they stand for."""
    group = here.node.args.get("group")
    if (
        found is None
        or group is None
        or any(group.args.get(k) for k in ("rollup", "cube", "grouping_sets", "all"))
    ):
        return ()
    ranges = texts.spans.items(found, block)
    sets = any(texts.slice(at).upper().startswith(_SETS) for at in ranges)
    if len(ranges) != len(group.expressions) or sets:
        return ()
    return tuple(
        _key(here, texts, item, at, expressions) for item, at in zip(group.expressions, ranges, strict=True)
    )


def _key(here: Entered, texts: Texts, item: Any, found: Range, expressions: tuple[str, ...]) -> str:
    inner = unwrap(item)
    written = texts.slice(found)
    if type(inner) is exp.Literal and str(inner.this).isdigit() and 0 < int(inner.this) <= len(expressions):
        return expressions[int(inner.this) - 1]
    if type(inner) is exp.Column and inner.args.get("table") is None and expressions:
        name = texts.walker.name(inner.this)
        source, certain = here.scope.owner(name)
        if not (source is not None and certain):
            for projection, text in zip(here.node.expressions, expressions, strict=True):
                if type(projection) is exp.Alias and texts.walker.name(projection.args["alias"]) == name:
                    return text
    return written


# -------------------------------------------------------------- FROM


def _joins(
    here: Entered, texts: Texts, found: Range | None, node_of: Callable[[Source], str]
) -> tuple[Join, ...]:
    """The sources of FROM; none where the text and the tree do not agree on how many there are."""
    ranges = texts.joins(found)
    items = here.items
    if len(ranges) != len(items):
        return ()
    where_links = _links(here, texts, items)
    return tuple(
        _join(texts, at, item, node_of, where_links[number])
        for number, (at, item) in enumerate(zip(ranges, items, strict=True))
    )


def _join(
    texts: Texts, at: JoinRange, item: Item, node_of: Callable[[Source], str], links: tuple[str, ...]
) -> Join:
    start, end = texts.offsets(at.source)
    on_start, on_end = texts.offsets(at.condition)
    condition = texts.slice(at.condition)
    sources = sources_of(item)
    return Join(
        node=node_of(sources[0]) if sources else "",
        source=texts.slice(at.source),
        start=start,
        end=end,
        operator=" ".join(at.operator.split()),
        on="" if at.using else condition,
        on_start=on_start,
        on_end=on_end,
        using=condition if at.using else "",
        links=links,
        lateral=item.lateral,
        stop=max(end, on_end),
        tables=tuple(source.base for source in sources if source.base),
    )


def sources_of(item: Item) -> list[Source]:
    """The sources of an item: its own, or those of its group."""
    if item.source is not None:
        return [item.source]
    return [source for inner in item.group for source in sources_of(inner)]


def _links(here: Entered, texts: Texts, items: list[Item]) -> list[tuple[str, ...]]:
    """Of each source, the equalities of WHERE that link it with a source before it."""
    place = {id(source): number for number, item in enumerate(items) for source in sources_of(item)}
    out: list[list[str]] = [[] for _ in items]
    for at, one, other in here.links:
        numbers = place.get(id(one), -1), place.get(id(other), -1)
        if min(numbers) >= 0:
            out[max(numbers)].append(texts.slice(at))
    return [tuple(found) for found in out]


def clause_at(here: Entered, texts: Texts, kind: str, sql: str, start: int) -> Clause:
    """The clause in which a fragment of a query stands."""
    word = sql[:9].lower()
    if kind == "dimension":
        return "window" if word == "partition" else "group"
    if kind == "relation":
        return "from"
    block = texts.block(here)
    if kind == "output":
        if word.startswith("distinct"):
            return "distinct"
        tail = texts.offsets(block.tail()) if block is not None else (start, start)
        return "order" if 0 <= tail[0] <= start or not word.startswith("order") else "window"
    if block is not None:
        for name in ("from", "where", "having", "qualify", "order"):
            first, end = texts.offsets(block.clause(name))
            if first <= start < end:
                return name
    return "select"


def outer_positions(here: Entered) -> list[int]:
    """Where a query names columns of the queries around it."""
    return [position_of(node) for node, _, _ in here.outer]
