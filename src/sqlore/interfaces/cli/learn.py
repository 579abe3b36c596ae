"""`sqlore learn`: a history of SQL becomes knowledge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sqlore.interfaces.cli.common import err, neutral, out, plural, print_json, progress, workspace
from sqlore.interfaces.cli.options import DbOption, DialectOption, JsonOption, StoreOption, path_given

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlore.knowledge import LearnReport, Stats
    from sqlore.model import Schema

__all__ = ["columns_option", "held", "learn"]

#: Kinds of tables whose columns are told.
_TABLES: Final = 3
#: Columns of a table that are not read and are named.
_UNREAD: Final = 8
#: Scripts that cannot run here and are named.
_NAMED: Final = 5


def columns_option(pairs: list[str] | None) -> dict[str, str] | None:
    """`--column sql=stmt` options as a mapping.

    >>> columns_option(["sql=stmt", "question=title"])
    {'sql': 'stmt', 'question': 'title'}
    """
    if not pairs:
        return None
    bad = next((pair for pair in pairs if "=" not in pair), None)
    if bad is not None:
        raise typer.BadParameter(f"{bad!r} is not FIELD=COLUMN, such as sql=query_text")
    return dict(tuple(pair.split("=", 1)) for pair in pairs)  # type: ignore[misc]


def learn(
    history: Annotated[
        list[str],
        typer.Option(
            "--history",
            metavar="PATH",
            help="Folder or file of scripts, - for stdin, a server's URL; repeatable.",
        ),
    ],
    db: DbOption = None,
    store: StoreOption = None,
    dictionary: Annotated[
        list[Path] | None,
        typer.Option(
            "--dictionary",
            metavar="PATH",
            help="Data dictionary: YAML, or BIRD's CSV folder.",
            parser=path_given,
        ),
    ] = None,
    schema: Annotated[
        Path | None,
        typer.Option("--schema", metavar="FILE", help="tables.json in place of a database (BIRD, Spider)."),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option("--database", metavar="NAME", help="Only the scripts of this database of the history."),
    ] = None,
    dialect: DialectOption = None,
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="Format of the history where it is not recognised."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="FIELD=COLUMN", help="Which column holds sql, question, author, …"),
    ] = None,
    reembed: Annotated[
        bool,
        typer.Option(
            "--reembed", metavar="", help="First make all vectors anew, with the embedding model now set."
        ),
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Learn the scripts of a history. Run it again after adding some: only what is new is learned."""
    columns: dict[str, Mapping[str, str]] = {}
    unread: dict[str, Sequence[str]] = {}
    endings: Counter[str] = Counter()

    def note_columns(source: str, mapping: Mapping[str, str], others: Sequence[str]) -> None:
        columns[source], unread[source] = mapping, others

    with workspace(db, store, dictionary=dictionary or None) as lore:
        with progress(quiet=json_) as report_progress:
            report = lore.learn(
                *history,
                schema=_schema(schema, database, history),
                dialect=dialect,
                format=format_,
                columns=columns_option(column),
                database=database or _only_matching(lore, schema, history),
                reembed=reembed,
                on_columns=note_columns,
                on_unread=lambda ending: endings.update((ending,)),
                on_progress=report_progress,
            )
        if json_:
            done = report_json(report, lore.store.stats(), lore.store_file)
            print_json({**done, "columns": columns, "not_read": dict(sorted(endings.items()))})
        else:
            _show_columns(columns, unread)
            if endings:
                some = ", ".join(f"{number} {ending}" for ending, number in sorted(endings.items()))
                err().print(neutral(f"not read: {some}"), style="yellow")
            show_report(report, lore.store.stats(), lore.store_file)
        if not lore.store.stats().scripts:
            raise typer.Exit(2)


def _show_columns(columns: Mapping[str, Mapping[str, str]], unread: Mapping[str, Sequence[str]]) -> None:
    """Which column was read as what, so that a wrong guess is seen, and which was not; tables that are alike
    on one line."""
    alike: dict[tuple[str, str], list[str]] = {}
    for source, mapping in columns.items():
        said = ", ".join(f"{field} from {column}" for field, column in mapping.items())
        alike.setdefault((said, _unread(mapping, unread[source])), []).append(source)
    for (said, missed), sources in list(alike.items())[:_TABLES]:
        more = f" and {plural(len(sources) - 1, 'more table')}" if len(sources) > 1 else ""
        err().print(neutral(f"{sources[0]}{more}: {said} (otherwise: --column FIELD=COLUMN)"), style="dim")
        if missed:
            err().print(neutral(f"  not used: {missed}"), style="dim")


