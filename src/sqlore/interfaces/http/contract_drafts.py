"""The words of the API for sessions, drafts and questions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sqlore.interfaces.http.contract import Attempt, Citation, Given, Known, Shown, Uncovered, Usage, Who
from sqlore.model import CitationStatus, Kind, Trust

__all__ = [
    "AskRequest",
    "Concern",
    "ConfirmRequest",
    "Confirmation",
    "Draft",
    "DraftPage",
    "DraftPatch",
    "DraftStatus",
    "DraftSummary",
    "FromHistory",
    "Holds",
    "KnownRequest",
    "NewDraft",
    "Session",
    "SessionRequest",
    "Step",
    "Trusted",
]

Question = Annotated[str, Field(min_length=1, max_length=20_000)]
Sql = Annotated[str, Field(min_length=1, max_length=200_000)]
DraftStatus = Literal["asking", "ready", "failed", "cancelled", "interrupted"]
"""``interrupted``: the server ended while it was asked; ask again."""


class SessionRequest(Given):
    """A session's title."""

    title: str = Field(default="", max_length=300)


class Session(BaseModel):
    """What one sitting made: drafts under a title."""

    id: str
    title: str
    created: str
    changed: str
    drafts: int = 0


class KnownRequest(Given):
    """A question, as it is typed."""

    question: Question
    items: int = Field(default=20, ge=1, le=200)
    scripts: int = Field(default=6, ge=0, le=100)


class AskRequest(Given):
    """A question to be answered with SQL.

    `baseline`: without any knowledge of the history (Cerebra's Baseline). With `draft` the SQL of that draft
    is generated anew, as a step that can be undone; else a new draft is made.
    """

    question: Question
    session: str | None = None
    draft: str | None = None
    baseline: bool | None = Field(default=None, description="None: as the app's switch stands.")
    strategy: str | None = Field(
        default=None, max_length=50, description="How it is put to the model; None: the setting."
    )
    reuse: Literal["known", "all", "none"] | None = Field(
        default=None, description="Whether the history may answer without the model; None: the setting."
    )


class NewDraft(Given):
    """A draft of SQL that somebody wrote."""

    sql: Sql
    question: str = Field(default="", max_length=20_000)
    session: str | None = None
    baseline: bool | None = None


class DraftPatch(Given):
    """What may be changed about a draft besides its SQL."""

    title: str | None = Field(default=None, max_length=300)
    session: str | None = None


class Holds(BaseModel):
    """What the pieces of a draft rest on: so many are verified, cited otherwise, near, and new."""

    verified: int = 0
    cited: int = 0
    near: int = 0
    novel: int = 0


class DraftSummary(BaseModel):
    """A draft in a list; `holds` only where it was asked for, and None without SQL or without a history."""

    id: str
    session: str | None = None
    title: str = ""
    question: str
    status: DraftStatus
    baseline: bool = False
    created: str
    changed: str
    sql: str = ""
    error: str | None = None
    versions: int = Field(default=0, description="How many texts its SQL has had.")
    holds: Holds | None = None


class DraftPage(BaseModel):
    """Drafts that fit, and how many there are in all."""

    drafts: list[DraftSummary]
    total: int
    offset: int = 0


class Step(BaseModel):
    """One step of a draft's history, counted from 1; `done` False for one that was undone.

    `off` is True for what is switched off now: ``{"act": "on", "step": number}`` brings it back,
    unless `stays_off` says why it cannot come back into the query as it is now.
    """

    number: int
    act: Literal["edit", "alternative", "off", "on", "add", "wish", "sql"]
    kind: Kind
    scope: str
    fragment: str
    text: str
    item: int | None = None
    said: str = ""
    of: int | None = None
    done: bool = True
    off: bool = False
    stays_off: str = ""


class Concern(BaseModel):
    """A piece that computes in a sensitive column with knowledge that nobody has verified.

    `why`: the knowledge is ``unverified``, ``near`` (only alike), ``novel``, ``deprecated``, or a verified
    form with a ``new_value``.
    """

    start: int
    end: int
    kind: Kind
    sql: str
    skeleton: str
    columns: list[str]
    why: Literal["unverified", "near", "novel", "deprecated", "new_value"]
    item: int | None = None
    version: int | None = None
    status: CitationStatus
    trust: Trust


class Confirmation(BaseModel):
    """Who confirmed a draft's concerns, and when."""

    who: str
    when: str
    why: str = ""
    skeletons: list[str] = []


class ConfirmRequest(Given):
    """The confirmation that a draft's concerns were looked at."""

    who: Who = None
    why: str = Field(default="", max_length=2000)


class Trusted(BaseModel):
    """Whether a draft may be relied on where it touches sensitive columns."""

    concerns: list[Concern] = []
    confirmed: Confirmation | None = None
    needs_confirmation: bool = False


class OtherValue(Shown):
    """A value of a script, and the one that stands in its place."""

    was: str
    now: str


class FromHistory(Shown):
    """A script whose SQL is the answer: `changed` are the values that are other ones, `others` name scripts
    with another SQL for the same words, `note` says it in words."""

    script: int
    key: str
    author: str = ""
    time: str = ""
    changed: list[OtherValue] = []
    others: list[str] = []
    note: str = ""


class Draft(DraftSummary):
    """A draft with everything but its rows: those of `sql` are fetched with `POST /api/run`."""

    dialect: str = ""
    strategy: str = ""
    citations: list[Citation] = []
    steps: list[Step] = []
    at: int = Field(default=0, description="How many steps are done.")
    can_undo: bool = False
    can_redo: bool = False
    attempts: list[Attempt] = []
    usage: Usage = Usage()
    notes: list[str] = Field(
        default=[], description="What is told with the answer; none once its SQL is another."
    )
    known: Known | None = None
    trust: Trusted = Trusted()
    uncovered: list[Uncovered] = []
    reused: FromHistory | None = Field(
        default=None, description="The script that its first SQL is taken from: no model was asked."
    )
    job: str | None = Field(default=None, description="The job that answers it now.")
