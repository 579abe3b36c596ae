"""What was done before: sessions, the list of drafts, and a draft that is deleted and brought back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from sqlore.interfaces.http.contract_drafts import (
    Draft,
    DraftPage,
    DraftStatus,
    DraftSummary,
    Session,
    SessionRequest,
)
from sqlore.interfaces.http.kept import KeptDraft, KeptSession
from sqlore.interfaces.http.routes_drafts import idle
from sqlore.interfaces.http.state import Served, served
from sqlore.interfaces.http.views_drafts import draft_view, holds_of, summary

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["drafts"])
State = Annotated[Served, Depends(served)]


# ------------------------------------------------------------------ sessions


@router.get("/sessions")
def sessions(state: State) -> list[Session]:
    """All sessions, the last made first."""
    drafts = state.drafts.all()
    return [_session(one, drafts) for one in state.drafts.sessions()]


@router.post("/sessions", status_code=201)
def new_session(asked: SessionRequest, state: State) -> Session:
    """A new session."""
    return _session(state.drafts.new_session(asked.title), [])


@router.patch("/sessions/{id}")
def rename_session(id: str, asked: SessionRequest, state: State) -> Session:
    """A session under another title."""
    return _session(state.drafts.rename_session(id, asked.title), state.drafts.all())


@router.delete("/sessions/{id}", status_code=204)
def delete_session(id: str, state: State) -> Response:
    """Deletes a session; its drafts stay."""
    state.drafts.delete_session(id)
    return Response(status_code=204)


def _session(kept: KeptSession, drafts: list[KeptDraft]) -> Session:
    mine = [one for one in drafts if one.session == kept.id]
    changed = max([kept.changed, *(one.changed for one in mine)])
    return Session(id=kept.id, title=kept.title, created=kept.created, changed=changed, drafts=len(mine))


# ------------------------------------------------------------------ drafts


@router.get("/drafts")
def drafts(
    state: State,
    text: Annotated[str, Query(max_length=500, description="Words of the title, question or SQL.")] = "",
    session: Annotated[str | None, Query(description="Only those of this session.")] = None,
    status: Annotated[DraftStatus | None, Query(description="Only those in this state.")] = None,
    baseline: Annotated[bool | None, Query(description="Only those with or without the history.")] = None,
    holds: Annotated[bool, Query(description="Also what the pieces of each rest on.")] = False,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> DraftPage:
    """Drafts, the last changed first."""
    words = text.casefold().split()
    found = [
        one
        for one in state.drafts.all()
        if (session is None or one.session == session)
        and (status is None or one.status == status)
        and (baseline is None or one.baseline == baseline)
        and one.has(words)
    ]
    shown = [_listed(state, one, holds) for one in found[offset : offset + limit]]
    return DraftPage(drafts=shown, total=len(found), offset=offset)


def _listed(state: Served, kept: KeptDraft, holds: bool) -> DraftSummary:
    shown = summary(kept)
    if holds:
        shown.holds = holds_of(state, kept)
    return shown


@router.delete("/drafts/{id}", status_code=204)
def delete_draft(id: str, state: State) -> Response:
    """Deletes a draft with its history; for an hour it can be restored."""
    idle(state, id)
    state.drafts.delete(id)
    return Response(status_code=204)


@router.post("/drafts/{id}/restore")
def restore_draft(id: str, state: State) -> Draft:
    """A deleted draft is there again. 404 where it is gone for good, 409 where it was not deleted."""
    return draft_view(state, state.drafts.restore(id))
