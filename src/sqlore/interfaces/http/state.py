"""What one server works with: its workspace, jobs, drafts and results, and who may use what at a time."""

from __future__ import annotations

import getpass
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from fastapi import Request

from sqlore.errors import SqloreError
from sqlore.interfaces.http.drafts import DraftFiles
from sqlore.interfaces.http.jobs import Job, Jobs
from sqlore.interfaces.http.log import EventLog
from sqlore.interfaces.http.preferences import Preferences
from sqlore.interfaces.http.problems import NotFound
from sqlore.interfaces.http.results import Results

if TYPE_CHECKING:
    from sqlore.answer.explain.model import Explanation
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine
    from sqlore.knowledge import Store
    from sqlore.llm import ChatModel
    from sqlore.retrieve import Retriever
    from sqlore.workspace import Workspace

__all__ = ["KeptExplanation", "Served", "served"]

UPLOADS_KEPT: Final = 86_400
"""Seconds after which a file that was sent and never learned is deleted, when a server starts."""
EXPLANATIONS: Final = 40
"""Explanations that are remembered for their figures."""


class KeptExplanation:
    """An explanation and the job that computes its figures."""

    def __init__(self, id: str, explanation: Explanation) -> None:
        self.id, self.explanation = id, explanation
        self.job: Job | None = None


class Served:
    """One server's state. What is opened is opened once; every query gets a connection of its own."""

    def __init__(self, lore: Workspace) -> None:
        self.lore = lore
        self.jobs = Jobs()
        self.results = Results()
        self.preferences = Preferences(lore.settings.home / "serve.json")
        self.log = EventLog(lore.settings.home / "events.jsonl", self.preferences, self._baseline_of)
        self.teaching = threading.Lock()
        """Held by the one job that writes knowledge."""
        self.examples_lock = threading.Lock()
        self.examples_waiting: Job | None = None
        """The job that will learn the examples that people decided on, until its turn has come."""
        self.running = 0
        """Connections that are in use."""
        self._lock = threading.RLock()
        # what takes long to read keeps nobody waiting who needs something else
        self._reading = {name: threading.RLock() for name in ("catalog", "retriever")}
        self._drafts: DraftFiles | None = None
        self._explanations: OrderedDict[str, KeptExplanation] = OrderedDict()
        self.lore.settings = self.preferences.applied(self.lore.settings)
        self._forget_uploads()

    def _forget_uploads(self) -> None:
        """Files that were sent to a server of before and never learned go after a day."""
        for folder in self.lore.settings.home.glob("uploads/*"):
            with suppress(OSError):
                if time.time() - folder.stat().st_mtime > UPLOADS_KEPT:
                    shutil.rmtree(folder)

    def close(self) -> None:
        """Cancels what runs and closes what is open."""
        self.jobs.close()
        self.lore.close()

    # -------------------------------------------------------------- what is opened once

    @property
    def drafts(self) -> DraftFiles:
        """The drafts of this store."""
        with self._lock:
            if self._drafts is None:
                stem = self._store_name()
                self._drafts = DraftFiles(self.lore.settings.home / "drafts" / stem)
                self._drafts.interrupted()
            return self._drafts

    def _baseline_of(self, draft: str) -> bool | None:
        """Whether a draft was asked without knowledge; None where there is no such draft."""
        try:
            return self.drafts.get(draft).baseline
        except SqloreError:
            return None

    def _store_name(self) -> str:
        try:
            return self.lore.store_file.stem
        except SqloreError:
            return "none"

    @property
    def catalog(self) -> Catalog:
        """Schema, dictionary and values; of a database that was not learned they are read here.

        Tables and columns are those that the database has now, and what is said of them is what the store
        holds: another process may have learned into it.
        """
        self.store  # noqa: B018
        with self._reading["catalog"]:
            self.lore.look_again()
            return self.lore.catalog

    @property
    def store(self) -> Store | None:
        """The knowledge, where anything was learned."""
        with self._lock:
            self.lore.look_at_store()
            return self.lore.store if self.lore.learned else None

    @property
    def retriever(self) -> Retriever | None:
        """What finds knowledge, where anything was learned; it asks no language model.

        A question that is answered has the model asked by its own job (`retrieve_filter`), which can be
        stopped.
        """
        if self.store is None:
            return None
        with self._reading["retriever"], self._reading["catalog"]:
            self.lore.look_again()
            found = self.lore.retriever
            found.judge = None
            return found

    @property
    def model(self) -> ChatModel:
        """The language model."""
        with self._lock:
            return self.lore.model

    @property
    def dialect(self) -> str:
        """The dialect of the database."""
        with self._lock:
            return self.lore.engine.dialect

    def warm_up(self) -> None:
        """Reads what the first question needs, so that it does not wait for it. What fails fails then."""
        with suppress(SqloreError):
            retriever = self.retriever
            if retriever is not None:
                retriever.rank("a", limit=1)
            else:
                len(self.catalog.schema.tables)

    @property
    def who(self) -> str:
        """Who says something where nobody is named."""
        try:
            return self.preferences.user or getpass.getuser()
        except (OSError, KeyError, ImportError):
            return "unknown"

    @contextmanager
    def engine(self, job: Job | None = None) -> Iterator[Engine]:
        """A connection of one's own, closed at the end; a job that is cancelled interrupts it."""
        from sqlore.engines import connect

        with self._lock:
            url = self.lore.engine.url
        with connect(url) as own:
            if job is not None:
                job.when_cancelled(own.interrupt)
            with self._lock:
                self.running += 1
            try:
                yield own
            finally:
                with self._lock:
                    self.running -= 1

    def need_store(self) -> Store:
        """The knowledge. Raises `NotFound` where nothing was learned."""
        store = self.store
        if store is None:
            raise NotFound("nothing has been learned from this database yet", hint="POST /api/learn")
        return store

    def change_settings(self, changes: dict[str, Any]) -> None:
        """Other settings from now on, also after a restart. Raises `UsageError` for values that cannot be."""
        with self._lock:
            self.lore.settings = self.preferences.change(self.lore.settings, changes)
            self.lore.__dict__.pop("retriever", None)

    # -------------------------------------------------------------- explanations

    def keep_explanation(self, id: str, explanation: Explanation) -> KeptExplanation:
        """Remembers an explanation; one of that id that is there already stays, with its figures."""
        with self._lock:
            kept = self._explanations.setdefault(id, KeptExplanation(id, explanation))
            self._explanations.move_to_end(id)
            while len(self._explanations) > EXPLANATIONS:
                self._explanations.popitem(last=False)
        return kept

    def explanation(self, id: str) -> KeptExplanation:
        """The explanation of that id. Raises `NotFound` where it was forgotten."""
        with self._lock:
            found = self._explanations.get(id)
        if found is None:
            raise NotFound("this explanation is not kept any more", hint="POST /api/explanations again")
        return found


def served(request: Request) -> Served:
    """The state of the server that got a request."""
    state: Served = request.app.state.served
    return state
