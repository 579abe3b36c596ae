"""Where a query computes in sensitive columns with knowledge that nobody has verified.

Cerebra, section 8: in sensitive computations it must be said when unverified knowledge is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from sqlore.errors import SqloreError
from sqlore.interfaces.http.contract_drafts import Concern

if TYPE_CHECKING:
    from sqlore.interfaces.http.state import Served
    from sqlore.model import Citation, Fragment

__all__ = ["concerns_of"]

Why = Literal["unverified", "near", "novel", "deprecated", "new_value"]
#: Whole queries hold their pieces, and these are judged one by one.
_PIECES: Final = frozenset({"calculation", "condition", "relation", "dimension", "output"})


def concerns_of(state: Served, sql: str) -> list[Concern]:
    """The pieces of a query that touch sensitive columns and are not verified, in the order of the text.

    Without a history everything is novel. None where the query cannot be read any more.
    """
    from sqlore.answer.cite import cite
    from sqlore.sql import parse_script

    catalog = state.catalog
    sensitive = catalog.dictionary.sensitive(catalog.schema)
    if not sensitive:
        return []
    store = state.store
    try:
        fragments = parse_script(sql, dialect=state.dialect, schema=catalog.schema).fragments
        cited = cite(sql, store, state.dialect, catalog.schema) if store is not None else ()
    except SqloreError:
        return []
    sources = {(c.kind, c.start, c.end, c.skeleton): c for c in cited}
    found = []
    for fragment in sorted(fragments, key=lambda f: (f.start, -f.end)):
        columns = sorted(c for c in fragment.columns if c.replace('"', "").lower() in sensitive)
        if fragment.kind not in _PIECES or not columns:
            continue
        source = sources.get((fragment.kind, fragment.start, fragment.end, fragment.skeleton))
        why = _why(source)
        if why is not None:
            found.append(_concern(state, fragment, columns, source, why))
    return found


def _why(source: Citation | None) -> Why | None:
    """Why the knowledge is not to be relied on; None where somebody verified it."""
    if source is None or source.status == "novel":
        return "novel"
    if source.status == "near":
        return "near"
    if source.trust != "verified":
        return "deprecated" if source.trust == "deprecated" else "unverified"
    return "new_value" if source.new_values else None


def _concern(
    state: Served, fragment: Fragment, columns: list[str], source: Citation | None, why: Why
) -> Concern:
    store = state.store
    item = store.item(source.item) if store is not None and source is not None and source.item else None
    return Concern(
        start=fragment.start,
        end=fragment.end,
        kind=fragment.kind,
        sql=fragment.sql,
        skeleton=fragment.skeleton,
        columns=columns,
        why=why,
        item=item.id if item is not None else None,
        version=item.version if item is not None else None,
        status=source.status if source is not None else "novel",
        trust=item.trust if item is not None else "unverified",
    )