def _unread(mapping: Mapping[str, str], names: Sequence[str]) -> str:
    """The columns that were not read, and what to do where they hold something after all."""
    if not names:
        return ""
    more = f" and {len(names) - _UNREAD} more" if len(names) > _UNREAD else ""
    said = ", ".join(names[:_UNREAD]) + more
    field = next((one for one in ("question", "author", "time") if one not in mapping), None)
    if field is None:
        return said
    what = "they are" if len(names) > 1 else "it is"
    return f"{said}; --column {field}={names[0]} says what {what}"


def _schema(file: Path | None, database: str | None, history: list[str]) -> Schema | None:
    """The schema of `tables.json` that the history is about."""
    if file is None:
        return None
    from sqlore.catalog import load_tables_json
    from sqlore.errors import UsageError
    from sqlore.history import databases_in

    schemas = load_tables_json(file)
    wanted = [database] if database else [name for source in history for name in databases_in(source)]
    found = [schemas[name] for name in dict.fromkeys(wanted) if name in schemas]
    if not found and len(schemas) == 1:
        found = list(schemas.values())
    if len(found) != 1:
        raise UsageError(
            f"{file} has {len(schemas)} databases and it is not clear which one is meant",
            hint="name it with --database",
        )
    return found[0]


def _only_matching(lore: Any, schema: Path | None, history: list[str]) -> str | None:
    """Of a history over several databases, the scripts of the one that is opened (by its name)."""
    from sqlore.errors import UsageError
    from sqlore.history import databases_in

    names = [name for source in history if source != "-" for name in databases_in(source)]
    if schema is not None or len(set(names)) < 2:
        return None
    match = next((name for name in names if name.lower() == lore.engine.name.lower()), None)
    if match is None:
        raise UsageError(
            f"the history is about {len(set(names))} databases, none of them called {lore.engine.name!r}",
            hint=f"choose one with --database ({', '.join(sorted(set(names))[:6])}, …)",
        )
    return match


def report_json(report: LearnReport, stats: Stats, file: Path) -> dict[str, Any]:
    """The stable JSON of `sqlore learn --json`."""
    return {
        "store": str(file),
        "read": report.read,
        "new": report.new,
        "folded": report.folded,
        "known": report.known,
        "completed": report.completed,
        "rejected": dict(report.rejected),
        "scripts": stats.scripts,
        "items": stats.items,
        "synthetic": stats.synthetic,
        "seconds": round(report.seconds, 3),
        "misnamed": [{"script": one.key, "what": one.what} for one in report.misnamed],
    }


def held(stats: Stats) -> str:
    """What a store holds, the synthetic apart."""
    text = f"{plural(stats.scripts, 'script')} and {plural(stats.items, 'piece of knowledge')}"
    if not stats.synthetic:
        return text
    return f"{text}, of these {stats.synthetic} and {stats.synthetic_items} synthetic"


def misnamed(report: LearnReport) -> str:
    """Which scripts were learned that cannot run here, and what becomes of them."""
    some = ", ".join(f"{one.what} ({one.key})" for one in report.misnamed[:_NAMED])
    more = f" and {len(report.misnamed) - _NAMED} more" if len(report.misnamed) > _NAMED else ""
    verb = "names" if len(report.misnamed) == 1 else "name"
    return (
        f"Learned, but {plural(len(report.misnamed), 'script')} {verb} what the database does not have:"
        f" {some}{more}. Kept and marked stale, not offered to the model."
    )


def show_report(report: LearnReport, stats: Stats, file: Path) -> None:
    """What was learned, in a few lines."""
    console = out()
    if not stats.scripts:
        err().print("Nothing was learned: no script of this history was understood.", style="red")
    elif report.completed and not report.new and not report.folded:
        console.print("No new script.")
    elif not report.new and not report.folded and not report.known:
        console.print("Nothing new: no script here was understood.")
    elif not report.new and not report.folded:
        console.print("Nothing new: every script here is known already.")
    else:
        same = f" ({report.folded} more: the same with other values or names)" if report.folded else ""
        console.print(f"Learned {plural(report.new, 'script')} in {report.seconds:.1f} s{same}.")
    if report.completed:
        number = plural(report.completed, "script")
        console.print(f"Completed {number} known before with the question, author or time now given.")
    console.print(f"The store holds {held(stats)}: {file}")
    if report.misnamed:
        err().print(neutral(misnamed(report)), style="yellow")
    rejected = sum(report.rejected.values())
    if rejected:
        reasons = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in report.rejected.items())
        err().print(
            f"{rejected} kept but not learned: {reasons}. See: sqlore knowledge rejected", style="yellow"
        )
