"""Facts from the data about each item and node of an explanation, and the figures that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

FigureKind = Literal["calculation", "condition", "relation", "dimension", "output", "rows"]
"""As the kinds of knowledge; ``rows`` is what a node itself gives."""

Status = Literal["done", "slow", "timeout", "failed", "cancelled"]
"""``slow``: it takes longer than the others may wait; it comes again once they are through."""


@dataclass(frozen=True, slots=True)
class Values:
    """Different values that a calculation gives; `more` where there may be others."""

    values: tuple[Any, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows (of HAVING: groups) left by one condition `alone`, and by all of its clause `together`.

    `total` is how many there are without any of them. None where counting took too long. `empty` are tables
    without any row, where they leave none to be counted.
    """

    alone: int
    together: int | None
    total: int | None
    unit: Literal["rows", "groups"] = "rows"
    empty: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Twice:
    """An aggregate whose result a join changes, because it repeats rows of the `tables` it adds up.

    `sql` is the aggregate, `word` what it does (``sum``, ``avg``, ``count``); `counted` values are added up
    where there are `once` of different rows.
    """

    sql: str
    word: str
    tables: tuple[str, ...]
    counted: int
    once: int


@dataclass(frozen=True, slots=True)
class Joined:
    """What a join does: `before` rows on its left side become `rows`, with `columns` columns.

    `lost`: left rows that have no match and are gone; `unmatched`: those without a match that an outer join
    keeps. `multiplied`: rows too many, because left rows have several matches: several `many` for one `one`,
    where these have names. `steps` are the joins of a whole FROM clause one by one. `twice` are aggregates
    that are wrong because of it; None where that takes too long to say, or, if `unchecked`, was refused.
    `empty` are tables without any row, where nothing is left. `unused` is the joined table where rows are
    lost and nothing else of it is used.
    """

    rows: int
    columns: int | None = None
    before: int | None = None
    lost: int | None = None
    unmatched: int | None = None
    multiplied: int | None = None
    steps: tuple[Joined, ...] = ()
    many: str = ""
    one: str = ""
    twice: tuple[Twice, ...] | None = ()
    empty: tuple[str, ...] = ()
    unused: str = ""
    unchecked: bool = False

    @property
    def multiplies(self) -> bool:
        """Whether it makes several rows of one; what that changes is in `twice`."""
        return bool(self.multiplied) or any(step.multiplies for step in self.steps)


@dataclass(frozen=True, slots=True)
class Loose:
    """A SELECT column `sql` that is not grouped by: it has several values in so many of the `groups`."""

    sql: str
    several: int
    groups: int


@dataclass(frozen=True, slots=True)
class Groups:
    """The `distinct` different values of a dimension; the most frequent ones, each with its rows.

    `loose` are SELECT columns of which a group shows any one of several values (SQLite and MySQL allow that).
    """

    distinct: int
    values: tuple[tuple[Any, ...], ...]
    rows: tuple[int, ...]
    loose: tuple[Loose, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """The first rows of a result. `count` is how many there are, `before` how many the clause began with."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    count: int | None = None
    before: int | None = None


Facts = Values | Counts | Joined | Groups | Sample


@dataclass(frozen=True, slots=True)
class Figure:
    """Figures from the data for one item, or for a node where `item` is empty.

    `text` says them in one line; without facts it says why. `warning` is what a reader must not miss: a
    sum that counts rows twice, a condition that leaves nothing.
    """

    node: str
    item: str
    kind: FigureKind
    status: Status
    facts: Facts | None = None
    text: str = ""
    warning: str = ""
    seconds: float = 0.0
