"""Drafts and their steps as the API shows them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlore.answer.refine.history import DraftHistory, Refinement
from sqlore.errors import SqloreError
from sqlore.interfaces.http.contract import (
    Attempt,
    Citation,
    Known,
    Uncovered,
    Usage,
)
from sqlore.interfaces.http.contract_drafts import (
    Confirmation,
    Draft,
    DraftSummary,
    FromHistory,
    Holds,
    Step,
    Trusted,
)
from sqlore.interfaces.http.contract_refine import Proposal
from sqlore.interfaces.http.kept import KeptDraft
from sqlore.interfaces.http.state import Served
from sqlore.interfaces.http.trust import concerns_of

__all__ = ["draft_view", "holds_of", "proposal_view", "summary"]


def summary(draft: KeptDraft) -> DraftSummary:
    """A draft in a list."""
    return DraftSummary(**_facts(draft))


def draft_view(state: Served, draft: KeptDraft) -> Draft:
    """A draft with everything but its rows: citations and concerns are computed from its SQL now."""
    past = draft.history or DraftHistory("")
    job = state.jobs.of_draft(draft.id)
    return Draft(
        **_facts(draft),
        dialect=state.dialect,
        strategy=draft.strategy,
        citations=_citations(state, draft),
        steps=_steps(state, past),
        at=past.at,
        can_undo=past.at > 0,
        can_redo=past.at < len(past.steps),
        attempts=[Attempt(**one) for one in draft.attempts],
        usage=Usage(**draft.usage),
        notes=list(draft.notes) if draft.noted in ("", draft.sql) else [],
        known=Known.model_validate(draft.known) if draft.known else None,
        trust=_trusted(state, draft),
        uncovered=_uncovered(state, draft),
        reused=FromHistory.model_validate(draft.reused) if draft.reused else None,
        job=job.id if job is not None else None,
    )


def _facts(draft: KeptDraft) -> dict[str, Any]:
    return {
        "id": draft.id,
        "session": draft.session,
        "title": draft.title,
        "question": draft.question,
        "status": draft.status,
        "baseline": draft.baseline,
        "created": draft.created,
        "changed": draft.changed,
        "sql": draft.sql,
        "error": draft.error,
        "versions": draft.versions,
    }


def holds_of(state: Served, draft: KeptDraft) -> Holds | None:
    """What the pieces of a draft rest on, the query as a whole aside; None where nothing is cited."""
    pieces = [one for one in _citations(state, draft) if one.kind != "query"]
    if not pieces:
        return None
    verified = [one.status == "cited" and one.trust == "verified" for one in pieces]
    statuses = Counter(one.status for one, sure in zip(pieces, verified, strict=True) if not sure)
    return Holds(
        verified=sum(verified),
        cited=statuses["cited"],
        near=statuses["near"],
        novel=statuses["novel"],
    )


def _citations(state: Served, draft: KeptDraft) -> list[Citation]:
    from sqlore.answer.cite import cite

    store = state.store
    if store is None or draft.baseline or not draft.sql:
        return []
    try:
        found = cite(draft.sql, store, state.dialect, state.catalog.schema, state.catalog)
    except SqloreError:
        return []  # the text of a draft can always be shown, even where the schema has changed under it
    return [Citation.model_validate(one) for one in found]


def _steps(state: Served, past: DraftHistory) -> list[Step]:
    off = {number: _kept_away(state, past, number) for number, _ in past.off}
    return [
        _step(number, step, number <= past.at, off.get(number)) for number, step in enumerate(past.steps, 1)
    ]


def _kept_away(state: Served, past: DraftHistory, number: int) -> str:
    """Why what a step switched off cannot come back into the query as it is now; empty where it can."""
    from sqlore.answer.refine.change import Refiner

    try:
        Refiner(state.catalog, state.dialect, settings=state.lore.settings).on(past, number)
    except SqloreError as error:
        fragment = past.steps[number - 1].fragment
        return error.message.removeprefix(f"{fragment} cannot come back: ")
    return ""


def _step(number: int, step: Refinement, done: bool, off: str | None) -> Step:
    """`off`: why it cannot come back; None where it is not switched off."""
    return Step(
        number=number,
        act=step.act,
        kind=step.kind,
        scope=step.scope,
        fragment=step.fragment,
        text=step.text,
        item=step.item,
        said=step.said,
        of=step.of,
        done=done,
        off=off is not None,
        stays_off=off or "",
    )


def _trusted(state: Served, draft: KeptDraft) -> Trusted:
    """The concerns of a draft; they are confirmed where each of them was when somebody confirmed."""
    concerns = concerns_of(state, draft.sql) if draft.sql else []
    confirmed = Confirmation(**draft.confirmed) if draft.confirmed else None
    seen = set(confirmed.skeletons) if confirmed else set()
    needed = any(f"{one.kind}: {one.skeleton}" not in seen for one in concerns)
    return Trusted(concerns=concerns, confirmed=confirmed, needs_confirmation=needed)


def _uncovered(state: Served, draft: KeptDraft) -> list[Uncovered]:
    """What of the question the SQL leaves out, as it is now."""
    from sqlore.answer.coverage import Coverage

    if not draft.sql or not draft.question:
        return []
    retriever = None if draft.baseline else state.retriever
    coverage = Coverage(state.catalog, retriever.snapshot if retriever else None, state.dialect)
    return [Uncovered.model_validate(one) for one in coverage.uncovered(draft.question, draft.sql)]


def proposal_view(id: str, step: Refinement) -> Proposal:
    """A proposed change with its diff."""
    data = step.to_json()
    return Proposal(id=id, **{name: data[name] for name in Proposal.model_fields if name != "id"})
