"""Questions, and queries, over what is open: asked, checked, changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlore.errors import UsageError

if TYPE_CHECKING:
    from sqlore.answer.refine.change import Refiner
    from sqlore.llm.base import OnStep
    from sqlore.model import Draft
    from sqlore.workspace.opened import OnProgress, Opened

__all__ = ["ask", "asked", "check", "refiner"]


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


def ask(
    lore: Opened,
    question: str,
    *,
    strategy: str | None,
    on_progress: OnProgress | None,
    on_model: OnStep | None,
) -> Draft:
    """Answers the question with what is open, as `Workspace.ask` says it."""
    from sqlore.answer import ask
    from sqlore.answer.remarks import without_history
    from sqlore.prompts import load_strategy

    lore.look_again()
    strategy = strategy or lore.settings.strategy
    uses_history = lore.learned and load_strategy(strategy).history
    draft = ask(
        asked(question),
        engine=lore.engine,
        catalog=lore.catalog,
        retriever=lore.retriever if uses_history else None,
        store=lore.store if lore.learned else None,
        model=lore.model,
        strategy=strategy,
        settings=lore.settings,
        embedder=lambda: lore.embedder,
        on_progress=on_progress,
        on_model=on_model,
    )
    return draft if lore.learned else without_history(draft)


def refiner(lore: Opened, *, model: bool) -> Refiner:
    """What can be changed about a query; without `model`, or where there is none, only what needs none."""
    from sqlore.answer.refine.change import Refiner

    lore.look_again()
    store = lore.store if lore.learned else None
    chosen = lore.model if model and lore.settings.model != "none" else None
    return Refiner(lore.catalog, lore.engine.dialect, store=store, model=chosen, settings=lore.settings)


def check(lore: Opened, sql: str, question: str) -> Draft:
    """A query checked, run and cited; `question` may be empty."""
    from sqlore.answer.refine.checked import checked_draft
    from sqlore.retrieve import Retriever

    lore.look_again()
    store = lore.store if lore.learned else None
    return checked_draft(
        sql,
        engine=lore.engine,
        catalog=lore.catalog,
        store=store,
        settings=lore.settings,
        question=question,
        snapshot=Retriever(store, catalog=lore.catalog).snapshot if store and question else None,
    )
