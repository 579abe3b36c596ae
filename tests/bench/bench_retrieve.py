"""How fast retrieval is: `python tests/bench/bench_retrieve.py`.

One store with the 1,057 scripts of BIRD's eight development histories and enough training histories to make
1,500 scripts; each question of the development set is asked of it once. Milliseconds by stage, median and
95th percentile, with the embedding of the question and its phrases; the value index is not part of it,
because it belongs to one database. Also: how long the first question waits for the store to be read.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from sqlore.catalog import load_tables_json
from sqlore.embed import load_embedder
from sqlore.knowledge import Store, learn
from sqlore.model import Schema, Script
from sqlore.retrieve import Retriever

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data") / "bird"
SCRIPTS = 1500


def histories(limit: int) -> Iterator[tuple[Schema, list[Script]]]:
    """Whole histories, development first, until `limit` scripts are reached."""
    for split in ("dev", "train"):
        schemas = load_tables_json(DATA / f"{split}_tables.json")
        rows = json.loads((DATA / f"{split}.json").read_text(encoding="utf-8"))
        for name in dict.fromkeys(row["db_id"] for row in rows):
            scripts = [
                Script(row["SQL"], key=f"{split}{number}", question=row["question"], dialect="sqlite")
                for number, row in enumerate(rows)
                if row["db_id"] == name
            ]
            yield schemas[name], scripts[:limit]
            limit -= len(scripts)
            if limit <= 0:
                return


def main() -> int:
    if not (DATA / "dev.json").exists():
        print(f"no public data in {DATA.parent}: set SQLORE_DATA")
        return 0
    embedder = load_embedder()
    store = Store.create(":memory:")
    for schema, scripts in histories(SCRIPTS):
        learn(store, scripts, schema=schema, dialect="sqlite", embedder=embedder)
    stats = store.stats()
    questions = [row["question"] for row in json.loads((DATA / "dev.json").read_text(encoding="utf-8"))]
    retriever = Retriever(store, embedder)
    started = time.perf_counter()
    retriever.retrieve(questions[0])
    first = time.perf_counter() - started
    whole: list[float] = []
    stages: dict[str, list[float]] = {}
    for question in dict.fromkeys(questions[1:]):
        started = time.perf_counter()
        found = retriever.retrieve(question)
        whole.append((time.perf_counter() - started) * 1000)
        for stage, milliseconds in found.milliseconds.items():
            stages.setdefault(stage, []).append(milliseconds)
    print(f"{stats.scripts} scripts ({stats.texts} texts), {stats.items} items, {len(whole)} questions")
    print(f"{'stage':10}{'median ms':>12}{'95th':>8}")
    for stage, times in [*stages.items(), ("all", whole)]:
        print(f"{stage:10}{statistics.median(times):>12.2f}{statistics.quantiles(times, n=20)[18]:>8.2f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1024 if sys.platform != "darwin" else 1024**2
    )
    print(f"first question: {first:.2f} s (reads the store); memory at most {peak:.0f} MB with learning")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
