"""Expressions as NatSQL writes them: every column with its table, ``count(t.*)`` for rows of a table."""

from __future__ import annotations

from typing import Any, Final

from sqlglot import exp

from sqlore.sql.natsql.scope import Frame, Ref, frame_of
from sqlore.sql.render import unwrap
from sqlore.sql.tokens import FUNCTION_MARK

COMPARISONS: Final[dict[type[Any], str]] = {
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
NEGATED: Final = {"=": "!=", "!=": "=", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}
AGGREGATES: Final = frozenset({"count", "sum", "avg", "min", "max", "total", "group_concat"})
_OPERATORS: Final[dict[type[Any], str]] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.Mod: "%",
}


class Terms:
    """Writes the expressions of one SELECT; `rows` is the table that ``*`` counts."""

    def __init__(self, frame: Frame, rows: str = "") -> None:
        self.frame = frame
        self.rows = rows or (frame.tables[0] if frame.tables else "")

    def text(self, node: Any) -> str:
        """One expression."""
        node = unwrap(node) if not isinstance(unwrap(node), exp.Binary) else node
        if isinstance(node, exp.Alias):
            return self.text(node.this)
        if isinstance(node, exp.Paren):
            return f"({self.text(node.this)})"
        if isinstance(node, exp.Star):
            return self.star()
        if isinstance(node, exp.Column):
            return self.column(node)
        if isinstance(node, exp.Literal):
            return self.literal(node)
        if isinstance(node, exp.Neg):
            return f"-{self.text(node.this)}"
        sign = _OPERATORS.get(type(node)) or COMPARISONS.get(type(node))
        if sign:
            return f"{self.text(node.this)} {sign} {self.text(node.expression)}"
        if isinstance(node, exp.Distinct):
            return "distinct " + ", ".join(self.text(inner) for inner in node.expressions)
        if isinstance(node, exp.Anonymous):
            return f"{function(node)}({', '.join(self.text(inner) for inner in node.expressions)})"
        return self.other(node)

    def column(self, node: Any) -> str:
        """A column in full, a string where a quoted word names none, ``t.*`` of ``T1.*``."""
        if isinstance(node.this, exp.Star):
            source = next((s for s in self.frame.sources if s.alias == node.table.lower()), None)
            tables = source.frame.tables if source is not None and source.frame is not None else []
            return f"{tables[0] if tables else source.table if source is not None else node.table.lower()}.*"
        if self.frame.is_text(node):
            return self.quoted(node.name)
        found = self.frame.column(node)
        if isinstance(found, Ref):
            return self.name(found)
        inner, frame = found
        return self.within(frame).text(inner)

    def within(self, frame: Frame) -> Terms:
        """The same writer for the names of another SELECT."""
        return Terms(frame, self.rows if frame is self.frame else "")

    def star(self) -> str:
        """What ``*`` of ``count(*)`` counts."""
        return f"{self.rows}.*"

    def name(self, ref: Ref) -> str:
        """A column of a base table."""
        return ref.text

    def literal(self, node: Any) -> str:
        """A literal as the script spells it, a string in double quotes."""
        meta = node._meta or {}
        script = self.frame.context.text
        start = meta.get("start", -1)
        if node.is_string and script[start : start + 1] != "<":
            return self.quoted(node.this)
        return script[start : meta["end"] + 1] if 0 <= start < len(script) else str(node.this)

    def quoted(self, text: str) -> str:
        """A string as NatSQL writes it."""
        return quoted(text)

    def other(self, node: Any) -> str:
        """Any other expression (CASE, CAST, a window, a nested query), its columns in full."""
        copy = node.copy()
        columns = list(copy.find_all(exp.Column))
        texts = [self.within(self._inner(column, copy)).column(column) for column in columns]
        for column, written in zip(columns, texts, strict=True):
            column.replace(exp.Var(this=written))
        for name in copy.find_all(exp.Anonymous):
            name.set("this", function(name))
        for value in list(copy.find_all(exp.Literal)):
            if not value.is_string:
                value.replace(exp.Var(this=self.literal(value)))
        text = copy.sql(dialect=self.frame.context.dialect or None, comments=False, normalize_functions=False)
        return text if isinstance(text, str) else str(text)

    def _inner(self, column: Any, copy: Any) -> Frame:
        """The frame of the SELECT that a column of a nested query stands in."""
        chain: list[Any] = []
        select = column.parent_select
        while select is not None:
            chain.append(select)
            select = None if select is copy else select.parent_select
        frame = self.frame
        for inner in reversed(chain):
            if inner.args.get("from_") is not None:
                frame = frame_of(inner, self.frame.context, frame, frame.ctes)
        return frame


def function(node: Any) -> str:
    """The name of a function in lower case."""
    name = node.args["this"]
    return (name if isinstance(name, str) else name.name).replace(FUNCTION_MARK, "").lower()


def quoted(text: str) -> str:
    """A string in double quotes.

    >>> quoted('12" pipe')
    '"12"" pipe"'
    """
    return '"' + text.replace('"', '""') + '"'
