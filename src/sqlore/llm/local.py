"""A GGUF model in this process, through llama.cpp's server object (`xllamacpp`).

The model is loaded at the first question and stays; one request runs at a time. The start of a prompt
that equals one before is taken from the prefix cache, so the stable part of a prompt is read once. States of
several prompts are kept: a strategy may go to and fro between prompts that begin differently.

Its time limit is of standing still. On a machine that is busy with other things a batch of the prompt takes
ten times as long; an answer that comes slowly is an answer, one that does not come on is none.
"""

from __future__ import annotations

import atexit
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlore.errors import ModelError, ModelTimeout, ModelUnavailable
from sqlore.llm.base import (
    TAIL,
    Answer,
    Finish,
    ModelStep,
    OnStep,
    OnToken,
    more_time,
    repeated,
    require_model_requests,
)
from sqlore.model import Message, Usage

# Prompt tokens read between two looks at the cancel flag: under two seconds on two cores, and 4 % slower
# than reading everything at once.
BATCH = 128
# Memory for the states of prompts before the last one; the oldest go first. A token of the default model
# takes 28 KiB, so this is nine prompts of 2,000 tokens. A state that is hardly shared by the next is kept.
KEPT_MIB = 512
# Seconds between two looks at whether the request before has ended.
_LOOK = 0.5


