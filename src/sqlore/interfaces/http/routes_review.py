"""Reviewing the tasks of a benchmark: judging blind, discussing, deciding, and how well people agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request

from sqlore.evals.build.agreement import Measure
from sqlore.evals.build.review import CRITERIA, Judgement, Outcome, digest_of
from sqlore.evals.build.review_merge import STATES, Reviewed
from sqlore.interfaces.http.contract_review import (
    Agreement,
    Coefficient,
    Criterion,
    Decision,
    Judged,
    NewAnnotator,
    NewDecision,
    NewJudgement,
    OpenTask,
    PairAgreement,
    Progress,
    Proposed,
    ReviewOverview,
    ReviewTask,
    StateCount,
    Worklist,
    WorklistTask,
)
from sqlore.interfaces.http.problems import NotFound
from sqlore.interfaces.http.reviews import Reviewing
from sqlore.interfaces.http.state import Served, served

__all__ = ["router"]

router = APIRouter(prefix="/api/review", tags=["review"])
State = Annotated[Served, Depends(served)]


def _opened(request: Request) -> Reviewing:
    found: Reviewing | None = request.app.state.reviewing
    if found is None:
        raise NotFound("this server was not opened for a review", hint="sqlore serve --review FILE")
    return found


Opened = Annotated[Reviewing, Depends(_opened)]


@router.get("")
def overview(review: Opened) -> ReviewOverview:
    """The review: its tasks, who judges them and how far they are."""
    with review.lock:
        blind = review.blind
        states = {} if blind else review.merged().states
        return ReviewOverview(
            file=review.file.name,
            tasks=len(review.folder.tasks),
            wanted=review.wanted,
            blind=blind,
            criteria=[Criterion(name=name, question=text) for name, text in CRITERIA.items()],
            annotators=[Progress(name=name, done=count) for name, count in review.done().items()],
            states=[StateCount(state=s, meaning=STATES[s], tasks=count) for s, count in states.items()],
        )


@router.post("/annotators")
def join(asked: NewAnnotator, review: Opened) -> Worklist:
    """Begins to judge under a name, or goes on."""
    return _worklist(review, review.join(asked.name.strip()).file.stem)


@router.get("/annotators/{name}")
def worklist(name: str, review: Opened) -> Worklist:
    """An annotator's own list of tasks."""
    return _worklist(review, name)


def _worklist(review: Reviewing, name: str) -> Worklist:
    notes = review.notes(name)
    tasks = []
    for number, task in enumerate(review.folder.tasks, 1):
        said = notes.get(task.id)
        valid = said.valid if said is not None else None
        tasks.append(WorklistTask(number=number, question=task.question, valid=valid))
    return Worklist(annotator=name, done=sum(one.valid is not None for one in tasks), tasks=tasks)


@router.get("/annotators/{name}/tasks/{number}")
def task(name: str, number: int, review: Opened) -> ReviewTask:
    """A task as an annotator judges it, with what they themselves said."""
    found = review.task(number)
    said = review.notes(name).get(found.id)
    return ReviewTask(**_task(review, number), own=_judged(name, said) if said is not None else None)


@router.put("/annotators/{name}/tasks/{number}")
def judge(name: str, number: int, asked: NewJudgement, review: Opened, state: State) -> Worklist:
    """Says of a task whether it is consistent, natural and unique; in place of what was said before."""
    review.judge(state, name, number, asked)
    return _worklist(review, name)


@router.get("/open")
def open_tasks(review: Opened) -> list[OpenTask]:
    """The tasks that the annotators alone did not settle; 409 while judgements are blind."""
    return [
        _open(review, number, one)
        for number, one in enumerate(review.merged().tasks, 1)
        if one.by != "annotators"
    ]


@router.put("/discussion/{number}")
def discuss(number: int, asked: NewDecision, review: Opened, state: State) -> list[OpenTask]:
    """Keeps what the annotators' discussion of a task gave; `keep` null where they do not agree."""
    review.settle(state, "discussion", number, asked)
    return open_tasks(review)


@router.put("/senior/{number}")
def decide(number: int, asked: NewDecision, review: Opened, state: State) -> list[OpenTask]:
    """Keeps a senior's decision on a task that the discussion left open."""
    review.settle(state, "senior", number, asked)
    return open_tasks(review)


@router.get("/agreement")
def agreement(review: Opened) -> list[Agreement]:
    """Full agreement, Gwet's AC1, Fleiss' and Cohen's kappa; of all criteria together first."""
    merged = review.merged()
    return [
        Agreement(
            criterion=name,
            full=_coefficient(found.full),
            pairwise=_coefficient(found.pairwise),
            ac1=_coefficient(found.ac1),
            fleiss=_coefficient(found.fleiss),
            cohen=[
                PairAgreement(annotators=[merged.names[a], merged.names[b]], kappa=_coefficient(kappa))
                for (a, b), kappa in found.cohen.items()
            ],
        )
        for name, found in merged.agreement.items()
    ]


@router.get("/final")
def final(review: Opened, state: State) -> list[dict[str, Any]]:
    """The tasks that stay, with their edits, in BIRD-History's format."""
    return review.final(state)


# ------------------------------------------------------------------ as it is shown


def _task(review: Reviewing, number: int) -> Mapping[str, Any]:
    found = review.task(number)
    return {
        "number": number,
        "id": found.id,
        "digest": digest_of(found),
        "question": found.question,
        "evidence": found.evidence,
        "sql": found.sql,
        "knowledge": list(found.knowledge),
    }


def _open(review: Reviewing, number: int, one: Reviewed) -> OpenTask:
    said = [_judged(name, judged) for name, judged in one.judgements.items()]
    discussion, senior = review.folder.discussion.get(one.task.id), review.folder.senior.get(one.task.id)
    return OpenTask(
        **_task(review, number),
        state=one.state,
        judgements=said,
        discussion=_decision(discussion) if discussion is not None else None,
        senior=_decision(senior) if senior is not None else None,
    )


def _judged(name: str, said: Judgement) -> Judged:
    edit = Proposed(question=said.edit.question, sql=said.edit.sql)
    answers = dict(said.answers)
    return Judged(
        annotator=name, answers=answers, valid=said.valid, comment=said.comment, edit=edit, at=said.at
    )


def _decision(said: Outcome) -> Decision:
    edit = Proposed(question=said.edit.question, sql=said.edit.sql)
    return Decision(keep=said.keep, comment=said.comment, edit=edit, by=list(said.by), at=said.at)


def _coefficient(found: Measure) -> Coefficient:
    return Coefficient(value=found.value, low=found.low, high=found.high, units=found.units)
