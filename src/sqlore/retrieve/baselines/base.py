"""What every retriever under comparison is given, and what it hands over."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np

from sqlore.embed import Embedder, Remembering
from sqlore.model import KnowledgeItem
from sqlore.retrieve.loading import load_snapshot
from sqlore.retrieve.phrases import phrases
from sqlore.retrieve.room import Room, length_in_tokens
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Bools, Floats, Snapshot

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.knowledge import Store
    from sqlore.llm import ChatModel

__all__ = [
    "MOST",
    "SHOTS",
    "Handed",
    "Order",
    "Piece",
    "Pool",
    "ScriptRetriever",
    "Shown",
    "TaskRetriever",
    "above",
    "key_of",
    "kind_of_key",
    "ranked",
    "skeleton_of_key",
]

T = TypeVar("T")
#: Whole scripts that a retriever with a threshold hands over at most.
MOST: Final = 10
#: Whole scripts that a few-shot selection hands over where nobody names a number.
SHOTS: Final = 5
#: Fragments of a ranking: enough for recall at 40; with scores, enough to draw a curve to its end.
_RANKED: Final = 40
_RANKED_BY_SCORE: Final = 400


@dataclass(frozen=True, slots=True)
class Piece:
    """One fragment handed over: its key (``kind: skeleton``), its SQL, and the script it was taken from."""

    key: str
    sql: str
    script: str


@dataclass(frozen=True, slots=True)
class Shown:
    """One whole script handed over, with the keys of its fragments in text order."""

    key: str
    fragments: tuple[str, ...]
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Handed:
    """What a retriever gives the generator.

    `fragments` are distinct, `ranking` holds keys best first (more of them than are handed over), `tokens`
    is about what the handed text takes in a prompt, `milliseconds` goes by stage. `scores` go with `ranking`
    and mean the same in every question, so that one threshold makes sense for all; they are empty where that
    is not so. `probabilities`: a score of 0.8 says that the fragment is needed four times in five.
    """

    fragments: tuple[Piece, ...] = ()
    scripts: tuple[Shown, ...] = ()
    ranking: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    probabilities: bool = False
    tokens: int = 0
    milliseconds: Mapping[str, float] = field(default_factory=dict)


class TaskRetriever(Protocol):
    """What the evaluation asks of a retriever. Anything with this shape can be compared."""

    @property
    def name(self) -> str: ...

    def retrieve(
        self,
        question: str,
        exclude: Collection[str] = frozenset(),
        *,
        shots: int | None = None,
        budget: int | None = None,
    ) -> Handed:
        """What the history holds for `question`.

        `exclude` names scripts, by their keys in the history, that must not be used in any way. At most
        `shots` whole scripts (None: as many as the retriever thinks right); with `budget`, as much of its
        ranking as fits in so many tokens, and `shots` says nothing.
        """
        ...


def key_of(item: KnowledgeItem) -> str:
    """The item's key, as `Fragment.key`."""
    return f"{item.kind}: {item.skeleton}"


def kind_of_key(key: str) -> str:
    """The kind that leads a key.

    >>> kind_of_key("condition: a.x = <val>"), skeleton_of_key("condition: a.x = <val>")
    ('condition', 'a.x = <val>')
    """
    return key.partition(": ")[0]


def skeleton_of_key(key: str) -> str:
    """The skeleton that follows the kind."""
    return key.partition(": ")[2]


