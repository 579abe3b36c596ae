"""The words of the API for long jobs: what runs, and the events that it sends."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, TypeAdapter

from sqlore.interfaces.http.contract import Known, Problem, ResultPage, Usage
from sqlore.interfaces.http.contract_drafts import Draft
from sqlore.interfaces.http.contract_explain import Figure
from sqlore.interfaces.http.contract_refine import Proposal
from sqlore.llm.base import ModelPhase

__all__ = ["AnyEvent", "Job", "JobEvent", "JobKind", "JobStatus", "LearnReport", "WarmReport", "event_of"]

JobKind = Literal["ask", "wish", "figures", "learn", "warm", "describe", "complete"]
JobStatus = Literal["running", "done", "failed", "cancelled"]


class Job(BaseModel):
    """Something that takes a while. `GET /api/jobs/{id}/events` tells how it goes."""

    id: str
    kind: JobKind
    status: JobStatus
    stage: str = ""
    started: str
    ended: str | None = None
    draft: str | None = None
    problem: Problem | None = None


class StageEvent(BaseModel):
    """A stage begins, or goes on: `done` of `total`, where that is known."""

    event: Literal["stage"] = "stage"
    stage: str
    done: int = 0
    total: int | None = None


class TokenEvent(BaseModel):
    """What the model says, piece by piece; a new stage begins a new text."""

    event: Literal["token"] = "token"
    text: str


class ModelEvent(BaseModel):
    """How far the model is: it ``waits`` for its turn, ``loads`` its file, is ``asked`` (a remote one),
    ``reads`` its prompt (`done` of `total` tokens) or ``writes`` (`done` tokens).

    It is given up after `limit` seconds: of standing still where `still`, else of the whole answer.
    """

    event: Literal["model"] = "model"
    phase: ModelPhase
    done: int = 0
    total: int | None = None
    limit: float | None = None
    still: bool = False


class KnownEvent(BaseModel):
    """What is known of the question, before anything is generated."""

    event: Literal["known"] = "known"
    known: Known


class DraftEvent(BaseModel):
    """The draft as it is now, and its rows where the query ran."""

    event: Literal["draft"] = "draft"
    draft: Draft
    result: ResultPage | None = None


class ProposalEvent(BaseModel):
    """A change to be looked at."""

    event: Literal["proposal"] = "proposal"
    proposal: Proposal


class FigureEvent(BaseModel):
    """A figure is ready, or says that it takes long."""

    event: Literal["figure"] = "figure"
    figure: Figure


class Misnamed(BaseModel):
    """A script that was learned although it names what the database does not have."""

    script: int
    key: str
    what: str


class LearnReport(BaseModel):
    """What a run of learning did; `rejected` are counts by reason."""

    read: int = 0
    new: int = 0
    folded: int = 0
    known: int = 0
    items: int = 0
    seconds: float = 0.0
    rejected: dict[str, int] = {}
    scripts: int = Field(default=0, description="How many the store holds now.")
    pieces: int = Field(default=0, description="How many knowledge items the store holds now.")
    misnamed: list[Misnamed] = Field(
        default=[], description="New scripts that name what the database does not have; kept, not offered."
    )
    verified: int = Field(default=0, description="Of a lesson: how many of its pieces are verified now.")


class LearnedEvent(BaseModel):
    """A history was learned."""

    event: Literal["learned"] = "learned"
    report: LearnReport


class WarmReport(BaseModel):
    """What warming up did: of `chosen` examples so many have SQL that runs here and a question.

    `failed` are counts of what the model wrote that could not be used, by reason.
    """

    chosen: int
    adapted: int
    approved: int = 0
    rejected: int = 0
    new: int = 0
    known: int = 0
    removed: int = 0
    failed: dict[str, int] = {}
    scripts: int = Field(default=0, description="How many the store holds now.")
    synthetic: int = Field(default=0, description="How many of them a model made.")


class WarmedEvent(BaseModel):
    """A database without a history has examples now."""

    event: Literal["warmed"] = "warmed"
    report: WarmReport


class DescribedEvent(BaseModel):
    """So many items were looked at and so many have new words."""

    event: Literal["described"] = "described"
    looked_at: int
    changed: int


class CompletionEvent(BaseModel):
    """The description as the model completes it; it is not saved."""

    event: Literal["completion"] = "completion"
    text: str
    usage: Usage


class ProblemEvent(BaseModel):
    """The job failed."""

    event: Literal["problem"] = "problem"
    problem: Problem


class EndEvent(BaseModel):
    """The last event: nothing comes after it, and a listener should not come back."""

    event: Literal["end"] = "end"
    status: JobStatus


AnyEvent = (
    StageEvent
    | TokenEvent
    | ModelEvent
    | KnownEvent
    | DraftEvent
    | ProposalEvent
    | FigureEvent
    | LearnedEvent
    | WarmedEvent
    | DescribedEvent
    | CompletionEvent
    | ProblemEvent
    | EndEvent
)
JobEvent = Annotated[AnyEvent, Field(discriminator="event")]
"""The data of one server-sent event; its name is `event`."""

_ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(JobEvent)


def event_of(text: str) -> AnyEvent:
    """The event in the `data` of a server-sent event.

    >>> event_of('{"event": "token", "text": "SELECT"}')
    TokenEvent(event='token', text='SELECT')
    """
    return _ADAPTER.validate_json(text)
