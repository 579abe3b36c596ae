"""A query in NatSQL by its clauses, as text and in the pieces that sub-questions stand for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from sqlore.sql.natsql.scope import Ref
from sqlore.sql.natsql.where import NatCondition

__all__ = ["NatSql"]

_COMPUTED: Final = re.compile(r"\b(?:count|sum|avg|min|max)\(")


@dataclass(frozen=True, slots=True)
class NatSql:
    """A query in NatSQL by its clauses; `text` is the whole.

    `source` is the table that FROM names, `first` the column that the first selected expression holds,
    `aggregated` whether that expression is an aggregate, `tables` every table of FROM in order.
    """

    select: tuple[str, ...]
    source: str
    distinct: bool = False
    conditions: tuple[NatCondition, ...] = ()
    group: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    limit: str = ""
    first: Ref | None = None
    aggregated: bool = False
    tables: tuple[str, ...] = ()
    grouped: bool = False

    @property
    def tail(self) -> str:
        """``order by`` and ``limit``, as a subquery carries them."""
        parts = [f"order by {', '.join(self.order)}"] if self.order else []
        return " ".join([*parts, *([f"limit {self.limit}"] if self.limit else [])])

    @property
    def where(self) -> str:
        """The conditions with the words between them, without ``where``."""
        out = ""
        for condition in self.conditions:
            word = condition.word
            if not out:
                out = condition.text if word in ("and", "or", "sub") else f"{word} {condition.text}"
            else:
                out += f" {word} {condition.text}"
        return out

    @property
    def parts(self) -> tuple[str, ...]:
        """The query in the pieces that least-to-most prompting maps sub-questions to.

        What is selected, then each condition (those that ``or`` ties or that a subquery brings stay with the
        one before), then the order; ``group by`` stands with what is computed for each group.
        """
        wheres: list[str] = []
        for condition in self.conditions:
            if wheres and (condition.inner or condition.word not in ("and", "except_")):
                wheres[-1] += f" {condition.word} {condition.text}"
            else:
                word = f"{condition.word} " if condition.word.endswith("_") else ""
                wheres.append(f"select where {word}{condition.text}")
        group = f" group by {', '.join(self.group)}" if self.group else ""
        counted = next((place for place, text in enumerate(wheres) if _COMPUTED.search(text)), -1)
        if counted >= 0:
            wheres[counted] += group
            group = ""
        first = f"select {'distinct ' if self.distinct else ''}{', '.join(self.select)}"
        order = (f"select {self.tail}",) if self.tail else ()
        if group and any(map(_COMPUTED.search, self.order)) and not any(map(_COMPUTED.search, self.select)):
            return (first, *wheres, f"select{group} {self.tail}")
        return (first + group, *wheres, *order)

    @property
    def text(self) -> str:
        """The whole query on one line."""
        parts = ["select", *(["distinct"] if self.distinct else []), ", ".join(self.select)]
        if self.source:
            parts += ["from", self.source]
        if self.conditions:
            parts += ["where", self.where]
        if self.group:
            parts += ["group by", ", ".join(self.group)]
        return " ".join([*parts, *([self.tail] if self.tail else [])])
