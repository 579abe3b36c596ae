"""What people ran and what it teaches: scripts, the fragments they are taken apart into, knowledge items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = [
    "KINDS",
    "VAL",
    "Form",
    "Fragment",
    "Kind",
    "KnowledgeItem",
    "Naming",
    "ParsedScript",
    "RejectReason",
    "Rejected",
    "Script",
    "StoredScript",
    "Trust",
]

Kind = Literal["calculation", "condition", "relation", "dimension", "output", "query"]
"""The five kinds of knowledge in SQL (BIRD-History, section 4 and A.2), and the whole query."""

KINDS: Final[tuple[Kind, ...]] = (
    "calculation",
    "condition",
    "relation",
    "dimension",
    "output",
    "query",
)

Form = Literal["clause", "edge", "formula", "predicate", "query"]
"""What a fragment is grammatically. A relation comes twice: as its FROM clause and as its join edges."""

Trust = Literal["unverified", "verified", "deprecated"]

VAL: Final = "<val>"
"""What stands for a literal in a skeleton."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """One piece of one script.

    `skeleton` is the canonical form with literals masked; `canonical` is the same text with the literals
    in place (``molecule.label = '+'``): what people, prompts and the describer read. `literals` are the
    values in order of appearance, strings without their quotes. `scope` is a path such as ``main``,
    ``cte:no_eye`` or ``main/subquery:1``. `tables` are base tables, `columns` are ``table.column``,
    both folded as in the skeleton, sorted, without duplicates.
    """

    kind: Kind
    sql: str
    skeleton: str
    canonical: str
    start: int
    end: int
    scope: str = "main"
    literals: tuple[str, ...] = ()
    form: Form = "clause"
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Identity of the knowledge: kind and skeleton.

        >>> Fragment("condition", "label='+'", "m.label = <val>", "m.label = '+'", 0, 9).key
        'condition: m.label = <val>'
        """
        return f"{self.kind}: {self.skeleton}"


@dataclass(frozen=True, slots=True)
class Naming:
    """A column or formula that a script named: ``SELECT label AS is_carcinogenic``."""

    expression: str
    alias: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """One SQL statement somebody ran, with what is known of it.

    `key` is the source's own identifier (BIRD's `question_id`, ``file.sql:12``); `question` is a question
    in plain language, `comment` the comment above the statement where it is not clearly a question.
    """

    sql: str
    key: str = ""
    question: str | None = None
    comment: str | None = None
    evidence: str | None = None
    author: str | None = None
    time: str | None = None
    runs: int = 1
    source: str | None = None
    line: int | None = None
    dialect: str | None = None
    database: str | None = None

    @property
    def text(self) -> str | None:
        """The best words somebody wrote about this script: its question, else its comment."""
        return self.question or self.comment


@dataclass(frozen=True, slots=True)
class ParsedScript:
    """A script taken apart; `skeleton` is the skeleton of its `query` fragment."""

    script: Script
    fragments: tuple[Fragment, ...]
    skeleton: str
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    namings: tuple[Naming, ...] = ()


RejectReason = Literal["unparsable", "not_a_query", "empty", "too_long", "unreadable"]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A script that was not learned: kept, counted, and shown with its reason."""

    script: Script
    reason: RejectReason
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class StoredScript:
    """A script in the store. `variants` counts the texts folded into it (same skeleton).

    Nobody ran any text of a `synthetic` one: a model wrote it.
    """

    id: int
    script: Script
    skeleton: str
    description: str
    items: tuple[int, ...] = ()
    variants: int = 1
    trust: Trust = "unverified"
    synthetic: bool = False


@dataclass(frozen=True, slots=True)
class KnowledgeItem:
    """A skeleton with everything known of it.

    `support` is the number of scripts that use it, `runs` the number of runs of those scripts.
    `literals` are the value tuples seen, most frequent first, each with its count. Where it is `synthetic`,
    no script that somebody ran uses it: its support is 0, `scripts` and `literals` are those of a model.
    """

    id: int
    kind: Kind
    form: Form
    skeleton: str
    sql: str
    name: str
    description: str
    support: int
    runs: int = 1
    aliases: tuple[str, ...] = ()
    literals: tuple[tuple[tuple[str, ...], int], ...] = ()
    scripts: tuple[int, ...] = ()
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    first_seen: str | None = None
    last_seen: str | None = None
    trust: Trust = "unverified"
    version: int = 1
    stale: str | None = None
    synthetic: bool = False
