"""The retriever: a question in, the knowledge that touches it out. No language model is called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from threading import Lock
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Final

from sqlore.embed import DEFAULT, Embedder, Remembering, load_embedder
from sqlore.errors import ModelUnavailable
from sqlore.model import RankedItem, Retrieval, ValueMatch
from sqlore.retrieve.deliver import best_first, covering, explained, folded, to_cover, worked_examples
from sqlore.retrieve.fuse import Ranker, by_sameness, by_trust
from sqlore.retrieve.learned import default_ranker
from sqlore.retrieve.loading import load_snapshot
from sqlore.retrieve.near import neighbourhood
from sqlore.retrieve.phrases import phrases
from sqlore.retrieve.request import question_of, said_of_length, whole_number, withheld
from sqlore.retrieve.rerank import CANDIDATES, Judge, Verdict, moved
from sqlore.retrieve.select import best_count
from sqlore.retrieve.shots import filled
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Floats, Snapshot

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.knowledge import Store

#: Tokens of worked examples that fit beside a schema in a small model's prompt.
BUDGET: Final = 1500
_UNLIMITED: Final = 10**9


class Stopwatch:
    """Milliseconds by stage; a stage that runs twice is added up."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        """Books the time since the last lap under `stage`."""
        now = perf_counter()
        self.milliseconds[stage] = self.milliseconds.get(stage, 0.0) + (now - self._last) * 1000
        self._last = now


class Retriever:
    """Finds what a store knows about a question: ``Retriever(store).retrieve(question, shots=4).pairs``.

    `store` is a store or the path of one's file, which is opened to read and closed with the retriever
    (``with Retriever(path) as retriever``). It is read into memory on the first question and again when it
    has changed. Without `embedder` the model that made the store's vectors is loaded (one behind an endpoint
    has to be given); a store without vectors is searched by words alone. `catalog` finds the database's
    values in questions; without one that which was saved in the store does, if any. `ranker` takes the
    place of the learned one; a `judge` is asked about the best candidates, and what it says changes their
    scores (`rerank.ModelFilter`: one call of a language model a question). Safe to share between threads.

    With `strict` False, names to `exclude` that nothing learned has are passed over: for a measurement, whose
    history may have twins, of which one is learned.

    Raises `StoreError` where there is no store at the path.
    """

    def __init__(
        self,
        store: Store | str | Path,
        embedder: Embedder | None = None,
        catalog: Catalog | None = None,
        *,
        ranker: Ranker | None = None,
        judge: Judge | None = None,
        strict: bool = True,
    ) -> None:
        self._opened_it = isinstance(store, (str, Path))
        self.store = _opened(store) if isinstance(store, (str, Path)) else store
        self.catalog = catalog or self.store.saved_catalog()
        self.ranker = ranker or default_ranker()
        self.judge = judge
        self.strict = strict
        self._embedder = embedder
        self._remembering: Remembering | None = None
        self._snapshot: Snapshot | None = None
        self._stamp: tuple[int, int] | None = None
        self._lock = Lock()

    def __enter__(self) -> Retriever:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the store where the retriever opened it."""
        if self._opened_it:
            self.store.close()

    def retrieve(
        self,
        question: str,
        *,
        shots: int | None = None,
        items: int = 20,
        scripts: int = 6,
        budget: int | None = None,
        exclude: Collection[int | str] = frozenset(),
    ) -> Retrieval:
        """The items that `question` needs, best first, and the scripts that hold them as worked examples.

        At most `items` items, as many as make the expected F1 of the set largest, near-identical ones once.

        `shots` None (the default): the fewest scripts that hold the items, and what is likely enough to be
        worth an example; at most `scripts` of together at most `budget` tokens (`BUDGET`). A number, for a
        few-shot pipeline: exactly so many scripts, or all there are where the history has fewer; scripts of
        one skeleton are one. Those that hold most of the items come first, then those that add most to them;
        `scripts` says nothing then, and a `budget` holds only where it is given.

        `exclude` withholds scripts by sqlore's id (a number), or single texts by their source's key (text),
        with all that was learned from them alone.

        Raises `StoreEmbeddingError` where the store's vectors are another model's, `ModelUnavailable` where
        the embedding model cannot be used, `UsageError` for a number that is none or negative, and for a name
        in `exclude` that is unknown or means two scripts (`request.withheld`).
        """
        items, most = whole_number("items", items), whole_number("scripts", scripts)
        number = 0 if shots is None else whole_number("shots", shots)
        most, room = (most, BUDGET) if shots is None else (number, _UNLIMITED)
        room = room if budget is None else whole_number("budget", budget)
        watch = Stopwatch()
        asked = self.look_up(question, exclude, watch)
        scores, shares = self._score(asked)
        watch.lap("rank")
        scores, verdict = self._judged(asked, scores, shares)
        if self.judge is not None:
            watch.lap("filter")
        ranking = folded(asked.snapshot, best_first(scores))
        chosen = ranking[: min(items, best_count(scores[ranking]))]
        wanted = to_cover(chosen, ranking, scores)
        delivered = covering(asked, wanted, scores, most=most, budget=room)
        further = filled(asked, delivered, scores, number=number, budget=room)
        watch.lap("select")
        shown = worked_examples(asked, delivered, chosen, wanted, scores, self.store.scripts)
        for row in further:  # in the order in which they add to those before
            shown += worked_examples(asked, [row], chosen, wanted, scores, self.store.scripts)
        ranked = explained(asked, chosen, scores, shares, self.ranker.names)
        watch.lap("fetch")
        return Retrieval(
            question,
            ranked,
            shown,
            tuple(phrase.text for phrase in asked.phrases),
            tuple(asked.values),
            watch.milliseconds,
            (*said_of_length(question), *((verdict.note,) if verdict.note else ())),
            verdict.usage,
        )

    def rank(
        self, question: str, *, limit: int = 40, exclude: Collection[int | str] = frozenset()
    ) -> tuple[RankedItem, ...]:
        """The `limit` best items for `question`, without choosing among them. Raises as `retrieve`."""
        asked = self.look_up(question, exclude)
        scores, shares = self._score(asked)
        scores, _ = self._judged(asked, scores, shares)
        return explained(asked, best_first(scores)[:limit], scores, shares, self.ranker.names)

    # -------------------------------------------------- what is looked up for a question

    def look_up(
        self, question: str, exclude: Collection[int | str] = frozenset(), watch: Stopwatch | None = None
    ) -> Asked:
        """Everything that a ranker is given for `question`, its first words. Raises as `retrieve`."""
        watch = watch or Stopwatch()
        question = question_of(question)
        snapshot = self._current()
        left_out = withheld(exclude, snapshot, self.store, strict=self.strict)
        watch.lap("load")
        parts = phrases(question)
        watch.lap("phrases")
        vector = self._embed(snapshot, question)
        watch.lap("embed")
        values = self._values(question)
        watch.lap("values")
        near, alive = neighbourhood(snapshot, question, snapshot.alive(left_out), vector, values)
        watch.lap("near")
        return Asked(question, near, alive, parts, vector, values=values)

    @property
    def snapshot(self) -> Snapshot:
        """What the store knows now, as arrays."""
        return self._current()

    def _current(self) -> Snapshot:
        with self._lock:
            stamp = self.store.stamp()
            if self._snapshot is None or stamp != self._stamp:
                self._snapshot = load_snapshot(self.store)
                self._stamp = stamp
            return self._snapshot

    def _embed(self, snapshot: Snapshot, question: str) -> Floats | None:
        if not snapshot.text_vectors.shape[1] or not question.strip():
            return None
        with self._lock:
            if self._remembering is None:
                embedder = self._embedder or self._own_embedder()
                self.store.require_embedder(embedder)
                self._remembering = Remembering(embedder)
        vector: Floats = self._remembering.embed([question])[0]
        return vector

    def _own_embedder(self) -> Embedder:
        name = self.store.meta("embedder") or DEFAULT
        if name.startswith("openai:"):
            # The store knows the model, not the address; a question must not go to an address nobody gave.
            raise ModelUnavailable(
                f"the store's vectors were made by the endpoint model {name}",
                hint="name the embedding model with its address: openai:MODEL@BASE_URL",
            )
        return load_embedder(name)

    def _values(self, question: str) -> Sequence[ValueMatch]:
        return () if self.catalog is None else self.catalog.values.match(question)

    def _score(self, asked: Asked) -> tuple[Floats, Floats]:
        scores, shares = self.ranker.rank(asked)
        return by_trust(asked, by_sameness(asked, scores)), shares

    def _judged(self, asked: Asked, scores: Floats, shares: Floats) -> tuple[Floats, Verdict]:
        """The scores after the judge's verdict on the best, near-identical ones once."""
        rows = folded(asked.snapshot, best_first(scores), most=CANDIDATES) if self.judge else []
        if self.judge is None or not rows:
            return scores, Verdict(None)
        items = [r.item for r in explained(asked, rows, scores, shares, self.ranker.names)]
        # descriptions tell values, also those of withheld scripts
        verdict = self.judge(asked.question, items, not asked.alive.all())
        if verdict.kept is not None:
            scores = scores.copy()
            scores[rows] = moved(scores[rows].tolist(), verdict.kept)
        return scores, verdict


def _opened(path: str | Path) -> Store:
    from sqlore.knowledge import Store

    return Store.open(path, read_only=True)
