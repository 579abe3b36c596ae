"""Past scripts as examples of how a question is taken apart: each subquery is a smaller question.

Nobody took the history's questions apart, but their SQL did: what a subquery gives had to be known first. It
is said in words from its clauses, and the query around it with ``#1`` in its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.catalog import Catalog
from sqlore.errors import SqlError
from sqlore.knowledge.describe.describer import Describer
from sqlore.model import RankedScript
from sqlore.prompts.text import as_data, mask_values, values_of
from sqlore.sql import parse_script
from sqlore.sql.tree import parse_one

__all__ = ["PastParts"]

#: Subqueries of a script that is used as an example, at most.
_MOST: Final = 2
_STAND_IN: Final = re.compile(r"\bstep result (\d)\b")


class PastParts:
    """Says the parts of a database's past scripts; remembers its vocabulary."""

    def __init__(self, catalog: Catalog) -> None:
        self._schema = catalog.schema
        self._dialect = catalog.schema.dialect
        self._describer = Describer(catalog.dictionary, catalog.schema)

    def examples(
        self, scripts: Sequence[RankedScript], most: int, *, mask: bool = False
    ) -> list[tuple[str, tuple[str, ...]]]:
        """Up to `most` questions of `scripts`, each with its parts; those whose SQL has none are passed over.

        With `mask` the values of their SQL are taken out of the words.
        """
        found: list[tuple[str, tuple[str, ...]]] = []
        for ranked in scripts:
            question, sql = ranked.script.script.question, ranked.script.script.sql
            parts = self.of(sql) if question and len(found) < most else ()
            if parts and question:
                said = [as_data(text) for text in (question, *parts)]
                if mask:
                    values = values_of(sql, ranked.script.skeleton, self._dialect)
                    said = [mask_values(text, values) for text in said]
                found.append((said[0], tuple(said[1:])))
        return found

    def of(self, sql: str) -> tuple[str, ...]:
        """The parts of one query, the outermost last; none where it has no subquery, or cannot be said."""
        try:
            tree = parse_one(sql, self._dialect or None)
        except SqlglotError:
            return ()
        inner = [
            node
            for node in tree.find_all(exp.Subquery, exp.In)
            if _query(node) is not None and _outermost(node)
        ]
        if not isinstance(tree, exp.Select) or not 0 < len(inner) <= _MOST:
            return ()
        parts = []
        for number, node in enumerate(inner, 1):
            parts.append(self._said(_query(node)))
            stand_in = exp.column(f"step_result_{number}")
            if isinstance(node, exp.In):
                node.replace(exp.In(this=node.this, expressions=[stand_in]))
            else:
                node.replace(stand_in)
        parts.append(_STAND_IN.sub(r"#\1", self._said(tree)))
        known = all(parts) and all(f"#{number}" in parts[-1] for number in range(1, len(parts)))
        return tuple(parts) if known else ()

    def _said(self, tree: exp.Expr | None) -> str:
        """What a query gives, as a question's words; empty where it cannot be read."""
        try:
            parsed = parse_script(
                tree.sql(dialect=self._dialect or None) if tree else "", self._dialect, self._schema
            )
        except SqlError:
            return ""
        return f"What is the {self._describer.script(parsed)}?"


def _query(node: exp.Expr) -> exp.Expr | None:
    """The query that a condition compares with: in brackets on its own, or after IN."""
    if isinstance(node, exp.In):
        inner = node.args.get("query")
        return inner.this if isinstance(inner, exp.Subquery) else inner
    compared = isinstance(node.parent, (exp.Predicate, exp.Between)) and not isinstance(node.parent, exp.In)
    return node.this if compared and isinstance(node.this, exp.Select) else None


def _outermost(node: exp.Expr) -> bool:
    """Whether the query stands in no other subquery."""
    select = node.parent_select
    return select is not None and select.parent is None
