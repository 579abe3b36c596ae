"""Trains the ranker that comes with sqlore: `python tools/train_ranker.py --cache FOLDER`.

Needs `lightgbm` and `scipy` (the `dev` extra) and public data (SQLORE_DATA): BIRD's training histories, and
Spider's with their database files, where a word of a question found among a column's values means something.
The development histories that the benchmarks report are not read.

Each question of a history is asked of the others (leave-one-out). Cross-validated over databases: whatever a
later stage is trained on was predicted by models that had not seen that database. Writes
`src/sqlore/retrieve/ranker.npz`, and the scores of the cross-validation to `--report FILE`.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from scipy import sparse

from sqlore.catalog import build_catalog, catalog_from_schema, load_tables_json
from sqlore.embed import load_embedder
from sqlore.engines import connect
from sqlore.errors import SqloreError
from sqlore.knowledge import Store, learn
from sqlore.model import Script, ValueMatch
from sqlore.retrieve.deliver import best_first, folded
from sqlore.retrieve.evidence import Evidence
from sqlore.retrieve.frames import grams
from sqlore.retrieve.fuse import COLUMNS, design, sigmoid
from sqlore.retrieve.grouping import GROUPING, groupings, looked_up, standing
from sqlore.retrieve.layout import Layout
from sqlore.retrieve.learned import MODEL, Learned, RankerModel
from sqlore.retrieve.likeness import TEXT_WIDTH, likeness, text_design
from sqlore.retrieve.loading import load_snapshot
from sqlore.retrieve.select import best_count
from sqlore.retrieve.shape import Shape
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import GROUPS, Snapshot, no_vectors
from sqlore.retrieve.tags import tags
from sqlore.retrieve.trees import Trees

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data")
FOLDS = 4
#: A word of the wording must be known from so many databases and questions, a tag from so many more.
WORD_DATABASES, WORD_QUESTIONS, TAG_DATABASES, TAG_QUESTIONS = 6, 10, 12, 60
#: Shares of the tasks: those that the sums are fitted on, those asked again without vectors, those asked of
#: bare SQL, those of Spider.
SAMPLE, BLIND, BARE, SPIDER = 0.2, 0.1, 0.25, 0.35
#: What a column of the first round is, by how its name begins; the longest beginning counts.
SOURCES = {
    "votes of similar texts": "votes lexical_votes nearest nearest_words dense lexical frame worth",
    "regression over the texts": "mix topic form",
    "wording and shape": "called lift uncalled",
    "words that go with items": "association words_of_item words_of_question",
    "tables and columns": "table column",
    "values of the database": "value",
    "literals": "literal",
    "co-occurrence and company": "given back company company_best tables",
    "support, size, kind": "share support size calculation condition relation dimension output",
    "fusion, place among rivals": "fused place best",
    "the question at large": "asked",
}
#: The trees of the second look, on the few candidates that group: smaller ones.
SECOND = {
    "num_leaves": 8,
    "max_depth": 4,
    "min_data_in_leaf": 60,
    "learning_rate": 0.05,
    "lambda_l2": 10.0,
}
SECOND_ROUNDS = 120
TREES = {
    "objective": "binary",
    "learning_rate": 0.07,
    "num_leaves": 31,
    "max_depth": 8,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "num_threads": 1,
    "seed": 1,
    "verbose": -1,
}


@dataclass
class History:
    """One database's history as a snapshot, and what is looked up for the question of each of its texts.

    A bare history has no questions: it was learned from the SQL alone, and is asked all the same.
    """

    name: str
    snapshot: Snapshot
    questions: list[str]
    vectors: Any
    values: list[tuple[ValueMatch, ...]]
    spider: bool = False
    bare: bool = False
    fold: int = 0
    layout: Layout | None = None

    def asked(self, row: int, *, blind: bool = False) -> Asked:
        """The question of a text asked of the others; Spider has each SQL under two questions."""
        text = self.snapshot.texts[row]
        alive = self.snapshot.alive({text.script} if self.spider else {text.key})
        vector = None if blind else self.vectors[row]
        return Asked(self.questions[row], self.snapshot, alive, vector=vector, values=self.values[row])

    def gold(self, row: int, asked: Asked) -> Any:
        labels = np.zeros(len(self.snapshot.items), dtype=np.float32)
        labels[self.snapshot.items_of_text[row]] = 1
        return labels * (asked.support > 0)


@dataclass(frozen=True)
class Task:
    history: History
    row: int
    blind: bool = False

    @property
    def main(self) -> bool:
        """One of those that the scores are of: a question asked of a history with questions and vectors."""
        return not (self.history.spider or self.history.bare or self.blind)


# ------------------------------------------------------------------ histories


def histories(cache: Path) -> list[History]:
    """All training histories, learned once and kept in `cache`; the same fold for a database's two forms."""
    cache.mkdir(parents=True, exist_ok=True)
    out = []
    for number, (name, make, spider) in enumerate((*bird(), *spider_histories())):
        for bare in (False,) if spider else (False, True):
            kept = cache / f"{name}{'.bare' if bare else ''}.pickle"
            if not kept.exists():
                try:
                    kept.write_bytes(pickle.dumps(make(bare)))
                except SqloreError as error:
                    print(f"  {name}: left out, {error}", file=sys.stderr)
                    continue
            out.append(History(name, *pickle.loads(kept.read_bytes()), spider, bare, number % FOLDS))
    return out


