"""How retrieval grows with the store: `python tests/bench/bench_growth.py --cache DIR`.

Stores of a thousand, ten thousand and a hundred thousand items (`growth_store`; making them took 28
minutes on a busy machine and happens once per cache folder), and 200 questions that none of them holds. Each
store in a process of its own:

- median and 95th percentile of `Retriever.retrieve`, embedding the question included, and by stage; the
  median of its processor time, which says the same on a busy machine;
- the first question, which reads the store; resident memory that this adds to a process with the embedding
  model loaded, and the most that it took meanwhile;
- bytes of the store.

`--json FILE` and `--plot FILE` (SVG, needs altair) keep the figures. `--compare` also asks every question of
each store whole, without the limit to a neighbourhood (`sqlore.retrieve.near`): how much of the ranker's
candidates and of the delivered items is the same, and the F1 of the delivered items both ways against the
items of the question's own SQL.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from growth_store import asked_rows, keys_of, stores

from sqlore.embed import load_embedder
from sqlore.knowledge import Store
from sqlore.retrieve import Learned, Retriever, near

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data") / "bird"
SIZES = (1_000, 10_000, 100_000)
LIMIT = 100.0


def megabytes_now() -> float:
    """Resident memory; what `ps` shows where there is no /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
        return pages * resource.getpagesize() / 2**20
    except OSError:
        out = subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, check=True)
        return int(out.stdout) / 1024


def megabytes_most() -> float:
    """The most resident memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def measure(path: Path, compare: bool) -> dict[str, Any]:
    """All figures of one store."""
    questions = [row["question"] for row in asked_rows(DATA)]
    embedder = load_embedder()
    with Store.open(path, read_only=True) as store:
        stats = store.stats()
        retriever = Retriever(store, embedder)
        embedder.embed(["a question that loads the embedding model"])
        before = megabytes_now()
        started = time.perf_counter()
        retriever.retrieve("How many are there in all?")
        first = time.perf_counter() - started
        added, most = megabytes_now() - before, megabytes_most() - before
        whole: list[float] = []
        worked: list[float] = []
        stages: dict[str, list[float]] = {}
        for question in questions:
            started, work = time.perf_counter(), time.process_time()
            found = retriever.retrieve(question)
            whole.append((time.perf_counter() - started) * 1000)
            worked.append((time.process_time() - work) * 1000)
            for stage, milliseconds in found.milliseconds.items():
                stages.setdefault(stage, []).append(milliseconds)
        snapshot = retriever.look_up("").snapshot
        return {
            "items": stats.items,
            "offered": len(snapshot.items),
            "texts": len(snapshot.texts),
            "bytes": path.stat().st_size,
            "first_seconds": first,
            "median_ms": statistics.median(whole),
            "p95_ms": statistics.quantiles(whole, n=20)[18],
            "processor_ms": statistics.median(worked),
            "stages_ms": {stage: statistics.median(times) for stage, times in stages.items()},
            "added_mb": added,
            "most_mb": most,
            **(both_ways(retriever) if compare else {}),
        }


def both_ways(retriever: Retriever) -> dict[str, float]:
    """What the limit to a neighbourhood changes: shares of the same, and F1 with and without it."""
    same = {"candidates": [0, 0], "delivered": [0, 0]}
    counts = {"near": [0, 0, 0], "whole": [0, 0, 0]}
    for row in asked_rows(DATA):
        gold = keys_of(row, DATA)
        limited, delivered = ask(retriever, row["question"])
        enough, near.ENOUGH = near.ENOUGH, sys.maxsize
        unlimited, expected = ask(retriever, row["question"])
        near.ENOUGH = enough
        for name, got, wanted in (("candidates", limited, unlimited), ("delivered", delivered, expected)):
            same[name][0] += len(got & wanted)
            same[name][1] += len(wanted)
        for name, found in (("near", delivered), ("whole", expected)):
            for place, number in enumerate((len(found & gold), len(found), len(gold))):
                counts[name][place] += number
    out = {f"same_{name}": hit / max(1, of) for name, (hit, of) in same.items()}
    return out | {f"f1_{name}": 2 * hit / max(1, found + of) for name, (hit, found, of) in counts.items()}


def ask(retriever: Retriever, question: str) -> tuple[set[str], set[str]]:
    """Keys of the ranker's candidates, and of the delivered items."""
    asked = retriever.look_up(question)
    ranker = retriever.ranker
    rows = ranker.gather(asked).rows if isinstance(ranker, Learned) else []
    candidates = {f"{asked.snapshot.items[row].kind}: {asked.snapshot.items[row].skeleton}" for row in rows}
    found = retriever.retrieve(question).items
    return candidates, {f"{one.item.kind}: {one.item.skeleton}" for one in found}


