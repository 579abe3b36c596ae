"""Figures as they come: computed in worker threads, each bounded in time, the cheapest first.

Every worker has a connection of its own, so that one slow query holds nothing up, and stopping it touches
nobody else's. A query gets a short time at first; where that is not enough the figure is announced as slow
and comes again, with all the time there is, when the others are through.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator
from typing import Final

from sqlore.answer.explain.facts import Figure, Status
from sqlore.answer.explain.figures import Job, jobs_of
from sqlore.answer.explain.joins import NoFigure
from sqlore.answer.explain.model import Explanation
from sqlore.answer.explain.words import figure_text, number_of, warning_of
from sqlore.engines import Engine, connect
from sqlore.errors import QueryError, QueryTimeout, SqloreError
from sqlore.model import Rows

__all__ = ["figures"]

QUICK: Final = 1.0
"""Seconds that a figure gets while others wait."""
SECONDS: Final = 10.0
"""Seconds that a figure gets at most."""
WORKERS: Final = 2


def figures(
    explanation: Explanation,
    engine: Engine,
    *,
    only: Collection[str] | None = None,
    seconds: float = SECONDS,
    quick: float = QUICK,
    workers: int = WORKERS,
    cancel: threading.Event | None = None,
    open_engine: Callable[[], Engine] | None = None,
) -> Iterator[Figure]:
    """The figures of an explanation, in the order in which they are ready.

    `only` names the nodes and items that are wanted. Each figure gets `quick` seconds, then once more
    `seconds`; those that take longer come twice, first as ``slow``. Setting `cancel`, or closing the
    iterator, stops what runs at once; after `cancel` those that are missing come as ``cancelled``.
    Nothing is raised for a figure that fails: it says why. `open_engine` opens the connections of the
    workers, by default again what `engine` has open; raises what it raises.
    """
    jobs = [job for job in jobs_of(explanation) if only is None or job.item in only or job.node in only]
    run = _Run(jobs, seconds, quick, cancel or threading.Event())
    reopen = open_engine or (lambda: connect(engine.url))
    at_work: list[tuple[threading.Thread, Engine]] = []
    try:
        for _ in range(max(1, min(workers, len(jobs)))):
            own = reopen()
            thread = threading.Thread(target=run.work, args=(own,), daemon=True, name="sqlore-figures")
            at_work.append((thread, own))
            thread.start()
        yield from run.results([own for _, own in at_work])
    finally:
        run.closed = True
        for thread, own in at_work:
            while thread.is_alive():  # it may have been between two queries
                own.interrupt()
                thread.join(0.05)
            own.close()


class _Later(SqloreError):
    """A query took longer than the others may wait."""


class _Run:
    """The jobs of one call: what waits, what is slow, what is done."""

    def __init__(self, jobs: list[Job], seconds: float, quick: float, cancel: threading.Event) -> None:
        self.waiting = list(reversed(jobs))
        self.slow: list[Job] = []
        self.left = len(jobs)
        self.seconds, self.quick, self.cancel = seconds, min(quick, seconds), cancel
        self.done: queue.Queue[Figure] = queue.Queue()
        self.closed = False
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], Rows] = {}
        self._busy = 0

    # -------------------------------------------------------------- the one who reads

    def results(self, engines: list[Engine]) -> Iterator[Figure]:
        """Every figure as it comes, until the last."""
        while self.left:
            try:
                figure = self.done.get(timeout=0.05)
            except queue.Empty:
                if self.cancel.is_set():
                    for one in engines:
                        one.interrupt()
                continue
            self.left -= figure.status != "slow"
            yield figure

    # -------------------------------------------------------------- the workers

    def work(self, engine: Engine) -> None:
        """What a worker does until nothing is left."""
        while True:
            job, again = self._next()
            if job is None or self.closed:
                return
            figure = self._figure(job, engine, again)
            with self._lock:
                self._busy -= 1
                if figure.status == "slow":
                    self.slow.append(job)
            self.done.put(figure)

    def _next(self) -> tuple[Job | None, bool]:
        """The next job, and whether it has been tried; waits while another worker may still give one back."""
        while True:
            with self._lock:
                if self.waiting:
                    self._busy += 1
                    return self.waiting.pop(), False
                if self.slow:
                    self._busy += 1
                    return self.slow.pop(0), True
                if not self._busy or self.closed:
                    return None, False
            time.sleep(0.01)

    def _figure(self, job: Job, engine: Engine, again: bool) -> Figure:
        """One figure computed; whatever goes wrong is what it says."""
        started = time.monotonic()
        allowed = self.seconds if again else self.quick
        deadline = started + allowed
        first = not again and self.quick < self.seconds

        def made(status: Status, text: str) -> Figure:
            return Figure(job.node, job.item, job.kind, status, None, text, "", time.monotonic() - started)

        def ask(sql: str, limit: int) -> Rows:
            try:
                return self._ask(engine, sql, limit, deadline)
            except QueryTimeout:
                if first:
                    raise _Later("it takes longer than the others may wait") from None
                raise

        if self.cancel.is_set():
            return made("cancelled", "cancelled")
        try:
            facts = job.work(ask)
        except _Later:
            return made("slow", "it takes longer than the others; it will come after them")
        except QueryTimeout:
            return made("timeout", f"it takes more than {number_of(round(allowed), 'second')}")
        except NoFigure as error:
            return made("failed", error.message)
        except SqloreError as error:
            return made("cancelled", "cancelled") if self._stopped() else made("failed", error.message)
        except Exception as error:  # a fault here must not keep the others waiting for ever
            return made("failed", f"{type(error).__name__}: {error}")
        spent = time.monotonic() - started
        text, warning = figure_text(facts), warning_of(facts)
        return Figure(job.node, job.item, job.kind, "done", facts, text, warning, spent)

    def _stopped(self) -> bool:
        return self.cancel.is_set() or self.closed

    def _ask(self, engine: Engine, sql: str, limit: int, deadline: float) -> Rows:
        """A query's rows; what was asked before for another figure is known."""
        known = self._known.get((sql, limit))
        if known is not None:
            return known
        if self._stopped():
            raise QueryError("the query was interrupted")
        left = deadline - time.monotonic()
        if left <= 0:
            raise QueryTimeout("no time is left")
        found = engine.run(sql, limit=limit, timeout=left)
        with self._lock:
            self._known[sql, limit] = found
        return found
