"""Running SQL, looking at results, explaining queries, and listening to jobs."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable
from typing import Annotated, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from sqlore.engines import Engine
from sqlore.errors import SqloreError
from sqlore.interfaces.http.contract import Given, ResultPage
from sqlore.interfaces.http.contract_explain import Explained, ExplainRequest, Figure, FiguresRequest
from sqlore.interfaces.http.contract_jobs import FigureEvent, JobEvent
from sqlore.interfaces.http.contract_jobs import Job as JobShown
from sqlore.interfaces.http.export import Format, exported
from sqlore.interfaces.http.jobs import Job
from sqlore.interfaces.http.problems import Conflict
from sqlore.interfaces.http.results import page_of
from sqlore.interfaces.http.sse import EventStream, stream_of
from sqlore.interfaces.http.state import KeptExplanation, Served, served
from sqlore.interfaces.http.views import explained_view

__all__ = ["router"]

router = APIRouter(prefix="/api")
State = Annotated[Served, Depends(served)]
Found = TypeVar("Found")

MOST_ROWS = 100_000
"""Rows of one result that are read at most; an export reads more."""


QUERIES = 8
"""Queries that run at a time; further ones wait."""


class RunRequest(Given):
    """A query to be run, read-only. `rows` are read of the database at most, `limit` of them are sent."""

    sql: str = Field(min_length=1, max_length=200_000)
    rows: int | None = Field(default=None, ge=1, le=MOST_ROWS, description="Default: the setting row_limit.")
    limit: int = Field(default=200, ge=1, le=5000)
    seconds: float | None = Field(
        default=None, gt=0, le=3600, description="Default: the setting query_timeout."
    )
    draft: str | None = Field(default=None, description="For the event log: the draft that it belongs to.")
    node: str | None = Field(
        default=None, max_length=500, description="For the event log: the node looked at."
    )


class Counted(BaseModel):
    """How many rows a query gives in all."""

    rows: int


@router.post("/run", tags=["run"])
async def run(asked: RunRequest, request: Request, state: State) -> ResultPage:
    """Runs a query and gives its first rows. One that the client leaves is stopped."""
    from sqlore.sql import check_query

    settings = state.lore.settings
    most = asked.rows or min(settings.row_limit, MOST_ROWS)
    seconds = asked.seconds or settings.query_timeout

    def work(engine: Engine) -> ResultPage:
        sql = check_query(asked.sql, state.dialect, state.catalog.schema)
        rows = engine.run(sql, limit=most, timeout=seconds)
        return page_of(state.results.keep(sql, rows), limit=asked.limit)

    state.log.add("inspection", "run", asked.draft, node=asked.node)
    return await _while_connected(request, state, work)


@router.get("/results/{id}", tags=["run"])
def result(
    id: str,
    state: State,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=5000)] = 200,
    sort: Annotated[int | None, Query(ge=0, description="Number of the column, from 0.")] = None,
    descending: bool = False,
    contains: Annotated[str, Query(max_length=200, description="Only rows that have this text.")] = "",
) -> ResultPage:
    """A page of a result: sorted and filtered among the rows that were read."""
    return page_of(
        state.results.get(id),
        offset=offset,
        limit=limit,
        sort=sort,
        descending=descending,
        contains=contains,
    )


@router.get("/results/{id}/count", tags=["run"])
async def count(id: str, request: Request, state: State) -> Counted:
    """How many rows the query of a result gives in all; the database counts them."""
    kept = state.results.get(id)
    if not kept.rows.truncated:
        return Counted(rows=len(kept.rows.rows))
    seconds = state.lore.settings.query_timeout

    def work(engine: Engine) -> Counted:
        counted = engine.run(f"SELECT COUNT(*) FROM ({kept.sql}\n) AS counted", limit=1, timeout=seconds)
        return Counted(rows=int(counted.rows[0][0]))

    return await _while_connected(request, state, work)


@router.get(
    "/results/{id}/export",
    tags=["run"],
    response_class=FileResponse,
    responses={200: {"content": {"text/csv": {}, "application/vnd.apache.parquet": {}}}},
)
async def export(
    id: str,
    request: Request,
    state: State,
    format: Format = "csv",
    all: Annotated[bool, Query(description="Run the query again for up to a million rows.")] = False,
) -> FileResponse:
    """A result as a file to be saved."""
    kept = state.results.get(id)
    state.log.add("inspection", "export", format=format)

    def work(engine: Engine) -> FileResponse:
        return exported(kept, format, engine if all else None, state.lore.settings.query_timeout)

    return await _while_connected(request, state, work)


async def _while_connected(request: Request, state: Served, work: Callable[[Engine], Found]) -> Found:
    """What `work` gives in a thread, with a connection of its own; stopped where the client goes away."""
    opened: list[Engine] = []
    left = threading.Event()

    def in_thread() -> Found:
        if left.is_set():
            raise Conflict("nobody waits for this query any more")
        with state.engine() as engine:
            opened.append(engine)
            return work(engine)

    task = asyncio.ensure_future(to_thread.run_sync(in_thread, limiter=_turns(request)))
    while not task.done():
        await asyncio.wait({task}, timeout=0.1)
        if not task.done() and await request.is_disconnected():
            left.set()
            for engine in opened:
                engine.interrupt()
    return task.result()


def _turns(request: Request) -> CapacityLimiter:
    """What queries wait for when many run: everything else is answered meanwhile."""
    kept = request.app.state
    if getattr(kept, "queries", None) is None:
        kept.queries = CapacityLimiter(QUERIES)
    turns: CapacityLimiter = kept.queries
    return turns


# ------------------------------------------------------------------ explanations


@router.post("/explanations", tags=["explain"])
def explain(asked: ExplainRequest, state: State) -> Explained:
    """A query explained: its nodes, what flows where, the knowledge in each; at once, without figures."""
    from sqlore.answer.explain.explanation import explain as explained

    store = None if asked.baseline else state.store
    with state.engine() as engine:
        found = explained(asked.sql, engine, state.catalog, store)
        stamp = (asked.sql, asked.baseline, store and store.stamp(), engine.fingerprint())
    id = hashlib.sha256(repr(stamp).encode()).hexdigest()[:24]
    kept = state.keep_explanation(id, found)
    return explained_view(kept, _numbers(state, asked.sql))


def _numbers(state: Served, sql: str) -> list[tuple[int, tuple[object, ...]]]:
    """The items' numbers for refinement; none where the query cannot be refined."""
    from sqlore.answer.refine.change import Refiner

    try:
        items = Refiner(state.catalog, state.dialect, settings=state.lore.settings).items(sql)
    except SqloreError:
        return []
    return [(one.number, (one.kind, one.start, one.end, one.skeleton)) for one in items]


