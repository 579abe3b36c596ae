"""One piece of a query switched off: taken out with the commas, ANDs and brackets that only it needed."""

from __future__ import annotations

import re
from typing import Final, Literal

from sqlglot import TokenType, exp

from sqlore.sql.edit.grouping import is_aggregate
from sqlore.sql.edit.query import Place, Query
from sqlore.sql.edit.select import removed_columns, removed_item
from sqlore.sql.edit.sources import dropped, keeps_rows, parts_of, unused, used_by
from sqlore.sql.edit.text import Change, TextEdit
from sqlore.sql.spans import Block, Range

__all__ = ["Joins", "switched_off"]

Joins = Literal["same", "all", "none"]
"""Joins that only the piece needed: those go without which the rows are the same, all of them, or none."""

_CONNECTORS: Final = (TokenType.AND, TokenType.OR)
#: Dialects that have no TRUE.
_NO_TRUE: Final = frozenset({"tsql", "oracle"})
#: Dialects that let a query show a column that is neither grouped nor aggregated.
_LOOSE: Final = frozenset({"sqlite", "mysql", ""})


def switched_off(query: Query, number: int, joins: Joins = "same") -> Change:
    """The change that takes an item out. Raises `EditError` where the query cannot be without it."""
    place = query.place(number)
    fragment = query.fragment(number)
    notes: list[str] = []
    if fragment.kind == "query":
        raise query.refused(number, "a whole query cannot be switched off", "switch off one of its items")
    if place.clause == "from":
        raise query.refused(
            number,
            "a query needs its FROM",
            "switch off one of its joins, or edit it",
        )
    if fragment.kind == "relation":
        return Change(query.sql, _join_off(query, number, place))
    if place.clause in ("select", "order"):
        edits = removed_item(query, number, place, notes)
    elif place.members:
        edits = _predicate_off(query, place)
    else:
        edits = _clause_off(query, number, place, notes)
    edits += _lonely_joins(query, number, place, joins, notes)
    return Change(query.sql, tuple(sorted(edits, key=lambda e: e.start)), tuple(notes))


# ------------------------------------------------------------------ predicates


def _predicate_off(query: Query, place: Place) -> list[TextEdit]:
    """A predicate with its AND or OR, the brackets that held only it, and an empty clause."""
    tokens, (low, high) = query.tokens, place.bounds
    first, stop = place.first, place.stop
    while first > low and query.spans.match.get(first - 1) == stop:
        first, stop = first - 1, stop + 1
    before = tokens[first - 1].token_type if first > low else None
    after = tokens[stop].token_type if stop < high else None
    if before not in _CONNECTORS and after not in _CONNECTORS:
        return _condition_off(query, place, first, stop)
    tighter = before is TokenType.OR and after is TokenType.AND
    if before in _CONNECTORS and not tighter:
        return query.cut((first - 1, first), (first, stop), lead=True)
    return query.cut((first, stop), (stop, stop + 1), lead=False)


def _condition_off(query: Query, place: Place, first: int, stop: int) -> list[TextEdit]:
    """The only predicate of a clause: the clause goes too, but a join needs its ON."""
    start, end = query.offsets((first, stop))
    if place.clause == "on":
        return [TextEdit(start, end, "1 = 1" if query.dialect in _NO_TRUE else "TRUE")]
    return query.cut((first - 1, first), (first, stop), lead=True)


# ------------------------------------------------------------------ joins


