"""Vanna 2.0.2 on the same questions, with the same models: `python tests/bench/bench_vanna.py --help`.

    python tests/bench/bench_vanna.py --history dev.json --db superhero.sqlite --limit 50 --out vanna.jsonl
    sqlore eval execution --leave-one-out --history dev.json --db superhero.sqlite --limit 50 \\
        --strategies history --predictions vanna=vanna.jsonl

What a user would take instead of sqlore: Vanna's classic API over Chroma, trained with the tables' DDL and
with the history's question-SQL pairs. Its embedding model and language model are sqlore's, so that the two
differ in what they make of the history and in nothing else; its prompt, its ten examples and the reading of
answers are its own. A question's own pair, and every pair with the same SQL, is taken out while it is
asked, as sqlore's leave-one-out does.

Vanna lives in an environment of its own (`--environment`, made where it is missing, with pip). It writes a
line a question (`question_id`, `db_id`, `sql`, `seconds`, tokens), goes on where it was stopped, and at the
end says seconds and tokens a question; seconds are those of the whole answer, retrieval and embedding too.
`--stub` asks no model: the most similar pair's SQL is the answer.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlore.config import cache_dir, load_settings
from sqlore.embed import Embedder, load_embedder
from sqlore.engines import connect
from sqlore.errors import SqloreError
from sqlore.evals.execution.places import find_places
from sqlore.evals.execution.tasks import (
    Question,
    described,
    drawn,
    leave_one_out,
    only_these,
    read_questions,
    unique,
)
from sqlore.evals.ground import GroundPlan, scripts_by_database
from sqlore.llm import ChatModel, FunctionModel, load_model
from sqlore.model import Message, ParsedScript, Schema, Script, Usage
from sqlore.sql import parse_script

VANNA = "vanna[chromadb]==2.0.2"
WORKER = Path(__file__).with_name("vanna_worker.py")
ANSWER_TOKENS = 512


def environment(folder: Path) -> Path:
    """The Python of Vanna's own environment; made and filled where it is missing."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    check = "import vanna.legacy.chromadb, importlib.metadata as m; assert m.version('vanna') == '2.0.2'"
    if subprocess.run([str(python), "-c", check], capture_output=True).returncode:
        print(f"installing {VANNA} in {folder}", file=sys.stderr)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", VANNA], check=True)
        subprocess.run([str(python), "-c", check], check=True)
    return python


def nearest_pair(messages: Sequence[Message]) -> str:
    """The stub: the SQL of the first example in the prompt."""
    return next((one.content for one in messages if one.role == "assistant"), "SELECT 1")


