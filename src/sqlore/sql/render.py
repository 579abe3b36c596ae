"""From expression trees to skeleton text: one pass, one function a node type.

Every handler takes a node and returns its text and how strongly it binds; literals become one mark in the
text and are kept aside, so that skeleton and canonical text come from the same pass. Rare node types go
through sqlglot's generator with their operands swapped out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlglot import TokenType, exp

from sqlore.errors import ParseError
from sqlore.sql.names import fold, spell, word_set
from sqlore.sql.numbering import sort_key, tagged
from sqlore.sql.resolve import ATOM, LITERAL, Piece, Reference, Scope, Source, Value
from sqlore.sql.spans import position_of
from sqlore.sql.tokens import FUNCTION_MARK, Tokens

Text = tuple[str, int]

OR, AND, NOT, COMPARE, BITS, ADD, MULTIPLY, UNARY, POSTFIX = 1, 2, 3, 4, 5, 6, 7, 8, 9

_OPERATORS: Final[dict[type[Any], tuple[str, int]]] = {
    exp.Add: ("+", ADD),
    exp.Sub: ("-", ADD),
    exp.Mul: ("*", MULTIPLY),
    exp.Div: ("/", MULTIPLY),
    exp.Mod: ("%", MULTIPLY),
    exp.BitwiseAnd: ("&", BITS),
    exp.BitwiseOr: ("|", BITS),
    exp.BitwiseLeftShift: ("<<", BITS),
    exp.BitwiseRightShift: (">>", BITS),
    exp.Like: ("like", COMPARE),
    exp.ILike: ("ilike", COMPARE),
    exp.Glob: ("glob", COMPARE),
    exp.Is: ("is", COMPARE),
    exp.SimilarTo: ("similar to", COMPARE),
}
_COMPARISONS: Final[dict[type[Any], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
_FLIPPED: Final = {"=": "=", "<>": "<>", ">": "<", "<": ">", ">=": "<=", "<=": ">="}
_NEGATED: Final = {"=": "<>", "<>": "=", ">": "<=", "<": ">=", ">=": "<", "<=": ">"}
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


class Renderer:
    """Renders expressions of one script; `scope` is the SELECT whose names apply now."""

    #: Whether the text is a skeleton: then a column without a table has none, and edges are not in WHERE.
    strict = False

    def __init__(self, tokens: Tokens, dialect: str) -> None:
        self.tokens = tokens
        self.source_text = tokens.text
        self.dialect = dialect
        self.values: list[Value] = []
        self.references: list[Reference] = []
        self.scope = Scope(None, None, "main", None)
        self._types: dict[Any, str] = {}

    # -------------------------------------------------------------- hooks of the walker

    def query(self, node: Any) -> str:
        """The text of a nested query, without parentheses."""
        raise NotImplementedError

    def window(self, node: Any) -> Text:
        """The text of a window function."""
        raise NotImplementedError

    # -------------------------------------------------------------- entry points

    def render(self, node: Any) -> Text:
        """Text and binding strength of an expression."""
        handler = HANDLERS.get(type(node))
        return handler(self, node) if handler is not None else self.other(node)

    def operand(self, node: Any, least: int) -> str:
        """The text of an operand, in parentheses where it binds less strongly than `least`."""
        text, strength = self.render(node)
        return text if strength >= least else f"({text})"

    def piece(self, node: Any) -> Piece:
        """The expression as a piece of its own; what it holds leaves the running lists."""
        values, references = len(self.values), len(self.references)
        text, strength = self.render(node)
        return self.cut(text, strength, values, references)

    def cut(self, text: str, strength: int, values: int, references: int) -> Piece:
        """A piece of what was collected since the two lists had those lengths; the lists are cut back."""
        piece = Piece(text, strength, tuple(self.values[values:]), tuple(self.references[references:]))
        del self.values[values:]
        del self.references[references:]
        return piece

    def add(self, piece: Piece) -> str:
        """Take a piece into the running text."""
        self.values.extend(piece.values)
        self.references.extend(piece.references)
        return piece.text

    def name(self, identifier: Any) -> str:
        """An identifier's name as the dialect folds it."""
        args = identifier.args
        if type(identifier) is not exp.Identifier:
            return fold(str(args.get("this", identifier.name)), False, self.dialect)
        name = fold(args["this"], bool(args.get("quoted")), self.dialect)
        if len(args) > 2:
            # T-SQL's temporary tables.
            return f"##{name}" if args.get("global_") else f"#{name}" if args.get("temporary") else name
        return name

    # -------------------------------------------------------------- columns

    def resolve(self, node: Any) -> tuple[Piece, Source | None, Scope | None]:
        """A column's piece, and the source and scope it comes from where that is known."""
        args = node.args
        name = self.name(args["this"])
        table = args.get("table")
        if table is None:
            return self._bare(name, node)
        alias = self.name(table)
        schema = self.name(args["db"]) if args.get("db") is not None else ""
        scope: Scope | None = self.scope
        while scope is not None:
            source = scope.source(alias, schema)
            if source is not None:
                return self._column(source, name, scope), source, scope
            if scope.derives(spell(alias)):
                break
            scope = scope.parent
        parts = [
            spell(self.name(args[key]))
            for key in ("catalog", "db", "table", "this")
            if args.get(key) is not None
        ]
        text = ".".join(parts)
        return Piece(text, ATOM, (), ((".".join(parts[:-1]), text),)), None, None

    def _column(self, source: Source, name: str, scope: Scope) -> Piece:
        totals = scope.totals
        inner = self.scope
        if scope is not inner and source.base and inner.totals.get(source.base):
            # A correlated column of the same table: numbered after the tables of the inner scope.
            before = inner.totals[source.base]
            spelled = spell(name)
            text = f"{tagged(source.base, before + source.first[source.base], outer=True)}.{spelled}"
            return Piece(text, ATOM, (), ((source.base, f"{source.base}.{spelled}"),))
        return source.column(name, totals) or Piece(spell(name))

    def _bare(self, name: str, node: Any) -> tuple[Piece, Source | None, Scope | None]:
        if self.strict:
            return Piece(spell(name), ATOM, (), (("", spell(name)),)), None, None
        scope: Scope | None = self.scope
        first, first_scope = scope.owner(name) if scope else (None, False), scope
        while scope is not None:
            source, certain = scope.owner(name)
            if source is not None and certain:
                return self._column(source, name, scope), source, scope
            if name in scope.aliases:
                return scope.aliases[name], None, None
            if source is not None and source.has(name) is None:
                return self._column(source, name, scope), source, scope
            if source is None and any(s.has(name) is None for s in scope.sources):
                break
            scope = scope.parent
        if name in self.scope.defined and not any(s.has(name) is None for s in self.scope.sources):
            return self.scope.defined[name], None, None
        source = first[0]
        if source is not None and first_scope is not None:
            if self._is_string(node):
                return self._string(node), None, None
            return self._column(source, name, first_scope), source, first_scope
        if self._is_string(node):
            return self._string(node), None, None
        return Piece(spell(name), ATOM, (), (("", spell(name)),)), None, None

    def _is_string(self, node: Any) -> bool:
        """SQLite and MySQL take a double-quoted word that names no column for a string."""
        if self.dialect not in ("sqlite", "mysql") or not node.args["this"].args.get("quoted"):
            return False
        meta = node.args["this"]._meta
        return bool(self.scope.schema) and bool(meta) and self.source_text[meta["start"]] == '"'

    def _string(self, node: Any) -> Piece:
        identifier = node.args["this"]
        word = identifier.args["this"]
        value = Value(identifier._meta["start"], quote(word), (word,))
        return Piece(LITERAL, ATOM, (value,))

    def column(self, node: Any) -> Text:
        """A column, resolved to its base table or to its definition."""
        if type(node.args["this"]) is exp.Star:
            return self._table_star(node), ATOM
        piece = self.resolve(node)[0]
        if piece.values:
            self.values.extend(piece.values)
        self.references.extend(piece.references)
        return piece.text, piece.strength

    def _table_star(self, node: Any) -> str:
        source = (
            self.scope.source(self.name(node.args["table"])) if node.args.get("table") is not None else None
        )
        if source is None or not source.base:
            return self.star(node.args["this"])[0]
        self.references.append((source.base, ""))
        several = self.scope.totals.get(source.base, 1) > 1
        table = tagged(source.base, source.first[source.base]) if several else source.base
        return f"{table}.{self.star(node.args['this'])[0]}"

    def star(self, node: Any) -> Text:
        """``*``, with what it leaves out or replaces."""
        text = "*"
        args = node.args
        for key, word in (("except_", "except"), ("replace", "replace"), ("rename", "rename")):
            if args.get(key):
                inner = args[key] if isinstance(args[key], list) else [args[key]]
                text += f" {word} ({', '.join(self._star_item(item) for item in inner)})"
        return text, ATOM

    def _star_item(self, item: Any) -> str:
        if isinstance(item, exp.Alias):
            return f"{self.render(item.this)[0]} as {spell(self.name(item.args['alias']))}"
        return spell(self.name(item.this)) if isinstance(item, exp.Column) else self.render(item)[0]

    # -------------------------------------------------------------- literals

    def mask(self, offset: int, text: str, values: tuple[str, ...]) -> Text:
        """One literal."""
        self.values.append(Value(offset, text, values))
        return LITERAL, ATOM

    def literal(self, node: Any, sign: str = "") -> Text:
        """A number, string, placeholder, or folded list."""
        args, meta = node.args, node._meta
        offset = meta["start"] if meta and "start" in meta else -1
        word = str(args["this"])
        if offset >= 0 and offset in self.tokens.folded:
            return self.mask(offset, self.source_text[offset : meta["end"] + 1], self.tokens.folded[offset])
        if args.get("is_string"):
            if word == "val" and offset >= 0 and self.source_text[offset] == "<":
                return self.mask(offset, "<val>", ("<val>",))
            return self.mask(offset, quote(word), (word,))
        if offset >= 0:
            word = self.source_text[offset : meta["end"] + 1]
        return self.mask(offset, sign + word, (sign + word,))

    def leaf(self, node: Any) -> Text:
        """A literal of another spelling: hexadecimal, national, a JSON path, a placeholder."""
        text = node.sql(dialect=self.tokens.dialect, comments=False)
        if isinstance(node, exp.Placeholder | exp.Parameter | exp.JSONPath):
            return self.mask(position_of(node), text, (text.strip("'"),))
        return self.mask(position_of(node), text, (str(node.this),))

    def boolean(self, node: Any) -> Text:
        """TRUE or FALSE."""
        word = "true" if node.args["this"] else "false"
        return self.mask(-1, word, (word,))

    def interval(self, node: Any) -> Text:
        """An interval; of a literal it is a literal."""
        this, unit = node.args.get("this"), node.args.get("unit")
        words = f" {unit.sql().lower()}" if unit is not None else ""
        inner = this.this if type(this) is exp.Neg else this
        if type(inner) is not exp.Literal:
            return (
                f"interval {self.operand(this, POSTFIX)}{words}" if this is not None else f"interval{words}",
                UNARY,
            )
        sign = "-" if inner is not this else ""
        offset, spelled = self._interval_value(node)
        if spelled.startswith("<"):
            return self.mask(offset, "<val>", ("<val>",))
        word = str(inner.this)
        if spelled[:1] not in ("'", '"', "") and not spelled[0].isdigit():
            return self.mask(offset, f"interval {spelled}{words}", (spelled,))
        return self.mask(offset, f"interval {sign}{quote(word)}{words}", (f"{sign}{word}{words}",))

    def _interval_value(self, node: Any) -> tuple[int, str]:
        """Where the value of an interval stands, and its spelling: sqlglot forgets both.

        It is what follows the INTERVAL nearest to something near it in the tree.
        """
        near, parent = -1, node
        while near < 0 and parent is not None:
            near, parent = position_of(parent), parent.parent
        words = self.tokens.tokens
        spots = [words[i + 1] for i in range(len(words) - 1) if words[i].token_type is TokenType.INTERVAL]
        if not spots:
            return near, ""
        found = min(spots, key=lambda token: abs(token.start - near))
        return found.start, self.source_text[found.start : found.end + 1]

    # -------------------------------------------------------------- operators

    def connector(self, node: Any) -> Text:
        """AND and OR: a chain without parentheses inside itself."""
        kind = type(node)
        level = AND if kind is exp.And else OR
        chain: list[Any] = []
        stack = [node]
        while stack:
            current = unwrap(stack.pop())
            if type(current) is kind:
                stack.append(current.args["expression"])
                stack.append(current.args["this"])
            else:
                chain.append(current)
        word = " and " if level == AND else " or "
        return word.join(self.predicate(item, level) for item in chain), level

    def predicate(self, node: Any, least: int) -> str:
        """One member of a chain; the walker notes atomic predicates here."""
        return self.operand(node, least)

    def comparison(self, node: Any, negated: bool = False) -> Text:
        """A comparison: equal sides sorted, the literal to the right."""
        sign = _COMPARISONS[type(node)]
        if negated:
            sign = _NEGATED[sign]
        start, first = len(self.values), len(self.references)
        left = self.operand(node.args["this"], BITS)
        middle, second = len(self.values), len(self.references)
        right = self.operand(node.args["expression"], BITS)
        left_rank = self._rank(left, first, second)
        right_rank = self._rank(right, second, len(self.references))
        swap = left_rank > right_rank
        if left_rank == right_rank and sign in ("=", "<>"):
            swap = sort_key(right) < sort_key(left)
        if swap:
            left, right, sign = right, left, _FLIPPED[sign]
            self.values[start:] = self.values[middle:] + self.values[start:middle]
        return f"{left} {sign} {right}", COMPARE

    def _rank(self, text: str, start: int, stop: int) -> int:
        """Which side an operand prefers: columns left, subqueries right of them, constants rightmost."""
        if "(select " in text:
            return 1
        return 0 if stop > start or "*" in text else 2

    def binary(self, node: Any) -> Text:
        """A binary operator of the table, left-associative."""
        sign, level = _OPERATORS[type(node)]
        args = node.args
        if level == COMPARE:
            left = self.operand(args["this"], BITS)
            if sign == "is" and type(args["expression"]) is exp.Boolean:
                right = "true" if args["expression"].args["this"] else "false"
            else:
                right = self.operand(args["expression"], BITS)
            word = sign
            if args.get("negate"):
                word = "is not" if sign == "is" else f"not {sign}"
            return f"{left} {word} {right}", level
        # A loop over the left operands: sums of thousands of terms are real.
        spine = [node]
        inner = args["this"]
        while _OPERATORS.get(type(inner), ("", 0))[1] == level:
            spine.append(inner)
            inner = inner.args["this"]
        parts = [self.operand(inner, level)]
        for item in reversed(spine):
            parts.append(_OPERATORS[type(item)][0])
            parts.append(self.operand(item.args["expression"], level + 1))
        return " ".join(parts), level

    def joined(self, node: Any) -> Text:
        """``||``: dialects disagree how strongly it binds, so its operands are in parentheses."""
        parts = []
        inner = node
        while type(inner) is exp.DPipe:
            parts.append(inner.args["expression"])
            inner = unwrap(inner.args["this"])
        parts.append(inner)
        return " || ".join([self.operand(part, POSTFIX) for part in reversed(parts)]), BITS

    def negate(self, node: Any) -> Text:
        """NOT: inside LIKE, IN, BETWEEN, IS and comparisons where they can hold it."""
        inner = unwrap(node.args["this"])
        kind = type(inner)
        if kind is exp.Not:
            return self.render(inner.args["this"])
        if kind in _COMPARISONS:
            return self.comparison(inner, negated=True)
        if kind is exp.In:
            return self.contained(inner, "not in")
        if kind is exp.Between:
            return self.between(inner, "not between")
        if kind is exp.Is and inner.args.get("negate"):
            return self.binary(inner)[0].replace(" is not ", " is ", 1), COMPARE
        if kind in (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.Is) and not inner.args.get("negate"):
            sign = _OPERATORS[kind][0]
            text = self.binary(inner)[0]
            word = "is not" if sign == "is" else f"not {sign}"
            return text.replace(f" {sign} ", f" {word} ", 1) if text.count(
                f" {sign} "
            ) == 1 else f"not {text}", COMPARE
        return f"not {self.operand(inner, NOT)}", NOT

    def minus(self, node: Any) -> Text:
        """A sign; a negative number is a literal."""
        inner = node.args["this"]
        if type(inner) is exp.Literal and not inner.args.get("is_string"):
            return self.literal(inner, "-")
        return f"-{self.operand(inner, UNARY + 1)}", UNARY

    def between(self, node: Any, word: str = "between") -> Text:
        """BETWEEN ... AND."""
        args = node.args
        this = self.operand(args["this"], BITS)
        symmetric = " symmetric" if args.get("symmetric") else ""
        return (
            f"{this} {word}{symmetric} {self.operand(args['low'], BITS)} and {self.operand(args['high'], BITS)}",
            COMPARE,
        )

    def contained(self, node: Any, word: str = "in") -> Text:
        """IN: a list of literals of any length is one literal."""
        args = node.args
        this = self.operand(args["this"], BITS)
        if args.get("query") is not None:
            return f"{this} {word} {self._subquery_text(args['query'])}", COMPARE
        items = args.get("expressions")
        if not items:
            other = args.get("unnest") or args.get("field")
            return f"{this} {word} {self.operand(other, ATOM) if other is not None else '()'}", COMPARE
        start, first = len(self.values), len(self.references)
        texts = [self.operand(item, OR) for item in items]
        if len(texts) > 1 and len(self.references) == first and all(text == LITERAL for text in texts):
            inner = self.values[start:]
            del self.values[start:]
            every = tuple(value for one in inner for value in one.values)
            self.mask(inner[0].offset, ", ".join(one.text for one in inner), every)
            texts = [LITERAL]
        return f"{this} {word} ({', '.join(texts)})", COMPARE

    def _subquery_text(self, node: Any) -> str:
        return f"({self.query(node)})"

    # -------------------------------------------------------------- functions and the rest

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

    def texts(self, nodes: Sequence[Any]) -> str:
        """Texts joined by commas."""
        render = self.render
        return ", ".join([render(node)[0] for node in nodes])

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
        for branch in args.get("ifs") or ():
            parts.append(
                f"when {self.render(branch.args['this'])[0]} then {self.render(branch.args['true'])[0]}"
            )
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
        return self._subquery_text(node), ATOM

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
                    f"{quote(name.lower())}: {value}" if braces else f"{value} as {spell(name.lower())}"
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
        return f"exists{self._subquery_text(node.args['this'])}", ATOM

    def quantified(self, node: Any) -> Text:
        """ANY and ALL."""
        word, inner = type(node).__name__.lower(), unwrap(node.args["this"])
        if isinstance(inner, exp.Query):
            return f"{word}{self._subquery_text(inner)}", ATOM
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
        return (
            f"{self.operand(node.args['this'], COMPARE)} escape {self.operand(node.args['expression'], BITS)}",
            COMPARE,
        )

    def unsupported(self, node: Any) -> Text:
        """Statements the parser did not understand."""
        raise ParseError("a part of the query could not be understood", hint="check the dialect")


