"""Which form of delivered knowledge serves the model best: `python tests/bench/bench_forms.py`.

Leave-one-out over twelve of Spider's training histories that come with their databases: data that nothing
else is reported on. Drawn once are questions of some difficulty (a join, a grouping or a subquery) whose
result is not empty; each is asked in every form, with all scripts of the same SQL withheld. Model, checks
and repairs are those of `ask`, accuracy BIRD's. The ranker saw a part of these questions
in its training, which favours all forms that use it beside the nearest scripts.

`--questions 60 --out FILE --forms cover,nearest6`. Each result is a line of FILE, each answer of the model a
line beside it: a run that was stopped goes on, and forms that make the same prompt share the answer, its
tokens and its seconds. All questions of one database and form come together, so that the model's prefix
cache is as warm as in real use. The last table sets every form beside the first one named, question by
question: how many only this one answered right, how many only the other, and the exact sign test.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from forms import FORMS, Delivery, Listing

from sqlore.answer import ask
from sqlore.catalog import Catalog, build_catalog
from sqlore.config import Settings
from sqlore.embed import Embedder, load_embedder
from sqlore.engines import Engine, connect
from sqlore.errors import SqloreError
from sqlore.evals.compare_rows import judge
from sqlore.evals.execution.scores import sign_test
from sqlore.knowledge import Store, learn
from sqlore.llm import Answer, ChatModel, load_model
from sqlore.model import Message, Script, Usage
from sqlore.retrieve import Retriever

ROOT = Path(__file__).resolve().parents[2]
SPIDER = Path(os.environ.get("SQLORE_DATA") or ROOT.parent / "shared" / "data") / "spider"
DATABASES = (
    "bike_1", "club_1", "college_1", "cre_Theme_park", "department_store", "formula_1", "hospital_1",
    "hr_1", "movie_1", "network_2", "store_1", "tracking_grants_for_research",
)  # fmt: skip
SEED = 11
ROWS, SECONDS = 100_000, 30.0
_HARD = re.compile(r"\bJOIN\b|\bGROUP BY\b|\(\s*SELECT\b", re.IGNORECASE)


class Remembered:
    """A model that answers the same request from a file the second time, at the cost of the first."""

    def __init__(self, model: ChatModel, path: Path) -> None:
        self.model, self.path = model, path
        self.name, self.remote, self.context = model.name, model.remote, model.context
        self.known = {line["key"]: line for line in read_lines(path)}

    def chat(self, messages: Sequence[Message], **options: Any) -> Answer:
        wanted = [[(m.role, m.content) for m in messages], options["temperature"], options["seed"]]
        key = hashlib.sha256(json.dumps(wanted).encode()).hexdigest()
        if key not in self.known:
            answer = self.model.chat(messages, **options)
            line = {"key": key, "text": answer.text, "finish": answer.finish, "usage": asdict(answer.usage)}
            self.known[key] = line
            append(self.path, line)
        line = self.known[key]
        return Answer(line["text"], Usage(**line["usage"]), line["finish"])


@dataclass(frozen=True)
class Task:
    """A question of a history: its number there is its key."""

    id: str
    question: str
    sql: str
    withheld: frozenset[str]


@dataclass
class Bench:
    """A database that has learned its history, and a model."""

    engine: Engine
    catalog: Catalog
    store: Store
    retriever: Retriever
    model: ChatModel

    def one(self, name: str, task: Task) -> dict[str, Any]:
        """The result of one question asked in one form."""
        form = FORMS[name]
        draft = ask(
            task.question,
            engine=self.engine,
            catalog=self.catalog,
            model=self.model,
            retriever=cast("Retriever", Delivery(self.retriever, form)) if form.history else None,
            strategy=Listing() if form.listed else "history",
            settings=Settings(reuse="none"),
            exclude=task.withheld,
        )
        return {
            "id": task.id,
            "form": name,
            "question": task.question,
            "gold": task.sql,
            "sql": draft.sql,
            "error": draft.error,
            "correct": correct(self.engine, task.sql, draft.sql if not draft.error else ""),
            "scripts": len(draft.retrieval.scripts) if draft.retrieval else 0,
            "usage": asdict(draft.usage),
        }


def main() -> None:
    args = arguments()
    out = Path(args.out)
    known = {(line["id"], line["form"]): line for line in read_lines(out)}
    histories = json.loads((SPIDER / "train_spider.json").read_text(encoding="utf-8"))
    model = Remembered(load_model(args.model, Settings()), out.with_suffix(".answers.jsonl"))
    embedder = load_embedder()
    for number, database in enumerate(DATABASES):
        share = args.questions // len(DATABASES) + (number < args.questions % len(DATABASES))
        rows = [row for row in histories if row["db_id"] == database]
        with connect(str(SPIDER / "database" / database / f"{database}.sqlite")) as engine:
            tasks = drawn(database, rows, share, engine)
            missing = [(form, task) for form in args.forms for task in tasks if (task.id, form) not in known]
            with learned(rows, engine, embedder, model) if missing else nullcontext() as bench:
                for form, task in missing:
                    known[task.id, form] = line = bench.one(form, task)
                    append(out, line)
        print(f"{database}: {len(tasks)} questions", flush=True)
    report(args.forms, known)


@contextmanager
def learned(
    rows: Sequence[dict[str, Any]], engine: Engine, embedder: Embedder, model: ChatModel
) -> Iterator[Bench]:
    """The database of `engine` with its history learned into a store that lasts as long as the block."""
    scripts = [
        Script(row["query"], key=str(number), question=row["question"], dialect="sqlite")
        for number, row in enumerate(rows)
    ]
    with TemporaryDirectory() as folder, Store.create(Path(folder) / "store.sqlore") as store:
        catalog = build_catalog(engine)
        learn(store, scripts, catalog=catalog, dialect=engine.dialect, embedder=embedder)
        yield Bench(engine, catalog, store, Retriever(store, embedder, catalog, strict=False), model)


def drawn(database: str, rows: Sequence[dict[str, Any]], share: int, engine: Engine) -> list[Task]:
    """`share` questions of some difficulty whose result is not empty, each SQL once."""
    order = list(range(len(rows)))
    random.Random(f"{SEED} {database}").shuffle(order)
    out: list[Task] = []
    seen: set[str] = set()
    for number in order:
        sql = rows[number]["query"]
        if len(out) < share and same(sql) not in seen and _HARD.search(sql) and answered(engine, sql):
            seen.add(same(sql))
            kept = frozenset(str(n) for n, row in enumerate(rows) if same(row["query"]) == same(sql))
            out.append(Task(f"{database}:{number}", rows[number]["question"], sql, kept))
    return out


def same(sql: str) -> str:
    """What two spellings of one SQL text have in common."""
    return re.sub(r"\s+|;", "", sql.lower().replace('"', "'"))


def answered(engine: Engine, sql: str) -> bool:
    """Whether a query has a result that is not empty, not a NULL and not a 0: one that is hard to guess."""
    try:
        rows = engine.run(sql, limit=10, timeout=10).rows
    except SqloreError:
        return False
    return any(value not in (None, 0, "") for row in rows for value in row)


def correct(engine: Engine, gold: str, sql: str) -> bool:
    """BIRD's measure: both results are the same set of rows."""
    if not sql:
        return False
    try:
        right, given = (engine.run(query, limit=ROWS, timeout=SECONDS) for query in (gold, sql))
    except SqloreError:
        return False
    return judge(given.rows, right.rows).correct


