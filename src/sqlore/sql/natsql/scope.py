"""Which table a column of a query belongs to, spelled as the schema spells it: what NatSQL is written from.

NatSQL names every column in full (``singer.Name``) and leaves FROM to be inferred, so its writer needs
columns in the schema's own spelling rather than the folded names of a skeleton, and the join edges apart
from the conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, NamedTuple

from sqlglot import exp

from sqlore.model import Schema, Table
from sqlore.sql.render import unwrap
from sqlore.sql.sources import Item, items_of

UNKNOWN: Final = "?"
"""The table of a column that no source is known to have."""


_PLAIN: Final = re.compile(r"[\w$#@]+\Z")


def _spelled(name: str) -> str:
    """A name as it can stand in a text: in backticks where it is more than one word."""
    return name if _PLAIN.match(name) else f"`{name}`"


class Ref(NamedTuple):
    """A column of a base table: the table in lower case, the column as the schema spells it."""

    table: str
    column: str

    @property
    def text(self) -> str:
        """The column as NatSQL writes it.

        >>> Ref("head", "Name").text, Ref("?", "x").text
        ('head.Name', 'x')
        >>> Ref("frpm", "County Name").text
        'frpm.`County Name`'
        """
        column = _spelled(self.column)
        return column if self.table == UNKNOWN else f"{_spelled(self.table)}.{column}"

    @property
    def folded(self) -> Ref:
        """The same in lower case, to be compared."""
        return Ref(self.table, self.column.lower())


@dataclass(slots=True)
class Context:
    """What one query is read with: its schema, its dialect, its text; the frames of its CTEs, made once."""

    schema: Schema | None = None
    dialect: str = "sqlite"
    text: str = ""
    frames: dict[int, Frame] = field(default_factory=dict)


@dataclass(slots=True)
class NatSource:
    """One source of FROM: a base table, or a derived one: its first SELECT and its whole query."""

    alias: str
    table: str = ""
    known: Table | None = None
    frame: Frame | None = None
    query: Any = None

    def find(self, name: str) -> tuple[Ref | tuple[Any, Frame] | None, bool]:
        """What that column is, and whether it certainly is one of this source."""
        if self.frame is not None:
            return self.frame.output(name)
        if self.known is None:
            return Ref(self.table, name), False
        column = self.known.column(name)
        return Ref(self.table, column.name if column else name), column is not None


@dataclass(slots=True)
class Frame:
    """One SELECT: its sources in FROM order, its join edges, what else its joins ask, what it stands in."""

    node: Any
    context: Context
    parent: Frame | None = None
    ctes: dict[str, Any] = field(default_factory=dict)
    sources: list[NatSource] = field(default_factory=list)
    edges: list[tuple[Ref, Ref]] = field(default_factory=list)
    extra: list[Any] = field(default_factory=list)
    crossed: bool = False

    @property
    def schema(self) -> Schema | None:
        """The schema of the database, where it is known."""
        return self.context.schema

    @property
    def tables(self) -> list[str]:
        """The base tables of FROM in order, each once; those inside derived tables too."""
        out: dict[str, None] = {}
        for source in self.sources:
            names = source.frame.tables if source.frame is not None else [source.table]
            out.update(dict.fromkeys(names))
        return list(out)

    def output(self, name: str) -> tuple[Ref | tuple[Any, Frame] | None, bool]:
        """The expression behind a column of this SELECT and the frame it is to be read in."""
        for node in self.node.expressions:
            if node.alias_or_name.lower() == name.lower():
                inner = node.this if isinstance(node, exp.Alias) else node
                return (self.column(inner) if isinstance(inner, exp.Column) else (inner, self)), True
            if isinstance(unwrap(node), exp.Star) or (isinstance(node, exp.Column) and node.name == "*"):
                for source in self.sources:
                    found, certain = source.find(name)
                    if certain:
                        return found, True
        return None, False

    def column(self, node: Any) -> Ref | tuple[Any, Frame]:
        """The column of a base table, or an expression of a derived one with its frame."""
        name, table = node.name, node.table.lower()
        frame: Frame | None = self
        unsure: Ref | None = None
        while frame is not None:
            for source in frame.sources:
                if table and source.alias != table:
                    continue
                found, certain = source.find(name)
                if found is not None and (certain or table):
                    return found
                if unsure is None and isinstance(found, Ref) and source.known is None:
                    unsure = found
            frame = frame.parent
        return unsure or Ref(table or UNKNOWN, name)

    def is_text(self, node: Any) -> bool:
        """Whether a double-quoted word is a string: it names no column (SQLite, MySQL)."""
        if node.table or not isinstance(node.this, exp.Identifier) or not node.this.quoted:
            return False
        found = self.column(node)
        return isinstance(found, Ref) and (found.table == UNKNOWN or not self._has(found))

    def _has(self, ref: Ref) -> bool:
        table = self.schema.table(ref.table) if self.schema is not None else None
        return table is not None and table.column(ref.column) is not None

    def joined(self, node: Any) -> tuple[Ref, Ref] | None:
        """The two columns of different tables that a condition of WHERE joins, else None."""
        edge = edge_of(node, self)
        if edge is None or edge[0].table == edge[1].table:
            return None
        return edge if {edge[0].table, edge[1].table} <= set(self.tables) else None

    def referred(self, ref: Ref) -> Ref:
        """The key column that a joined foreign key refers to, where this SELECT joins that table."""
        for edge in self.edges:
            for one, two in (edge, edge[::-1]):
                if one == ref and two.table != one.table and self._is_key(one, two):
                    return two
        return ref

    def _is_key(self, one: Ref, two: Ref) -> bool:
        table = self.schema.table(one.table) if self.schema is not None else None
        return any(
            key.ref_table.lower() == two.table
            and [c.lower() for c in key.columns] == [one.folded.column]
            and [c.lower() for c in key.ref_columns] == [two.folded.column]
            for key in (table.foreign_keys if table is not None else ())
        )

    def alias(self, node: Any) -> Any:
        """The SELECT expression that a bare name or an ordinal of ORDER BY or GROUP BY stands for."""
        items = self.node.expressions
        if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
            place = int(node.this) - 1
            found = items[place] if 0 <= place < len(items) else node
            return found.this if isinstance(found, exp.Alias) else found
        if isinstance(node, exp.Column) and not node.table:
            for item in items:
                if isinstance(item, exp.Alias) and item.alias.lower() == node.name.lower():
                    return item.this
        return node


def entered(node: Any, ctes: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The query within brackets, and the CTEs it knows: those around it and its own, by name."""
    known = ctes | _own_ctes(node)
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
    return node, known