class Vanna:
    """Vanna in its process; `ask` lends it the two models for as long as it thinks."""

    def __init__(self, python: Path, model: ChatModel, embedder: Embedder, setup: dict[str, Any]) -> None:
        self.model, self.embedder = model, embedder
        self.usage = Usage()
        self._process = subprocess.Popen(
            [str(python), str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.trained = self._talk(setup)["ready"]

    def ask(self, question: str, without: Sequence[str]) -> dict[str, Any]:
        """The worker's answer: `sql`, and `error` where Vanna raised."""
        self.usage = Usage()
        return self._talk({"ask": question, "without": list(without)})

    def restore(self) -> None:
        """Puts back what was taken out for the last question."""
        self._talk({"restore": True})

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)

    def _talk(self, message: dict[str, Any]) -> dict[str, Any]:
        self._send(message)
        while True:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if not line:
                raise SystemExit("Vanna's process has ended")
            said: dict[str, Any] = json.loads(line)
            if "embed" in said:
                self._send({"answer": self.embedder.embed(said["embed"]).tolist()})
            elif "chat" in said:
                self._send({"answer": self._chat(said["chat"])})
            else:
                return said

    def _chat(self, messages: Sequence[dict[str, str]]) -> str:
        turns = [Message(one["role"], one["content"]) for one in messages]  # type: ignore[arg-type]
        answer = self.model.chat(turns, max_tokens=ANSWER_TOKENS)
        self.usage += answer.usage
        return answer.text

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextmanager
def vanna(
    python: Path, model: ChatModel, embedder: Embedder, database: str, url: str, scripts: Sequence[Script]
) -> Iterator[Vanna]:
    """Vanna trained with the database's DDL and the history's pairs."""
    with connect(url) as engine, tempfile.TemporaryDirectory() as folder:
        setup = {
            "ddl": [ddl(engine.schema(), name.name) for name in engine.schema().tables],
            "pairs": [{"key": s.key, "question": s.text, "sql": s.sql} for s in scripts if s.text],
            "name": database,
            "dialect": engine.dialect,
            "folder": folder,
        }
        opened = Vanna(python, model, embedder, setup)
        try:
            yield opened
        finally:
            opened.close()


def ddl(schema: Schema, name: str) -> str:
    """A table's CREATE statement, as Vanna is told it."""
    table = schema.table(name)
    assert table is not None
    lines = [f'  "{one.name}" {one.type}{" PRIMARY KEY" * one.primary_key}' for one in table.columns]
    for key in table.foreign_keys:
        mine, theirs = (", ".join(f'"{c}"' for c in side) for side in (key.columns, key.ref_columns))
        lines.append(f'  FOREIGN KEY ({mine}) REFERENCES "{key.ref_table}" ({theirs})')
    return f'CREATE TABLE "{table.name}" (\n' + ",\n".join(lines) + "\n)"


def parsed(scripts: Sequence[Script], dialect: str, schema: Schema) -> Iterator[ParsedScript]:
    for script in scripts:
        try:
            yield parse_script(script, dialect=dialect, schema=schema)
        except SqloreError:
            continue


def tasks(
    options: argparse.Namespace, scripts: dict[str, list[Script]]
) -> Iterator[tuple[str, str, list[Question]]]:
    """(database, its URL, its questions): those that `sqlore eval execution` draws."""
    every = (
        unique([one for file in options.tasks for one in read_questions(file)])
        if options.tasks
        else leave_one_out(scripts, {})
    )
    if options.only:
        every = only_these(every, options.only)
    places = find_places(options.db, [one.database for one in every], options.database)
    for database, url in places.urls.items():
        own = [one for one in every if places.database_of(one) == database]
        chosen = drawn(own, options.limit, options.seed)
        with connect(url) as engine:
            schema, dialect = engine.schema(), engine.dialect
        history = list(parsed(scripts.get(database, []), dialect, schema))
        yield database, url, described(chosen, history, dialect=dialect, schema=schema)


def done(path: Path) -> list[dict[str, Any]]:
    """The answers that are there already."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def run(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Asks what is not answered yet; returns all answers."""
    python = environment(options.environment)
    settings = load_settings(model=options.model)
    model = FunctionModel(nearest_pair) if options.stub else load_model(settings.model, settings)
    embedder = load_embedder(settings.embedder)
    scripts = scripts_by_database(GroundPlan(options.history, options.db, databases=options.database))
    kept = done(options.out)
    answered = {(one["db_id"], one["question_id"]) for one in kept}
    for database, url, questions in tasks(options, scripts):
        left = [one for one in questions if (database, one.id) not in answered]
        if not left:
            continue
        with vanna(python, model, embedder, database, url, scripts.get(database, [])) as opened:
            print(f"{database}: {opened.trained} pairs, {len(left)} questions to ask", file=sys.stderr)
            for number, task in enumerate(left, 1):
                kept.append(asked(opened, database, task, options.out))
                print(f"  {number}/{len(left)} {kept[-1]['seconds']:.1f} s", file=sys.stderr)
    return kept


def asked(opened: Vanna, database: str, task: Question, out: Path) -> dict[str, Any]:
    """One question's line, written at once."""
    started = time.perf_counter()
    said = opened.ask(task.question, sorted(task.exclude))
    line = {
        "question_id": task.id,
        "db_id": database,
        "sql": said["sql"],
        "error": said["error"],
        "seconds": round(time.perf_counter() - started, 3),
        "prompt_tokens": opened.usage.prompt,
        "cached_tokens": opened.usage.cached,
        "completion_tokens": opened.usage.completion,
    }
    opened.restore()
    with out.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return line


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--history", action="append", required=True, help="the history that Vanna learns")
    parser.add_argument("--db", required=True, help="a database, or a folder of them")
    parser.add_argument(
        "--tasks", action="append", default=[], help="tasks of a file in place of leave-one-out"
    )
    parser.add_argument("--database", action="append", default=[])
    parser.add_argument("--only", help="a file of question ids")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", help="as `sqlore ask` takes it")
    parser.add_argument("--stub", action="store_true", help="no model: the most similar pair's SQL")
    parser.add_argument("--environment", type=Path, default=cache_dir() / "vanna-2.0.2")
    parser.add_argument("--out", type=Path, required=True, help="predictions, a JSON line each")
    lines = run(parser.parse_args())
    number = max(1, len(lines))
    failed = sum(bool(one["error"]) for one in lines)
    print(f"{len(lines)} questions, {failed} of them Vanna failed at")
    for name in ("seconds", "prompt_tokens", "cached_tokens", "completion_tokens"):
        print(f"{name} a question: {sum(one[name] for one in lines) / number:.1f}")


if __name__ == "__main__":
    main()