def bird() -> Iterator[tuple[str, Any]]:
    rows = json.loads((DATA / "bird" / "train.json").read_text(encoding="utf-8"))
    schemas = load_tables_json(DATA / "bird" / "train_tables.json")
    meanings = DATA / "bird" / "train_column_meaning.json"
    for name in dict.fromkeys(row["db_id"] for row in rows):
        own = [(row["SQL"], row["question"]) for row in rows if row["db_id"] == name]
        yield (
            name,
            lambda bare, own=own, name=name: learned(
                own, catalog_from_schema(schemas[name], dictionary_files=[meanings]), bare
            ),
            False,
        )


def spider_histories() -> Iterator[tuple[str, Any]]:
    rows = json.loads((DATA / "spider" / "train_spider.json").read_text(encoding="utf-8"))
    for name in dict.fromkeys(row["db_id"] for row in rows):
        own = [(row["query"], row["question"]) for row in rows if row["db_id"] == name]
        file = DATA / "spider" / "database" / name / f"{name}.sqlite"
        if file.exists():
            yield (
                f"spider.{name}",
                lambda bare, own=own, file=file: learned(own, catalog_of(file), bare),
                True,
            )


def catalog_of(file: Path) -> Any:
    with connect(str(file)) as engine:
        return build_catalog(engine)


def learned(pairs: Sequence[tuple[str, str]], catalog: Any, bare: bool) -> tuple[Any, ...]:
    """The snapshot, and for each text its question, the question's vector, and the values found in it."""
    store, embedder = Store.create(":memory:"), load_embedder()
    scripts = (
        Script(sql, key=str(n), question=None if bare else said, dialect="sqlite")
        for n, (sql, said) in enumerate(pairs)
    )
    learn(store, scripts, catalog=catalog, dialect="sqlite", embedder=embedder)
    snapshot = load_snapshot(store)
    snapshot._item_vectors = no_vectors(len(snapshot.items))  # what reads them from the store cannot be kept
    questions = [pairs[int(text.key)][1] for text in snapshot.texts]
    vectors = embedder.embed(questions) if bare else snapshot.text_vectors
    return snapshot, questions, vectors, [tuple(catalog.values.match(said)) for said in questions]


# ------------------------------------------------------------------ stages


def fit_shape(tasks: Sequence[Task]) -> Shape:
    """The wording's model over the grams that enough databases use."""
    asked = [set(grams(task.history.questions[task.row])) for task in tasks]
    having = [tags_of(task) for task in tasks]
    names = [task.history.name for task in tasks]
    words = common(asked, names, WORD_QUESTIONS, WORD_DATABASES)
    known = common(having, names, TAG_QUESTIONS, TAG_DATABASES)
    x = marks(asked, words)
    y = marks(having, known).toarray()
    share = y.mean(axis=0)
    weights, bias = logistic(x, y, np.log(share / (1 - share)))
    return Shape(known, {word: row for row, word in enumerate(words)}, weights, bias)


def tags_of(task: Task) -> set[str]:
    snapshot = task.history.snapshot
    items = (snapshot.items[item] for item in snapshot.items_of_text[task.row])
    return {tag for item in items for tag in tags(item.kind, item.skeleton)}


