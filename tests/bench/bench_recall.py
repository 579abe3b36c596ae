"""How good retrieval is: each question of a history asked of the others: `bench_recall.py`.

Leave-one-out over BIRD's histories. Gold: the fragments of the question's own script that occur in at least
one other script; a relation counts by its join edges, the whole query does not count. Micro-averaged over
fragments. `items`: what the retriever chooses; `scripts`: all fragments of the scripts it delivers;
`nearest N`: all fragments of the N scripts with the most similar questions.

Without arguments: the eight histories of the development set, which nothing was tuned on, then the composed
tasks of `history_tasks/`, whose gold comes with them. `--train`: sixteen of the histories that the ranker was
trained on, which says nothing of how good it is; its cross-validation is in `docs/ranker.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sqlore.catalog import catalog_from_schema, load_tables_json
from sqlore.embed import load_embedder
from sqlore.knowledge import Store, learn
from sqlore.model import Script
from sqlore.retrieve import Retriever
from sqlore.retrieve.deliver import best_first, covering, folded, to_cover
from sqlore.retrieve.fuse import by_trust
from sqlore.retrieve.retriever import BUDGET
from sqlore.retrieve.select import best_count
from sqlore.retrieve.signals import Asked

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data") / "bird"
TRAINING = (
    "beer_factory",
    "books",
    "car_retails",
    "chicago_crime",
    "cs_semester",
    "human_resources",
    "law_episode",
    "movie_platform",
    "olympics",
    "professional_basketball",
    "regional_sales",
    "restaurant",
    "shipping",
    "simpson_episodes",
    "soccer_2016",
    "university",
)
KINDS = ("all", "calculation", "condition", "relation", "dimension", "output")


@dataclass
class Score:
    """Right, wrong and missed fragments by kind, and how much of the gold is among the first n items."""

    right: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    wrong: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    missed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    within: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def add(
        self, kinds: Sequence[str], gold: set[int], chosen: set[int], ranking: Sequence[int] = ()
    ) -> None:
        for rows, counts in (
            (gold & chosen, self.right),
            (chosen - gold, self.wrong),
            (gold - chosen, self.missed),
        ):
            for row in rows:
                counts["all"] += 1
                counts[kinds[row]] += 1
        for n in (5, 10, 20, 40):
            self.within[n] += len(gold.intersection(ranking[:n]))

    def line(self, name: str) -> str:
        right, gold = self.right["all"], self.right["all"] + self.missed["all"]
        parts = [f"{name:12}"] + [f"{value:6.3f}" for value in self.prf("all")]
        parts += [f"{self.within[n] / gold:6.3f}" if self.within[n] else "     -" for n in (5, 10, 20, 40)]
        parts += [f"{self.prf(kind)[2]:6.3f}" for kind in KINDS[1:]]
        return " ".join(parts) + f"  {(right + self.wrong['all']):>6} offered for {gold}"

    def prf(self, kind: str) -> tuple[float, float, float]:
        right, wrong, missed = self.right[kind], self.wrong[kind], self.missed[kind]
        precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
        return precision, recall, 2 * right / max(1, 2 * right + wrong + missed)


HEAD = f"{'':12}      P      R     F1    @5    @10    @20    @40   calc   cond    rel    dim    out"


def retrievers(split: str, databases: Iterable[str] | None = None) -> Iterator[tuple[str, Retriever]]:
    """A retriever over each history of a split, learned anew."""
    rows = json.loads((DATA / f"{split}.json").read_text(encoding="utf-8"))
    schemas = load_tables_json(DATA / f"{split}_tables.json")
    meanings = DATA / ("column_meaning.json" if split == "dev" else f"{split}_column_meaning.json")
    embedder = load_embedder()
    for name in databases or dict.fromkeys(row["db_id"] for row in rows):
        catalog = catalog_from_schema(schemas[name], dictionary_files=[meanings])
        store = Store.create(":memory:")
        scripts = (
            Script(row["SQL"], key=str(number), question=row["question"], dialect="sqlite")
            for number, row in enumerate(rows)
            if row["db_id"] == name
        )
        learn(store, scripts, catalog=catalog, dialect="sqlite", embedder=embedder)
        yield name, Retriever(store, embedder, catalog)


def tasks(retriever: Retriever) -> Iterator[tuple[Asked, set[int]]]:
    """Each text's question asked of the others, and the rows of its gold items."""
    snapshot = retriever.look_up("").snapshot
    for row, text in enumerate(snapshot.texts):
        asked = retriever.look_up(text.words, {text.key})
        yield asked, {item for item in snapshot.items_of_text[row] if asked.support[item] > 0}


def evaluate(split: str, databases: Iterable[str] | None = None) -> Mapping[str, Score]:
    scores: dict[str, Score] = defaultdict(Score)
    for name, retriever in retrievers(split, databases):
        for asked, gold in tasks(retriever):
            one_task(retriever, asked, gold, scores)
        print(f"  {name:26} F1 so far {scores['items'].prf('all')[2]:.3f}", file=sys.stderr)
    return scores


def one_task(retriever: Retriever, asked: Asked, gold: set[int], scores: Mapping[str, Score]) -> None:
    snapshot = asked.snapshot
    kinds = [item.kind for item in snapshot.items]
    offered = set(np.flatnonzero(asked.offered).tolist())
    chances = by_trust(asked, retriever.ranker.rank(asked)[0])
    ranking = best_first(chances)
    short = folded(snapshot, ranking)
    chosen = short[: min(20, best_count(chances[short]))]
    scores["items"].add(kinds, gold, set(chosen), ranking)
    delivered = covering(asked, to_cover(chosen, short, chances), chances, most=6, budget=BUDGET)
    held = {item for text in delivered for item in snapshot.items_of_text[text]}
    scores["scripts"].add(kinds, gold, held & offered)
    for n in (1, 3, 6):
        near = np.argsort(-asked.dense)[:n]
        held = {item for text in near for item in snapshot.items_of_text[text]}
        scores[f"nearest {n}"].add(kinds, gold, held & offered)


def composed(scores: Mapping[str, Score]) -> int:
    """Scores the composed tasks; returns how many of their gold keys no item of the store has."""
    unmatched = 0
    files = {path.stem: path for path in sorted((DATA.parent / "history_tasks").glob("*.json"))}
    for name, retriever in retrievers("dev", files):
        items = retriever.look_up("").snapshot.items
        rows = {f"{item.kind}: {item.skeleton}": row for row, item in enumerate(items)}
        for task in json.loads(files[name].read_text(encoding="utf-8")):
            wanted = [key for key in task["history_knowledge"] if not key.startswith("query: ")]
            gold = {rows[key] for key in wanted if key in rows}
            unmatched += len(wanted) - len(gold)
            one_task(retriever, retriever.look_up(task["question"]), gold, scores)
    return unmatched


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", action="store_true", help="the training histories instead")
    parser.add_argument("--databases", nargs="*", help="only these")
    args = parser.parse_args()
    if not (DATA / "dev.json").exists():
        print(f"no public data in {DATA.parent}: set SQLORE_DATA")
        return 0
    started = time.perf_counter()
    split = "train" if args.train else "dev"
    scores = evaluate(split, args.databases or (TRAINING if args.train else None))
    print(HEAD)
    for name, score in scores.items():
        print(score.line(name))
    if not args.train and not args.databases:
        scores = defaultdict(Score)
        unmatched = composed(scores)
        print(f"\ncomposed tasks ({unmatched} gold keys that no item has)\n{HEAD}")
        for name, score in scores.items():
            print(score.line(name))
    print(f"{time.perf_counter() - started:.0f} s with learning")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
