"""`sqlore retrieve`: what the history knows that touches a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, neutral, out, plural, print_json, script_keys, workspace
from sqlore.interfaces.cli.options import MOST, DbOption, FilterOption, JsonOption, StoreOption

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.model import Retrieval

__all__ = ["retrieval_json", "retrieve"]


def retrieve(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="The question, in plain language.")],
    db: DbOption = None,
    store: StoreOption = None,
    items: Annotated[
        int, typer.Option("--items", metavar="N", min=1, max=MOST, help="Pieces of knowledge at most.")
    ] = 20,
    scripts: Annotated[
        int, typer.Option("--scripts", metavar="N", min=0, max=MOST, help="Whole scripts at most.")
    ] = 6,
    shots: Annotated[
        int | None,
        typer.Option(
            "--shots", metavar="N", min=0, max=MOST, help="Exactly so many scripts, as few-shot needs."
        ),
    ] = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="For another pipeline: dail, opensearch, nrep, codes."),
    ] = None,
    filter_: FilterOption = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="SPEC", help="The model of --filter, as in ask.")
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Show the knowledge and the scripts that touch a question, best first.

    No language model is called, unless --filter asks one.
    """
    from sqlore.retrieve.spoken import spoken

    with workspace(db, store, retrieve_filter=filter_, model=model) as lore:
        found = lore.retrieve(question, items=items, scripts=scripts, shots=shots)
        for note in found.notes:
            err().print(neutral(note), style="yellow")
        if format_ is not None:
            print_format(format_, found, lore.retriever.catalog)
            return
        said = spoken(lore.retriever.snapshot, question, {ranked.item.id for ranked in found.items})
        keys = script_keys(lore, (i for ranked in found.items for i in ranked.item.scripts))
    if json_:
        print_json(retrieval_json(found, keys))
        return
    from rich.text import Text

    from sqlore.interfaces.cli.render import hanging, show_items, show_scripts
    from sqlore.retrieve.plain_words import says_something

    console = out()
    console.print(f"phrases: {' · '.join(filter(says_something, found.phrases))}", style="dim")
    places: dict[str, list[str]] = {}
    for value in found.values:
        places.setdefault(f"{value.phrase} = {value.value!r}", []).append(f"{value.table}.{value.column}")
    for value_, columns in places.items():
        hanging(
            console, Text("value:   ", style="dim"), Text(f"{value_} in {', '.join(columns)}", style="dim")
        )
    if found.items:
        show_items(console, [r.item for r in found.items], [r.score for r in found.items])
    else:
        console.print("Nothing that was learned touches this question.")
    for one in said:
        for item in one.items:
            why = f"'{one.phrase}' in {plural(len(item.scripts), 'question')}: "
            hanging(console, Text(why, style="dim"), Text(f"{item.sql} (item {item.item})"))
    if found.scripts:
        console.print("\nWorked examples that hold them (and how much of them)", style="bold")
        show_scripts(console, [(r.score, r.script) for r in found.scripts])
    console.print(f"{sum(found.milliseconds.values()):.0f} ms", style="dim")


def print_format(name: str, found: Retrieval, catalog: Catalog | None) -> None:
    """The scripts as another pipeline takes them: text as it is, all else as JSON."""
    from sqlore.retrieve.plugin import as_format

    made = as_format(name, found, catalog)
    if isinstance(made, str):
        out().print(made, end="", soft_wrap=True)
    else:
        print_json(made, indent=1)


def retrieval_json(found: Retrieval, keys: Mapping[int, str]) -> dict[str, Any]:
    """The stable JSON of `sqlore retrieve --json`; `keys` are what the history calls its scripts."""
    return {
        "question": found.question,
        "items": [
            {
                "id": ranked.item.id,
                "kind": ranked.item.kind,
                "sql": ranked.item.sql,
                "skeleton": ranked.item.skeleton,
                "score": round(ranked.score, 4),
                "support": ranked.item.support,
                "synthetic": ranked.item.synthetic,
                "scripts": [keys[i] for i in ranked.item.scripts if i in keys],
                "description": ranked.item.description,
                "signals": {name: round(value, 4) for name, value in ranked.signals.items()},
            }
            for ranked in found.items
        ],
        "scripts": [
            {
                "key": ranked.script.script.key or str(ranked.script.id),
                "question": ranked.script.script.text,
                "sql": ranked.script.script.sql,
                "score": round(ranked.score, 4),
                "items": list(ranked.items),
                "description": ranked.script.description,
                "synthetic": ranked.script.synthetic,
            }
            for ranked in found.scripts
        ],
        "phrases": list(found.phrases),
        "values": [
            {"phrase": v.phrase, "table": v.table, "column": v.column, "value": v.value, "score": v.score}
            for v in found.values
        ],
        "milliseconds": {name: round(value, 2) for name, value in found.milliseconds.items()},
    }
