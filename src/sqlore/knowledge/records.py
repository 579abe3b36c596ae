"""What learning hands to the store, and what the store tells of itself."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlore.model import ParsedScript, Rejected, Script, Trust
from sqlore.sql.placeholders import is_placeholder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
else:
    Vectors = Any

__all__ = [
    "Added",
    "Batch",
    "Change",
    "Description",
    "Health",
    "Known",
    "NewScript",
    "Sighting",
    "Source",
    "Stats",
    "Text",
    "Use",
    "examples_of",
    "key_hash",
    "rejected_hash",
    "script_hash",
]

Source = Literal["rule", "model", "person"]
"""Who wrote a name or a description. A person's text is never replaced by the other two."""

_WORD = re.compile(r"\w+")


def examples_of(values: Iterable[str], most: int) -> tuple[str, ...]:
    """The first value seen and the next different ones; a parameter takes no place that a value may have.

    >>> examples_of(["$1", "$2", "DC", "DC", "Image"], 3)
    ('$1', 'DC', 'Image')
    """
    different = dict.fromkeys(values)
    kept = (one for number, one in enumerate(different) if number == 0 or not is_placeholder(one))
    return tuple(islice(kept, most))


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def key_hash(key: str) -> int:
    """A 63-bit number for a fragment's `key` or an embedded text, the same on every machine.

    >>> 0 <= key_hash("output: distinct") < 2**63
    True
    """
    return _hash(key)


def script_hash(script: Script) -> int:
    """Identity of what was read: the SQL as written, with the words written about it.

    The same SQL under another question is other knowledge: both questions must be found.

    >>> script_hash(Script("SELECT 1", key="1")) == script_hash(Script("SELECT 1", key="2"))
    True
    >>> script_hash(Script("SELECT 1", question="one?")) == script_hash(Script("SELECT 1"))
    False
    """
    return _hash("\0".join((script.sql, script.text or "", script.evidence or "")))


def rejected_hash(rejected: Rejected) -> int:
    """Identity of a script that was not learned: its text, and its place where it has no text."""
    script = rejected.script
    if script.sql.strip():
        return script_hash(script)
    return _hash("\0".join((script.source or "", str(rejected.line or script.line or ""), rejected.message)))


@dataclass(frozen=True, slots=True)
class Description:
    """A short name (2-6 words) and a sentence in plain language, good enough to retrieve by."""

    name: str
    text: str

    @property
    def words(self) -> str:
        """What is embedded: the sentence, led by the name where the name says something more.

        >>> Description("net revenue", "total amount where status is P").words
        'net revenue: total amount where status is P'
        >>> Description("total amount", "the total amount").words
        'the total amount'
        """
        missing = set(_WORD.findall(self.name.lower())) - set(_WORD.findall(self.text.lower()))
        return f"{self.name}: {self.text}" if missing else self.text


@dataclass(frozen=True, slots=True)
class NewScript:
    """One text to store. `hash` is `script_hash` of its script."""

    parsed: ParsedScript
    hash: int


class Sighting(NamedTuple):
    """Where a text was seen: how often in that source in all, by whom, and when first and last.

    `runs` is the count of the whole source, not an increment: storing it twice changes nothing. `poorer` are
    the hash and author of readings of the same text that say less of it, each with how often this run has
    seen it in this source; this one is `among` fuller ones where the run has seen such.
    """

    hash: int
    source: str
    author: str
    runs: int
    first: str | None = None
    last: str | None = None
    poorer: tuple[tuple[int, str, int], ...] = ()
    among: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """What one transaction adds.

    `descriptions` and `aliases` go by the fragments' keys, `vectors` by the embedded text. Items whose
    description is not given keep the one they have.
    """

    scripts: Sequence[NewScript] = ()
    rejected: Sequence[tuple[Rejected, int]] = ()
    sightings: Sequence[Sighting] = ()
    descriptions: Mapping[str, Description] = field(default_factory=dict)
    aliases: Mapping[str, Sequence[str]] = field(default_factory=dict)
    vectors: Mapping[str, Vectors] = field(default_factory=dict)
    synthetic: bool = False


@dataclass(frozen=True, slots=True)
class Added:
    """What a batch changed: scripts that are new, texts folded into a script, new items.

    `completed` are the texts that were known, and of which more is known now.
    """

    new: int = 0
    folded: int = 0
    items: int = 0
    rejected: int = 0
    completed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Text:
    """One stored text of a script, with what was written about it; `words` is its question or comment.

    Nobody ran a `synthetic` one, a model wrote it.
    """

    id: int
    script: int
    sql: str
    key: str = ""
    words: str = ""
    synthetic: bool = False
    trust: Trust = "unverified"
    comment: str = ""


class Use(NamedTuple):
    """Text `text` uses item `item` with these literals."""

    text: int
    item: int
    literals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What the store has of an item when new texts arrive that use it.

    `values` are the first few single literals seen with it, in the order they were first seen; it is
    `synthetic` where no script that somebody ran uses it.
    """

    id: int
    sql: str
    source: Source
    described: Description
    values: tuple[str, ...] = ()
    synthetic: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of an item's history.

    `what` is ``trust``, ``name``, ``description``, ``aliases``, ``stale`` or ``merged``: then `new` is the
    item that it was merged into.
    """

    item: int
    version: int
    what: str
    old: str
    new: str
    who: str
    why: str
    time: str


@dataclass(frozen=True, slots=True)
class Stats:
    """How much a store holds: scripts, the distinct texts read of them, and all their runs.

    `bytes` is the size of its file. `synthetic` of the scripts were written by a model, and
    `synthetic_items` of the items are known from these alone; neither has any runs.
    """

    scripts: int
    texts: int
    items: int
    rejected: int
    runs: int
    bytes: int
    by_kind: Mapping[str, int] = field(default_factory=dict)
    by_reason: Mapping[str, int] = field(default_factory=dict)
    by_trust: Mapping[Trust, int] = field(default_factory=dict)
    by_source: Mapping[str, int] = field(default_factory=dict)
    stale: int = 0
    synthetic: int = 0
    synthetic_items: int = 0

    @property
    def bytes_per_script(self) -> float:
        """File size over the number of texts it holds."""
        return self.bytes / max(1, self.texts)


@dataclass(frozen=True, slots=True)
class Health:
    """Whether a store can be relied on; `problems` says what is wrong and what to do, one a line."""

    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems
