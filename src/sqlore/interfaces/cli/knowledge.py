"""`sqlore knowledge`: look through what was learned, and say what may be trusted."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, out, plural, print_json, workspace
from sqlore.interfaces.cli.options import MOST, DbOption, JsonOption, StoreOption

if TYPE_CHECKING:
    from sqlore.knowledge import Store
    from sqlore.knowledge.records import Change
    from sqlore.model import KnowledgeItem, StoredScript

__all__ = ["app", "item_json"]

app = typer.Typer(help="Look through what was learned; verify or deprecate it.", no_args_is_help=True)


class KindChoice(StrEnum):
    """The kinds, as the command line offers them."""

    calculation = "calculation"
    condition = "condition"
    relation = "relation"
    dimension = "dimension"
    output = "output"
    query = "query"


_ALIKE = 0.005  # a score that is shown as 0.00 says that it has nothing to do with the words

KindOption = Annotated[
    KindChoice | None,
    typer.Option("--kind", metavar="KIND", help=f"Only this kind: {', '.join(KindChoice)}."),
]
WhoOption = Annotated[str, typer.Option("--who", metavar="NAME", envvar="USER", help="Who says so.")]
WhyOption = Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason; kept with the item.")]
ItemArgument = Annotated[
    int, typer.Argument(metavar="ID", help="The item's id, as `list` and `search` show it.")
]


@app.command("list")
def list_(
    db: DbOption = None,
    store: StoreOption = None,
    kind: KindOption = None,
    table: Annotated[
        str | None, typer.Option("--table", metavar="NAME", help="Only what touches this table.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=MOST, help="How many.")] = 50,
    offset: Annotated[
        int, typer.Option("--offset", metavar="N", min=0, max=MOST, help="How many to pass over.")
    ] = 0,
    json_: JsonOption = False,
) -> None:
    """List the pieces of knowledge, most used first; those of synthetic scripts alone come last."""
    with workspace(db, store) as lore:
        kind_: Any = kind.value if kind else None
        found = lore.store.items(kind=kind_, table=table, limit=limit, offset=offset)
        narrowed = kind is not None or table is not None
        stats = lore.store.stats()
        total = len(lore.store.items(kind=kind_, table=table)) if narrowed else stats.items
    if json_:
        print_json({"items": [item_json(item) for item in found], "total": total})
        return
    from sqlore.interfaces.cli.render import show_items

    if found:
        show_items(out(), found)
    more = " (--limit and --offset show the others)" if len(found) < total else ""
    made_up = f"; {stats.synthetic_items} in all are synthetic" if stats.synthetic_items else ""
    err().print(f"{len(found)} of {total}{more}{made_up}", style="dim")


@app.command("search")
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words to look for.")],
    db: DbOption = None,
    store: StoreOption = None,
    kind: KindOption = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=MOST, help="How many.")] = 20,
    json_: JsonOption = False,
) -> None:
    """Search the knowledge as questions search it: by meaning, words and values."""
    from sqlore.workspace import asked

    with workspace(db, store) as lore:
        most = lore.store.stats().items if kind else limit
        ranked = lore.retriever.rank(asked(text), limit=most)
    found = [r for r in ranked if kind is None or r.item.kind == kind.value][:limit]
    if json_:
        print_json({"items": [{**item_json(r.item), "score": round(r.score, 4)} for r in found]})
        return
    from sqlore.interfaces.cli.render import show_items

    alike = [r for r in found if r.score >= _ALIKE] or found[:1]
    show_items(out(), [r.item for r in alike], [r.score for r in alike])


@app.command("show")
def show(
    item: ItemArgument, db: DbOption = None, store: StoreOption = None, json_: JsonOption = False
) -> None:
    """Show everything known of one item: its scripts, authors, dates, values, trust."""
    with workspace(db, store) as lore:
        found = _item(lore.store, item)
        scripts = lore.store.scripts_of_item(item)
        changes = lore.store.history(item)
    if json_:
        shown = {"examples": [script_json(script) for script in scripts]}
        print_json({**item_json(found), **shown, "changes": [change_json(one) for one in changes]})
        return
    from sqlore.interfaces.cli.render import show_item

    show_item(out(), found, scripts, changes)


@app.command("verify")
def verify(
    item: ItemArgument,
    why: WhyOption = "",
    who: WhoOption = "unknown",
    db: DbOption = None,
    store: StoreOption = None,
) -> None:
    """Mark an item as checked by a person; it ranks higher."""
    _set_trust(item, "verified", who, why, db, store)


@app.command("deprecate")
def deprecate(
    item: ItemArgument,
    why: WhyOption = "",
    who: WhoOption = "unknown",
    db: DbOption = None,
    store: StoreOption = None,
) -> None:
    """Mark an item as no longer right; it is not offered any more."""
    _set_trust(item, "deprecated", who, why, db, store)


def _item(store: Store, number: int) -> KnowledgeItem:
    from sqlore.errors import UsageError

    found = store.item(number)
    if found is None:
        raise UsageError(f"there is no item {number}", hint="sqlore knowledge list shows the ids")
    return found


def _set_trust(item: int, trust: Any, who: str, why: str, db: Any, store: Any) -> None:
    with workspace(db, store) as lore:
        _item(lore.store, item)
        changed = lore.store.set_trust(item, trust, who=who, why=why)
    out().print(
        f"{changed.kind} {changed.id} is {changed.trust} (version {changed.version}): {changed.skeleton}"
    )


@app.command("rejected")
def rejected(
    dismiss: Annotated[bool, typer.Option("--dismiss", help="List these no more, now and later.")] = False,
    db: DbOption = None,
    store: StoreOption = None,
    json_: JsonOption = False,
) -> None:
    """List the scripts that were kept but not learned, each with its reason."""
    with workspace(db, store) as lore:
        found = lore.store.rejected()
        if dismiss:
            lore.store.dismiss()
    if json_:
        rows = [
            {"reason": r.reason, "message": r.message, "source": r.script.source, "line": r.line,
             "script": r.script.sql}
            for r in found
        ]  # fmt: skip
        print_json({"rejected": rows})
        return
    from rich.text import Text

    from sqlore.interfaces.cli.render import cell

    console = out()
    for r in found:
        place = ":".join(str(part) for part in (r.script.source, r.line) if part is not None)
        console.print(Text(f"{place}  ", style="bold").append(r.reason.replace("_", " "), "yellow"))
        console.print(Text(f"   {r.message}"))
        if r.script.sql.strip():
            console.print(Text(f"   {cell(' '.join(r.script.sql.split()), 160)}", style="dim"))
    done = ", dismissed" if dismiss else ""
    err().print(f"{plural(len(found), 'script')} kept but not learned{done}", style="dim")


def item_json(item: KnowledgeItem) -> dict[str, Any]:
    """One item as JSON."""
    return {
        "id": item.id,
        "kind": item.kind,
        "form": item.form,
        "skeleton": item.skeleton,
        "sql": item.sql,
        "name": item.name,
        "aliases": list(item.aliases),
        "description": item.description,
        "support": item.support,
        "runs": item.runs,
        "literals": [{"values": list(values), "count": count} for values, count in item.literals],
        "authors": list(item.authors),
        "first_seen": item.first_seen,
        "last_seen": item.last_seen,
        "trust": item.trust,
        "version": item.version,
        "stale": item.stale,
        "synthetic": item.synthetic,
    }


def change_json(change: Change) -> dict[str, Any]:
    """What was changed about an item, by whom and why, as JSON."""
    return {
        "version": change.version,
        "what": change.what,
        "old": change.old,
        "new": change.new,
        "who": change.who,
        "why": change.why,
        "time": change.time,
    }


def script_json(stored: StoredScript) -> dict[str, Any]:
    """One stored script as JSON."""
    script = stored.script
    return {
        "id": stored.id,
        "key": script.key,
        "question": script.question,
        "comment": script.comment,
        "sql": script.sql,
        "author": script.author,
        "time": script.time,
        "runs": script.runs,
        "source": script.source,
        "line": script.line,
        "description": stored.description,
        "synthetic": stored.synthetic,
    }
