"""Pieces of the history for a draft: alternatives to one of its items, and items put into it.

A piece comes as somebody wrote it, out of a script that uses it, with its columns under the draft's aliases.
Where its table is not there, the join is added that the foreign keys or the history know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from sqlore.answer.cite import similarity, skeleton_tokens
from sqlore.answer.join_path import Join, JoinGraph, edge_of, join_graph
from sqlore.answer.refine.fit import fits, is_of_one_row, side_of
from sqlore.answer.refine.kept import Kept, kept_of
from sqlore.answer.refine.room import Room, folded, room_for
from sqlore.answer.refine.wish import with_values
from sqlore.errors import EditError, SqlError
from sqlore.model import Fragment, Kind, KnowledgeItem, Schema
from sqlore.sql import check_query
from sqlore.sql.edit.compare import confirmed
from sqlore.sql.edit.insert import inserted, joined, told_apart
from sqlore.sql.edit.query import Place, Query
from sqlore.sql.edit.replace import replaced
from sqlore.sql.edit.text import Change, TextEdit
from sqlore.sql.edit.transfer import transferred, transferred_clause
from sqlore.sql.names import spell
from sqlore.sql.resolve import Scope

if TYPE_CHECKING:
    from sqlore.knowledge import Store

__all__ = ["Alternative", "Options"]

#: Items of one table that are looked at, the most used first, and scripts of an item that are.
_POOL: Final = 300
_SCRIPTS: Final = 6
#: How many more than wanted are tried, since some do not fit after all.
_TRIED: Final = 4
_ADDED: Final[tuple[Kind, ...]] = ("condition", "calculation", "dimension")


@dataclass(frozen=True, slots=True)
class Alternative:
    """An item of the history in the place of another: its text here, and the joins that it needs.

    `with_values` is how many of its `support` scripts have the values of this text, where these were chosen.
    """

    item: int
    sql: str
    support: int
    joins: tuple[str, ...] = ()
    description: str = ""
    trust: str = "unverified"
    similarity: float = 0.0
    synthetic: bool = False
    kind: Kind = "condition"
    values: tuple[tuple[str, ...], ...] = ()
    with_values: int | None = None


class Options:
    """What one store offers for drafts over one schema."""

    def __init__(
        self,
        store: Store,
        schema: Schema,
        dialect: str,
        describe: Callable[[Fragment], str] | None = None,
    ) -> None:
        self._store, self._schema, self._dialect, self._describe = store, schema, dialect, describe

    @property
    def _known(self) -> Kept:
        """What was read of the store before, by this or by another: one request makes one of these."""
        return kept_of(self._store, self._schema, self._dialect)

    @property
    def graph(self) -> JoinGraph:
        """The ways between tables that keys and history know."""
        kept = self._known
        if kept.graph is None:
            kept.graph = join_graph(self._schema, self._store)
        return kept.graph

    def item(self, number: int) -> KnowledgeItem:
        """The item of that id. Raises `EditError` where the store has none."""
        item = self._store.item(number)
        if item is None:
            raise EditError(f"the history has no item {number}", hint="sqlore knowledge list shows the items")
        return item

    # -------------------------------------------------------------- alternatives

    def alternatives(self, query: Query, number: int, limit: int = 12) -> tuple[Alternative, ...]:
        """The items of the same kind that fit in the place of another: the most alike, then the most used.

        Each was put there and read again: it is one piece of the same kind, and nothing else changes.
        """
        fragment, place = query.fragment(number), query.place(number)
        if fragment.kind == "query":
            raise query.refused(number, "a whole query has no alternatives", "ask the question anew")
        wanted = Counter(skeleton_tokens(fragment.skeleton))
        named = frozenset(self._store.described_by("person"))
        found = self._values(query, number, limit // 2, named)
        ranked = []
        for item in self._pool(query, number):
            alike = similarity(wanted, Counter(skeleton_tokens(item.skeleton)), {})
            shared = not set(item.columns).isdisjoint(fragment.columns)
            ranked.append((not shared, -round(alike, 2), -item.support, item.id, item, alike))
        for *_, item, alike in sorted(ranked, key=lambda one: one[:4])[: limit * _TRIED]:
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
        item = self._store.item_by_key(fragment.kind, fragment.skeleton)
        if item is None or fragment.kind not in ("condition", "calculation"):
            return []
        found: list[Alternative] = []
        for values, _ in item.literals:
            text = with_values(query, number, values) if values != fragment.literals else None
            if text is not None and text != fragment.sql and len(found) < limit:
                words = self._said(item, replaced(query, number, text)[1], text, named)
                used = None if item.synthetic else self._store.scripts_with(item.id, values)
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
        written, room = self._written(query, query.scope(number), item, place)
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
            text, room = self._written(query, query.scope(number), item, place)
            if not fits(text, query.fragment(number).sql, place, query.dialect):
                return None
            change, after = self._put(query, number, text, room)
            check_query(change.after, self._dialect, self._schema)
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
        here = {source.base for source in scope.sources if source.base}
        near = {spell(name) for table in here for name in self.graph.neighbours(folded(table))}
        tables: Sequence[str | None] = sorted(here) + sorted(near - here)
        if fragment.kind == "output" and not fragment.tables:
            tables = [None]
        seen: set[int] = set()
        for table in tables:
            for item in self._items(fragment.kind, table):
                usable = not item.stale and item.trust != "deprecated" and item.form == fragment.form
                other = item.skeleton != fragment.skeleton and item.id not in seen
                if fragment.form == "edge" and item.tables != fragment.tables:
                    continue  # else one of the two tables would not be joined any more
                if is_of_one_row(item, self._schema) and set(item.columns).isdisjoint(fragment.columns):
                    continue  # nobody means that row in place of a condition over something else
                if usable and other and set(item.tables) <= here | near:
                    seen.add(item.id)
                    yield item

    def _items(self, kind: Kind, table: str | None) -> list[KnowledgeItem]:
        """The items of a kind over a table, the most used first."""
        pools = self._known.pools
        if (kind, table) not in pools:
            pools[kind, table] = self._store.items(kind=kind, table=table, limit=_POOL)
        return pools[kind, table]

    # -------------------------------------------------------------- items put in

    def additions(self, query: Query, path: str, limit: int = 40) -> tuple[Alternative, ...]:
        """The items over the tables of a scope that can be put there and are not, most used first.

        Each was put there and read again. `values` are those that the history has in its places.
        """
        scope = query.scope_at(path)
        here = sorted({source.base for source in scope.sources if source.base})
        there = {(f.kind, f.skeleton) for f in query.fragments if f.scope == path}
        pool: dict[int, KnowledgeItem] = {}
        for kind in _ADDED:
            for table in here:
                pool.update((item.id, item) for item in self._items(kind, table))
        found: list[Alternative] = []
        for item in sorted(pool.values(), key=lambda one: (-one.support, one.id))[: limit * _TRIED]:
            usable = not item.stale and item.trust != "deprecated" and set(item.tables) <= set(here)
            if usable and (item.kind, item.skeleton) not in there and len(found) < limit:
                try:
                    change, text = self.added(query, item, path)
                    check_query(change.after, self._dialect, self._schema)
                except SqlError:
                    continue
                values = tuple(seen for seen, _ in item.literals)
                words = item.description or item.name
                found.append(Alternative(
                    item.id, text, item.support, (), words, item.trust, 1.0, item.synthetic, item.kind,
                    values,
                ))  # fmt: skip
        return tuple(found)

    def added(self, query: Query, item: KnowledgeItem, path: str) -> tuple[Change, str]:
        """The change that puts an item into the right clause of a scope, and its text there."""
        scope = query.scope_at(path)
        if item.kind == "query":
            raise EditError(
                f"item {item.id} is a whole query", hint="add one of its pieces: sqlore knowledge show"
            )
        if item.kind == "relation":
            return self._joined(query, scope, item)
        text, room = self._written(query, scope, item, None)
        if item.kind == "dimension" and text.upper().startswith("PARTITION"):
            raise EditError(f"item {item.id} belongs to a window function", hint="add its formula")
        edits: list[TextEdit] = []
        if room.joins:
            edits += joined(query, scope, room.joins) + told_apart(query, scope, room.tables)
        edits += inserted(query, scope, item.kind, text)
        return confirmed(query, Change(query.sql, tuple(edits), room.notes))[0], text

    def _joined(self, query: Query, scope: Scope, item: KnowledgeItem) -> tuple[Change, str]:
        """A table joined by a relation of the history."""
        edge = edge_of(item.skeleton) if item.form == "edge" else None
        if edge is None:
            raise EditError(
                f"item {item.id} is a whole FROM clause", hint="add one of its joins; each is an item too"
            )
        here = {folded(s.base) for s in scope.sources if s.base}
        missing = [table for table in (edge[0], edge[2]) if table not in here]
        if len(missing) != 1:
            why = "joins two tables that are not here" if missing else "joins tables that are here already"
            raise EditError(
                f"item {item.id} {why}", hint="choose it as an alternative of a join" if not missing else None
            )
        join = Join(edge[0], edge[2], ((edge[1], edge[3]),))
        side = side_of(item, missing[0], len(scope.sources))
        room = room_for(query, scope, missing, self.graph, known={missing[0]: join}, side=side)
        edits = joined(query, scope, room.joins) + told_apart(query, scope, room.tables)
        notes = ("SELECT * shows its columns too",) if query.starred(scope) is None else ()
        change = confirmed(query, Change(query.sql, tuple(edits), (*room.notes, *notes)))[0]
        return change, room.joins[0]

    # -------------------------------------------------------------- how an item is written here

    def _written(
        self, query: Query, scope: Scope, item: KnowledgeItem, place: Place | None
    ) -> tuple[str, Room]:
        """An item's text under the names of a scope, and the joins that it needs. Raises `EditError`."""
        here = {folded(s.base) for s in scope.sources if s.base}
        missing = [folded(table) for table in item.tables if folded(table) not in here]
        clause = place is not None and place.clause == "from"
        room = room_for(query, scope, missing, self.graph, named=clause, far=place is None)
        for donor, fragment, inner in self._sources(item):
            if clause:
                text = transferred_clause(donor, fragment, inner, room.aliases)
            else:
                text = transferred(donor, fragment, room.aliases)
            if text is not None:
                return text, Room(room.aliases) if clause else room
        raise EditError(
            f"item {item.id} cannot be written here",
            where=item.skeleton,
            hint="no script of it uses these tables alone; edit the SQL",
        )

    def _sources(self, item: KnowledgeItem) -> Iterator[tuple[Query, Fragment, Scope]]:
        """Places where scripts of the history write an item."""
        for script in item.scripts[:_SCRIPTS]:
            donor = self._donor(script)
            for number, fragment in enumerate(donor.fragments if donor is not None else ()):
                if donor is not None and (fragment.kind, fragment.form, fragment.skeleton) == (
                    item.kind, item.form, item.skeleton,
                ):  # fmt: skip
                    yield donor, fragment, donor.scope(number)

    def _donor(self, script: int) -> Query | None:
        donors = self._known.donors
        if script not in donors:
            stored = self._store.script(script)
            try:
                text = stored.script.sql if stored is not None else ""
                dialect = (stored.script.dialect if stored is not None else None) or self._dialect
                found = Query(text, dialect, self._schema) if stored is not None else None
            except SqlError:
                found = None
            self._known.keep(script, found)
            return found
        return donors.get(script)