class Pool:
    """One database's history, ready to be asked by any retriever.

    `model` serves the retrievers with a language model; `seed` what is drawn at random.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None = None,
        catalog: Catalog | None = None,
        *,
        model: ChatModel | None = None,
        seed: int = 0,
    ) -> None:
        self.store, self.catalog, self.model, self.seed = store, catalog, model, seed
        self.embedder = embedder
        self._kept: dict[str, Any] = {}

    def kept(self, what: str, make: Callable[[], T]) -> T:
        """What `make` gives, made once: for what several retrievers compute alike from the history."""
        if what not in self._kept:
            self._kept[what] = make()
        found: T = self._kept[what]
        return found

    @cached_property
    def snapshot(self) -> Snapshot:
        return load_snapshot(self.store)

    @cached_property
    def keys(self) -> list[str]:
        """The key of each item of the snapshot."""
        return [key_of(item) for item in self.snapshot.items]

    @cached_property
    def skeletons(self) -> dict[int, str]:
        """The skeleton of each script, by its id."""
        return {script.id: script.skeleton for script in self.store.scripts()}

    def ask(self, question: str, exclude: Collection[str], memory: Remembering | None) -> Asked:
        """The question looked up: its vector, its phrases, and which texts may be used."""
        parts = phrases(question)
        vectors = None
        if memory is not None and self.snapshot.text_vectors.shape[1] and question.strip():
            vectors = memory.embed([question, *(part.text for part in parts)])
        return Asked(
            question,
            self.snapshot,
            self.snapshot.alive(frozenset(exclude)),
            parts,
            None if vectors is None else vectors[0],
            None if vectors is None else vectors[1:],
        )

    def shown(self, row: int) -> Shown:
        """Text number `row` as a whole script."""
        text = self.snapshot.texts[row]
        held = tuple(self.keys[item] for item in self.snapshot.items_of_text[row])
        return Shown(text.key or str(text.id), held, length_in_tokens(text))

    def pieces(self, rows: Sequence[int]) -> tuple[Piece, ...]:
        """All fragments of these texts, each once, from the first text that has it."""
        found: dict[str, Piece] = {}
        for row in rows:
            text = self.snapshot.texts[row]
            for item in self.snapshot.items_of_text[row]:
                key = self.keys[item]
                if key not in found:
                    found[key] = Piece(key, self.snapshot.items[item].skeleton, text.key or str(text.id))
        return tuple(found.values())


class Order(NamedTuple):
    """Rows of texts, best first, and how many of them to take where the number is open.

    `scores`, one a text of the snapshot, where they mean the same in every question (a cosine does).
    """

    rows: list[int]
    enough: int
    scores: Floats | None = None


class ScriptRetriever:
    """A retriever of whole scripts: `order` ranks the texts, the rest is the same for all.

    `threshold` is a likeness from which a script is taken where the number of shots is open.
    """

    #: Whether the question's vectors are looked at; where not, embedding it is not part of the latency.
    embeds: bool = True

    def __init__(self, pool: Pool, name: str, threshold: float | None = None) -> None:
        self.pool = pool
        self.name = name
        self.threshold = threshold
        # A memory of its own, so that its latency holds the embedding of the question.
        self.memory = Remembering(pool.embedder) if pool.embedder is not None and self.embeds else None

    def order(self, asked: Asked) -> Order:
        """The texts in the order of this retriever."""
        raise NotImplementedError

    def retrieve(
        self,
        question: str,
        exclude: Collection[str] = frozenset(),
        *,
        shots: int | None = None,
        budget: int | None = None,
    ) -> Handed:
        """As `TaskRetriever.retrieve`: all fragments of the scripts taken."""
        started = perf_counter()
        asked = self.pool.ask(question, exclude, self.memory)
        embedded = perf_counter()
        order = self.order(asked)
        if budget is not None:
            taken = self._within(order.rows, budget)
        else:
            taken = order.rows[: order.enough if shots is None else shots]
        times = {"embed": (embedded - started) * 1000, "rank": (perf_counter() - embedded) * 1000}
        return self.handed(order, taken, times)

    def handed(self, order: Order, taken: Sequence[int], times: Mapping[str, float]) -> Handed:
        """The texts `taken` as what is handed over; `order` is the whole ranking."""
        scripts = tuple(self.pool.shown(row) for row in taken)
        ranking = self._ranking(order)
        return Handed(
            self.pool.pieces(taken),
            scripts,
            tuple(ranking),
            tuple(ranking.values()) if order.scores is not None else (),
            tokens=sum(script.tokens for script in scripts),
            milliseconds=times,
        )

    def _ranking(self, order: Order) -> dict[str, float]:
        """The fragments of the texts in their order; each has the score of the best text that holds it."""
        found: dict[str, float] = {}
        most = _RANKED if order.scores is None else _RANKED_BY_SCORE
        for row in order.rows:
            score = 0.0 if order.scores is None else float(order.scores[row])
            for item in self.pool.snapshot.items_of_text[row]:
                found.setdefault(self.pool.keys[item], score)
            if len(found) >= most:
                break
        return dict(list(found.items())[:most])

    def _within(self, rows: Sequence[int], budget: int) -> list[int]:
        """As many of the best as fit; one that is too long is passed over."""
        taken, room = [], Room(self.pool.snapshot, budget)
        for row in rows:
            if room.take(row):
                taken.append(row)
            if room.full:
                break
        return taken


def ranked(scores: Floats, usable: Bools) -> list[int]:
    """Rows that may be used, best first; equal scores in the order of the rows."""
    rows = np.flatnonzero(usable)
    best: list[int] = rows[np.argsort(-scores[rows], kind="stable")].tolist()
    return best


def above(scores: Floats, rows: Sequence[int], threshold: float | None) -> int:
    """How many of the ranked `rows` score at least `threshold`: at least one, at most `MOST`.

    Without a threshold it is `SHOTS`.

    >>> above(np.asarray([0.2, 0.9, 0.7]), [1, 2, 0], 0.6)
    2
    """
    if threshold is None:
        return min(SHOTS, len(rows))
    passed = sum(1 for row in rows if scores[row] >= threshold)
    return min(max(passed, 1), MOST, len(rows))
