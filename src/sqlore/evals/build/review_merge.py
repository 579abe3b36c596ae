"""What a review comes to: the state of every task, how well the annotators agree, and the tasks that stay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from sqlore.errors import UsageError
from sqlore.evals.build.agreement import Measures, bootstrap, gwet_ac1, measures
from sqlore.evals.build.annotate import Annotator
from sqlore.evals.build.bench import Candidate
from sqlore.evals.build.review import CRITERIA, Edit, Judgement, ReviewFolder
from sqlore.evals.sheets import Sheet

__all__ = [
    "DECISION",
    "STATES",
    "Merged",
    "Reviewed",
    "final_records",
    "merge",
    "merged_json",
    "merged_sheets",
    "open_tasks",
]

State = Literal["kept", "dropped", "waiting", "open", "senior"]
#: The states of a task, and what each means.
STATES: Final[Mapping[State, str]] = {
    "kept": "it stays",
    "dropped": "it goes",
    "waiting": "an annotator has not judged it yet",
    "open": "the annotators do not agree, or would change it: to be discussed",
    "senior": "the discussion gave nothing: a senior decides",
}
#: The name of what the criteria together say: whether a task is valid.
DECISION: Final = "valid"


@dataclass(frozen=True)
class Reviewed:
    """One task with all that was said of it; `final` is it as it stays, with its edits.

    `by` is what settled it: `annotators`, `discussion` or `senior`.
    """

    task: Candidate
    state: State
    judgements: Mapping[str, Judgement]
    by: str = ""
    comment: str = ""
    edit: Edit = field(default_factory=Edit)

    @property
    def final(self) -> Candidate:
        question = self.task.question if self.edit.question is None else self.edit.question
        sql = self.task.sql if self.edit.sql is None else self.edit.sql
        return replace(self.task, question=question, sql=sql)


@dataclass(frozen=True)
class Merged:
    """A review as it stands; `agreement` by criterion, and of all together under `DECISION`."""

    names: tuple[str, ...]
    tasks: tuple[Reviewed, ...]
    agreement: Mapping[str, Measures]
    ac1_bootstrap: tuple[float, float] | None

    @property
    def states(self) -> dict[State, int]:
        found = Counter(one.state for one in self.tasks)
        return {state: found[state] for state in STATES if found[state]}


def merge(folder: ReviewFolder, *, resamples: int = 1000) -> Merged:
    """Reads all files of a review; with no `resamples` AC1 has its other interval alone, which is quicker.

    Raises `UsageError` where nobody has judged anything.
    """
    annotators = folder.annotators()
    if not annotators:
        raise UsageError("nobody has judged these tasks yet", hint="begin with --annotator NAME")
    discussion, senior = folder.discussion, folder.senior
    tasks = []
    for task in folder.tasks:
        said = {name: notes.get(task.id) for name, notes in annotators.items()}
        judged = {name: one for name, one in said.items() if one is not None}
        state, by = _first(list(judged.values()), len(annotators))
        comment, edit = "", Edit()
        if state == "open":
            for settled, notes in (("discussion", discussion), ("senior", senior)):
                outcome = notes.get(task.id)
                if outcome is not None:
                    state = "senior" if outcome.keep is None else "kept" if outcome.keep else "dropped"
                    by, comment, edit = settled, outcome.comment, outcome.edit
        tasks.append(Reviewed(task, state, judged, by, comment, edit))
    ratings = _ratings(tasks, list(annotators))
    return Merged(
        tuple(annotators),
        tuple(tasks),
        {name: measures(rows, [True, False]) for name, rows in ratings.items()},
        bootstrap(ratings[DECISION], lambda rows: gwet_ac1(rows, [True, False]), resamples=resamples)
        if resamples
        else None,
    )


def _first(judged: Sequence[Judgement], wanted: int) -> tuple[State, str]:
    """The state that the annotators alone give a task."""
    if len(judged) < wanted:
        return "waiting", ""
    if len({one.valid for one in judged}) > 1 or any(one.edit for one in judged):
        return "open", ""
    return ("kept" if judged[0].valid else "dropped"), "annotators"


def _ratings(tasks: Sequence[Reviewed], names: Sequence[str]) -> dict[str, list[list[bool | None]]]:
    """What each annotator said, by criterion: a row a task, None where nothing."""
    found: dict[str, list[list[bool | None]]] = {name: [] for name in (DECISION, *CRITERIA)}
    for one in tasks:
        said = [one.judgements.get(name) for name in names]
        found[DECISION].append([None if j is None else j.valid for j in said])
        for criterion in CRITERIA:
            found[criterion].append([None if j is None else j.answers[criterion] for j in said])
    return found


def open_tasks(folder: ReviewFolder, state: Literal["open", "senior"]) -> list[Reviewed]:
    """The tasks that are to be discussed, or that a senior is to decide.

    Raises `UsageError` while an annotator is not done, for until then nobody may see what the others said.
    """
    merged = merge(folder, resamples=0)
    if len(merged.names) < 2:
        raise UsageError("a discussion is of two annotators or more", hint="the others: --annotator NAME")
    late = [name for name, notes in folder.annotators().items() if notes.missing]
    if late:
        raise UsageError(
            f"not done yet: {', '.join(late)}", hint="judgements stay blind until all annotators are done"
        )
    return [one for one in merged.tasks if one.state == state]


def merged_json(merged: Merged) -> dict[str, Any]:
    """The review as plain data with stable keys."""
    agreement = {name: found.to_json(merged.names) for name, found in merged.agreement.items()}
    if merged.ac1_bootstrap is not None:
        agreement[DECISION]["gwet_ac1"]["bootstrap"] = [round(end, 6) for end in merged.ac1_bootstrap]
    return {
        "annotators": list(merged.names),
        "states": merged.states,
        "agreement": agreement,
        "tasks": [
            {
                "question_id": one.task.id,
                "state": one.state,
                "by": one.by,
                "comment": one.comment,
                "edit": one.edit.to_json(),
                "judgements": {name: judged.to_json() for name, judged in one.judgements.items()},
            }
            for one in merged.tasks
        ],
    }


def merged_sheets(merged: Merged) -> list[Sheet]:
    """The review as tables: tasks by state, agreement by criterion, Cohen's kappa by pair."""
    states = tuple((state, str(count), STATES[state]) for state, count in merged.states.items())
    rows = tuple(
        (name, str(found.full), str(found.pairwise), str(found.ac1), str(found.fleiss))
        for name, found in merged.agreement.items()
    )
    heads = ("judged", "full agreement", "pairs", "Gwet's AC1", "Fleiss' kappa")
    sheets = [
        Sheet("Tasks", ("state", "tasks", "meaning"), states),
        Sheet("Agreement", heads, rows, "with 95 % intervals; valid: all three criteria hold"),
    ]
    pairs = merged.agreement[DECISION].cohen
    if pairs:
        told = tuple((merged.names[a], merged.names[b], str(found)) for (a, b), found in pairs.items())
        sheets.append(Sheet("Cohen's kappa of valid", ("annotator", "annotator", "kappa"), told))
    return sheets


def final_records(
    merged: Merged, records: Sequence[Mapping[str, Any]], annotator: Annotator | None = None
) -> list[dict[str, Any]]:
    """The records of the tasks that stay, edited; where the SQL was, annotated anew.

    Raises `UsageError` where that is needed and there is no annotator.
    """
    by_id = {str(record.get("question_id", number)): record for number, record in enumerate(records, 1)}
    found = []
    for one in merged.tasks:
        if one.state != "kept":
            continue
        record = dict(by_id[one.task.id]) | {"question": one.final.question, "SQL": one.final.sql}
        if one.edit.sql is not None:
            if annotator is None:
                raise UsageError(
                    f"the SQL of task {one.task.id} was changed: its knowledge is to be found anew",
                    hint="give --history, and --db where it is not given",
                )
            record["history_knowledge"] = annotator.annotate(one.final.sql).knowledge()
        found.append(record)
    return found
