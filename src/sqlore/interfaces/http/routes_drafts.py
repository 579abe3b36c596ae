"""Drafts, questions, and what can be changed about a draft."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from sqlore.answer.refine.history import DraftHistory, Refinement
from sqlore.answer.refine.rows import with_rows
from sqlore.errors import EditError
from sqlore.interfaces.http.asking import ask_for, refiner_of, wish_for
from sqlore.interfaces.http.contract import Known
from sqlore.interfaces.http.contract_drafts import (
    AskRequest,
    ConfirmRequest,
    Draft,
    DraftPatch,
    KnownRequest,
    NewDraft,
)
from sqlore.interfaces.http.contract_jobs import Job
from sqlore.interfaces.http.contract_refine import (
    AddAct,
    ChooseAct,
    EditAct,
    OffAct,
    OnAct,
    Proposal,
    ProposalRequest,
    RefineItem,
    RefineOption,
    SqlRequest,
    WishRequest,
)
from sqlore.interfaces.http.jobs import now
from sqlore.interfaces.http.kept import KeptDraft
from sqlore.interfaces.http.problems import Conflict, NotFound
from sqlore.interfaces.http.state import Served, served
from sqlore.interfaces.http.views import known_view
from sqlore.interfaces.http.views_drafts import draft_view, proposal_view
from sqlore.sql.names import table_and_column

__all__ = ["idle", "router"]

router = APIRouter(prefix="/api")
State = Annotated[Served, Depends(served)]
DraftId = Annotated[str, Path(description="The draft's id.")]


# ------------------------------------------------------------------ questions


@router.post("/known", tags=["ask"])
def known(asked: KnownRequest, state: State) -> Known:
    """What is known that touches a question: phrases, values, items, scripts. No language model is asked."""
    from sqlore.workspace import asked as clean

    retriever = state.retriever
    if retriever is None:
        from sqlore.retrieve import phrases

        values = state.catalog.values.match(asked.question)
        return Known.model_validate(
            {"question": asked.question, "phrases": list(phrases(asked.question)), "values": list(values),
             "learned": False},
            from_attributes=True,
        )  # fmt: skip
    found = retriever.retrieve(clean(asked.question), items=asked.items, scripts=asked.scripts)
    return known_view(found, retriever.snapshot)


@router.post("/asks", status_code=202, tags=["ask"])
def ask(asked: AskRequest, state: State) -> Job:
    """Answers a question. The draft is there at once; its events are ``stage``, ``known``, ``token``, and
    ``draft`` with the answer."""
    from sqlore.prompts import load_strategy

    strategy = asked.strategy or state.lore.settings.strategy
    load_strategy(strategy)
    baseline = state.preferences.baseline if asked.baseline is None else asked.baseline
    if asked.session is not None:
        state.drafts.session(asked.session)
    if asked.draft is None:
        draft = state.drafts.new(asked.question, session=asked.session, baseline=baseline, strategy=strategy)
    else:
        draft = _asked_again(state, asked.draft, asked.question, strategy)
    state.log.add("prompting", "ask", draft.id, question=asked.question, again=asked.draft is not None)
    return state.jobs.start("ask", ask_for(state, draft, asked), draft=draft.id).shown()


# ------------------------------------------------------------------ drafts


@router.post("/drafts", status_code=201, tags=["drafts"])
def new_draft(asked: NewDraft, state: State) -> Draft:
    """A draft of SQL that somebody wrote. It is checked: 422 where it cannot run here."""
    from sqlore.sql import check_query

    sql = check_query(asked.sql, state.dialect, state.catalog.schema)
    baseline = state.preferences.baseline if asked.baseline is None else asked.baseline
    if asked.session is not None:
        state.drafts.session(asked.session)
    draft = state.drafts.new(
        asked.question,
        status="ready",
        session=asked.session,
        baseline=baseline,
        history=DraftHistory(sql, question=asked.question),
    )
    state.log.add("prompting", "write", draft.id)
    return draft_view(state, draft)


@router.get("/drafts/{id}", tags=["drafts"])
def draft(id: DraftId, state: State) -> Draft:
    """A draft with its history, citations and concerns."""
    return draft_view(state, state.drafts.get(id))


@router.patch("/drafts/{id}", tags=["drafts"])
def patch_draft(id: DraftId, asked: DraftPatch, state: State) -> Draft:
    """A draft under another title, or in another session."""
    if asked.session is not None:
        state.drafts.session(asked.session)
    facts = {name: getattr(asked, name) for name in asked.model_fields_set}
    if facts.get("title", "") is None:
        facts["title"] = ""
    return draft_view(state, state.drafts.change(id, **facts))


@router.post("/drafts/{id}/confirmations", tags=["trust"])
def confirm(id: DraftId, asked: ConfirmRequest, state: State) -> Draft:
    """Says that the concerns of a draft, as it is now, were looked at. A later change asks anew."""
    kept = _ready(state, id)
    concerns = draft_view(state, kept).trust.concerns
    confirmed = {
        "who": asked.who or state.who,
        "when": now(),
        "why": asked.why,
        "skeletons": sorted({f"{one.kind}: {one.skeleton}" for one in concerns}),
    }
    state.log.add("inspection", "confirm", id, concerns=len(concerns))
    return draft_view(state, state.drafts.change(id, confirmed=confirmed))


# ------------------------------------------------------------------ refinement


@router.get("/drafts/{id}/items", tags=["refine"])
def items(id: DraftId, state: State) -> list[RefineItem]:
    """The items of a draft by number, in the order of its text; 0 is the whole query."""
    kept = _ready(state, id)
    return [RefineItem.model_validate(one) for one in refiner_of(state, kept).items(kept.sql)]


@router.get("/drafts/{id}/items/{number}/alternatives", tags=["refine"])
def alternatives(
    id: DraftId, number: int, state: State, limit: Annotated[int, Query(ge=1, le=50)] = 12
) -> list[RefineOption]:
    """Items of the history that can stand in the place of an item, each under the draft's names."""
    kept = _ready(state, id)
    state.log.add("refinement", "alternatives", id, number=number)
    found = refiner_of(state, kept).alternatives(kept.sql, number, limit)
    return [RefineOption.model_validate(one) for one in found]


