"""Server-sent events: a job's events as a stream that a browser can come back to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from fastapi.responses import StreamingResponse

from sqlore.interfaces.http.contract_jobs import AnyEvent
from sqlore.interfaces.http.jobs import Job

__all__ = ["EventStream", "stream_of"]

QUIET: Final = 15.0
"""Seconds after which a comment says that the connection is alive."""
_DIGITS: Final = 18
"""Of an event's number; a longer one is none of ours."""


class EventStream(StreamingResponse):
    """A response of server-sent events."""

    media_type = "text/event-stream"


def framed(number: int, event: AnyEvent) -> str:
    """One event as it goes over the wire; its id is its number.

    >>> from sqlore.interfaces.http.contract_jobs import TokenEvent
    >>> framed(3, TokenEvent(text="a"))
    'id: 3\\nevent: token\\ndata: {"event":"token","text":"a"}\\n\\n'
    """
    return f"id: {number}\nevent: {event.event}\ndata: {event.model_dump_json()}\n\n"


def stream_of(job: Job, last: str | None = None) -> EventStream:
    """The events of a job; those up to `last`, the id that the browser saw last, are passed over."""
    known = last is not None and last.isascii() and last.isdigit() and len(last) <= _DIGITS
    after = int(last) if known and last else 0
    return EventStream(_frames(job, after), headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})


async def _frames(job: Job, after: int) -> AsyncIterator[str]:
    events = job.events(after)
    following = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            ready, _ = await asyncio.wait({following}, timeout=QUIET)
            if not ready:
                yield ": still here\n\n"
                continue
            found = following.result()
            if found is None:
                return
            yield framed(*found)
            following = asyncio.ensure_future(anext(events, None))
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await events.aclose()  # type: ignore[attr-defined]