def _join_off(query: Query, number: int, place: Place) -> tuple[TextEdit, ...]:
    """A join edge: one equality of several, or the join with the table that only it brings."""
    scope = query.scope(number)
    others = [m for m in place.members if m != (place.first, place.stop)]
    if place.clause == "on" and _still_joined(query, others):
        return tuple(_predicate_off(query, place))
    parts = parts_of(query, scope)
    if parts is None:
        raise query.refused(number, "its FROM clause has brackets", "edit the FROM clause")
    start, end = query.offsets((place.first, place.stop))
    sides = {id(u.source) for u in query.inner_uses(start, end)}
    if place.clause == "using":
        sides = {id(p.source) for p in parts if p.first <= place.first < p.end}
    blockers: list[str] = []
    for at, part in reversed(list(enumerate(parts))):
        # An ON goes with the join that it belongs to, or with the first source where it brings the second.
        held = part.first <= place.first < part.end or (
            at == 0 and place.first < parts[min(1, len(parts) - 1)].end
        )
        if id(part.source) not in sides or not (held or place.clause == "where"):
            continue
        needed = used_by(query, scope, part, [(place.first, place.stop)])
        edits = dropped(query, parts, part) if not needed else None
        if edits is not None:
            if place.clause == "where":
                edits += _predicate_off(query, place)
            return tuple(sorted(edits, key=lambda e: e.start))
        blockers += needed
    named = ", ".join(dict.fromkeys(blockers[:6]))
    raise query.refused(
        number,
        f"the query needs the tables that it joins: {named}" if named else "the join cannot be taken out",
        "switch off what needs one of them first, or edit the join",
    )


def _still_joined(query: Query, others: list[Range]) -> bool:
    """Whether another predicate of an ON still is a join edge."""
    offsets = {query.offsets(found) for found in others}
    return any(f.form == "edge" and (f.start, f.end) in offsets for f in query.fragments)


def _lonely_joins(query: Query, number: int, place: Place, joins: Joins, notes: list[str]) -> list[TextEdit]:
    """The edits that take out the joins that nothing needs any more; of those that stay it is told."""
    if joins == "none" or place.clause == "on":
        return []
    scope = query.scope(number)
    edits: list[TextEdit] = []
    parts = parts_of(query, scope) or []
    for part in unused(query, scope, [(place.first, place.stop)]):
        name = part.source.base or part.source.alias
        cut = dropped(query, parts, part) if joins == "all" or keeps_rows(query, part) else None
        if cut is not None and part.on is not None:
            edits += cut
            notes.append(f"the join of {name} went too: only this item needed it")
        else:
            notes.append(
                f"nothing but its join uses {name} now; the join stays, since without it the rows may differ"
            )
    return edits


# ------------------------------------------------------------------ clauses


def _clause_off(query: Query, number: int, place: Place, notes: list[str]) -> list[TextEdit]:
    if place.clause in ("distinct", "top"):
        return query.cut((place.first, place.stop), lead=False)
    opened = query.tokens[place.first - 1].token_type is TokenType.L_PAREN
    if place.clause in ("partition", "window") and opened:
        return query.cut((place.first, place.stop), lead=False)
    edits = query.cut((place.first, place.stop), lead=True)
    edits += _top(query, number) if place.clause == "tail" else []
    if place.clause == "group":
        edits += _ungrouped(query, number, notes)
    return edits


def _top(query: Query, number: int) -> list[TextEdit]:
    """T-SQL's TOP, which belongs to the ORDER BY of its SELECT."""
    block = query.block(query.scope(number))
    if block is None or block.start not in query.spans.blocks:
        return []
    start, end = query.spans.prefix(block)
    top = next((i for i in range(start, end) if query.tokens[i].token_type is TokenType.TOP), None)
    return query.cut((top, end), lead=False) if top is not None else []


def _ungrouped(query: Query, number: int, notes: list[str]) -> list[TextEdit]:
    """What a query without its GROUP BY cannot keep: HAVING, and in strict dialects the groups' columns."""
    scope = query.scope(number)
    node, block = query.select(scope), query.block(scope)
    if node is None or block is None:
        return []
    if node.args.get("having") is not None:
        raise query.refused(number, "the HAVING clause needs it", "switch off the conditions of HAVING first")
    items = [item.this if isinstance(item, exp.Alias) else item for item in node.expressions]
    bare = [n for n, item in enumerate(items) if not is_aggregate(item) and item.find(exp.Column)]
    if not bare or len(bare) == len(items):
        return []
    names = ", ".join(re.sub(r"\s+", " ", query.text(r)) for r in _ranges(query, block, bare))
    if query.dialect in _LOOSE:
        notes.append(f"{names}: one value of any row, since the rows are one group now")
        return []
    notes.append(f"{names} went too: it would be neither grouped nor aggregated")
    return removed_columns(query, number, bare)


def _ranges(query: Query, block: Block, wanted: list[int]) -> list[Range]:
    found = query.spans.projections(block)
    return [found[n] for n in wanted if n < len(found)]
