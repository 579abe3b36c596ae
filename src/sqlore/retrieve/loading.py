"""From the store to a snapshot: what may be offered, and by which texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from sqlore.history import has_placeholders
from sqlore.model import KnowledgeItem, StoredScript
from sqlore.retrieve.snapshot import Floats, Snapshot, Text, Use, no_vectors
from sqlore.retrieve.words import tokens

if TYPE_CHECKING:
    from sqlore.knowledge import Store

_WRITERS: Final[tuple[Literal["person", "model"], ...]] = ("person", "model")


def load_snapshot(store: Store) -> Snapshot:
    """Everything of `store` that may be offered, as arrays.

    Left out: deprecated and stale items; whole queries, because a script is found as a script; a FROM
    clause where its join edges are there, because they say the same in pieces that recur. Texts of a
    deprecated script have no say at all.
    """
    scripts = store.scripts()
    descriptions = {script.id: script.description for script in scripts}
    kept = [text for text in store.texts() if text.trust != "deprecated"]
    texts = [
        Text(
            text.id,
            text.script,
            text.key,
            text.words or descriptions.get(text.script, ""),
            text.sql,
            text.words,
            text.synthetic,
            text.trust == "verified",
        )
        for text in kept
    ]
    rows = {text.id: row for row, text in enumerate(texts)}
    found = store.pieces()
    uses = [use for use in store.uses() if use.text in rows]
    texts = _named(texts, found, [(rows[use.text], use.item) for use in uses])
    pairs = [(use.text, use.item) for use in uses]
    offered = _offered(found, pairs)
    columns = {item.id: column for column, item in enumerate(offered)}
    blocked = store.blocked()
    return Snapshot(
        offered,
        texts,
        [Use(rows[u.text], columns[u.item], u.literals) for u in uses if u.item in columns],
        lambda: _rows(store.vectors("item"), [item.id for item in offered]),
        _rows(store.vectors("text"), [text.id for text in texts]),
        frozenset(rows[text] for text, item in pairs if item in blocked)
        | _unfilled(texts)
        | _several(texts, scripts),
        _notes(store, offered),
    )


def _named(
    texts: Sequence[Text], items: Sequence[KnowledgeItem], uses: Sequence[tuple[int, int]]
) -> list[Text]:
    """The texts, each with the aliases that its own SQL gives to its formulas."""
    aliases = {item.id: item.aliases for item in items if item.aliases}
    names: dict[int, set[str]] = {}
    for row, item in uses:
        for alias in aliases.get(item, ()):
            if f" {' '.join(tokens(alias))} " in f" {' '.join(tokens(texts[row].sql))} ":
                names.setdefault(row, set()).add(alias)
    return [
        replace(text, names=" ".join(sorted(names[row]))) if row in names else text
        for row, text in enumerate(texts)
    ]


def _notes(store: Store, offered: Sequence[KnowledgeItem]) -> dict[int, str]:
    """The name and description of each item that a person or a model has described, by its row."""
    told = {number for source in _WRITERS for number in store.described_by(source)}
    return {row: f"{item.name} {item.description}" for row, item in enumerate(offered) if item.id in told}


def _several(texts: Sequence[Text], scripts: Sequence[StoredScript]) -> frozenset[int]:
    """Texts of several queries: an answer is one query, so they are no example of one."""
    several = {script.id for script in scripts if "; " in script.skeleton}
    return frozenset(row for row, text in enumerate(texts) if text.script in several)


def _unfilled(texts: Sequence[Text]) -> frozenset[int]:
    """Texts with placeholders, where another of their script has values: nobody can copy `:from_dt`."""
    holes: dict[int, list[bool]] = {}
    for text in texts:
        holes.setdefault(text.script, []).append(has_placeholders(text.sql))
    mixed = {script for script, found in holes.items() if any(found) and not all(found)}
    return frozenset(
        row for row, text in enumerate(texts) if text.script in mixed and has_placeholders(text.sql)
    )


def _offered(items: Sequence[KnowledgeItem], pairs: Sequence[tuple[int, int]]) -> list[KnowledgeItem]:
    usable = [i for i in items if i.kind != "query" and not i.stale and i.trust != "deprecated"]
    edges = {item.id for item in items if item.form == "edge"}
    with_edges = {text for text, item in pairs if item in edges}
    clauses = {item.id for item in usable if item.kind == "relation" and item.form == "clause"}
    alone = {item for text, item in pairs if item in clauses and text not in with_edges}
    return [item for item in usable if item.id not in clauses or item.id in alone]


def _rows(vectors: tuple[Any, Floats], wanted: Sequence[int]) -> Floats:
    """The vectors in the order of `wanted`; a zero row, which is like nothing, where one is missing."""
    ids, matrix = vectors
    if not len(ids):
        return no_vectors(len(wanted))
    places = {int(number): row for row, number in enumerate(ids)}
    out = np.zeros((len(wanted), matrix.shape[1]), dtype=np.float32)
    for row, number in enumerate(wanted):
        if number in places:
            out[row] = matrix[places[number]]
    return out
