"""Where every column of a query comes from: what a change of one piece needs to know of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sqlore.sql.fragments import Walker
from sqlore.sql.resolve import Output, Piece, Scope, Source

__all__ = ["Trace", "Use"]


@dataclass(frozen=True, slots=True)
class Use:
    """One column as it stands in the text: its node, the source it comes from, the scope it stands in."""

    node: Any
    source: Source | None
    scope: Scope
    owner: Scope | None

    @property
    def start(self) -> int:
        """Where the column begins, its qualifier included; -1 where nobody knows."""
        parts = (self.node.args.get(key) for key in ("catalog", "db", "table", "this"))
        known = [p.meta["start"] for p in parts if isinstance(p, exp.Identifier) and "start" in p.meta]
        return min(known, default=-1)


class Trace(Walker):
    """A walker that remembers where each column comes from."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.uses: dict[int, Use] = {}
        self.nodes: dict[int, Any] = {}

    def resolve(self, node: Any) -> tuple[Piece, Source | None, Scope | None]:
        found = super().resolve(node)
        self.uses.setdefault(id(node), Use(node, found[1], self.scope, found[2]))
        return found

    def _select(self, node: Any, scope: Scope) -> Output:
        self.nodes[id(scope)] = node
        return super()._select(node, scope)
