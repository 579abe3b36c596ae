"""The words of sqlore as frozen dataclasses: what every room hands to the next.

Rooms exchange these values and nothing else. They hold plain data (strings, numbers, tuples), so they
can be pickled to a process pool, written as JSON and compared in tests. Offsets are character offsets
into the script's text, counted from 0, the end exclusive: ``script.sql[f.start:f.end] == f.sql``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

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
CitationStatus = Literal["cited", "near", "novel"]

VAL: Final = "<val>"
"""What stands for a literal in a skeleton."""


# ------------------------------------------------------------------ the database


@dataclass(frozen=True, slots=True)
class Column:
    """One column as the database describes it; `type` is the database's own spelling."""

    name: str
    type: str = ""
    nullable: bool = True
    primary_key: bool = False
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of this table refer to `ref_columns` of `ref_table`, pair by pair."""

    columns: tuple[str, ...]
    ref_table: str
    ref_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table or view; `schema` is None for the database's default schema."""

    name: str
    columns: tuple[Column, ...]
    schema: str | None = None
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str | None = None
    rows: int | None = None
    is_view: bool = False

    def column(self, name: str) -> Column | None:
        """The column of that name, whatever its case."""
        folded = name.lower()
        return next((c for c in self.columns if c.name.lower() == folded), None)


@dataclass(frozen=True, slots=True)
class Schema:
    """All tables of one database; `name` is the database's own name (BIRD's `db_id`).

    >>> schema = Schema((Table("molecule", (Column("label", "TEXT"),)),))
    >>> schema.table("Molecule").column("LABEL").type
    'TEXT'
    """

    tables: tuple[Table, ...]
    name: str = ""
    dialect: str = ""
    _index: dict[str, Table] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for table in reversed(self.tables):
            self._index[table.name.lower()] = table
            if table.schema:
                self._index[f"{table.schema}.{table.name}".lower()] = table

    def table(self, name: str) -> Table | None:
        """The table of that name (`table` or `schema.table`), whatever its case."""
        return self._index.get(name.lower())


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of a query: at most the row limit, `truncated` where there was more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    seconds: float = 0.0


# ------------------------------------------------------------------ SQL and history


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


# ------------------------------------------------------------------ knowledge


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


@dataclass(frozen=True, slots=True)
class RankedItem:
    """A knowledge item found for a question; `signals` says why (name of signal -> its share)."""

    item: KnowledgeItem
    score: float
    signals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RankedScript:
    """A script found for a question; `items` are the found items it holds."""

    script: StoredScript
    score: float
    items: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """Words of a question found among a column's values: `start`, `end` are offsets in the question."""

    table: str
    column: str
    value: str
    phrase: str
    start: int
    end: int
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What the history knows that touches a question, best first.

    `notes` say what did not go as asked; `usage` is what a language model cost, where one was asked.
    """

    question: str
    items: tuple[RankedItem, ...]
    scripts: tuple[RankedScript, ...]
    phrases: tuple[str, ...] = ()
    values: tuple[ValueMatch, ...] = ()
    milliseconds: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    usage: Usage | None = None

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The scripts as few-shot examples: (question, SQL), the most useful first.

        The description stands in where nobody wrote a question.
        """
        stored = [ranked.script for ranked in self.scripts]
        return tuple((one.script.text or one.description, one.script.sql) for one in stored)


# ------------------------------------------------------------------ answers


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model call cost. Tokens are the model's own; `cached` of `prompt` came from its cache."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    seconds: float = 0.0
    calls: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        cost = None
        if self.cost is not None or other.cost is not None:
            cost = (self.cost or 0.0) + (other.cost or 0.0)
        return Usage(
            self.prompt + other.prompt,
            self.cached + other.cached,
            self.completion + other.completion,
            self.seconds + other.seconds,
            self.calls + other.calls,
            cost,
        )


@dataclass(frozen=True, slots=True)
class Citation:
    """One fragment of a draft and the knowledge it comes from.

    ``cited``: an item of the same skeleton; ``near``: the most similar item, in `similarity`;
    ``novel``: nothing in the history is like it, `item` is None. `new_values` are literals of a cited
    fragment that the history never had in this place: the form is known, the value is not. `with_values`
    is how many of the `support` scripts have the pattern with just these values; None where a fragment has
    none, or is not cited. A `synthetic` item is one that only scripts of a model hold.
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


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer of the model on the way to a draft; `error` says why it was not taken."""

    sql: str
    error: str | None = None
    text: str = ""


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
    not know them.
    """

    phrase: str
    start: int
    end: int
    items: tuple[GoesWith, ...] = ()


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
