"""Reviewing the examples that a model made for a database without a history (`sqlore warm`).

What people say is kept in the same file that they may edit by hand, and learned at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from sqlore.interfaces.http.contract_examples import (
    Example,
    ExampleCounts,
    ExampleDecided,
    ExampleDecision,
    ExamplePage,
)
from sqlore.interfaces.http.jobs import Job
from sqlore.interfaces.http.problems import Conflict, NotFound
from sqlore.interfaces.http.state import Served, served
from sqlore.interfaces.http.views import warmed_view
from sqlore.prompts.da_gp_review import Entry, EntryState

__all__ = ["router"]

router = APIRouter(prefix="/api/examples", tags=["learn"])
State = Annotated[Served, Depends(served)]


@router.get("")
def examples(
    state: State,
    text: Annotated[str, Query(max_length=500, description="Words of the question or the SQL.")] = "",
    said: Annotated[EntryState | None, Query(description="Only those in this state.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> ExamplePage:
    """The examples in their order. There are none where the database was never warmed up."""
    review = state.lore.examples
    entries = list(enumerate(review.entries().values(), 1))
    words = text.casefold().split()
    found = [
        (number, one)
        for number, one in entries
        if said in (None, one.state)
        and all(word in f"{one.question}\n{one.sql}".casefold() for word in words)
    ]
    counts: Counter[str] = Counter(one.state for _, one in entries)
    return ExamplePage(
        examples=[_shown(state, one, number) for number, one in found[offset : offset + limit]],
        total=len(found),
        offset=offset,
        counts=ExampleCounts(**counts),
        file=str(review.path) if entries else "",
    )


@router.get("/{key}")
def example(key: str, state: State) -> Example:
    """One example; its rows come from `POST /api/run`."""
    return _shown(state, *_entry(state, key))


@router.put("/{key}")
def decide(key: str, asked: ExampleDecision, state: State) -> ExampleDecided:
    """Approves or rejects an example, or lets it wait again, perhaps with other texts.

    SQL that does not run on the database is refused (422, with the place of what is wrong), unless the
    example is rejected. What is approved is learned and verified; what is rejected is taken out of the store.
    """
    before, number = _entry(state, key)
    if asked.version not in (None, before.version):
        raise Conflict("this example was changed meanwhile", hint="look at it again")
    sql = before.sql if asked.sql is None else asked.sql
    if asked.state != "rejected" and sql.strip():
        sql = _tried(state, sql)
    after = state.lore.examples.decide(
        key, asked.state, question=asked.question, sql=sql, by=asked.who or state.who
    )
    if after == before:
        return ExampleDecided(example=_shown(state, before, number))
    state.log.add("knowledge", "example", state=after.state)
    return ExampleDecided(example=_shown(state, after, number), job=_learn_soon(state).shown())


def _tried(state: Served, sql: str) -> str:
    """The SQL as the database takes it. Raises what is wrong with it."""
    from sqlore.prompts.da_gp_check import Bench, Unfit

    catalog = state.catalog
    with state.engine() as engine:
        try:
            return Bench(engine, catalog).runs(sql)[0]
        except Unfit as unfit:
            raise unfit.__cause__ or unfit from None


def _entry(state: Served, key: str) -> tuple[Entry, int]:
    for number, (name, entry) in enumerate(state.lore.examples.entries().items(), 1):
        if name == key:
            return entry, number
    raise NotFound(f"there is no example {key}", hint="was the file changed meanwhile?")


def _shown(state: Served, entry: Entry, number: int) -> Example:
    from sqlore.prompts.da_gp_learn import item_of

    store = state.store
    item = item_of(store, entry, state.catalog.schema) if store is not None else None
    facts = {
        name: getattr(entry, name)
        for name in Example.model_fields
        if name not in ("number", "failed", "item")
    }
    return Example(**facts, number=number, failed=dict(entry.failed), item=item.id if item else None)


def _learn_soon(state: Served) -> Job:
    """The job that learns the examples as they will be then: one that waits for its turn does it for all."""
    with state.examples_lock:
        waiting = state.examples_waiting
        if waiting is None or waiting.finished.is_set():
            waiting = state.jobs.start("warm", _learning(state), turn=state.teaching)
            state.examples_waiting = waiting
        return waiting


def _learning(state: Served) -> Callable[[Job], None]:
    def work(job: Job) -> None:
        with state.examples_lock:  # what is decided from now on takes a job of its own
            state.examples_waiting = None
        job.stage("learning examples")
        job.emit(warmed_view(state.lore.learn_examples(on_progress=job.stage), state))

    return work
