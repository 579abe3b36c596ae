"""A question becomes a draft: retrieve, prompt, generate, check, run, repair, cite.

What a model says is text until it has passed the check; only then the database sees it, read-only and
limited. Whatever the model answers, the outcome is a draft: with SQL and rows, or with the reason why not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlore.answer.cite import cite
from sqlore.answer.context import prompt_context
from sqlore.answer.reuse import reuser_of
from sqlore.answer.slips import mended_names
from sqlore.config import Settings, load_settings
from sqlore.errors import CheckError, EngineError, ModelError, ModelRefusal, SqlError, SqloreError, UsageError
from sqlore.model import Attempt, Draft, Rows, Usage
from sqlore.prompts import Prepared, Prompt, load_strategy, prepare_strategy
from sqlore.sql import check_query, extract_sql

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.embed import Embedder
    from sqlore.engines import Engine
    from sqlore.knowledge import Store
    from sqlore.llm import Answer, ChatModel
    from sqlore.llm.base import OnToken
    from sqlore.retrieve import Retriever

#: Temperature of the further samples; the first is always the most probable answer.
SAMPLE_TEMPERATURE = 0.7
MAX_TOKENS = 512


@dataclass
class _Candidate:
    """One answer on its way: the attempts made, and what came of the last one."""

    prompt: Prompt
    temperature: float = 0.0
    seed: int = 0
    attempts: list[Attempt] = field(default_factory=list)
    sql: str = ""
    rows: Rows | None = None
    error: str | None = None


def ask(
    question: str,
    *,
    engine: Engine,
    catalog: Catalog,
    model: ChatModel,
    retriever: Retriever | None = None,
    store: Store | None = None,
    strategy: str | Prepared = "history",
    settings: Settings | None = None,
    embedder: Callable[[], Embedder] | None = None,
    exclude: Collection[int | str] = (),
    on_progress: Callable[..., None] | None = None,
    on_token: OnToken | None = None,
) -> Draft:
    """SQL that answers `question`, its rows, and a citation for every fragment.

    Without a `retriever` nothing of the history is used; without a `store` nothing is cited. A `strategy`
    given by name is prepared here; to ask many questions give a prepared one (`prompts.prepare_strategy`),
    which is asked with the retriever if there is one. `embedder` is called where a strategy needs one.
    Scripts in `exclude` (ids, or keys of their source) are not retrieved. `on_progress` is called with the
    name of each stage.

    With the setting `reuse`, a question that is a known one with other values is answered from the `store`
    before anything is retrieved, where a `retriever` is given too: the model is not asked then.

    A draft whose model gave nothing usable has an `error` and no SQL; one whose query failed has both.

    Raises UsageError for an empty question, ModelUnavailable and ModelTimeout where the model gave no answer
    at all, ConfigError for an unknown strategy.
    """
    if not question.strip():
        raise UsageError("the question is empty", hint='sqlore ask "How many customers are active?"')
    job = _Job(engine, catalog, model, settings or load_settings(), on_progress, on_token)
    if isinstance(strategy, str):
        retriever = retriever if load_strategy(strategy).history else None
        strategy = prepare_strategy(
            strategy, catalog, model, job.settings, engine=engine, embedder=embedder, on_progress=on_progress
        )
    if job.settings.reuse and retriever is not None and store is not None:
        reused = job.reused(question, store, exclude)
        if reused is not None:
            return reused
    retrieval = None
    if retriever is not None:
        job.stage("looking in the history")
        retrieval = retriever.retrieve(question, scripts=job.settings.scripts, exclude=exclude)
        job.usage += retrieval.usage or Usage()
    context = prompt_context(question, catalog, retrieval, job.settings, remote=model.remote)
    best, attempts = job.best(job.resolved(strategy.prompt(context)))
    citations: tuple[Any, ...] = ()
    if best.sql and store is not None:
        job.stage("citing")
        citations = cite(best.sql, store, engine.dialect, catalog.schema)
    return Draft(question, best.sql, citations, best.rows, tuple(attempts), job.usage, best.error, retrieval)


@dataclass
class _Job:
    """What all candidates of one question share."""

    engine: Engine
    catalog: Catalog
    model: ChatModel
    settings: Settings
    on_progress: Callable[..., None] | None
    on_token: OnToken | None
    usage: Usage = field(default_factory=Usage)

    def stage(self, name: str) -> None:
        if self.on_progress is not None:
            self.on_progress(name)

    def reused(self, question: str, store: Store, exclude: Collection[int | str]) -> Draft | None:
        """The draft of a known script with other values; None where none is certain, or it does not run."""
        self.stage("looking for the question in the history")
        found = reuser_of(store, self.catalog, self.engine.dialect).find(question, exclude)
        if found is None:
            return None
        try:
            sql = check_query(found.sql, self.engine.dialect, self.catalog.schema)
            rows = self.engine.run(sql, limit=self.settings.row_limit, timeout=self.settings.query_timeout)
        except (SqlError, CheckError, EngineError):
            return None
        self.stage("citing")
        citations = cite(sql, store, self.engine.dialect, self.catalog.schema)
        return Draft(question, sql, citations, rows, (Attempt(sql),), notes=(found.note,))

    def resolved(self, prompt: Prompt) -> Prompt:
        """The prompt whose answer is SQL: what comes before it is asked, once and most probably, and used.

        A model that refuses a step has said nothing in it; the strategy goes on with what it has.
        """
        step = 0
        while prompt.then is not None:
            step += 1
            self.stage(f"thinking, step {step}")
            try:
                said = self._generate(_Candidate(prompt)).text
            except ModelRefusal:
                said = ""
            prompt = prompt.then(said)
        return prompt

    def best(self, prompt: Prompt) -> tuple[_Candidate, list[Attempt]]:
        """The best of the sampled answers, repaired where none works, and every attempt made."""
        further = range(1, self.settings.samples)
        candidates = [_Candidate(prompt), *(_Candidate(prompt, SAMPLE_TEMPERATURE, seed) for seed in further)]
        for number, candidate in enumerate(candidates):
            self.stage("writing SQL" if len(candidates) == 1 else f"writing SQL, sample {number + 1}")
            self._try(candidate)
        best = vote(candidates)
        for number in range(self.settings.repairs):
            if best.error is None:
                break
            self.stage(f"mending the SQL, {number + 1} of {self.settings.repairs}")
            if not self._repair(best, number):
                break
        return best, [attempt for candidate in candidates for attempt in candidate.attempts]

    def _try(self, candidate: _Candidate) -> None:
        """Generate, check and run once. A model that gives no answer at all comes through as an error."""
        candidate.sql, candidate.rows, candidate.error = "", None, None
        try:
            answer = self._generate(candidate)
        except ModelRefusal as error:
            candidate.error = describe(error)
            candidate.attempts.append(Attempt("", candidate.error))
            return
        said = ""
        try:
            said = extract_sql(answer.text)
            said, slips = mended_names(said, self.engine.dialect, self.catalog.schema)
            candidate.attempts += slips
            candidate.sql = check_query(said, self.engine.dialect, self.catalog.schema)
            self.stage("running the query")
            candidate.rows = self.engine.run(
                candidate.sql, limit=self.settings.row_limit, timeout=self.settings.query_timeout
            )
        except (ModelRefusal, SqlError, CheckError, EngineError) as error:
            candidate.error = describe(error)
            if answer.finish == "length" and not candidate.sql:
                candidate.error += f" (the answer was cut off at {MAX_TOKENS} tokens)"
        candidate.attempts.append(Attempt(candidate.sql or said, candidate.error, answer.text))

    def _generate(self, candidate: _Candidate) -> Answer:
        answer = self.model.chat(
            candidate.prompt.messages,
            max_tokens=candidate.prompt.most or MAX_TOKENS,
            temperature=candidate.temperature,
            stop=candidate.prompt.stop,
            seed=candidate.seed,
            timeout=self.settings.model_timeout,
            on_token=self.on_token,
        )
        self.usage += answer.usage
        return answer

    def _repair(self, candidate: _Candidate, number: int) -> bool:
        """Ask again with the error; False where the model gives no answer any more.

        The first time the most probable answer is wanted, then another one: it may have said the same again.
        """
        last, kept = candidate.attempts[-1], (candidate.sql, candidate.error)
        candidate.prompt = candidate.prompt.repaired(last.sql or last.text[:500], last.error or "")
        candidate.temperature, candidate.seed = (SAMPLE_TEMPERATURE if number else 0.0), number
        try:
            self._try(candidate)
        except ModelError:
            candidate.sql, candidate.error = kept
            return False
        return True


def vote(candidates: list[_Candidate]) -> _Candidate:
    """The candidate whose result most of the valid ones agree on, the earliest of them; else the first.

    Results agree as sets of rows; an empty result loses to any other.
    """
    valid = [candidate for candidate in candidates if candidate.rows is not None]
    if not valid:
        return next((c for c in candidates if c.sql), candidates[0])
    results = [result_key(candidate.rows) for candidate in valid]
    counts = Counter(results)
    ranked = max(range(len(valid)), key=lambda n: (bool(results[n]), counts[results[n]], -n))
    return valid[ranked]


def result_key(rows: Rows | None) -> frozenset[str]:
    """What two results are compared by: their set of rows, numbers rounded to nine digits.

    >>> result_key(Rows(("a",), ((1,), (2.0000000001,)))) == result_key(Rows(("b",), ((2,), (1.0,))))
    True
    """
    return frozenset(repr(tuple(_rounded(value) for value in row)) for row in (rows.rows if rows else ()))


def _rounded(value: Any) -> Any:
    return float(f"{value:.9g}") if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def describe(error: SqloreError) -> str:
    """An error as one line for the model and for people: what is wrong, and the hint."""
    return f"{error.message} ({error.hint})" if error.hint else error.message