def common(sets: Sequence[set[str]], names: Sequence[str], least: int, databases: int) -> list[str]:
    count = Counter(one for found in sets for one in found)
    where: dict[str, set[str]] = defaultdict(set)
    for found, name in zip(sets, names, strict=True):
        for one in found:
            where[one].add(name)
    return sorted(one for one, n in count.items() if n >= least and len(where[one]) >= databases)


def marks(sets: Sequence[set[str]], words: Sequence[str]) -> Any:
    places = {word: place for place, word in enumerate(words)}
    pairs = [(row, places[w]) for row, found in enumerate(sets) for w in found if w in places]
    rows, columns = zip(*pairs, strict=True)
    ones = np.ones(len(pairs), dtype=np.float32)
    return sparse.csr_matrix((ones, (rows, columns)), shape=(len(sets), len(words)))


def logistic(x: Any, y: Any, bias: Any, ridge: float = 8.0, steps: int = 150) -> tuple[Any, Any]:
    """One logistic regression a column of `y`, by Adam over the whole data."""
    values = [np.zeros((x.shape[1], y.shape[1]), dtype=np.float32), bias.astype(np.float32)]
    first, second = ([np.zeros_like(v) for v in values] for _ in range(2))
    transposed = x.T.tocsr()
    for step in range(1, steps + 1):
        wrong = sigmoid(x @ values[0] + values[1]) - y
        slopes = [transposed @ wrong + ridge * values[0], wrong.sum(axis=0)]
        rate = 0.03 if step < 0.6 * steps else 0.01
        for value, slope, m, v in zip(values, slopes, first, second, strict=True):
            m += 0.1 * (slope - m)
            v += 0.01 * (slope**2 - v)
            value -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.99**step)) + 1e-6)
    return values[0], values[1]


def newton(x: Any, y: Any, ridge: float = 1.0, steps: int = 15) -> Any:
    """Logistic regression by Newton's method; `y` may be shares."""
    x = x.astype(np.float64)
    weights = np.zeros(x.shape[1])
    for _ in range(steps):
        chances = sigmoid(x @ weights)
        slope = x.T @ (chances - y) + ridge * weights
        curve = (x * (chances * (1 - chances) + 1e-6)[:, None]).T @ x + ridge * np.eye(x.shape[1])
        weights -= np.linalg.solve(curve, slope)
    return weights.astype(np.float32)


def fit_sums(tasks: Sequence[Task], shapes: Sequence[Shape]) -> tuple[Any, Any]:
    """The weights of the fusion and of the texts, on a sample of the tasks."""
    draw = np.random.default_rng(0)
    items: list[tuple[Any, Any]] = []
    texts: list[tuple[Any, Any]] = []
    for task in tasks:
        if draw.random() > SAMPLE:
            continue
        asked = task.history.asked(task.row)
        gold = task.history.gold(task.row, asked)
        if not gold.any():
            continue
        items.append((design(asked)[asked.offered], gold[asked.offered]))
        layout = layout_of(task.history, shapes)
        like = likeness(asked, layout, shapes[task.history.fold].odds(asked.question))
        overlap = asked.snapshot.over_texts(gold) / np.sqrt(layout.sizes * gold.sum() + 1e-6)
        usable = np.flatnonzero(asked.alive)
        near = usable[np.argsort(-asked.dense[usable])[:25]]
        some = np.union1d(near, draw.choice(usable, min(25, len(usable)), replace=False))
        texts.append((text_design(like, asked.alive)[some], overlap[some]))
    fusion = scaled(*map(np.concatenate, zip(*items, strict=True)))
    text = newton(*map(np.concatenate, zip(*texts, strict=True)))
    assert len(fusion) == len(COLUMNS)
    assert len(text) == TEXT_WIDTH
    return fusion, text


def scaled(rows: Any, labels: Any) -> Any:
    """Weights of columns of different scales; the groups' columns take the constant."""
    spread = np.maximum(rows.std(axis=0), 1e-6)
    live = rows.std(axis=0) > 1e-9
    return np.where(live, newton(rows / spread * live, labels) / spread, 0).astype(np.float32)


def layout_of(history: History, shapes: Sequence[Shape]) -> Layout:
    """All shapes know the same tags, so one layout serves them."""
    if history.layout is None:
        history.layout = Layout(history.snapshot, shapes[-1].tags)
    return history.layout


