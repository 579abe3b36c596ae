"""`sqlore doctor`: what is installed, which model, is the store healthy."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import typer

from sqlore import __version__
from sqlore.errors import SqloreError, StoreError, UsageError
from sqlore.interfaces.cli.common import out, plural, print_json, workspace
from sqlore.interfaces.cli.options import DbOption, JsonOption, StoreOption

if TYPE_CHECKING:
    from sqlore.workspace import Workspace

__all__ = ["Finding", "doctor"]

PACKAGES = ("sqlglot", "sqlglotc", "duckdb", "onnxruntime", "tokenizers", "openai", "xllamacpp")
#: Packages that not everybody needs, and what they are for.
OPTIONAL = {
    "sqlglotc": "",
    "xllamacpp": "pip install 'sqlore[local]' for the local model",
    "psycopg": "pip install 'sqlore[postgres]' for PostgreSQL",
    "pymysql": "pip install 'sqlore[mysql]' for MySQL and MariaDB",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at; `ok` None where it is only told, not judged."""

    name: str
    ok: bool | None
    detail: str
    hint: str = ""


def doctor(db: DbOption = None, store: StoreOption = None, json_: JsonOption = False) -> None:
    """Check the installation, the models, the database and the store; say what to do about each fault."""
    with workspace(db, store) as lore:
        findings = [*_installed(), *_checked(lore)]
    healthy = all(finding.ok is not False for finding in findings)
    if json_:
        print_json({"healthy": healthy, "findings": [asdict(f) for f in findings]})
    else:
        from rich.text import Text

        console = out()
        for f in findings:
            mark, style = {True: ("ok", "green"), False: ("!!", "red"), None: ("--", "dim")}[f.ok]
            console.print(
                Text(f"{mark} ", style=style).append(f"{f.name:<12}", "bold").append(f.detail, "default")
            )
            if f.hint:
                console.print(Text(f"   {'':<12}{f.hint}", style="yellow"))
    if not healthy:
        raise typer.Exit(2)


def _installed() -> Iterator[Finding]:
    yield Finding("sqlore", None, f"{__version__} at {os.path.dirname(__import__('sqlore').__file__ or '')}")
    yield Finding(
        "python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.platform()}"
    )
    for name in (*PACKAGES, "psycopg", "pymysql"):
        try:
            yield Finding(name, True, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(name, None if name in OPTIONAL else False, "not installed", OPTIONAL.get(name, ""))


def _checked(lore: Workspace) -> Iterator[Finding]:
    checks: tuple[tuple[str, Callable[[Workspace], tuple[bool | None, str, str]]], ...] = (
        ("settings", _settings),
        ("embedder", _embedder),
        ("model", _model),
        ("store", _store),
        ("database", _database),
    )
    for name, check in checks:
        try:
            yield Finding(name, *check(lore))
        except StoreError as error:
            if name == "database":  # the store, which has a finding of its own, would name it
                yield Finding(name, None, "not looked at: the store cannot be read", "name it with --db")
            else:
                yield Finding(name, False, error.message, error.hint or "")
        except SqloreError as error:
            # nothing learned and no database named is where everybody starts, not a fault
            named = lore.settings.db or lore.settings.store
            start = name in {"store", "database"} and not named and isinstance(error, UsageError)
            yield Finding(name, None if start else False, error.message, error.hint or "")


def _settings(lore: Workspace) -> tuple[bool | None, str, str]:
    given = lore.settings.model_dump(exclude_defaults=True, mode="json")
    return None, ", ".join(f"{k}={v}" for k, v in given.items()) or "all defaults", ""


def _embedder(lore: Workspace) -> tuple[bool | None, str, str]:
    vectors = lore.embedder.embed(["customers who bought twice", "clients with two orders"])
    likeness = float(vectors[0] @ vectors[1])
    return likeness > 0.2, f"{lore.embedder.name}, {lore.embedder.dimension} numbers a text", ""


def _model(lore: Workspace) -> tuple[bool | None, str, str]:
    spec = lore.settings.model
    if spec != "local":
        return None, f"{spec} (not called)", ""
    from sqlore.errors import ModelUnavailable
    from sqlore.llm.weights import find_model

    try:
        return True, f"local, {find_model(download=False)}", ""
    except ModelUnavailable as error:
        return None, f"local: {error.message}", "sqlore models fetch"


def _store(lore: Workspace) -> tuple[bool | None, str, str]:
    health = lore.store.health(lore.embedder)
    stats = lore.store.stats()
    counts = f"{plural(stats.scripts, 'script')}, {plural(stats.items, 'item')}, {stats.rejected} rejected"
    if stats.synthetic:
        counts += f", {stats.synthetic} of the scripts synthetic"
    return health.ok, f"{lore.store_file}: {counts}", "; ".join(health.problems)


def _database(lore: Workspace) -> tuple[bool | None, str, str]:
    schema = lore.engine.schema()
    columns = sum(len(table.columns) for table in schema.tables)
    stale = _stale(lore)
    gone = "stale (naming tables or columns that are not there) and not offered"
    hint = f"{plural(stale, 'item')} {gone}" if stale else ""
    held = f"{plural(len(schema.tables), 'table')}, {plural(columns, 'column')}"
    return True, f"{lore.engine.url}: {held}", hint


def _stale(lore: Workspace) -> int:
    """How many items name what the database lacks; a store that cannot be read is no fault of that one."""
    try:
        return lore.store.count(stale=True) if lore.learned else 0
    except StoreError:
        return 0
