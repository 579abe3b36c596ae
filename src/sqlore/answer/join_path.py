"""How tables are joined: by the database's foreign keys, and as the history joins them.

Small models name the right tables and join them by columns that only look alike. The way from one table to
the next is known, though: a foreign key says it, or a script of the history. Of several ways between the same
two tables the one is taken whose columns the question touches, then the one that the history takes most.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from sqlore.catalog.names import quote_name
from sqlore.model import KnowledgeItem, Schema

if TYPE_CHECKING:
    from sqlore.knowledge import Store
    from sqlore.knowledge.records import Text

__all__ = ["Join", "JoinGraph", "edge_of", "join_graph", "kept_table", "known_joins", "schema_joins"]

#: A name of a skeleton: plain, or in double quotes.
_NAME: Final = r'(?:"(?:[^"]|"")*"|[\w$]+)'
_SIDE: Final = rf"((?:{_NAME}\.)?{_NAME})(?:#\d+)?\.({_NAME})"
_EDGE: Final = re.compile(rf"(?:{_NAME} left join {_NAME} on )?{_SIDE} = {_SIDE}\Z")
#: What a step costs: a join that nobody has made yet, less what the question and the history say for it.
_STEP: Final = 1.0
_TOUCHED: Final = 0.4
_MADE: Final = 0.3


@dataclass(frozen=True, slots=True)
class Join:
    """Two tables joined by equal columns, pair by pair; names folded. `support`: scripts that do so."""

    left: str
    right: str
    columns: tuple[tuple[str, str], ...]
    support: int = 0

    @property
    def key(self) -> tuple[str, str, frozenset[tuple[str, str]]]:
        """What is the same for a join read from its other side."""
        if self.left <= self.right:
            return self.left, self.right, frozenset(self.columns)
        return self.right, self.left, frozenset((b, a) for a, b in self.columns)

    def names(self) -> set[str]:
        """The columns of both sides as ``table.column``."""
        return {f"{t}.{c}" for a, b in self.columns for t, c in ((self.left, a), (self.right, b))}


def schema_joins(schema: Schema) -> list[Join]:
    """A join for each foreign key between two tables of the schema.

    A key that does not say which columns it refers to means the primary key.
    """
    found = []
    for table in schema.tables:
        for key in table.foreign_keys:
            other = schema.table(key.ref_table)
            if other is None or other is table:
                continue
            meant = key.ref_columns or tuple(c.name for c in other.columns if c.primary_key)
            if len(meant) == len(key.columns):
                pairs = tuple((a.lower(), b.lower()) for a, b in zip(key.columns, meant, strict=True))
                found.append(Join(table.folded_name, other.folded_name, pairs))
    return found


def edge_of(skeleton: str) -> tuple[str, str, str, str] | None:
    """Left table, its column, right table, its column of a join edge's skeleton; None for another relation.

    >>> edge_of("publisher.id = superhero.publisher_id")
    ('publisher', 'id', 'superhero', 'publisher_id')
    >>> edge_of('a left join "b c" on a.id = "b c"."a id"')
    ('a', 'id', 'b c', 'a id')
    >>> edge_of("employee.id = employee#2.boss")
    ('employee', 'id', 'employee', 'boss')
    """
    match = _EDGE.match(skeleton)
    if match is None:
        return None
    left, a, right, b = map(_unquoted, match.groups())
    return left, a, right, b


def kept_table(skeleton: str) -> str | None:
    """The table whose rows a join edge keeps all of; None where it keeps none so.

    >>> kept_table('"a b" left join c on c.id = "a b".id'), kept_table("a.id = b.id")
    ('a b', None)
    """
    kept, outer, _ = skeleton.partition(" left join ")
    return _unquoted(kept) if outer else None


def _unquoted(name: str) -> str:
    return name.replace('""', "\0").replace('"', "").replace("\0", '"').lower()


def known_joins(
    edges: Iterable[KnowledgeItem], texts: Iterable[Text], exclude: Collection[int | str] = ()
) -> list[Join]:
    """The joins of a history's relation items, with the scripts that make them.

    `exclude` withholds scripts by id, or texts by their key: an edge that only they have is not known.
    Deprecated and stale items are not used, neither is a table joined with itself.
    """
    alive: dict[int, bool] = defaultdict(bool)
    for text in texts:
        alive[text.script] |= not (text.script in exclude or bool(text.key and text.key in exclude))
    support: Counter[tuple[str, str, str, str]] = Counter()
    for item in edges:
        edge = edge_of(item.skeleton) if item.form == "edge" else None
        if edge is None or edge[0] == edge[2] or item.trust == "deprecated" or item.stale:
            continue
        support[edge] += sum(alive[script] for script in item.scripts)
    return [Join(a, b, ((x, y),), n) for (a, x, b, y), n in support.items() if n]


class JoinGraph:
    """Tables and the ways between them.

    >>> graph = JoinGraph([Join("hero", "side", (("side_id", "id"),)), Join("side", "town", (("at", "id"),))])
    >>> [(j.left, j.right) for j in graph.path(["hero", "town"])]
    [('hero', 'side'), ('side', 'town')]
    """

    def __init__(self, joins: Iterable[Join]) -> None:
        merged: dict[object, Join] = {}
        for join in joins:
            before = merged.get(join.key)
            if before is None or join.support > before.support:
                merged[join.key] = join
        # one half of a key of two columns joins too much
        whole = [key[2] for key in (j.key for j in merged.values()) if len(key[2]) > 1]
        self.joins = tuple(j for j in merged.values() if not any(j.key[2] < other for other in whole))
        self._at: dict[str, list[Join]] = defaultdict(list)
        for join in self.joins:
            self._at[join.left].append(join)
            self._at[join.right].append(join)
        self._most = max((join.support for join in self.joins), default=0)

    def between(self, one: str, other: str) -> list[Join]:
        """The joins of two tables, those made most first."""
        found = [j for j in self._at.get(one, ()) if {j.left, j.right} == {one, other}]
        return sorted(found, key=lambda j: -j.support)

    def neighbours(self, table: str) -> set[str]:
        """The tables that a table is joined with."""
        return {name for join in self._at.get(table, ()) for name in (join.left, join.right)} - {table}

    def path(
        self, tables: Sequence[str], relevance: Mapping[str, float] | None = None
    ) -> tuple[Join, ...] | None:
        """The joins that connect all of `tables`, through others where need be; None where there is no way.

        Each table is reached from what is connected already by its cheapest way (the shortest-path heuristic
        of the Steiner tree). `relevance` are scores of tables and of ``table.column``.
        """
        scores = relevance or {}
        connected, found = set(tables[:1]), []
        missing = [t for t in dict.fromkeys(tables) if t not in connected]
        while missing:
            way = self._nearest(connected, missing, scores)
            if way is None:
                return None
            found += way
            for join in way:
                connected |= {join.left, join.right}
            missing = [t for t in missing if t not in connected]
        return tuple(found)

    def _nearest(
        self, start: Collection[str], goals: Collection[str], scores: Mapping[str, float]
    ) -> list[Join] | None:
        """The cheapest way from any of `start` to any of `goals` (Dijkstra)."""
        heap: list[tuple[float, str]] = [(0.0, table) for table in sorted(start)]
        best = dict.fromkeys(start, 0.0)
        came: dict[str, tuple[str, Join]] = {}
        while heap:
            cost, table = heappop(heap)
            if table in goals:
                return self._back(table, came)
            if cost > best[table]:
                continue
            for join in self._at.get(table, ()):
                other = join.right if join.left == table else join.left
                price = cost + self._price(join, other, other in goals, scores)
                if price < best.get(other, float("inf")):
                    best[other], came[other] = price, (table, join)
                    heappush(heap, (price, other))
        return None

    def _back(self, table: str, came: Mapping[str, tuple[str, Join]]) -> list[Join]:
        way: list[Join] = []
        while table in came:
            table, join = came[table]
            way.append(join)
        return way[::-1]

    def _price(self, join: Join, other: str, wanted: bool, scores: Mapping[str, float]) -> float:
        touched = max((scores.get(name, 0.0) for name in join.names()), default=0.0)
        if not wanted:
            touched = max(touched, scores.get(other, 0.0)) / 2
        made = join.support / self._most if self._most else 0.0
        return _STEP - _TOUCHED * min(1.0, touched) - _MADE * made


def joins_line(joins: Iterable[Join], schema: Schema) -> str:
    """Joins as one line of SQL, names spelled as the database spells them."""
    return " AND ".join(dict.fromkeys(condition(join, schema) for join in joins))


def condition(join: Join, schema: Schema, aliases: Mapping[str, str] | None = None) -> str:
    """The ON condition of a join; `aliases` name tables otherwise.

    >>> from sqlore.model import Column, Table
    >>> tables = Table("Hero", (Column("Side ID"),)), Table("side", (Column("id"),))
    >>> condition(Join("hero", "side", (("side id", "id"),)), Schema(tables), {"hero": "T1"})
    'T1."Side ID" = side.id'
    """
    named = aliases or {}
    sides = []
    for a, b in join.columns:
        pair = []
        for table, column in ((join.left, a), (join.right, b)):
            known = schema.table(table)
            spelled = known.column(column) if known else None
            name = quote_name(spelled.name if spelled else column, schema.dialect)
            pair.append(f"{named.get(table) or table_name(table, schema)}.{name}")
        sides.append(" = ".join(pair))
    return " AND ".join(sides)


def table_name(table: str, schema: Schema) -> str:
    """A folded table's name as a query writes it."""
    known = schema.table(table)
    if known is None:
        return table
    return ".".join(quote_name(part, schema.dialect) for part in (known.schema, known.name) if part)


_KNOWN: WeakKeyDictionary[Store, tuple[tuple[int, int], list[KnowledgeItem], list[Text]]] = (
    WeakKeyDictionary()
)


def join_graph(schema: Schema, store: Store | None = None, exclude: Collection[int | str] = ()) -> JoinGraph:
    """The ways between the tables of a schema, with those of a store's history without `exclude`."""
    joins = schema_joins(schema)
    if store is not None:
        stamp = store.stamp()
        kept = _KNOWN.get(store)
        if kept is None or kept[0] != stamp:
            kept = stamp, store.items(kind="relation"), store.texts()
            _KNOWN[store] = kept
        known = {t.folded_name for t in schema.tables}
        joins += [j for j in known_joins(kept[1], kept[2], exclude) if {j.left, j.right} <= known]
    return JoinGraph(joins)
