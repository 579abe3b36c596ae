"""Teaching: a draft that is right becomes knowledge, and a database without a history gets examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends

from sqlore.errors import UsageError
from sqlore.interfaces.http.contract_jobs import Job as JobShown
from sqlore.interfaces.http.contract_knowledge import Lesson, WarmRequest
from sqlore.interfaces.http.jobs import Job, now
from sqlore.interfaces.http.kept import KeptDraft
from sqlore.interfaces.http.problems import Conflict
from sqlore.interfaces.http.state import Served, served
from sqlore.interfaces.http.views import learned_view, warmed_view
from sqlore.interfaces.http.watched import WatchedModel
from sqlore.model import Script

__all__ = ["router"]

router = APIRouter(prefix="/api")
State = Annotated[Served, Depends(served)]


# ------------------------------------------------------------------ a draft that is right


@router.post("/drafts/{id}/lessons", status_code=202, tags=["knowledge", "trust"])
def teach(id: str, asked: Lesson, state: State) -> JobShown:
    """Learns the query of a draft like a script of the history; the event ``learned`` has the report.

    What was new in it is cited from then on. With `verify` all its pieces are verified, by `who`.
    """
    kept = state.drafts.get(id)
    if kept.history is None:
        raise Conflict("this draft has no SQL yet", hint="ask its question again")
    state.log.add("knowledge", "teach", id, verify=asked.verify)
    return state.jobs.start("learn", _teaching(state, kept, asked), draft=id, turn=state.teaching).shown()


def _teaching(state: Served, kept: KeptDraft, asked: Lesson) -> Callable[[Job], None]:
    who = asked.who or state.who

    def work(job: Job) -> None:
        job.stage("learning the query")
        script = Script(
            kept.sql,
            key=f"draft:{kept.id}",
            question=(asked.question or kept.question).strip() or None,
            author=who,
            time=now(),
            source=f"draft {kept.id}",
            dialect=state.dialect,
            database=state.lore.engine.name,
        )
        report = state.lore.teach(script)
        verified = _verify(state, job, kept.sql, who, asked.why) if asked.verify else 0
        job.emit(learned_view(report, state, verified))

    return work


def _verify(state: Served, job: Job, sql: str, who: str, why: str) -> int:
    """Verifies the pieces of a query that the history has; how many were not verified before.

    One that somebody deprecated stays so: it takes a decision of its own.
    """
    from sqlore.answer.cite import cite

    job.stage("verifying its pieces")
    store = state.need_store()
    cited = cite(sql, store, state.dialect, state.catalog.schema)
    items = {one.item: one.trust for one in cited if one.status == "cited" and one.item is not None}
    unverified = [item for item, trust in items.items() if trust == "unverified"]
    for item in unverified:
        store.set_trust(item, "verified", who=who, why=why)
    return len(unverified)


# ------------------------------------------------------------------ a cold start


@router.post("/warm", status_code=202, tags=["learn"])
def warm(asked: WarmRequest, state: State) -> JobShown:
    """Lets the model adapt examples to a database that has no history; they are learned as synthetic scripts,
    which real ones stand before. The event ``warmed`` has the report.

    What was made before is not made again: one that was cancelled goes on where it was.
    """
    if state.model.name == "none":
        raise UsageError(
            "there is no language model to make examples", hint="start the server with --model SPEC"
        )
    state.log.add("knowledge", "warm", approved=asked.approved)
    return state.jobs.start("warm", _warming(state, asked), turn=state.teaching).shown()


def _warming(state: Served, asked: WarmRequest) -> Callable[[Job], None]:
    def work(job: Job) -> None:
        job.stage("reading the database")
        try:
            report, ready = state.lore.warm(
                approved=asked.approved, model=WatchedModel(state.model, job), on_progress=job.stage
            )
        finally:
            state.lore.on_progress = None  # a later question fetches the model without this job
        job.emit(warmed_view(report, state, ready.failed))

    return work
