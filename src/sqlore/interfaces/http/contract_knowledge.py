"""The words of the API for knowledge and learning."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from sqlore.interfaces.http.contract import Given, ItemSummary, ScriptSummary, Shown, Who
from sqlore.model import Kind, RejectReason, Trust

__all__ = [
    "Describing",
    "ItemChange",
    "ItemDetail",
    "ItemPage",
    "LearnRequest",
    "Lesson",
    "LiteralUse",
    "Merging",
    "RankedItem",
    "Rejected",
    "ScriptDetail",
    "ScriptFragment",
    "ScriptText",
    "TrustRequest",
    "Upload",
    "Verdict",
    "WarmRequest",
]

Why = Annotated[str, Field(max_length=2000, description="The reason; kept with the item's version.")]


class ItemPage(BaseModel):
    """Knowledge items that fit, and how many there are in all."""

    items: list[ItemSummary]
    total: int
    offset: int = 0


class RankedItem(BaseModel):
    """An item that was searched for, with what spoke for it."""

    item: ItemSummary
    score: float
    signals: dict[str, float] = {}


class LiteralUse(BaseModel):
    """Values that were seen in the places of an item, and in how many texts."""

    values: list[str]
    count: int


class ItemChange(Shown):
    """What was changed about an item, by whom, why and when; it made the item's version `version`."""

    version: int
    what: str
    old: str
    new: str
    who: str
    why: str
    time: str


class Verdict(BaseModel):
    """Who verified which version, and when; `outdated` where the item has changed since."""

    who: str
    why: str
    time: str
    version: int
    outdated: bool = False


class ItemDetail(ItemSummary):
    """Everything that is known of an item."""

    literals: list[LiteralUse] = []
    authors: list[str] = []
    first_seen: str | None = None
    scripts: list[ScriptSummary] = []
    scripts_total: int = 0
    changes: list[ItemChange] = []
    verified: Verdict | None = None
    merged_from: list[int] = []
    sensitive: list[str] = Field(default=[], description="Sensitive columns that it names.")


class TrustRequest(Given):
    """A verdict on an item. To deprecate takes a reason."""

    trust: Trust
    who: Who = None
    why: Why = ""


class Describing(Given):
    """A person's name or description of an item."""

    name: str | None = Field(default=None, min_length=1, max_length=200)
    description: str | None = Field(default=None, min_length=1, max_length=2000)
    who: Who = None
    why: Why = ""


class Merging(Given):
    """The item that is to be used in place of this one, and the reason."""

    into: int
    who: Who = None
    why: Why = Field(min_length=1)


# ------------------------------------------------------------------ scripts


class ScriptFragment(BaseModel):
    """One fragment of a script's own text and the item that it is a use of."""

    item: int
    kind: Kind
    start: int
    end: int
    scope: str


class ScriptText(BaseModel):
    """Another text of a script: other values, another question."""

    key: str
    question: str
    sql: str
    synthetic: bool = False


class ScriptDetail(ScriptSummary):
    """A script with its fragments, and its other texts."""

    fragments: list[ScriptFragment] = []
    texts: list[ScriptText] = []


# ------------------------------------------------------------------ learning


class Upload(BaseModel):
    """A file that was sent and is kept until it is learned."""

    id: str
    name: str
    bytes: int


class LearnRequest(Given):
    """What is to be learned: files that were uploaded, and SQL that was pasted."""

    uploads: list[str] = Field(default=[], max_length=1000)
    text: str | None = Field(default=None, max_length=5_000_000, description="SQL scripts, pasted.")
    name: str = Field(default="", max_length=100, description="What pasted text is called.")
    dialect: str | None = Field(default=None, max_length=50)
    format: str | None = Field(default=None, max_length=50)
    columns: dict[str, str] = Field(default={}, description="Which column holds sql, question, author, …")
    database: str | None = Field(default=None, max_length=200)


class Lesson(Given):
    """A draft's query that is right, to be learned like a script of the history.

    `question` is what it answers (default: the draft's own); `verify` also verifies its pieces.
    """

    question: str | None = Field(default=None, max_length=20_000)
    verify: bool = False
    who: Who = None
    why: Why = ""


class WarmRequest(Given):
    """Examples for a database without a history; with `approved` only those that a person approved."""

    approved: bool = False


class Dismissed(BaseModel):
    """How many scripts that were not learned are not listed any more."""

    dismissed: int


class Rejected(BaseModel):
    """A script that was kept and not learned, and why; `id` is what it is dismissed with."""

    id: str
    reason: RejectReason
    message: str
    sql: str
    source: str | None = None
    line: int | None = None
    question: str | None = None
    author: str | None = None
