"""The talk of `sqlore bench review` in a terminal: a task, its rows, questions about it, and edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlore.errors import SqloreError
from sqlore.evals.build.review import CRITERIA, Edit, Judgement, Outcome, digest_of
from sqlore.interfaces.cli.common import neutral
from sqlore.interfaces.cli.render import show_rows

if TYPE_CHECKING:
    from rich.console import Console

    from sqlore.engines import Engine
    from sqlore.evals.build.bench import Candidate
    from sqlore.evals.build.review import Notes
    from sqlore.evals.build.review_merge import Reviewed

__all__ = ["Talk"]

HELP: Final = """\
y, n            answer
c TEXT          a comment
question TEXT   another wording for the question
sql TEXT        other SQL; it is run, and its rows are shown
undo            the task as it was
skip            later
quit            stop; what is said is kept"""
_ANSWERS: Final = {"y": True, "yes": True, "n": False, "no": False}


class _Quit(Exception):
    """Somebody stops."""


class _Skip(Exception):
    """Somebody leaves a task for later."""


@dataclass
class _Said:
    """What was said of one task besides the answers."""

    task: Candidate
    comment: str = ""
    edit: Edit = field(default_factory=Edit)


class Talk:
    """Shows tasks of one database and asks about them, line by line."""

    def __init__(self, engine: Engine, console: Console, *, most: int = 10) -> None:
        self.engine, self.console, self.most = engine, console, most

    def judge(self, notes: Notes[Judgement]) -> int:
        """Every task that an annotator has not judged yet; how many are left."""
        waiting = notes.missing
        for number, task in enumerate(waiting, 1):
            said = _Said(task)
            self._show(task, f"{number} of {len(waiting)}")
            try:
                answers = {name: bool(self._ask(f"{name}: {text}", said)) for name, text in CRITERIA.items()}
                if not all(answers.values()) and not said.comment:
                    said.comment = self._line("why? (a line, or nothing)").strip()
            except _Skip:
                continue
            except _Quit:
                break
            notes.set(Judgement(task.id, digest_of(task), answers, said.comment, said.edit, _now()))
        return len(notes.missing)

    def settle(
        self, waiting: Sequence[Reviewed], notes: Notes[Outcome], names: Sequence[str], *, last: bool
    ) -> int:
        """The tasks that annotators did not agree on; with `last` one of the answers has to be given.

        How many are left.
        """
        left = len(waiting)
        for number, one in enumerate(waiting, 1):
            self._show(one.task, f"{number} of {len(waiting)}")
            self._show_judgements(one)
            said = _Said(one.task, edit=_only_edit(one))
            question = "does it stay?" if last else "does it stay? (? where you cannot agree)"
            try:
                keep = self._ask(question, said, unsure=not last)
            except _Skip:
                continue
            except _Quit:
                break
            edit = said.edit if keep else Edit()
            task = one.task
            notes.set(Outcome(task.id, digest_of(task), keep, said.comment, edit, _now(), tuple(names)))
            left -= 1
        return left

    def _show(self, task: Candidate, place: str) -> None:
        console = self.console
        console.print()
        console.rule(f"task {neutral(task.id)}, {place}", align="left")
        console.print(task.question, style="bold")
        if task.evidence:
            console.print(f"evidence: {task.evidence}")
        console.print()
        console.print(task.sql)
        self._run(task.sql)

    def _show_judgements(self, one: Reviewed) -> None:
        for name, judged in one.judgements.items():
            no = [criterion for criterion in CRITERIA if not judged.answers[criterion]]
            verdict = "valid" if judged.valid else f"not {', not '.join(no)}"
            comment = f": {judged.comment}" if judged.comment else ""
            self.console.print(f"{name}: {verdict}{comment}")
            for what, text in judged.edit.to_json().items():
                self.console.print(f"  {what}: {text}")
        if one.by == "discussion":
            self.console.print(f"the discussion: no agreement{': ' * bool(one.comment)}{one.comment}")

    def _run(self, sql: str) -> bool:
        """Shows the rows of a query; False where it does not run."""
        try:
            rows = self.engine.run(sql, limit=max(self.most, 200))
        except SqloreError as error:
            self.console.print(f"it does not run: {error.message}", style="red")
            return False
        show_rows(self.console, rows, self.most)
        return True

    def _ask(self, question: str, said: _Said, *, unsure: bool = False) -> bool | None:
        """Asks until there is an answer; None where somebody is unsure and may be."""
        while True:
            line = self._line(f"{question} [y/n, h for help]").strip()
            word, _, rest = line.partition(" ")
            word, rest = word.lower(), rest.strip()
            if word in _ANSWERS and not rest:
                return _ANSWERS[word]
            if word == "?" and unsure:
                return None
            self._do(word, rest, said)

    def _do(self, word: str, rest: str, said: _Said) -> None:
        """Everything but an answer."""
        if word in ("quit", "q"):
            raise _Quit
        if word in ("skip", "s"):
            raise _Skip
        if word == "c" and rest:
            said.comment = f"{said.comment}; {rest}".removeprefix("; ")
        elif word == "question" and rest:
            said.edit = replace(said.edit, question=rest)
        elif word == "sql" and rest:
            if self._run(rest):
                said.edit = replace(said.edit, sql=rest)
        elif word == "undo":
            said.edit = Edit()
        else:
            self.console.print(HELP, style="dim")
            return
        for what, text in said.edit.to_json().items():
            self.console.print(f"{what} becomes: {text}", style="dim")

    def _line(self, prompt: str) -> str:
        """A line of stdin. Raises `_Quit` at its end."""
        self.console.print(prompt, style="bold", end=" ")
        try:
            return input()
        except EOFError:
            raise _Quit from None


def _only_edit(one: Reviewed) -> Edit:
    """What is proposed, where only one annotator proposes anything."""
    edits = [judged.edit for judged in one.judgements.values() if judged.edit]
    return edits[0] if len(edits) == 1 else Edit()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