def unwrap(node: Any) -> Any:
    """The expression inside redundant parentheses."""
    while type(node) is exp.Paren:
        node = node.args["this"]
    return node


def quote(word: str) -> str:
    """A string as a literal of standard SQL."""
    return "'" + word.replace("'", "''") + "'"


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

HANDLERS: Final[dict[type[Any], Callable[[Renderer, Any], Text]]] = {
    exp.Column: Renderer.column,
    exp.Literal: Renderer.literal,
    exp.Anonymous: Renderer.function,
    exp.Null: lambda _self, _node: ("null", ATOM),
    exp.Star: Renderer.star,
    exp.Boolean: Renderer.boolean,
    exp.Paren: Renderer.unwrapped,
    exp.Alias: Renderer.unwrapped,
    exp.And: Renderer.connector,
    exp.Or: Renderer.connector,
    exp.Not: Renderer.negate,
    exp.Neg: Renderer.minus,
    exp.In: Renderer.contained,
    exp.Between: Renderer.between,
    exp.Case: Renderer.case,
    exp.Cast: Renderer.cast,
    exp.TryCast: Renderer.cast,
    exp.Distinct: Renderer.distinct,
    exp.Subquery: Renderer.nested,
    exp.Select: Renderer.nested,
    exp.Union: Renderer.nested,
    exp.Except: Renderer.nested,
    exp.Intersect: Renderer.nested,
    exp.Exists: Renderer.exists,
    exp.Tuple: Renderer.listed,
    exp.JSONExtract: Renderer.json_path,
    exp.JSONExtractScalar: Renderer.json_path,
    exp.Struct: Renderer.struct,
    exp.Lambda: Renderer.arrow,
    exp.Kwarg: Renderer.keyed,
    exp.Any: Renderer.quantified,
    exp.All: Renderer.quantified,
    exp.Interval: Renderer.interval,
    exp.Placeholder: Renderer.leaf,
    exp.Parameter: Renderer.leaf,
    exp.HexString: Renderer.leaf,
    exp.BitString: Renderer.leaf,
    exp.ByteString: Renderer.leaf,
    exp.RawString: Renderer.leaf,
    exp.National: Renderer.leaf,
    exp.UnicodeString: Renderer.leaf,
    exp.JSONPath: Renderer.leaf,
    exp.Var: Renderer.keyword,
    exp.Identifier: Renderer.identifier,
    exp.DataType: lambda self, node: (self.type_name(node), ATOM),
    exp.Dot: Renderer.dot,
    exp.Filter: Renderer.filtered,
    exp.WithinGroup: Renderer.within,
    exp.Order: Renderer.ordering,
    exp.Ordered: lambda self, node: (self.ordered(node), OR),
    exp.Window: lambda self, node: self.window(node),
    exp.Collate: Renderer.collated,
    exp.Escape: Renderer.escaped,
    exp.Command: Renderer.unsupported,
    exp.DPipe: Renderer.joined,
    **dict.fromkeys(_OPERATORS, Renderer.binary),
    **dict.fromkeys(_COMPARISONS, Renderer.comparison),
}
