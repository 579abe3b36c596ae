"""What was done to a draft, step by step: values that can be kept, shown, undone, and done again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast, get_args

from sqlore.errors import EditError, UsageError
from sqlore.model import Kind
from sqlore.sql.edit.text import Change, TextEdit, applied, inverted, moved, unified_diff

__all__ = ["Act", "DraftHistory", "Refinement", "switched_on"]

Act = Literal["edit", "alternative", "off", "on", "add", "wish", "sql"]
"""How a piece was changed; ``sql``: the whole query by hand, or generated anew."""

_FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Refinement:
    """One change of one piece of a draft, ready to be looked at before it is applied.

    `edits` are replacements in the text `before`, `fragment` the piece of that `clause` and `scope` that was
    changed and `text` what stands there now, `item` the knowledge it was taken from, `said` a person's words.
    `notes` are for a person; `affected` are pieces that are written as before and mean something else. `of`
    is the number of the step that an ``on`` takes back.
    """

    act: Act
    before: str
    edits: tuple[TextEdit, ...]
    kind: Kind = "query"
    scope: str = "main"
    clause: str = ""
    fragment: str = ""
    text: str = ""
    item: int | None = None
    said: str = ""
    notes: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    of: int | None = None

    @property
    def change(self) -> Change:
        """The change as spans of the text before and after."""
        return Change(self.before, self.edits, self.notes, self.affected)

    @property
    def after(self) -> str:
        """The SQL after the change.

        >>> Refinement("off", "SELECT a, b FROM t", (TextEdit(8, 11),)).after
        'SELECT a FROM t'
        """
        return applied(self.before, self.edits)

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        return unified_diff(self.before, self.after)

    def to_json(self, *, whole: bool = True) -> dict[str, Any]:
        """The refinement as plain data; `whole` with the texts before and after, the diff and the spans."""
        data: dict[str, Any] = {
            "act": self.act,
            "kind": self.kind,
            "scope": self.scope,
            "clause": self.clause,
            "fragment": self.fragment,
            "text": self.text,
            "item": self.item,
            "said": self.said,
            "edits": [[edit.start, edit.end, edit.text] for edit in self.edits],
            "notes": list(self.notes),
            "affected": list(self.affected),
            "of": self.of,
        }
        if whole:
            data |= {"before": self.before, "after": self.after, "diff": self.diff}
            data["spans"] = [list(span) for span in self.change.spans]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any], before: str | None = None) -> Refinement:
        """The refinement that `to_json` wrote; `before` where it was written without its text."""
        act = data["act"]
        if act not in get_args(Act):
            raise ValueError(f"no such act: {act}")
        text = data["before"] if before is None else before
        edits = tuple(TextEdit(int(start), int(end), str(new)) for start, end, new in data["edits"])
        if any(not 0 <= e.start <= e.end <= len(text) for e in edits):
            raise ValueError("an edit lies outside the text")
        return cls(
            cast(Act, act),
            text,
            edits,
            data["kind"],
            data["scope"],
            data["clause"],
            data["fragment"],
            data["text"],
            data["item"],
            data["said"],
            tuple(data["notes"]),
            tuple(data["affected"]),
            data["of"],
        )


@dataclass(frozen=True, slots=True)
class DraftHistory:
    """A draft and everything that was done to it. Immutable: every act gives a new one.

    Of `steps` the first `at` are done; the others were undone and can be done again.

    >>> history = DraftHistory("SELECT a, b FROM t", question="What is a?")
    >>> history = history.apply(Refinement("off", history.sql, (TextEdit(8, 11),)))
    >>> history.sql, history.undo().sql, history.undo().redo().sql
    ('SELECT a FROM t', 'SELECT a, b FROM t', 'SELECT a FROM t')
    """

    base: str
    steps: tuple[Refinement, ...] = ()
    at: int = 0
    question: str = ""

    @property
    def sql(self) -> str:
        """The SQL as it is now."""
        return self.steps[self.at - 1].after if self.at else self.base

    @property
    def done(self) -> tuple[Refinement, ...]:
        """The steps that are in force."""
        return self.steps[: self.at]

    @property
    def undone(self) -> tuple[Refinement, ...]:
        """The steps that `redo` brings back, the next one first."""
        return self.steps[self.at :]

    @property
    def off(self) -> tuple[tuple[int, Refinement], ...]:
        """What is switched off now, each with the number of its step, counted from 1."""
        back = {step.of for step in self.done if step.act == "on"}
        return tuple((n, s) for n, s in enumerate(self.done, 1) if s.act == "off" and n not in back)

    def apply(self, step: Refinement) -> DraftHistory:
        """The history with one more step; what was undone before is forgotten.

        Raises `EditError` where the step was made for another text.
        """
        if step.before != self.sql:
            raise EditError(
                "the draft has been changed since this change was proposed",
                hint="propose it again for the draft as it is now",
            )
        steps = (*self.done, step)
        return replace(self, steps=steps, at=len(steps))

    def undo(self) -> DraftHistory:
        """The history before its last step. Raises `EditError` where there is none."""
        if not self.at:
            raise EditError("nothing has been changed yet", hint="there is nothing to undo")
        return replace(self, at=self.at - 1)

    def redo(self) -> DraftHistory:
        """The history with the step that was undone last. Raises `EditError` where there is none."""
        if self.at == len(self.steps):
            raise EditError("nothing has been undone", hint="there is nothing to do again")
        return replace(self, at=self.at + 1)

    def to_json(self) -> dict[str, Any]:
        """The history as plain data: the first text, and every step by its edits."""
        return {
            "format": _FORMAT,
            "question": self.question,
            "base": self.base,
            "at": self.at,
            "steps": [step.to_json(whole=False) for step in self.steps],
        }

    @classmethod
    def from_json(cls, data: Any) -> DraftHistory:
        """The history that `to_json` wrote. Raises `UsageError` for anything else."""
        try:
            if data["format"] != _FORMAT:
                raise ValueError(f"format {data['format']}")
            text, steps = str(data["base"]), []
            for row in data["steps"]:
                steps.append(Refinement.from_json(row, text))
                text = steps[-1].after
            at = int(data["at"])
            if not 0 <= at <= len(steps):
                raise ValueError("no such step")
            return cls(str(data["base"]), tuple(steps), at, str(data["question"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(
                f"this is no history of a draft: {error}", hint="give what sqlore refine wrote"
            ) from error


def switched_on(history: DraftHistory, number: int) -> tuple[Refinement, tuple[TextEdit, ...] | None]:
    """The step that switched something off, and the edits of the text now that bring it back.

    The edits are None where a later step has touched the same place. Raises `EditError` where that step did
    not switch anything off, or it is on again.
    """
    found = dict(history.off).get(number)
    if found is None:
        listed = ", ".join(f"{n} ({' '.join(step.fragment.split())})" for n, step in history.off)
        raise EditError(
            f"step {number} switched nothing off that is still off",
            hint=f"switched off are {listed}" if listed else "nothing is switched off",
        )
    edits: tuple[TextEdit, ...] | None = inverted(found.change)
    for later in history.done[number:]:
        edits = moved(edits, later.edits) if edits is not None else None
    return found, edits
