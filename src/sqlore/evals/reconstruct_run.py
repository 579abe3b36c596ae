"""SQL reconstruction accuracy over a history: rebuilt several ways, run, compared with the scripts' rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlore.errors import SqlError, SqloreError, UsageError
from sqlore.evals.compare_rows import judge
from sqlore.evals.execution.gold import ROWS, Gold, check_gold
from sqlore.evals.reconstruct import Lost, losses, outline_of, rebuild
from sqlore.evals.reconstruct_model import STEPS, Writer
from sqlore.model import Fragment
from sqlore.sql import parse_script

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine
    from sqlore.evals.execution.tasks import Question
    from sqlore.llm import ChatModel

__all__ = ["Rebuilt", "Reconstruction", "as_json", "reconstruct"]

WAYS = ("items", "items+outline", "model")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One script rebuilt one way. `why` says what is wrong with it: empty where the rows are the same.

    `step` is how many corrections it took; `sql` is the last that was written.
    """

    id: str
    database: str
    way: str
    gold: str
    sql: str
    why: str = ""
    step: int = 0

    @property
    def correct(self) -> bool:
        return not self.why


@dataclass
class Reconstruction:
    """Everything that was found; `not_counted` are scripts whose own SQL tells nothing, by why."""

    rebuilt: list[Rebuilt] = field(default_factory=list)
    not_counted: Counter[str] = field(default_factory=Counter)

    def of(self, way: str) -> list[Rebuilt]:
        """What was rebuilt in one way."""
        return [one for one in self.rebuilt if one.way == way]

    def accuracy(self, way: str, step: int | None = None) -> float:
        """The share that gives the script's rows; with `step` after so many corrections at most."""
        found = self.of(way)
        good = sum(one.correct and (step is None or one.step <= step) for one in found)
        return good / max(1, len(found))

    def failures(self, way: str) -> dict[str, int]:
        """How many failed of what, the most frequent first."""
        counts = Counter(one.why for one in self.of(way) if one.why)
        return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def reconstruct(
    tasks: Sequence[Question],
    engine: Engine,
    catalog: Catalog,
    *,
    model: ChatModel | None = None,
    steps: int = STEPS,
    timeout: float = 30.0,
    mask: bool = False,
    into: Reconstruction | None = None,
    told: Callable[[str, int, int | None], None] | None = None,
) -> Reconstruction:
    """Rebuilds the scripts of `tasks` (their SQL; no question is looked at) on the database of `engine`.

    By program from the items alone and with the outline; with a `model` from descriptions too, and then
    corrected up to `steps` times. Scripts that do not run, or have no one answer, are counted apart.
    Raises `UsageError` where literals must not go to a remote model, `ModelError` where it gives no answer.
    """
    if model is not None and model.remote and mask:
        raise UsageError("descriptions of items hold literals, which `mask` keeps from a remote model")
    found = into or Reconstruction()
    bench = _Bench(engine, catalog, timeout)
    writer = Writer(model, catalog) if model is not None else None
    for number, task in enumerate(tasks, 1):
        try:
            fragments = parse_script(task.sql, engine.dialect, catalog.schema).fragments
        except SqlError:
            found.not_counted["not understood"] += 1
            continue
        gold = check_gold(engine, task.sql, timeout=timeout)
        if gold.status != "ok":
            found.not_counted[gold.status] += 1
            continue
        found.rebuilt += bench.by_program(task, fragments, gold)
        if writer is not None:
            found.rebuilt.append(bench.by_model(task, fragments, gold, writer, steps))
        if told is not None:
            told("rebuilding scripts", number, len(tasks))
    return found


@dataclass(frozen=True)
class _Bench:
    """Runs what was rebuilt and says what is wrong with it."""

    engine: Engine
    catalog: Catalog
    timeout: float

    def by_program(self, task: Question, fragments: Sequence[Fragment], gold: Gold) -> Iterator[Rebuilt]:
        dialect = self.engine.dialect
        for way in WAYS[:2]:
            try:
                outline = outline_of(fragments, dialect) if way == WAYS[1] else None
                sql = rebuild(fragments, dialect, outline)
            except Lost as lost:
                known = losses(fragments, dialect) if way == WAYS[1] else ()
                yield Rebuilt(task.id, task.database, way, task.sql, "", ", ".join(known) or lost.message)
            else:
                yield Rebuilt(task.id, task.database, way, task.sql, sql, self._why(sql, fragments, gold))

    def by_model(
        self, task: Question, fragments: Sequence[Fragment], gold: Gold, writer: Writer, steps: int
    ) -> Rebuilt:
        answers = writer.refined(fragments, lambda sql: not self._differs(sql, gold), steps)
        why = self._differs(answers[-1], gold)
        return Rebuilt(task.id, task.database, WAYS[2], task.sql, answers[-1], why, len(answers) - 1)

    def _why(self, sql: str, fragments: Sequence[Fragment], gold: Gold) -> str:
        """The reason in the items, if they are known to lose something; else what is wrong with the rows."""
        differs = self._differs(sql, gold)
        lost = losses(fragments, self.engine.dialect) if differs else ()
        return ", ".join(lost) or differs

    def _differs(self, sql: str, gold: Gold) -> str:
        if not sql:
            return "no SQL"
        try:
            rows = self.engine.run(sql, limit=ROWS, timeout=self.timeout).rows
        except SqloreError:
            return "does not run"
        judged = judge(rows, gold.rows)
        return "" if judged.correct else f"rows: {judged.why}"


def as_json(found: Reconstruction, steps: int) -> dict[str, Any]:
    """The stable JSON of `sqlore eval reconstruction --json`."""
    results: list[Mapping[str, Any]] = []
    for way in WAYS:
        own = found.of(way)
        if own:
            result = {
                "way": way,
                "scripts": len(own),
                "correct": sum(one.correct for one in own),
                "accuracy": round(found.accuracy(way), 4),
                "failures": found.failures(way),
            }
            if way == WAYS[2]:
                result["accuracy_by_step"] = [round(found.accuracy(way, n), 4) for n in range(steps + 1)]
            results.append(result)
    scripts = [
        {
            "id": one.id,
            "database": one.database,
            "way": one.way,
            "sql": one.gold,
            "rebuilt": one.sql,
            "correct": one.correct,
            "why": one.why,
            "step": one.step,
        }
        for one in found.rebuilt
    ]
    return {"results": results, "not_counted": dict(found.not_counted), "scripts": scripts}