class Reader(Learned):
    """The ranker's own look-up of evidence, with the shape of the fold that has not seen the database."""

    def __init__(self, model: RankerModel, layout: Layout) -> None:
        super().__init__(model)
        self._own = layout

    def layout(self, snapshot: Snapshot) -> Layout:
        return self._own


def gather(tasks: Sequence[Task], shapes: Sequence[Shape], fusion: Any, text: Any) -> Iterator[Evidence]:
    none = Trees(*(np.zeros(1, dtype=np.int32) for _ in range(6)), depth=0)  # type: ignore[arg-type]
    for task in tasks:
        model = RankerModel(fusion, text, shapes[task.history.fold], none, none)
        reader = Reader(model, layout_of(task.history, shapes))
        yield reader.gather(task.history.asked(task.row, blind=task.blind))


def grow(rows: Any, labels: Any, weights: Any, rounds: int) -> Any:
    data = lightgbm.Dataset(rows, labels, weight=weights)
    return lightgbm.train(TREES, data, rounds)


def grow_second(rows: Any, labels: Any, weights: Any) -> Any:
    """Trees that add to the odds of the first look, which the first column is."""
    data = lightgbm.Dataset(rows, labels, weight=weights, init_score=rows[:, 0])
    return lightgbm.train({**TREES, **SECOND}, data, SECOND_ROUNDS)


def flat(booster: Any) -> Trees:
    """A LightGBM model as arrays."""
    nodes: list[list[float]] = []
    roots: list[int] = []
    depth = 0

    def add(node: Mapping[str, Any], level: int) -> int:
        nonlocal depth
        depth = max(depth, level)
        place = len(nodes)
        nodes.append([0, 0, place, place, node.get("leaf_value", 0.0)])
        if "split_feature" in node:
            nodes[place] = [node["split_feature"], node["threshold"], 0, 0, 0.0]
            nodes[place][2] = add(node["left_child"], level + 1)
            nodes[place][3] = add(node["right_child"], level + 1)
        return place

    roots += [add(tree["tree_structure"], 0) for tree in booster.dump_model()["tree_info"]]
    column, threshold, left, right, value = np.asarray(nodes).T
    # The next number up in single precision, so that a value equal to the threshold still goes left.
    near = threshold.astype(np.float32)
    near = np.where(near < threshold, np.nextafter(near, np.float32(np.inf)), near)
    return Trees(
        np.asarray(roots, dtype=np.int32),
        column.astype(np.int16),
        near.astype(np.float32),
        left.astype(np.int32),
        right.astype(np.int32),
        value.astype(np.float32),
        depth,
    )


# ------------------------------------------------------------------ scores


def report(tasks: Sequence[Task], rows: Sequence[Any], chances: Sequence[Any]) -> dict[str, Any]:
    """Micro-averaged scores, items chosen as the retriever does."""
    right: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    within: Counter[int] = Counter()
    bins = np.zeros((10, 3))
    for task, candidates, own in zip(tasks, rows, chances, strict=True):
        snapshot = task.history.snapshot
        asked = task.history.asked(task.row)
        gold = set(np.flatnonzero(task.history.gold(task.row, asked)).tolist())
        scores = np.zeros(len(snapshot.items), dtype=np.float32)
        scores[candidates] = own
        ranking = best_first(scores)
        short = folded(snapshot, ranking)
        taken = set(short[: min(20, best_count(scores[short]))])
        for count, found in ((right, gold & taken), (chosen, taken), (wanted, gold)):
            count.update(snapshot.items[item].kind for item in found)
            count["all"] += len(found)
        within.update({n: len(gold.intersection(ranking[:n])) for n in (5, 10, 20, 40)})
        places = np.minimum((own * 10).astype(int), 9)
        np.add.at(bins, places, np.c_[np.ones(len(own)), own, [c in gold for c in candidates.tolist()]])
    return {
        "kinds": {
            kind: {
                "precision": right[kind] / max(1, chosen[kind]),
                "recall": right[kind] / max(1, wanted[kind]),
                "f1": 2 * right[kind] / max(1, chosen[kind] + wanted[kind]),
            }
            for kind in ("all", *GROUPS)
        },
        "recall_at": {n: found / max(1, wanted["all"]) for n, found in sorted(within.items())},
        "reliability": [
            {"said": said / n, "was": was / n, "items": int(n)} for n, said, was in bins if n
        ],
    }  # fmt: skip


