"""The generic prompt adapted to the database: DA-GP of "Adapt and Decompose" (section 4.3), in three stages.

For each exemplar of Algorithm 1 the model writes SQL on the target that is composed like it (`da_gp_ask`;
sampled until one passes, `da_gp_check`), then the question that this SQL answers, once for a database. A
question's prompt then has examples of the very database that is asked, whose schema is told in full
(`da_gp_schema`).

An exemplar for which no sample passes stays as it was, with its own schema. Where examples with their
schemas do not all fit, those go first. Every finding is kept at once and can be corrected (`da_gp_review`).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlore.errors import ModelUnavailable, UsageError
from sqlore.prompts.base import Setup
from sqlore.prompts.coverage import generic_exemplars
from sqlore.prompts.da_gp_ask import Asker
from sqlore.prompts.da_gp_check import Bench, Unfit
from sqlore.prompts.da_gp_prompt import PreparedAdapted, Told
from sqlore.prompts.da_gp_review import Entry, Review, review_file
from sqlore.prompts.few_shot import (
    Shot,
    Shots,
    shot_tokens,
)
from sqlore.prompts.notebook import Notebook, fingerprint
from sqlore.prompts.text import sql_line, tokens
from sqlore.prompts.transpose_target import Target

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine
    from sqlore.llm import ChatModel
    from sqlore.model import Schema
    from sqlore.prompts.training_pairs import TrainingSet

__all__ = ["AdaptedPrompt"]

#: Raised when the samples are asked for or chosen otherwise: what was kept before is not used then.
VERSION = 2


class AdaptedPrompt:
    """Exemplars that cover clauses, operators and functions, adapted to the database that is asked."""

    name = "da_gp"
    history = False

    def __init__(self, review: Path | None = None) -> None:
        """`review` is the file to review the exemplars in; None: the database's, in the setup's folder."""
        self.review = review

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedAdapted:
        """Adapts the exemplars; goes on where it was stopped, and makes nothing again that a person approved.

        Raises UsageError without a database to try SQL on, ModelError where the model gives no answer (what
        was found until then is kept), SourceError where the file of exemplars cannot be read.
        """
        if setup.engine is None:
            raise UsageError("da_gp tries SQL on the database, so it needs one", hint="give it with --db")
        told = Told.of(catalog, setup)
        shots = Shots(examples, told.dialect)
        chosen = generic_exemplars(
            shots.pairs,
            budget=told.room(adapted=True) - tokens(told.schema),
            cost=lambda pairs: shot_tokens([told.shot(pair.question, pair.sql, schema="") for pair in pairs]),
        ).exemplars
        work = Adaptation(catalog, setup, setup.engine, llm, told, self.review)
        entries = []
        for number, pair in enumerate(chosen):
            work.progress("adapting examples", number, len(chosen))
            entries.append(work.entry(shots(pair), examples.schema(pair.database), number))
        ready = PreparedAdapted.of(
            told, [shots(pair) for pair in chosen], entries, setup.mask, work.review_path
        )
        if work.asked:
            work.progress(work.said(ready.report), len(chosen), len(chosen))
        return ready


class Adaptation:
    """Adapts exemplar by exemplar, and keeps each in the notebook and the file at once."""

    def __init__(
        self,
        catalog: Catalog,
        setup: Setup,
        engine: Engine,
        llm: ChatModel | None,
        told: Told,
        review: Path | None = None,
    ) -> None:
        self._setup, self._told, self._llm = setup, told, llm
        self.asked = False  # whether the model was
        self._bench = Bench(engine, catalog)
        self._target = None if setup.mask else Target(catalog)
        model = llm.name if llm is not None else ""
        tables = [
            (table.schema, table.name, [c.name for c in table.columns]) for table in catalog.schema.tables
        ]
        depends = (VERSION, told.name, told.dialect, engine.url, model, setup.mask, tables)
        self._notes = Notebook(setup.folder, "da_gp", *depends)
        if review is None and setup.folder is not None:
            review = review_file(setup.folder, told.name, told.dialect, engine.url)
        self._review = Review(review, told.name)
        self._before = self._review.entries()
        self._settled = {key: entry for key, entry in self._before.items() if entry.settled}
        self._known = {sql_line(entry.sql).lower() for entry in self._settled.values()}

    def progress(self, stage: str, done: int, total: int) -> None:
        """Tells how far it is."""
        if self._setup.on_progress is not None:
            self._setup.on_progress(stage, done, total)

    @property
    def review_path(self) -> Path | None:
        """The file to review the exemplars in, if they are kept."""
        return self._review.path

    def said(self, report: str) -> str:
        """The report, with where its exemplars can be reviewed."""
        return report if self._review.path is None else f"{report}; to review: {self._review.path}"

    def entry(self, original: Shot, source: Schema, number: int = 0) -> Entry:
        """The adaptation of an exemplar over `source`: a person's, one made before, or a new one.

        `number` is its place among the exemplars.
        """
        blank = Entry(original.database, original.sql)
        settled = self._settled.get(blank.key)
        if settled is not None:
            entry = self._checked(settled)
        else:
            before = self._before.get(blank.key, blank)
            said = replace(blank, by=before.by, at=before.at)  # who let it wait again
            entry = self._made(said, original, source, number)
            self._known.add(entry.sql.lower())
        self._review.put(entry)
        return entry

    def _checked(self, settled: Entry) -> Entry:
        """A person's, with a problem where the database does not take its SQL."""
        if settled.rejected:
            return settled
        try:
            self._bench.runs(settled.sql)
        except Unfit as why:
            return replace(settled, problem=f"{why}: {why.detail}" if why.detail else str(why))
        return replace(settled, problem="")

    def _made(self, blank: Entry, original: Shot, source: Schema, number: int) -> Entry:
        notes, sql_key, question_key = self._notes, f"sql {blank.key}", f"question {blank.key}"
        if sql_key not in notes:
            notes.put(sql_key, list(self._asker().sql(original, source, self._known, number)))
        sql, failed = notes[sql_key]
        question = ""
        if sql:
            if question_key not in notes:
                notes.put(question_key, list(self._asker().question(sql, original)))
            question, unsaid = notes[question_key]
            failed = {**failed, **unsaid}
        return replace(blank, sql=sql, question=question, failed=failed, made=fingerprint(sql, question))

    def _asker(self) -> Asker:
        if self._llm is None:
            raise ModelUnavailable(
                "da_gp needs a model to adapt its examples", hint="choose one with --model"
            )
        told, self.asked = self._told, True
        return Asker(self._llm, self._bench, told.name, told.dialect, told.schema, self._target)
