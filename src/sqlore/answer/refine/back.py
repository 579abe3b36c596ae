"""What a step switched off comes back: to its place, or into its clause where that has changed."""

from __future__ import annotations

from typing import Final

from sqlore.answer.refine.history import Refinement
from sqlore.errors import EditError
from sqlore.sql.edit.compare import confirmed
from sqlore.sql.edit.insert import inserted
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.text import Change, TextEdit

__all__ = ["brought_back"]

#: Clauses that a piece can be put into anew.
_PUT_BACK: Final = frozenset({"select", "where", "having", "group", "tail", "distinct"})


def brought_back(query: Query, off: Refinement, edits: tuple[TextEdit, ...] | None) -> Change:
    """The change that brings back what the step `off` took out; `edits` do so where its place is as it was.

    Raises `EditError` where it belongs to no clause that it could be put into anew.
    """
    try:
        if edits is None:
            raise EditError("its place has changed")
        change, after = confirmed(query, Change(query.sql, edits))
        if _times(after, off) <= _times(query, off):
            raise EditError("it would come into another clause")
        return change
    except EditError:
        if off.clause not in _PUT_BACK:
            raise EditError(
                f"{off.fragment} cannot come back: its place has changed",
                hint="undo the later changes first, or add the relation from the history",
            ) from None
    put = inserted(query, query.scope_at(off.scope), off.kind, off.fragment)
    return confirmed(query, Change(query.sql, tuple(put)))[0]


def _times(query: Query, step: Refinement) -> int:
    """How often a query has the piece of a step in its clause."""
    return sum(
        fragment.sql == step.fragment
        and fragment.scope == step.scope
        and query.place(number).clause == step.clause
        for number, fragment in enumerate(query.fragments)
        if fragment.kind == step.kind
    )