def read_lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def append(path: Path, line: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def report(forms: Sequence[str], known: dict[tuple[str, str], dict[str, Any]]) -> None:
    """A line a form over the questions that all forms have, and the pairs with the first form."""
    ids = sorted({i for i, _ in known if all((i, form) in known for form in forms)})
    if not ids:
        return
    base = [known[i, forms[0]]["correct"] for i in ids]
    for form in forms:
        lines = [known[i, form] for i in ids]
        right = [line["correct"] for line in lines]
        better = sum(r > b for r, b in zip(right, base, strict=True))
        worse = sum(r < b for r, b in zip(right, base, strict=True))
        prompt, cached = used(lines, "prompt"), used(lines, "cached")
        print(
            f"{form:14} {len(lines)} questions  right {sum(right):3}  accuracy {statistics.fmean(right):.3f}"
            f"  valid {statistics.fmean(line['error'] is None for line in lines):.2f}"
            f"  scripts {statistics.fmean(line['scripts'] for line in lines):.1f}"
            f"  prompt tokens {prompt:.0f} ({prompt - cached:.0f} new)"
            f"  seconds {statistics.median(line['usage']['seconds'] for line in lines):.1f}"
            f"  calls {used(lines, 'calls'):.2f}  only this {better}, only {forms[0]} {worse}"
            f"  p {sign_test(better, worse):.2f}",
            flush=True,
        )


def used(lines: Sequence[dict[str, Any]], name: str) -> float:
    """The mean of one figure of the model's use."""
    return statistics.fmean(line["usage"][name] for line in lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=60, help="in total, the same share a database")
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="JSON lines; an old file is gone on with"
    )
    parser.add_argument(
        "--forms", default=",".join(FORMS), help="the first is what the others are set beside"
    )
    parser.add_argument("--model", default="local")
    args = parser.parse_args()
    args.forms = args.forms.split(",")
    return args


if __name__ == "__main__":
    main()
