"""The walk over a query that also notes its structure: which query stands where and reads from what."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from sqlore.sql.fragments import Walker
from sqlore.sql.render import unwrap
from sqlore.sql.resolve import Output, Piece, Scope, Source
from sqlore.sql.scopes.model import Usage
from sqlore.sql.sources import Atom, Item
from sqlore.sql.spans import Block, Range


@dataclass(slots=True)
class Origin:
    """Where a source's rows come from: a query's scope (a CTE, a derived table), or the node itself."""

    kind: str
    scope: Scope | None = None
    node: Any = None


@dataclass(slots=True)
class Entered:
    """One query that the walk went through."""

    scope: Scope
    node: Any = None
    output: Output | None = None
    items: list[Item] = field(default_factory=list)
    links: list[tuple[Range, Source, Source]] = field(default_factory=list)
    outer: list[tuple[Any, Source, Scope]] = field(default_factory=list)
    outer_spans: list[int] = field(default_factory=list)
    outer_links: list[tuple[Range, Scope]] = field(default_factory=list)
    cte: Any = None

    @property
    def kind(self) -> str:
        """``main``, ``cte``, ``subquery`` or ``union``."""
        return self.scope.label.partition(":")[0]


class Recorder(Walker):
    """A `Walker` that remembers the queries it entered, the origin of sources, and outer columns."""

    entered: dict[int, Entered]
    origins: dict[int, Origin]
    defined: dict[tuple[int, str], Scope]

    def run(self, node: Any) -> Output:
        self.entered, self.origins, self.defined = {}, {}, {}
        return super().run(node)

    def _open(self, parent: Scope | None, path: Scope | None, label: str) -> Scope:
        scope = super()._open(parent, path, label)
        self.entered[id(scope)] = Entered(scope)
        if parent is not None and label.startswith("cte:"):
            self.defined[id(parent), label[4:]] = scope
        return scope

    # -------------------------------------------------------------- queries

    def _select(self, node: Any, scope: Scope) -> Output:
        here = self.entered[id(scope)]
        here.node = node
        here.output = super()._select(node, scope)
        return here.output

    def _set_operation(self, node: Any, scope: Scope, first: Callable[[Output], None] | None) -> Output:
        here = self.entered[id(scope)]
        here.node = node
        here.output = super()._set_operation(node, scope, first)
        return here.output

    def _wrapped(self, node: Any, scope: Scope) -> Output:
        here = self.entered[id(scope)]
        here.node = node
        here.output = super()._wrapped(node, scope)
        return here.output

    def _other_query(self, node: Any) -> Output:
        here = self.entered[id(self.scope)]
        here.node = node
        here.output = super()._other_query(node)
        return here.output

    def _ctes(self, clause: Any, scope: Scope) -> None:
        before = len(self.scopes)
        super()._ctes(clause, scope)
        opened = [s for s in self.scopes[before:] if s.parent is scope and s.label.startswith("cte:")]
        for cte, inner in zip(clause.expressions, opened, strict=False):
            self.entered[id(inner)].cte = cte

    # -------------------------------------------------------------- sources and columns

    def _from(self, node: Any, scope: Scope) -> list[Item]:
        items = super()._from(node, scope)
        self.entered[id(scope)].items = items
        return items

    def _source(self, item: Item, scope: Scope) -> Source:
        before = len(self.scopes)
        source = super()._source(item, scope)
        if id(source) not in self.origins:
            node = item.node
            nested = type(node) is exp.Subquery or (
                type(node) is exp.Lateral and type(node.this) is exp.Subquery
            )
            if nested and len(self.scopes) > before:
                self.origins[id(source)] = Origin("query", self.scopes[before], node)
            else:
                self.origins[id(source)] = Origin(
                    "values" if type(node) is exp.Values else "function", None, node
                )
        return source

    def _table(self, node: Any, alias: str, columns: list[str], scope: Scope) -> Source:
        source = super()._table(node, alias, columns, scope)
        inner = self._cte_scope(node, scope) if not source.base and not node.args.get("pivots") else None
        self.origins[id(source)] = Origin("cte" if inner is not None else "table", inner, node)
        return source

    def _cte_scope(self, node: Any, scope: Scope) -> Scope | None:
        name = self._table_name(node.args["this"])
        current: Scope | None = scope
        while current is not None:
            if name in current.ctes:
                return self.defined.get((id(current), name.lstrip("\x04")))
            current = current.parent
        return None

    def resolve(self, node: Any) -> tuple[Piece, Source | None, Scope | None]:
        piece, source, owner = super().resolve(node)
        if owner is not None and source is not None and owner is not self.scope:
            current: Scope | None = self.scope
            while current is not None and current is not owner:
                here = self.entered[id(current)]
                if all(known is not node for known, _, _ in here.outer):
                    here.outer.append((node, source, owner))
                current = current.parent
        return piece, source, owner

    def _predicates(
        self, atoms: list[Atom], found: Range | None, scope: Scope, item: Item | None = None
    ) -> None:
        super()._predicates(atoms, found, scope, item)
        if item is not None or found is None:
            return
        ranges = self.spans.predicates(*found)
        if len(ranges) == len(atoms):
            links = self.entered[id(scope)].links
            links += [(at, *atom.edge) for at, atom in zip(ranges, atoms, strict=True) if atom.edge]
            self._outer_links(list(zip(ranges, (atom.node for atom in atoms), strict=True)), scope)

    def _outer_links(self, found: list[tuple[Range, Any]], scope: Scope) -> None:
        """Equalities that hold for all rows and tie a source to one of a query around it."""
        for at, node in found:
            sides = [unwrap(side) for side in (node.this, node.expression)] if type(node) is exp.EQ else []
            if not sides or not all(type(side) is exp.Column for side in sides) or not _always(node):
                continue
            one, other = (self.resolve(side)[2] for side in sides)
            if (one is scope) != (other is scope) and one is not None and other is not None:
                around = other if one is scope else one
                self.entered[id(scope)].outer_links.append((at, around))

    def tail_block(self, node: Any, scope: Scope) -> Block | None:
        """The block with the ORDER BY or LIMIT of a set operation or of a query in parentheses."""
        return self._tail_block(node, scope)


def _always(node: Any) -> bool:
    """Whether a predicate has to be true wherever its WHERE is: nothing but AND is above it."""
    while isinstance(node.parent, exp.And | exp.Paren):
        node = node.parent
    return isinstance(node.parent, exp.Where)


def usages(walker: Recorder, derived: Collection[int]) -> dict[int, Usage]:
    """How each subquery is used, by its tree; `derived` are the scopes of those in FROM."""
    out: dict[int, Usage] = {}
    for key, here in walker.entered.items():
        if here.kind != "subquery" or here.node is None:
            continue
        node = here.node.parent
        while isinstance(node, exp.Subquery | exp.Paren):
            node = node.parent
        usage: Usage = "value"
        if key in derived:
            usage = "from"
        elif isinstance(node, exp.Exists | exp.In):
            usage = "exists" if isinstance(node, exp.Exists) else "in"
        out[key] = usage
    return out
