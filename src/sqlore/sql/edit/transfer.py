"""A fragment of one query as another would write it: its columns under the other's aliases."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import TokenType, exp

from sqlore.model import Fragment
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.sources import Part, parts_of
from sqlore.sql.edit.text import TextEdit, applied
from sqlore.sql.resolve import Scope
from sqlore.sql.spans import position_of

__all__ = ["transferred", "transferred_clause"]


def transferred(donor: Query, fragment: Fragment, aliases: Mapping[str, str]) -> str | None:
    """The text of a fragment of `donor` where base tables are called as `aliases` say, "" for no name at all.

    None where it uses anything else than columns of these tables: a computed column of a derived table, an
    alias of its own query, a placeholder, or where an alias of its own subqueries would hide one of these.
    """
    start, end = fragment.start, fragment.end
    if _unfit(donor, start, end):
        return None
    edits: dict[int, TextEdit] = {}
    for use in donor.inner_uses(start, end):
        if use.owner is not None and _inside(donor, use.owner, start, end):
            continue
        alias = aliases.get(use.source.base) if use.source is not None and use.source.base else None
        if alias is None or _hidden(donor, alias, start, end):
            return None
        name = use.node.this.meta.get("start", -1)
        if use.start < 0 or name < 0:
            return None
        edits[use.start] = TextEdit(use.start - start, name - start, f"{alias}." if alias else "")
    words = applied(donor.sql[start:end], edits.values())
    return words if _names_read(donor, start, end) else None


def transferred_clause(
    donor: Query, fragment: Fragment, scope: Scope, aliases: Mapping[str, str]
) -> str | None:
    """The text of a FROM clause with its tables called as `aliases` say; None where that is not certain."""
    parts = parts_of(donor, scope)
    if parts is None or len({part.source.base for part in parts}) < len(parts):
        return None
    if any(not part.source.base or part.source.base not in aliases for part in parts):
        return None
    if any(not alias for alias in aliases.values()) or _unfit(donor, fragment.start, fragment.end):
        return None
    edits: dict[int, TextEdit] = {}
    for use in donor.inner_uses(fragment.start, fragment.end):
        name = use.node.this.meta.get("start", -1)
        if use.source is None or use.owner is not scope or use.start < 0 or name < 0:
            return None
        alias = aliases[use.source.base]
        edits[use.start] = TextEdit(use.start - fragment.start, name - fragment.start, f"{alias}.")
    for part in parts:
        edits[donor.tokens[part.start].start] = _named(donor, part, aliases[part.source.base], fragment.start)
    return applied(fragment.sql, edits.values())


def _named(donor: Query, part: Part, alias: str, base: int) -> TextEdit:
    """The edit that gives a table of FROM its alias."""
    start, end = donor.offsets(part.named)
    stop = part.stop
    bare = part.source.base.rpartition(".")[2].strip('"')
    if stop - part.start > 1 and part.source.alias != bare:
        stop -= 1
        stop -= donor.tokens[stop - 1].token_type is TokenType.ALIAS
    table = donor.text((part.start, stop))
    text = table if table.strip('"`[]').lower() == alias.lower() else f"{table} AS {alias}"
    return TextEdit(start - base, end - base, text)


def _unfit(donor: Query, start: int, end: int) -> bool:
    """Whether a fragment holds placeholders, or a star of one table."""
    for token in donor.tokens:
        if start <= token.start < end and token.token_type is TokenType.NUMBER:
            written = donor.sql[token.start : token.start + 1]
            if not (written.isdigit() or written == "."):
                return True
    if donor.has_placeholders:
        return True
    return any(
        start <= position_of(star) < end
        for star in donor.tree.find_all(exp.Column)
        if isinstance(star.this, exp.Star)
    )


def _inside(donor: Query, scope: Scope, start: int, end: int) -> bool:
    """Whether a scope belongs to a subquery of the fragment."""
    return scope.start >= 0 and start <= donor.tokens[scope.start].start < end


def _hidden(donor: Query, alias: str, start: int, end: int) -> bool:
    """Whether a subquery of the fragment has a source of that name."""
    inner = [scope for scope in donor.paths.values() if _inside(donor, scope, start, end)]
    return any(source.alias.lower() == alias.strip('"`[]').lower() for s in inner for source in s.sources)


def _names_read(donor: Query, start: int, end: int) -> bool:
    """Whether every column of the fragment was resolved: an alias of its SELECT was not."""
    read = {position_of(use.node) for use in donor.uses}
    for column in donor.tree.find_all(exp.Column):
        offset = position_of(column)
        if start <= offset < end and offset not in read and not isinstance(column.this, exp.Star):
            return False
    return True
