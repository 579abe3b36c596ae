"""The blocks of a statement, found in one pass over its tokens.

Each ``SELECT`` opens a block, brackets and CASE a deeper level; keywords at a block's own depth begin its
clauses, commas at that depth divide them. What lies in a block is asked of `spans`.
"""

from __future__ import annotations

from typing import Final

from sqlglot import Token, TokenType

__all__ = ["CLAUSES", "Block", "Blocks", "Range"]

Range = tuple[int, int]
"""A pair of token indexes, the end exclusive."""

# Codes of the tokens that matter, in the order in which the scan asks for them.
_OPEN, _CASE, _CLOSE, _END, _COMMA, _SELECT, _CLAUSE, _SET, _SEMICOLON = range(9)

CLAUSES: Final = {
    TokenType.FROM: "from",
    TokenType.INTO: "into",
    TokenType.WHERE: "where",
    TokenType.PREWHERE: "where",
    TokenType.GROUP_BY: "group",
    TokenType.HAVING: "having",
    TokenType.QUALIFY: "qualify",
    TokenType.WINDOW: "window",
    TokenType.PARTITION_BY: "partition",
    TokenType.ORDER_BY: "order",
    TokenType.LIMIT: "limit",
    TokenType.OFFSET: "limit",
    TokenType.FETCH: "limit",
    TokenType.ROWS: "frame",
    TokenType.RANGE: "frame",
    TokenType.SORT_BY: "order",
    TokenType.FOR: "tail",
    TokenType.OPTION: "tail",
    TokenType.START_WITH: "tail",
    TokenType.CONNECT_BY: "tail",
    TokenType.CLUSTER_BY: "tail",
    TokenType.LOCK: "tail",
}

_CODES: Final = {
    TokenType.L_PAREN: _OPEN,
    TokenType.L_BRACKET: _OPEN,
    TokenType.L_BRACE: _OPEN,
    TokenType.R_PAREN: _CLOSE,
    TokenType.R_BRACKET: _CLOSE,
    TokenType.R_BRACE: _CLOSE,
    TokenType.CASE: _CASE,
    TokenType.END: _END,
    TokenType.SELECT: _SELECT,
    TokenType.COMMA: _COMMA,
    TokenType.UNION: _SET,
    TokenType.EXCEPT: _SET,
    TokenType.INTERSECT: _SET,
    TokenType.SEMICOLON: _SEMICOLON,
    **dict.fromkeys(CLAUSES, _CLAUSE),
}


class Block:
    """The tokens of one SELECT (or of a window, or of the tail of a set operation) at its own depth."""

    __slots__ = ("commas", "end", "level", "marks", "start")

    def __init__(self, start: int, level: int) -> None:
        self.start = start
        self.level = level
        self.end = -1
        self.marks: list[tuple[str, int]] = []
        self.commas: list[int] = []

    def clause(self, name: str) -> Range | None:
        """The range of the first clause of that name, its keyword included."""
        for number, (found, index) in enumerate(self.marks):
            if found == name:
                following = self.marks[number + 1 :]
                return index, following[0][1] if following else self.end
        return None

    def tail(self) -> Range | None:
        """The range from ORDER BY or LIMIT to the end of what bounds the output."""
        start = -1
        for name, index in self.marks:
            if name in ("order", "limit"):
                start = index if start < 0 else start
            elif start >= 0:
                return start, index
        return (start, self.end) if start >= 0 else None


class Blocks:
    """The blocks and brackets of one tokenised statement ``tokens[first:stop]``.

    `match` leads from what opens (bracket, CASE) to what closes it, `parents` to what is open around it.
    `blocks` are those of queries by their SELECT or FROM, `levels` the others (windows, the tail of a set
    operation) by the bracket they are in, -1 for none.
    """

    def __init__(self, tokens: list[Token], kinds: list[TokenType], first: int, stop: int) -> None:
        self.tokens = tokens
        self.kinds = kinds
        self.first = first
        self.stop = stop
        self.match: dict[int, int] = {}
        self.blocks: dict[int, Block] = {}
        self.levels: dict[int, Block] = {}
        self.parents: dict[int, int] = {}
        self._scan()

    def _scan(self) -> None:
        kinds, codes = self.kinds, _CODES
        stack: list[tuple[int, Block | None]] = []
        level, block = -1, None
        for index in range(self.first, self.stop):
            code = codes.get(kinds[index])
            if code is None:
                continue
            if code <= _CASE:
                stack.append((level, block))
                self.parents[index] = level
                level, block = index, None
            elif code <= _END:
                if not stack or (code == _END) != (kinds[level] is TokenType.CASE):
                    continue
                if block is not None:
                    block.end = index
                self.match[level] = index
                level, block = stack.pop()
            elif code == _COMMA:
                if block is not None:
                    block.commas.append(index)
            elif code == _SELECT:
                if block is not None:
                    block.end = index
                block = self.blocks[index] = Block(index, level)
            elif code == _CLAUSE:
                block = self._clause(index, level, block)
            elif block is not None:
                block.end = index
                block = None
        while block is not None or stack:
            if block is not None:
                block.end = self.stop
            if not stack:
                break
            level, block = stack.pop()

    def _clause(self, index: int, level: int, block: Block | None) -> Block | None:
        token = self.tokens[index]
        name = CLAUSES[token.token_type]
        if block is None:
            if name not in ("order", "limit", "partition", "frame") and not (
                name == "from" and self._query_at(index)
            ):
                return None
            block = Block(index, level)
            if name == "from":
                self.blocks[index] = block
            else:
                self.levels[level] = block
        elif (
            name == "from"
            and (
                self.tokens[index - 1].token_type is TokenType.DISTINCT
                or any(n == "from" for n, _ in block.marks)
            )
        ) or (name == "frame" and block.start in self.blocks):
            return block
        block.marks.append((name, index))
        return block

    def _query_at(self, index: int) -> bool:
        """Whether a FROM without SELECT begins a query there (DuckDB), and not an argument (EXTRACT)."""
        return index == self.first or self.tokens[index - 1].token_type is TokenType.L_PAREN
