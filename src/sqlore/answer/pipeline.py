"""A question becomes a draft: retrieve, prompt, generate, check, run, repair, cite.

A known question is answered from the history, any other by the model (`tries`). Whatever it answers, the
outcome is a draft: with SQL and rows, or with the reason why not.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

from sqlore.answer.asked_before import asked_before
from sqlore.answer.cite import cite
from sqlore.answer.context import prompt_context
from sqlore.answer.coverage import Coverage
from sqlore.answer.least_to_most.answering import answer_in_parts
from sqlore.answer.remarks import UNKNOWN_WORDS, remarks_on
from sqlore.answer.reuse import reuser_of
from sqlore.answer.tries import Tries
from sqlore.config import Settings, load_settings
from sqlore.errors import CheckError, EngineError, ModelUnavailable, SqlError, UsageError
from sqlore.model import Attempt, Draft, FromHistory, Rows, Uncovered, Usage
from sqlore.prompts import Prepared, load_strategy, prepare_strategy
from sqlore.sql import check_query
from sqlore.sql.layout import laid_out

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.engines import Engine
    from sqlore.knowledge import Store
    from sqlore.llm import ChatModel
    from sqlore.llm.base import OnStep, OnToken
    from sqlore.retrieve import Retriever

__all__ = ["ask"]


def ask(
    question: str,
    *,
    engine: Engine,
    catalog: Catalog,
    model: ChatModel,
    retriever: Retriever | None = None,
    store: Store | None = None,
    strategy: str | Prepared | None = None,
    settings: Settings | None = None,
    embedder: Callable[[], Embedder] | None = None,
    exclude: Collection[int | str] = (),
    on_progress: Callable[..., None] | None = None,
    on_token: OnToken | None = None,
    on_model: OnStep | None = None,
) -> Draft:
    """SQL that answers `question`, its rows, and a citation for every fragment.

    Without a `retriever` nothing of the history is used; without a `store` nothing is cited. Where no
    `strategy` is given it is the setting's. One given by name is prepared here; to ask many questions give
    a prepared one (`prompts.prepare_strategy`), which is asked with the retriever if there is one.
    `embedder` is called where a strategy needs one.

    Scripts in `exclude` (ids, or keys of their source) are not retrieved. `on_progress` is called with the
    name of each stage, `on_model` with how far the model is in it.

    A question that a script of the `store` has word for word is answered with its SQL before anything is
    retrieved, where a `retriever` is given too: the model is not asked then. With the setting
    ``reuse = "all"`` also one that is a known one with other values; with ``"none"`` neither.

    A draft whose model gave nothing usable has an `error` and no SQL; one whose query failed has both.

    Raises UsageError for an empty question, ModelUnavailable and ModelTimeout where the model gave no answer
    at all, ConfigError for an unknown strategy.
    """
    if not question.strip():
        raise UsageError("the question is empty", hint='sqlore ask "How many customers are active?"')
    job = Tries(engine, catalog, model, settings or load_settings(), on_progress, on_token, on_model)
    strategy = job.settings.strategy if strategy is None else strategy
    if isinstance(strategy, str):
        retriever = retriever if load_strategy(strategy).history else None
        strategy = prepare_strategy(
            strategy, catalog, model, job.settings, engine=engine, embedder=embedder, on_progress=on_progress
        )
    remarks: list[str] = []
    if job.settings.reuse != "none" and retriever is not None and store is not None:
        known = _asked_before(job, question, store, retriever, exclude, remarks)
        if known is None and job.settings.reuse == "all":
            known = _reused(job, question, store, retriever, exclude)
        if known is not None:
            return known
    retrieval = None
    if retriever is not None:
        job.stage("looking in the history")
        retrieval = retriever.retrieve(question, scripts=job.settings.scripts, exclude=exclude)
        job.usage += retrieval.usage or Usage()
    job.known = store if retriever is not None else None, exclude
    context = prompt_context(question, catalog, retrieval, job.settings, remote=model.remote, graph=job.graph)
    with _saying(remarks):
        parts = answer_in_parts(job, strategy, context, retriever, store, exclude)
        if parts.best is not None:
            best, attempts = parts.best, parts.attempts
        else:
            best, attempts = job.best(job.resolved(strategy.prompt(context)))
            attempts = [*parts.attempts, *attempts]
    citations: tuple[Any, ...] = ()
    sql = laid_out(best.sql, engine.dialect)  # before it is cited: the places of citations are those in it
    if sql and store is not None:
        job.stage("citing")
        with contextlib.suppress(SqlError):  # what the database refused may be no SQL that can be taken apart
            citations = cite(sql, store, engine.dialect, catalog.schema, catalog)
    if sql and retriever is not None and not _coverage(job, retriever).knows(question):
        remarks.append(UNKNOWN_WORDS)
    return Draft(
        question,
        sql,
        citations,
        best.rows,
        tuple(attempts),
        job.usage,
        best.error,
        retrieval,
        (*remarks, *parts.notes, *remarks_on(job, best.sql, best.rows, attempts)),
        _uncovered(job, question, best.sql, retriever, exclude),
    )


@contextlib.contextmanager
def _saying(remarks: list[str]) -> Iterator[None]:
    """Where there is no model, it is said with it why what the history has for the question is not used."""
    try:
        yield
    except ModelUnavailable as error:
        if not remarks:
            raise
        said = "; ".join((*remarks, error.message))
        raise ModelUnavailable(said, where=error.where, hint=error.hint) from error


def _asked_before(
    job: Tries,
    question: str,
    store: Store,
    retriever: Retriever,
    exclude: Collection[int | str],
    remarks: list[str],
) -> Draft | None:
    """The draft of a script whose question this is; None where none can be used: why is in `remarks`.

    It is held against the question as a new answer is: the script does not speak for itself.
    """
    job.stage("looking for the question in the history")
    found = asked_before(question, store, job.catalog, job.engine.dialect, job.run, exclude)
    if found is None or found.sql is None or found.source is None:
        remarks += [found.why] if found is not None else []
        return None
    sql = laid_out(found.sql, job.engine.dialect)
    left = _uncovered(job, question, sql, retriever, {found.source.script, *exclude})
    return _saved(job, question, sql, found.rows, found.source, store, left)


def _reused(
    job: Tries, question: str, store: Store, retriever: Retriever, exclude: Collection[int | str]
) -> Draft | None:
    """The draft of a known script with other values; None where none is certain, or it does not run."""
    job.stage("looking for the question in the history")
    found = reuser_of(store, job.catalog, job.engine.dialect).find(question, exclude)
    if found is None:
        return None
    try:
        sql = check_query(found.sql, job.engine.dialect, job.catalog.schema)
        rows = job.run(sql)
    except (SqlError, CheckError, EngineError):
        return None
    job.stage("citing")
    left = _uncovered(job, question, sql, retriever, exclude)
    return _saved(job, question, sql, rows, found.source, store, left)


def _saved(
    job: Tries,
    question: str,
    sql: str,
    rows: Rows | None,
    source: FromHistory,
    store: Store,
    left: tuple[Uncovered, ...],
) -> Draft:
    """The draft of a script of the history, for which no model was asked."""
    citations = cite(sql, store, job.engine.dialect, job.catalog.schema, job.catalog)
    attempts, notes = (Attempt(sql),), (source.note, *remarks_on(job, sql, rows))
    return Draft(question, sql, citations, rows, attempts, notes=notes, uncovered=left, reused=source)


def _uncovered(
    job: Tries, question: str, sql: str, retriever: Retriever | None, exclude: Collection[int | str]
) -> tuple[Uncovered, ...]:
    """What of the question the SQL does not answer."""
    return _coverage(job, retriever).uncovered(question, sql, exclude) if sql else ()


def _coverage(job: Tries, retriever: Retriever | None) -> Coverage:
    """What tells that; what stands in for a retriever may know no words."""
    snapshot = getattr(retriever, "snapshot", None)
    return Coverage(job.catalog, snapshot, job.engine.dialect, job.engine)
