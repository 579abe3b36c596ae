"""The strategies: ways to put a question and its context to a model, one file each."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from sqlore.errors import ConfigError
from sqlore.prompts.base import Prepared, Prompt, PromptContext, Setup, Strategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlore.catalog import Catalog
    from sqlore.config import Settings
    from sqlore.embed import Embedder
    from sqlore.engines import Engine
    from sqlore.llm import ChatModel

__all__ = [
    "STRATEGIES",
    "Prepared",
    "Prompt",
    "PromptContext",
    "Setup",
    "Strategy",
    "load_strategy",
    "prepare_strategy",
]

#: The strategies by name, and where each is: module and class.
STRATEGIES: Final[dict[str, tuple[str, str]]] = {
    "zero_shot": ("zero_shot", "ZeroShot"),
    "history": ("history", "History"),
    "gp": ("gp", "GenericPrompt"),
    "da_gp": ("da_gp", "AdaptedPrompt"),
    "ltmp_gp": ("ltmp_gp", "LeastToMost"),
    "ltmp_da_gp": ("ltmp_da_gp", "AdaptedLeastToMost"),
    "ltmp_history": ("ltmp_history", "LeastToMostHistory"),
    "qp_tx": ("qp_tx", "QuestionText"),
    "qp_te": ("qp_te", "TargetTree"),
    "qp_sk": ("qp_sk", "Skills"),
    "din_sql": ("din_sql", "DinSql"),
    "dail": ("dail", "Dail"),
    "opensearch": ("opensearch", "OpenSearch"),
    "n_rep": ("n_rep", "NRep"),
    "codes": ("codes", "CodeS"),
}


def load_strategy(name: str) -> Strategy:
    """The strategy of that name; ConfigError with the names there are.

    >>> load_strategy("history").name
    'history'
    """
    try:
        module, kind = STRATEGIES[name]
    except KeyError:
        known = ", ".join(sorted(STRATEGIES))
        raise ConfigError(f"unknown strategy {name!r}", hint=f"one of: {known}") from None
    strategy: Strategy = getattr(import_module(f"sqlore.prompts.{module}"), kind)()
    return strategy


def prepare_strategy(
    name: str,
    catalog: Catalog,
    model: ChatModel | None,
    settings: Settings,
    *,
    engine: Engine | None = None,
    embedder: Callable[[], Embedder] | None = None,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> Prepared:
    """The strategy of that name made ready for the database of `catalog`, as the settings want it.

    Its examples are those of `settings.training`, else sqlore's own; what it finds is kept in the folder
    ``prepared`` of `settings.home`.

    Raises ConfigError for an unknown name, UsageError and SourceError for examples that cannot be read.
    """
    from sqlore.prompts.training_set import training_set

    strategy = load_strategy(name)
    setup = Setup(
        settings.home / "prepared",
        settings.prompt_tokens,
        settings.mask and model is not None and model.remote,
        engine,
        embedder,
        on_progress,
        settings.reword_steps,
    )
    return strategy.prepare(catalog, training_set(settings.training), model, setup)
