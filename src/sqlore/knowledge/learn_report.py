"""What learning tells: how far it is, and what it did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlore.catalog import Catalog
from sqlore.model import RejectReason

__all__ = ["LearnProgress", "LearnReport", "Misnamed"]


@dataclass(frozen=True, slots=True)
class LearnProgress:
    """How far learning is: scripts read, those among them that were new, and those not understood."""

    read: int
    new: int
    folded: int
    known: int
    rejected: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Misnamed:
    """A learned script that names what the database does not have: its key, and which names."""

    script: int
    key: str
    what: str


@dataclass(frozen=True, slots=True)
class LearnReport:
    """What a run of learning did.

    `read` scripts were given: `known` were in the store already, `new` became scripts, `folded` are further
    texts of known scripts, `rejected` were not understood, by reason. `completed` are known texts that
    now have a question, an author or a time which they lacked. `items` are new knowledge items;
    `catalog` is the one given, with what the history says about names and codes. `misnamed` are new scripts
    that name what the database does not have: they are kept, and marked as stale.
    """

    read: int = 0
    new: int = 0
    folded: int = 0
    known: int = 0
    rejected: Mapping[RejectReason, int] = field(default_factory=dict)
    items: int = 0
    seconds: float = 0.0
    stages: Mapping[str, float] = field(default_factory=dict)
    catalog: Catalog | None = field(default=None, repr=False)
    misnamed: tuple[Misnamed, ...] = ()
    completed: int = 0
