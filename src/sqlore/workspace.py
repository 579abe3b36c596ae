"""One database, its store and its models, opened when first needed: what every interface works with.

A workspace decides which database is meant and where its knowledge is kept; the work itself is done by
the rooms below.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlore.errors import StoreError, UsageError

if TYPE_CHECKING:
    from sqlore.answer.refine import Refiner
    from sqlore.answer.refine_history import DraftHistory
    from sqlore.catalog import Catalog, Entry
    from sqlore.catalog.current import Watch
    from sqlore.config import Settings
    from sqlore.embed import Embedder
    from sqlore.engines import Engine
    from sqlore.knowledge import LearnReport, Store
    from sqlore.llm import ChatModel
    from sqlore.llm.base import OnStep
    from sqlore.model import Draft, Retrieval, Schema, Script
    from sqlore.prompts.da_gp import PreparedAdapted
    from sqlore.prompts.da_gp_learn import WarmReport
    from sqlore.prompts.da_gp_review import Entry as Example
    from sqlore.prompts.da_gp_review import Review
    from sqlore.retrieve import Retriever

__all__ = ["Workspace", "asked", "open", "store_path"]

CURRENT = "current"

OnProgress = Callable[[str, int, int | None], None]
"""Told a stage, how much of it is done, and how much there is in all (None where not known)."""


def store_path(home: Path, url: str) -> Path:
    """Where the knowledge of a database is kept: a readable name and a hash of its place.

    >>> store_path(Path(".sqlore"), "sqlite:////data/shop.sqlite").name.startswith("shop-")
    True
    """
    from sqlore.engines import name_of

    name = name_of(url)
    # a database on a server may have any name, a file has one that files can have
    stem = (name if Path(name).name == name else re.sub(r"\W", "_", name))[:80] or "database"
    return home / f"{stem}-{hashlib.sha256(url.encode()).hexdigest()[:8]}.sqlore"


def asked(question: str) -> str:
    """The question as it can be stored and sent: half surrogates, which no encoding has, replaced.

    Raises:
        UsageError: it is empty.

    >>> asked(" how many? ")
    'how many?'
    """
    try:  # under a locale without UTF-8 Python keeps the bytes of arguments as half surrogates
        raw = question.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = question.encode("utf-8", "replace")
    clean = raw.decode("utf-8", "replace").strip()
    if not clean:
        raise UsageError("the question is empty", hint='sqlore ask "How many customers are active?"')
    return clean


def open(db: str | None = None, *, store: str | Path | None = None, **settings: Any) -> Workspace:
    """A workspace for a database URL or file; `settings` are those of `sqlore.config.Settings`.

    Raises:
        ConfigError: a setting cannot be used.
    """
    from sqlore.config import load_settings

    return Workspace(load_settings(db=db, store=store, **settings))


class Workspace:
    """A database with everything sqlore knows of it. Use it as a context manager."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.on_progress: OnProgress | None = None
        self._opened: list[Any] = []
        self._watch: Watch | None = None
        self._store_is: tuple[int, int] | None = None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes what was opened."""
        while self._opened:
            self._opened.pop().close()

    def _keep(self, thing: Any) -> Any:
        self._opened.append(thing)
        return thing

    # -------------------------------------------------------------- which database, which store

    @cached_property
    def engine(self) -> Engine:
        """The database, read-only.

        Raises:
            UsageError: no database was named, and the store does not remember one.
            ConnectError: it cannot be opened.
        """
        from sqlore.engines import connect

        url = self.settings.db or (self._remembered_url() if self.learned else None)
        if not url:
            raise UsageError("no database given", hint="name one with --db, SQLORE_DB or in sqlore.toml")
        engine: Engine = self._keep(connect(url))
        return engine

    @cached_property
    def store_file(self) -> Path:
        """The file of the store that belongs to this database; it need not exist yet."""
        if self.settings.store:
            return self.settings.store
        if self.settings.db:
            return store_path(self.settings.home, self.engine.url)
        pointer = self.settings.home / CURRENT
        if pointer.is_file():
            return self.settings.home / pointer.read_text(encoding="utf-8", errors="replace").strip()
        raise UsageError(
            "nothing has been learned here, and no database was given",
            where=str(self.settings.home),
            hint="sqlore learn --db FILE --history FOLDER",
        )

    @property
    def learned(self) -> bool:
        """Whether a store of this database exists."""
        try:
            return self.store_file.exists()
        except UsageError:
            return False

    def _remembered_url(self) -> str | None:
        return self.store.meta("database")

    @cached_property
    def store(self) -> Store:
        """The knowledge of this database.

        Raises:
            UsageError: nothing was learned yet.
            StoreError: the file is not a store, is damaged, or was made by a newer version.
        """
        from sqlore.knowledge import Store

        if not self.store_file.exists():
            raise UsageError(
                "nothing has been learned from this database yet",
                where=str(self.store_file),
                hint=f"sqlore learn --db {self.settings.db or 'FILE'} --history FOLDER;"
                f" where there is no history: sqlore warm --db {self.settings.db or 'FILE'}",
            )
        writable = os.access(self.store_file, os.W_OK) and os.access(self.store_file.parent, os.W_OK)
        store: Store = self._keep(Store.open(self.store_file, read_only=not writable))
        self._store_is = _identity(self.store_file)
        return store

    def look_at_store(self) -> None:
        """Lets go of a store whose file was deleted or replaced: what is written to it would be lost."""
        if "store" in self.__dict__ and _identity(self.store_file) != self._store_is:
            for name in ("store", "catalog", "retriever"):
                self.__dict__.pop(name, None)
            self._watch = None

    def _create_store(self) -> Store:
        from sqlore.knowledge import Store

        try:
            self.store_file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the folder of the store: {error.strerror}",
                             where=str(self.store_file.parent)) from None  # fmt: skip
        self.look_at_store()
        if self.store_file.exists():
            return self.store
        store: Store = self._keep(Store.create(self.store_file))
        self._store_is = _identity(self.store_file)
        self.__dict__["store"] = store
        return store

    # -------------------------------------------------------------- models and knowledge

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model; loaded here."""
        from sqlore.embed import load_embedder

        return load_embedder(self.settings.embedder)

    @cached_property
    def model(self) -> ChatModel:
        """The language model; loaded here or on its first call."""
        from sqlore.llm import load_model

        return load_model(self.settings.model, self.settings, progress=self._fetching)

    def _fetching(self, done: int, total: int) -> None:
        """Told how far the model's file is while it is fetched, once, before the first answer."""
        if self.on_progress is not None:
            self.on_progress("fetching the local model, MB", done >> 20, total >> 20)

    @cached_property
    def catalog(self) -> Catalog:
        """Schema, dictionary and value index as they were when last learned."""
        from sqlore.catalog import build_catalog

        saved = self._saved_catalog() if self.learned else None
        return saved or build_catalog(self.engine, dictionary_files=self.settings.dictionary)

    def look_again(self) -> None:
        """Takes up the tables and columns of the database, where they changed since the catalog was read.

        Where nothing changed that costs a look at the file, or one query of a server. A database that cannot
        be opened leaves things as they are, and so does one of which only a schema is known.
        """
        from sqlore.catalog.current import Watch

        known, engine = self.catalog, self.engine
        if self._watch is None:
            state = self.store.meta("state") if self.learned else ""
            if state is None:
                return
            same = not state or state == _state(engine, self.settings.dictionary)
            self._watch = Watch(engine.fingerprint() if same else None)
        fresh = self._watch.look(known, engine)
        if fresh is not known:
            self.__dict__["catalog"] = fresh
            self.__dict__.pop("retriever", None)

    @cached_property
    def retriever(self) -> Retriever:
        """Finds what the history knows that touches a question."""
        from sqlore.retrieve import ModelFilter, Retriever

        wanted = self.settings.retrieve_filter
        judge = ModelFilter(self.model, mask=self.settings.mask) if wanted else None
        return Retriever(self.store, self.embedder, self.catalog, judge=judge)

    # -------------------------------------------------------------- the jobs

    def learn(
        self,
        *sources: str | Path,
        schema: Schema | None = None,
        dialect: str | None = None,
        reembed: bool = False,
        on_progress: OnProgress | None = None,
        **reading: Any,
    ) -> LearnReport:
        """Learns every script of `sources`; what is already known is not learned again.

        `reembed` first makes all vectors anew with the embedding model now set, for a store of another one.
        `schema` takes the place of a database that is not at hand; `reading` goes to `read_history`.
        """
        from sqlore.history import read_history
        from sqlore.knowledge import learn
        from sqlore.sql.tokens import dialect_of

        if schema is None:
            dialect = dialect or self.engine.dialect
        if dialect:
            dialect_of(dialect)
        scripts = chain.from_iterable(read_history(s, dialect=dialect, **reading) for s in sources)
        first = list(islice(scripts, 1))  # a history that cannot be read leaves no empty store behind
        store = self._create_store()
        if reembed:
            store.reembed(self.embedder)
        catalog, last = self._fresh_catalog(schema, on_progress), store.last_script()
        report = learn(
            store,
            chain(first, scripts),
            catalog=catalog,
            dialect=dialect,
            embedder=self.embedder,
            on_progress=on_progress and (lambda p: on_progress("learning scripts", p.read, None)),
        )
        self._learned(report.catalog or catalog, catalog.schema)
        return self._checked(report, last)

    def teach(self, *scripts: Script) -> LearnReport:
        """Learns scripts that somebody has at hand, such as a query that was just checked."""
        from sqlore.knowledge import learn

        store = self._create_store()
        catalog, last = self._fresh_catalog(None, None), store.last_script()
        dialect = self.engine.dialect
        report = learn(store, scripts, catalog=catalog, dialect=dialect, embedder=self.embedder)
        self._learned(report.catalog or catalog, catalog.schema)
        return self._checked(report, last)

    def _checked(self, report: LearnReport, last: int) -> LearnReport:
        """The report with what the new scripts, behind the `last` one before, name that is not there."""
        from dataclasses import replace

        from sqlore.knowledge.learn import Misnamed

        gone = self.store.stale_scripts(last)
        found = (
            Misnamed(one.id, one.script.key or str(one.id), gone[one.id].removeprefix("the database has no "))
            for one in self.store.scripts(sorted(gone))
        )
        return replace(report, misnamed=tuple(found))

    def warm(
        self,
        *,
        review: Path | None = None,
        approved: bool = False,
        model: ChatModel | None = None,
        on_progress: OnProgress | None = None,
    ) -> tuple[WarmReport, PreparedAdapted]:
        """Adapts examples to the database with the model (`da_gp`) and learns them as synthetic scripts.

        What was adapted before, and what a person approved or wrote in the file `review`, is not made again.
        With `approved` only what a person approved is learned. Raises as `AdaptedPrompt.prepare`.
        """
        from sqlore.prompts.base import Setup
        from sqlore.prompts.da_gp import AdaptedPrompt
        from sqlore.prompts.training_set import training_set

        self.on_progress = on_progress
        model = model or self.model
        settings, state = self.settings, _state(self.engine, self.settings.dictionary)
        known = self.learned
        catalog = self._fresh_catalog(None, on_progress) if known else self.catalog
        mask = settings.mask and model.remote
        folder = settings.home / "prepared"
        setup = Setup(folder, settings.prompt_tokens, mask, self.engine, on_progress=on_progress)
        ready = AdaptedPrompt(review).prepare(catalog, training_set(settings.training), model, setup)
        store = self._create_store()
        if not known:
            store.set_meta(database=self.engine.url, state=state)
        elsewhere = str(review.resolve()) if review is not None else None
        store.set_meta(examples=elsewhere, examples_learned="approved" if approved else "all")
        return self._learn_examples(ready.entries, catalog, on_progress), ready

    def _learn_examples(
        self, entries: Sequence[Example], catalog: Catalog, on_progress: OnProgress | None
    ) -> WarmReport:
        from sqlore.prompts.da_gp_learn import learn_exemplars

        learned = self.store.meta("examples_learned") or ("all" if self.store.stats().synthetic else "")
        report = learn_exemplars(
            self.store,
            entries,
            catalog,
            self.embedder,
            approved=learned != "all",
            on_progress=on_progress and (lambda p: on_progress("learning examples", p.read, None)),
        )
        self._learned(report.learned.catalog or catalog, catalog.schema)
        return report

    @property
    def examples(self) -> Review:
        """The examples that `warm` made for the database, and what people said of them."""
        from sqlore.prompts.da_gp_review import Review, review_file

        schema = self.catalog.schema
        elsewhere = self.store.meta("examples") if self.learned else None
        file = review_file(self.settings.home / "prepared", schema.name, schema.dialect, self.engine.url)
        return Review(Path(elsewhere) if elsewhere else file, schema.name)

    def learn_examples(self, *, on_progress: OnProgress | None = None) -> WarmReport:
        """Makes the synthetic scripts of the store those of `examples`, as people left them.

        No model is asked. Those that wait are learned only where `warm` learned them too.
        """
        known, state = self.learned, _state(self.engine, self.settings.dictionary)
        catalog = self.catalog
        store = self._create_store()
        if not known:
            store.set_meta(database=self.engine.url, state=state)
        return self._learn_examples(list(self.examples.entries().values()), catalog, on_progress)

    def _learned(self, catalog: Catalog, schema: Schema) -> None:
        """Keeps what is known of the database; what was read of the store before is out of date."""
        self.store.save_catalog(catalog.to_json())
        self.store.mark_stale(schema)
        self.__dict__.pop("catalog", None)
        self.__dict__.pop("retriever", None)
        self._watch = None
        self._remember()

    def say(self, *entries: Entry, taken_back: Sequence[Entry] = ()) -> Catalog:
        """What a person says of tables, columns and values, in place of what a person said of them before.

        `taken_back` is not said any more; what a file or the database says shows again. Kept in the store,
        which is made where there is none. `redescribe` brings the descriptions up to date.
        """
        from dataclasses import replace

        from sqlore.catalog import Dictionary

        known, catalog = self.learned, self.catalog
        said = catalog.dictionary
        for entry in (*entries, *taken_back):
            said = said.without(entry.table, entry.column, entry.value, source="person")
        entries = tuple(replace(entry, source="person") for entry in entries)
        # added to nothing, the entries reach the value index as well
        fresh = replace(catalog, dictionary=Dictionary()).with_entries((*said.entries, *entries))
        store = self._create_store()
        if not known:
            store.set_meta(database=self.engine.url, state=_state(self.engine, self.settings.dictionary))
        store.save_catalog(fresh.to_json())
        self.__dict__["catalog"] = fresh
        self.__dict__.pop("retriever", None)
        if not known:
            self._remember()
        return fresh

    def redescribe(self, names: Collection[str], *, on_progress: OnProgress | None = None) -> tuple[int, int]:
        """Describes and embeds anew what names these tables and columns (``orders.amount``).

        Returns how many items were looked at and how many have new words.
        """
        from sqlore.knowledge.redescribe import redescribe

        return redescribe(
            self.store,
            self.catalog,
            names,
            embedder=self.embedder,
            on_progress=on_progress and (lambda done, total: on_progress("describing", done, total)),
        )

    def _fresh_catalog(self, schema: Schema | None, on_progress: OnProgress | None) -> Catalog:
        """The catalog as the database is now; what scripts and people said of it before is kept.

        A database and dictionary files that have not changed are not read again.
        """
        from sqlore.catalog import build_catalog, catalog_from_schema
        from sqlore.engines import connect

        files = self.settings.dictionary
        if schema is not None:
            return catalog_from_schema(schema, dictionary_files=files)
        state = _state(self.engine, files)
        saved = self._saved_catalog()
        if saved is not None and self.store.meta("state") == state:
            return saved
        # what files said is kept until other files are given
        replaced = {"database", "file"} if files else {"database"}
        said = [e for e in saved.dictionary.entries if e.source not in replaced] if saved else []
        with connect(self.engine.url) as engine:  # the file may be another one of the same name by now
            catalog = build_catalog(
                engine,
                dictionary_files=files,
                entries=said,
                on_progress=on_progress
                and (lambda done, total, _: on_progress("reading columns", done, total)),
            )
        self.store.set_meta(database=self.engine.url, state=state)
        return catalog

    def _saved_catalog(self) -> Catalog | None:
        from sqlore.catalog import Catalog

        saved = self.store.catalog()
        return None if saved is None else Catalog.from_json(saved)

    def _remember(self) -> None:
        """The store last learned into is the one meant where no database is named."""
        if self.store_file.parent == self.settings.home:
            (self.settings.home / CURRENT).write_text(self.store_file.name + "\n", encoding="utf-8")

    def retrieve(
        self, question: str, *, items: int = 20, scripts: int | None = None, shots: int | None = None
    ) -> Retrieval:
        """What the history knows that touches the question, best first.

        No language model is called, unless the setting `retrieve_filter` wants one. `shots`: exactly so many
        scripts, as in `Retriever.retrieve`.
        """
        most = self.settings.scripts if scripts is None else scripts
        return self.retriever.retrieve(asked(question), items=items, scripts=most, shots=shots)

    def ask(
        self,
        question: str,
        *,
        strategy: str = "history",
        on_progress: OnProgress | None = None,
        on_model: OnStep | None = None,
    ) -> Draft:
        """SQL that answers the question, with rows, and a citation for every fragment.

        With a strategy that uses no history, or where nothing was learned, nothing is retrieved.
        `on_progress` is told each stage, `on_model` how far the model is in it.
        """
        from sqlore.answer import ask
        from sqlore.prompts import load_strategy

        self.on_progress = on_progress
        self.look_again()
        uses_history = self.learned and load_strategy(strategy).history
        return ask(
            asked(question),
            engine=self.engine,
            catalog=self.catalog,
            retriever=self.retriever if uses_history else None,
            store=self.store if self.learned else None,
            model=self.model,
            strategy=strategy,
            settings=self.settings,
            embedder=lambda: self.embedder,
            on_progress=on_progress,
            on_model=on_model,
        )

    # -------------------------------------------------------------- the draft that is worked on

    def refiner(self, *, model: bool = False) -> Refiner:
        """What can be changed about a query over this database; `model`: also wishes that need one."""
        from sqlore.answer.refine import Refiner

        self.look_again()
        store = self.store if self.learned else None
        chosen = self.model if model and self.settings.model != "none" else None
        return Refiner(self.catalog, self.engine.dialect, store=store, model=chosen, settings=self.settings)

    def checked(self, sql: str, question: str = "") -> Draft:
        """A query checked, run and cited as `ask` does it."""
        from sqlore.answer.refine import checked_draft
        from sqlore.retrieve import Retriever

        self.look_again()
        store = self.store if self.learned else None
        return checked_draft(
            sql,
            engine=self.engine,
            catalog=self.catalog,
            store=store,
            settings=self.settings,
            question=question,
            snapshot=Retriever(store, catalog=self.catalog).snapshot if store and question else None,
        )

    @property
    def draft_file(self) -> Path:
        """Where the draft that is worked on is kept: beside the store."""
        return self.store_file.with_suffix(".draft.json")

    def keep_draft(self, history: DraftHistory) -> None:
        """Keeps a draft with its history, for `sqlore refine`; the file is replaced as a whole.

        Nothing is kept where sqlore has no folder yet.
        """
        file = self.draft_file
        if file.parent.is_dir():
            fresh = file.with_suffix(".new")
            fresh.write_text(json.dumps(history.to_json(), ensure_ascii=False), encoding="utf-8")
            fresh.replace(file)

    def kept_draft(self) -> DraftHistory | None:
        """The draft that is kept. Raises `UsageError` where the file is damaged."""
        from sqlore.answer.refine_history import DraftHistory

        if not self.draft_file.is_file():
            return None
        try:
            data = json.loads(self.draft_file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise UsageError(
                f"the kept draft cannot be read: {error}",
                where=str(self.draft_file),
                hint="delete the file, or give the SQL",
            ) from None
        return DraftHistory.from_json(data)


def _identity(file: Path) -> tuple[int, int] | None:
    """Which file it is that has this name now."""
    try:
        facts = file.stat()
    except OSError:
        return None
    return facts.st_dev, facts.st_ino


def _state(engine: Engine, files: Sequence[Path]) -> str:
    """Changes when the database or a dictionary file may have changed."""
    parts = [engine.url, engine.fingerprint()]
    for file in sorted(files):
        inner = sorted(file.rglob("*")) if file.is_dir() else [file]
        parts += [f"{one}:{one.stat().st_size}:{one.stat().st_mtime_ns}" for one in inner if one.exists()]
        parts += [f"{file}: gone"] * (not file.exists())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
