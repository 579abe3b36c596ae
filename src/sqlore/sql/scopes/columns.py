"""The columns a query gives, with their types as far as the schema and simple rules tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlglot import exp

from sqlore.model import Column
from sqlore.sql.names import word_set
from sqlore.sql.render import unwrap
from sqlore.sql.resolve import Scope, Source
from sqlore.sql.scopes.walk import Entered, Recorder

_INTEGERS: Final = word_set(
    """count row_number rank dense_rank ntile length char_length instr position year month day sign
    julianday_diff date_diff datediff date_part unicode total_changes count_if countif regr_count"""
)
_REALS: Final = word_set(
    "avg julianday sqrt ln log exp power pow stddev variance total percent_rank cume_dist"
)
_TEXTS: Final = word_set(
    """strftime substr substring upper lower trim ltrim rtrim replace group_concat string_agg concat printf
    format left right to_char hex char initcap concat_ws listagg"""
)
_OF_ARGUMENT: Final = word_set(
    """min max coalesce ifnull nullif lag lead first_value last_value nth_value abs round any_value sum floor
    ceil ceiling nvl isnull mode median"""
)
_BOOLEANS: Final = (
    *(exp.Predicate, exp.And, exp.Or, exp.Not, exp.Exists, exp.In, exp.Between, exp.Is, exp.Like),
)
_DEPTH: Final = 40


class ColumnFinder:
    """Finds the output columns of every query of one walk; what it found it keeps.

    `written` are the projections of each scope as texts: what a column without a name is called.
    """

    def __init__(self, walker: Recorder, written: Mapping[int, tuple[str, ...]]) -> None:
        self.walker = walker
        self.written = written
        self._known: dict[int, tuple[tuple[Column, ...], bool]] = {}

    def columns(self, scope: Scope) -> tuple[tuple[Column, ...], bool]:
        """The columns of a query, and whether that is all of them (no star over something unknown)."""
        key = id(scope)
        if key not in self._known:
            self._known[key] = (), False  # a recursive CTE asks for itself
            here = self.walker.entered[key]
            found, whole = self._of(here)
            self._known[key] = self._renamed(here, found), whole
        return self._known[key]

    def source_columns(self, source: Source) -> tuple[tuple[Column, ...], bool]:
        """The columns of one source of FROM."""
        if source.table is not None:
            return source.table.columns, True
        origin = self.walker.origins.get(id(source))
        if origin is not None and origin.scope is not None:
            found, whole = self.columns(origin.scope)
            return self._aliased(origin.node, found), whole
        if origin is not None and type(origin.node) is exp.Values:
            found, whole = self._values(origin.node)
            return self._aliased(origin.node, found), whole
        if source.output is not None and source.output.order:
            return tuple(Column(name) for name in source.output.order if name), True
        return (), False

    def _values(self, node: Any) -> tuple[tuple[Column, ...], bool]:
        """The columns of VALUES, called as most databases call them."""
        rows = node.expressions
        first = rows[0].expressions if rows and isinstance(rows[0], exp.Tuple) else rows[:1]
        here = Entered(self.walker.scopes[0])
        return tuple(Column(f"column{i}", self._type(e, here)) for i, e in enumerate(first, 1)), bool(rows)

    def _of(self, here: Entered) -> tuple[tuple[Column, ...], bool]:
        node, scope = here.node, here.scope
        if isinstance(node, exp.SetOperation | exp.Subquery):
            label = "union" if isinstance(node, exp.SetOperation) else "subquery"
            inner = [s for s in self.walker.scopes if s.path_parent is scope and s.label == label]
            return self.columns(inner[0]) if inner else ((), False)
        if not isinstance(node, exp.Select):
            return self._values(node) if isinstance(node, exp.Values) else ((), False)
        out: list[Column] = []
        whole = True
        written = self.written.get(id(scope), ())
        for number, item in enumerate(node.expressions):
            inner = unwrap(item.args["this"] if type(item) is exp.Alias else item)
            if isinstance(inner, exp.Star) or (isinstance(inner, exp.Column) and inner.is_star):
                found, known = self._star(inner, here)
                out.extend(found)
                whole = whole and known
            else:
                name = self._name(item, inner) or (written[number] if number < len(written) else "")
                out.append(Column(name, self._type(inner, here)))
        return tuple(out), whole

    def _star(self, node: Any, here: Entered) -> tuple[list[Column], bool]:
        table = node.args.get("table") if isinstance(node, exp.Column) else None
        sources = here.scope.sources
        if table is not None:
            source = here.scope.source(self.walker.name(table))
            sources = [source] if source is not None else []
        out: list[Column] = []
        whole = bool(sources)
        seen: set[str] = set()
        for source in sources:
            found, known = self.source_columns(source)
            merged = here.scope.merged if table is None else {}
            out.extend(c for c in found if c.name.lower() not in merged or c.name.lower() not in seen)
            seen.update(c.name.lower() for c in found)
            whole = whole and known
        return out, whole and not (isinstance(node, exp.Star) and any(node.args.values()))

    def _name(self, item: Any, inner: Any) -> str:
        alias = item.args.get("alias") if type(item) in (exp.Alias, exp.Subquery) else None
        if isinstance(alias, exp.TableAlias):
            alias = alias.this
        if isinstance(alias, exp.Identifier):
            return str(alias.name)
        return str(inner.name) if isinstance(inner, exp.Column) else ""

    def _renamed(self, here: Entered, found: tuple[Column, ...]) -> tuple[Column, ...]:
        """The columns under the names that ``c(x, y)`` of a CTE gives them."""
        return self._aliased(here.cte, found) if here.cte is not None else found

    def _aliased(self, node: Any, found: tuple[Column, ...]) -> tuple[Column, ...]:
        alias = node.args.get("alias") if node is not None else None
        names = (
            [c.name for c in (alias.args.get("columns") or ())] if isinstance(alias, exp.TableAlias) else []
        )
        if not names:
            return found
        given = [Column(name, found[i].type if i < len(found) else "") for i, name in enumerate(names)]
        return (*given, *found[len(names) :])

    # -------------------------------------------------------------- types

    def _type(self, node: Any, here: Entered, depth: int = 0) -> str:
        """The type of an expression; empty where no rule tells."""
        node = unwrap(node)
        if depth > _DEPTH or node is None:
            return ""
        kind = type(node)
        if kind is exp.Column:
            return self._column_type(node, here.scope)
        if kind in (exp.Cast, exp.TryCast):
            return str(node.args["to"].sql()).upper()
        if kind is exp.Literal:
            return "TEXT" if node.is_string else "REAL" if "." in str(node.this) else "INTEGER"
        if kind is exp.Case or kind is exp.If:
            arms = [arm.args.get("true") for arm in node.args.get("ifs") or ()] or [node.args.get("true")]
            return next((t for t in (self._type(a, here, depth + 1) for a in arms) if t), "")
        if kind in (exp.Window, exp.Filter, exp.Distinct, exp.Neg, exp.Order, exp.WithinGroup, exp.Collate):
            inner = node.args.get("this") or next(iter(node.expressions), None)
            return self._type(inner, here, depth + 1) if inner is not None else ""
        if kind is exp.Subquery or isinstance(node, exp.Select):
            return self._query_type(node)
        if kind is exp.DPipe:
            return "TEXT"
        if isinstance(node, _BOOLEANS):
            return "INTEGER" if self.walker.dialect == "sqlite" else "BOOLEAN"
        if isinstance(node, exp.Binary):
            return self._arithmetic(node, here, depth)
        if isinstance(node, exp.Func):
            return self._function(node, here, depth)
        return ""

    def _column_type(self, node: Any, scope: Scope | None) -> str:
        name, table = self.walker.name(node.this), node.args.get("table")
        while scope is not None:
            source = scope.source(self.walker.name(table)) if table is not None else scope.owner(name)[0]
            if source is not None:
                found, _ = self.source_columns(source)
                return next((c.type for c in found if c.name.lower() == name.lower()), "")
            scope = scope.parent
        return ""

    def _query_type(self, node: Any) -> str:
        while type(node) is exp.Subquery:
            node = node.this
        for entered in self.walker.entered.values():
            if entered.node is node:
                found, _ = self.columns(entered.scope)
                return found[0].type if found else ""
        return ""

    def _arithmetic(self, node: Any, here: Entered, depth: int) -> str:
        types = [self._type(side, here, depth + 1).upper() for side in (node.this, node.expression)]
        if any(t.startswith(("REAL", "DOUBLE", "FLOAT", "NUMERIC", "DECIMAL")) for t in types):
            return next(t for t in types if t.startswith(("REAL", "DOUBLE", "FLOAT", "NUMERIC", "DECIMAL")))
        if types[0] == types[1] and types[0].startswith(("INT", "BIGINT")):
            return "DOUBLE" if type(node) is exp.Div and self.walker.dialect == "duckdb" else types[0]
        return ""

    def _function(self, node: Any, here: Entered, depth: int) -> str:
        name = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lstrip("\x01").lower()
        arguments = node.expressions or [a for a in (node.args.get("this"),) if isinstance(a, exp.Expr)]
        if name in _INTEGERS:
            return "INTEGER"
        if name in _REALS:
            return "REAL"
        if name in _TEXTS:
            return "TEXT"
        if name in ("iif", "if") and len(arguments) > 1:
            return self._type(arguments[1], here, depth + 1)
        if name in _OF_ARGUMENT and arguments:
            return next((t for t in (self._type(a, here, depth + 1) for a in arguments) if t), "")
        return ""
