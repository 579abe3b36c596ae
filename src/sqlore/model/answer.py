"""An answer: generated SQL with its citations, how it came about, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sqlore.model.chat import Usage
from sqlore.model.history import Kind, Trust
from sqlore.model.retrieval import Retrieval
from sqlore.model.schema import Rows

__all__ = [
    "Attempt",
    "Citation",
    "CitationStatus",
    "Draft",
    "FromHistory",
    "GoesWith",
    "Uncovered",
]

CitationStatus = Literal["cited", "near", "novel"]


@dataclass(frozen=True, slots=True)
class Citation:
    """One fragment of a draft and the knowledge it comes from.

    ``cited``: an item of the same skeleton; ``near``: the most similar item, in `similarity`;
    ``novel``: nothing in the history is like it, `item` is None. `new_values` are literals of a cited
    fragment that the history never had in this place: the form is known, the value is not. `with_values`
    is how many of the `support` scripts have the pattern with just these values; None where a fragment has
    none, or is not cited; `parameter` says that the history has only parameters there, and so tells no value.
    A `synthetic` item is one that only scripts of a model hold. `warning` is what the author of a script says
    against it, where every script that has the item (with these values, if any has) is one of that sort.
    """

    start: int
    end: int
    kind: Kind
    sql: str
    status: CitationStatus
    item: int | None = None
    support: int = 0
    scripts: tuple[int, ...] = ()
    similarity: float = 0.0
    trust: Trust = "unverified"
    description: str = ""
    skeleton: str = ""
    new_values: tuple[str, ...] = ()
    synthetic: bool = False
    with_values: int | None = None
    parameter: bool = False
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer of the model on the way to a draft; `error` says why it was not taken.

    `refused` says what no query may do and it did: it was no query at all, or not a harmless one.
    """

    sql: str
    error: str | None = None
    text: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class GoesWith:
    """An item that the history uses where questions say some words.

    `sql` is its canonical text with the values that these scripts have; `scripts` are those whose questions
    say the words and whose SQL uses it.
    """

    item: int
    kind: Kind
    sql: str
    scripts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Uncovered:
    """Words of a question that nothing in a SQL answers: ``question[start:end] == phrase``.

    `items` are what the history uses where questions say them, the most telling first; none where it does
    not know them. `instead` is the value that the SQL has in place of the item's, where it has the same
    condition with another value. Without items it is the condition that the SQL has in place of the words.
    """

    phrase: str
    start: int
    end: int
    items: tuple[GoesWith, ...] = ()
    instead: str = ""


@dataclass(frozen=True, slots=True)
class FromHistory:
    """The script of the history that an answer is taken from, without a model.

    `changed` are (old, new) of each value that is another one; without any the question is the script's own.
    `others` name scripts that have another SQL for the same words.

    >>> FromHistory(7, "q7.sql:3", "ann", "2024-05-01T10:00:00", others=("old.sql:9",)).note
    'asked before: the SQL is that of script q7.sql:3 (ann, 2024-05-01), no model was asked; \
another SQL for the same words: old.sql:9'
    >>> FromHistory(7, "q12", changed=(("Marvel", "DC"),)).note
    'reused script q12 of the history with other values: Marvel -> DC'
    """

    script: int
    key: str
    author: str = ""
    time: str = ""
    changed: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """What a person is told."""
        if self.changed:
            values = ", ".join(f"{old} -> {new}" for old, new in self.changed)
            return f"reused script {self.key} of the history with other values: {values}"
        about = ", ".join(filter(None, (self.author, self.time[:10])))
        who = f" ({about})" if about else ""
        note = f"asked before: the SQL is that of script {self.key}{who}, no model was asked"
        if self.others:
            more = f" and {len(self.others) - 3} more" if len(self.others) > 3 else ""
            note += f"; another SQL for the same words: {', '.join(self.others[:3])}{more}"
        return note


@dataclass(frozen=True, slots=True)
class Draft:
    """Generated SQL with rows and citations. `sql` is empty where the model gave nothing usable.

    `notes` say how the answer came about where that is not the usual way. `uncovered` are words of the
    question that the SQL does not answer. `reused` is the script that it was taken from without a model.
    """

    question: str
    sql: str
    citations: tuple[Citation, ...] = ()
    result: Rows | None = None
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: str | None = None
    retrieval: Retrieval | None = None
    notes: tuple[str, ...] = ()
    uncovered: tuple[Uncovered, ...] = ()
    reused: FromHistory | None = None