def _own_ctes(node: Any) -> dict[str, Any]:
    with_ = node.args.get("with_")
    return {cte.alias.lower(): cte.this for cte in with_.expressions} if with_ is not None else {}


def frame_of(node: Any, context: Context, parent: Frame | None, ctes: dict[str, Any]) -> Frame:
    """The frame of one SELECT with its sources, join edges and the conditions of its joins."""
    frame = Frame(node, context, parent, ctes | _own_ctes(node))
    first = node.args.get("from_")
    if first is None:
        return frame
    items = list(_leaves(items_of(first.this, node.args.get("joins") or [])))
    for item in items:
        frame.sources.append(_source(item.node, frame))
    for item in items:
        if item.join is not None:
            _join(item.join, frame)
    where = node.args.get("where")
    if frame.crossed and where is not None:
        # A join without a condition of its own is joined in WHERE.
        frame.edges += [edge for edge in map(frame.joined, conjuncts(where.this)) if edge is not None]
    return frame


def foreign_keys(schema: Schema | None, one: str, two: str) -> list[tuple[Ref, Ref]]:
    """The foreign keys between two tables as folded columns, `one`'s first."""
    out: list[tuple[Ref, Ref]] = []
    for first, second in dict.fromkeys(((one, two), (two, one))):
        table = schema.table(first) if schema is not None else None
        for key in table.foreign_keys if table is not None else ():
            if key.ref_table.lower() == second and key.columns and key.ref_columns:
                pair = (Ref(first, key.columns[0].lower()), Ref(second, key.ref_columns[0].lower()))
                out.append(pair if first == one else (pair[1], pair[0]))
    return out


def _leaves(items: list[Item]) -> Iterator[Item]:
    for item in items:
        yield from _leaves(item.group) if item.group else (item,)


def _source(node: Any, frame: Frame) -> NatSource:
    alias = node.alias.lower()
    if isinstance(node, exp.Table):
        name = node.name.lower()
        if name in frame.ctes and not node.args.get("db"):
            others = {key: value for key, value in frame.ctes.items() if key != name}
            query = frame.ctes[name]
            known = frame.context.frames.get(id(query))
            if known is None:
                known = frame_of(_first(query), frame.context, None, others)
                frame.context.frames[id(query)] = known
            return NatSource(alias or name, frame=known, query=query)
        return NatSource(alias or name, name, frame.schema.table(name) if frame.schema else None)
    if isinstance(node, exp.Subquery):
        inner = _first(node.this)
        if isinstance(inner, exp.Select):
            derived = frame_of(inner, frame.context, frame.parent, frame.ctes)
            return NatSource(alias, frame=derived, query=node.this)
    return NatSource(alias or UNKNOWN, alias or UNKNOWN)


def _first(node: Any) -> Any:
    """The first SELECT of a query: it names the columns."""
    while not isinstance(node, exp.Select) and isinstance(node.this, exp.Expression):
        node = node.this
    return node


def _join(join: Any, frame: Frame) -> None:
    on = join.args.get("on")
    if (on is None or isinstance(on, exp.Boolean)) and not join.args.get("using"):
        frame.crossed = True
    for atom in conjuncts(on) if on is not None else ():
        if isinstance(atom, exp.Boolean):
            continue  # what the parser puts where a join has no condition
        edge = edge_of(atom, frame)
        if edge is None:
            frame.extra.append(atom)
        else:
            frame.edges.append(edge)
    for name in join.args.get("using") or ():
        owners = [ref for source in frame.sources for ref, sure in [source.find(name.name)] if sure]
        refs = [ref for ref in owners if isinstance(ref, Ref)]
        frame.edges.extend(pairwise(refs))


def edge_of(node: Any, frame: Frame) -> tuple[Ref, Ref] | None:
    """The two columns that an equality joins, None where it is a condition."""
    node = unwrap(node)
    if not isinstance(node, exp.EQ):
        return None
    left, right = unwrap(node.this), unwrap(node.expression)
    if not (isinstance(left, exp.Column) and isinstance(right, exp.Column)):
        return None
    if frame.is_text(left) or frame.is_text(right):
        return None
    one, two = frame.column(left), frame.column(right)
    return (one, two) if isinstance(one, Ref) and isinstance(two, Ref) else None


def conjuncts(node: Any) -> list[Any]:
    """The parts of a condition that AND joins, in order."""
    if isinstance(unwrap(node), exp.And):
        node = unwrap(node)
        return [*conjuncts(node.this), *conjuncts(node.expression)]
    return [node]
