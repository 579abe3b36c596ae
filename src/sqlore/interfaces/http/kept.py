"""A draft and a session as they are on disk, and which question each text of a draft answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from sqlore.answer.refine.history import DraftHistory, Refinement
from sqlore.interfaces.http.contract_drafts import DraftStatus

__all__ = ["OF_A_QUESTION", "KeptDraft", "KeptSession"]

FORMAT: Final = 1
OF_A_QUESTION: Final = (
    "question", "strategy", "known", "attempts", "usage", "notes", "noted", "reused",
)  # fmt: skip
"""What belongs to a question and its answer: it goes with the SQL, and comes back with it."""


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A draft as it is on disk. `history` is None as long as there is no SQL.

    `known` and `attempts` are plain data as the API shows them; `proposals` go by their ids. `notes` are
    about the SQL `noted`, as the model gave it. `asks` are the questions that its texts answer, where there
    were several: each `OF_A_QUESTION`, and ``at``, the number of steps from which on it holds.
    """

    id: str
    question: str
    status: DraftStatus
    created: str
    changed: str
    session: str | None = None
    title: str = ""
    baseline: bool = False
    strategy: str = ""
    error: str | None = None
    history: DraftHistory | None = None
    attempts: tuple[dict[str, Any], ...] = ()
    usage: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    noted: str = ""
    reused: dict[str, Any] | None = None
    known: dict[str, Any] | None = None
    proposals: dict[str, Refinement] = field(default_factory=dict)
    confirmed: dict[str, Any] | None = None
    asks: tuple[dict[str, Any], ...] = ()

    @property
    def sql(self) -> str:
        """The SQL as it is now; empty where there is none."""
        return self.history.sql if self.history is not None else ""

    @property
    def versions(self) -> int:
        """How many texts its SQL has had, those that were undone included."""
        return len(self.history.steps) + 1 if self.history is not None else 0

    def answered(self, history: DraftHistory, **facts: Any) -> dict[str, Any]:
        """What changes with an answer to a question that was put to a draft with SQL; `facts` are all of
        `OF_A_QUESTION`.

        >>> from dataclasses import replace
        >>> from sqlore.sql.edit.text import TextEdit
        >>> first = KeptDraft("a", "How many?", "ready", "", "", history=DraftHistory("SELECT 1"))
        >>> step = Refinement("sql", "SELECT 1", (TextEdit(7, 8, "2"),))
        >>> again = first.answered(first.history.apply(step), **_asked(first) | {"question": "And of B?"})
        >>> second = replace(first, **again)
        >>> second.question, second.moved(second.history.undo())["question"]
        ('And of B?', 'How many?')
        """
        before = self.asks or ({"at": 0, **_asked(self)},)
        asks = (*(one for one in before if one["at"] < history.at), {"at": history.at, **facts})
        return {**facts, "history": history, "asks": asks}

    def moved(self, history: DraftHistory) -> dict[str, Any]:
        """What changes where the SQL becomes `history`'s: its question comes with it."""
        if not self.asks or self.history is None:
            return {"history": history}
        same = history.steps == self.history.steps  # else what was undone before is forgotten
        asks = tuple(one for one in self.asks if same or one["at"] < history.at)
        last = [one for one in asks if one["at"] <= history.at][-1]
        facts = {name: _as_kept(last[name]) for name in OF_A_QUESTION}
        return {**facts, "history": history, "asks": asks}

    def has(self, words: list[str]) -> bool:
        """Whether each of the words (case-folded) is in its title, question or SQL."""
        text = f"{self.title}\n{self.question}\n{self.sql}".casefold()
        return all(word in text for word in words)

    def to_json(self) -> dict[str, Any]:
        """The draft as plain data."""
        plain = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("history", "proposals")
        }
        return {
            "format": FORMAT,
            **plain,
            "history": self.history.to_json() if self.history is not None else None,
            "proposals": {id: step.to_json() for id, step in self.proposals.items()},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> KeptDraft:
        """The draft that `to_json` wrote; for anything else `UsageError`, `ValueError` or `KeyError`."""
        if data.pop("format") != FORMAT:
            raise ValueError("another format")
        history = data.pop("history")
        proposals = {id: Refinement.from_json(row) for id, row in data.pop("proposals").items()}
        for name in ("attempts", "notes", "asks"):
            data[name] = tuple(data.get(name, ()))
        past = DraftHistory.from_json(history) if history is not None else None
        return cls(**data, history=past, proposals=proposals)


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A session as it is on disk."""

    id: str
    title: str
    created: str
    changed: str


def _asked(draft: KeptDraft) -> dict[str, Any]:
    return {name: getattr(draft, name) for name in OF_A_QUESTION}


def _as_kept(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
