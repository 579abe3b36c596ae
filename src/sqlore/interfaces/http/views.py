"""Values of the domain as the API shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sqlore.interfaces.http.contract import (
    ItemSummary,
    Known,
    KnownItem,
    KnownScript,
    Phrase,
    ScriptSummary,
    Uncovered,
    ValueMatch,
)
from sqlore.interfaces.http.contract_explain import Explained
from sqlore.interfaces.http.contract_jobs import LearnedEvent, LearnReport, Misnamed, WarmedEvent, WarmReport
from sqlore.interfaces.http.state import KeptExplanation, Served

if TYPE_CHECKING:
    from sqlore.knowledge import LearnReport as Learned
    from sqlore.model import KnowledgeItem, Retrieval, StoredScript
    from sqlore.prompts.da_gp_learn import WarmReport as Warmed
    from sqlore.retrieve.snapshot import Snapshot

__all__ = [
    "explained_view",
    "item_view",
    "known_view",
    "learned_view",
    "script_view",
    "warmed_view",
]


def item_view(item: KnowledgeItem, merged: Mapping[int, int] | None = None) -> ItemSummary:
    """A knowledge item in a list; `merged` says which items were merged into which."""
    shown = ItemSummary.model_validate(item)
    shown.merged = (merged or {}).get(item.id)
    return shown


def script_view(stored: StoredScript) -> ScriptSummary:
    """A script of the history."""
    script = stored.script
    return ScriptSummary(
        id=stored.id,
        key=script.key or str(stored.id),
        question=script.question,
        comment=script.comment,
        sql=script.sql,
        author=script.author,
        time=script.time,
        runs=script.runs,
        source=script.source,
        line=script.line,
        description=stored.description,
        variants=stored.variants,
        trust=stored.trust,
        synthetic=stored.synthetic,
    )


def known_view(found: Retrieval, snapshot: Snapshot | None = None) -> Known:
    """What was found for a question, with the places of its phrases, and the question's values in items.

    `snapshot` also tells which of its words go with conditions that were not found.
    """
    from sqlore.retrieve import phrases
    from sqlore.retrieve.plain_words import says_something
    from sqlore.retrieve.spoken import in_the_question, spoken

    held = {ranked.item.id for ranked in found.items}
    said = spoken(snapshot, found.question, held) if snapshot is not None else ()

    return Known(
        question=found.question,
        phrases=[Phrase.model_validate(one) for one in phrases(found.question) if says_something(one.text)],
        values=[ValueMatch.model_validate(value) for value in found.values],
        items=[
            KnownItem(
                item=item_view(in_the_question(ranked.item, found.values)),
                score=round(ranked.score, 4),
                signals={name: round(share, 4) for name, share in ranked.signals.items()},
            )
            for ranked in found.items
        ],
        scripts=[
            KnownScript(
                script=script_view(ranked.script), score=round(ranked.score, 4), items=list(ranked.items)
            )
            for ranked in found.scripts
        ],
        milliseconds=round(sum(found.milliseconds.values()), 2),
        notes=list(found.notes),
        said=[Uncovered.model_validate(one) for one in said],
    )


# ------------------------------------------------------------------ explanations


def explained_view(kept: KeptExplanation, numbers: Iterable[tuple[int, tuple[Any, ...]]]) -> Explained:
    """An explanation; `numbers` are those of the items for refinement, with kind, start, end and skeleton."""
    from sqlore.answer.explain.as_json import explanation_json

    shown = Explained(id=kept.id, **explanation_json(kept.explanation))
    known = {place: number for number, place in numbers}
    for node in shown.nodes:
        for item in node.items:
            item.number = known.get((item.kind, item.start, item.end, item.skeleton))
    return shown


def learned_view(report: Learned, state: Served, verified: int = 0) -> LearnedEvent:
    """What a run of learning did, and what the store holds after it."""
    stats = state.need_store().stats()
    return LearnedEvent(
        report=LearnReport(
            read=report.read,
            new=report.new,
            folded=report.folded,
            known=report.known,
            items=report.items,
            seconds=round(report.seconds, 3),
            rejected={str(reason): count for reason, count in report.rejected.items()},
            scripts=stats.scripts,
            pieces=stats.items,
            misnamed=[Misnamed(script=one.script, key=one.key, what=one.what) for one in report.misnamed],
            verified=verified,
        )
    )


def warmed_view(report: Warmed, state: Served, failed: Mapping[str, int] | None = None) -> WarmedEvent:
    """What warming up did, and what the store holds then; `failed` counts what the model wrote in vain."""
    stats = state.need_store().stats()
    return WarmedEvent(
        report=WarmReport(
            chosen=report.chosen,
            adapted=report.adapted,
            approved=report.approved,
            rejected=report.rejected,
            new=report.learned.new + report.learned.folded,
            known=report.learned.known,
            removed=report.removed,
            failed=dict(failed or {}),
            scripts=stats.scripts,
            synthetic=stats.synthetic,
        )
    )
