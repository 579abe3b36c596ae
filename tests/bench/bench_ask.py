"""Execution accuracy of `ask` with the history beside the schema alone: `python tests/bench/bench_ask.py`.

One run, one model, the same questions: those of `history_tasks/superhero.json`, composed so that each needs
two to six scripts of the database's 129. With `--leave-one-out N`: N questions of BIRD dev itself, each
with its own script withheld. Accuracy is BIRD's: the sets of rows are equal. Each result is a line in
`runs/NAME/STRATEGY.jsonl`; a run that was stopped goes on where it was, so its seconds are of several runs.

All questions of one strategy come together, so that the model's prefix cache is as warm as in real use.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sqlore.answer import ask
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.embed import load_embedder
from sqlore.engines import Engine, connect
from sqlore.errors import SqloreError
from sqlore.knowledge import Store, learn
from sqlore.llm import ChatModel, load_model
from sqlore.model import Script
from sqlore.retrieve import Retriever

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data")
ROWS = 100_000
SECONDS = 30.0


@dataclass
class Bench:
    """One run: a database that has learned its history, a model, and where the results go."""

    args: argparse.Namespace
    folder: Path
    engine: Engine
    catalog: Catalog
    store: Store
    retriever: Retriever
    model: ChatModel
    settings: Settings

    def run(self, strategy: str, chosen: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The results of all tasks, those of an earlier run as they were."""
        results = self.folder / f"{strategy}.jsonl"
        known = {line["id"]: line for line in read_lines(results)}
        for task in chosen:
            if task["question_id"] not in known:
                line = self.one(strategy, task)
                known[line["id"]] = line
                with results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return [known[task["question_id"]] for task in chosen]

    def one(self, strategy: str, task: dict[str, Any]) -> dict[str, Any]:
        started = time.monotonic()
        draft = ask(
            task["question"],
            engine=self.engine,
            catalog=self.catalog,
            model=self.model,
            retriever=self.retriever,
            store=self.store,
            strategy=strategy,
            settings=self.settings,
            exclude=withheld(self.args, task),
        )
        return {
            "id": task["question_id"],
            "question": task["question"],
            "gold": task["SQL"],
            "sql": draft.sql,
            "error": draft.error,
            "attempts": [[a.sql, a.error] for a in draft.attempts],
            "correct": correct(self.engine, task["SQL"], draft.sql if not draft.error else ""),
            "seconds": time.monotonic() - started,
            "usage": asdict(draft.usage),
            "cited": sum(c.status == "cited" for c in draft.citations),
            "citations": len(draft.citations),
        }


def main() -> None:
    args = arguments()
    folder = ROOT / "runs" / args.run
    folder.mkdir(parents=True, exist_ok=True)
    settings = Settings(samples=args.samples, scripts=args.scripts)
    model = load_model(args.model, settings)
    with connect(str(args.database_file)) as engine, Store.create(folder / "store.sqlore") as store:
        catalog, embedder = build_catalog(engine), load_embedder()
        learn(store, history(args), catalog=catalog, dialect=engine.dialect, embedder=embedder)
        retriever = Retriever(store, embedder, catalog, strict=False)
        bench = Bench(args, folder, engine, catalog, store, retriever, model, settings)
        for strategy in args.strategies.split(","):
            report(strategy, bench.run(strategy, tasks(args)))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", default="superhero")
    parser.add_argument("--leave-one-out", type=int, default=0, metavar="N")
    parser.add_argument("--limit", type=int, help="the first so many tasks only")
    parser.add_argument("--strategies", default="zero_shot,history")
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--scripts", type=int, default=Settings().scripts)
    parser.add_argument("--model", default="local")
    parser.add_argument("--run", help="name of the run's folder; the same name goes on with it")
    args = parser.parse_args()
    kind = f"loo{args.leave_one_out}" if args.leave_one_out else "tasks"
    args.run = args.run or f"ask-{args.database}-{kind}-{args.samples}"
    args.database_file = DATA / "bird" / "databases" / f"{args.database}.sqlite"
    return args


def bird(args: argparse.Namespace) -> list[dict[str, Any]]:
    rows = json.loads((DATA / "bird" / "dev.json").read_text(encoding="utf-8"))
    return [row for row in rows if row["db_id"] == args.database]


def history(args: argparse.Namespace) -> Iterator[Script]:
    for row in bird(args):
        yield Script(row["SQL"], key=str(row["question_id"]), question=row["question"], dialect="sqlite")


def tasks(args: argparse.Namespace) -> list[dict[str, Any]]:
    """The composed tasks, or a fixed random choice of the history's own questions."""
    if args.leave_one_out:
        rows = bird(args)
        chosen = random.Random(7).sample(rows, min(args.leave_one_out, len(rows)))
    else:
        chosen = json.loads((DATA / "history_tasks" / f"{args.database}.json").read_text(encoding="utf-8"))
    return chosen[: args.limit]


def withheld(args: argparse.Namespace, task: dict[str, Any]) -> set[str]:
    """The question's own script, and every other with the same SQL."""
    if not args.leave_one_out:
        return set()
    return {str(row["question_id"]) for row in bird(args) if row["SQL"] == task["SQL"]}


def correct(engine: Engine, gold: str, sql: str) -> bool:
    """BIRD's measure: both results are the same set of rows."""
    if not sql:
        return False
    try:
        right, given = (engine.run(query, limit=ROWS, timeout=SECONDS) for query in (gold, sql))
    except SqloreError:
        return False
    return set(right.rows) == set(given.rows)


def read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def report(strategy: str, lines: list[dict[str, Any]]) -> None:
    """One line a strategy."""

    def mean(values: Iterator[float]) -> float:
        return statistics.fmean(values)

    fragments = max(1, sum(line["citations"] for line in lines))
    fresh = mean(line["usage"]["prompt"] - line["usage"]["cached"] for line in lines)
    print(
        f"{strategy:12} {len(lines)} questions"
        f"  accuracy {mean(line['correct'] for line in lines):.3f}"
        f"  valid {mean(line['error'] is None for line in lines):.2f}"
        f"  seconds {statistics.median(line['seconds'] for line in lines):.1f}"
        f"  prompt tokens {fresh:.0f} new + {mean(line['usage']['cached'] for line in lines):.0f} cached"
        f"  generated {mean(line['usage']['completion'] for line in lines):.0f}"
        f"  calls {mean(line['usage']['calls'] for line in lines):.2f}"
        f"  cited {sum(line['cited'] for line in lines) / fragments:.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
