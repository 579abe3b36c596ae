"""Where there is no history: examples that a model adapts to the database, learned as synthetic scripts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlore.workspace.learning import fresh_catalog, keep_catalog

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.da_gp_learn import WarmReport
    from sqlore.prompts.da_gp_prompt import PreparedAdapted
    from sqlore.prompts.da_gp_review import Entry, Review
    from sqlore.workspace.opened import OnProgress, Opened

__all__ = ["examples_of", "learn_reviewed", "warm"]

PREPARED: Final = "prepared"
"""The folder, beside the stores, of what a model made for a database."""


def warm(
    lore: Opened, *, review: Path | None, approved: bool, model: ChatModel, on_progress: OnProgress | None
) -> tuple[WarmReport, PreparedAdapted]:
    """Adapts examples with the model and learns them, as `Workspace.warm` says it."""
    from sqlore.prompts.base import Setup
    from sqlore.prompts.da_gp import AdaptedPrompt
    from sqlore.prompts.training_set import training_set

    settings, known = lore.settings, lore.learned
    catalog, state = fresh_catalog(lore, None, on_progress) if known else (lore.catalog, lore.catalog_state)
    folder, mask = settings.home / PREPARED, settings.mask and model.remote
    setup = Setup(folder, settings.prompt_tokens, mask, lore.engine, on_progress=on_progress)
    ready = AdaptedPrompt(review).prepare(catalog, training_set(settings.training), model, setup)
    store = lore.create_store()
    if not known:
        store.set_meta(database=lore.engine.url)
    elsewhere = str(review.resolve()) if review is not None else None
    store.set_meta(examples=elsewhere, examples_learned="approved" if approved else "all")
    return _learn(lore, ready.entries, catalog, state, on_progress), ready


def examples_of(lore: Opened) -> Review:
    """The examples that were made for the database: in the file that `warm` was given, or its own."""
    from sqlore.prompts.da_gp_review import Review, review_file

    schema = lore.catalog.schema
    elsewhere = lore.store.meta("examples") if lore.learned else None
    file = review_file(lore.settings.home / PREPARED, schema.name, schema.dialect, lore.engine.url)
    return Review(Path(elsewhere) if elsewhere else file, schema.name)


def learn_reviewed(lore: Opened, on_progress: OnProgress | None) -> WarmReport:
    """Learns the examples as people left them; no model is asked."""
    known, catalog, state = lore.learned, lore.catalog, lore.catalog_state
    store = lore.create_store()
    if not known:
        store.set_meta(database=lore.engine.url)
    return _learn(lore, list(examples_of(lore).entries().values()), catalog, state, on_progress)


def _learn(
    lore: Opened,
    entries: Sequence[Entry],
    catalog: Catalog,
    state: str | None,
    on_progress: OnProgress | None,
) -> WarmReport:
    from sqlore.prompts.da_gp_learn import learn_exemplars

    learned = lore.store.meta("examples_learned") or ("all" if lore.store.stats().synthetic else "")
    report = learn_exemplars(
        lore.store,
        entries,
        catalog,
        lore.embedder,
        approved=learned != "all",
        on_progress=on_progress and (lambda p: on_progress("learning examples", p.read, None)),
    )
    keep_catalog(lore, report.learned.catalog or catalog, catalog.schema, state)
    return report
