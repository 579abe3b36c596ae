"""What of a database and its history goes into the prompt of a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from sqlore.answer.join_path import Join, JoinGraph, join_graph, joins_line
from sqlore.answer.narrow import joined_tables, linked_part
from sqlore.catalog import Catalog, schema_text
from sqlore.catalog.render import estimate_tokens
from sqlore.catalog.text import STOP_WORDS, words
from sqlore.model import Retrieval
from sqlore.prompts import PromptContext
from sqlore.prompts.schemas import without_values

if TYPE_CHECKING:
    from sqlore.config import Settings

#: Share of a prompt's budget that the schema may take.
SCHEMA_SHARE: Final = 0.6
#: Relevance of a name that is wholly in the question, beside 1 for a value found there.
_NAMED: Final = 0.5


def prompt_context(
    question: str,
    catalog: Catalog,
    retrieval: Retrieval | None,
    settings: Settings,
    *,
    remote: bool = False,
    graph: Callable[[], JoinGraph] | None = None,
) -> PromptContext:
    """The context of one question within `settings.prompt_tokens`.

    A schema that fits goes in whole, the same for every question; of a larger one what the question and its
    retrieval touch (`settings.narrow_schema` says when). `graph` gives the ways between tables, where more
    is known than the foreign keys. With `settings.mask` a remote model gets no value of the database or the
    history.
    """
    mask = settings.mask and remote
    values = retrieval.values if retrieval is not None else tuple(catalog.values.match(question))
    scores = relevance(question, catalog, retrieval)
    joins: tuple[Join, ...] = ()
    if settings.join_path or settings.narrow_schema == "always":
        ways = graph() if graph is not None else join_graph(catalog.schema)
        joins = ways.path(joined_tables(catalog.schema, retrieval, scores), scores) or ()
    shown = without_values(catalog) if mask else catalog
    if settings.narrow_schema == "always":
        shown = linked_part(shown, scores, {t for join in joins for t in (join.left, join.right)})
    budget = int(settings.prompt_tokens * SCHEMA_SHARE)
    if settings.narrow_schema == "off":
        budget = max(budget, estimate_tokens(schema_text(Catalog(catalog.schema))))
    schema = schema_text(shown, budget_tokens=budget, samples=not mask, relevance=scores)
    return PromptContext(
        question,
        schema,
        catalog.schema.dialect,
        catalog.schema.name,
        retrieval,
        values if settings.link_values else (),
        settings.prompt_tokens,
        mask,
        joins_line(joins, catalog.schema) if settings.join_path else "",
        scores,
    )


def relevance(question: str, catalog: Catalog, retrieval: Retrieval | None) -> dict[str, float]:
    """How much the question touches each table (``table``) and column (``table.column``): 0 to 1.

    From the retrieved items, from values found in the question, and from names whose words it holds.
    """
    scores: dict[str, float] = defaultdict(float)
    for ranked in retrieval.items if retrieval else ():
        for name in (*ranked.item.tables, *ranked.item.columns):
            scores[name] = max(scores[name], min(1.0, ranked.score))
    for match in retrieval.values if retrieval else catalog.values.match(question):
        name = f"{match.table}.{match.column}".lower()
        scores[name] = max(scores[name], match.score)
    asked = {w.folded for w in words(question)} - STOP_WORDS
    for table in catalog.schema.tables:
        for column in (None, *(c.name for c in table.columns)):
            share = max(_share(name, asked) for name in catalog.dictionary.names(table.full_name, column))
            name = f"{table.name}.{column}".lower() if column else table.name.lower()
            scores[name] = max(scores[name], _NAMED * share)
    return {name: score for name, score in scores.items() if score > 0}


def _share(name: str, asked: set[str]) -> float:
    """The share of a name's words that are in the question."""
    own = {w.folded for w in words(name)} - STOP_WORDS
    return len(own & asked) / len(own) if own else 0.0
