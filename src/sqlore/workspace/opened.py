"""What of a database is open: engine, store, catalog, models. Opened when first needed, looked at again."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlore.errors import StoreError, UsageError
from sqlore.workspace.places import identity_of, remembered, state_of, store_path

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.catalog.current import Watch
    from sqlore.config import Settings
    from sqlore.embed import Embedder
    from sqlore.engines import Engine
    from sqlore.knowledge import Store
    from sqlore.llm import ChatModel
    from sqlore.retrieve import Retriever

__all__ = ["OnProgress", "Opened"]

OnProgress = Callable[[str, int, int | None], None]
"""Told a stage, how much of it is done, and how much there is in all (None where not known)."""


class Opened:
    """A database, its store and its models. Each is opened when first asked for, and then stays."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.on_progress: OnProgress | None = None
        self._opened: list[Any] = []
        self.catalog_state: str | None = None
        """The state of the database that `catalog` was read in; None where that is of a schema only."""
        self._watch: Watch | None = None
        self._store_is: tuple[int, int] | None = None
        self._catalog_is: str | None = None

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

        url = self.settings.db or (self.store.meta("database") if self.learned else None)
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
        last = remembered(self.settings.home)
        if last is not None:
            return last
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
        self._store_is = identity_of(self.store_file)
        return store

    def look_at_store(self) -> None:
        """Lets go of a store whose file was deleted or replaced, for what is written to it would be lost; and
        of a catalog that another process has saved anew."""
        if "store" not in self.__dict__:
            return
        if identity_of(self.store_file) != self._store_is:
            self.__dict__.pop("store", None)
            self.forget_catalog()
        elif "catalog" in self.__dict__ and self.store.meta("catalog_is") != self._catalog_is:
            self.forget_catalog()

    def create_store(self) -> Store:
        """The store to write to, made where there is none. Raises `StoreError` where it cannot be made."""
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
        self._store_is = identity_of(self.store_file)
        self.__dict__["store"] = store
        return store

    # -------------------------------------------------------------- models

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

    # -------------------------------------------------------------- what is known

    @cached_property
    def catalog(self) -> Catalog:
        """Schema, dictionary and value index as they were when last learned."""
        from sqlore.catalog import build_catalog

        # first which it is: of one that is saved in between, the stamp is out of date and it is read again
        self._catalog_is = self.store.meta("catalog_is") if self.learned else None
        saved, state = self.saved_catalog() if self.learned else (None, None)
        if saved is None:
            files = self.settings.dictionary
            state, saved = state_of(self.engine, files), build_catalog(self.engine, dictionary_files=files)
        self.catalog_state = state
        return saved

    def saved_catalog(self) -> tuple[Catalog | None, str | None]:
        """The catalog that the store holds, if any, and the state of the database that it was read in."""
        # first the state: of two that another process writes in between, the catalog may be the newer one
        state, saved = self.store.meta("state"), self.store.saved_catalog()
        return (None, None) if saved is None else (saved, state)

    def take_catalog(self, fresh: Catalog) -> None:
        """Works with this catalog from now on."""
        self.__dict__["catalog"] = fresh
        self.__dict__.pop("retriever", None)

    def forget_catalog(self) -> None:
        """Reads the catalog and the history anew when they are next asked for: the store has changed."""
        self.__dict__.pop("catalog", None)
        self.__dict__.pop("retriever", None)
        self._watch = None

    def look_again(self) -> None:
        """Takes up the tables and columns of the database, where they changed since the catalog was read.

        Where nothing changed that costs a look at the file, or one query of a server. A database that cannot
        be opened leaves things as they are, and so does one of which only a schema is known.
        """
        from sqlore.catalog.current import Watch

        known, engine = self.catalog, self.engine
        if self._watch is None:
            if self.catalog_state is None:
                return
            same = self.catalog_state == state_of(engine, self.settings.dictionary)
            self._watch = Watch(engine.fingerprint() if same else None)
        fresh = self._watch.look(known, engine)
        if fresh is not known:
            self.take_catalog(fresh)

    @cached_property
    def retriever(self) -> Retriever:
        """Finds what the history knows that touches a question."""
        from sqlore.retrieve import ModelFilter, Retriever

        wanted = self.settings.retrieve_filter
        judge = ModelFilter(self.model, mask=self.settings.mask) if wanted else None
        return Retriever(self.store, self.embedder, self.catalog, judge=judge)
