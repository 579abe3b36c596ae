"""Literals and operators as skeletons write them: one spelling for what means the same.

Equal sides are sorted, the literal stands to the right, NOT goes into the comparison, parentheses are only
those that the binding strengths ask for.
"""

from __future__ import annotations

from typing import Any, Final

from sqlglot import TokenType, exp

from sqlore.sql.literals import quote_text
from sqlore.sql.numbering import sort_key
from sqlore.sql.placeholders import is_placeholder
from sqlore.sql.render import (
    ADD,
    AND,
    BITS,
    COMPARE,
    MULTIPLY,
    NOT,
    OR,
    POSTFIX,
    UNARY,
    Renderer,
    Text,
    unwrap,
)
from sqlore.sql.resolve import ATOM, LITERAL, Value
from sqlore.sql.spans import position_of

OPERATORS: Final[dict[type[Any], tuple[str, int]]] = {
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
COMPARISONS: Final[dict[type[Any], str]] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
}
_FLIPPED: Final = {"=": "=", "<>": "<>", ">": "<", "<": ">", ">=": "<=", "<=": ">="}
_NEGATED: Final = {"=": "<>", "<>": "=", ">": "<=", "<": ">=", ">=": "<", "<=": ">"}


class Operators(Renderer):
    """Literals, comparisons, arithmetic, AND and OR."""

    # -------------------------------------------------------------- literals

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
            return self.mask(offset, quote_text(word), (word,))
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
        return self.mask(offset, f"interval {sign}{quote_text(word)}{words}", (f"{sign}{word}{words}",))

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
        sign = COMPARISONS[type(node)]
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
        sign, level = OPERATORS[type(node)]
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
        while OPERATORS.get(type(inner), ("", 0))[1] == level:
            spine.append(inner)
            inner = inner.args["this"]
        parts = [self.operand(inner, level)]
        for item in reversed(spine):
            parts.append(OPERATORS[type(item)][0])
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
        if kind in COMPARISONS and not _of_several(inner):
            return self.comparison(inner, negated=True)
        if kind is exp.In:
            return self.contained(inner, "not in")
        if kind is exp.Between:
            return self.between(inner, "not between")
        if kind is exp.Is and inner.args.get("negate"):
            return self.binary(inner)[0].replace(" is not ", " is ", 1), COMPARE
        if kind in (exp.Like, exp.ILike, exp.Glob, exp.SimilarTo, exp.Is) and not inner.args.get("negate"):
            sign = OPERATORS[kind][0]
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
        low, high = self.operand(args["low"], BITS), self.operand(args["high"], BITS)
        return f"{this} {word}{symmetric} {low} and {high}", COMPARE

    def contained(self, node: Any, word: str = "in") -> Text:
        """IN: a list of literals of any length is one literal; one value is what the operand equals.

        A single placeholder stays in its list: it may stand for any number of values.
        """
        args, before = node.args, len(self.references)
        this = self.operand(args["this"], BITS)
        if args.get("query") is not None:
            return f"{this} {word} {self.subquery_text(args['query'])}", COMPARE
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
        elif texts == [LITERAL] and first > before and _is_one(self.values[-1]):
            return f"{this} {'=' if word == 'in' else '<>'} {LITERAL}", COMPARE
        return f"{this} {word} ({', '.join(texts)})", COMPARE


def _is_one(literal: Value) -> bool:
    """Whether a literal is one value: not a list that was read as one, nor a place for any number of them."""
    text = literal.text
    return len(literal.values) == 1 and not (is_placeholder(text) or is_placeholder(text.strip("'\"")))


def _of_several(node: Any) -> bool:
    """Whether a comparison is with ANY or ALL, whose opposite is not the opposite sign."""
    return any(isinstance(side, (exp.Any, exp.All)) for side in (node.args["this"], node.args["expression"]))
