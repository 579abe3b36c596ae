"""Least to most: a question is answered part by part, and the parts' answers are put together.

Each part is looked up in the history on its own: a known script with other values is taken as it is, without
the model; else the model writes the part's SQL, with that part's own few examples. Every part is checked and
run before it is used. Where a part or the whole does not come about, nothing is lost: the caller asks the
question whole, as `history` does. ("Adapt and Decompose", section 4.4, with a history in place of exemplars.)
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

from sqlore.answer.candidates import Candidate
from sqlore.answer.least_to_most.compose import (
    CannotCompose,
    common,
    names,
    number_column,
    put_before,
    values,
    wanted_column,
    within,
)
from sqlore.answer.least_to_most.lookup import looked_up, said_value
from sqlore.answer.least_to_most.plan import Part, Plan
from sqlore.answer.least_to_most.split import smaller, taken_apart, worth_asking
from sqlore.answer.reuse import reuser_of
from sqlore.errors import CheckError, EngineError, SqlError, SqloreError
from sqlore.model import Attempt, Rows, Usage
from sqlore.prompts import Prompt
from sqlore.prompts.ltmp_history import LeastToMostHistory, Step, in_words, parts_said
from sqlore.sql import check_query, extract_sql

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.config import Settings
    from sqlore.engines import Engine
    from sqlore.knowledge import Store
    from sqlore.prompts import Prepared, PromptContext
    from sqlore.retrieve import Retriever

__all__ = ["Composed", "answer_in_parts"]

#: Examples that a part is asked with at most.
PART_SCRIPTS: Final = 3


class Job(Protocol):
    """What the pipeline does for every question: asks, checks, runs, repairs."""

    engine: Engine
    catalog: Catalog
    settings: Settings
    usage: Usage

    def stage(self, name: str) -> None: ...

    def best(self, prompt: Prompt) -> tuple[Candidate, list[Attempt]]: ...

    def resolved(self, prompt: Prompt) -> Prompt: ...


@dataclass
class Composed:
    """What came of the parts: an answer, or None; what was tried; what is told of each part."""

    best: Candidate | None = None
    attempts: list[Attempt] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Lost(Exception):
    """A part has no answer, or the parts do not fit: the question is asked whole."""


def answer_in_parts(
    job: Job,
    strategy: Prepared,
    context: PromptContext,
    retriever: Retriever | None,
    store: Store | None = None,
    exclude: Collection[int | str] = (),
) -> Composed:
    """The question of `context` answered in parts; no answer where that does not come about.

    Nothing is done for a strategy that does not ask in parts, or without a history. What the model wrote on
    the way is in the attempts in any case. Raises what asking a model raises.
    """
    if not isinstance(strategy, LeastToMostHistory) or retriever is None:
        return Composed()
    return _Parts(job, strategy, context, retriever, store, exclude).answer()


@dataclass
class _Parts:
    """One question on its way."""

    job: Job
    strategy: LeastToMostHistory
    context: PromptContext
    retriever: Retriever
    store: Store | None
    exclude: Collection[int | str]
    done: Composed = field(default_factory=Composed)
    deep: bool = False
    answered: dict[str, Step] = field(default_factory=dict)

    def answer(self) -> Composed:
        """Takes the question apart, answers each part, puts them together."""
        plan = taken_apart(self.context.question, self.context.values) or self._asked_apart()
        if plan is None:
            return self.done
        self.deep = plan.how == "values"
        try:
            sql, rows = self._by_plan(plan)
        except _Lost as reason:
            self.done.notes.append(f"the question was asked whole: {reason}")
        else:
            self.done.best = Candidate(Prompt(()), sql=sql, rows=rows)
        return self.done

    def _asked_apart(self) -> Plan | None:
        """The model's parts of a question that has several in it; None where it names no more than one."""
        if not worth_asking(self.context.question):
            return None
        self.job.stage("taking the question apart")
        heard: list[str] = []

        def listen(said: str) -> Prompt:
            heard.append(said)
            return Prompt(())

        self.job.resolved(replace(self.strategy.parts_prompt(self.context), then=listen))
        parts = parts_said(heard[0])
        if len(parts) == 2 and "#1" in parts[1]:
            return Plan("lookup", (Part(parts[0]), Part(parts[1].replace("#1", "{}"))))
        return Plan("model", tuple(Part(one) for one in in_words(parts))) if parts else None

    def _by_plan(self, plan: Plan) -> tuple[str, Rows]:
        called = names([one.question for one in plan.parts], self.job.catalog.schema)
        try:
            if plan.how == "lookup":
                return self._tried(self._looked_up(plan, called))
            steps = [self._step(one, name) for one, name in zip(plan.parts, called, strict=True)]
            if plan.how == "model":
                return self._by_model(steps)
            if plan.how == "values":
                return self._tried(values(steps, plan.outputs))
            if plan.how == "within":
                dialect, schema = self.job.engine.dialect, self.job.catalog.schema
                return self._tried(within(steps[0], steps[1].sql, plan.parts[0].question, dialect, schema))
            return self._tried(common(steps, plan.how.upper()), may_be_empty=True)
        except CannotCompose as error:
            raise _Lost(str(error)) from error

    def _looked_up(self, plan: Plan, called: tuple[str, ...]) -> str:
        """The other parts asked with what the first one gave, which takes its place in their SQL."""
        if self.context.mask:
            raise _Lost("a value of the database would be said")
        first, dialect = self._step(plan.parts[0], called[0]), self.job.engine.dialect
        column = wanted_column(first)
        cells = {row[column] for row in first.rows.rows}
        if len(cells) != 1:
            raise _Lost(f"{first.name} is not one value")
        value, steps = said_value(cells.pop()), [first]
        for one, name in zip(plan.parts[1:], called[1:], strict=True):
            step = self._step(one.of(value), name)
            if not plan.outputs:
                return looked_up(first, step.sql, column, dialect)
            if "{}" in one.question:
                step = replace(step, sql=looked_up(first, step.sql, column, dialect, alone=False))
            steps.append(step)
        return values(steps, plan.outputs)

    def _by_model(self, steps: list[Step]) -> tuple[str, Rows]:
        """The last step, written by the model over the parts' results."""
        shown = self.context.retrieval.scripts[:1] if self.context.retrieval else ()
        prompt = self.strategy.composing_prompt(self.context, steps, shown)
        prompt = replace(prompt, read=lambda text: _over(extract_sql(text), steps))
        best, attempts = self.job.best(prompt)
        self.done.attempts += attempts
        if best.error is not None or best.rows is None:
            raise _Lost("the parts could not be put together")
        return best.sql, best.rows

    # -------------------------------------------------------------- one part

    def _step(self, one: Part, name: str) -> Step:
        """A part's answer: from the history as it stands, else in smaller parts, else written by the model.

        What two parts have in common is answered once.
        """
        step = self.answered.get(one.question)
        if step is None:
            step = self._known(one, name) or self._nested(one, name) or self._written(one, name)
            self.answered[one.question] = step
        if one.number and number_column(step.rows) is None:
            raise _Lost(f"no number answers: {one.question}")
        return replace(step, name=name)

    def _known(self, one: Part, name: str) -> Step | None:
        """A known script that answers the part, with the part's values."""
        if self.store is None:
            return None
        reuser = reuser_of(self.store, self.job.catalog, self.job.engine.dialect)
        for way in dict.fromkeys((one.question, *one.ways)):
            found = reuser.find(way, self.exclude, attested=1)
            if found is not None:
                try:
                    sql, rows = self._run(found.sql)
                except (SqlError, CheckError, EngineError):
                    continue
                self.done.attempts.append(Attempt(sql))
                self.done.notes.append(f"{one.question} {found.source.note}")
                return Step(name, one.question, sql, rows)
        return None

    def _nested(self, one: Part, name: str) -> Step | None:
        """A part in parts of its own; None where it has none, or that does not come about."""
        values = self.job.catalog.values.match(one.question)
        plan = smaller(one.question, values) if self.deep else None
        if plan is None:
            return None
        self.deep = False
        try:
            sql, rows = self._by_plan(plan)
        except _Lost:
            return None
        finally:
            self.deep = True
        return Step(name, one.question, sql, rows)

    def _written(self, one: Part, name: str) -> Step:
        """A part that the model writes, with examples for it alone; a number is asked for again once."""
        self.job.stage(f"looking in the history: {one.question}")
        found = self.retriever.retrieve(one.question, scripts=PART_SCRIPTS, exclude=self.exclude)
        self.job.usage += found.usage or Usage()
        context = replace(self.context, question=one.question, retrieval=found, values=found.values, joins="")
        prompt = self.strategy.prompt(context)
        if one.number:
            prompt = replace(prompt, doubt=_no_number)
        best, attempts = self.job.best(prompt)
        self.done.attempts += attempts
        if best.error is not None or best.rows is None or not best.rows.rows:
            raise _Lost(f"no answer to: {one.question}")
        self.done.notes.append(f"{one.question} written by the model")
        return Step(name, one.question, best.sql, best.rows)

    def _tried(self, sql: str, *, may_be_empty: bool = False) -> tuple[str, Rows]:
        """The whole, checked and run as everything is."""
        self.job.stage("running the query")
        try:
            done = self._run(sql)
        except (SqlError, CheckError, EngineError) as error:
            self.done.attempts.append(Attempt(sql, _said(error)))
            raise _Lost("the parts do not run together") from error
        self.done.attempts.append(Attempt(done[0]))
        if not may_be_empty and not any(cell is not None for row in done[1].rows for cell in row):
            raise _Lost("the parts together give nothing")
        return done

    def _run(self, sql: str) -> tuple[str, Rows]:
        settings, engine = self.job.settings, self.job.engine
        sql = check_query(sql, engine.dialect, self.job.catalog.schema)
        return sql, engine.run(sql, limit=settings.row_limit, timeout=settings.query_timeout)


def _no_number(sql: str, rows: Rows) -> str | None:
    """What is wrong with a result that should be one number."""
    if not rows.rows:
        return "the result is empty; one row with one number is wanted"
    return None if number_column(rows) is not None else "one row with one number is wanted"


def _over(sql: str, steps: list[Step]) -> str:
    """The model's query with the parts that it names before it."""
    named = [step for step in steps if step.name.lower() in sql.lower()]
    if sql.lstrip().lower().startswith("with"):
        return sql  # it wrote them out itself
    return put_before(sql, named)


def _said(error: SqloreError) -> str:
    return f"{error.message} ({error.hint})" if error.hint else error.message
