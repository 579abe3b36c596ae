"""`sqlore warm`: a database without a history gets examples of its own to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sqlore.interfaces.cli.common import err, neutral, out, plural, print_json, progress, workspace
from sqlore.interfaces.cli.learn import held
from sqlore.interfaces.cli.options import DbOption, JsonOption, StoreOption

if TYPE_CHECKING:
    from sqlore.knowledge import Stats
    from sqlore.prompts.da_gp_learn import WarmReport
    from sqlore.prompts.da_gp_prompt import PreparedAdapted

__all__ = ["warm"]


def warm(
    db: DbOption = None,
    store: StoreOption = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="SPEC", help="local, local:FILE.gguf, openai:MODEL@BASE_URL, …"),
    ] = None,
    review: Annotated[
        Path | None,
        typer.Option("--review", metavar="FILE", help="YAML file in which a person reviews the examples."),
    ] = None,
    approved: Annotated[
        bool, typer.Option("--approved", metavar="", help="Learn only the examples that a person approved.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Warm up a database without a history: a model adapts examples to it; they are learned as synthetic.

    Run it again to go on where it was stopped, or to take over what a person changed in the file.
    """
    with workspace(db, store, model=model) as lore:
        with progress(quiet=json_) as report_progress:
            report, ready = lore.warm(review=review, approved=approved, on_progress=report_progress)
        stats = lore.store.stats()
        if json_:
            print_json(warm_json(report, ready, stats, lore.store_file))
        else:
            _show(report, ready, stats, lore.store_file)
    if not report.adapted and not report.rejected:
        raise typer.Exit(1)


def warm_json(report: WarmReport, ready: PreparedAdapted, stats: Stats, file: Path) -> dict[str, Any]:
    """The stable JSON of `sqlore warm --json`."""
    return {
        "store": str(file),
        "review": str(ready.review) if ready.review else None,
        "chosen": report.chosen,
        "adapted": report.adapted,
        "approved": report.approved,
        "rejected": report.rejected,
        "failed": dict(ready.failed),
        "new": report.learned.new + report.learned.folded,
        "known": report.learned.known,
        "removed": report.removed,
        "scripts": stats.scripts,
        "synthetic": stats.synthetic,
        "items": stats.items,
        "synthetic_items": stats.synthetic_items,
    }


def _show(report: WarmReport, ready: PreparedAdapted, stats: Stats, file: Path) -> None:
    console = out()
    said = f"{report.approved} approved" + (f", {report.rejected} rejected" if report.rejected else "")
    console.print(neutral(f"{report.adapted} of {report.chosen} examples adapted, {said}."))
    if report.removed:
        console.print(f"{plural(report.removed, 'synthetic script')} taken out of the store.")
    console.print(f"The store holds {held(stats)}: {file}")
    if ready.failed:
        reasons = ", ".join(f"{count} ({why})" for why, count in sorted(ready.failed.items()))
        err().print(neutral(f"samples that failed: {reasons}"), style="dim")
    if ready.review is not None:
        err().print(f"Review them, set `approved: true`, and warm again: {ready.review}", style="dim")