@router.get("/drafts/{id}/additions", tags=["refine"])
def additions(
    id: DraftId, state: State, scope: Annotated[str, Query(max_length=500)] = "main"
) -> list[RefineOption]:
    """Items of the history that fit into a part of a draft and are not there, each with the values seen in
    the history and, where it has one column, in that."""
    kept = _ready(state, id)
    store = state.need_store()
    shown = []
    for one in refiner_of(state, kept).additions(kept.sql, scope):
        option, item = RefineOption.model_validate(one), store.item(one.item)
        if item is not None and option.values and len(item.columns) == 1:
            option.column_values = list(state.catalog.values.of(*table_and_column(item.columns[0]))[:50])
        shown.append(option)
    return shown


@router.post("/drafts/{id}/proposals", status_code=201, tags=["refine"])
def propose(id: DraftId, asked: ProposalRequest, state: State) -> Proposal:
    """A change of one item, to be looked at: nothing else in the query changes. It is applied by its id."""
    kept = _ready(state, id)
    step = _proposed(state, kept, asked)
    with state.engine() as engine:
        step = with_rows(step, engine, state.catalog.schema)
    state.log.add("refinement", f"propose {asked.act}", id)
    return proposal_view(state.drafts.propose(id, step), step)


@router.post("/drafts/{id}/wishes", status_code=202, tags=["refine"])
def wish(id: DraftId, asked: WishRequest, state: State) -> Job:
    """An item as somebody wishes it, in plain words; the event ``proposal`` has the change."""
    kept = _ready(state, id)
    state.log.add("refinement", "wish", id, words=asked.words)
    return state.jobs.start("wish", wish_for(state, kept, asked), draft=id).shown()


