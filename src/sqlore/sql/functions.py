"""Functions, CASE, CAST and the rarer expressions as skeletons write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlglot import exp

from sqlore.errors import ParseError
from sqlore.sql.literals import quote_text
from sqlore.sql.names import spell, word_set
from sqlore.sql.operators import Operators
from sqlore.sql.render import BITS, COMPARE, OR, POSTFIX, Text, unwrap
from sqlore.sql.resolve import ATOM, Piece
from sqlore.sql.tokens import FUNCTION_MARK

_DATES: Final = frozenset(
    {"DATE", "TIME", "DATETIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPLTZ", "TIMESTAMPNTZ"}
)
_UNITS: Final = word_set(
    """year yyyy yy y quarter qq q month mm m dayofyear dy doy day dd d week ww wk isowk iso_week isoweek
    weekday dw dow dayofweek hour hh h minute mi n second ss s millisecond ms microsecond mcs us
    nanosecond ns decade century epoch years months days weeks hours minutes seconds quarters isoyear
    millennium"""
)
_UNIT_FIRST: Final = word_set(
    """datepart datename dateadd datediff datediff_big datetrunc date_bucket timestampdiff timestampadd
    date_trunc date_part time_slice timediff"""
)
_UNIT_LAST: Final = word_set(
    """date_trunc datetime_trunc timestamp_trunc time_trunc date_diff datetime_diff timestamp_diff
    time_diff last_day"""
)


class Functions(Operators):
    """Everything that is neither a column, nor a literal, nor an operator."""

    def function(self, node: Any) -> Text:
        """A function under its own name, its arguments in the order of the text."""
        name = node.args["this"]
        if isinstance(name, str):
            name = name[1:] if name[:1] == FUNCTION_MARK else name
            name = name.lower()
        else:
            name = spell(self.name(name))
        arguments = node.args.get("expressions") or []
        if name == "count" and len(arguments) == 1 and type(arguments[0]) is exp.Literal:
            return "count(*)", ATOM
        if name in _UNIT_FIRST or name in _UNIT_LAST:
            return f"{name}({', '.join(self._dated(name, arguments))})", ATOM
        if not arguments and name.startswith("current_"):
            return name, ATOM
        return f"{name}({self.texts(arguments)})", ATOM

    def _dated(self, name: str, arguments: Sequence[Any]) -> list[str]:
        """Arguments of a date function: a bare unit (``day``) is a word, not a column."""
        place = len(arguments) - 1 if self.dialect == "bigquery" or name not in _UNIT_FIRST else 0
        if name in ("datediff", "dateadd", "timediff") and len(arguments) < 3:
            place = -1
        out = []
        for index, node in enumerate(arguments):
            bare = index == place and type(node) is exp.Column and node.args.get("table") is None
            word = str(node.args["this"].args.get("this", "")).lower() if bare else ""
            out.append(word if word in _UNITS else self.render(node)[0])
        return out

    def case(self, node: Any) -> Text:
        """CASE."""
        args = node.args
        parts = ["case"]
        if args.get("this") is not None:
            parts.append(self.render(args["this"])[0])
        render = self.render
        for branch in args.get("ifs") or ():
            parts += ["when", render(branch.args["this"])[0], "then", render(branch.args["true"])[0]]
        if args.get("default") is not None:
            parts.append(f"else {self.render(args['default'])[0]}")
        parts.append("end")
        return " ".join(parts), ATOM

    def cast(self, node: Any) -> Text:
        """CAST and its kin; a date spelled as a cast of a string is a literal."""
        args = node.args
        this, to = args["this"], args["to"]
        if any(args.get(key) for key in ("format", "action", "default")):
            return self.other(node)
        kind = self.type_name(to)
        if type(this) is exp.Literal and this.args.get("is_string") and kind.upper().split("(")[0] in _DATES:
            text, strength = self.literal(this)
            last = self.values[-1]
            if last.text != "<val>":
                self.values[-1] = last._replace(text=f"{kind} {last.text}")
            return text, strength
        word = "cast" if type(node) is exp.Cast else "try_cast"
        return f"{word}({self.render(this)[0]} as {kind})", ATOM

    def type_name(self, node: Any) -> str:
        """A data type as the dialect spells it, lower-case."""
        args = node.args
        plain = type(node) is exp.DataType and not args.get("expressions") and not args.get("nested")
        key = args.get("this") if plain and type(args.get("this")) is exp.DType else None
        if key is not None and key in self._types:
            return self._types[key]
        text = node.sql(dialect=self.tokens.dialect, comments=False).lower()
        if key is not None and key is not exp.DType.USERDEFINED:
            self._types[key] = text
        return str(text)

    def other(self, node: Any) -> Text:
        """A rare node: sqlglot's generator writes it around its operands."""
        operands: list[str] = []
        text = (
            self._stripped(node, operands, top=True).sql(dialect=self.tokens.dialect, comments=False).lower()
        )
        for number in range(len(operands) - 1, -1, -1):
            text = text.replace(f"zq{number}qz", operands[number])
        binds = COMPARE if isinstance(node, exp.Predicate) else BITS if isinstance(node, exp.Binary) else ATOM
        return text, binds

    def _stripped(self, node: Any, operands: list[str], top: bool = False) -> Any:
        """A copy whose operands are stand-ins; `operands` collects their texts in order."""
        if not top and isinstance(node, _OPERANDS):
            text, strength = self.render(node)
            operands.append(text if strength >= ATOM or type(node) is exp.Kwarg else f"({text})")
            return exp.Var(this=f"zq{len(operands) - 1}qz")
        if isinstance(node, exp.DataType):
            return node.copy()
        copy = type(node)()
        for key, value in node.args.items():
            if isinstance(value, list):
                copy.set(key, [self._stripped(v, operands) if isinstance(v, exp.Expr) else v for v in value])
            else:
                copy.set(key, self._stripped(value, operands) if isinstance(value, exp.Expr) else value)
        return copy

    def unwrapped(self, node: Any) -> Text:
        """A parenthesis or an alias: what is inside."""
        return self.render(node.args["this"])

    def nested(self, node: Any) -> Text:
        """A subquery as a value."""
        return self.subquery_text(node), ATOM

    def json_path(self, node: Any) -> Text:
        """``a -> 'b'`` and ``a ->> 'b'``; Snowflake's ``a:b.c`` keeps its path, which is a name there."""
        args = node.args
        path = args["expression"]
        this = self.operand(args["this"], POSTFIX)
        if self.dialect in ("snowflake", "databricks") and type(path) is exp.JSONPath:
            steps = path.sql(dialect=self.tokens.dialect).strip("'")
            return f"{this}:{steps}", POSTFIX
        arrow = "->>" if type(node) is exp.JSONExtractScalar else "->"
        return f"{this} {arrow} {self.operand(path, ATOM)}", POSTFIX

    def struct(self, node: Any) -> Text:
        """A struct with its field names."""
        fields = []
        braces = self.dialect in ("duckdb", "snowflake")
        for item in node.expressions:
            if type(item) is exp.PropertyEQ:
                name = str(item.this.name)
                value = self.render(item.expression)[0]
                fields.append(
                    f"{quote_text(name.lower())}: {value}" if braces else f"{value} as {spell(name.lower())}"
                )
            else:
                fields.append(self.render(item)[0])
        inner = ", ".join(fields)
        return f"{{{inner}}}" if braces else f"struct({inner})", ATOM

    def arrow(self, node: Any) -> Text:
        """A lambda."""
        names = [str(item.name).lower() for item in node.expressions]
        head = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return f"{head} -> {self.render(node.this)[0]}", OR

    def keyed(self, node: Any) -> Text:
        """A named argument: ``input => x``."""
        return f"{self.render(node.this)[0]} => {self.render(node.expression)[0]}", OR

    def listed(self, node: Any) -> Text:
        """A tuple."""
        return f"({self.texts(node.args.get('expressions') or [])})", ATOM

    def exists(self, node: Any) -> Text:
        """EXISTS."""
        return f"exists{self.subquery_text(node.args['this'])}", ATOM

    def quantified(self, node: Any) -> Text:
        """ANY and ALL."""
        word, inner = type(node).__name__.lower(), unwrap(node.args["this"])
        if isinstance(inner, exp.Query):
            return f"{word}{self.subquery_text(inner)}", ATOM
        return f"{word}({self.render(inner)[0]})", ATOM

    def distinct(self, node: Any) -> Text:
        """DISTINCT inside a function."""
        items = node.args.get("expressions") or []
        return f"distinct {self.texts(items)}", OR

    def keyword(self, node: Any) -> Text:
        """A word of the language standing as an expression."""
        return str(node.args.get("this", "")).lower(), ATOM

    def identifier(self, node: Any) -> Text:
        """A name that is no column."""
        return spell(self.name(node)), ATOM

    def dot(self, node: Any) -> Text:
        """A field of a value, or a function of a schema."""
        return f"{self.operand(node.args['this'], ATOM)}.{self.render(node.args['expression'])[0]}", ATOM

    def filtered(self, node: Any) -> Text:
        """An aggregate with FILTER (WHERE ...)."""
        condition = node.args["expression"].args["this"]
        return f"{self.render(node.args['this'])[0]} filter(where {self.render(condition)[0]})", ATOM

    def within(self, node: Any) -> Text:
        """WITHIN GROUP (ORDER BY ...)."""
        return (
            f"{self.render(node.args['this'])[0]} within group ({self.render(node.args['expression'])[0]})",
            ATOM,
        )

    def ordering(self, node: Any) -> Text:
        """ORDER BY as an argument or in a window."""
        lead = f"{self.render(node.args['this'])[0]} " if node.args.get("this") is not None else ""
        return f"{lead}order by {', '.join(self.ordered(item) for item in node.args['expressions'])}", OR

    def ordered(self, node: Any, piece: Piece | None = None) -> str:
        """One item of ORDER BY, its direction said; NULLS only where it is not the dialect's default."""
        if type(node) is not exp.Ordered:
            return f"{self.render(node)[0]} asc"
        text = self.render(node.args["this"])[0] if piece is None else self.add(piece)
        return text + self.direction(node)

    def direction(self, node: Any) -> str:
        """`` asc`` or `` desc``, and the place of NULLs where it was changed."""
        descending = bool(node.args.get("desc"))
        words = " desc" if descending else " asc"
        first = bool(node.args.get("nulls_first"))
        ordering = self.tokens.dialect.NULL_ORDERING
        usual = {"nulls_are_small": not descending, "nulls_are_large": descending}.get(ordering, False)
        return words if first == usual else f"{words} nulls {'first' if first else 'last'}"

    def collated(self, node: Any) -> Text:
        """COLLATE."""
        return (
            f"{self.operand(node.args['this'], POSTFIX)} collate {self.render(node.args['expression'])[0]}",
            POSTFIX,
        )

    def escaped(self, node: Any) -> Text:
        """LIKE ... ESCAPE."""
        pattern = self.operand(node.args["this"], COMPARE)
        return f"{pattern} escape {self.operand(node.args['expression'], BITS)}", COMPARE

    def unsupported(self, node: Any) -> Text:
        """Statements the parser did not understand."""
        raise ParseError("a part of the query could not be understood", hint="check the dialect")


_OPERANDS: Final = (
    exp.Column,
    exp.Literal,
    exp.Subquery,
    exp.Select,
    exp.Anonymous,
    exp.Case,
    exp.Cast,
    exp.Connector,
    exp.Binary,
    exp.Paren,
    exp.Null,
    exp.Boolean,
    exp.Window,
    exp.Neg,
    exp.Not,
    exp.Interval,
    exp.Placeholder,
    exp.Parameter,
)
