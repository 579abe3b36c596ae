"""The adapted exemplars as synthetic scripts of the store: a cold database has a history to begin with.

A database that nobody has asked yet knows nothing. The exemplars that `da_gp` adapts to it are questions with
SQL that runs on it, so they are learned like a history, marked synthetic: they support nothing, real scripts
stand before them, and a citation says what they are. Those that a person approved are verified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.knowledge.learn import LearnProgress, LearnReport, learn
from sqlore.knowledge.records import script_hash
from sqlore.model import Script
from sqlore.sql import skeleton_of

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.knowledge import Store
    from sqlore.prompts.da_gp_review import Entry

__all__ = ["SOURCE", "WarmReport", "learn_exemplars", "scripts_of"]

#: Where synthetic scripts come from, as the store has it.
SOURCE: Final = "sqlore warm"


@dataclass(frozen=True, slots=True)
class WarmReport:
    """What warming did: of `chosen` exemplars `adapted` have SQL and a question, `approved` by a person.

    `learned` is the report of learning those; `removed` synthetic texts are no exemplars any more.
    """

    chosen: int
    adapted: int
    approved: int
    learned: LearnReport
    removed: int = 0


def scripts_of(
    entries: Sequence[Entry], dialect: str, database: str, *, approved: bool = False
) -> list[Script]:
    """The usable exemplars as scripts, keyed by their place; with `approved` only those a person approved."""
    return [
        Script(
            entry.sql,
            key=f"synthetic:{number}",
            question=entry.question,
            source=SOURCE,
            dialect=dialect,
            database=database or None,
        )
        for number, entry in enumerate(entries, start=1)
        if entry.usable and (entry.approved or not approved)
    ]


def learn_exemplars(
    store: Store,
    entries: Sequence[Entry],
    catalog: Catalog,
    embedder: Embedder,
    *,
    approved: bool = False,
    on_progress: Callable[[LearnProgress], None] | None = None,
) -> WarmReport:
    """Makes the store's synthetic scripts those of `entries`; what somebody ran is not touched.

    Learning the same again changes nothing; an exemplar that was changed or taken back is forgotten.
    """
    dialect, name = catalog.schema.dialect, catalog.schema.name
    scripts = scripts_of(entries, dialect, name, approved=approved)
    removed = store.forget_synthetic(SOURCE, keep=[script_hash(script) for script in scripts])
    report = learn(
        store,
        scripts,
        catalog=catalog,
        dialect=dialect,
        embedder=embedder,
        on_progress=on_progress,
        synthetic=True,
    )
    _verify(store, [entry for entry in entries if entry.usable and entry.approved], catalog)
    usable = [entry for entry in entries if entry.usable]
    return WarmReport(len(entries), len(usable), sum(one.approved for one in usable), report, removed)


def _verify(store: Store, approved: Sequence[Entry], catalog: Catalog) -> None:
    """A script that a person approved is verified, unless somebody has said something of it already."""
    for entry in approved:
        skeleton = skeleton_of(entry.sql, "query", dialect=catalog.schema.dialect, schema=catalog.schema)
        item = store.item_by_key("query", skeleton)
        if item is not None and item.trust == "unverified" and not store.history(item.id):
            store.set_trust(item.id, "verified", who="reviewer", why="approved as an example")
