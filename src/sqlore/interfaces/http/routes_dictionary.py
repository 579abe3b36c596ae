"""The data dictionary: looking at it, saying what things mean, and letting the model go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query

from sqlore.errors import UsageError
from sqlore.interfaces.http.contract import Usage
from sqlore.interfaces.http.contract_dictionary import (
    CompletionRequest,
    DictionaryPatch,
    Saved,
    TableEntry,
    TableSummary,
)
from sqlore.interfaces.http.contract_jobs import CompletionEvent, DescribedEvent
from sqlore.interfaces.http.contract_jobs import Job as JobShown
from sqlore.interfaces.http.dictionary import changed_entries, table_view, tables_view
from sqlore.interfaces.http.jobs import Job
from sqlore.interfaces.http.problems import Conflict
from sqlore.interfaces.http.state import Served, served
from sqlore.interfaces.http.watched import WatchedModel

__all__ = ["router"]

router = APIRouter(prefix="/api/dictionary", tags=["dictionary"])
State = Annotated[Served, Depends(served)]

WAIT: Final = 3.0
"""Seconds that a change waits for a job that writes knowledge."""


@router.get("")
def tables(state: State) -> list[TableSummary]:
    """All tables."""
    return tables_view(state)


@router.get("/table")
def table(state: State, name: Annotated[str, Query(max_length=500)]) -> TableEntry:
    """A table with its columns: what is in them, what is known of them, and who says so."""
    return table_view(state, name)


@router.patch("")
def save(asked: DictionaryPatch, state: State) -> Saved:
    """Keeps what a person says of a table, a column or its values. What names it is described and embedded
    anew by the job that is answered."""
    if asked.column is None and asked.meanings:
        raise UsageError("values belong to a column", hint="name the column")
    changed_entries(state.catalog, asked)  # raises where there is no such table or column
    if not state.teaching.acquire(timeout=WAIT):
        raise Conflict("knowledge is being learned now", hint="try again when that job is done")
    try:
        made, gone = changed_entries(state.catalog, asked)  # of what a change of just before left
        state.lore.say(*made, taken_back=gone)
    finally:
        state.teaching.release()
    entries = [*made, *gone]
    names = {f"{one.table}.{one.column}" if one.column else one.table for one in entries}
    state.log.add("knowledge", "dictionary", names=sorted(names))
    job = None
    if _says_words(asked):
        job = state.jobs.start("describe", _describing(state, names), turn=state.teaching).shown()
    return Saved(table=table_view(state, asked.table), job=job)


def _says_words(asked: DictionaryPatch) -> bool:
    """Whether descriptions of knowledge may change by it; a flag alone changes none."""
    return bool(asked.meanings or asked.model_fields_set & {"description", "name", "synonyms"})


def _describing(state: Served, names: set[str]) -> Callable[[Job], None]:
    def work(job: Job) -> None:
        job.stage("describing")
        looked_at, changed = state.lore.redescribe(names, on_progress=job.stage)
        job.emit(DescribedEvent(looked_at=looked_at, changed=changed))

    return work


@router.post("/completions", status_code=202)
def complete(asked: CompletionRequest, state: State) -> JobShown:
    """Lets the model complete a description; the event ``completion`` has it, and nothing is saved."""
    table_view(state, asked.table)

    def work(job: Job) -> None:
        from sqlore.knowledge.complete import complete_description

        job.stage("writing")
        text, usage = complete_description(
            state.catalog,
            WatchedModel(state.model, job),
            asked.table,
            asked.column,
            asked.begun,
            store=state.store,
            mask=state.lore.settings.mask and state.model.remote,
        )
        job.emit(CompletionEvent(text=text, usage=Usage.model_validate(usage)))

    return state.jobs.start("complete", work).shown()
