"""The model's judgement of a task that every rule passes: does the question mean the SQL, is it asked so, is
there one answer (BIRD-History, section 3.3.1; the validator of appendix C.1.2, in words of our own).

What programs can tell the rules tell; a model is asked for the three things that people are asked as well
(section 3.3.2), under the same names. It sees the task, the first rows, and the scripts the task was made
from, and says of each thing whether it holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from sqlore.catalog.render import estimate_tokens
from sqlore.errors import ModelError, ModelUnavailable
from sqlore.evals.build.findings import JUDGED, Finding, Severity, Subject
from sqlore.evals.build.model_prompts import objects_in
from sqlore.model import Message
from sqlore.prompts.text import as_data, neutral, sql_line

if TYPE_CHECKING:
    from sqlore.llm import ChatModel

__all__ = ["Judge", "judging"]

_ANSWER: Final = 400  # tokens of an answer at most
_ROWS: Final = 5
_SCRIPTS: Final = 6
#: How bad it is where the model does not say.
_SEVERITY: Final[Mapping[str, Severity]] = {"consistent": "major", "natural": "minor", "unique": "major"}
_TOLD: Final = """\
You check exam questions about a {dialect} database before people see them. Each comes with the SQL that is \
its answer, the first rows that the SQL gives, and older queries of the same database that show how things \
are meant there. The SQL runs and was checked by programs; you judge what programs cannot.

- consistent: question and evidence together ask for exactly what the SQL computes: the same rows, the same \
conditions and values, the same columns in the answer, the same formula. Nothing is missing and nothing is \
added. How the older queries read a word counts as how it is meant.
- natural: a person who works with these data could ask it so: plain words, one thought, something worth \
knowing; not the SQL read aloud.
- unique: there is one right answer. A word such as "many" or "recent", that neither the evidence nor an \
older query settles, leaves several.

Answer with JSON alone, one entry for each of the three:
{form}
Where ok is false, place names the words or the clause that is wrong, advice says in one sentence what would \
mend it, and severity is major if the task cannot be used as it is, else minor."""
_FORM: Final = (
    '{"consistent": {"ok": true}, "natural": {"ok": true}, '
    '"unique": {"ok": false, "severity": "major", "place": "...", "advice": "..."}}'
)


class Judge:
    """Asks a model about tasks; call `findings` only of those that no rule finds fault with."""

    def __init__(self, model: ChatModel) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def findings(self, subject: Subject) -> Iterator[Finding]:
        """What the model finds wrong. Raises `ModelUnavailable` where it cannot be reached.

        An answer that says nothing of a criterion is a finding of that criterion, minor: it was not judged.
        """
        messages = judging(subject, room=self.model.context - 2 * _ANSWER)
        try:
            text = self.model.chat(messages, max_tokens=_ANSWER, temperature=0.0).text
        except ModelUnavailable:
            raise
        except ModelError as error:
            text, why = "", error.message
        else:
            why = "its answer says nothing of this"
        said = _said(text)
        for rule in JUDGED:
            yield from _finding(rule, said.get(rule), why)


def judging(subject: Subject, *, room: int) -> tuple[Message, ...]:
    """The messages that ask about a task, in at most about `room` tokens; scripts that do not fit are left
    out."""
    task, rows = subject.task, subject.rows
    system = _TOLD.format(dialect=subject.bench.dialect, form=_FORM)
    shown = "; ".join(as_data(", ".join(map(str, row)), 160) for row in rows.rows[:_ROWS])
    parts = [
        "# Task",
        f"Question: {as_data(task.question)}",
        f"Evidence: {as_data(task.evidence) if task.evidence else 'none'}",
        f"SQL: {neutral(sql_line(task.sql))}",
        f"It gives {len(rows.rows)}{'+' * rows.truncated} rows: {shown or 'none'}",
    ]
    left = room - estimate_tokens(system) - sum(map(estimate_tokens, parts))
    scripts = list(_scripts(subject, left))
    older = ["# Older queries", *scripts] if scripts else []
    text = "\n\n".join([*older, *parts, "Judge the task."])
    return Message("system", system), Message("user", text)


def _scripts(subject: Subject, room: int) -> Iterator[str]:
    for number, one in enumerate(subject.originals[:_SCRIPTS], 1):
        script = one.parsed.script
        lines = [f"## Query {number}"]
        lines += [f"Question: {as_data(script.text)}"] if script.text else []
        lines += [f"Evidence: {as_data(script.evidence)}"] if script.evidence else []
        lines.append(f"SQL: {neutral(sql_line(script.sql))}")
        text = "\n".join(lines)
        room -= estimate_tokens(text)
        if room < 0:
            return
        yield text


def _said(text: str) -> Mapping[str, Any]:
    """The first object of an answer that speaks of a criterion, by lower-case names."""
    for found in objects_in(text):
        folded = {str(name).lower(): value for name, value in found.items()}
        if folded.keys() & JUDGED.keys():
            return folded
    return {}


def _finding(rule: str, said: Any, why: str) -> Iterator[Finding]:
    """The finding of one criterion, where it does not hold or was not judged.

    >>> [one.severity for one in _finding("natural", {"ok": False, "place": "the SQL"}, "")]
    ['minor']
    >>> list(_finding("unique", True, ""))
    []
    """
    if isinstance(said, bool):
        said = {"ok": said}
    if not isinstance(said, dict) or not isinstance(said.get("ok"), bool):
        yield Finding(rule, "minor", "model", f"not judged: {why}")
        return
    if said["ok"]:
        return
    severity: Severity = _SEVERITY[rule]
    if said.get("severity") in ("major", "minor"):
        severity = said["severity"]
    place, advice = (" ".join(str(said.get(name) or "").split()) for name in ("place", "advice"))
    yield Finding(rule, severity, place[:200] or "task", advice[:400] or JUDGED[rule])
