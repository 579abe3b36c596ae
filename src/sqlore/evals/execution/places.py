"""Where the tasks' databases are: one by its URL, or a folder or server that holds one a database id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sqlore.engines import connect
from sqlore.errors import ConnectError, UsageError
from sqlore.evals.execution.tasks import Question
from sqlore.passwords import with_password

__all__ = ["Places", "find_places"]

_ID: Final = "{db_id}"
_SUFFIXES: Final = (".sqlite", ".db", ".sqlite3", ".duckdb")


@dataclass(frozen=True)
class Places:
    """`urls` by database id in the order of the tasks; `missing` has the tasks of each that was not found,
    `others` those of databases that were not wanted."""

    urls: dict[str, str]
    missing: dict[str, int]
    others: dict[str, int]

    def database_of(self, task: Question) -> str | None:
        """The database a task is about, as `urls` spells it; without a name it is about the only one."""
        if not task.database and len(self.urls) == 1:
            return next(iter(self.urls))
        return next((name for name in self.urls if name.lower() == task.database.lower()), None)


def find_places(db: str, databases: Sequence[str], wanted: Collection[str] = ()) -> Places:
    """The places of `databases`, the ids that the tasks name (one a task, an empty one for none).

    `db` is one database, or a folder of many: ``DIR/ID/ID.sqlite`` as BIRD and Spider lay them out, or
    ``DIR/ID.sqlite``; ``.db``, ``.sqlite3`` and ``.duckdb`` as well. A server's URL with ``{db_id}`` in it
    is one for each id. One database takes the tasks that name it, or all where they name no more than one.
    `wanted` keeps only these.

    Raises `UsageError` where no task has a database, `ConnectError` where the one named cannot be opened.
    """
    counts = Counter(databases)
    keep = {name.lower() for name in wanted}
    others = {name: n for name, n in counts.items() if keep and name and name.lower() not in keep}
    left = [name for name in counts if name not in others]
    if not counts:
        raise UsageError("there is no task to ask", hint="a task has a question, and its SQL as SQL or query")
    if not left:
        raise UsageError("no task is of these databases", hint=f"there are {', '.join(sorted(others)[:12])}")
    if _ID in db:
        return _on_server(db, left, counts, others)
    folder = Path(db).expanduser()
    if folder.is_dir():
        return _in_folder(folder, left, counts, others)
    with connect(db) as engine:
        name, url = engine.name, engine.url
    named = [one for one in left if one]
    own = [one for one in named if one.lower() == name.lower()]
    if not own and len(named) > 1:
        raise UsageError(
            f"the tasks are of {len(named)} databases, and none is called {name}",
            hint="name the one that this is with --database, or give the folder that holds all with --db",
        )
    mine = own[0] if own else named[0] if named else name
    others |= {one: counts[one] for one in named if one != mine}
    return Places({mine: url}, {}, others)


def _in_folder(folder: Path, left: Sequence[str], counts: Counter[str], others: dict[str, int]) -> Places:
    urls, missing = {}, {}
    for name in left:
        file = _file_of(folder, name) if name else None
        if file is None:
            missing[name] = counts[name]
        else:
            urls[name] = str(file)
    if not urls:
        raise UsageError(
            f"{folder} has no database of the tasks",
            where=str(folder),
            hint=f"looked for {left[0] or 'ID'}/{left[0] or 'ID'}.sqlite and {left[0] or 'ID'}.sqlite",
        )
    return Places(urls, missing, others)


def _on_server(db: str, left: Sequence[str], counts: Counter[str], others: dict[str, int]) -> Places:
    urls, missing = {}, {}
    failure: ConnectError | None = None
    for name in left:
        try:
            with connect(with_password(db).replace(_ID, quote(name, safe=""))) as engine:
                urls[name] = engine.url
        except ConnectError as error:
            failure = error
            missing[name] = counts[name]
    if not urls and failure is not None:
        raise failure
    return Places(urls, missing, others)


def _file_of(folder: Path, name: str) -> Path | None:
    """The file of one database; a name that would lead out of the folder has none."""
    if "/" in name or "\\" in name or name in (".", ".."):
        return None
    tried = [folder / name / f"{name}{s}" for s in _SUFFIXES] + [folder / f"{name}{s}" for s in _SUFFIXES]
    return next((file for file in tried if file.is_file()), None)
