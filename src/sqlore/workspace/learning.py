"""Learning scripts into the store of a database, and keeping what the database was like."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlore.workspace.places import set_remembered, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlore.catalog import Catalog, Entry
    from sqlore.knowledge import LearnReport
    from sqlore.model import Schema, Script
    from sqlore.workspace.opened import OnProgress, Opened

__all__ = ["fresh_catalog", "keep_catalog", "learn_history", "learn_scripts", "remember"]


def learn_history(
    lore: Opened,
    sources: Sequence[str | Path],
    *,
    schema: Schema | None,
    dialect: str | None,
    reembed: bool,
    on_progress: OnProgress | None,
    **reading: Any,
) -> LearnReport:
    """Learns every script of `sources`, as `Workspace.learn` says it."""
    from sqlore.history import SourceNames, read_history
    from sqlore.knowledge import learn
    from sqlore.sql.tokens import dialect_of

    if schema is None:
        dialect = dialect or lore.engine.dialect
    if dialect:
        dialect_of(dialect)
    known = lore.store.meta("files") if lore.store_file.exists() else None
    names = SourceNames(lore.store_file.parent, known)
    scripts = chain.from_iterable(read_history(s, dialect=dialect, names=names, **reading) for s in sources)
    first = list(islice(scripts, 1))  # a history that cannot be read leaves no empty store behind
    store = lore.create_store()
    if reembed:
        store.reembed(lore.embedder)
    (catalog, state), last = fresh_catalog(lore, schema, on_progress), store.last_script()
    try:
        report = learn(
            store,
            chain(first, scripts),
            catalog=catalog,
            dialect=dialect,
            embedder=lore.embedder,
            whole="-" not in map(str, sources),
            on_progress=on_progress and (lambda p: on_progress("learning scripts", p.read, None)),
        )
    finally:  # of what was stored before an interrupt, too
        if names.text() != known:
            store.set_meta(files=names.text())
    keep_catalog(lore, report.catalog or catalog, catalog.schema, state)
    return _with_misnamed(lore, report, last)


def learn_scripts(lore: Opened, scripts: Sequence[Script]) -> LearnReport:
    """Learns scripts that are at hand, in the dialect of the database."""
    from sqlore.knowledge import learn

    store = lore.create_store()
    (catalog, state), last = fresh_catalog(lore, None, None), store.last_script()
    report = learn(store, scripts, catalog=catalog, dialect=lore.engine.dialect, embedder=lore.embedder)
    keep_catalog(lore, report.catalog or catalog, catalog.schema, state)
    return _with_misnamed(lore, report, last)


def _with_misnamed(lore: Opened, report: LearnReport, last: int) -> LearnReport:
    """The report with what the new scripts, behind the `last` one before, name that is not there."""
    from sqlore.knowledge.learn_report import Misnamed

    gone = lore.store.stale_scripts(last)
    found = (
        Misnamed(one.id, one.script.key or str(one.id), gone[one.id].removeprefix("the database has no "))
        for one in lore.store.scripts(sorted(gone))
    )
    return replace(report, misnamed=tuple(found))


def fresh_catalog(
    lore: Opened, schema: Schema | None, on_progress: OnProgress | None
) -> tuple[Catalog, str | None]:
    """The catalog as the database is now, and the state of the database that it was read in; None for one
    of a `schema`. What scripts and people said of it before is kept.

    A database and dictionary files that have not changed are not read again. The state is for
    `keep_catalog`: a run that ends before that must leave the one of the catalog that the store holds.
    """
    from sqlore.catalog import build_catalog, catalog_from_schema
    from sqlore.engines import connect

    files = lore.settings.dictionary
    if schema is not None:
        return catalog_from_schema(schema, dictionary_files=files), None
    state = state_of(lore.engine, files)
    saved, before = lore.saved_catalog()
    if saved is not None and before == state:
        return saved, state
    # what files said is kept until other files are given
    replaced = {"database", "file"} if files else {"database"}
    said = [e for e in saved.dictionary.entries if e.source not in replaced] if saved else []
    with connect(lore.engine.url) as engine:  # the file may be another one of the same name by now
        catalog = build_catalog(
            engine,
            dictionary_files=files,
            entries=said,
            on_progress=on_progress and (lambda done, total, _: on_progress("reading columns", done, total)),
        )
    lore.store.set_meta(database=lore.engine.url)
    return catalog, state


def keep_catalog(lore: Opened, catalog: Catalog, schema: Schema, state: str | None) -> None:
    """Keeps what is known of the database, and the `state` that it was in when that was read.

    What people said is what the store holds of it: they may have said it, in the app, while this run learned.
    What was read of the store before is out of date.
    """
    lore.store.revise_catalog(lambda saved: _as_said(catalog, saved), schema=schema, state=state)
    lore.forget_catalog()
    remember(lore)


def _as_said(catalog: Catalog, saved: Catalog | None) -> Catalog:
    """The catalog with what people said as the saved one has it."""
    if saved is None or _of_people(saved) == _of_people(catalog):
        return catalog
    rest = (entry for entry in catalog.dictionary.entries if entry.source != "person")
    return catalog.with_only((*rest, *_of_people(saved)))


def _of_people(catalog: Catalog) -> tuple[Entry, ...]:
    return tuple(entry for entry in catalog.dictionary.entries if entry.source == "person")


def remember(lore: Opened) -> None:
    """The store last learned into is the one meant where no database is named."""
    if lore.store_file.parent == lore.settings.home:
        set_remembered(lore.store_file)
