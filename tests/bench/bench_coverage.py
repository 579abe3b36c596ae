"""What of a question its SQL leaves out: false alarms and misses, `python tests/bench/bench_coverage.py`.

Each question of BIRD's histories is held against its own SQL, which answers everything, with its own script
withheld: what is told then is a false alarm. Then one condition of the main query is taken out at a time; it
is found where a phrase is told that was not before. Then one value at a time is swapped for another that the
history has in its place. Counted are conditions of which the question has a value
("said"), and the others ("coded": the question says something else for it, or nothing). `--train` takes every
third of the training databases, on which the thresholds were chosen; these have no database file here, and
so no values. Histories are learned without vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlore.answer.coverage import Coverage
from sqlore.answer.refine.change import Refiner
from sqlore.catalog import Catalog, build_catalog, catalog_from_schema, load_tables_json
from sqlore.engines import Engine, connect
from sqlore.errors import SqloreError
from sqlore.knowledge import Store, learn
from sqlore.model import Script
from sqlore.retrieve import Retriever
from sqlore.retrieve.snapshot import Snapshot
from sqlore.sql import parse_script

DATA = Path(os.environ.get("SQLORE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
BIRD = DATA / "bird"
_VALUE = re.compile(r"'%?([^'%]+)%?'|(?<![\w.])(\d+)")


def histories(train: bool) -> dict[str, list[Script]]:
    """The scripts of each database, in their order."""
    found: dict[str, list[Script]] = {}
    rows: list[dict[str, Any]] = json.loads(
        (BIRD / ("train.json" if train else "dev.json")).read_text(encoding="utf-8")
    )
    for number, row in enumerate(rows):
        key = str(row.get("question_id", number))
        found.setdefault(row["db_id"], []).append(Script(row["SQL"], key=key, question=row["question"]))
    names = sorted(found)[:: 3 if train else 1]
    return {name: found[name] for name in names}


@contextmanager
def database(name: str, train: bool) -> Iterator[tuple[Catalog, Engine | None]]:
    """What is known of a database, and it; of those of the training set schema and columns' meanings."""
    if train:
        schema = load_tables_json(BIRD / "train_tables.json")[name]
        yield catalog_from_schema(schema, dictionary_files=[BIRD / "train_column_meaning.json"]), None
        return
    file = BIRD / "databases" / f"{name}.sqlite"
    file = file if file.exists() else BIRD / "stub_databases_10rows" / file.name
    with connect(str(file)) as engine:
        yield build_catalog(engine, dictionary_files=[BIRD / "database_description" / name]), engine


def knocked_out(refiner: Refiner, sql: str) -> Iterator[tuple[str, str]]:
    """Each condition of the main query, and the SQL without it."""
    try:
        items = refiner.items(sql)
    except SqloreError:
        return
    for item in items:
        if item.kind == "condition" and item.scope == "main":
            try:
                yield item.sql, refiner.off(sql, item.number).after
            except SqloreError:
                continue


def swapped(sql: str, catalog: Catalog, snapshot: Snapshot, script: Script) -> Iterator[tuple[str, str]]:
    """Each condition on a value, and the SQL with another value in its place that the history has there."""
    try:
        fragments = parse_script(sql, dialect="sqlite", schema=catalog.schema).fragments
    except SqloreError:
        return
    rows = {(item.kind, item.skeleton): row for row, item in enumerate(snapshot.items)}
    for one in fragments:
        row = rows.get((one.kind, one.skeleton))
        if one.kind != "condition" or not one.skeleton.endswith(" = <val>") or row is None:
            continue
        others = Counter(
            found
            for text in snapshot.texts_of(row).tolist()
            if snapshot.texts[text].key != script.key
            for found in snapshot.literals_of.get((row, text), ())
            if len(found) == 1 and found != one.literals
        )
        if len(one.literals) == 1 and others and one.sql.count(one.literals[0]) == 1:
            other = others.most_common(1)[0][0][0]
            written = one.sql.replace(one.literals[0], other)
            yield one.literals[0], sql[: one.start] + written + sql[one.end :]


def measured(
    scripts: Sequence[Script],
    catalog: Catalog,
    engine: Engine | None,
    counts: Counter[str],
    shown: list[str],
) -> None:
    """Counts one database."""
    with Store.create(":memory:") as store:
        report = learn(store, scripts, catalog=catalog, dialect="sqlite")
        catalog = report.catalog or catalog
        snapshot = Retriever(store, catalog=catalog).snapshot
        coverage = Coverage(catalog, snapshot, "sqlite", engine)
        refiner = Refiner(catalog, "sqlite")
        for script in scripts:
            question = script.question or ""
            began = time.perf_counter()
            false = coverage.uncovered(question, script.sql, {script.key})
            counts["microseconds"] += round((time.perf_counter() - began) * 1e6)
            counts["questions"] += 1
            counts["false"] += bool(false)
            counts["false with an item"] += any(one.items for one in false)
            counts["false of a value"] += any(one.instead for one in false)
            if false:
                shown.append(f"{script.key} {[one.phrase for one in false]} {question} | {script.sql}")
            before = {one.start for one in false}
            for value, sql in swapped(script.sql, catalog, snapshot, script):
                kind = "said" if value.lower() in question.lower() else "coded"
                told = [u for u in coverage.uncovered(question, sql, {script.key}) if u.start not in before]
                counts[f"{kind} swapped"] += 1
                counts[f"{kind} swapped found"] += bool(told)
                counts[f"{kind} swapped with a value"] += any(one.instead for one in told)
            for condition, sql in knocked_out(refiner, script.sql):
                values = [text or number for text, number in _VALUE.findall(condition)]
                kind = "said" if any(v.lower() in question.lower() for v in values) else "coded"
                told = [u for u in coverage.uncovered(question, sql, {script.key}) if u.start not in before]
                counts[kind] += 1
                counts[f"{kind} found"] += bool(told)
                counts[f"{kind} with an item"] += any(one.items for one in told)


def main() -> int:
    """Runs it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", action="store_true", help="every third training database")
    parser.add_argument("--show", action="store_true", help="print every false alarm")
    chosen = parser.parse_args()
    if not BIRD.is_dir():
        print("no data", file=sys.stderr)
        return 0
    counts: Counter[str] = Counter()
    shown: list[str] = []
    for name, scripts in histories(chosen.train).items():
        with database(name, chosen.train) as (catalog, engine):
            measured(scripts, catalog, engine, counts, shown)
    for line in shown if chosen.show else ():
        print(f"  {line}")
    asked = counts["questions"]
    print(f"{asked} questions, {counts['microseconds'] / asked / 1000:.1f} ms each")
    for what in ("false", "false with an item", "false of a value"):
        print(f"  told of gold SQL: {counts[what]:4} {counts[what] / asked:6.2%} ({what})")
    for kind in ("said", "coded"):
        n = max(1, counts[kind])
        found, known = counts[f"{kind} found"], counts[f"{kind} with an item"]
        print(f"  {kind}: {n} conditions taken out, told of {found / n:.1%}, with an item {known / n:.1%}")
        n = max(1, counts[f"{kind} swapped"])
        found, known = counts[f"{kind} swapped found"], counts[f"{kind} swapped with a value"]
        print(f"  {kind}: {n} values swapped, told of {found / n:.1%}, with its place {known / n:.1%}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
