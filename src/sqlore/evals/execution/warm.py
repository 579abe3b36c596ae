"""``history@warm``: the history of a database that has none, made from examples adapted to it.

What `sqlore warm` and then `sqlore ask` do, as one contestant: the exemplars that `da_gp` adapts to the
database are learned as synthetic scripts into a store that lives as long as the run, and the strategy
retrieves from those alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlore.knowledge import Store
from sqlore.prompts import prepare_strategy
from sqlore.prompts.da_gp_learn import learn_exemplars
from sqlore.retrieve import Retriever

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlore.catalog import Catalog
    from sqlore.config import Settings
    from sqlore.embed import Embedder
    from sqlore.engines import Engine
    from sqlore.llm import ChatModel
    from sqlore.prompts.da_gp_prompt import PreparedAdapted

__all__ = ["warmed"]


def warmed(
    catalog: Catalog,
    engine: Engine,
    model: ChatModel,
    embedder: Embedder,
    settings: Settings,
    on_progress: Callable[[str, int, int], None],
) -> Retriever:
    """What finds the knowledge among the examples made for a database; the model makes those that are not
    kept from an earlier run.

    Raises as `AdaptedPrompt.prepare`.
    """
    ready: PreparedAdapted = prepare_strategy(  # type: ignore[assignment]  # da_gp prepares that
        "da_gp", catalog, model, settings, engine=engine, on_progress=on_progress
    )
    store = Store.create(":memory:")
    known = learn_exemplars(store, ready.entries, catalog, embedder).learned.catalog
    return Retriever(store, embedder, known or catalog, strict=False)