def physical_cores() -> int:
    """Cores without hyper-threads that this process may use: more threads make generation slower."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        blocks = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").split("\n\n")
    except OSError:
        return allowed
    cores = set()
    for block in blocks:
        pairs = dict(_field(line) for line in block.splitlines() if ":" in line)
        if "core id" in pairs:
            cores.add((pairs.get("physical id"), pairs["core id"]))
    return max(1, min(allowed, len(cores) or allowed))


def _field(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


class LocalModel:
    """A GGUF file as a chat model.

    `path` is the file, or a function that finds (and may fetch) it, called at the first question.
    """

    remote = False

    def __init__(
        self,
        path: Path | Callable[[], Path],
        *,
        name: str = "local",
        context: int = 8192,
        threads: int | None = None,
    ) -> None:
        self._path = path
        self.name = name
        self.context = context
        self._threads = threads
        self._server: Any = None
        self._busy = threading.Lock()
        self._running: _Request | None = None
        atexit.register(self.close)

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
        """Ask once. `timeout` is how long neither a token nor a batch of the prompt may come; loading the
        model is not counted, waiting for another request is as long as that one stands still."""
        require_model_requests(self.name)
        request = _Request(on_token, on_step, timeout)
        self._wait_turn(request, timeout)
        body = {
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stop": list(stop),
            "seed": seed,
            "stream": True,
            "return_progress": True,
            "cache_prompt": True,
        }
        try:
            if self._server is None:
                request.tell(ModelStep("loads"))
            server = self._load()
        except BaseException:
            self._busy.release()
            raise
        self._running = request
        # In a thread of its own, so that Ctrl-C and the time limit reach the caller while native code runs.
        threading.Thread(target=self._work, args=(server, body, request), daemon=True).start()
        return request.wait(timeout)

    def close(self) -> None:
        """Stop a running request and let the model go; the next question loads it again."""
        atexit.unregister(self.close)
        if self._running is not None:
            self._running.cancel()
        self._server = None

    def _wait_turn(self, request: _Request, timeout: float | None) -> None:
        """Takes the model, after the request that it works on."""
        if self._busy.acquire(blocking=False):
            return
        began = time.monotonic()
        while True:
            request.tell(ModelStep("waits", limit=timeout, still=True))
            if self._busy.acquire(timeout=_LOOK):
                return
            running = self._running
            moved = began if running is None else max(began, running.moved)
            if timeout is not None and time.monotonic() - moved > timeout:
                raise ModelTimeout(
                    f"the model was busy with another question and stood still for {timeout:g} seconds",
                    hint="ask again later",
                )

    def _work(self, server: Any, body: dict[str, Any], request: _Request) -> None:
        try:
            request.run(server, body)
        finally:
            self._running = None
            self._busy.release()

    def _load(self) -> Any:
        if self._server is None:
            path = self._path if isinstance(self._path, Path) else self._path()
            self._server = _start_server(path, self.context, self._threads or physical_cores())
        return self._server


class _Request:
    """One request on its way through the server: collects the stream, can be stopped."""

    def __init__(self, on_token: OnToken | None, on_step: OnStep | None, limit: float | None) -> None:
        self._on_token, self._on_step, self._limit = on_token, on_step, limit
        self._done = threading.Event()
        self._stopped = threading.Event()
        self._started = time.monotonic()
        self.moved = self._started
        """When it last came on: a batch of the prompt or a token."""
        self._step = ModelStep("reads", limit=limit, still=True)
        self._parts: list[str] = []
        self._tail = ""
        self._timings: dict[str, Any] = {}
        self._prompt = 0, 0  # its tokens, and those known already, as its reading told them
        self._finish: Finish = "other"
        self._error: BaseException | None = None

    def tell(self, step: ModelStep) -> None:
        self._step = step
        if self._on_step is not None:
            self._on_step(step)

    def run(self, server: Any, body: dict[str, Any]) -> None:
        try:
            direct = server.handle_chat_completions(body, self._chunk)
            if isinstance(direct, dict):
                self._chunk(direct)
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def wait(self, timeout: float | None) -> Answer:
        self.moved = time.monotonic()  # the model is loaded by now
        try:
            while not self._done.wait(None if timeout is None else self.moved + timeout - time.monotonic()):
                if timeout is not None and time.monotonic() - self.moved >= timeout:
                    raise self._still(timeout)
        except BaseException:  # the limit, or Ctrl-C
            self.cancel()
            raise
        if self._error is not None:
            raise self._error
        seconds = time.monotonic() - self._started
        told, (prompt, cached) = self._timings, self._prompt
        if told:  # they come last: an answer that was stopped has none
            cached = int(told.get("cache_n", 0))
            prompt = cached + int(told.get("prompt_n", 0))
        written = int(told.get("predicted_n", len(self._parts)))
        return Answer("".join(self._parts), Usage(prompt, cached, written, seconds, 1, 0.0), self._finish)

    def _still(self, timeout: float) -> ModelTimeout:
        was = f" (last: {self._step.words})" if self._step.done else ""
        return ModelTimeout(f"the model stood still for {timeout:g} seconds{was}", hint=more_time(timeout))

    def cancel(self) -> None:
        """Stop at the next token or batch of the prompt; waits for it a short while."""
        self._stopped.set()
        self._done.wait(5.0)

    def _chunk(self, chunk: dict[str, Any]) -> bool:
        """Take one piece of the stream; True tells the server to stop."""
        if self._stopped.is_set():
            return True
        try:
            if "error" in chunk:
                raise _server_error(chunk["error"])
            self._take(chunk)
        except BaseException as error:  # an exception must not pass through native code
            self._error = self._error or error
            return True
        return self._finish == "repeats"

    def _take(self, chunk: dict[str, Any]) -> None:
        self.moved = time.monotonic()
        self._timings = chunk.get("timings") or self._timings
        if read := chunk.get("prompt_progress"):
            done, total = int(read.get("processed", 0)), int(read.get("total", 0))
            self._prompt = total, int(read.get("cache", 0))
            self.tell(ModelStep("reads", done, total, self._limit, still=True))
        for choice in chunk.get("choices", ()):
            text = (choice.get("delta") or {}).get("content")
            if text:
                self._parts.append(text)
                self.tell(ModelStep("writes", len(self._parts), None, self._limit, still=True))
                if self._on_token is not None:
                    self._on_token(text)
                self._tail = (self._tail + text)[-TAIL:]
                if repeated(self._tail):
                    self._finish = "repeats"
            if choice.get("finish_reason") and self._finish != "repeats":
                reason = choice["finish_reason"]
                self._finish = reason if reason in ("stop", "length") else "other"


def _server_error(error: dict[str, Any]) -> ModelError:
    if error.get("type") == "exceed_context_size_error":
        return ModelError(
            f"the prompt has {error.get('n_prompt_tokens')} tokens, "
            f"the model reads at most {error.get('n_ctx')}",
            hint="give the model a larger context, or ask with less knowledge",
        )
    return ModelError(f"the local model refused the request: {error.get('message', error)}")


def _start_server(path: Path, context: int, threads: int) -> Any:
    # Idle threads would otherwise spin and take the cores from everything else; read when OpenMP loads.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelUnavailable(
            "the local model needs the package xllamacpp", hint='pip install "sqlore[local]"'
        ) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = BATCH
    params.cache_ram_mib = KEPT_MIB
    params.n_ctx_checkpoints = 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.warmup = False
    params.verbosity = -1
    # The library opens a port of its own on this machine: nobody knows the key to it.
    params.api_keys = [secrets.token_hex(24)]
    try:
        return xllamacpp.Server(params)
    except Exception as error:
        raise ModelUnavailable(
            f"the model file cannot be loaded: {error}", where=str(path), hint="is it a complete GGUF file?"
        ) from error
