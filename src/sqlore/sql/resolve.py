"""Which table a column comes from: sources of a scope, columns of derived tables, lookups outwards.

A rendered expression is a `Piece`: its text with one mark per literal, and what it holds. A column of a
base table is the piece ``table.column``; a column of a CTE or derived table is the piece of its definition,
so that names given inside a query leave no trace.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlore.model import Schema, Table
from sqlore.sql.names import spell
from sqlore.sql.numbering import tagged

LITERAL = "\x01"
"""One literal in the text of a piece."""
ATOM = 12
"""Binding strength of what never needs parentheses."""


class Value(NamedTuple):
    """One literal: where it stands, how it is spelled in a canonical text, and its values."""

    offset: int
    text: str
    values: tuple[str, ...]


Reference = tuple[str, str]
"""A table and one of its columns, both as the skeleton spells them; no column: the table itself."""


class Piece(NamedTuple):
    """A rendered expression: its text, how strongly it binds, its literals in the order of the text."""

    text: str
    strength: int = ATOM
    values: tuple[Value, ...] = ()
    references: tuple[Reference, ...] = ()


class Output:
    """The columns a query gives: named pieces, and the sources behind a star."""

    __slots__ = ("columns", "counts", "name", "order", "piece", "pieces", "stars", "used")

    def __init__(self) -> None:
        self.name = ""
        self.used = False
        self.columns: dict[str, Piece] = {}
        self.order: list[str | None] = []
        self.pieces: list[Piece] = []
        self.stars: list[Source] = []
        self.counts: dict[str, int] = {}
        self.piece = Piece("")

    def rename(self, names: list[str]) -> Output:
        """The same query with its columns named by position: ``c(x, y)``."""
        renamed = Output()
        renamed.piece, renamed.counts, renamed.stars = self.piece, self.counts, self.stars
        renamed.pieces, renamed.order = self.pieces, list(names)
        if not self.stars:
            renamed.columns.update(zip(names, self.pieces, strict=False))
        return renamed


_NAMES: dict[int, tuple[Table, frozenset[str]]] = {}


def column_names(table: Table) -> frozenset[str]:
    """The lower-case names of a table's columns, kept as long as few tables are in use."""
    kept = _NAMES.get(id(table))
    if kept is not None and kept[0] is table:
        return kept[1]
    if len(_NAMES) >= 4096:
        _NAMES.clear()
    names = frozenset(column.name.lower() for column in table.columns)
    _NAMES[id(table)] = table, names
    return names


class Source:
    """One source of a FROM clause: a base table, or the output of a derived one."""

    __slots__ = ("alias", "base", "counts", "first", "group", "index", "output", "piece", "schema", "table")

    def __init__(self, alias: str, piece: Piece, base: str = "", output: Output | None = None) -> None:
        self.alias = alias
        self.piece = piece
        self.base = base
        self.output = output
        self.table: Table | None = None
        self.schema = ""
        self.index = 0
        self.group = 0
        self.first: dict[str, int] = {}
        self.counts = {base: 1} if base else (output.counts if output is not None else {})

    def has(self, name: str) -> bool | None:
        """Whether it has that column; None where nobody knows."""
        if self.output is not None:
            if name in self.output.columns:
                return True
            known = [star.has(name) for star in self.output.stars]
            return True if True in known else None if None in known else False
        if self.table is None:
            return None
        return name.lstrip("\x04").lower() in column_names(self.table)

    def column(self, name: str, totals: dict[str, int]) -> Piece | None:
        """The piece of that column as the scope writes it whose table counts are `totals`."""
        if self.base:
            table = tagged(self.base, self.first[self.base]) if totals.get(self.base, 1) > 1 else self.base
            spelled = spell(name)
            return Piece(f"{table}.{spelled}", ATOM, (), ((self.base, f"{self.base}.{spelled}"),))
        if self.output is None:
            return None
        found = self.output.columns.get(name)
        if found is None:
            stars = self.output.stars
            for star in stars:
                if star.has(name) or (len(stars) == 1 and star.has(name) is None):
                    found = star.column(name, self.output.counts)
                    break
        if found is None:
            return None
        return self._renumbered(found, totals)

    def _renumbered(self, piece: Piece, totals: dict[str, int]) -> Piece:
        """The definition's table numbers as numbers of the outer scope."""
        text = piece.text
        for base, first in self.first.items():
            if totals.get(base, 1) <= 1 or base not in text:
                continue
            inner = self.counts.get(base, 1)
            if inner > 1:
                for number in range(inner, 0, -1):
                    text = text.replace(f"{tagged(base, number)}.", f"{tagged(base, number + first - 1)}.")
            else:
                text = _tag_all(text, base, first)
        return piece if text is piece.text else piece._replace(text=text)


def _tag_all(text: str, base: str, number: int) -> str:
    """The text with that number behind every mention of the table in a column."""
    out: list[str] = []
    parts = text.split(f"{base}.")
    for part in parts[:-1]:
        whole = not part or not (part[-1].isalnum() or part[-1] in '_$."')
        out.append(part + (f"{tagged(base, number)}." if whole else f"{base}."))
    return "".join(out) + parts[-1]


class Scope:
    """The names one SELECT sees: its sources, the CTEs around it, the scope it is nested in."""

    __slots__ = (
        "aliases",
        "ctes",
        "defined",
        "label",
        "merged",
        "parent",
        "path_parent",
        "schema",
        "sources",
        "start",
        "totals",
    )

    def __init__(
        self, parent: Scope | None, path_parent: Scope | None, label: str, schema: Schema | None
    ) -> None:
        self.parent = parent
        self.path_parent = path_parent
        self.label = label
        self.schema = schema
        self.start = -1
        self.sources: list[Source] = []
        self.aliases: dict[str, Piece] = {}
        self.defined: dict[str, Piece] = {}
        self.ctes: dict[str, Output] = {}
        self.merged: dict[str, Source] = {}
        self.totals: dict[str, int] = {}

    def cte(self, name: str) -> Output | None:
        """The CTE of that name, the nearest one."""
        scope: Scope | None = self
        while scope is not None:
            found = scope.ctes.get(name)
            if found is not None:
                found.used = True
                return found
            scope = scope.parent
        return None

    def number(self) -> None:
        """Number the instances of every table: those of FROM in its order, then those in derived tables."""
        totals: dict[str, int] = {}
        for index, source in enumerate(self.sources):
            source.index = index
        for source in sorted(self.sources, key=lambda source: not source.base):
            for base, count in source.counts.items():
                before = totals.get(base, 0)
                source.first[base] = before + 1
                totals[base] = before + count
        self.totals = totals

    def source(self, alias: str, schema: str = "") -> Source | None:
        """This scope's source of that name."""
        found: Source | None = None
        for source in self.sources:
            if source.alias == alias:
                if source.schema == schema:
                    return source
                if found is None and (not schema or not source.schema):
                    found = source
        return found

    def derives(self, table: str) -> bool:
        """Whether a derived table without a name holds that table: how a skeleton writes derived tables."""
        return any(not source.alias and not source.base and table in source.counts for source in self.sources)

    def owner(self, name: str) -> tuple[Source | None, bool]:
        """The source of an unqualified column here, and whether that is certain."""
        sources = self.sources
        merged = self.merged.get(name)
        if merged is not None:
            return merged, True
        if len(sources) == 1:
            return sources[0], bool(sources[0].has(name))
        unknown: list[Source] = []
        for source in sources:
            has = source.has(name)
            if has:
                return source, True
            if has is None:
                unknown.append(source)
        return (unknown[0] if len(unknown) == 1 else None), False
