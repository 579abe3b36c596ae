"""The jobs in which the model writes: a question answered, a wish granted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlore.answer.refine.history import DraftHistory
from sqlore.errors import SqloreError
from sqlore.interfaces.http.contract_drafts import AskRequest
from sqlore.interfaces.http.contract_jobs import DraftEvent, KnownEvent, ProposalEvent
from sqlore.interfaces.http.contract_refine import WishRequest
from sqlore.interfaces.http.drafts import KeptDraft
from sqlore.interfaces.http.jobs import Job, Stopped
from sqlore.interfaces.http.results import page_of
from sqlore.interfaces.http.state import Served
from sqlore.interfaces.http.views import known_view
from sqlore.interfaces.http.views_drafts import draft_view, proposal_view
from sqlore.interfaces.http.watched import WatchedModel, telling

if TYPE_CHECKING:
    from sqlore.answer.refine.change import Refiner
    from sqlore.engines import Engine
    from sqlore.model import Draft, FromHistory

__all__ = ["ask_for", "refiner_of", "wish_for"]

#: What questions of the baseline are asked with: the schema alone.
BASELINE = "zero_shot"


def ask_for(state: Served, draft: KeptDraft, asked: AskRequest) -> Callable[[Job], None]:
    """The job that answers a question; the draft is there already and gets what comes of it."""

    def work(job: Job) -> None:
        try:
            with state.engine(job) as engine:
                answer = _answered(state, job, draft, asked, engine)
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
        kept = _kept(state, draft, answer)
        result = None
        if answer.result is not None:
            result = page_of(state.results.keep(answer.sql, answer.result))
        job.emit(DraftEvent(draft=draft_view(state, kept).model_copy(update={"job": None}), result=result))

    return work


def _answered(state: Served, job: Job, draft: KeptDraft, asked: AskRequest, engine: Engine) -> Draft:
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
    retriever = state.retriever if uses_history else None

    def tell(found: Any) -> None:
        shown = known_view(found, state.retriever.snapshot if state.retriever else None)
        state.drafts.change(draft.id, known=shown.model_dump(mode="json"))
        job.emit(KnownEvent(known=shown))

    store = state.store
    answer = ask(
        clean(asked.question),
        engine=engine,
        catalog=state.catalog,
        retriever=telling(retriever, tell) if retriever is not None else None,
        store=None if draft.baseline else store,
        model=WatchedModel(state.model, job),
        strategy=strategy,
        settings=settings,
        embedder=lambda: state.lore.embedder,
        on_progress=job.stage,
    )
    return answer if draft.baseline or store is not None else without_history(answer)


def _kept(state: Served, draft: KeptDraft, answer: Draft) -> KeptDraft:
    """The draft with its answer: the first text of its history, or a further step of it."""
    before = state.drafts.get(draft.id).history
    history = before
    if answer.sql and before is None:
        history = DraftHistory(answer.sql, question=answer.question)
    elif answer.sql and before is not None and answer.sql != before.sql:
        history = before.apply(refiner_of(state, draft).rewrite(before.sql, answer.sql))
    return state.drafts.change(
        draft.id,
        question=answer.question,
        status="ready" if history is not None else "failed",
        error=answer.error,
        history=history,
        attempts=tuple({"sql": one.sql, "error": one.error} for one in answer.attempts),
        usage=asdict(answer.usage),
        notes=answer.notes,
        noted=answer.sql,
        reused=_told(answer.reused) if answer.reused else None,
    )


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
