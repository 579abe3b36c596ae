"""Items of SELECT and ORDER BY: taken out, with what uses their alias or their number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from sqlore.sql.edit.grouping import is_aggregate
from sqlore.sql.edit.query import Place, Query
from sqlore.sql.edit.text import TextEdit
from sqlore.sql.resolve import Scope

__all__ = ["alias_of", "alias_uses", "removed_columns", "removed_item", "used_outside"]


def removed_item(query: Query, number: int, place: Place, notes: list[str]) -> list[TextEdit]:
    """The edits that take a formula out of its SELECT or ORDER BY. Raises `EditError` where it must stay."""
    if place.clause == "order":
        return _removed_key(query, place, notes)
    scope = query.scope(number)
    if len(place.members) < 2:
        raise query.refused(number, "it is the only column of its query", "edit it instead")
    if query.fragment(number).scope.rpartition("/")[2].startswith("union:"):
        raise query.refused(
            number, "the other queries of the UNION have as many columns", "change the whole SQL (item 0)"
        )
    edits = _without_member(query, place)
    edits += _inlined(query, number, place)
    return edits + _renumbered(query, scope, place.index, query.text((place.first, place.stop)))


def _without_member(query: Query, place: Place) -> list[TextEdit]:
    """The item with its alias, its direction and one comma."""
    first, stop = place.members[place.index]
    if place.index:
        return query.cut((first - 1, first), (first, stop), lead=True)
    return query.cut((first, stop), (stop, stop + 1), lead=False)


def _removed_key(query: Query, place: Place, notes: list[str]) -> list[TextEdit]:
    if len(place.members) > 1:
        return _without_member(query, place)
    first, stop = place.members[0]
    if stop < query.spans.stop and query.tokens[stop].text.upper() in ("LIMIT", "OFFSET", "FETCH"):
        notes.append(f"{query.tokens[stop].text.upper()} takes any rows now, since nothing sorts them")
    return query.cut((first - 1, stop), lead=True)


# ------------------------------------------------------------------ names and numbers of a column


def alias_of(query: Query, scope: Scope, index: int) -> Any:
    """The identifier that names a SELECT column, or None."""
    node = query.select(scope)
    item = node.expressions[index] if node is not None and index < len(node.expressions) else None
    alias = item.args.get("alias") if isinstance(item, exp.Alias) else None
    return alias if isinstance(alias, exp.Identifier) else None


def alias_uses(query: Query, scope: Scope, name: str) -> list[tuple[int, int, bool]]:
    """Where the same SELECT uses an alias: offsets, and whether it stands there alone."""
    node = query.select(scope)
    found = []
    for clause in ("where", "group", "having", "qualify", "order"):
        inside = node.args.get(clause) if node is not None else None
        for column in inside.find_all(exp.Column) if inside is not None else ():
            bare = column.args.get("table") is None and isinstance(column.this, exp.Identifier)
            if not bare or column.name.lower() != name.lower() or "start" not in column.this.meta:
                continue
            if column.find_ancestor(exp.Select) is not node:
                continue
            if clause != "order" and scope.owner(name.lower())[1]:
                continue  # a column of that name comes before the alias
            alone = isinstance(column.parent, exp.Ordered | exp.Group)
            found.append((column.this.meta["start"], column.this.meta["end"] + 1, alone))
    return found


def used_outside(query: Query, name: str) -> bool:
    """Whether another query uses a column of that name of a derived table or CTE."""
    return any(
        use.source is not None and use.source.output is not None and use.node.name.lower() == name.lower()
        for use in query.uses
    )


def _inlined(query: Query, number: int, place: Place) -> list[TextEdit]:
    """The formula in place of its alias, where the same SELECT uses that."""
    scope = query.scope(number)
    alias = alias_of(query, scope, place.index)
    if alias is None:
        return []
    if query.fragment(number).scope != "main" and used_outside(query, alias.name):
        raise query.refused(
            number,
            f"another part of the query uses its column {alias.name}",
            "switch that off first, or edit it",
        )
    text = query.text((place.first, place.stop))
    return [
        TextEdit(start, end, text if alone else f"({text})")
        for start, end, alone in alias_uses(query, scope, alias.name)
    ]


def _renumbered(query: Query, scope: Scope, index: int, text: str) -> list[TextEdit]:
    """Numbers of columns in ORDER BY and GROUP BY: later ones move up, the column's own is its formula."""
    edits: list[TextEdit] = []
    for clause in ("group", "order"):
        for number, start, end in _ordinals(query, scope, clause):
            if number == index + 1:
                edits.append(TextEdit(start, end, text))
            elif number > index + 1:
                edits.append(TextEdit(start, end, str(number - 1)))
    return edits


def _ordinals(query: Query, scope: Scope, clause: str) -> Iterator[tuple[int, int, int]]:
    """The keys of a clause that are numbers of columns: the number, and its offsets."""
    node, block = query.select(scope), query.block(scope)
    found = block.clause(clause) if block is not None else None
    keys = node.args[clause].expressions if node is not None and node.args.get(clause) is not None else []
    ranges = query.spans.items(found, block) if found is not None and block is not None else []
    for (first, _), key in zip(ranges, keys, strict=True) if len(ranges) == len(keys) else ():
        inner = key.this if isinstance(key, exp.Ordered) else key
        if isinstance(inner, exp.Literal) and not inner.is_string and str(inner.this).isdigit():
            yield int(str(inner.this)), *query.offsets((first, first + 1))


def removed_columns(query: Query, number: int, columns: list[int]) -> list[TextEdit]:
    """The edits that take some of the columns out of a SELECT, since the item `number` goes.

    Raises `EditError` where ORDER BY or another query uses one of them.
    """
    scope = query.scope(number)
    node, block = query.select(scope), query.block(scope)
    members = query.spans.projections(block) if block is not None else []
    names = [name for n in columns if (name := node.expressions[n].alias_or_name)]
    order = node.args.get("order")
    keys = [key.this for key in order.expressions] if order is not None else []
    used = [name for name in names if query.fragment(number).scope != "main" and used_outside(query, name)]
    used += [k.sql() for k in keys if k.find(exp.Column) and not is_aggregate(k) and not _named(node, k)]
    used += [str(place) for place, _, _ in _ordinals(query, scope, "order") if place - 1 in columns]
    union = query.fragment(number).scope.rpartition("/")[2].startswith("union:")
    if used or union or len(members) != len(node.expressions):
        named = ", ".join(dict.fromkeys(used)) or "the other queries of the UNION"
        raise query.refused(
            number,
            f"columns of its groups are needed: {named}",
            "switch off what needs them first, or change the whole SQL by hand (item 0)",
        )
    lead = next(n for n in range(len(members)) if n not in columns)
    edits = query.cut((members[0][0], members[lead][0]), lead=False) if lead else []
    for first, stop in (members[n] for n in columns if n > lead):
        edits += query.cut((first - 1, first), (first, stop), lead=True)
    for place, start, end in _ordinals(query, scope, "order"):
        edits.append(TextEdit(start, end, str(place - sum(n < place for n in columns))))
    return edits


def _named(node: Any, key: Any) -> bool:
    """Whether a key of ORDER BY is the alias of an aggregated column."""
    return isinstance(key, exp.Column) and any(
        isinstance(item, exp.Alias) and item.alias.lower() == key.name.lower() and is_aggregate(item.this)
        for item in node.expressions
    )
