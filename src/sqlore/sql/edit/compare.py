"""The query after a change compared with the one before: only what was meant to change has changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from sqlore.errors import EditError, SqlError
from sqlore.model import Fragment
from sqlore.sql.edit.query import Query, shown
from sqlore.sql.edit.text import Change, TextEdit, ordered

__all__ = ["confirmed", "kept_number"]

#: What an equality of columns of two sources is, beside what it was.
_LINKS: Final[dict[tuple[str, str], tuple[tuple[str, str], ...]]] = {
    ("condition", "predicate"): (("relation", "edge"),),
    ("relation", "edge"): (("condition", "predicate"),),
}
_Key = tuple[str, str, int, int]


def confirmed(query: Query, change: Change) -> tuple[Change, Query]:
    """The change, sorted and compared, with the query that it leads to.

    Raises `EditError` where the new text cannot be read as one query, or where any other fragment would be
    lost, moved into another clause or written otherwise. `affected` names those whose text is the same and
    whose skeleton is not.
    """
    change = replace(change, edits=_tidy(change))
    if not change.edits:
        return change, query
    try:
        after = Query(change.after, query.dialect, query.schema)
    except SqlError as error:
        raise EditError(
            f"the query could not be read any more: {error.message}",
            where=error.where,
            hint="give one piece that fits in its place, without what stands around it",
        ) from error
    _same_words(query, after, change)
    affected = _compared(query.fragments, after.fragments, change)
    return replace(change, affected=affected), after


def _tidy(change: Change) -> tuple[TextEdit, ...]:
    """The edits by place; one that lies in another is part of it, and one that changes nothing is none."""
    out: list[TextEdit] = []
    for edit in ordered(change.edits):
        if out and edit.start < out[-1].end:
            if edit.end <= out[-1].end:
                continue
            raise EditError(
                "two parts of the change touch the same place", hint="change the whole SQL by hand"
            )
        if edit.text != change.before[edit.start : edit.end]:
            out.append(edit)
    return tuple(out)


def _same_words(query: Query, after: Query, change: Change) -> None:
    """Raises where a word outside the edits is read otherwise: swallowed by a quote or a comment."""
    outside = _words(query, [(edit.start, edit.end) for edit in change.edits])
    left = _words(after, [(start, end) for _, _, start, end in change.spans])
    if outside != left:
        raise EditError(
            "a quote, bracket or comment in it reaches beyond its place",
            hint="give one whole piece, quotes and brackets closed",
        )


def _words(query: Query, cut: Sequence[tuple[int, int]]) -> list[str]:
    """The words outside some ranges, as they are spelled."""
    return [
        query.sql[token.start : token.end + 1]
        for token in query.tokens
        if not any(start <= token.start and token.end < end for start, end in cut)
    ]


def _compared(before: Iterable[Fragment], after: Iterable[Fragment], change: Change) -> tuple[str, ...]:
    """Texts of the fragments that mean something else now; raises where one is not there any more."""
    left: dict[_Key, list[Fragment]] = {}
    for fragment in after:
        left.setdefault((fragment.kind, fragment.form, fragment.start, fragment.end), []).append(fragment)
    affected: list[str] = []
    rests = []
    for fragment in before:
        if _gone(fragment, change):
            rests.append((fragment.kind, *_rest(fragment, change)))
            continue
        found = _taken(left, fragment, change)
        if found is None:
            raise EditError(
                f"{shown(fragment)} would not stay as it is",
                hint="give one piece that fits in its place, or change the whole SQL by hand",
            )
        if found.sql == fragment.sql and found.skeleton != fragment.skeleton:
            affected.append(fragment.sql)
    for rest in left.values():
        for fragment in rest:
            left_over = any(
                k == fragment.kind
                and ((s <= fragment.start and fragment.end <= e) or fragment.sql[:3].upper() == "TOP")
                for k, s, e in rests
            )
            if not left_over and not _new(fragment, change):
                raise EditError(
                    f"{shown(fragment)} would come up where nothing was changed",
                    hint="give one piece that fits in its place, or change the whole SQL by hand",
                )
    return tuple(dict.fromkeys(affected))


def _new(fragment: Fragment, change: Change) -> bool:
    """Whether an edit made the fragment: it holds some of the new text, or lies in it."""
    return any(fragment.start <= end and start <= fragment.end for _, _, start, end in change.spans)


def _gone(fragment: Fragment, change: Change) -> bool:
    """Whether an edit covers the fragment or reaches into it from outside."""
    return any(
        edit.start <= fragment.start < edit.end or edit.start < fragment.end <= edit.end
        for edit in change.edits
        if edit.end > edit.start
    )


def _rest(fragment: Fragment, change: Change) -> tuple[int, int]:
    """Where what an edit leaves of a fragment is afterwards: the LIMIT of an ORDER BY."""
    start, end = fragment.start, fragment.end
    for edit in change.edits:
        if edit.start <= start < edit.end:
            start = edit.end
        if edit.start < end <= edit.end:
            end = edit.start
    return _offsets(start, change)[0], _offsets(max(start, end), change)[-1]


def _taken(left: dict[_Key, list[Fragment]], fragment: Fragment, change: Change) -> Fragment | None:
    """The fragment as it stands in the new text: unmoved ends first, then ends that an edit has moved.

    What is inserted right at an end may belong to the fragment (a join to its FROM) or follow it. An equality
    of two sources is a condition under OR, and their link once nothing but AND is above it: the same piece.
    """
    kinds = [(fragment.kind, fragment.form), *_LINKS.get((fragment.kind, fragment.form), ())]
    for kind, form in kinds:
        for start in _offsets(fragment.start, change):
            for end in _offsets(fragment.end, change):
                found = left.get((kind, form, start, end))
                if found and (kind == fragment.kind or found[0].sql == fragment.sql):
                    return found.pop(0)
    return None


def _offsets(offset: int, change: Change) -> tuple[int, ...]:
    """Where a character offset is after the change: before and behind what is inserted there."""
    found = [offset]
    for edit in change.edits:
        if edit.end < offset or (edit.end == offset and edit.start < offset):
            found = [one + len(edit.text) - (edit.end - edit.start) for one in found]
        elif edit.start == edit.end == offset:
            found.append(found[-1] + len(edit.text))
    return tuple(found)


def kept_number(query: Query, number: int, change: Change, after: Query) -> int | None:
    """The number that a fragment has after a change; None where it is gone."""
    fragment = query.fragment(number)
    for start in _offsets(fragment.start, change):
        for end in _offsets(fragment.end, change):
            for place, other in enumerate(after.fragments):
                if (other.kind, other.form, other.start, other.end) == (
                    fragment.kind, fragment.form, start, end,
                ):  # fmt: skip
                    return place
    return None
