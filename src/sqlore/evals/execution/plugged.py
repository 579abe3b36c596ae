"""A strategy of the history with another retriever: ``history@mqs``, or ``history@gold``, the ceiling.

What the retriever hands over takes the place of what sqlore's own finds; prompt, checks and repairs are the
strategy's. Gold is what the task needs, read off its own SQL or its file: no retriever could find more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

from sqlore.errors import SqlError
from sqlore.evals.execution.tasks import Question
from sqlore.evals.gold import GoldReader
from sqlore.evals.ground import Ground
from sqlore.evals.retrieval_run import GOLD, oracle
from sqlore.evals.tasks import Task, scored
from sqlore.model import RankedItem, RankedScript, Retrieval
from sqlore.retrieve.baselines import Handed, Shown, TaskRetriever, make_retriever
from sqlore.retrieve.deliver import as_written
from sqlore.sql import parse_script

__all__ = ["GOLD", "Plugged"]


class Plugged:
    """Stands in for `Retriever` in `ask`. `task` is the one being asked; only gold looks at it.

    Raises `UsageError` for a retriever that is not known.
    """

    def __init__(self, ground: Ground, name: str) -> None:
        self.ground, self.pool, self.name = ground, ground.pool, name
        self.task: Question | None = None
        self._retriever: TaskRetriever | None = None if name == GOLD else make_retriever(name, ground.pool)

    def retrieve(
        self, question: str, *, scripts: int = 0, exclude: Collection[int | str] = frozenset()
    ) -> Retrieval:
        """At most `scripts` scripts, the most useful first, and the items that were handed over."""
        catalog = self.pool.catalog
        handed = self._handed(question, frozenset(map(str, exclude)), scripts or None)
        values = tuple(catalog.values.match(question)) if catalog is not None else ()
        return Retrieval(question, self._items(handed), self._scripts(handed.scripts), values=values)

    def _handed(self, question: str, exclude: frozenset[str], shots: int | None) -> Handed:
        if self._retriever is not None:  # make_retriever gives one or raises: None is gold alone
            return self._retriever.retrieve(question, exclude, shots=shots)
        if self.task is None:
            return Handed()
        return oracle(self.pool, self._known(self.task, exclude), shots=shots)

    def _known(self, task: Question, exclude: frozenset[str]) -> Task:
        """The task with its gold, spelled as the history's fragments are."""
        keys: set[str] = set()
        for written in task.knowledge:
            keys |= self._reader.keys(written)
        if not task.knowledge:
            catalog = self.pool.catalog
            try:
                parsed = parse_script(task.sql, self.ground.dialect, catalog.schema if catalog else None)
                keys = {fragment.key for fragment in scored(parsed.fragments)}
            except SqlError:
                keys = set()
        return Task(task.id, task.database, task.question, task.sql, frozenset(keys), exclude)

    @cached_property
    def _reader(self) -> GoldReader:
        catalog = self.pool.catalog
        schema = catalog.schema if catalog else None
        return GoldReader(self.ground.history.parsed, self.ground.dialect, schema)

    def _items(self, handed: Handed) -> tuple[RankedItem, ...]:
        """What was handed over, in its order; of a score only that is known."""
        found = [self._rows[piece.key] for piece in handed.fragments if piece.key in self._rows]
        items = self.pool.snapshot.items
        return tuple(RankedItem(items[row], 1 - place / len(found)) for place, row in enumerate(found))

    def _scripts(self, shown: Sequence[Shown]) -> tuple[RankedScript, ...]:
        snapshot = self.pool.snapshot
        rows = [self._texts[one.key] for one in shown if one.key in self._texts]
        stored = {
            one.id: one for one in self.pool.store.scripts([snapshot.texts[row].script for row in rows])
        }
        out = []
        for place, row in enumerate(rows):
            text = snapshot.texts[row]
            script = stored[text.script]
            own = replace(script, script=as_written(script.script, text))
            items = tuple(snapshot.items[item].id for item in snapshot.items_of_text[row])
            out.append(RankedScript(own, 1 - place / len(rows), items))
        return tuple(out)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: row for row, key in enumerate(self.pool.keys)}

    @cached_property
    def _texts(self) -> dict[str, int]:
        texts = self.pool.snapshot.texts
        return {text.key or str(text.id): row for row, text in enumerate(texts)}
