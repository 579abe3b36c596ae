"""Where queries and the parts of a SELECT lie in the text: ranges of tokens, and slices of the script."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from sqlglot import TokenType, exp

from sqlore.sql.placeholders import swap_placeholders
from sqlore.sql.resolve import Scope
from sqlore.sql.scopes.walk import Entered, Recorder
from sqlore.sql.spans import Block, Range, position_of

_JOIN_WORDS: Final = frozenset(
    {
        TokenType.NATURAL,
        TokenType.LEFT,
        TokenType.RIGHT,
        TokenType.FULL,
        TokenType.INNER,
        TokenType.OUTER,
        TokenType.CROSS,
        TokenType.ASOF,
        TokenType.SEMI,
        TokenType.ANTI,
    }
)
_JOINS: Final = frozenset({TokenType.JOIN, TokenType.STRAIGHT_JOIN, TokenType.APPLY})
_SETS: Final = frozenset({TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT})


@dataclass(slots=True)
class JoinRange:
    """One source of FROM as ranges of tokens; `condition` is what stands behind ON or is the USING."""

    operator: str
    source: Range
    condition: Range | None = None
    using: bool = False


class Texts:
    """Ranges and slices of one walked query."""

    def __init__(self, walker: Recorder) -> None:
        self.walker = walker
        self.spans = walker.spans
        self.sql = walker.source_text
        self._ranges: dict[int, Range | None] = {}
        self._leaves: dict[int, tuple[int, ...]] = {}
        self._definitions: dict[int, list[Range]] = {}
        self._children: dict[int, list[Scope]] = {}
        for scope in walker.scopes:
            if scope.path_parent is not None:
                self._children.setdefault(id(scope.path_parent), []).append(scope)

    def slice(self, found: Range | None) -> str:
        """The text of a range; empty where there is none."""
        if found is None or found[1] <= found[0]:
            return ""
        start, end = self.spans.offsets(found)
        return self.sql[start:end]

    def offsets(self, found: Range | None) -> tuple[int, int]:
        """Character offsets of a range; those of nothing are (-1, -1)."""
        return (-1, -1) if found is None or found[1] <= found[0] else self.spans.offsets(found)

    def entered(self, scope: Scope) -> Entered:
        """What the walk noted of a scope."""
        return self.walker.entered[id(scope)]

    def children(self, scope: Scope, label: str = "") -> list[Scope]:
        """The scopes nested in one, in the order of the walk."""
        found = self._children.get(id(scope), [])
        return [child for child in found if not label or child.label == label]

    # -------------------------------------------------------------- queries

    def block(self, here: Entered) -> Block | None:
        """The block of a SELECT."""
        return self.spans.block_of(here.node) if isinstance(here.node, exp.Select) else None

    def from_block(self, here: Entered) -> Block | None:
        """The block that FROM stands in: not that of SELECT where FROM comes first (DuckDB)."""
        block = self.block(here)
        source = here.node.args.get("from_") if isinstance(here.node, exp.Select) else None
        if block is None or source is None or block.clause("from") is not None:
            return block
        marks = [comment for comment in source.comments or () if comment[:1] == "\x02"]
        return self.spans.blocks.get(int(marks[0][1:])) if marks else block

    def leaves(self, here: Entered) -> tuple[int, ...]:
        """A token of each SELECT or VALUES that a query consists of."""
        key = id(here.scope)
        if key not in self._leaves:  # those of a chain of unions are asked for by each of its members
            self._leaves[key] = self._find_leaves(here)
        return self._leaves[key]

    def _find_leaves(self, here: Entered) -> tuple[int, ...]:
        node = here.node
        if isinstance(node, exp.SetOperation):
            parts = [self._leaves_of(child) for child in self.children(here.scope, "union")]
            return tuple(leaf for part in parts for leaf in part)
        if isinstance(node, exp.Subquery):
            inner = self.children(here.scope, "subquery")
            return self._leaves_of(inner[0]) if inner else ()
        blocks = [block for block in (self.block(here), self.from_block(here)) if block is not None]
        if blocks:
            return (min(block.start for block in blocks),)
        index = self.spans.token_at(position_of(node)) if node is not None else -1
        while index >= 0 and self.spans.kinds[index] is not TokenType.VALUES:
            index = self._outside(index)
        return (index,) if index >= 0 else ()

    def _leaves_of(self, scope: Scope) -> tuple[int, ...]:
        return self.leaves(self.entered(scope))

    def _outside(self, index: int) -> int:
        """The word before the bracket that a token stands in; -1 at the top."""
        for level in range(index, self.spans.first - 1, -1):
            if level in self.spans.match and self.spans.match[level] > index:
                return level if self.spans.kinds[level] is TokenType.VALUES else level - 1
            if self.spans.kinds[level] is TokenType.VALUES:
                return level
        return -1

    def range(self, here: Entered) -> Range | None:
        """A query's own text with its WITH, without the brackets around it."""
        key = id(here.scope)
        if key not in self._ranges:
            self._ranges[key] = self._find_range(here)
        return self._ranges[key]

    def _find_range(self, here: Entered) -> Range | None:
        whole = (self.spans.first, self.spans.stop)
        if here.kind == "main":
            return whole
        leaves = self.leaves(here)
        if not leaves:
            return None
        around = self._brackets(min(leaves), max(leaves))
        if here.kind == "union" and here.scope.path_parent is not None:
            others = set(self._leaves_of(here.scope.path_parent)).difference(leaves)
            if any(around[0] <= leaf < around[1] for leaf in others):
                return self._branch(here, min(leaves), max(leaves))
        if isinstance(here.node, exp.Subquery):
            return self._brackets(around[0] - 1, around[1])
        return around

    def _brackets(self, first: int, last: int) -> Range:
        """What the smallest brackets around two tokens hold."""
        level = self._within[first - self.spans.first] if first >= self.spans.first else -1
        while level >= 0 and self.spans.match[level] <= last:
            level = self._within[level - self.spans.first]
        return (level + 1, self.spans.match[level]) if level >= 0 else (self.spans.first, self.spans.stop)

    @cached_property
    def _within(self) -> list[int]:
        """For each token the bracket that it stands in, itself not counted; -1 at the top."""
        kinds, match = self.spans.kinds, self.spans.match
        out: list[int] = []
        open_: list[int] = []
        for index in range(self.spans.first, self.spans.stop + 1):
            while open_ and match[open_[-1]] <= index:
                open_.pop()
            out.append(open_[-1] if open_ else -1)
            if index in match and kinds[index] is TokenType.L_PAREN:
                open_.append(index)
        return out

    def _branch(self, here: Entered, first: int, last: int) -> Range:
        """A member of a set operation that has no brackets of its own."""
        block = self.spans.blocks.get(last)
        if block is None:
            stop = last + 1
            around = self._brackets(first, last)
            while stop < around[1] and self.spans.kinds[stop] not in _SETS:
                stop = self.spans.match.get(stop, stop) + 1
            return first, stop
        bounded = any(here.node.args.get(key) for key in ("order", "limit", "offset"))
        tail = None if bounded and isinstance(here.node, exp.Select) else block.tail()
        return first, tail[0] if tail is not None and tail[0] > last else block.end

    def body(self, here: Entered) -> Range | None:
        """A query's text without its WITH."""
        found = self.range(here)
        if found is None or self.spans.kinds[found[0]] is not TokenType.WITH:
            return found
        definitions = self.definitions(here)
        return (definitions[-1][1], found[1]) if definitions else found

    def definitions(self, here: Entered) -> list[Range]:
        """``name(columns) AS (...)`` of each CTE of a query's own WITH."""
        key = id(here.scope)
        if key not in self._definitions:
            self._definitions[key] = self._find_definitions(here)
        return self._definitions[key]

    def _find_definitions(self, here: Entered) -> list[Range]:
        found = self.range(here)
        if found is None or self.spans.kinds[found[0]] is not TokenType.WITH:
            return []
        kinds, match = self.spans.kinds, self.spans.match
        index = found[0] + 1
        if kinds[index] is TokenType.RECURSIVE:
            index += 1
        out: list[Range] = []
        while index < found[1]:
            start = index
            while index < found[1] and kinds[index] is not TokenType.ALIAS:
                index = match.get(index, index) + 1
            while index < found[1] and kinds[index] is not TokenType.L_PAREN:
                index += 1
            if index not in match:
                return []
            index = match[index] + 1
            out.append((start, index))
            if index >= found[1] or kinds[index] is not TokenType.COMMA:
                break
            index += 1
        return out

    def recursive(self, here: Entered) -> bool:
        """Whether a query's own WITH is WITH RECURSIVE."""
        found = self.range(here)
        return (
            found is not None
            and self.spans.kinds[found[0]] is TokenType.WITH
            and self.spans.kinds[found[0] + 1] is TokenType.RECURSIVE
        )

    def placeholder(self, found: Range) -> bool:
        """Whether a value is missing in a range: ``?``, ``:name``, ``{{ x }}``."""
        tokens = self.spans.tokens
        for token in tokens[found[0] : found[1]]:
            if token.token_type is TokenType.NUMBER and token.text == "0":
                first = self.sql[token.start]
                if not (first.isdigit() or first == "."):
                    return True
        if not self.walker.tokens.placeholders:
            return False
        text = self.slice(found)
        return swap_placeholders(text) != text

    # -------------------------------------------------------------- FROM

    def from_range(self, here: Entered) -> Range | None:
        """What stands behind FROM."""
        block = self.from_block(here)
        found = block.clause("from") if block is not None else None
        return (found[0] + 1, found[1]) if found is not None else None

    def joins(self, found: Range | None) -> list[JoinRange]:
        """The sources of a FROM clause in order, each with its operator and its condition."""
        if found is None:
            return []
        kinds, match = self.spans.kinds, self.spans.match
        out: list[JoinRange] = []
        operator, start, condition, using = "", found[0], -1, False
        index = found[0]

        def close(stop: int) -> None:
            source = (start, condition if condition >= 0 else stop)
            behind = (condition + (0 if using else 1), stop) if condition >= 0 else None
            out.append(JoinRange(operator, source, behind, using))

        while index < found[1]:
            kind = kinds[index]
            if kind is TokenType.COMMA or self._joins_at(index, found[1]):
                close(index)
                first = index
                while index < found[1] and kinds[index] in _JOIN_WORDS:
                    index += 1
                operator = " ".join(self.slice((i, i + 1)).upper() for i in range(first, index + 1))
                start, condition, using = index + 1, -1, False
            elif kind in (TokenType.ON, TokenType.USING) and condition < 0 and index > start:
                condition, using = index, kind is TokenType.USING
            elif index in match:
                index = match[index]
            index += 1
        close(found[1])
        return out

    def _joins_at(self, index: int, stop: int) -> bool:
        """Whether the words of a join begin at a token (``LEFT (x, 1)`` is a function)."""
        kinds = self.spans.kinds
        if index and kinds[index - 1] in _JOIN_WORDS:
            return False
        while index < stop and kinds[index] in _JOIN_WORDS:
            index += 1
        return index < stop and kinds[index] in _JOINS

    def name_spans(self, name: Any) -> tuple[int, int]:
        """Where the name of a table stands in the text, with its schema; (-1, -1) where nobody knows."""
        parts = [name.args.get(key) for key in ("catalog", "db", "this")]
        marks = [part._meta for part in parts if isinstance(part, exp.Identifier) and part._meta]
        if not marks or "start" not in marks[0]:
            return -1, -1
        return int(marks[0]["start"]), int(marks[-1]["end"]) + 1
