"""The adapted exemplars as synthetic scripts of the store: a cold database has a history to begin with.

A database that nobody has asked yet knows nothing. The exemplars that `da_gp` adapts to it are questions with
SQL that runs on it, so they are learned like a history, marked synthetic: they support nothing, real scripts
stand before them, and a citation says what they are. Those that a person approved are verified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.errors import SqlError
from sqlore.knowledge.learn import learn
from sqlore.knowledge.learn_report import LearnProgress, LearnReport
from sqlore.knowledge.records import script_hash
from sqlore.model import Script
from sqlore.sql import skeleton_of

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.knowledge import Store
    from sqlore.model import KnowledgeItem, Schema
    from sqlore.prompts.da_gp_review import Entry

__all__ = ["SOURCE", "WarmReport", "item_of", "learn_exemplars", "scripts_of"]

#: Where synthetic scripts come from, as the store has it.
SOURCE: Final = "sqlore warm"
_APPROVED: Final = "approved as an example"
_TAKEN_BACK: Final = "not approved as an example any more"


@dataclass(frozen=True, slots=True)
class WarmReport:
    """What warming did: of `chosen` exemplars `adapted` have SQL and a question, `approved` by a person.

    `rejected` are those that a person took out. `learned` is the report of learning those that are used;
    `removed` synthetic texts are no exemplars any more.
    """

    chosen: int
    adapted: int
    approved: int
    learned: LearnReport
    removed: int = 0
    rejected: int = 0


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
    _verify(store, entries, catalog.schema)
    usable = [entry for entry in entries if entry.usable]
    rejected = sum(one.rejected for one in entries)
    return WarmReport(
        len(entries), len(usable), sum(one.approved for one in usable), report, removed, rejected
    )


def item_of(store: Store, entry: Entry, schema: Schema) -> KnowledgeItem | None:
    """The script of an exemplar as the store knows it; None where it does not."""
    if not entry.sql:
        return None
    try:
        skeleton = skeleton_of(entry.sql, "query", dialect=schema.dialect, schema=schema)
    except SqlError:
        return None
    return store.item_by_key("query", skeleton)


def _verify(store: Store, entries: Sequence[Entry], schema: Schema) -> None:
    """A script that a person approved is verified, and one whose approval was taken back is not any more.

    What somebody else said of its trust is not touched.
    """
    found = [(entry, item) for entry in entries if (item := item_of(store, entry, schema)) is not None]
    approved = {item.id for entry, item in found if entry.usable and entry.approved}
    for entry, item in found:
        said = [change.why for change in store.history(item.id) if change.what == "trust"]
        if any(why not in (_APPROVED, _TAKEN_BACK) for why in said):
            continue
        who = entry.by or "reviewer"
        if entry.usable and entry.approved and item.trust == "unverified":
            store.set_trust(item.id, "verified", who=who, why=_APPROVED)
        elif item.id not in approved and item.trust == "verified":
            store.set_trust(item.id, "unverified", who=who, why=_TAKEN_BACK)