def shown(name: str, found: Mapping[str, Any]) -> None:
    kinds = " ".join(f"{kind[:4]} {one['f1']:.3f}" for kind, one in found["kinds"].items())
    whole = found["kinds"]["all"]
    at = " ".join(f"@{n} {share:.3f}" for n, share in found["recall_at"].items())
    print(f"{name:8} P {whole['precision']:.3f} R {whole['recall']:.3f}  {kinds}  {at}", flush=True)


# ------------------------------------------------------------------ all together


@dataclass
class Table:
    """What the trees are grown on: one row a task and candidate."""

    tasks: Sequence[Task]
    rows: list[Any]
    """The candidates of each task."""
    names: list[str]
    matrix: Any
    labels: Any
    looked_up: Any
    """What the second look asks of each candidate that groups."""

    @classmethod
    def of(cls, tasks: Sequence[Task], gathered: Iterable[Evidence]) -> Table:
        rows, parts, labels, looks, names = [], [], [], [], [""]
        for task, evidence in zip(tasks, gathered, strict=True):
            columns = evidence.columns()
            names = list(columns)
            parts.append(np.stack(list(columns.values()), axis=1))
            rows.append(evidence.rows)
            labels.append(task.history.gold(task.row, evidence.asked)[evidence.rows])
            if len(groupings(evidence)):
                looks.append(looked_up(evidence))
        joined = (np.concatenate(found) for found in (parts, labels, looks))
        return cls(tasks, rows, names, *joined)

    @property
    def sizes(self) -> list[int]:
        return [len(found) for found in self.rows]

    @property
    def weights(self) -> Any:
        return np.repeat([1.0 if task.main else 0.5 for task in self.tasks], self.sizes)

    @property
    def folds(self) -> Any:
        return np.repeat([task.history.fold for task in self.tasks], self.sizes)

    def crossed(self, rounds: int, columns: Sequence[int] | None = None, folds: int = FOLDS) -> list[Any]:
        """The chances of each task's candidates by trees that have not seen its database.

        With fewer `folds` the tasks of the others get zeros.
        """
        matrix = self.matrix if columns is None else self.matrix[:, columns]
        of_row, weights = self.folds, self.weights
        out = np.zeros(len(matrix), dtype=np.float32)
        for fold in range(folds):
            seen = of_row != fold
            trees = grow(matrix[seen], self.labels[seen], weights[seen], rounds)
            out[~seen] = trees.predict(matrix[~seen], num_threads=1)
        return self.split(out)

    def split(self, found: Any) -> list[Any]:
        """Numbers of all candidates, by task."""
        return np.split(found, np.cumsum(self.sizes)[:-1])

    def second(self, chances: Sequence[Any]) -> tuple[Any, Any]:
        """Which candidates group, and what the second look asks of them; the first gave `chances`."""
        kinds = [t.history.layout.kinds[rows] for t, rows in zip(self.tasks, self.rows, strict=True)]
        odds = [np.log(own / (1 - own)) for own in chances]
        first = np.concatenate([standing(*pair) for pair in zip(odds, kinds, strict=True)])
        return np.concatenate(kinds) == GROUPING, np.c_[first, self.looked_up]

    def seconded(self, chances: Sequence[Any]) -> list[Any]:
        """The chances after a second look by trees that have not seen the database."""
        own, matrix = self.second(chances)
        of_row, labels, weights = self.folds[own], self.labels[own], self.weights[own]
        odds = matrix[:, 0].copy()
        for fold in range(FOLDS):
            seen = of_row != fold
            trees = grow_second(matrix[seen], labels[seen], weights[seen])
            odds[~seen] += trees.predict(matrix[~seen], raw_score=True, num_threads=1)
        out = np.concatenate(chances)
        out[own] = sigmoid(odds)
        return self.split(out)


