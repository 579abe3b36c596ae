"""`sqlore refine`: one item of a query changed, the diff shown, and the query run again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from sqlore.interfaces.cli.ask import draft_json, latest_of
from sqlore.interfaces.cli.common import err, neutral, out, print_json, script_keys, workspace
from sqlore.interfaces.cli.options import DbOption, JsonOption, StoreOption

if TYPE_CHECKING:
    from sqlore.answer.refine.change import DraftItem, Refiner
    from sqlore.answer.refine.donors import Alternative
    from sqlore.answer.refine.history import DraftHistory, Refinement
    from sqlore.model import Draft
    from sqlore.workspace import Workspace

__all__ = ["refine"]


def refine(
    sql: Annotated[
        str | None,
        typer.Argument(metavar="SQL", help="SQL, a file, or - for stdin; else the last answer of ask."),
    ] = None,
    db: DbOption = None,
    store: StoreOption = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="SPEC", help="The model of --wish, as in ask.")
    ] = None,
    off: Annotated[int | None, typer.Option("--off", metavar="N", help="Switch item N off.")] = None,
    joins: Annotated[
        str,
        typer.Option("--joins", metavar="WHICH", help="Joins that only it needed: same rows, all, none go."),
    ] = "same",
    on: Annotated[
        int | None, typer.Option("--on", metavar="STEP", help="Switch on again what that step switched off.")
    ] = None,
    edit: Annotated[
        tuple[int, str] | None, typer.Option("--edit", metavar="N SQL", help="Item N becomes this SQL.")
    ] = None,
    wish: Annotated[
        tuple[int, str] | None,
        typer.Option("--wish", metavar="N WORDS", help="Item N as you wish it, in plain words."),
    ] = None,
    alternatives: Annotated[
        int | None,
        typer.Option("--alternatives", metavar="N", help="What the history has in place of item N."),
    ] = None,
    choose: Annotated[
        tuple[int, int] | None,
        typer.Option("--choose", metavar="N ITEM", help="That item of the history in place of item N."),
    ] = None,
    add: Annotated[
        int | None, typer.Option("--add", metavar="ITEM", help="Put an item of the history in.")
    ] = None,
    scope: Annotated[
        str, typer.Option("--scope", metavar="PATH", help="Where --add puts it: main, cte:NAME, …")
    ] = "main",
    undo: Annotated[bool, typer.Option("--undo", help="Take the last change back.")] = False,
    redo: Annotated[bool, typer.Option("--redo", help="Make the change again that was taken back.")] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Keep the change and run the query; else only the diff is shown.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Change one item of a query and leave the rest as it is, byte for byte."""
    asked = {
        "off": off, "on": on, "edit": edit, "wish": wish, "choose": choose, "add": add, "undo": undo or None,
        "redo": redo or None, "alternatives": alternatives,
    }  # fmt: skip
    act, given = _one(asked)
    with workspace(db, store, model=model) as lore:
        history = _history(lore, sql)
        refiner = lore.refiner(model=act == "wish")
        found = refiner.alternatives(history.sql, cast(int, given)) if act == "alternatives" else None
        step = _step(refiner, history, act, given, joins, scope)
        after = _moved(history, act, step)
        kept = after if apply or act in ("undo", "redo") else history
        run = kept is not history or (apply and not act)
        draft = lore.checked(kept.sql, kept.question) if run else None
        if kept is not history or sql is not None:
            lore.keep_draft(kept)
        if json_:
            print_json(_json(lore, refiner, kept, step, found, draft))
        else:
            _show(lore, refiner, kept, step, found, draft)
    if draft is not None and draft.error:
        raise typer.Exit(1)


def _one(asked: dict[str, Any]) -> tuple[str, Any]:
    """The one act that is asked for, and its argument. Raises `UsageError` for several."""
    from sqlore.errors import UsageError

    given = [(name, value) for name, value in asked.items() if value is not None]
    if len(given) > 1:
        names = " and ".join(f"--{name}" for name, _ in given)
        raise UsageError(f"{names} together", hint="make one change at a time")
    return given[0] if given else ("", None)


def _history(lore: Workspace, given: str | None) -> DraftHistory:
    """The draft meant: SQL given here begins a new one, else the one that is kept."""
    from sqlore.answer.refine.history import DraftHistory
    from sqlore.errors import UsageError

    if given is None:
        kept = lore.kept_draft()
        if kept is None:
            raise UsageError(
                "there is no answer to refine yet",
                hint='sqlore ask "QUESTION" first, or give the SQL: sqlore refine "SELECT …"',
            )
        return kept
    text = sys.stdin.read() if given == "-" else _written(given)
    if not text.strip():
        raise UsageError("there is no SQL to refine")
    return DraftHistory(text.strip().rstrip(";").rstrip())


