"""While a question is answered: what is going on, how far it is, how long it took, and when it is given up.

On a terminal one line that is drawn again and again; else, as in a log, a line when something begins and one
from time to time, so that nobody takes what is slow for what is stuck.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, Self

from sqlore.interfaces.cli.common import err, neutral

if TYPE_CHECKING:
    from rich.text import Text

    from sqlore.llm.base import ModelStep

__all__ = ["EVERY", "Stages", "clock"]

#: Seconds between two lines where stderr is no terminal.
EVERY: Final = 15.0


def clock(seconds: float) -> str:
    """Elapsed time.

    >>> clock(7.9), clock(75)
    ('7 s', '1 min 15 s')
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


class Stages:
    """Tells on stderr how an answer goes: call it with a stage, `model` with a step of the model.

    What a preparation found, a stage that is `done` wholly, stays to be read.
    """

    def __init__(self, quiet: bool = False, every: float = EVERY) -> None:
        console = err()
        self._quiet, self._every = quiet, every
        self._drawn = not quiet and console.is_terminal
        self._status = console.status(self) if self._drawn else None
        self._began = time.monotonic()
        self._stage, self._told = "beginning", ""
        self._step: ModelStep | None = None
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True, name="sqlore-waiting")

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        if self._status:
            self._status.start()
        elif not self._quiet:
            self._ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._status:
            self._status.stop()
        elif not self._quiet:
            self._ticker.join()

    def __call__(self, stage: str, done: int = 0, total: int | None = None) -> None:
        """A stage begins, or goes on."""
        if total and done == total:
            if not self._quiet:
                err().print(neutral(stage))
            return
        self._stage, self._step = (f"{stage} {done} of {total}" if total else stage), None
        if stage != self._told:
            self._told = stage
            self._say()

    def model(self, step: ModelStep) -> None:
        """How far the model is in the stage."""
        before, self._step = self._step, step
        if before is None or before.phase != step.phase:
            self._say()

    @property
    def line(self) -> str:
        """What goes on, for how long, and how it can be ended."""
        elapsed = clock(time.monotonic() - self._began)
        if self._step is None:
            return f"{self._stage} · {elapsed}"
        ends = ", ".join(filter(None, (self._step.limit_words, "Ctrl-C stops it")))
        return f"{self._stage}: {self._step.words} · {elapsed} ({ends})"

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(neutral(self.line), no_wrap=True, overflow="ellipsis")

    def _say(self) -> None:
        if not (self._quiet or self._drawn):
            err().print(neutral(self.line))

    def _tick(self) -> None:
        while not self._over.wait(self._every):
            self._say()
