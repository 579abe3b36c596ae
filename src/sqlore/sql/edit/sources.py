"""The sources of a FROM clause as parts of its text: what uses each of them, and how one is taken out."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from sqlglot import TokenType

from sqlore.sql.edit.query import Query
from sqlore.sql.edit.text import TextEdit
from sqlore.sql.resolve import Scope, Source
from sqlore.sql.spans import Range, position_of

__all__ = ["Part", "dropped", "keeps_rows", "parts_of", "unused", "used_by"]

_STARTS: Final = frozenset(
    {
        TokenType.JOIN,
        TokenType.INNER,
        TokenType.CROSS,
        TokenType.FULL,
        TokenType.NATURAL,
        TokenType.LEFT,
        TokenType.RIGHT,
        TokenType.STRAIGHT_JOIN,
        TokenType.ANTI,
        TokenType.SEMI,
        TokenType.ASOF,
        TokenType.COMMA,
    }
)
_WORDS: Final = _STARTS | {TokenType.OUTER, TokenType.APPLY, TokenType.ALL, TokenType.ANY}


@dataclass(frozen=True, slots=True)
class Part:
    """One source with the words that join it: token ranges of the whole part, the source, its condition.

    `words` are the upper-case words before it: ``LEFT JOIN``, ``,`` or nothing for the first.
    """

    source: Source
    first: int
    start: int
    stop: int
    end: int
    words: str
    on: Range | None = None

    @property
    def named(self) -> Range:
        """The tokens of the source with its alias."""
        return self.start, self.stop


def parts_of(query: Query, scope: Scope) -> list[Part] | None:
    """The parts of a scope's FROM in order; None where it is nested in brackets or cannot be divided."""
    block = query.block(scope)
    found = block.clause("from") if block is not None else None
    if found is None:
        return None
    starts = _starts(query, found)
    ranges = list(zip(starts, [*starts[1:], found[1]], strict=True))
    if len(ranges) != len(scope.sources):
        return None
    return [
        _part(query, source, first, end, number)
        for number, (source, (first, end)) in enumerate(zip(scope.sources, ranges, strict=True))
    ]


def _starts(query: Query, found: Range) -> list[int]:
    """The first token of each part."""
    starts = [found[0] + 1]
    index, joining = found[0] + 1, False
    while index < found[1]:
        kind = query.tokens[index].token_type
        if index in query.spans.match:
            index = query.spans.match[index]
        elif kind in _STARTS and not joining and index > found[0] + 1:
            starts.append(index)
            joining = True
        elif kind not in _WORDS:
            joining = False
        index += 1
        if joining and query.tokens[index - 1].token_type in (TokenType.JOIN, TokenType.COMMA):
            joining = False
    return starts


def _part(query: Query, source: Source, first: int, end: int, number: int) -> Part:
    start = first
    while number and start < end and query.tokens[start].token_type in _WORDS:
        start += 1
    stop, on = end, None
    index = start
    while index < end:
        kind = query.tokens[index].token_type
        if index in query.spans.match:
            index = query.spans.match[index]
        elif kind in (TokenType.ON, TokenType.USING):
            stop = index
            on = (index + 1, end) if kind is TokenType.ON else None
            break
        index += 1
    words = " ".join(token.text.upper() for token in query.tokens[first:start])
    return Part(source, first, start, stop, end, words, on)


def used_by(query: Query, scope: Scope, part: Part, without: Iterable[Range] = ()) -> list[str]:
    """What needs a source: texts of the columns that come from it, outside its own part and `without`.

    A star needs every source that it shows.
    """
    skipped = [query.offsets((part.first, part.end)), *(query.offsets(found) for found in without)]
    names = []
    for use in query.uses:
        if use.source is not part.source:
            continue
        offset = position_of(use.node)
        if not any(start <= offset < end for start, end in skipped):
            names.append(use.node.sql(query.dialect or None))
    starred = query.starred(scope)
    if starred is None or part.source.alias.lower() in starred:
        names.append("*" if starred is None else f"{part.source.alias}.*")
    if scope.merged and part.source in scope.merged.values():
        names += [f"USING ({name})" for name in scope.merged]
    return list(dict.fromkeys(names))


def unused(query: Query, scope: Scope, without: Collection[Range]) -> list[Part]:
    """The sources that only something in `without` needed, last first."""
    parts = parts_of(query, scope) or []
    gone: list[Part] = []
    for part in reversed(parts[1:]):
        cut = [*without, *((other.first, other.end) for other in gone)]
        inside = [query.offsets(found) for found in cut]
        needed = any(
            use.source is part.source and any(start <= position_of(use.node) < end for start, end in inside)
            for use in query.uses
        )
        if needed and not used_by(query, scope, part, cut):
            gone.append(part)
    return gone


def keeps_rows(query: Query, part: Part) -> bool:
    """Whether the rows of the query are the same without a source: a LEFT JOIN by its whole primary key."""
    table = part.source.table
    if table is None or part.on is None or not part.words.startswith("LEFT"):
        return False
    keys = {column.name.lower() for column in table.columns if column.primary_key}
    start, end = query.offsets(part.on)
    edges = [f for f in query.fragments if f.form == "edge" and start <= f.start and f.end <= end]
    whole = len(edges) == len(query.spans.predicates(*part.on)) == len(keys) and edges
    named = {use.node.name.lower() for use in query.inner_uses(start, end) if use.source is part.source}
    return bool(whole) and named == keys


def dropped(query: Query, parts: list[Part], part: Part) -> list[TextEdit] | None:
    """The edits that take a source out of FROM; None where the next one cannot stand in its place."""
    if part is not parts[0]:
        start = query.gap(part.first)
        return [TextEdit(start, query.offsets((part.first, part.end))[1])]
    if len(parts) < 2:
        return None
    following = parts[1]
    start = query.tokens[part.start].start
    edits = [TextEdit(start, query.tokens[following.start].start)]
    if following.stop < following.end:
        if following.words not in ("JOIN", "INNER JOIN", "CROSS JOIN") or following.on is None:
            return None
        if len(query.spans.predicates(*following.on)) > 1:
            return None
        edits.append(TextEdit(query.gap(following.stop), query.offsets((following.stop, following.end))[1]))
    elif following.words != "," and "JOIN" not in following.words:
        return None
    return edits
