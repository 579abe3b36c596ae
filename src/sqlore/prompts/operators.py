"""The primitive operations of SQL that a query uses: its clauses, operators and functions, from its tree.

The set `OPERATIONS` is what Algorithm 1 of "Adapt and Decompose" (section 4.2) wants covered. The paper
collected its set by hand and gives only its size on Spider, 32. Here a name stands for what a person types:

- NOT is its own operator, so ``x NOT IN (…)`` uses NOT and IN, ``IS NOT NULL`` uses NOT and IS NULL;
- ON, AS and ASC are no operations of their own: they come with JOIN, an alias and ORDER BY;
- ALL and ANY before a subquery are left out: SQLite, the dialect of both training sets, has neither;
- a subquery is a composition of operations and none itself (the paper leaves compositions to a later step);
- a comma between tables and a CROSS JOIN are a JOIN; RIGHT and FULL joins are counted as a LEFT JOIN;
- a function has one name in all dialects: IFNULL is COALESCE, SUBSTRING is SUBSTR.

Read so, Spider's 7,000 training queries use exactly 32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from sqlglot import exp

from sqlore.sql.parse import parse_query

#: What is looked for, by its kind: clauses, operators, functions.
OPERATIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "clause": (
            *("SELECT", "DISTINCT", "FROM", "JOIN", "LEFT JOIN", "WHERE", "GROUP BY"),
            *("HAVING", "ORDER BY", "DESC", "LIMIT", "OFFSET", "UNION", "UNION ALL", "INTERSECT"),
            *("EXCEPT", "WITH", "CASE", "OVER", "PARTITION BY", "FILTER"),
        ),
        "operator": (
            *("=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "||"),
            *("AND", "OR", "NOT", "IN", "LIKE", "BETWEEN", "IS NULL", "EXISTS"),
        ),
        "function": (
            *("COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP_CONCAT", "CAST", "COALESCE", "NULLIF", "ABS"),
            *("ROUND", "LENGTH", "UPPER", "LOWER", "SUBSTR", "REPLACE", "TRIM", "INSTR", "STRFTIME"),
            *("JULIANDAY", "ROW_NUMBER", "RANK", "DENSE_RANK", "LAG", "LEAD"),
        ),
    }
)

_KNOWN: Final = frozenset(name for names in OPERATIONS.values() for name in names)

# Operations that are told by the type of a node alone; a type's subclasses are types of their own here.
_BY_TYPE: Final[dict[type[Any], str]] = {
    exp.Select: "SELECT", exp.Distinct: "DISTINCT", exp.From: "FROM", exp.Group: "GROUP BY",
    exp.Having: "HAVING", exp.Order: "ORDER BY", exp.Limit: "LIMIT", exp.Fetch: "LIMIT",
    exp.Offset: "OFFSET", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT", exp.With: "WITH",
    exp.Case: "CASE", exp.Filter: "FILTER",
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.GT: ">", exp.LTE: "<=", exp.GTE: ">=", exp.Add: "+",
    exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.IntDiv: "/", exp.Mod: "%", exp.DPipe: "||",
    exp.Concat: "||", exp.And: "AND", exp.Or: "OR", exp.Not: "NOT", exp.In: "IN", exp.Like: "LIKE",
    exp.ILike: "LIKE", exp.Glob: "LIKE", exp.NullSafeNEQ: "!=", exp.NullSafeEQ: "=",
    exp.Between: "BETWEEN", exp.Exists: "EXISTS",
    exp.Cast: "CAST", exp.TryCast: "CAST", exp.Where: "WHERE",
}  # fmt: skip

# The names that functions go by in the dialects, where they are not those of `OPERATIONS`.
_SAME_FUNCTION: Final[dict[str, str]] = {
    "IFNULL": "COALESCE", "NVL": "COALESCE", "ISNULL": "COALESCE", "SUBSTRING": "SUBSTR",
    "STRING_AGG": "GROUP_CONCAT", "LISTAGG": "GROUP_CONCAT", "LEN": "LENGTH", "CHAR_LENGTH": "LENGTH",
    "STRPOS": "INSTR", "POSITION": "INSTR", "TO_CHAR": "STRFTIME", "DATE_FORMAT": "STRFTIME", "IIF": "CASE",
}  # fmt: skip


def _join(node: Any) -> Iterator[str]:
    yield "LEFT JOIN" if node.args.get("side") else "JOIN"


def _union(node: Any) -> Iterator[str]:
    yield "UNION" if node.args.get("distinct") else "UNION ALL"


def _ordered(node: Any) -> Iterator[str]:
    if node.args.get("desc"):
        yield "DESC"


def _window(node: Any) -> Iterator[str]:
    yield "OVER"
    if node.args.get("partition_by"):
        yield "PARTITION BY"


def _is(node: Any) -> Iterator[str]:
    yield "IS NULL" if isinstance(node.expression, exp.Null) else "="


def _function(node: Any) -> Iterator[str]:
    name = (node.name if isinstance(node, exp.Anonymous) else str(node.sql_name())).lstrip("\x01").upper()
    yield _SAME_FUNCTION.get(name, name)


_BY_PARTS: Final[dict[type[Any], Callable[[Any], Iterator[str]]]] = {
    exp.Join: _join, exp.Union: _union, exp.Ordered: _ordered, exp.Window: _window, exp.Is: _is,
}  # fmt: skip


@lru_cache(maxsize=16_384)
def operations_of(sql: str, dialect: str = "sqlite") -> frozenset[str]:
    """The names in `OPERATIONS` that a query uses.

    Raises ParseError or NotAQuery where it is no query.

    >>> sorted(operations_of("SELECT name FROM hero WHERE id NOT IN (SELECT hero_id FROM power)"))
    ['FROM', 'IN', 'NOT', 'SELECT', 'WHERE']
    """
    found: set[str] = set()
    for node in parse_query(sql, dialect).tree.walk():
        if node.args.get("negate"):  # sqlglot writes NOT LIKE so, and NOT IN as a Not
            found.add("NOT")
        name = _BY_TYPE.get(type(node))
        if name is not None:
            found.add(name)
        elif type(node) in _BY_PARTS:
            found.update(_BY_PARTS[type(node)](node))
        elif isinstance(node, exp.Func):
            found.update(_function(node))
    return frozenset(found & _KNOWN)