def report(figures: Sequence[dict[str, Any]]) -> None:
    """A table a person can read."""
    print(
        f"{'items':>8}{'offered':>9}{'texts':>8}{'median ms':>11}{'95th':>7}{'cpu ms':>8}{'first s':>9}"
        f"{'MB kept':>9}{'at most':>9}{'store MB':>10}"
    )
    for one in figures:
        print(
            f"{one['items']:>8}{one['offered']:>9}{one['texts']:>8}{one['median_ms']:>11.1f}"
            f"{one['p95_ms']:>7.1f}{one['processor_ms']:>8.1f}{one['first_seconds']:>9.2f}{one['added_mb']:>9.0f}"
            f"{one['most_mb']:>9.0f}{one['bytes'] / 2**20:>10.1f}"
        )
        print("   ms: " + ", ".join(f"{stage} {value:.1f}" for stage, value in one["stages_ms"].items()))
        if "same_candidates" in one:
            print(
                f"   neighbourhood and whole store: {one['same_candidates']:.1%} of candidates and"
                f" {one['same_delivered']:.1%} of delivered items the same; F1 {one['f1_near']:.3f} and"
                f" {one['f1_whole']:.3f}"
            )


def plot(figures: Sequence[dict[str, Any]], path: Path) -> None:
    """Median and 95th percentile over the number of items, as SVG."""
    import altair

    rows = [
        {"items": one["items"], "milliseconds": one[key], "of a question": name}
        for one in figures
        for key, name in (
            ("median_ms", "median"),
            ("p95_ms", "95th percentile"),
            ("processor_ms", "processor time"),
        )
    ]
    x = altair.X("items:Q", scale=altair.Scale(type="log"), title="knowledge items in the store")
    y = altair.Y("milliseconds:Q", scale=altair.Scale(zero=True), title="milliseconds a question")
    lines = altair.Chart(altair.Data(values=rows)).mark_line(point=True)
    lines = lines.encode(x=x, y=y, color=altair.Color("of a question:N", title=None))
    limit = altair.Chart(altair.Data(values=[{"milliseconds": LIMIT}])).mark_rule(strokeDash=[4, 4])
    chart = (lines + limit.encode(y="milliseconds:Q")).properties(width=420, height=260)
    chart.save(str(path), format="svg")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cache", type=Path, help="folder that keeps the stores")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="items")
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--plot", type=Path, help="file for the plot (SVG)")
    parser.add_argument("--compare", action="store_true", help="also without the limit to a neighbourhood")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if not (DATA / "train.json").exists():
        print(f"no public data in {DATA.parent}: set SQLORE_DATA")
        return 0
    if chosen.one:
        print(json.dumps(measure(chosen.one, chosen.compare)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        figures = []
        for path in stores(DATA, chosen.cache or Path(folder), sorted(chosen.sizes)):
            command = [sys.executable, __file__, "--one", str(path), *["--compare"] * chosen.compare]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
            figures.append(json.loads(done.stdout.splitlines()[-1]))
    report(figures)
    if chosen.json:
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if chosen.plot:
        plot(figures, chosen.plot)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
