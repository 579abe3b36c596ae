"""Alternatives to one item of a draft: others of its kind in the history, each tried in its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from sqlore.answer.cite import similarity, skeleton_tokens
from sqlore.answer.refine.donors import TRIED, Alternative, Donors
from sqlore.answer.refine.fit import fits, is_of_one_row
from sqlore.answer.refine.room import Room, folded
from sqlore.answer.refine.wish import with_values
from sqlore.errors import SqlError
from sqlore.model import Fragment, KnowledgeItem
from sqlore.sql import check_query
from sqlore.sql.edit.insert import around, joined, told_apart
from sqlore.sql.edit.query import Place, Query
from sqlore.sql.edit.replace import replaced
from sqlore.sql.edit.text import Change, TextEdit
from sqlore.sql.names import spell
from sqlore.sql.placeholders import is_placeholder

__all__ = ["Alternatives"]


class Alternatives:
    """Items in the place of an item. `describe` says a piece in words, with the values that it has here."""

    def __init__(self, donors: Donors, describe: Callable[[Fragment], str] | None = None) -> None:
        self._donors, self._describe = donors, describe

    def of(self, query: Query, number: int, limit: int = 12) -> tuple[Alternative, ...]:
        """The items of the same kind that fit in the place of another: the most alike, then the most used.

        Each was put there and read again: it is one piece of the same kind, and nothing else changes.
        """
        fragment, place = query.fragment(number), query.place(number)
        if fragment.kind == "query":
            raise query.refused(number, "a whole query has no alternatives", "ask the question anew")
        wanted = Counter(skeleton_tokens(fragment.skeleton))
        named = frozenset(self._donors.store.described_by("person"))
        found = self._values(query, number, limit // 2, named)
        ranked = []
        for item in self._pool(query, number):
            alike = similarity(wanted, Counter(skeleton_tokens(item.skeleton)), {})
            shared = not set(item.columns).isdisjoint(fragment.columns)
            ranked.append((not shared, -round(alike, 2), -item.support, item.id, item, alike))
        for *_, item, alike in sorted(ranked, key=lambda one: one[:4])[: limit * TRIED]:
            fitting = self._fitting(query, number, place, item)
            if fitting is not None:
                text, joins, after = fitting
                found.append(Alternative(
                    item.id, text, item.support, joins, self._said(item, after, text, named), item.trust,
                    round(alike, 4), item.synthetic,
                ))  # fmt: skip
            if len(found) == limit:
                break
        return tuple(found)

    def _values(self, query: Query, number: int, limit: int, named: frozenset[int]) -> list[Alternative]:
        """The same knowledge with the other values that the history has in this place, most used first."""
        fragment = query.fragment(number)
        item = self._donors.store.item_by_key(fragment.kind, fragment.skeleton)
        if item is None or fragment.kind not in ("condition", "calculation"):
            return []
        found: list[Alternative] = []
        for values, _ in item.literals:
            if any(map(is_placeholder, values)):
                continue  # of a parameter nobody knows the value
            text = with_values(query, number, values) if values != fragment.literals else None
            if text is not None and text != fragment.sql and len(found) < limit:
                words = self._said(item, replaced(query, number, text)[1], text, named)
                used = None if item.synthetic else self._donors.store.scripts_with(item.id, values)
                found.append(Alternative(
                    item.id, text, item.support, (), words, item.trust, 1.0, item.synthetic,
                    with_values=used,
                ))  # fmt: skip
        return found

    def _said(self, item: KnowledgeItem, after: Query, text: str, named: frozenset[int]) -> str:
        """An item in words, with the values of its text where others were seen too; as a person called it."""
        words = item.description or item.name
        if self._describe is None or len(item.literals) < 2 or item.id in named:
            return words
        same = [f for f in after.fragments if f.kind == item.kind and f.skeleton == item.skeleton]
        here = next((f for f in same if f.sql == text), next(iter(same), None))
        return self._describe(here) if here is not None else words

    def chosen(
        self, query: Query, number: int, item: KnowledgeItem, text: str | None = None
    ) -> tuple[Change, str]:
        """The change that puts an item in the place of another, and its text there.

        `text` chooses among the item's own values, as `alternatives` gives them. Raises `EditError` where it
        is of another kind, or cannot be written here.
        """
        fragment, place = query.fragment(number), query.place(number)
        if item.kind != fragment.kind or item.form != fragment.form:
            raise query.refused(
                number, f"item {item.id} of the history is a {item.kind}", "choose one of the same kind"
            )
        written, room = self._donors.written(query, query.scope(number), item, place)
        text = text or written
        change, after = self._put(query, number, text, room)
        if item.skeleton not in {f.skeleton for f in after.fragments if f.kind == item.kind}:
            raise query.refused(
                number, f"this is not item {item.id} of the history any more", "edit the SQL instead"
            )
        return change, text

    def _fitting(
        self, query: Query, number: int, place: Place, item: KnowledgeItem
    ) -> tuple[str, tuple[str, ...], Query] | None:
        try:
            text, room = self._donors.written(query, query.scope(number), item, place)
            if not fits(text, query.fragment(number).sql, place, query.dialect):
                return None
            change, after = self._put(query, number, text, room)
            check_query(change.after, self._donors.dialect, self._donors.schema)
        except SqlError:
            return None
        known = {f.skeleton for f in after.fragments if f.kind == item.kind}
        return (text, room.joins, after) if item.skeleton in known else None

    def _put(self, query: Query, number: int, text: str, room: Room) -> tuple[Change, Query]:
        scope, fragment = query.scope(number), query.fragment(number)
        extra: list[TextEdit] = []
        if room.joins:
            extra = joined(query, scope, room.joins)
            extra += [
                edit
                for edit in told_apart(query, scope, room.tables)
                if not fragment.start <= edit.start < fragment.end
            ]
        change, after = replaced(query, number, text, extra)
        return replace(change, notes=(*change.notes, *room.notes)), after

    def _pool(self, query: Query, number: int) -> Iterator[KnowledgeItem]:
        """The items of a fragment's kind and form over tables that are here or one join away."""
        fragment, scope = query.fragment(number), query.scope(number)
        outer = list(around(scope))
        if any(use.owner in outer for use in query.inner_uses(fragment.start, fragment.end)):
            return  # without it a subquery would not be about the row of the outer query any more
        here = {source.base for source in scope.sources if source.base}
        near = {spell(name) for table in here for name in self._donors.graph.neighbours(folded(table))}
        tables: Sequence[str | None] = sorted(here) + sorted(near - here)
        if fragment.kind == "output" and not fragment.tables:
            tables = [None]
        seen: set[int] = set()
        for table in tables:
            for item in self._donors.items(fragment.kind, table):
                usable = not item.stale and item.trust != "deprecated" and item.form == fragment.form
                other = item.skeleton != fragment.skeleton and item.id not in seen
                if fragment.form == "edge" and item.tables != fragment.tables:
                    continue  # else one of the two tables would not be joined any more
                if is_of_one_row(item, self._donors.schema) and set(item.columns).isdisjoint(
                    fragment.columns
                ):
                    continue  # nobody means that row in place of a condition over something else
                if usable and other and set(item.tables) <= here | near:
                    seen.add(item.id)
                    yield item
