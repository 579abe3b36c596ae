"""What all commands share: the two consoles, progress, and how an error ends a command.

stdout is data and nothing else, so that it can be piped; progress, notes and errors go to stderr.
"""

from __future__ import annotations

import json
import math
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from sqlore.workspace import Workspace

__all__ = [
    "err",
    "neutral",
    "out",
    "plural",
    "print_json",
    "progress",
    "script_keys",
    "workspace",
]

EVERY = 30.0
"""Seconds between two lines of progress where stderr is no terminal."""
_PIPED = 10_000  # the width of what is piped: nothing is broken or folded for want of room

# What a terminal may obey in place of showing it: control characters but tab and line feed, those that turn
# the direction of writing, and half surrogates, which no encoding has.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def neutral(text: str) -> str:
    """The text with everything that a terminal would obey made visible as a dot.

    >>> neutral("red: \\x1b[31m")
    'red: ·[31m'
    """
    return _OBEYED.sub("·", text)


def plural(count: int, noun: str) -> str:
    """A number of things.

    >>> plural(1, "script"), plural(2, "piece of knowledge")
    ('1 script', '2 pieces of knowledge')
    """
    first, _, rest = noun.partition(" ")
    return f"{count} {first}{'s' * (count != 1)} {rest}".rstrip()


def out() -> Console:
    """The console of stdout. What it prints is data: brackets are no markup, escape codes are not obeyed.

    Where stdout is no terminal a line is a line, however long: no width is known to break it at.
    """
    from rich.console import Console, ConsoleRenderable, RenderHook
    from rich.segment import Segment

    class Shown:
        def __init__(self, inner: ConsoleRenderable) -> None:
            self.inner = inner

        def __rich_console__(self, console: Any, options: Any) -> Iterator[Segment]:
            for text, style, control in console.render(self.inner, options):
                yield Segment(text if control else neutral(text), style, control)

    class Hook(RenderHook):
        def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
            return [Shown(one) for one in renderables]

    piped = not sys.stdout.isatty()
    console = Console(
        highlight=False, markup=False, emoji=False, soft_wrap=piped, width=_PIPED if piped else None
    )
    console.push_render_hook(Hook())
    return console


def err() -> Console:
    """The console of stderr: progress, notes, errors."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=not sys.stderr.isatty())


def print_json(value: Any, *, indent: int | None = None) -> None:
    """One JSON document on stdout; values that JSON lacks (dates, decimals, bytes, NaN) become text."""
    wide = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(_plain(value), ensure_ascii=not wide, indent=indent)
    sys.stdout.write(_OBEYED.sub(_escaped, text) + "\n")


def _escaped(found: re.Match[str]) -> str:
    """A character that a terminal obeys, as JSON's escape of it; line ends between the lines stay."""
    return f"\\u{ord(found.group()):04x}"


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)


@contextmanager
def workspace(db: str | None = None, store: Path | None = None, **settings: Any) -> Iterator[Workspace]:
    """The workspace of a database, closed at the end."""
    from sqlore.config import load_settings
    from sqlore.errors import UsageError
    from sqlore.workspace import Workspace

    if db is not None and not db.strip():
        raise UsageError("the URL of the database is empty", hint="is a variable of the shell not set?")
    opened = Workspace(load_settings(db=db, store=store, **settings))
    _say_which(opened)
    try:
        yield opened
    finally:
        opened.close()


def _say_which(lore: Workspace) -> None:
    """Where several databases were learned in this folder and none is named: which one is meant."""
    settings = lore.settings
    if settings.db or settings.store or not lore.learned or len(list(settings.home.glob("*.sqlore"))) < 2:
        return
    note = f"using {lore.store_file}, the one last learned here; --db names another"
    err().print(neutral(note), style="dim")


def script_keys(lore: Workspace, ids: Iterable[int]) -> dict[int, str]:
    """What the history itself calls each script: BIRD's question id, `file.sql:12`, else its number."""
    if not lore.learned:
        return {}
    return {stored.id: stored.script.key or str(stored.id) for stored in lore.store.scripts(sorted(set(ids)))}


@contextmanager
def stoppable() -> Iterator[None]:
    """Within it, SIGTERM ends a command as Ctrl-C does: what is done is kept, what is open is closed."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not in the main thread, where alone signals are heard
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _lines() -> Callable[..., None]:
    """Tells progress a line at a time: the first after some seconds, so that what is quick says nothing."""
    told = time.monotonic()

    def report(stage: str, done: int = 0, total: int | None = None) -> None:
        nonlocal told
        if time.monotonic() - told >= EVERY:
            told = time.monotonic()
            err().print(neutral(f"{stage}: {done:,}" + (f" of {total:,}" if total else "")), style="dim")

    return report


@contextmanager
def progress(quiet: bool = False) -> Iterator[Callable[..., None]]:
    """A progress line on stderr: call it with `(stage, done, total)`; `total` None where not known.

    Where stderr is not a terminal, as in a log, it is a line from time to time; nothing where `quiet`.
    """
    console = err()
    if quiet or not console.is_terminal:
        yield (lambda stage, done=0, total=None: None) if quiet else _lines()
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int = 0, total: int | None = None) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total)

        yield report
