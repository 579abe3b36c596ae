"""What a model answers to one question: generated, checked, run, and repaired until something stands.

What a model says is text until it has passed the check; only then the database sees it, read-only and
limited. Several answers are weighed against each other, as far as further ones could change the outcome.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from sqlore.answer.candidates import Candidate, confidence, decided, rivals, vote
from sqlore.answer.doubts import Doubts
from sqlore.answer.join_path import JoinGraph, join_graph
from sqlore.answer.missing_joins import mended_joins
from sqlore.answer.remarks import refusal
from sqlore.answer.slips import mended_names
from sqlore.config import Settings
from sqlore.errors import (
    CheckError,
    ConnectError,
    EngineError,
    ModelError,
    ModelRefusal,
    SqlError,
    SqloreError,
)
from sqlore.llm.base import once, repeated
from sqlore.model import Attempt, Rows, Usage
from sqlore.prompts import Prompt
from sqlore.prompts.text import mask_error
from sqlore.sql import check_query, extract_sql

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine
    from sqlore.knowledge import Store
    from sqlore.llm import Answer, ChatModel
    from sqlore.llm.base import OnStep, OnToken

__all__ = ["Tries", "describe"]

SAMPLE_TEMPERATURE: Final = 0.7
"""Temperature of the further samples; the first is always the most probable answer."""
MAX_TOKENS: Final = 512
"""Of one answer, where its prompt wants no other number."""
SURE: Final = 0.5
"""A vote is sure where more than this share of the valid candidates agree."""


@dataclass
class Tries:
    """What all candidates of one question share: the database, the model, what the asking has cost.

    `known` is the store and what of it may not be used, where the history may say how tables are joined.
    """

    engine: Engine
    catalog: Catalog
    model: ChatModel
    settings: Settings
    on_progress: Callable[..., None] | None
    on_token: OnToken | None
    on_model: OnStep | None = None
    usage: Usage = field(default_factory=Usage)
    known: tuple[Store | None, Collection[int | str]] = (None, ())

    def graph(self) -> JoinGraph:
        """How tables are joined, as far as the schema and what may be used of the history say."""
        return join_graph(self.catalog.schema, *self.known)

    def stage(self, name: str) -> None:
        """Says what is being done."""
        if self.on_progress is not None:
            self.on_progress(name)

    def resolved(self, prompt: Prompt) -> Prompt:
        """The prompt whose answer is SQL: what comes before it is asked, once and most probably, and used.

        A model that refuses a step has said nothing in it; the strategy goes on with what it has.
        """
        step = 0
        while prompt.then is not None:
            step += 1
            self.stage(f"thinking, step {step}")
            try:
                said = self._generate(Candidate(prompt)).text
            except ModelRefusal:
                said = ""
            prompt = prompt.then(said)
        return prompt

    def best(self, prompt: Prompt) -> tuple[Candidate, list[Attempt]]:
        """The best of the candidates, repaired where none works, and every attempt made."""
        candidates = self._tried(prompt)
        best = self._chosen(prompt, candidates)
        for number in range(self.settings.repairs):
            if best.error is None:
                break
            self.stage(f"mending the SQL, {number + 1} of {self.settings.repairs}")
            if not self._repair(best, number):
                break
        attempts = [attempt for candidate in candidates for attempt in candidate.attempts]
        doubts = prompt.doubt
        if doubts is None and self.settings.second_look:
            doubts = Doubts(self.catalog, self.run, self.settings.mask and self.model.remote)
        doubt = doubts(best.sql, best.rows) if doubts and best.rows is not None else None
        if doubts and doubt and (self.settings.repairs or self.settings.second_look):
            best, again = self._reconsidered(best, doubt, doubts)
            attempts += again
        return best, attempts

    def _tried(self, prompt: Prompt) -> list[Candidate]:
        """Candidates until no further one could change the outcome: of the vote, or whether it is sure."""
        wanted = (len(prompt.others) + 1) * self._samples(prompt)
        candidates: list[Candidate] = []
        for candidate in self._wanted(prompt):
            candidates.append(candidate)
            self.stage("writing SQL" if wanted == 1 else f"writing SQL, sample {len(candidates)}")
            self._try(candidate)
            left = wanted - len(candidates)
            sure = prompt.choose is None or confidence(vote(candidates), candidates, left) > SURE
            if sure and decided(candidates, left):
                break
        return candidates

    def _samples(self, prompt: Prompt) -> int:
        """Answers wanted of each prompt: what somebody set, else what the strategy wants."""
        given = "samples" in self.settings.model_fields_set
        return self.settings.samples if given or prompt.samples is None else prompt.samples

    def _wanted(self, prompt: Prompt) -> Iterator[Candidate]:
        """The candidates to try. Those of one prompt follow each other: the model has read it already."""
        for asked in (prompt, *prompt.others):
            ready = self.resolved(asked)
            for seed in range(self._samples(prompt)):
                yield Candidate(ready, SAMPLE_TEMPERATURE if seed else 0.0, seed)

    def _chosen(self, prompt: Prompt, candidates: list[Candidate]) -> Candidate:
        """The outcome of the vote; where it is not sure, the model's choice, if the strategy asks for one."""
        best, different = vote(candidates), rivals(candidates)
        if prompt.choose is None or len(different) < 2 or confidence(best, candidates) > SURE:
            return best
        self.stage("choosing")
        choice = prompt.choose([(one.sql, one.rows) for one in different if one.rows is not None])
        try:
            said = self._generate(Candidate(choice)).text
        except ModelError:  # there is an answer already
            return best
        number = re.search(r"\d+", said)
        place = int(number[0]) if number else 1
        return different[place - 1] if 1 <= place <= len(different) else best

    def run(self, sql: str) -> Rows:
        """The rows of a query, within the limits that are set."""
        return self.engine.run(sql, limit=self.settings.row_limit, timeout=self.settings.query_timeout)

    def _reconsidered(
        self, best: Candidate, doubt: str, doubts: Callable[[str, Rows], str | None]
    ) -> tuple[Candidate, list[Attempt]]:
        """The answer to a doubt about a result, if it leaves none; else the first answer."""
        self.stage("looking at the result again")
        second = Candidate(best.prompt.repaired(best.sql, doubt))
        try:
            self._try(second)
        except (ConnectError, ModelError):
            return best, second.attempts
        still = second.rows is None or doubts(second.sql, second.rows)
        return (best if still else second), second.attempts

    def _try(self, candidate: Candidate) -> None:
        """Generate, check and run once. A model that gives no answer at all comes through as an error."""
        candidate.sql, candidate.rows, candidate.error, candidate.looped = "", None, None, False
        try:
            answer = self._generate(candidate)
        except ModelRefusal as error:
            candidate.error = describe(error)
            candidate.attempts.append(Attempt("", candidate.error))
            return
        said, refused = "", ""
        try:
            read = candidate.prompt.read
            said = extract_sql(read(answer.text) if read else answer.text)
            checked = mended_names(said, self.engine.dialect, self.catalog.schema)
            candidate.attempts += checked.slips
            if self.settings.mend_joins:
                checked = mended_joins(checked, self.engine.dialect, self.catalog.schema, self.graph)
                candidate.attempts += checked.slips
            said = checked.sql
            if checked.fault is not None:
                raise checked.fault
            candidate.sql = said
            self._align(candidate)
            self.stage("running the query")
            candidate.rows = self.run(candidate.sql)
        except ConnectError:  # no fault of the SQL: there is nothing to mend
            raise
        except (ModelRefusal, SqlError, CheckError, EngineError) as error:
            candidate.error = describe(error)
            refused = refusal(error)
            again = repeated(answer.text) if answer.finish != "stop" else ""
            if again and not candidate.sql:
                candidate.error = f"the model wrote the same again and again and was stopped: {_short(again)}"
                said, candidate.looped = once(said), True
            elif answer.finish == "length" and not candidate.sql:
                candidate.error += f" (the answer was cut off at {MAX_TOKENS} tokens)"
        candidate.attempts.append(Attempt(candidate.sql or said, candidate.error, answer.text, refused))

    def _align(self, candidate: Candidate) -> None:
        """What the strategy itself corrects in the SQL, where the corrected query is one."""
        if candidate.prompt.align is None:
            return
        sql, why = candidate.prompt.align(candidate.sql)
        if not why:
            return
        try:
            sql = check_query(sql, self.engine.dialect, self.catalog.schema)
        except SqlError:
            return
        candidate.attempts.append(Attempt(candidate.sql, why))
        candidate.sql = sql

    def _generate(self, candidate: Candidate) -> Answer:
        answer = self.model.chat(
            candidate.prompt.messages,
            max_tokens=candidate.prompt.most or MAX_TOKENS,
            temperature=candidate.temperature,
            stop=candidate.prompt.stop,
            seed=candidate.seed,
            timeout=self.settings.model_timeout,
            on_token=self.on_token,
            on_step=self.on_model,
        )
        self.usage += answer.usage
        return answer

    def _repair(self, candidate: Candidate, number: int) -> bool:
        """Ask again with the error; False where the model gives no answer any more.

        The first time the most probable answer is wanted, then another one: it may have said the same again.
        One that went in a circle mostly would.
        """
        last, kept = candidate.attempts[-1], (candidate.sql, candidate.error)
        said = last.sql or last.text[:500]
        told = self._told(candidate.prompt, said, last.error or "")
        candidate.prompt = candidate.prompt.repaired(said, told)
        other = number or candidate.looped
        candidate.temperature, candidate.seed = (SAMPLE_TEMPERATURE if other else 0.0), number
        try:
            self._try(candidate)
        except ModelError:
            candidate.sql, candidate.error = kept
            return False
        return True

    def _told(self, prompt: Prompt, sql: str, error: str) -> str:
        """The error as the model may see it: a database quotes values in its own, here masked if they are."""
        if not (self.settings.mask and self.model.remote):
            return error
        names = [name for t in self.catalog.schema.tables for name in (t.name, *(c.name for c in t.columns))]
        return mask_error(error, "\n".join((sql, *(one.content for one in prompt.messages), *names)))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:80]}…"


def describe(error: SqloreError) -> str:
    """An error as one line for the model and for people: what is wrong, and the hint."""
    return f"{error.message} ({error.hint})" if error.hint else error.message
