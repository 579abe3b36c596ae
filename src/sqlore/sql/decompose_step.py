"""What a decomposition is made of: its steps, and expressions in SQL with every column in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sqlglot import exp

from sqlore.sql.literals import quote_text
from sqlore.sql.names import spell
from sqlore.sql.natsql.scope import Frame, Ref
from sqlore.sql.natsql.terms import AGGREGATES, Terms, function
from sqlore.sql.render import unwrap

Operation = Literal[
    "rows",
    "join",
    "filter",
    "either",
    "group",
    "compare",
    "superlative",
    "sort",
    "limit",
    "project",
    "aggregate",
    "together",
    "union",
    "intersect",
    "except",
]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it adds in NatSQL and SQL, and the numbers of the steps that it uses.

    `sql` is a table (`rows`, `join`), a predicate (`filter`, `compare`), a formula (`group`, `project`,
    `aggregate`) or a sort key (`superlative`, `sort`); empty where the step only joins others. `keys` are
    the columns that a `group` step computes for; `limit` is how many rows stay.
    """

    number: int
    operation: Operation
    natsql: str
    sql: str = ""
    uses: tuple[int, ...] = ()
    keys: tuple[str, ...] = ()
    limit: str = ""
    distinct: bool = False


class SqlTerms(Terms):
    """Writes expressions as SQL in which every column has its table, as skeletons spell them."""

    def within(self, frame: Frame) -> Terms:
        return SqlTerms(frame)

    def star(self) -> str:
        return "*"

    def name(self, ref: Ref) -> str:
        return f"{spell(ref.table)}.{spell(ref.column.lower())}"

    def quoted(self, text: str) -> str:
        return quote_text(text)


def disjuncts(node: Any) -> list[Any]:
    """The parts that OR joins, in order."""
    node = unwrap(node)
    return [*disjuncts(node.this), *disjuncts(node.expression)] if isinstance(node, exp.Or) else [node]


def aggregates(node: Any) -> Iterator[Any]:
    """The aggregates of an expression, those of its subqueries left out."""
    for found in node.find_all(exp.Anonymous):
        if function(found) in AGGREGATES and found.find_ancestor(exp.Subquery) is None:
            yield found
