"""Descriptions made anew where the dictionary has changed: only of what names the tables and columns changed.

What a person or a model said about an item stays; the rules' own words are said again with the new names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from sqlore.errors import SqlError
from sqlore.knowledge.describe.describer import Describer
from sqlore.knowledge.records import Description, Known
from sqlore.model import Fragment, KnowledgeItem
from sqlore.sql import parse_script

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.knowledge.store.store import Store

__all__ = ["redescribe"]

_EXAMPLES: Final = 3
_BATCH: Final = 50


def redescribe(
    store: Store,
    catalog: Catalog,
    names: Collection[str],
    *,
    embedder: Embedder | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> tuple[int, int]:
    """Describes and embeds the items anew that name any of these tables (``orders``) and columns
    (``orders.amount``), folded; each batch is kept at once.

    Returns how many were looked at and how many have new words. `on_progress` is told how many of how many.
    """
    wanted = {name.lower() for name in names}
    items = [item for item in store.items() if wanted & {_bare(n) for n in (*item.tables, *item.columns)}]
    describer = Describer(catalog.dictionary, catalog.schema)
    done = changed = 0
    for batch in _batches(items):
        known = store.known_items([f"{item.kind}: {item.skeleton}" for item in batch], _EXAMPLES)
        words: dict[int, Description] = {}
        for item in batch:
            fact = known.get(f"{item.kind}: {item.skeleton}")
            fragment = _fragment(item, fact, catalog) if fact is not None and fact.source == "rule" else None
            if fragment is not None and fact is not None:
                words[item.id] = describer.fragment(fragment, fact.values[1:])
        changed += store.improve(words, "rule", embedder)
        done += len(batch)
        if on_progress is not None:
            on_progress(done, len(items))
    return done, changed


def _fragment(item: KnowledgeItem, known: Known, catalog: Catalog) -> Fragment | None:
    """The fragment that an item is described by: as it was first seen; None where it cannot be read."""
    literals = known.values[:1] or (item.literals[0][0] if item.literals else ())
    fragment = Fragment(
        item.kind,
        item.sql,
        item.skeleton,
        known.sql,
        0,
        len(item.sql),
        literals=literals,
        form=item.form,
        tables=item.tables,
        columns=item.columns,
    )
    if item.kind != "query":
        return fragment
    try:  # of a whole query the store keeps the text, which has its own aliases
        parsed = parse_script(item.sql, dialect=catalog.schema.dialect or None, schema=catalog.schema)
    except SqlError:
        return None
    whole = next((one for one in parsed.fragments if one.kind == "query"), None)
    return replace(fragment, canonical=whole.canonical) if whole is not None else None


def _bare(name: str) -> str:
    return name.replace('"', "").lower()


def _batches(items: Collection[KnowledgeItem]) -> Iterator[list[KnowledgeItem]]:
    iterator = iter(items)
    while batch := list(islice(iterator, _BATCH)):
        yield batch
