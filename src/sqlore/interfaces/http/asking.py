"""The jobs in which the model writes: a question answered, a wish granted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlore.answer.refine.history import DraftHistory
from sqlore.errors import SqloreError
from sqlore.interfaces.http.contract import Known
from sqlore.interfaces.http.contract_drafts import AskRequest
from sqlore.interfaces.http.contract_jobs import DraftEvent, KnownEvent, ProposalEvent
from sqlore.interfaces.http.contract_refine import WishRequest
from sqlore.interfaces.http.jobs import Job, Stopped
from sqlore.interfaces.http.kept import KeptDraft
from sqlore.interfaces.http.results import page_of
from sqlore.interfaces.http.state import Served
from sqlore.interfaces.http.views import known_view
from sqlore.interfaces.http.views_drafts import draft_view, proposal_view
from sqlore.interfaces.http.watched import WatchedModel, judged_by, telling

if TYPE_CHECKING:
    from sqlore.answer.refine.change import Refiner
    from sqlore.config import Settings
    from sqlore.engines import Engine
    from sqlore.model import Draft, FromHistory
    from sqlore.retrieve import Retriever

__all__ = ["ask_for", "refiner_of", "wish_for"]

#: What questions of the baseline are asked with: the schema alone.
BASELINE = "zero_shot"


def ask_for(state: Served, draft: KeptDraft, asked: AskRequest) -> Callable[[Job], None]:
    """The job that answers a question; the draft is there already and gets what comes of it."""

    def work(job: Job) -> None:
        told: list[Known] = []

        def tell(known: Known) -> None:
            told.append(known)
            if draft.history is None:  # else it is not what the SQL was made with
                state.drafts.change(draft.id, known=known.model_dump(mode="json"))
            job.emit(KnownEvent(known=known))

        try:
            with state.engine(job) as engine:
                answer = _answered(state, job, draft, asked, engine, tell)
            job.check()
        except Stopped:
            _unanswered(state, draft, "cancelled", None)
            raise
        except SqloreError as error:
            _unanswered(state, draft, "failed", error.message)
            raise
        except Exception as error:
            _unanswered(state, draft, "failed", f"unexpected {type(error).__name__}: {error}")
            raise
        kept = _kept(state, draft, answer, told[0] if told else None)
        result = None
        if answer.result is not None:
            result = page_of(state.results.keep(answer.sql, answer.result))
        job.emit(DraftEvent(draft=draft_view(state, kept).model_copy(update={"job": None}), result=result))

    return work


def _answered(
    state: Served,
    job: Job,
    draft: KeptDraft,
    asked: AskRequest,
    engine: Engine,
    tell: Callable[[Known], None],
) -> Draft:
    from sqlore.answer import ask
    from sqlore.answer.remarks import without_history
    from sqlore.prompts import load_strategy
    from sqlore.workspace import asked as clean

    strategy = BASELINE if draft.baseline else draft.strategy
    uses_history = load_strategy(strategy).history and not draft.baseline
    settings = state.lore.settings
    if asked.reuse is not None:
        settings = settings.model_copy(update={"reuse": asked.reuse})
    job.stage("reading what is known of the database")
    model = WatchedModel(state.model, job)
    retriever = state.retriever if uses_history else None
    if retriever is not None:
        retriever = _watched(retriever, model, settings, tell)
    store = state.store
    answer = ask(
        clean(asked.question),
        engine=engine,
        catalog=state.catalog,
        retriever=retriever,
        store=None if draft.baseline else store,
        model=model,
        strategy=strategy,
        settings=settings,
        embedder=lambda: state.lore.embedder,
        on_progress=job.stage,
    )
    return answer if draft.baseline or store is not None else without_history(answer)


def _watched(
    retriever: Retriever, model: WatchedModel, settings: Settings, tell: Callable[[Known], None]
) -> Retriever:
    """The retriever as one job uses it: it tells what it finds, and stops with the job where it asks the
    model."""
    from sqlore.retrieve import ModelFilter

    snapshot = retriever.snapshot
    if settings.retrieve_filter:
        retriever = judged_by(retriever, ModelFilter(model, mask=settings.mask))
    return telling(retriever, lambda found: tell(known_view(found, snapshot)))


def _kept(state: Served, draft: KeptDraft, answer: Draft, known: Known | None) -> KeptDraft:
    """The draft with its answer: the first text of its history, or a further step of it.

    Where there is no SQL for a draft that has some, it is as it was, and says why.
    """
    before = state.drafts.get(draft.id)
    attempts = tuple({"sql": one.sql, "error": one.error} for one in answer.attempts)
    if before.history is not None and not answer.sql:
        return state.drafts.change(draft.id, status="ready", error=answer.error, attempts=attempts)
    facts: dict[str, Any] = {
        "question": answer.question,
        "strategy": draft.strategy,
        "known": known.model_dump(mode="json") if known is not None else None,
        "attempts": attempts,
        "usage": asdict(answer.usage),
        "notes": answer.notes,
        "noted": answer.sql,
        "reused": _told(answer.reused) if answer.reused else None,
    }
    status = "ready" if answer.sql else "failed"
    if before.history is None:
        facts["history"] = DraftHistory(answer.sql, question=answer.question) if answer.sql else None
    else:
        history = before.history
        if answer.sql != history.sql:
            history = history.apply(refiner_of(state, draft).rewrite(history.sql, answer.sql))
        facts = before.answered(history, **facts)
    return state.drafts.change(draft.id, status=status, error=answer.error, **facts)


def _told(reused: FromHistory) -> dict[str, Any]:
    """The script that an answer was taken from, as `contract_drafts.FromHistory` has it."""
    changed = [{"was": old, "now": new} for old, new in reused.changed]
    return {**asdict(reused), "changed": changed, "note": reused.note}


def _unanswered(state: Served, draft: KeptDraft, status: str, error: str | None) -> None:
    """The draft without an answer; one that had SQL before is as it was."""
    ready = state.drafts.get(draft.id).history is not None
    state.drafts.change(draft.id, status="ready" if ready else status, error=error)


def refiner_of(state: Served, draft: KeptDraft, job: Job | None = None) -> Refiner:
    """What can be changed about a draft; with a job also wishes that need the model."""
    from sqlore.answer.refine.change import Refiner

    model = WatchedModel(state.model, job) if job is not None and state.model.name != "none" else None
    return Refiner(
        state.catalog,
        state.dialect,
        store=None if draft.baseline else state.store,
        model=model,
        settings=state.lore.settings,
    )


def wish_for(state: Served, draft: KeptDraft, wish: WishRequest) -> Callable[[Job], None]:
    """The job that grants a wish about one item: it proposes a change and applies nothing."""

    def work(job: Job) -> None:
        job.stage("changing the piece")
        step = refiner_of(state, draft, job).wish(draft.sql, wish.number, wish.words)
        job.check()
        id = state.drafts.propose(draft.id, step)
        job.emit(ProposalEvent(proposal=proposal_view(id, step)))

    return work
