"""`sqlore bench history`: a history as it is really found, of a clean one: shorter, and with noise."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from sqlore.interfaces.cli.common import err, out, plural, print_json
from sqlore.interfaces.cli.options import DialectOption, JsonOption, SeedOption

__all__ = ["history"]


def history(
    source: Annotated[
        list[str],
        typer.Option("--history", metavar="PATH", help="Past scripts, a folder or file; repeatable."),
    ],
    file: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="Where the history goes, as JSON lines.")
    ],
    noise: Annotated[
        int, typer.Option("--noise", metavar="N", min=0, max=90, help="Per cent of it that are noise.")
    ] = 0,
    replay: Annotated[
        int, typer.Option("--replay", metavar="N", min=1, max=100, help="Per cent of it, the oldest first.")
    ] = 100,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="URL", help="The database: it says what fails, what differs."),
    ] = None,
    database: Annotated[
        str | None, typer.Option("--database", metavar="NAME", help="Of several databases this one.")
    ] = None,
    dialect: DialectOption = None,
    seed: SeedOption = 0,
    json_: JsonOption = False,
) -> None:
    """Write a history with so much noise, or only its beginning; what is noise stands in FILE.truth.json."""
    from sqlore.engines import connect
    from sqlore.evals.build.noise import Spoiler, noisy, replayed, write_history
    from sqlore.evals.ground import GroundPlan, scripts_by_database

    plan = GroundPlan(source, db, databases=(database,) if database else (), dialect=dialect)
    scripts, truth = [], []
    with ExitStack() as stack:
        engine = stack.enter_context(connect(db)) if db else None
        schema = engine.schema() if engine is not None else None
        for name, own in scripts_by_database(plan).items():
            known = [replace(one, database=one.database or name) for one in replayed(own, replay / 100)]
            spoken = dialect or (engine.dialect if engine is not None else None)
            spoiler = Spoiler(known, dialect=spoken, schema=schema, engine=engine, seed=seed)
            made, found = noisy(spoiler, noise / 100)
            scripts += made
            truth += found
    written = write_history(file, scripts, truth)
    kinds = dict(Counter(one.kind for one in truth))
    if json_:
        print_json({"files": list(map(str, written)), "scripts": len(scripts), "noise": kinds})
        return
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "no noise"
    out().print(f"{plural(len(scripts), 'script')}, {told}")
    for one in written:
        err().print(f"written: {one}", style="dim")
