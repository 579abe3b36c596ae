"""Long jobs in threads of their own: they send events, can be listened to again, and can be cancelled.

Events are kept with their job, so that a page that is loaded again sees what it missed.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

from sqlore.errors import SqloreError
from sqlore.interfaces.http.contract import Problem
from sqlore.interfaces.http.contract_jobs import (
    AnyEvent,
    EndEvent,
    JobKind,
    JobStatus,
    ProblemEvent,
    StageEvent,
    TokenEvent,
)
from sqlore.interfaces.http.contract_jobs import Job as JobShown
from sqlore.interfaces.http.problems import Conflict, NotFound, problem_of, unexpected

__all__ = ["Job", "Jobs", "Stopped", "now"]

KEPT: Final = 200
"""Jobs that are remembered after their end."""
_LOG: Final = logging.getLogger("sqlore.http")


class Stopped(Exception):
    """The job was cancelled. No error of the project's tree: nothing on the way may take it for a failure."""


def now() -> str:
    """The time as it is kept and shown."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Job:
    """One job as the thread that does it sees it."""

    def __init__(self, kind: JobKind, draft: str | None = None, *, cancel_when_left: bool = False) -> None:
        self.id = secrets.token_urlsafe(12)
        self.kind, self.draft = kind, draft
        self.started, self.ended = now(), ""
        self.status: JobStatus = "running"
        self.stage_name = ""
        self.problem: Problem | None = None
        self.cancel = threading.Event()
        self.finished = threading.Event()
        self._cancel_when_left = cancel_when_left
        self._events: list[AnyEvent] = []
        self._lock = threading.Lock()
        self._listeners: dict[int, Callable[[], None]] = {}
        self._on_cancel: list[Callable[[], None]] = []

    # -------------------------------------------------------------- for the thread that works

    def emit(self, event: AnyEvent) -> None:
        """Sends an event to all who listen, and to those who come later."""
        with self._lock:
            self._events.append(event)
            listeners = list(self._listeners.values())
        for wake in listeners:
            wake()

    def stage(self, name: str, done: int = 0, total: int | None = None) -> None:
        """Says which stage has begun; raises `Stopped` where the job was cancelled."""
        self.check()
        self.stage_name = name
        self.emit(StageEvent(stage=name, done=done, total=total))

    def token(self, text: str) -> None:
        """Passes on what the model says; raises `Stopped` where the job was cancelled."""
        self.check()
        self.emit(TokenEvent(text=text))

    def check(self) -> None:
        """Raises `Stopped` where the job was cancelled."""
        if self.cancel.is_set():
            raise Stopped

    def when_cancelled(self, act: Callable[[], None]) -> None:
        """What else is to be done when the job is cancelled, such as interrupting a query."""
        self._on_cancel.append(act)
        if self.cancel.is_set():
            act()

    def run(self, work: Callable[[Job], None], turn: threading.Lock | None) -> None:
        """Does the work, when its turn has come; whatever happens, the last event says how it ended."""
        try:
            with self._turn(turn):
                self.check()
                work(self)
            status: JobStatus = "cancelled" if self.cancel.is_set() else "done"
        except Stopped:
            status = "cancelled"
        except SqloreError as error:
            status, self.problem = "failed", problem_of(error)
        except Exception as error:  # a fault must reach those who wait
            _LOG.exception("a job failed")
            status, self.problem = "failed", unexpected(error)
        if status == "failed" and self.problem is not None:
            self.emit(ProblemEvent(problem=self.problem))
        self.status, self.ended = status, now()
        self.finished.set()  # before it is told: who hears of the end may go on at once
        self.emit(EndEvent(status=status))

    @contextmanager
    def _turn(self, lock: threading.Lock | None) -> Iterator[None]:
        """Holds a lock that other jobs need too; who waits for it can be cancelled."""
        if lock is None:
            yield
            return
        if not lock.acquire(blocking=False):
            self.stage("waiting for another job")
            while not lock.acquire(timeout=0.1):
                self.check()
        try:
            yield
        finally:
            lock.release()

    # -------------------------------------------------------------- for everybody else

    def stop(self) -> None:
        """Cancels the job; one that has ended stays as it is."""
        if self.finished.is_set():
            return
        self.cancel.set()
        for act in self._on_cancel:
            act()

    def shown(self) -> JobShown:
        """The job as the API shows it."""
        return JobShown(
            id=self.id,
            kind=self.kind,
            status=self.status,
            stage=self.stage_name,
            started=self.started,
            ended=self.ended or None,
            draft=self.draft,
            problem=self.problem,
        )

    async def events(self, after: int = 0) -> AsyncIterator[tuple[int, AnyEvent]]:
        """The events with their numbers, from 1, but the first `after`; ends with the job.

        After the last event of a job that has ended there are none; a number that is yet to come is the last
        one that is there.
        """
        loop, woken = asyncio.get_running_loop(), asyncio.Event()
        key = id(woken)

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)

        with self._lock:
            self._listeners[key] = wake
            after = min(after, len(self._events))
        try:
            while True:
                woken.clear()
                with self._lock:
                    fresh = self._events[after:]
                    over = bool(self._events) and self._events[-1].event == "end"
                for event in fresh:
                    after += 1
                    yield after, event
                    if event.event == "end":
                        return
                if not fresh and over:
                    return
                if not fresh:
                    await woken.wait()
        finally:
            self._leave(key)

    def _leave(self, key: int) -> None:
        with self._lock:
            self._listeners.pop(key, None)
            left = not self._listeners
        if left and self._cancel_when_left:
            self.stop()


class Jobs:
    """The jobs of one server."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(
        self,
        kind: JobKind,
        work: Callable[[Job], None],
        *,
        draft: str | None = None,
        turn: threading.Lock | None = None,
        cancel_when_left: bool = False,
    ) -> Job:
        """A job that runs from now on; `turn` is a lock that is held while it works.

        Raises `Conflict` where the question of that draft is being answered already.
        """
        job = Job(kind, draft, cancel_when_left=cancel_when_left)
        with self._lock:
            if kind == "ask" and draft is not None and self.asking(draft) is not None:
                raise Conflict("this draft is being answered")
            self._jobs[job.id] = job
            ended = [one.id for one in self._jobs.values() if one.finished.is_set()]
            for old in ended[: max(0, len(ended) - KEPT)]:
                del self._jobs[old]
        threading.Thread(target=job.run, args=(work, turn), daemon=True, name=f"sqlore-{kind}").start()
        return job

    def get(self, id: str) -> Job:
        """The job of that id. Raises `NotFound`."""
        found = self._jobs.get(id)
        if found is None:
            raise NotFound(f"there is no job {id}", hint="the server forgets jobs that ended long ago")
        return found

    def all(self) -> list[Job]:
        """All jobs that are remembered, the latest first."""
        return list(reversed(list(self._jobs.values())))

    def asking(self, draft: str) -> Job | None:
        """The job that answers the question of a draft now."""
        running = (job for job in self.all() if job.draft == draft and job.kind == "ask")
        return next((job for job in running if not job.finished.is_set()), None)

    def of_draft(self, draft: str) -> Job | None:
        """The job that runs for a draft now."""
        return next((job for job in self.all() if job.draft == draft and not job.finished.is_set()), None)

    def stop(self) -> list[Job]:
        """Cancels everything, so that streams of events come to their end; returns what was running."""
        running = [job for job in self.all() if not job.finished.is_set()]
        for job in running:
            job.stop()
        return running

    def close(self) -> None:
        """Cancels everything and waits a short while for it."""
        for job in self.stop():
            job.finished.wait(2.0)
