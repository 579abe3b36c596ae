"""What people say of tables, columns and values; and the descriptions that follow from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlore.workspace.learning import remember

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlore.catalog import Catalog, Entry
    from sqlore.workspace.opened import OnProgress, Opened

__all__ = ["redescribe", "say"]


def say(lore: Opened, entries: Sequence[Entry], taken_back: Sequence[Entry]) -> Catalog:
    """Keeps what a person says and no longer says, as `Workspace.say` says it."""
    known, catalog, state = lore.learned, lore.catalog, lore.catalog_state
    said = tuple(replace(entry, source="person") for entry in entries)

    def with_said(saved: Catalog | None) -> Catalog:
        now = saved or catalog
        before = now.dictionary
        for entry in (*entries, *taken_back):
            before = before.without(entry.table, entry.column, entry.value, source="person")
        return now.with_only((*before.entries, *said))

    store = lore.create_store()
    if not known:
        store.set_meta(database=lore.engine.url)
    if store.catalog() is None:
        store.save_catalog(catalog.to_json(), state=state)
    store.revise_catalog(with_said)  # of the saved one: another process may have learned into it
    lore.forget_catalog()
    if not known:
        remember(lore)
    return lore.catalog


def redescribe(lore: Opened, names: Collection[str], on_progress: OnProgress | None) -> tuple[int, int]:
    """Describes and embeds anew what names these tables and columns: how many were looked at, and are new."""
    from sqlore.knowledge.redescribe import redescribe

    return redescribe(
        lore.store,
        lore.catalog,
        names,
        embedder=lore.embedder,
        on_progress=on_progress and (lambda done, total: on_progress("describing", done, total)),
    )
