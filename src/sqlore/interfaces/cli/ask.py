"""`sqlore ask`: a question becomes SQL with citations, and rows."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.errors import SqloreError
from sqlore.interfaces.cli.common import err, neutral, out, print_json, script_keys, workspace
from sqlore.interfaces.cli.options import DbOption, FilterOption, JsonOption, StoreOption
from sqlore.interfaces.cli.waiting import Stages

if TYPE_CHECKING:
    from sqlore.knowledge import Store
    from sqlore.model import Citation, Draft, FromHistory, StoredScript, Uncovered
    from sqlore.workspace import Workspace

__all__ = ["ask", "draft_json", "latest_of"]


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question, in plain language.")],
    db: DbOption = None,
    store: StoreOption = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="SPEC", help="local, local:FILE.gguf, openai:MODEL@BASE_URL, …"),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            "--strategy",
            metavar="NAME",
            help="ltmp_history (default): from the history, a composed question part by part; history: always"
            " at once; zero_shot: from the schema alone; others: docs/strategies.md.",
        ),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="Rows fetched at most.")] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", help="How long the query may run.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", metavar="N", help="Answers sampled; the best is voted for.")
    ] = None,
    reuse: Annotated[
        str | None,
        typer.Option(
            "--reuse", metavar="WHICH", help="Answer without the model: known (default), all, none: ask it."
        ),
    ] = None,
    filter_: FilterOption = None,
    json_: JsonOption = False,
) -> None:
    """Answer a question: SQL with a citation for every clause, and its rows. Nothing is ever written."""
    settings: dict[str, Any] = {"model": model, "strategy": strategy, "samples": samples, "reuse": reuse}
    settings |= {"retrieve_filter": filter_, "row_limit": limit, "query_timeout": timeout}
    with workspace(db, store, **settings) as lore:
        with Stages(quiet=json_) as told:
            draft = lore.ask(question, on_progress=told, on_model=told.model)
        _keep(lore, draft)
        for note in (*draft.notes, *(draft.retrieval.notes if draft.retrieval else ())):
            err().print(neutral(note), style="yellow")
        if draft.reused:
            err().print("to ask the model instead: --reuse none", style="dim")
        if json_:
            print_json(draft_json(draft, script_keys(lore, scripts_of(draft))))
        else:
            from sqlore.interfaces.cli.render import show_draft

            known = lore.store if lore.store_file.exists() else None
            show_draft(out(), draft, latest_of(known), most=max(limit or 0, 20))
    if draft.error:
        raise typer.Exit(1)


def _keep(lore: Workspace, draft: Draft) -> None:
    """Keeps the answer for `sqlore refine`; an answer is given all the same where it cannot be kept."""
    from sqlore.answer.refine.history import DraftHistory

    if draft.sql:
        with contextlib.suppress(OSError, SqloreError):
            lore.keep_draft(DraftHistory(draft.sql, question=draft.question))


def latest_of(store: Store | None) -> Callable[[Sequence[int]], StoredScript | None]:
    """A function from script ids to the script among them that ran last."""

    def latest(ids: Sequence[int]) -> StoredScript | None:
        if store is None or not ids:
            return None
        return max(store.scripts(list(ids)), key=lambda s: s.script.time or "", default=None)

    return latest


def scripts_of(draft: Draft) -> Iterator[int]:
    """The scripts that a draft names."""
    for citation in draft.citations:
        yield from citation.scripts
    for one in draft.uncovered:
        for item in one.items:
            yield from item.scripts


def draft_json(draft: Draft, keys: Mapping[int, str]) -> dict[str, Any]:
    """The stable JSON of `sqlore ask --json`; `keys` are what the history calls its scripts."""
    usage = draft.usage
    return {
        "question": draft.question,
        "sql": draft.sql,
        "columns": list(draft.result.columns) if draft.result else [],
        "rows": [list(row) for row in draft.result.rows] if draft.result else [],
        "truncated": draft.result.truncated if draft.result else False,
        "citations": [citation_json(c, keys) for c in draft.citations],
        "attempts": [{"sql": a.sql, "error": a.error} for a in draft.attempts],
        "usage": {
            "prompt_tokens": usage.prompt,
            "cached_tokens": usage.cached,
            "completion_tokens": usage.completion,
            "seconds": round(usage.seconds, 3),
            "calls": usage.calls,
            "cost": usage.cost,
        },
        "error": draft.error,
        "notes": list(draft.notes),
        "uncovered": [uncovered_json(one, keys) for one in draft.uncovered],
        "reused": reused_json(draft.reused) if draft.reused else None,
    }


def reused_json(reused: FromHistory) -> dict[str, Any]:
    """The script that an answer is taken from."""
    return {
        "script": reused.key,
        "author": reused.author,
        "time": reused.time,
        "changed": [{"from": old, "to": new} for old, new in reused.changed],
        "others": list(reused.others),
    }


def uncovered_json(one: Uncovered, keys: Mapping[int, str]) -> dict[str, Any]:
    """What of a question its SQL does not answer as JSON."""
    items = [
        {"item": i.item, "kind": i.kind, "sql": i.sql, "scripts": [keys[s] for s in i.scripts if s in keys]}
        for i in one.items
    ]
    place = {"phrase": one.phrase, "start": one.start, "end": one.end}
    return {**place, "items": items, "instead": one.instead}


def citation_json(citation: Citation, keys: Mapping[int, str]) -> dict[str, Any]:
    """One citation as JSON."""
    return {
        "start": citation.start,
        "end": citation.end,
        "kind": citation.kind,
        "sql": citation.sql,
        "status": citation.status,
        "item": citation.item,
        "support": citation.support,
        "scripts": [keys[i] for i in citation.scripts if i in keys],
        "new_values": list(citation.new_values),
        "with_values": citation.with_values,
        "parameter": citation.parameter,
        "similarity": round(citation.similarity, 4),
        "skeleton": citation.skeleton,
        "description": citation.description,
        "trust": citation.trust,
        "synthetic": citation.synthetic,
        "warning": citation.warning,
    }
