"""The words of the API for the data dictionary."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from sqlore.interfaces.http.contract import Given
from sqlore.interfaces.http.contract_jobs import Job

__all__ = [
    "Alias",
    "ColumnEntry",
    "CompletionRequest",
    "DictionaryPatch",
    "Meaning",
    "Sample",
    "Saved",
    "Saying",
    "TableEntry",
    "TableSummary",
]

Source = Literal["database", "file", "history", "person", "model"]


class Saying(BaseModel):
    """What one source says of a table or column; the most trusted source comes first."""

    source: Source
    description: str = ""
    name: str = ""
    synonyms: list[str] = []
    support: int = Field(default=1, description="Of the history: how many scripts say so.")


class TableSummary(BaseModel):
    """A table in a list. `source` says where its description comes from."""

    name: str
    rows: int | None = None
    columns: int
    is_view: bool = False
    called: str = Field(description="Its name in words.")
    description: str = ""
    source: Source | None = None
    sensitive: bool = False
    items: int = Field(default=0, description="Knowledge items that name it.")


class Sample(BaseModel):
    """A value of a column and how often it is there, among the rows looked at."""

    value: str
    count: int


class Meaning(BaseModel):
    """What a coded value means."""

    value: str
    meaning: str
    source: Source


class Alias(BaseModel):
    """What scripts of the history call a column, and how many do."""

    name: str
    support: int


class ColumnEntry(BaseModel):
    """A column with what is in it and what is known of it."""

    name: str
    type: str = ""
    nullable: bool = True
    primary_key: bool = False
    references: str | None = Field(default=None, description="The column that it refers to.")
    called: str = Field(description="Its name in words.")
    description: str = ""
    source: Source | None = None
    synonyms: list[str] = []
    sensitive: bool = False
    kind: str = ""
    distinct: int | None = None
    filled: int | None = None
    complete: bool = Field(default=False, description="Whether all rows were looked at.")
    minimum: str | None = None
    maximum: str | None = None
    skipped: str | None = Field(default=None, description="Why its values were not looked at.")
    samples: list[Sample] = []
    meanings: list[Meaning] = []
    aliases: list[Alias] = []
    said: list[Saying] = []
    items: int = 0


class TableEntry(TableSummary):
    """A table with its columns."""

    said: list[Saying] = []
    entries: list[ColumnEntry] = []


class DictionaryPatch(Given):
    """What a person says of a table, or of a column; what is not given stays, empty text is taken back.

    `meanings` are those of values; None takes one back.
    """

    table: str = Field(max_length=500)
    column: str | None = Field(default=None, max_length=500)
    description: str | None = Field(default=None, max_length=4000)
    name: str | None = Field(default=None, max_length=200)
    synonyms: list[str] | None = Field(default=None, max_length=50)
    sensitive: bool | None = None
    meanings: dict[str, str | None] = {}


class Saved(BaseModel):
    """The table as it is known now, and the job that describes and embeds anew what it touches."""

    table: TableEntry
    job: Job | None = None


class CompletionRequest(Given):
    """A description that was begun, for the model to complete."""

    table: str = Field(max_length=500)
    column: str | None = Field(default=None, max_length=500)
    begun: str = Field(default="", max_length=2000)
