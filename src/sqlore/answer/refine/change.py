"""One piece of a draft changed, and nothing else: edited, replaced from the history, switched off, added.

Every act gives a `Refinement`, which is looked at before it is applied. After that the query is checked, run
and cited as `ask` does it (`checked`). Cerebra, section 4.5: refinement of one knowledge item.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlore.answer.explain.explanation import describer_for
from sqlore.answer.refine.additions import Additions
from sqlore.answer.refine.alternatives import Alternatives
from sqlore.answer.refine.ask import asked_for
from sqlore.answer.refine.back import brought_back
from sqlore.answer.refine.donors import Alternative, Donors
from sqlore.answer.refine.fit import require_new
from sqlore.answer.refine.history import Act, DraftHistory, Refinement, switched_on
from sqlore.answer.refine.wish import granted, with_values
from sqlore.config import Settings, load_settings
from sqlore.errors import EditError, ModelUnavailable, SqlError, UsageError
from sqlore.model import Fragment, Kind, Usage
from sqlore.sql import check_query
from sqlore.sql.edit.compare import confirmed
from sqlore.sql.edit.off import Joins, switched_off
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.replace import replaced
from sqlore.sql.edit.text import Change, differing

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.knowledge import Store
    from sqlore.llm import ChatModel

__all__ = ["DraftItem", "Refiner"]


@dataclass(frozen=True, slots=True)
class DraftItem:
    """One item of a query by its number; 0 is the whole query. `clause` says where it stands."""

    number: int
    kind: Kind
    clause: str
    scope: str
    sql: str
    start: int
    end: int
    skeleton: str = ""


class Refiner:
    """What can be changed about a query over one database.

    Without a `store` there is nothing to choose from, without a `model` only simple wishes are granted. Every
    act raises `EditError` where it cannot be done, with the item, its place and what to do, and the errors of
    `check_query` where the query names something that does not exist.
    """

    def __init__(
        self,
        catalog: Catalog,
        dialect: str | None = None,
        *,
        store: Store | None = None,
        model: ChatModel | None = None,
        settings: Settings | None = None,
    ) -> None:
        self._catalog, self._model = catalog, model
        self._dialect = dialect if dialect is not None else catalog.schema.dialect
        self._settings = settings or load_settings()
        self._donors = Donors(store, catalog.schema, self._dialect) if store is not None else None
        self._read: Query | None = None
        self.usage = Usage()

    def query(self, sql: str) -> Query:
        """The query taken apart; the last one is kept."""
        if self._read is None or self._read.sql != sql:
            self._read = Query(sql, self._dialect, self._catalog.schema)
        return self._read

    def items(self, sql: str) -> tuple[DraftItem, ...]:
        """The items of a query by number, in the order of its text."""
        query = self.query(sql)
        found = []
        for number, fragment in enumerate(query.fragments):
            try:
                clause = query.place(number).clause
            except EditError:
                clause = ""
            found.append(DraftItem(
                number, fragment.kind, clause, fragment.scope, fragment.sql, fragment.start, fragment.end,
                fragment.skeleton,
            ))  # fmt: skip
        return tuple(found)

    def _described(self, fragment: Fragment) -> str:
        return describer_for(self._catalog).fragment(fragment).text

    # -------------------------------------------------------------- the acts

    def edit(self, sql: str, number: int, text: str) -> Refinement:
        """The item becomes `text`: one piece of its kind. Item 0 is the whole SQL, which is not compared."""
        query = self.query(sql)
        if query.fragment(number).kind == "query":
            return self.rewrite(sql, text)
        change, _ = replaced(query, number, text)
        return self._step("edit", query, number, change, text=text.strip())

    def rewrite(self, sql: str, new: str) -> Refinement:
        """The whole SQL by hand, or generated anew; it is checked, and replaced where it differs."""
        new = new.strip().rstrip(";").rstrip()
        check_query(new, self._dialect, self._catalog.schema)
        return Refinement("sql", sql, differing(sql, new), text=new)

    def off(self, sql: str, number: int, joins: Joins = "same") -> Refinement:
        """The item is taken out. `joins`: of the joins that only it needed, those go without which the rows
        are the ``same``, ``all``, or ``none``."""
        query = self.query(sql)
        change, _ = confirmed(query, switched_off(query, number, joins))
        return self._step("off", query, number, change)

    def on(self, history: DraftHistory, step: int) -> Refinement:
        """What step `step` switched off comes back; where its place has changed, into its clause.

        Raises `UnknownName` where it names something that the query does not have any more.
        """
        found, edits = switched_on(history, step)
        query = self.query(history.sql)
        change = brought_back(query, found, edits)
        self._check(query, change)
        return Refinement(
            "on",
            query.sql,
            change.edits,
            kind=found.kind,
            scope=found.scope,
            clause=found.clause,
            text=found.fragment,
            affected=change.affected,
            of=step,
        )

    def alternatives(self, sql: str, number: int, limit: int = 12) -> tuple[Alternative, ...]:
        """Items of the history that can stand in the place of an item, each under the draft's names."""
        return self._alternatives().of(self.query(sql), number, limit)

    def choose(self, sql: str, number: int, item: int, text: str | None = None) -> Refinement:
        """An item of the history in the place of an item; `text` is that of one of its `alternatives`."""
        query, known = self.query(sql), self._history().item(item)
        change, text = self._alternatives().chosen(query, number, known, text)
        return self._step("alternative", query, number, change, text=text, item=item)

    def additions(self, sql: str, scope: str = "main", limit: int = 40) -> tuple[Alternative, ...]:
        """Items of the history that fit into a scope and are not there, with the values seen in them."""
        return Additions(self._history()).to(self.query(sql), scope, limit)

    def add(
        self,
        sql: str,
        item: int,
        scope: str = "main",
        script: int | None = None,
        values: tuple[str, ...] | None = None,
    ) -> Refinement:
        """An item of the history put into the right clause of a scope, with the join that it needs.

        Its values are `values`, one a literal; without them those that `script` has, where that uses it, else
        those of any script.
        """
        query, donors = self.query(sql), self._history()
        known = donors.item(item)
        if script in known.scripts and script is not None:
            known = replace(known, scripts=(script, *known.scripts))
        change, text = Additions(donors).put(query, known, scope)
        if values is not None:
            change, text = _with(
                Query(change.after, self._dialect, self._catalog.schema), change, text, values
            )
        require_new(query, known.kind, scope, text)
        self._check(query, change)
        return Refinement(
            "add",
            sql,
            change.edits,
            kind=known.kind,
            scope=scope,
            text=text,
            item=item,
            notes=change.notes,
            affected=change.affected,
        )

    def wish(self, sql: str, number: int, words: str) -> Refinement:
        """The item as a person wishes it, in plain words: by rule where that is certain, else by the model.

        Raises `ModelUnavailable` where a model is needed and there is none.
        """
        query = self.query(sql)
        if not words.strip():
            raise UsageError("the wish is empty", hint='for example "only 2016" or "count each bond once"')
        if query.fragment(number).kind == "query":
            raise query.refused(number, "a wish is about one item", "choose one, or ask the question anew")
        text = granted(query, number, words, self._catalog)
        if text is not None and text != query.fragment(number).sql:
            change, _ = replaced(query, number, text)
            return self._step("wish", query, number, change, text=text, said=words)
        if self._model is None:
            raise ModelUnavailable(
                "this wish needs a language model", hint="choose one, or edit the SQL of the item"
            )
        taken: list[Change] = []

        def accept(piece: str) -> None:
            change, _ = replaced(query, number, piece)
            self._check(query, change)
            taken.append(change)

        text, usage = asked_for(query, number, words, self._catalog, self._model, self._settings, accept)
        self.usage += usage
        return self._step("wish", query, number, taken[-1], text=text, said=words)

    # -------------------------------------------------------------- what they share

    def _history(self) -> Donors:
        if self._donors is None:
            raise UsageError("nothing has been learned here", hint="sqlore learn --history FOLDER")
        return self._donors

    def _alternatives(self) -> Alternatives:
        return Alternatives(self._history(), self._described)

    def _step(self, act: Act, query: Query, number: int, change: Change, **more: Any) -> Refinement:
        self._check(query, change)
        fragment = query.fragment(number)
        return Refinement(
            act,
            query.sql,
            change.edits,
            kind=fragment.kind,
            scope=fragment.scope,
            clause=query.place(number).clause,
            fragment=fragment.sql,
            notes=change.notes,
            affected=change.affected,
            **more,
        )

    def _check(self, query: Query, change: Change) -> None:
        """Raises what `check_query` finds in the query after a change and did not find before."""
        try:
            check_query(change.after, self._dialect, self._catalog.schema)
        except SqlError as error:
            try:
                check_query(query.sql, self._dialect, self._catalog.schema)
            except SqlError as before:
                if before.message == error.message:
                    return
            raise


def _with(after: Query, change: Change, text: str, values: tuple[str, ...]) -> tuple[Change, str]:
    """A change that put in a piece, which has other values now. Raises `EditError` where it takes others."""
    number = next((n for n, one in enumerate(after.fragments) if one.sql == text), None)
    written = with_values(after, number, values) if number is not None else None
    if number is None or written is None:
        raise EditError("this piece takes other values", where=text, hint="give one for each of its places")
    final, _ = replaced(after, number, written)
    return replace(change, edits=differing(change.before, final.after)), written
