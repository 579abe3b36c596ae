"""Learning without a language model: scripts a second, and bytes of store a script.

`python tests/bench/bench_learn.py [--more N]`: the eight histories of BIRD's development set, each into a
store of its own, described by the rules and embedded by the model that comes with sqlore; the catalog
(schema and dictionary, no values) is in the store too. `--more N` learns N made scripts as well.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sqlore.catalog import Catalog, catalog_from_schema, load_tables_json
from sqlore.embed import Embedder, load_embedder
from sqlore.history import read_history
from sqlore.knowledge import Describer, Store, learn
from sqlore.model import Script
from sqlore.sql import parse_script

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data") / "bird"
STAGES = ("parse", "describe", "embed", "store")


def histories(folder: Path, embedder: Embedder) -> None:
    """Every history: rate, share of each stage, bytes."""
    schemas = load_tables_json(DATA / "dev_tables.json")
    scripts = [one for one in read_history(DATA / "dev.json") if isinstance(one, Script)]
    print(
        f"{'database':26} scripts  items  scripts/s  without vectors  " + "  ".join(STAGES) + "  bytes/script"
    )
    total = [0.0] * 3
    for name in sorted({str(one.database) for one in scripts}):
        own = [one for one in scripts if one.database == name]
        catalog = catalog_from_schema(schemas[name], dictionary_files=[DATA / "database_description" / name])
        with Store.create(folder / f"{name}.sqlore") as store:
            report = learn(store, own, catalog=catalog, dialect="sqlite", embedder=embedder)
            store.save_catalog((report.catalog or catalog).to_json())
            store.compact()
            stats = store.stats()
        bare = report.seconds - report.stages["embed"]
        shares = "  ".join(f"{report.stages[s] / report.seconds:>{len(s)}.0%}" for s in STAGES)
        print(
            f"{name:26} {report.read:7} {stats.items:6} {report.read / report.seconds:10.1f}"
            f" {report.read / bare:16.1f}  {shares}  {stats.bytes / report.read:12.0f}"
        )
        total = [t + v for t, v in zip(total, (report.read, report.seconds, stats.bytes), strict=True)]
    read, seconds, size = total
    print(f"{'all':26} {read:7.0f}        {read / seconds:10.1f} scripts/s, {size / read:.0f} bytes a script")


def describing() -> None:
    """Milliseconds to describe a script with all of its fragments."""
    schemas = load_tables_json(DATA / "dev_tables.json")
    scripts = [one for one in read_history(DATA / "dev.json") if isinstance(one, Script)]
    parsed = [(s.database, parse_script(s, "sqlite", schemas[str(s.database)])) for s in scripts[::2]]
    describers = {name: Describer(None, schema) for name, schema in schemas.items()}
    started = time.perf_counter()
    fragments = 0
    for name, one in parsed:
        for fragment in one.fragments:
            describers[str(name)].fragment(fragment)
            fragments += 1
    each = (time.perf_counter() - started) / len(parsed) * 1000
    print(f"\ndescribing: {each:.2f} ms a script with its {fragments / len(parsed):.1f} fragments")


def made(count: int) -> Iterator[Script]:
    """Scripts over 40 tables, about a third of them texts of a script that was there before."""
    draw = random.Random(3)
    for number in range(count):
        table, other = draw.sample(range(40), 2)
        yield Script(
            f"SELECT c{draw.randint(1, 30)}, count(*) FROM t{table} JOIN t{other} ON t{table}.id ="
            f" t{other}.t{table}_id WHERE t{table}.c{draw.randint(1, 30)} = {number % 500}"
            f" GROUP BY 1 ORDER BY {draw.choice((1, 2))} DESC LIMIT 10",
            source="made.sql",
            line=number + 1,
        )


def further(folder: Path, count: int, catalog: Catalog | None = None) -> None:
    """A larger history without vectors: the rate, the size, and reading it all back."""
    with Store.create(folder / "made.sqlore") as store:
        report = learn(store, made(count), catalog=catalog, dialect="sqlite")
        started = time.perf_counter()
        again = learn(store, made(count), catalog=catalog, dialect="sqlite")
        repeated = time.perf_counter() - started
        started = time.perf_counter()
        items = store.items()
        read = time.perf_counter() - started
        stats = store.stats()
    print(
        f"\n{count:,} made scripts without vectors: {report.read / report.seconds:.0f} scripts/s,"
        f" {stats.items:,} items, {stats.bytes / count:.0f} bytes a script;"
        f" again: {again.known:,} known in {repeated:.1f} s; {len(items):,} items read in {read:.2f} s"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--more", type=int, default=5_000, metavar="N", help="made scripts (0: none)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if (DATA / "dev.json").exists():
            embedder = load_embedder()
            embedder.embed(["warm"])
            histories(Path(name), embedder)
            describing()
        else:
            print(f"no public data in {DATA.parent}: set SQLORE_DATA")
        if args.more:
            further(Path(name), args.more)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
