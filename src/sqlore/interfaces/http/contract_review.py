"""The words of the API for reviews: tasks of a benchmark, what annotators say of them, how they agree."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from sqlore.interfaces.http.contract import Given

__all__ = [
    "Agreement",
    "Coefficient",
    "Criterion",
    "Decision",
    "Judged",
    "NewAnnotator",
    "NewDecision",
    "NewJudgement",
    "OpenTask",
    "PairAgreement",
    "Progress",
    "Proposed",
    "ReviewOverview",
    "ReviewTask",
    "Settled",
    "State",
    "StateCount",
    "Worklist",
    "WorklistTask",
]

State = Literal["kept", "dropped", "waiting", "open", "senior"]
Settled = Literal["annotators", "discussion", "senior", ""]


class Criterion(BaseModel):
    """What is judged of a task, and the question that an annotator answers."""

    name: str
    question: str


class Progress(BaseModel):
    """How far an annotator is; nothing of what they said."""

    name: str
    done: int


class StateCount(BaseModel):
    """How many tasks are in a state."""

    state: State
    meaning: str
    tasks: int


class ReviewOverview(BaseModel):
    """The review that this server was opened for.

    While it is `blind` nobody is shown what others said; it ends when `wanted` annotators or more are done.
    From then on judgements stay as they are, and `states` are told.
    """

    file: str
    tasks: int
    wanted: int
    blind: bool
    criteria: list[Criterion]
    annotators: list[Progress]
    states: list[StateCount] = []


class NewAnnotator(Given):
    """Somebody who begins, or goes on, to judge."""

    name: str = Field(max_length=40)


class WorklistTask(BaseModel):
    """A task in an annotator's own list; `valid` is None where they have not judged it yet."""

    number: int
    question: str
    valid: bool | None = None


class Worklist(BaseModel):
    """Every task, with what this annotator said of it."""

    annotator: str
    done: int
    tasks: list[WorklistTask]


class Proposed(BaseModel):
    """Another wording or other SQL; None where it stays."""

    question: str | None = None
    sql: str | None = None


class Judged(BaseModel):
    """What one annotator says of a task."""

    annotator: str
    answers: dict[str, bool]
    valid: bool
    comment: str = ""
    edit: Proposed = Proposed()
    at: str = ""


class ReviewTask(BaseModel):
    """A task to be judged, and what the annotator who asks said of it; `digest` changes with its text."""

    number: int
    id: str
    digest: str
    question: str
    evidence: str = ""
    sql: str
    knowledge: list[str] = Field(default=[], description="The pieces of the history that it reuses.")
    own: Judged | None = None


class NewProposal(Given):
    """Another wording or other SQL."""

    question: str | None = Field(default=None, max_length=4000)
    sql: str | None = Field(default=None, max_length=100_000)


class NewJudgement(Given):
    """What an annotator says of a task: an answer for every criterion. SQL that is proposed has to run."""

    digest: str = Field(max_length=64)
    answers: dict[str, bool]
    comment: str = Field(default="", max_length=4000)
    edit: NewProposal = NewProposal()


class Decision(BaseModel):
    """What a discussion or a senior made of a task; `keep` is None where a discussion found no agreement."""

    keep: bool | None
    comment: str = ""
    edit: Proposed = Proposed()
    by: list[str] = []
    at: str = ""


class OpenTask(ReviewTask):
    """A task that the annotators alone did not settle, with all that was said of it."""

    state: State
    judgements: list[Judged]
    discussion: Decision | None = None
    senior: Decision | None = None


class NewDecision(Given):
    """What a discussion (by all annotators) or a senior (by name) makes of a task."""

    digest: str = Field(max_length=64)
    keep: bool | None
    comment: str = Field(default="", max_length=4000)
    edit: NewProposal = NewProposal()
    by: list[str] = Field(default=[], max_length=50)


class Coefficient(BaseModel):
    """A measure of agreement with its 95 % interval; `value` is None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None
    units: int = 0


class PairAgreement(BaseModel):
    """Cohen's kappa of two annotators."""

    annotators: list[str]
    kappa: Coefficient


class Agreement(BaseModel):
    """How well the annotators agree on one criterion, or on all together (``valid``)."""

    criterion: str
    full: Coefficient
    pairwise: Coefficient
    ac1: Coefficient
    fleiss: Coefficient
    cohen: list[PairAgreement]
