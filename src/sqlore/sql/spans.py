"""Where the parts of a query lie in its text: the one module that knows positions.

sqlglot's tree has no ranges, so the ranges come from the tokens: `blocks` finds clauses, commas and brackets;
commas and AND/OR at a block's own depth divide a clause. The tree finds its block through a mark that
`tokens` leaves on the SELECT token (it arrives as the node's comment).
`Spans.offsets` turns a range of tokens into character offsets.
"""

from __future__ import annotations

from typing import Any, Final

from sqlglot import Token, TokenType

from sqlore.sql.blocks import CLAUSES, Block, Blocks, Range

__all__ = ["Block", "Range", "Spans", "position_of"]

_JOIN_STOPS: Final = frozenset(
    {
        TokenType.JOIN,
        TokenType.INNER,
        TokenType.CROSS,
        TokenType.FULL,
        TokenType.NATURAL,
        TokenType.LEFT,
        TokenType.RIGHT,
        TokenType.ON,
        TokenType.STRAIGHT_JOIN,
        TokenType.ANTI,
        TokenType.SEMI,
        TokenType.ASOF,
        TokenType.OUTER,
        TokenType.APPLY,
        TokenType.R_PAREN,
        TokenType.COMMA,
        TokenType.SEMICOLON,
        TokenType.UNION,
        TokenType.EXCEPT,
        TokenType.INTERSECT,
    }
    | (set(CLAUSES) - {TokenType.ROWS, TokenType.RANGE, TokenType.FROM})
)
_CONNECTORS: Final = frozenset({TokenType.AND, TokenType.OR})
_QUERY_STARTS: Final = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.VALUES})


