"""A query in a thread of its own: the caller waits for it and stops it, at the time limit or at Ctrl-C."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Final

__all__ = ["WatchedQuery"]

#: Seconds that a stopped query has to end before it is left to itself.
_GRACE: Final = 5.0


class WatchedQuery(ABC):
    """One query at work in another thread, which sets `done` at its end and `error` where it failed.

    `reason` says why it was stopped: "timeout" or "interrupt", whichever came first.
    """

    def __init__(self) -> None:
        self.reason: str | None = None
        self.done = threading.Event()
        self.error: Exception | None = None
        self.lock = threading.Lock()

    @abstractmethod
    def halt(self) -> None:
        """Stops what runs. Called with `lock` held, and never after `done`."""

    def wait(self, timeout: float) -> None:
        """Until the end, the time limit, or Ctrl-C; a query that is stopped gets a moment to end."""
        try:
            if self.done.wait(timeout):
                return
            self.stop("timeout")
        except BaseException:
            self.stop("interrupt")
            raise
        finally:
            self.done.wait(_GRACE)

    def stop(self, reason: str) -> None:
        """Stops the query, if it has not ended."""
        with self.lock:
            if not self.done.is_set():
                self.reason = self.reason or reason
                self.halt()
