"""``history@warm``: the history of a database that has none, made from examples adapted to it.

What `sqlore warm` and then `sqlore ask` do, as one contestant: the exemplars that `da_gp` adapts to the
database are learned as synthetic scripts into a store that lives as long as the run, and the strategy
retrieves from those alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlore.knowledge import Store
from sqlore.prompts import prepare_strategy
from sqlore.prompts.da_gp_learn import learn_exemplars
from sqlore.retrieve import Retriever

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlore.config import Settings
    from sqlore.evals.execution_arena import Arena
    from sqlore.prompts.da_gp import PreparedAdapted

__all__ = ["WARM", "warmed"]

WARM: Final = "warm"


def warmed(place: Arena, settings: Settings, on_progress: Callable[[str, int, int], None]) -> Retriever:
    """What finds the knowledge among the examples made for the database of `place`; the model makes those
    that are not kept from an earlier run.

    Raises as `AdaptedPrompt.prepare`.
    """
    ready: PreparedAdapted = prepare_strategy(  # type: ignore[assignment]  # da_gp prepares that
        "da_gp", place.catalog, place.model, settings, engine=place.engine, on_progress=on_progress
    )
    assert place.embedder is not None  # an arena has one
    store, embedder = Store.create(":memory:"), place.embedder()
    catalog = learn_exemplars(store, ready.entries, place.catalog, embedder).learned.catalog
    return Retriever(store, embedder, catalog or place.catalog, strict=False)