class Spans(Blocks):
    """Ranges of the parts of one tokenised statement ``tokens[first:stop]``."""

    def __init__(self, tokens: list[Token], kinds: list[TokenType], first: int, stop: int) -> None:
        super().__init__(tokens, kinds, first, stop)
        self._starts: dict[int, int] = {}
        self._found: dict[Range, tuple[Range, ...]] = {}

    def offsets(self, found: Range) -> tuple[int, int]:
        """Character offsets of a token range, the end exclusive."""
        return self.tokens[found[0]].start, self.tokens[found[1] - 1].end + 1

    def token_at(self, offset: int) -> int:
        """Index of the token that starts at that character offset; -1 where none does."""
        if not self._starts:
            self._starts = {self.tokens[i].start: i for i in range(self.first, self.stop)}
        return self._starts.get(offset, -1)

    def block_of(self, node: Any) -> Block | None:
        """The block of a Select node, found by the mark on its SELECT or FROM token."""
        for comment in node.comments or ():
            if comment[:1] == "\x02":
                return self.blocks.get(int(comment[1:]))
        source = node.args.get("from_")
        for comment in (source.comments if source is not None else None) or ():
            if comment[:1] == "\x02":
                return self.blocks.get(int(comment[1:]))
        return None

    def projections(self, block: Block) -> list[Range]:
        """The ranges of the SELECT list, aliases included."""
        if self.tokens[block.start].token_type is not TokenType.SELECT:
            select = next(
                (i for i in self.blocks if i > block.start and self.blocks[i].level == block.level), None
            )
            return [] if select is None else self.projections(self.blocks[select])
        stop = block.marks[0][1] if block.marks else block.end
        return self._split(self.prefix(block)[1], stop, block.commas)

    def prefix(self, block: Block) -> Range:
        """The range of DISTINCT, ALL, TOP and hints between SELECT and the first projection."""
        tokens = self.tokens
        index = first = block.start + 1
        while index < self.stop:
            token = tokens[index]
            kind = token.token_type
            following = tokens[index + 1].token_type if index + 1 < self.stop else None
            if kind is TokenType.DISTINCT:
                index += 1
                if following is TokenType.ON and index + 1 in self.match:
                    index = self.match[index + 1] + 1
            elif kind in (TokenType.ALL, TokenType.HINT, TokenType.STRAIGHT_JOIN):
                index += 1
            elif kind is TokenType.TOP:
                index = self.match.get(index + 1, index + 1) + 1
            elif index > first and kind is TokenType.PERCENT:
                index += 1
            elif (kind is TokenType.WITH and index > first) or (kind is TokenType.ALIAS and index == first):
                index += 2
            else:
                break
        return first, index

    def items(self, found: Range, block: Block, words: int = 1) -> list[Range]:
        """The comma-separated items of a clause, its first `words` tokens left out."""
        return self._split(found[0] + words, found[1], block.commas)

    def _split(self, start: int, stop: int, commas: list[int]) -> list[Range]:
        out: list[Range] = []
        for comma in commas:
            if start <= comma < stop:
                if comma > start:
                    out.append((start, comma))
                start = comma + 1
        if stop > start:
            out.append((start, stop))
        return out

    def predicates(self, start: int, stop: int) -> tuple[Range, ...]:
        """The atomic predicates of a condition in order: split at AND and OR, parentheses opened."""
        if (start, stop) not in self._found:
            out: list[Range] = []
            self._predicates(start, stop, out)
            self._found[start, stop] = tuple(out)
        return self._found[start, stop]

    def _predicates(self, start: int, stop: int, out: list[Range]) -> None:
        kinds, match = self.kinds, self.match
        while match.get(start) == stop - 1 and stop - start > 2 and self._opens_condition(start):
            start, stop = start + 1, stop - 1
        parts: list[Range] = []
        begin = index = start
        between = 0
        while index < stop:
            kind = kinds[index]
            if index in match:
                index = match[index]
            elif kind is TokenType.BETWEEN:
                between += 1
            elif kind in _CONNECTORS:
                if kind is TokenType.AND and between:
                    between -= 1
                else:
                    parts.append((begin, index))
                    begin = index + 1
            index += 1
        if not parts:
            out.append((start, stop))
            return
        parts.append((begin, stop))
        for part in parts:
            self._predicates(*part, out)

    def _opens_condition(self, index: int) -> bool:
        if self.tokens[index].token_type is not TokenType.L_PAREN:
            return False
        inner = index + 1
        while self.tokens[inner].token_type is TokenType.L_PAREN:
            inner += 1
        # `((SELECT 1) = 2)` opens a condition, `((SELECT 1))` is a subquery.
        query = self.tokens[inner].token_type in _QUERY_STARTS
        return not query or (inner > index + 1 and self.match.get(index + 1, 0) < self.match[index] - 1)

    def on_range(self, offset: int, block: Block) -> Range | None:
        """The condition after the ON that holds the character at `offset`."""
        tokens = self.tokens
        found: Range | None = None
        for index in range(block.start, block.end):
            token = tokens[index]
            if token.start > offset:
                break
            if token.token_type is TokenType.ON:
                stop = self._join_stop(index + 1, block.end)
                if tokens[stop - 1].end >= offset:
                    found = index + 1, stop
        return found

    def _join_stop(self, index: int, stop: int) -> int:
        tokens = self.tokens
        while index < stop:
            kind = tokens[index].token_type
            if index in self.match:
                index = self.match[index]
            elif kind in _JOIN_STOPS:
                called = kind in (TokenType.LEFT, TokenType.RIGHT) and index + 1 in self.match
                if not called:
                    return index
            index += 1
        return stop

    def window(self, offset: int) -> Block | None:
        """The block of the OVER (...) after the function whose name starts at `offset`."""
        tokens, index = self.tokens, self.token_at(offset)
        if index < 0:
            return None
        index = self.match.get(index + 1, index) + 1
        while index < self.stop:
            kind = tokens[index].token_type
            if kind is TokenType.OVER:
                return self.levels.get(index + 1)
            if index in self.match:
                index = self.match[index]
            elif kind in _JOIN_STOPS or kind in _CONNECTORS:
                return None
            index += 1
        return None


def position_of(node: Any) -> int:
    """Character offset of one leaf of a tree (not always its first); -1 where no leaf has one."""
    stack = [node]
    while stack:
        current = stack.pop()
        meta = current._meta
        if meta and "start" in meta:
            return int(meta["start"])
        for value in current.args.values():
            if isinstance(value, list):
                stack.extend(item for item in value if hasattr(item, "args"))
            elif hasattr(value, "args"):
                stack.append(value)
    return -1