def train(all_histories: Sequence[History], rounds: int, ablate: bool) -> tuple[RankerModel, dict[str, Any]]:
    tasks = tasks_of(all_histories)
    print(f"{len(all_histories)} histories, {len(tasks)} tasks", file=sys.stderr)
    own = [task for task in tasks if task.main]
    shape = fit_shape(own)
    shapes = []
    for fold in range(FOLDS):
        found = fit_shape([task for task in own if task.history.fold != fold])
        shapes.append(with_tags(found, shape.tags))
    shapes.append(shape)
    fusion, text = fit_sums(own, shapes)
    print("  wording, fusion and texts fitted", file=sys.stderr)
    table = Table.of(tasks, gather(tasks, shapes, fusion, text))
    print(f"  {len(table.matrix)} rows of {len(table.names)} columns", file=sys.stderr)
    first = table.crossed(rounds)
    scores: dict[str, Any] = {"tasks": len(own), "first": reports(table, first, quiet="first look, ")}
    scores["sorts"] = reports(table, table.seconded(first))
    if ablate:
        scores["without"] = dict(ablation(table, rounds))
    trees = grow(table.matrix, table.labels, table.weights, rounds)
    group, looks = table.second(first)
    second = grow_second(looks, table.labels[group], table.weights[group])
    return RankerModel(fusion, text, shape, flat(trees), flat(second)), scores


#: The tasks that are reported apart: BIRD's, those asked of bare SQL, those without vectors, Spider's.
SORTS: Mapping[str, Callable[[Task], bool]] = {
    "main": lambda task: task.main,
    "bare": lambda task: task.history.bare,
    "blind": lambda task: task.blind,
    "spider": lambda task: task.history.spider,
}


def reports(table: Table, chances: Sequence[Any], folds: int = FOLDS, quiet: str = "") -> dict[str, Any]:
    out = {}
    for name, belongs in SORTS.items():
        of = [n for n, task in enumerate(table.tasks) if belongs(task) and task.history.fold < folds]
        out[name] = report(
            [table.tasks[n] for n in of], [table.rows[n] for n in of], [chances[n] for n in of]
        )
        shown(f"{quiet}{name}", out[name])
    return out


def ablation(table: Table, rounds: int, folds: int = 2) -> Iterator[tuple[str, Any]]:
    """The scores without one source of evidence at a time, and with all, on the first folds."""
    yield "nothing", reports(table, table.crossed(rounds, folds=folds), folds)
    for source, columns in ablated(table.names):
        yield source, reports(table, table.crossed(rounds, columns, folds), folds, f"without {source}: ")


def ablated(names: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """For each source of evidence the columns that are left without it."""
    sources = {name: source for source, starts in SOURCES.items() for name in starts.split()}
    of_column = [sources[name.partition(":")[0].partition("@")[0]] for name in names]
    for source in SOURCES:
        yield source, [place for place, found in enumerate(of_column) if found != source]


def tasks_of(all_histories: Sequence[History]) -> list[Task]:
    draw = np.random.default_rng(1)
    out = []
    for history in all_histories:
        for row in range(len(history.snapshot.texts)):
            if draw.random() > (SPIDER if history.spider else BARE if history.bare else 1):
                continue
            if not history.asked(row).alive.any():
                continue
            out.append(Task(history, row))
            if not history.spider and not history.bare and draw.random() < BLIND:
                out.append(Task(history, row, blind=True))
    return out


def with_tags(shape: Shape, known: Sequence[str]) -> Shape:
    """The shape with exactly these tags; one it does not know is never called for."""
    places = {tag: place for place, tag in enumerate(shape.tags)}
    weights = np.zeros((len(shape.grams), len(known)), dtype=np.float32)
    bias = np.full(len(known), -5, dtype=np.float32)
    for place, tag in enumerate(known):
        if tag in places:
            weights[:, place] = shape.weights[:, places[tag]]
            bias[place] = shape.bias[places[tag]]
    return Shape(known, shape.grams, weights, bias)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, required=True, help="folder for the learned histories")
    parser.add_argument("--report", type=Path, help="JSON file for the scores of the cross-validation")
    parser.add_argument("--rounds", type=int, default=200, help="number of trees")
    parser.add_argument("--ablate", action="store_true", help="also without one source of evidence at a time")
    parser.add_argument("--only", type=int, help="the first so many histories, to try things out")
    args = parser.parse_args()
    started = time.perf_counter()
    model, found = train(histories(args.cache)[: args.only], args.rounds, args.ablate)
    target = ROOT / "src" / "sqlore" / "retrieve" / MODEL
    model.save(target)
    if args.report:
        args.report.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"written: {target.relative_to(ROOT)}, {target.stat().st_size / 1024:.0f} KB,"
          f" {time.perf_counter() - started:.0f} s")  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
