"""A query that can be edited: its fragments with their tokens, scopes, and where every column comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from sqlglot import TokenType, exp

from sqlore.errors import EditError, ParseError
from sqlore.model import Fragment, Schema, Script
from sqlore.sql.build import assemble, in_order
from sqlore.sql.edit.text import TextEdit
from sqlore.sql.edit.trace import Trace, Use
from sqlore.sql.parse import parse_query, place
from sqlore.sql.resolve import Scope
from sqlore.sql.spans import Block, Range, Spans, position_of

__all__ = ["Place", "Query", "Use", "shown"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fragment stands: its clause, its tokens, and the list or condition that it is a member of.

    `clause` is ``select``, ``order``, ``where``, ``having``, ``qualify``, ``on``, ``from``, ``group``,
    ``partition``, ``window`` (an ORDER BY in one), ``tail``, ``distinct``, ``top``, ``using``, ``query``.
    `members` are the token ranges of the members: items of a list with their aliases, or atomic predicates.
    """

    clause: str
    first: int
    stop: int
    bounds: Range = (0, 0)
    members: tuple[Range, ...] = ()
    index: int = -1


class Query:
    """One query taken apart for editing. Raises what `parse_script` raises, and for several queries too."""

    def __init__(self, sql: str, dialect: str, schema: Schema | None = None) -> None:
        self.sql, self.dialect, self.schema = sql, dialect, schema
        parsed = parse_query(sql, dialect)
        self.tokens = parsed.tokens.tokens
        self.spans = Spans(self.tokens, parsed.tokens.kinds, parsed.first, parsed.stop)
        self.tree = parsed.tree
        self.has_placeholders = parsed.tokens.placeholders
        walker = Trace(parsed.tokens, self.spans, dialect, schema)
        try:
            walker.run(parsed.tree)
        except RecursionError as error:
            raise ParseError("the query is nested too deeply", position=0, line=1, column=1) from error
        self._walker = walker
        self.parsed = assemble(Script(sql, dialect=dialect), walker)
        self.fragments = self.parsed.fragments
        self.drafts = in_order(walker.drafts)
        self.paths = {f.scope: d.scope for f, d in zip(self.fragments, self.drafts, strict=True)}

    # -------------------------------------------------------------- fragments and scopes

    def fragment(self, number: int) -> Fragment:
        """The fragment of that number: its place in `fragments`. Raises `EditError` for another number."""
        if not 0 <= number < len(self.fragments):
            raise EditError(
                f"there is no item {number} in this query",
                hint=f"its items are 1 to {len(self.fragments) - 1}; 0 is the whole query",
            )
        return self.fragments[number]

    def scope(self, number: int) -> Scope:
        """The scope of a fragment."""
        self.fragment(number)
        return self.drafts[number].scope

    def scope_at(self, path: str) -> Scope:
        """The scope of a path such as ``main``. Raises `EditError` where the query has none."""
        found = self.paths.get(path)
        if found is None:
            named = ", ".join(self.paths)
            raise EditError(f"this query has no scope {path}", hint=f"its scopes are {named}")
        return found

    def select(self, scope: Scope) -> Any:
        """The Select node of a scope; None for a set operation."""
        return self._walker.nodes.get(id(scope))

    def block(self, scope: Scope) -> Block | None:
        """The tokens of the SELECT of a scope."""
        return self.spans.blocks.get(scope.start)

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Every column of the query, in the order in which it was read."""
        return tuple(self._walker.uses.values())

    def text(self, found: Range) -> str:
        """The text of a token range."""
        start, end = self.offsets(found)
        return self.sql[start:end]

    def offsets(self, found: Range) -> tuple[int, int]:
        """Character offsets of a token range."""
        return self.spans.offsets(found)

    def tokens_of(self, start: int, end: int) -> Range | None:
        """The token range of a character range; None where no tokens begin and end there."""
        first = self.spans.token_at(start)
        stop = self._ends.get(end, -1)
        return (first, stop) if first >= 0 and stop > first else None

    @cached_property
    def _spots(self) -> Counter[tuple[str, int, int]]:
        """How many fragments of a kind claim one place: where several do, it is that of none."""
        return Counter((f.kind, f.start, f.end) for f in self.fragments)

    @cached_property
    def _ends(self) -> dict[int, int]:
        return {t.end + 1: i for i, t in enumerate(self.tokens[: self.spans.stop], 1) if i > self.spans.first}

    def gap(self, index: int) -> int:
        """Where the blank before a token begins; the token's own start where a comment is in between."""
        start = self.tokens[index].start
        before = self.tokens[index - 1].end + 1 if index else 0
        return before if not self.sql[before:start].strip() else start

    def cut(self, *ranges: Range, lead: bool) -> list[TextEdit]:
        """The edits that take out ranges that follow each other; comments between them stay.

        The blank before them goes too (`lead`), else the blank behind them.
        """
        edits: list[TextEdit] = []
        start = self.gap(ranges[0][0]) if lead else self.tokens[ranges[0][0]].start
        for (_, stop), following in zip(ranges, (*ranges[1:], None), strict=True):
            end = self.tokens[stop - 1].end + 1
            index = following[0] if following is not None else stop
            joined = index < len(self.tokens) and self.gap(index) == end
            if following is not None and joined:
                continue
            if following is None and not lead and joined:
                end = self.tokens[index].start
            edits.append(TextEdit(start, end))
            start = self.tokens[following[0]].start if following is not None else end
        return edits

    def line_break(self, index: int) -> str:
        """The line break and indent before a token, where it is the first of its line; else nothing."""
        start = self.tokens[index].start
        line = self.sql.rfind("\n", 0, start)
        indent = self.sql[line + 1 : start]
        return f"\n{indent}" if line >= 0 and not indent.strip() else ""

    def clause_break(self, block: Block) -> str:
        """What stands before a new clause of a SELECT: a line of its own where FROM has one."""
        found = block.clause("from")
        return (self.line_break(found[0]) if found is not None else "") or " "

    def starred(self, scope: Scope) -> set[str] | None:
        """Aliases of the sources that ``t.*`` shows; None where a bare star shows them all."""
        node = self.select(scope)
        found: set[str] = set()
        for item in node.expressions if node is not None else ():
            inner = item.this if isinstance(item, exp.Alias) else item
            if isinstance(inner, exp.Star):
                return None
            if isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
                found.add(inner.table.lower())
        return found

    # -------------------------------------------------------------- where a fragment stands

    def place(self, number: int) -> Place:
        """Where a fragment stands. Raises `EditError` where its place in the text is not certain."""
        fragment = self.fragment(number)
        found = self.tokens_of(fragment.start, fragment.end)
        if fragment.kind == "query":
            return Place("query", self.spans.first, self.spans.stop)
        if found is None or self._spots[fragment.kind, fragment.start, fragment.end] > 1:
            self._unplaced(number)
        word = self.tokens[found[0]].text.upper()
        if fragment.kind in ("condition", "relation") and fragment.form != "clause":
            if word in ("USING", "NATURAL"):
                return Place("using", *found)
            return self._member(number, found)
        if fragment.kind == "calculation":
            return self._item(number, found)
        return Place(self._clause(fragment, found, word), *found)

    def _clause(self, fragment: Fragment, found: Range, word: str) -> str:
        if fragment.kind == "relation":
            return "from"
        if fragment.kind == "dimension":
            return "partition" if word.startswith("PARTITION") else "group"
        if word in ("DISTINCT", "TOP"):
            return word.lower()
        level = self.level(found[0])
        window = level in self.spans.levels and level and self._opens_window(level)
        return "window" if window else "tail"

    def level(self, index: int) -> int:
        """The bracket that a token stands in; -1 for none."""
        around = [o for o, c in self.spans.match.items() if o < index < c]
        return max(around, default=-1)

    def _opens_window(self, level: int) -> bool:
        before = self.tokens[level - 1].token_type
        return before is TokenType.OVER or (
            before is TokenType.ALIAS and self.tokens[level + 1].token_type is not TokenType.SELECT
        )

    def _member(self, number: int, found: Range) -> Place:
        """An atomic predicate among those of its condition."""
        block = self.block(self.scope(number))
        marks = [mark for mark in block.marks if mark[1] <= found[0]] if block is not None else []
        if block is None or not marks:
            self._unplaced(number)
        name = marks[-1][0]
        if name == "from":
            bounds, name = self.spans.on_range(self.tokens[found[0]].start, block), "on"
        else:
            whole = block.clause(name)
            bounds = (whole[0] + 1, whole[1]) if whole is not None else None
        members = self.spans.predicates(*bounds) if bounds is not None else ()
        if bounds is None or found not in members:
            self._unplaced(number)
        return Place(name, *found, bounds, members, members.index(found))

    def _item(self, number: int, found: Range) -> Place:
        """A formula among the items of its SELECT or ORDER BY."""
        block = self.block(self.scope(number))
        if block is not None:
            order = block.clause("order")
            for clause, members in (
                ("select", self.spans.projections(block)),
                ("order", self.spans.items(order, block) if order else []),
            ):
                for index, (first, stop) in enumerate(members):
                    if first <= found[0] and found[1] <= stop:
                        bounds = (members[0][0], members[-1][1])
                        return Place(clause, *found, bounds, tuple(members), index)
        self._unplaced(number)

    def _unplaced(self, number: int) -> NoReturn:
        raise self.refused(
            number, "its place in the text is not certain", "change the whole SQL by hand (item 0)"
        )

    def refused(self, number: int, why: str, hint: str | None = None) -> EditError:
        """The error of a fragment: which one, where, why not, and what to do."""
        fragment = self.fragment(number)
        line, column, position = place(self.sql, fragment.start)
        return EditError(
            f"item {number}, {shown(fragment)}: {why}",
            position=position,
            line=line,
            column=column,
            hint=hint,
        )

    # -------------------------------------------------------------- names

    def inner_uses(self, start: int, end: int) -> Iterator[Use]:
        """The columns between two offsets."""
        return (use for use in self.uses if start <= position_of(use.node) < end)


def shown(fragment: Fragment, most: int = 60) -> str:
    """A fragment as one short line for a message.

    >>> shown(Fragment("condition", "a  =\\n 1", "t.a = <val>", "t.a = 1", 0, 8))
    'the condition a = 1'
    """
    words = " ".join(fragment.sql.split())
    return f"the {fragment.kind} {words if len(words) <= most else words[: most - 1] + '…'}"
