"""What a job sees of the slow things it uses: a model whose tokens are passed on, a retriever that tells.

Both end at once when the job is cancelled, whatever they are in the middle of.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Final, cast

from sqlore.interfaces.http.contract_jobs import ModelEvent
from sqlore.interfaces.http.jobs import Job, Stopped
from sqlore.llm import Answer, ChatModel
from sqlore.llm.base import ModelStep, OnStep, OnToken
from sqlore.model import Message, Retrieval
from sqlore.retrieve import ModelFilter, Retriever

__all__ = ["WatchedModel", "judged_by", "telling"]

_EVERY: Final = 1.0
"""Seconds between two figures of one phase."""


class WatchedModel:
    """A model as one job uses it: each token is sent to who listens, a cancelled job waits for nothing.

    It is left behind in a thread of its own, and stops at the next part of its prompt or at its next token.
    """

    def __init__(self, inner: ChatModel, job: Job) -> None:
        self._inner, self._job = inner, job
        self._told: tuple[str, float] = "", 0.0

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._inner.name

    @property
    def remote(self) -> bool:
        """Whether the model is remote."""
        return self._inner.remote

    @property
    def context(self) -> int:
        """The tokens that prompt and answer may have together."""
        return self._inner.context

    def chat(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 512,
        temperature: float = 0.0,
        stop: Sequence[str] = (),
        seed: int = 0,
        timeout: float | None = None,
        on_token: OnToken | None = None,
        on_step: OnStep | None = None,
    ) -> Answer:
        """As the model's own; raises `Stopped` where the job was cancelled."""

        def token(text: str) -> None:
            self._job.token(text)
            if on_token is not None:
                on_token(text)

        def step(told: ModelStep) -> None:
            self._tell(told)
            if on_step is not None:
                on_step(told)

        def ask() -> Answer:
            return self._inner.chat(
                messages,
                max_tokens=max_tokens,
                temperature=temperature,
                stop=stop,
                seed=seed,
                timeout=timeout,
                on_token=token,
                on_step=step,
            )

        self._job.check()
        return _watched(ask, self._job.cancel)

    def _tell(self, step: ModelStep) -> None:
        """Sends what the model is at: each part of the prompt, but of the tokens, which are sent themselves,
        a figure now and then."""
        self._job.check()
        phase, when = self._told
        now = time.monotonic()
        if step.phase == phase and step.phase != "reads" and now - when < _EVERY:
            return
        self._told = step.phase, now
        self._job.emit(
            ModelEvent(phase=step.phase, done=step.done, total=step.total, limit=step.limit, still=step.still)
        )


def _watched(work: Callable[[], Answer], cancel: threading.Event) -> Answer:
    """What `work` gives, in a thread of its own; `Stopped` as soon as `cancel` is set."""
    done = threading.Event()
    outcome: list[Answer] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # it is raised again where it is waited for
            failure.append(error)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True, name="sqlore-model").start()
    while not done.wait(0.05):
        if cancel.is_set():
            raise Stopped
    if failure:
        raise failure[0]
    return outcome[0]


class _Telling:
    """A retriever that tells what it found first."""

    def __init__(self, inner: Retriever, tell: Callable[[Retrieval], None]) -> None:
        self._inner, self._tell = inner, tell
        self._told = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def retrieve(self, question: str, **options: Any) -> Retrieval:
        """As the retriever's own."""
        found = self._inner.retrieve(question, **options)
        if not self._told:
            self._told = True
            self._tell(found)
        return found


def telling(inner: Retriever, tell: Callable[[Retrieval], None]) -> Retriever:
    """The retriever, which tells `tell` what it finds for the question itself, not for a part of it."""
    return cast(Retriever, _Telling(inner, tell))


def judged_by(inner: Retriever, judge: ModelFilter) -> Retriever:
    """The retriever with a judge of one job's own; what it has read is shared."""
    own = copy(inner)
    own.judge = judge
    return own
