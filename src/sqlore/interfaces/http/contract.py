"""The words of the API that all of it uses: problems, citations, knowledge in short, pages of rows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sqlore.model import CitationStatus, Form, Kind, Trust

__all__ = [
    "Attempt",
    "Cell",
    "Citation",
    "Given",
    "ItemSummary",
    "Known",
    "KnownItem",
    "KnownScript",
    "Phrase",
    "Problem",
    "ResultColumn",
    "ResultPage",
    "ScriptSummary",
    "Shown",
    "Usage",
    "ValueMatch",
    "Who",
]

Cell = str | int | float | bool | None
"""A value as JSON has it: numbers that JavaScript cannot hold, dates and bytes are text."""

Who = Annotated[
    str | None, Field(max_length=200, description="Who says so; default: who started the server.")
]


class Shown(BaseModel):
    """What is answered: read from the domain's own values by their names."""

    model_config = ConfigDict(from_attributes=True)


class Given(BaseModel):
    """What is asked: nothing that is not known here is passed over in silence."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """What went wrong (RFC 9457). `kinds` are the classes of the error, the narrowest first."""

    type: str = Field(examples=["urn:sqlore:problem:unknown-name"])
    title: str
    status: int
    detail: str
    kinds: list[str] = []
    where: str | None = None
    hint: str | None = None
    position: int | None = Field(default=None, description="Offset in the SQL that was given, from 0.")
    line: int | None = None
    column: int | None = None
    errors: list[dict[str, Any]] = Field(
        default=[], description="Of a request that is not well formed: each place."
    )


class Usage(Shown):
    """What the model's calls cost."""

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    seconds: float = 0.0
    calls: int = 0
    cost: float | None = None


class Attempt(Shown):
    """One answer of the model on the way, and why it was not taken."""

    sql: str
    error: str | None = None


class Citation(Shown):
    """One fragment of a query and the knowledge it comes from; offsets in the query."""

    start: int
    end: int
    kind: Kind
    sql: str
    status: CitationStatus
    item: int | None = None
    support: int = 0
    scripts: list[int] = []
    similarity: float = 0.0
    trust: Trust = "unverified"
    description: str = ""
    skeleton: str = ""
    new_values: list[str] = []
    synthetic: bool = False
    with_values: int | None = Field(
        default=None, description="How many of the scripts have the pattern with just these values."
    )
    parameter: bool = Field(default=False, description="The history has only parameters there, no values.")
    warning: str = Field(default="", description="What the authors of all its scripts say against them.")


class ItemSummary(Shown):
    """One knowledge item in a list."""

    id: int
    kind: Kind
    form: Form
    skeleton: str
    sql: str
    name: str
    description: str
    support: int
    runs: int = 1
    aliases: list[str] = []
    tables: list[str] = []
    columns: list[str] = []
    trust: Trust = "unverified"
    version: int = 1
    stale: str | None = None
    synthetic: bool = False
    last_seen: str | None = None
    merged: int | None = Field(default=None, description="The item that this one was merged into.")


class ScriptSummary(Shown):
    """One script of the history."""

    id: int
    key: str
    question: str | None = None
    comment: str | None = None
    sql: str
    author: str | None = None
    time: str | None = None
    runs: int = 1
    source: str | None = None
    line: int | None = None
    description: str = ""
    variants: int = 1
    trust: Trust = "unverified"
    synthetic: bool = False


# ------------------------------------------------------------------ what is known of a question


class Phrase(Shown):
    """A part of the question that was compared with the knowledge; offsets in the question."""

    text: str
    start: int
    end: int
    kind: Literal["quoted", "group", "linked", "cue"]


class ValueMatch(Shown):
    """Words of the question found among the values of a column."""

    table: str
    column: str
    value: str
    phrase: str
    start: int
    end: int
    score: float = 1.0


class KnownItem(BaseModel):
    """A knowledge item that touches the question, and why."""

    item: ItemSummary
    score: float
    signals: dict[str, float] = {}


class KnownScript(BaseModel):
    """A script of the history that may serve as an example; `items` are the found items it holds."""

    script: ScriptSummary
    score: float
    items: list[int] = []


class GoesWith(Shown):
    """An item that the history uses where questions say some words, and the scripts that do."""

    item: int
    kind: Kind
    sql: str
    scripts: list[int] = []


class Uncovered(Shown):
    """Words of a question, and the items that the history uses where questions say them.

    `instead` is the value that the SQL has in place of the item's; empty where it has no such condition.
    """

    phrase: str
    start: int
    end: int
    items: list[GoesWith] = []
    instead: str = ""


class Known(BaseModel):
    """What is known that touches a question, before anything is generated."""

    question: str
    phrases: list[Phrase] = []
    values: list[ValueMatch] = []
    items: list[KnownItem] = []
    scripts: list[KnownScript] = []
    milliseconds: float = 0.0
    notes: list[str] = []
    said: list[Uncovered] = Field(
        default=[], description="Words that go with conditions in the history which are not among the items."
    )
    learned: bool = True


# ------------------------------------------------------------------ rows


class ResultColumn(BaseModel):
    """One column of a result; `kind` is what its values are, for grid and chart."""

    name: str
    kind: Literal["number", "text", "date", "boolean", "empty"]


class ResultPage(BaseModel):
    """A page of a result that the server keeps for a while under `id`.

    `fetched` rows were read of the database; where `truncated` there are more. `found` are those that the
    filter leaves.
    """

    id: str
    sql: str
    columns: list[ResultColumn]
    rows: list[list[Cell]]
    offset: int = 0
    fetched: int
    found: int
    truncated: bool = False
    seconds: float = 0.0
