"""The words of the API for explanations: nodes, items, figures. As `sqlore.answer.explain.model` has them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from sqlore.interfaces.http.contract import Cell, Given
from sqlore.model import CitationStatus, Form, Kind, Trust

__all__ = ["ExplainRequest", "Explained", "Figure", "FiguresRequest"]


class ExplainRequest(Given):
    """A query to be explained; with `baseline` nothing is cited."""

    sql: str = Field(max_length=200_000)
    baseline: bool = False


class FiguresRequest(Given):
    """Which figures are wanted: of all items and nodes, or only of those named."""

    only: list[str] | None = Field(default=None, description="Ids of nodes and items.")
    seconds: float = Field(default=10.0, gt=0, le=600, description="How long one figure may take.")


class ItemCitation(BaseModel):
    """Where the knowledge of an item comes from."""

    status: CitationStatus
    item: int | None = None
    support: int = 0
    similarity: float = 0.0
    trust: Trust = "unverified"
    description: str = ""
    new_values: list[str] = []
    synthetic: bool = False
    with_values: int | None = Field(
        default=None, description="How many of the scripts have the pattern with just these values."
    )
    parameter: bool = Field(default=False, description="The history has only parameters there, no values.")
    warning: str = Field(default="", description="What the authors of all its scripts say against them.")


class ExplainedItem(BaseModel):
    """One piece of knowledge in a node; `number` is its number for refinement, None where it has none."""

    id: str
    kind: Kind
    form: Form
    clause: str
    sql: str
    start: int
    end: int
    skeleton: str
    name: str
    description: str
    citation: ItemCitation | None = None
    number: int | None = None


class NodeColumn(BaseModel):
    """A column that a node gives."""

    name: str
    type: str | None = None


class Node(BaseModel):
    """A table, CTE, subquery or the final query; `sql` runs by itself and gives the node's rows.

    Where it cannot run by itself, `sql` is None and `reason` says why.
    """

    id: str
    name: str
    kind: str
    usage: str | None = None
    start: int
    end: int
    spans: list[tuple[int, int]] = []
    sql: str | None = None
    reason: str | None = None
    correlated: bool = False
    recursive: bool = False
    depends: list[str] = []
    columns: list[NodeColumn] = []
    columns_known: bool = True
    description: str = ""
    rows: int | None = None
    items: list[ExplainedItem] = []


class Edge(BaseModel):
    """`target` reads from `source`."""

    source: str
    target: str
    how: str


class Explained(BaseModel):
    """A query explained. `figures` are asked for with `POST /api/explanations/{id}/figures`."""

    id: str
    sql: str
    dialect: str
    description: str = ""
    citation: ItemCitation | None = None
    nodes: list[Node]
    edges: list[Edge]


# ------------------------------------------------------------------ figures


class Values(BaseModel):
    """Different values that a calculation gives."""

    type: Literal["values"]
    values: list[Cell]
    more: bool = False


class Counts(BaseModel):
    """Rows left by one condition alone, by all of its clause together, and without any of them.

    `empty` are tables without any row, where they leave none to be counted.
    """

    type: Literal["counts"]
    alone: int
    together: int | None = None
    total: int | None = None
    unit: Literal["rows", "groups"] = "rows"
    empty: list[str] = []


class Twice(BaseModel):
    """An aggregate whose result a join changes: it repeats rows of `tables`, `counted` values for `once`."""

    sql: str
    word: Literal["sum", "avg", "count"]
    tables: list[str]
    counted: int
    once: int


class JoinStep(BaseModel):
    """What one join does to the rows on its left side."""

    rows: int
    columns: int | None = None
    before: int | None = None
    lost: int | None = None
    unmatched: int | None = None
    multiplied: int | None = None


class Joined(JoinStep):
    """What a join does; `multiplies` where it makes several rows of one. `steps` of a whole FROM clause.

    `many` and `one` are what its sides are called. `twice` is what it makes wrong; None: not known.
    `empty` are tables without any row, where nothing is left. `unused` is the joined table where rows are
    lost and nothing else of it is used.
    """

    type: Literal["joined"]
    multiplies: bool = False
    steps: list[JoinStep] = []
    many: str = ""
    one: str = ""
    twice: list[Twice] | None = []
    empty: list[str] = []
    unused: str = ""


class Loose(BaseModel):
    """A SELECT column that is not grouped by: it has several values in so many of the groups."""

    sql: str
    several: int
    groups: int


class Groups(BaseModel):
    """The different values of a dimension; the most frequent ones, each with its rows."""

    type: Literal["groups"]
    distinct: int
    values: list[list[Cell]]
    rows: list[int]
    loose: list[Loose] = []


class Sample(BaseModel):
    """The first rows of a result."""

    type: Literal["sample"]
    columns: list[str]
    rows: list[list[Cell]]
    count: int | None = None
    before: int | None = None


Facts = Annotated[Values | Counts | Joined | Groups | Sample, Field(discriminator="type")]


class Figure(BaseModel):
    """Figures from the data for one item, or for a node where `item` is None.

    A ``slow`` one comes again. `text` says it in one line; `warning` is what must not be missed.
    """

    node: str
    item: str | None = None
    kind: str
    status: Literal["done", "slow", "timeout", "failed", "cancelled"]
    facts: Facts | None = None
    text: str = ""
    warning: str | None = None
    seconds: float = 0.0

    @classmethod
    def of(cls, data: dict[str, Any]) -> Figure:
        """The figure of `figure_json`, its values as JSON has them."""
        from sqlore.interfaces.http.plain import plain

        return cls.model_validate(plain(data))
