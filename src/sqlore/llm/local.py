"""A GGUF model in this process, through llama.cpp's server object (`xllamacpp`).

The model is loaded at the first question and stays; one request runs at a time. The start of a prompt
that equals one before is taken from the prefix cache, so the stable part of a prompt is read once. States of
several prompts are kept: a strategy may go to and fro between prompts that begin differently.
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
from sqlore.llm.base import Answer, Finish, OnToken, require_model_requests
from sqlore.model import Message, Usage

# Prompt tokens read between two looks at the cancel flag: under two seconds on two cores, and 4 % slower
# than reading everything at once.
BATCH = 128
# Memory for the states of prompts before the last one; the oldest go first. A token of the default model
# takes 28 KiB, so this is nine prompts of 2,000 tokens. A state that is hardly shared by the next is kept.
KEPT_MIB = 512


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
    ) -> Answer:
        """Ask once; loading the model is not counted against `timeout`, waiting for another request is."""
        require_model_requests(self.name)
        if not self._busy.acquire(timeout=-1 if timeout is None else timeout):
            raise ModelTimeout(f"the model was busy for {timeout:g} seconds", hint="ask again later")
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
        request = _Request(body, on_token)
        try:
            server = self._load()
        except BaseException:
            self._busy.release()
            raise
        self._running = request
        # In a thread of its own, so that Ctrl-C and the time limit reach the caller while native code runs.
        threading.Thread(target=self._work, args=(server, request), daemon=True).start()
        return request.wait(timeout)

    def close(self) -> None:
        """Stop a running request and let the model go; the next question loads it again."""
        atexit.unregister(self.close)
        if self._running is not None:
            self._running.cancel()
        self._server = None

    def _work(self, server: Any, request: _Request) -> None:
        try:
            request.run(server)
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

    def __init__(self, body: dict[str, Any], on_token: OnToken | None) -> None:
        self._body = body
        self._on_token = on_token
        self._done = threading.Event()
        self._stopped = threading.Event()
        self._started = time.monotonic()
        self._parts: list[str] = []
        self._timings: dict[str, Any] = {}
        self._finish: Finish = "other"
        self._error: BaseException | None = None

    def run(self, server: Any) -> None:
        try:
            direct = server.handle_chat_completions(self._body, self._chunk)
            if isinstance(direct, dict):
                self._chunk(direct)
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def wait(self, timeout: float | None) -> Answer:
        try:
            finished = self._done.wait(timeout)
        except BaseException:  # Ctrl-C
            self.cancel()
            raise
        if not finished:
            self.cancel()
            raise ModelTimeout(
                f"the model gave no whole answer within {timeout:g} seconds",
                hint="give it more time, or a shorter prompt",
            )
        if self._error is not None:
            raise self._error
        seconds = time.monotonic() - self._started
        cached = int(self._timings.get("cache_n", 0))
        prompt = cached + int(self._timings.get("prompt_n", 0))
        usage = Usage(prompt, cached, int(self._timings.get("predicted_n", 0)), seconds, 1, 0.0)
        return Answer("".join(self._parts), usage, self._finish)

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
        return False

    def _take(self, chunk: dict[str, Any]) -> None:
        self._timings = chunk.get("timings") or self._timings
        for choice in chunk.get("choices", ()):
            text = (choice.get("delta") or {}).get("content")
            if text:
                self._parts.append(text)
                if self._on_token is not None:
                    self._on_token(text)
            if choice.get("finish_reason"):
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
