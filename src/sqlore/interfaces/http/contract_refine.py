"""The words of the API for changes to a draft: its items, what may stand in their place, proposals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from sqlore.interfaces.http.contract import Given, Shown
from sqlore.interfaces.http.contract_drafts import Sql
from sqlore.model import Kind, Trust

__all__ = [
    "Proposal",
    "ProposalRequest",
    "RefineItem",
    "RefineOption",
    "SqlRequest",
    "WishRequest",
]


class RefineItem(Shown):
    """One item of a draft's query by its number; 0 is the whole query."""

    number: int
    kind: Kind
    clause: str
    scope: str
    sql: str
    start: int
    end: int
    skeleton: str = ""


class RefineOption(Shown):
    """An item of the history in the place of another: its text here, and the joins that it needs."""

    item: int
    sql: str
    support: int
    joins: list[str] = []
    description: str = ""
    trust: Trust = "unverified"
    similarity: float = 0.0
    synthetic: bool = False
    kind: Kind = "condition"
    values: list[list[str]] = []
    column_values: list[str] = []
    with_values: int | None = None


class EditAct(Given):
    """The item becomes `text`."""

    act: Literal["edit"]
    number: int = Field(ge=0)
    text: Sql


class ChooseAct(Given):
    """An item of the history in the place of an item; `text` is that of one of its alternatives."""

    act: Literal["choose"]
    number: int = Field(ge=0)
    item: int
    text: Sql | None = None


class OffAct(Given):
    """The item is taken out; `joins`: which of the joins that only it needed go with it."""

    act: Literal["off"]
    number: int = Field(ge=0)
    joins: Literal["same", "all", "none"] = "same"


class OnAct(Given):
    """What step `step` switched off comes back."""

    act: Literal["on"]
    step: int = Field(ge=1)


class AddAct(Given):
    """An item of the history is put into the right clause of a scope, with the values of a script."""

    act: Literal["add"]
    item: int
    scope: str = Field(default="main", max_length=500)
    script: int | None = None
    values: list[Annotated[str, Field(max_length=500)]] | None = Field(default=None, max_length=50)


class SqlAct(Given):
    """The whole SQL by hand."""

    act: Literal["sql"]
    text: Sql


ProposalRequest = Annotated[
    EditAct | ChooseAct | OffAct | OnAct | AddAct | SqlAct, Field(discriminator="act")
]


class WishRequest(Given):
    """An item as a person wishes it, in plain words; the model is asked where no rule is certain."""

    number: int = Field(ge=1)
    words: str = Field(min_length=1, max_length=2000)


class SqlRequest(Given):
    """The whole SQL of a draft, by hand."""

    sql: Sql


class Proposal(BaseModel):
    """A change that was not applied yet: look at `diff`, then `POST …/proposals/{id}/apply`.

    `spans` are the changed places as (start, end, start after, end after); `affected` are pieces that are
    written as before and mean something else.
    """

    id: str
    act: Literal["edit", "alternative", "off", "on", "add", "wish", "sql"]
    kind: Kind
    scope: str
    fragment: str
    text: str
    item: int | None = None
    said: str = ""
    of: int | None = None
    before: str
    after: str
    diff: str
    spans: list[list[int]]
    notes: list[str] = []
    affected: list[str] = []
