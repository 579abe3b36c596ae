"""Learning a history: scripts -> fragments -> items, described, embedded and stored, batch by batch.

Each batch is one transaction, so that a run that is killed leaves whole batches behind and the next run goes
on from there. A text that the store knows is skipped by its hash before it is parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Final

from sqlore.catalog import Catalog, Dictionary, entries_from_namings, humanize
from sqlore.history import parse_all
from sqlore.knowledge.describe.describer import Describer
from sqlore.knowledge.learn_report import LearnProgress, LearnReport
from sqlore.knowledge.records import Batch, Description, Known, NewScript, Vectors, examples_of, script_hash
from sqlore.knowledge.sightings import Seen, clean, hash_of
from sqlore.model import Fragment, ParsedScript, Rejected, RejectReason, Schema, Script

if TYPE_CHECKING:
    from sqlore.embed import Embedder
    from sqlore.knowledge.store.store import Store

__all__ = ["learn"]

_AHEAD: Final = 250
_EXAMPLES: Final = 3
_SHORTEST_ALIAS: Final = 3


def learn(
    store: Store,
    scripts: Iterable[Script | Rejected],
    *,
    catalog: Catalog | None = None,
    schema: Schema | None = None,
    dialect: str | None = None,
    embedder: Embedder | None = None,
    on_progress: Callable[[LearnProgress], None] | None = None,
    workers: int = 1,
    batch: int = 200,
    retry: bool = False,
    synthetic: bool = False,
    whole: bool = False,
) -> LearnReport:
    """Learns scripts into a store. Learning the same again changes nothing.

    `schema` is the catalog's where it is not given. A text that was not understood is read again in another
    dialect than it was tried in; `retry` reads all of these again. `synthetic` marks scripts that sqlore made
    itself: they are no support of anything, and what they call columns and formulas is not learned. `whole`
    says that these are all scripts of their sources: what was not understood of one and is no longer in it
    was corrected, and is forgotten; and where the same SQL stands there with other words now, its runs are
    counted for these alone. Ctrl-C keeps every batch that was stored and is passed on. Raises
    `StoreEmbeddingError` where the store's vectors are another model's.
    """
    learner = _Learner(store, catalog, schema, dialect, embedder, on_progress, batch, retry, synthetic)
    report = learner.run(scripts, workers)
    if whole:
        store.forget_gone(learner.seen.by_source(), learner.seen.fresh)
    return report


class _Learner:
    """One run of learning."""

    def __init__(
        self,
        store: Store,
        catalog: Catalog | None,
        schema: Schema | None,
        dialect: str | None,
        embedder: Embedder | None,
        on_progress: Callable[[LearnProgress], None] | None,
        size: int,
        retry: bool,
        synthetic: bool,
    ) -> None:
        self.store, self.catalog, self.embedder = store, catalog, embedder
        self.schema = schema or (catalog.schema if catalog else None)
        self.dialect, self.size, self.retry, self.synthetic = dialect, size, retry, synthetic
        self.namings = store.namings()
        self._make_describer()
        self.seen = Seen()
        self.read = self.new = self.folded = self.known = self.items = 0
        self.completed: frozenset[int] = frozenset()
        self.rejected: Counter[RejectReason] = Counter()
        self.stages: dict[str, float] = {}
        self.started = perf_counter()
        self.on_progress = on_progress

    def run(self, scripts: Iterable[Script | Rejected], workers: int) -> LearnReport:
        self._prepare()
        outcomes = parse_all(
            self._unknown(scripts), dialect=self.dialect, schema=self.schema, workers=workers
        )
        while True:
            with self._timed("parse"):
                batch = list(islice(outcomes, self.size))
            if not batch:
                break
            self._store(batch)
        self._store([])
        return LearnReport(
            self.read,
            self.new,
            self.folded,
            self.known,
            dict(self.rejected.most_common()),
            self.items,
            perf_counter() - self.started,
            self.stages,
            self._catalog(),
            completed=len(self.completed),
        )

    def _prepare(self) -> None:
        """Ties an empty store to the embedding model, and checks a filled one against it."""
        if self.embedder is None:
            return
        self.store.require_embedder(self.embedder)
        if self.store.meta("embedder") is None:
            if self.store.stats().items:
                self.store.reembed(self.embedder)
            else:
                self.store.set_meta(embedder=self.embedder.name, dimension=self.embedder.dimension)

    def _unknown(self, scripts: Iterable[Script | Rejected]) -> Iterator[Script | Rejected]:
        """Those scripts whose text the store has not seen; every one is counted."""
        iterator, before = iter(scripts), set[int]()
        while ahead := [clean(one) for one in islice(iterator, _AHEAD)]:
            hashes = [hash_of(one) for one in ahead]
            self.seen.stored |= self.store.known_hashes(hashes, synthetic=self.synthetic)
            if not self.retry:
                tried = {number: self._dialect_of(one) for one, number in zip(ahead, hashes, strict=True)}
                self.seen.stored |= self.store.rejected_hashes(tried)
            for one, number in zip(ahead, hashes, strict=True):
                self.read += 1
                script = one.script if isinstance(one, Rejected) else one
                if not self.seen.add(number, script):
                    self.known += number in before
                    self.folded += number not in before
                elif number in self.seen.stored:
                    before.add(number)
                    self.known += 1
                else:
                    self.seen.fresh.add(number)
                    yield one

    def _dialect_of(self, one: Script | Rejected) -> str:
        """The dialect that a script is read in."""
        script = one.script if isinstance(one, Rejected) else one
        return script.dialect or self.dialect or ""

    def _tried(self, one: Rejected) -> Rejected:
        """With the dialect that it could not be read in, so that it is read again in another one."""
        return replace(one, script=replace(one.script, dialect=self._dialect_of(one) or None))

    def _store(self, outcomes: list[ParsedScript | Rejected]) -> None:
        """Describes, embeds and stores one batch."""
        parsed = [one for one in outcomes if isinstance(one, ParsedScript)]
        rejected = [(self._tried(one), hash_of(one)) for one in outcomes if isinstance(one, Rejected)]
        scripts = [NewScript(one, script_hash(one.script)) for one in parsed]
        with self._timed("describe"):
            self._learn_names(parsed)
            known = self._known(parsed)
            descriptions = self._describe(parsed, known)
            aliases = {} if self.synthetic else _aliases(parsed)
        with self._timed("embed"):
            vectors = self._embed(parsed, known, descriptions)
        with self._timed("store"):
            self.seen.stored.update(new.hash for new in scripts)
            self.seen.reject((number, one.script) for one, number in rejected)
            sightings = self.seen.take()
            if not (outcomes or sightings):
                return
            added = self.store.add(
                Batch(scripts, rejected, sightings, descriptions, aliases, vectors, self.synthetic)
            )
        self.new += added.new
        self.folded += added.folded
        self.items += added.items
        self.completed |= added.completed
        self.rejected.update(one.reason for one, _ in rejected)
        if self.on_progress is not None:
            self.on_progress(
                LearnProgress(
                    self.read,
                    self.new,
                    self.folded,
                    self.known,
                    self.rejected.total(),
                    perf_counter() - self.started,
                )
            )

    def _known(self, parsed: list[ParsedScript]) -> dict[str, Known]:
        """What is known of the items of a batch; what a model alone used is not known to who runs it."""
        known = self.store.known_items([f.key for one in parsed for f in one.fragments], _EXAMPLES)
        return {key: one for key, one in known.items() if self.synthetic or not one.synthetic}

    def _learn_names(self, parsed: list[ParsedScript]) -> None:
        """What the batch calls columns and codes goes into the dictionary before anything is described."""
        fresh = [] if self.synthetic else [naming for one in parsed for naming in one.namings]
        if fresh:
            self.namings += fresh
            self._make_describer()

    def _make_describer(self) -> None:
        self.describer = Describer(self._dictionary(), self.schema)

    def _dictionary(self) -> Dictionary:
        """The catalog's dictionary; what the history says in it is what the store knows of it now."""
        known = self.catalog.dictionary.entries if self.catalog else ()
        others = tuple(entry for entry in known if entry.source != "history")
        return Dictionary((*others, *entries_from_namings(self.namings)))

    def _describe(self, parsed: list[ParsedScript], known: Mapping[str, Known]) -> dict[str, Description]:
        """Descriptions of items that are new, or of which another of the first few values is seen."""
        uses: dict[str, list[Fragment]] = {}
        for script in parsed:
            for fragment in script.fragments:
                uses.setdefault(fragment.key, []).append(fragment)
        described: dict[str, Description] = {}
        for key, fragments in uses.items():
            first, item = fragments[0], known.get(key)
            values = list(item.values) if item else []
            if item is not None and (item.source != "rule" or first.kind == "query"):
                continue
            fresh = [f.literals[0] for f in fragments if len(f.literals) == 1]
            examples = list(examples_of([*values, *fresh], _EXAMPLES))
            if item is not None and examples == values:
                continue
            if item is not None:
                first = _with_text(first, item.sql, values)
            described[key] = self.describer.fragment(first, examples[1:])
        return described

    def _embed(
        self,
        parsed: list[ParsedScript],
        known: Mapping[str, Known],
        descriptions: Mapping[str, Description],
    ) -> dict[str, Vectors]:
        """Vectors of the words about scripts and of the new descriptions, by text."""
        if self.embedder is None:
            return {}
        texts = {one.script.text: None for one in parsed if one.script.text}
        texts |= {
            described.words: None for key, described in descriptions.items() if not key.startswith("query: ")
        }
        wordless = {f"query: {one.skeleton}" for one in parsed if not one.script.text}
        texts |= {
            (descriptions[key] if key in descriptions else known[key].described).words: None
            for key in sorted(wordless)
        }
        words = [text for text in texts if text]
        return dict(zip(words, self.embedder.embed(words), strict=True)) if words else {}

    def _catalog(self) -> Catalog | None:
        """The catalog with what the history calls things; the same one where that is in it already."""
        dictionary = self._dictionary()
        if self.catalog is None or dictionary.entries == self.catalog.dictionary.entries:
            return self.catalog
        return self.catalog.with_only(dictionary.entries)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        moment = perf_counter()
        yield
        self.stages[stage] = self.stages.get(stage, 0.0) + perf_counter() - moment


def _with_text(fragment: Fragment, canonical: str, values: list[str]) -> Fragment:
    """The fragment with the text and literal that its item was first seen with."""
    return replace(fragment, canonical=canonical, literals=tuple(values[:1]) or fragment.literals)


def _aliases(parsed: list[ParsedScript]) -> dict[str, list[str]]:
    """What scripts call their formulas: `sum(amount) AS net_revenue`, by the key of the calculation."""
    found: dict[str, list[str]] = {}
    for script in parsed:
        names = {naming.expression: naming.alias for naming in script.namings}
        for fragment in script.fragments:
            if fragment.kind == "calculation":
                alias = names.get(fragment.sql) or names.get(fragment.canonical)
                if alias and len(alias) >= _SHORTEST_ALIAS:
                    found.setdefault(fragment.key, []).append(humanize(alias))
    return found
