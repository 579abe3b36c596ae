"""The words of the API for the examples that a model made for a database, and what people say of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from sqlore.interfaces.http.contract import Given, Who
from sqlore.interfaces.http.contract_jobs import Job
from sqlore.prompts.da_gp_review import EntryState

__all__ = ["Example", "ExampleCounts", "ExampleDecided", "ExampleDecision", "ExamplePage"]


class Example(BaseModel):
    """A question with its SQL, made after `pattern`, the SQL of the training database `source`.

    `changed`: a person wrote its texts. `by` and `at`: who said something of it last, and when. `problem`
    says why it is not used though somebody wrote it. `failed` counts what the model wrote in vain, by what
    was wrong with it. `item` is its query in the store, where it was learned.
    """

    key: str
    number: int = Field(description="Its place among the examples, from 1.")
    source: str
    pattern: str
    question: str = ""
    sql: str = ""
    state: EntryState
    changed: bool = False
    by: str = ""
    at: str = ""
    problem: str = ""
    failed: dict[str, int] = {}
    version: str = Field(description="Changes with whatever a person can change.")
    item: int | None = None


class ExampleCounts(BaseModel):
    """How many examples are in each state."""

    waiting: int = 0
    approved: int = 0
    rejected: int = 0
    missing: int = 0


class ExamplePage(BaseModel):
    """Examples that fit, how many they are, and of all examples how many are in each state.

    `file` is where they are kept; a person may edit it.
    """

    examples: list[Example]
    total: int
    offset: int = 0
    counts: ExampleCounts
    file: str = ""


class ExampleDecision(Given):
    """What a person says of an example; other texts are tried on the database first.

    `version` is that of the example as it was seen: 409 where it was changed since.
    """

    state: EntryState
    question: Annotated[str, Field(max_length=20_000)] | None = None
    sql: Annotated[str, Field(max_length=200_000)] | None = None
    who: Who = None
    version: str | None = None


class ExampleDecided(BaseModel):
    """An example after a decision, and the job that brings the store up to date, if it has to be."""

    example: Example
    job: Job | None = None