@router.post("/explanations/{id}/figures", status_code=202, tags=["explain"])
def figures(id: str, asked: FiguresRequest, state: State) -> JobShown:
    """Computes the figures of an explanation, the cheapest first: an event ``figure`` for each.

    Those that are being computed or are computed already are not computed again. The job is cancelled when
    nobody listens to it any more.
    """
    kept = state.explanation(id)
    whole = asked.only is None
    if whole and kept.job is not None and not kept.job.cancel.is_set() and kept.job.status != "failed":
        return kept.job.shown()
    job = state.jobs.start("figures", _figures(state, kept, asked), cancel_when_left=True)
    if whole:
        kept.job = job
    return job.shown()


def _figures(state: Served, kept: KeptExplanation, asked: FiguresRequest) -> Callable[[Job], None]:
    from sqlore.answer.explain.as_json import figure_json
    from sqlore.answer.explain.run import figures as computed

    def work(job: Job) -> None:
        with state.engine() as engine:
            for figure in computed(
                kept.explanation, engine, only=asked.only, seconds=asked.seconds, cancel=job.cancel
            ):
                job.emit(FigureEvent(figure=Figure.of(figure_json(figure))))

    return work


# ------------------------------------------------------------------ jobs


@router.get("/jobs", tags=["jobs"])
def jobs(state: State) -> list[JobShown]:
    """The jobs that run, and the last that ended, the latest first."""
    return [job.shown() for job in state.jobs.all()]


@router.get("/jobs/{id}", tags=["jobs"])
def job(id: str, state: State) -> JobShown:
    """How a job stands."""
    return state.jobs.get(id).shown()


@router.get(
    "/jobs/{id}/events",
    tags=["jobs"],
    response_class=EventStream,
    responses={200: {"model": JobEvent, "description": "Server-sent events; `data` is one JobEvent."}},
)
async def events(
    id: str,
    state: State,
    last: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
    after: Annotated[int, Query(ge=0, description="As Last-Event-ID: events to be passed over.")] = 0,
) -> EventStream:
    """All events of a job from its beginning, and those to come; the last one is ``end``."""
    return stream_of(state.jobs.get(id), last or str(after))


@router.delete("/jobs/{id}", status_code=202, tags=["jobs"])
def cancel(id: str, state: State) -> JobShown:
    """Cancels a job: queries are interrupted, the model is left. The job's last event says that it ended."""
    found = state.jobs.get(id)
    found.stop()
    state.log.add("other", f"cancel {found.kind}", found.draft)
    return found.shown()
