"""The knowledge browser: items and scripts, searched, read, judged and put right."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Query

from sqlore.errors import UsageError
from sqlore.interfaces.http.contract_knowledge import (
    Describing,
    ItemChange,
    ItemDetail,
    ItemPage,
    LiteralUse,
    Merging,
    RankedItem,
    ScriptDetail,
    ScriptFragment,
    ScriptText,
    TrustRequest,
    Verdict,
)
from sqlore.interfaces.http.problems import NotFound
from sqlore.interfaces.http.state import Served, served
from sqlore.interfaces.http.views import item_view, script_view
from sqlore.knowledge.records import Change
from sqlore.model import Kind, KnowledgeItem, Trust

__all__ = ["router"]

router = APIRouter(prefix="/api")
State = Annotated[Served, Depends(served)]

MOST_SCRIPTS: Final = 50
"""Scripts of one item that are sent with it."""


# ------------------------------------------------------------------ looking


@router.get("/knowledge", tags=["knowledge"])
def items(
    state: State,
    kind: Kind | None = None,
    table: str | None = None,
    column: Annotated[str | None, Query(description="With a table.")] = None,
    trust: Trust | None = None,
    stale: bool | None = None,
    support: Annotated[int | None, Query(ge=0, description="The least that is wanted.")] = None,
    text: Annotated[str | None, Query(max_length=500, description="In any of its words.")] = None,
    order: Literal["support", "name", "recent"] = "support",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> ItemPage:
    """Knowledge items, most used first; those of synthetic scripts alone come last."""
    store = state.need_store()
    wanted: dict[str, Any] = {
        "kind": kind, "table": table, "column": column, "trust": trust, "stale": stale, "support": support,
        "text": text or None,
    }  # fmt: skip
    found = store.items(limit=limit, offset=offset, order=order, **wanted)
    merged = store.merged()
    shown = [item_view(item, merged) for item in found]
    return ItemPage(items=shown, total=store.count(**wanted), offset=offset)


@router.get("/knowledge/search", tags=["knowledge"])
def search(
    state: State,
    text: Annotated[str, Query(min_length=1, max_length=2000)],
    kind: Kind | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> list[RankedItem]:
    """Searches as questions do: by meaning, words and values."""
    return _ranked(state, text, kind, limit)


def _ranked(state: Served, text: str, kind: Kind | None, limit: int) -> list[RankedItem]:
    from sqlore.workspace import asked as clean

    store = state.need_store()
    retriever = state.retriever
    assert retriever is not None
    found = retriever.rank(clean(text), limit=store.stats().items if kind else limit)
    chosen = [one for one in found if kind is None or one.item.kind == kind][:limit]
    merged = store.merged()
    return [
        RankedItem(
            item=item_view(one.item, merged),
            score=round(one.score, 4),
            signals={name: round(share, 4) for name, share in one.signals.items()},
        )
        for one in chosen
    ]


@router.get("/knowledge/{id}", tags=["knowledge"])
def item(id: int, state: State) -> ItemDetail:
    """Everything that is known of an item: its scripts, authors, dates, values, and what was changed."""
    state.log.add("knowledge", "show", item=id)
    return _detail(state, _item(state, id))


@router.get("/knowledge/{id}/similar", tags=["knowledge"])
def similar(id: int, state: State, limit: Annotated[int, Query(ge=1, le=50)] = 10) -> list[RankedItem]:
    """Items of the same kind whose words are alike: what it could be merged into."""
    found = _item(state, id)
    words = found.description or found.name or found.skeleton
    return [one for one in _ranked(state, words, found.kind, limit + 1) if one.item.id != id][:limit]


@router.get("/scripts/{id}", tags=["knowledge"])
def script(id: int, state: State) -> ScriptDetail:
    """A script with its fragments and its other texts."""
    store = state.need_store()
    found = store.script(id)
    if found is None:
        raise NotFound(f"there is no script {id}")
    kinds = {one.id: one.kind for one in store.items_of_script(id)}
    return ScriptDetail(
        **script_view(found).model_dump(),
        fragments=[
            ScriptFragment(item=number, kind=kinds[number], start=start, end=end, scope=scope)
            for number, start, end, scope in store.fragments(id)
        ],
        texts=[
            ScriptText(key=one.key, question=one.words, sql=one.sql, synthetic=one.synthetic)
            for one in store.texts(id)
        ],
    )


def _item(state: Served, id: int) -> KnowledgeItem:
    found = state.need_store().item(id)
    if found is None:
        raise NotFound(f"there is no knowledge item {id}")
    return found


def _detail(state: Served, found: KnowledgeItem) -> ItemDetail:
    store = state.need_store()
    merged, changes = store.merged(), store.history(found.id)
    sensitive = state.catalog.dictionary.sensitive(state.catalog.schema)
    named = {column.replace('"', "").lower() for column in found.columns}
    return ItemDetail(
        **item_view(found, merged).model_dump(),
        literals=[LiteralUse(values=list(values), count=count) for values, count in found.literals],
        authors=list(found.authors),
        first_seen=found.first_seen,
        scripts=[script_view(one) for one in store.scripts(found.scripts[:MOST_SCRIPTS])],
        scripts_total=len(found.scripts),
        changes=[ItemChange.model_validate(change) for change in changes],
        verified=_verdict(found, changes),
        merged_from=sorted(one for one, into in merged.items() if into == found.id),
        sensitive=sorted(named & sensitive),
    )


def _verdict(found: KnowledgeItem, changes: list[Change]) -> Verdict | None:
    """The last verification of an item that is verified."""
    if found.trust != "verified":
        return None
    said = [one for one in changes if one.what == "trust" and one.new == "verified"]
    if not said:
        return None
    last = said[-1]
    outdated = any(one.version > last.version for one in changes)
    return Verdict(who=last.who, why=last.why, time=last.time, version=last.version, outdated=outdated)


# ------------------------------------------------------------------ looking after it


@router.post("/knowledge/{id}/trust", tags=["knowledge", "trust"])
def judge(id: int, asked: TrustRequest, state: State) -> ItemDetail:
    """Verifies or deprecates an item, or takes that back; who, why and when is kept with its version."""
    _item(state, id)
    if asked.trust == "deprecated" and not asked.why.strip():
        raise UsageError("to deprecate an item takes a reason", hint="say why it is not right any more")
    changed = state.need_store().set_trust(id, asked.trust, who=asked.who or state.who, why=asked.why)
    state.log.add("knowledge", asked.trust, item=id)
    return _detail(state, changed)


@router.patch("/knowledge/{id}", tags=["knowledge"])
def describe(id: int, asked: Describing, state: State) -> ItemDetail:
    """A person's name or description of an item; no rule and no model replaces it. It is embedded anew.

    A name alone is what is shown everywhere: it is the description too.
    """
    found = _item(state, id)
    renamed = asked.name is not None and asked.name != found.name
    unsaid = asked.description in (None, found.description)
    changed = state.need_store().describe(
        id,
        name=asked.name,
        description=asked.name if renamed and unsaid else asked.description,
        who=asked.who or state.who,
        why=asked.why,
        embedder=state.lore.embedder,
    )
    state.log.add("knowledge", "describe", item=id)
    return _detail(state, changed)


@router.post("/knowledge/{id}/merge", tags=["knowledge"])
def merge(id: int, asked: Merging, state: State) -> ItemDetail:
    """Says that an item means the same as another, which takes its names; the other one is answered."""
    _item(state, id)
    _item(state, asked.into)
    kept = state.need_store().merge(id, asked.into, who=asked.who or state.who, why=asked.why)
    state.log.add("knowledge", "merge", item=id, into=asked.into)
    return _detail(state, kept)
