"""Where tasks are asked: each database's history, learned into a store of its own and kept.

A store is made once for what it is made of (scripts, schema, dictionary, embedding model, and the code that
learns) and then taken from the user's cache, so that a comparison is about retrieval and not about learning.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import sqlore
from sqlore.catalog import Catalog, build_catalog, catalog_from_schema, load_tables_json
from sqlore.config import cache_dir
from sqlore.embed import Embedder
from sqlore.engines import connect, name_of
from sqlore.errors import SourceError, UsageError
from sqlore.evals.tasks import History
from sqlore.evals.withhold import withheld
from sqlore.history import parse_all, read_history
from sqlore.knowledge import Store, learn
from sqlore.model import ParsedScript, Script
from sqlore.retrieve.baselines import Pool

if TYPE_CHECKING:
    from sqlore.llm import ChatModel

__all__ = ["Ground", "GroundPlan", "code_of", "grounds", "scripts_by_database"]

Progress = Callable[[str, int, int | None], None]
#: The rooms whose code decides what a store holds.
_LEARNING: Final = ("sql", "history", "catalog", "knowledge", "embed")
#: Seconds that learning a history takes at most.
_LONGEST: Final = 24 * 3600.0


@dataclass(frozen=True)
class GroundPlan:
    """What the tasks are asked of.

    `db` is one database's URL, or `schema` a `tables.json`; without either nothing is known beside the
    scripts. `withhold` takes the scripts' questions, evidence and comments, those within the SQL too, away
    before learning.
    """

    history: Sequence[str | Path]
    db: str | None = None
    schema: Path | None = None
    dictionary: Sequence[Path] = ()
    databases: Sequence[str] = ()
    dialect: str | None = None
    withhold: bool = False


@dataclass(frozen=True)
class Ground:
    """One database's history, learned. `questions` are the scripts' own words, by key, withheld or not.

    `cost` is what learning a script took, in milliseconds by stage and bytes in the store; `fingerprint`
    differs wherever the store would.
    """

    database: str
    history: History
    pool: Pool
    dialect: str | None
    questions: Mapping[str, str]
    cost: Mapping[str, float] = field(default_factory=dict)
    fingerprint: str = ""

    @contextmanager
    def without(self, keys: Collection[str], remembering: Embedder) -> Iterator[Pool]:
        """A pool that never knew the scripts with these keys: the others, learned anew, in memory.

        Withholding at retrieval takes a script's support, votes and literals away; what it leaves is the
        wording that it gave to descriptions it shares with others. Here that is gone too. `remembering`
        keeps vectors, for nearly all texts are those of the time before.
        """
        rest = [one.script for one in self.history.parsed if one.script.key not in keys]
        with Store.create(":memory:") as store:
            learn(store, rest, catalog=self.pool.catalog, dialect=self.dialect, embedder=remembering)
            yield Pool(store, remembering, self.pool.catalog, model=self.pool.model, seed=self.pool.seed)


def grounds(
    plan: GroundPlan,
    embedder: Embedder,
    *,
    model: ChatModel | None = None,
    seed: int = 0,
    cache: Path | None = None,
    on_progress: Progress | None = None,
) -> Generator[Ground, None, None]:
    """Each database of the history in its order, learned; its store is open until the next is asked for.

    Raises `SourceError` where the history cannot be read, `UsageError` where a schema is missing.
    """
    by_database = scripts_by_database(plan)
    folder = cache if cache is not None else cache_dir() / "evals"
    for name, scripts in by_database.items():
        catalog, dialect = _catalog(plan, name, several=len(by_database) > 1)
        used = [withheld(script, dialect) for script in scripts] if plan.withhold else scripts
        if on_progress is not None:
            on_progress(f"learning {name}", 0, len(scripts))
        outcomes = parse_all(used, dialect=dialect, schema=catalog.schema if catalog else None)
        parsed = [one for one in outcomes if isinstance(one, ParsedScript)]
        if not parsed:
            continue
        fingerprint = _fingerprint(used, catalog, dialect, embedder)
        store = _store(folder / f"{fingerprint}.sqlore", used, catalog, dialect, embedder)
        try:
            yield Ground(
                name,
                History(name, parsed, len(used) - len(parsed)),
                Pool(store, embedder, catalog, model=model, seed=seed),
                dialect,
                {script.key: script.text for script in scripts if script.text},
                json.loads(store.meta("learning_cost") or "{}"),
                fingerprint,
            )
        finally:
            store.close()


def scripts_by_database(plan: GroundPlan) -> dict[str, list[Script]]:
    """The scripts of each database, each under a key that no other script of it has.

    Scripts of no database belong to the only one.

    Raises `SourceError` where the history cannot be read, or has no script of the databases wanted.
    """
    found: dict[str, list[Script]] = {}
    only = plan.databases[0] if len(plan.databases) == 1 else None
    wanted = {name.lower() for name in plan.databases}
    seen: dict[tuple[str, str], int] = {}
    for source in plan.history:
        for one in read_history(source, dialect=plan.dialect):
            if not isinstance(one, Script):
                continue
            database = one.database or only or _name_of(plan)
            if wanted and database.lower() not in wanted:
                continue
            key = one.key or str(sum(map(len, found.values())) + 1)
            many = seen[database, key] = seen.get((database, key), 0) + 1
            key = key if many == 1 else f"{key}~{many}"
            found.setdefault(database, []).append(replace(one, key=key))
    if not found:
        raise SourceError(
            f"the history has no script of {', '.join(plan.databases) or 'any database'}",
            where=", ".join(map(str, plan.history)),
        )
    return found


def _name_of(plan: GroundPlan) -> str:
    return name_of(plan.db) if plan.db else "history"


def _catalog(plan: GroundPlan, name: str, *, several: bool) -> tuple[Catalog | None, str | None]:
    """The catalog of database `name` and its dialect."""
    if plan.db:
        if several:
            raise UsageError(
                "the history is about several databases, and --db is one",
                hint="name that one with --database, or give --schema tables.json for all",
            )
        with connect(plan.db) as engine:
            return build_catalog(engine, dictionary_files=plan.dictionary), plan.dialect or engine.dialect
    if plan.schema:
        schemas = load_tables_json(plan.schema)
        schema = schemas.get(name) or (next(iter(schemas.values())) if len(schemas) == 1 else None)
        if schema is None:
            raise UsageError(f"{plan.schema} has no database {name!r}", where=str(plan.schema))
        dialect = plan.dialect or schema.dialect or "sqlite"
        return catalog_from_schema(schema, dictionary_files=plan.dictionary), dialect
    return None, plan.dialect


def _store(
    file: Path,
    scripts: Sequence[Script],
    catalog: Catalog | None,
    dialect: str | None,
    embedder: Embedder,
) -> Store:
    """The store of these scripts: the file in the cache, or made now."""
    folder = file.parent
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        partial = file.with_suffix(f".{os.getpid()}.partial")
        try:
            _learn(partial, scripts, catalog, dialect, embedder)
            partial.replace(file)
        finally:
            for left in folder.glob(f"{partial.name}*"):
                left.unlink(missing_ok=True)
    return Store.open(file)


def _sweep(folder: Path) -> None:
    """Removes what a run that was killed while it learned has left half made."""
    for file in folder.glob("*.partial*"):
        words = file.name.split(".")
        if len(words) == 3 and words[1].isdigit() and not _alive(int(words[1]), file):
            file.unlink(missing_ok=True)


def _alive(process: int, file: Path) -> bool:
    """Whether the process that makes a file may still be at it; after a day none is believed to be."""
    try:
        if time.time() - file.stat().st_mtime > _LONGEST:
            return False
        if os.name == "posix":  # elsewhere signal 0 is not harmless
            os.kill(process, 0)
    except (FileNotFoundError, ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's process, and so it runs
        return True
    return True


def _learn(
    file: Path, scripts: Sequence[Script], catalog: Catalog | None, dialect: str | None, embedder: Embedder
) -> None:
    """Learns the scripts into a new store, and notes what that cost."""
    with Store.create(file) as store:
        report = learn(store, scripts, catalog=catalog, dialect=dialect, embedder=embedder)
        count = max(1, report.new + report.folded)
        cost = {stage: seconds * 1000 / count for stage, seconds in report.stages.items()}
        cost["bytes"] = store.stats().bytes / count
        store.set_meta(learning_cost=json.dumps(cost), dialect=dialect)


def _fingerprint(
    scripts: Iterable[Script], catalog: Catalog | None, dialect: str | None, embedder: Embedder
) -> str:
    """Differs wherever the store would."""
    digest = hashlib.sha256(code_of(_LEARNING).encode())
    digest.update(repr((embedder.name, embedder.dimension, dialect)).encode())
    if catalog is not None:
        digest.update(json.dumps(catalog.to_json(), sort_keys=True, ensure_ascii=True).encode())
    for script in scripts:
        digest.update(repr(script).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:24]


@lru_cache(maxsize=4)
def code_of(rooms: tuple[str, ...]) -> str:
    """A hash of the code of some rooms: after a change of it, what they made before would be different."""
    root = Path(sqlore.__file__).parent
    digest = hashlib.sha256(sqlore.__version__.encode())
    for room in rooms:
        for file in sorted((root / room).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()
