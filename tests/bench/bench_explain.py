"""Explanation and refinement on real scripts, held against independent means, in `make bench`.

`python tests/bench/bench_explain.py [--all] [--tasks] [--sede] [--limit N]`. Closures, figures and items
switched off are compared with what sqlglot's tree alone gives on a connection of its own: CTEs as temporary
tables, own counting queries, pieces taken out of the tree (`tests/explain_checks.py`, `refine_checks.py`).
SEDE's T-SQL has no database: its graphs and closures are only read again. Exit code 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import sqlglot
from sqlglot.errors import SqlglotError

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from explain_checks import check_script  # noqa: E402
from independent import Own  # noqa: E402
from join_checks import Found  # noqa: E402
from refine_checks import check_off  # noqa: E402
from sqlore.answer.refine.change import Refiner  # noqa: E402
from sqlore.catalog import catalog_from_schema  # noqa: E402
from sqlore.engines import connect  # noqa: E402
from sqlore.errors import SqloreError  # noqa: E402
from sqlore.sql.scopes.graph import graph_of  # noqa: E402

DATA = Path(os.environ.get("SQLORE_DATA") or TESTS.parents[1] / "shared" / "data")
Script = tuple[str, str, str]


def scripts(limit: int | None) -> list[Script]:
    """Database, number and SQL of development scripts whose database is there; evenly chosen ones."""
    rows = json.loads((DATA / "bird" / "dev.json").read_text(encoding="utf-8"))
    known = {path.stem for path in (DATA / "bird" / "databases").glob("*.sqlite")}
    found = [(row["db_id"], str(row["question_id"]), row["SQL"]) for row in rows if row["db_id"] in known]
    if limit is None or limit >= len(found):
        return found
    return [found[number * len(found) // limit] for number in range(limit)]


def tasks() -> Iterator[Script]:
    """The composed tasks."""
    for path in sorted((DATA / "history_tasks").glob("*.json")):
        for row in json.loads(path.read_text(encoding="utf-8")):
            yield row["db_id"], str(row["question_id"]), row["SQL"]


def check(chosen: list[Script], seconds: float) -> tuple[Found, Found]:
    """Explanations and items switched off of all scripts."""
    explained, off = Found(), Found()
    for database in dict.fromkeys(name for name, _, _ in chosen):
        path = DATA / "bird" / "databases" / f"{database}.sqlite"
        with connect(str(path)) as engine:
            catalog = catalog_from_schema(engine.schema())
            refiner = Refiner(catalog, engine.dialect)
            for name, number, sql in chosen:
                if name != database:
                    continue
                own = Own(path, engine.dialect, seconds)
                check_script(sql, engine, catalog, own, explained, f"{name}/{number}", seconds)
                check_off(sql, refiner, own, off, f"{name}/{number}")
                own.connection.close()
    return explained, off


def sede() -> bool:
    """Graphs of the T-SQL log: every node has a closure that is T-SQL again, or a reason."""
    counts: Counter[str] = Counter()
    bad: list[str] = []
    for line in (DATA / "logs" / "sede_val.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        try:
            graph = graph_of(row["QueryBody"], "tsql")
        except SqloreError:
            counts["not read as one query"] += 1
            continue
        counts["scripts"] += 1
        for node in graph.nodes:
            counts["nodes"] += 1
            if not node.runnable:
                counts[f"no closure: {node.reason.partition('(')[0].strip() or 'NO REASON'}"] += 1
                bad += [] if node.reason else [f"{row['QuerySetId']} {node.id}"]
                continue
            try:
                sqlglot.parse_one(node.sql, read="tsql")
                counts["closures read again"] += 1
            except SqlglotError as error:
                bad.append(f"{row['QuerySetId']} {node.id}: {str(error).splitlines()[0]}")
    for what, count in counts.most_common():
        print(f"  {count:6} {what}")
    for one in bad:
        print(f"  DIFFERS {one}")
    return bool(bad)


def show(name: str, found: Found) -> None:
    """Prints what was the same, what was not compared, and what differs."""
    share = found.explained / max(1, found.scripts)
    print(f"{name}: {found.scripts} scripts" + (f", fully explained {share:.2%}" if found.explained else ""))
    for kind, count in found.checked.items():
        print(f"  {found.same[kind]:6} of {count:6} the same: {kind}")
    for why, count in found.skipped.most_common():
        print(f"  {count:6} not compared: {why}")
    for script, why in found.unexplained:
        print(f"  NOT EXPLAINED {script} {why}")
    for kind, script, what in found.differs:
        print(f"  DIFFERS {script} {kind}: {what}")


def main() -> int:
    """Runs it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--all", action="store_true", help="all development scripts with a database")
    parser.add_argument("--tasks", action="store_true", help="the composed tasks alone")
    parser.add_argument("--sede", action="store_true", help="the T-SQL log alone")
    parser.add_argument("--seconds", type=float, default=10.0, help="for one query")
    chosen = parser.parse_args()
    failed = False
    if not chosen.sede:
        found = [] if chosen.tasks else scripts(None if chosen.all else chosen.limit)
        explained, off = check([*found, *tasks()], chosen.seconds)
        show("explained", explained)
        show("switched off", off)
        failed = bool(explained.differs or off.differs)
    if chosen.sede or not chosen.tasks:
        print("T-SQL of the Stack Exchange Data Explorer:")
        failed |= sede()
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