def _written(given: str) -> str:
    """The SQL of a file, or the text itself where it names none.

    Raises `UsageError` where the file cannot be read.
    """
    from sqlore.errors import UsageError

    path = Path(given)
    try:
        if "\n" in given or not path.is_file():
            return given
    except (OSError, ValueError):  # too long for a name, or of characters that no name has
        return given
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the file cannot be read: {error}", where=given) from error


def _step(
    refiner: Refiner, history: DraftHistory, act: str, given: Any, joins: str, scope: str
) -> Refinement | None:
    """The change that is asked for, not applied yet."""
    from sqlore.errors import UsageError

    if joins not in ("same", "all", "none"):
        raise UsageError(f"--joins {joins}", hint="same, all or none")
    sql = history.sql
    if act == "off":
        return refiner.off(sql, given, cast(Literal["same", "all", "none"], joins))
    if act == "on":
        return refiner.on(history, given)
    if act == "edit":
        return refiner.edit(sql, *given)
    if act == "wish":
        return refiner.wish(sql, *given)
    if act == "choose":
        return refiner.choose(sql, *given)
    return refiner.add(sql, given, scope) if act == "add" else None


def _moved(history: DraftHistory, act: str, step: Refinement | None) -> DraftHistory:
    if act == "undo":
        return history.undo()
    if act == "redo":
        return history.redo()
    return history.apply(step) if step is not None else history


def _json(
    lore: Workspace,
    refiner: Refiner,
    history: DraftHistory,
    step: Refinement | None,
    found: Sequence[Alternative] | None,
    draft: Draft | None,
) -> dict[str, Any]:
    """The stable JSON of `sqlore refine --json`."""
    from dataclasses import asdict

    keys = script_keys(lore, (i for c in draft.citations for i in c.scripts)) if draft is not None else {}
    return {
        "question": history.question,
        "sql": history.sql,
        "items": [asdict(item) for item in refiner.items(history.sql)],
        "refinement": step.to_json() if step is not None else None,
        "alternatives": [asdict(one) for one in found] if found is not None else None,
        "off": [{"step": number, "sql": one.fragment} for number, one in history.off],
        "undo": history.at,
        "redo": len(history.undone),
        "draft": draft_json(draft, keys) if draft is not None else None,
    }


def _show(
    lore: Workspace,
    refiner: Refiner,
    history: DraftHistory,
    step: Refinement | None,
    found: Sequence[Alternative] | None,
    draft: Draft | None,
) -> None:
    """The same for a person: items, alternatives or the diff, then the query as it is now."""
    from sqlore.interfaces.cli.render import show_draft

    if found is not None:
        _show_alternatives(found)
        return
    if step is not None:
        _show_diff(step)
        applied = draft is not None
        if not applied:
            err().print("not applied yet; --apply keeps it and runs the query", style="dim")
            return
    if draft is not None:
        known = lore.store if lore.learned else None
        show_draft(out(), draft, latest_of(known))
        return
    _show_items(refiner.items(history.sql), history)


def _show_items(items: Sequence[DraftItem], history: DraftHistory) -> None:
    from rich.text import Text

    from sqlore.interfaces.cli.render import KIND_STYLES, cell, hanging

    console = out()
    console.print(Text(history.sql))
    console.print()
    for item in items:
        head = Text(f"{item.number:>4}  ", style="dim").append(f"{item.kind:<12}", KIND_STYLES[item.kind])
        where = item.clause if item.scope == "main" else f"{item.clause} in {item.scope}"
        head.append(f"{where:<8}  ", style="dim")
        text = "the whole SQL" if item.kind == "query" else cell(" ".join(item.sql.split()), 300)
        hanging(console, head, Text(text, style="default"))
    for number, step in history.off:
        console.print(
            Text(f"   ×  off since step {number}: {cell(' '.join(step.fragment.split()), 200)}", "dim")
        )


def _show_alternatives(found: Sequence[Alternative]) -> None:
    from rich.text import Text

    from sqlore.interfaces.cli.render import cell, hanging

    console = out()
    if not found:
        err().print("the history has nothing else that fits there", style="dim")
    for one in found:
        used = one.support if one.with_values is None else one.with_values
        head = Text(f"{one.item:>6}  ", style="dim").append(f"{used:>4}×  ", style="green")
        body = Text(cell(" ".join(one.sql.split()), 300), style="default")
        for join in one.joins:
            body.append(f"  + {join}", style="blue")
        hanging(console, head, body)


def _show_diff(step: Refinement) -> None:
    from rich.text import Text

    console = out()
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in step.diff.splitlines():
        console.print(Text(line, style=styles.get(line[:1], "default")))
    for note in step.notes:
        err().print(neutral(note), style="yellow")
    for text in step.affected:
        err().print(neutral(f"means something else now: {' '.join(text.split())}"), style="yellow")