@router.post("/drafts/{id}/proposals/{proposal}/apply", tags=["refine"])
def apply(id: DraftId, proposal: str, state: State) -> Draft:
    """Applies a proposed change. 409 where the draft has been changed since."""
    kept = _ready(state, id)
    step = kept.proposals.get(proposal)
    if step is None:
        raise NotFound(
            "there is no such proposal", hint="only the last few of a draft are kept: propose again"
        )
    state.log.add("refinement", f"apply {step.act}", id, fragment=step.fragment, text=step.text)
    return _applied(state, kept, step)


@router.put("/drafts/{id}/sql", tags=["refine"])
def write(id: DraftId, asked: SqlRequest, state: State) -> Draft:
    """The whole SQL by hand, as one step that can be undone. 422 where it cannot run here."""
    kept = _ready(state, id)
    state.log.add("refinement", "write", id)
    if asked.sql.strip().rstrip(";").rstrip() == kept.sql:
        return draft_view(state, kept)
    return _applied(state, kept, refiner_of(state, kept).rewrite(kept.sql, asked.sql))


@router.post("/drafts/{id}/undo", tags=["refine"])
def undo(id: DraftId, state: State) -> Draft:
    """The draft before its last step. 422 where there is none."""
    _ready(state, id)
    changed = state.drafts.revise(id, DraftHistory.undo)
    state.log.add("refinement", "undo", id)
    return draft_view(state, changed)


@router.post("/drafts/{id}/redo", tags=["refine"])
def redo(id: DraftId, state: State) -> Draft:
    """The draft with the step that was undone last. 422 where there is none."""
    _ready(state, id)
    changed = state.drafts.revise(id, DraftHistory.redo)
    state.log.add("refinement", "redo", id)
    return draft_view(state, changed)


# ------------------------------------------------------------------ what they share


def _asked_again(state: Served, id: str, question: str, strategy: str) -> KeptDraft:
    """The draft as it is to be asked. What is kept of one with SQL is the question of that SQL until there
    is an answer: one that is cancelled or fails leaves it as it was."""
    idle(state, id)
    draft = state.drafts.get(id)
    if draft.history is None:
        anew = {"question": question, "strategy": strategy, "known": None}
        return state.drafts.change(id, status="asking", error=None, **anew)
    draft = state.drafts.change(id, status="asking", error=None)
    return replace(draft, question=question, strategy=strategy)


def _proposed(state: Served, kept: KeptDraft, asked: ProposalRequest) -> Refinement:
    refiner, sql = refiner_of(state, kept), kept.sql
    if isinstance(asked, EditAct):
        return refiner.edit(sql, asked.number, asked.text)
    if isinstance(asked, ChooseAct):
        return refiner.choose(sql, asked.number, asked.item, asked.text)
    if isinstance(asked, OffAct):
        return refiner.off(sql, asked.number, asked.joins)
    if isinstance(asked, AddAct):
        return refiner.add(
            sql,
            asked.item,
            asked.scope,
            asked.script,
            tuple(asked.values) if asked.values is not None else None,
        )
    if isinstance(asked, OnAct):
        assert kept.history is not None
        return refiner.on(kept.history, asked.step)
    return refiner.rewrite(sql, asked.text)


def _applied(state: Served, kept: KeptDraft, step: Refinement) -> Draft:
    try:
        changed = state.drafts.revise(kept.id, lambda history: history.apply(step))
    except EditError as error:
        raise Conflict(error.message, hint=error.hint) from error
    return draft_view(state, changed)


def _ready(state: Served, id: str) -> KeptDraft:
    """A draft that has SQL. Raises `NotFound`, `Conflict` while it is being asked."""
    idle(state, id)
    kept = state.drafts.get(id)
    if kept.history is None:
        raise Conflict("this draft has no SQL yet", hint="ask its question again")
    return kept


def idle(state: Served, id: str) -> None:
    """Raises `NotFound` where there is no such draft, `Conflict` where it is being asked now."""
    state.drafts.get(id)
    job = state.jobs.asking(id)
    if job is not None:
        raise Conflict("this draft is being answered", hint=f"wait for it, or DELETE /api/jobs/{job.id}")
