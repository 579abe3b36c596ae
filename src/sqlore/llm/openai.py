"""Models behind an OpenAI-compatible endpoint: OpenAI, Azure, vLLM, Ollama, llama.cpp, LM Studio, ...

The retries are our own, not the client's, so that the time limit holds for the call as a whole.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

import openai
import openai.types.chat

from sqlore.errors import ModelError, ModelRefusal, ModelTimeout, ModelUnavailable
from sqlore.llm.base import (
    Answer,
    ModelSettings,
    OnStep,
    OnToken,
    more_time,
    repeated,
    require_model_requests,
)
from sqlore.llm.openai_reply import Heard, Reply, cut, unstreamed
from sqlore.model import Message, Usage
from sqlore.passwords import without_password

_TOKEN: Final = 40
"""Characters of a token at most, taken over a whole answer."""
# What an endpoint may not know or may call otherwise: parameter -> its newer name, or None to leave it out.
_OPTIONAL: dict[str, str | None] = {
    "max_tokens": "max_completion_tokens",
    "temperature": None,
    "seed": None,
    "stop": None,
    "stream_options": None,
}


class OpenAIModel:
    """One model of one endpoint. `base_url` None is OpenAI's own."""

    remote = True

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        settings: ModelSettings | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings or ModelSettings()
        self._model = model
        self._sleep = sleep
        self._dropped: set[str] = set()
        self.name = model
        self.context = self._settings.context
        self._where = without_password(base_url or "") or "the OpenAI API"
        self._client = openai.OpenAI(api_key=api_key or "none", base_url=base_url, max_retries=0)

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
        """Ask, again after 429, 5xx and lost connections, within `timeout` seconds in all."""
        require_model_requests(self.name)
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "seed": seed,
        }
        if stop:
            body["stop"] = list(stop)
        limit = self._settings.timeout if timeout is None else timeout
        heard = Heard(on_token, on_step, limit) if on_token or on_step else None
        if heard is not None:
            heard.begun()
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        started = time.monotonic()
        reply = self._send(body, started + limit, limit, heard)
        return self._answer(reply, time.monotonic() - started)

    def _send(self, body: dict[str, Any], deadline: float, limit: float, heard: Heard | None) -> Reply:
        tries, without = 0, set[str]()
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._timeout(limit)
            try:
                reply = self._once(self._adapted(body, without), left, deadline, heard)
                self._dropped |= without  # without these it is taken, and so they were the fault
                return reply
            except openai.APITimeoutError as error:
                raise self._timeout(limit) from error
            except openai.BadRequestError as error:
                name = self._blamed(error, body, without)
                if name is None:
                    raise self._refused(error) from error
                without.add(name)
            except (openai.RateLimitError, openai.InternalServerError, openai.APIConnectionError) as error:
                pause = _pause(error, tries)
                tries += 1
                if tries > self._settings.retries or time.monotonic() + pause >= deadline:
                    raise self._unavailable(error, tries) from error
                self._sleep(pause)
            except openai.APIStatusError as error:
                raise self._refused(error) from error
            except (openai.OpenAIError, ValueError, AttributeError, TypeError) as error:
                raise self._strange(error) from error

    def _once(self, body: dict[str, Any], left: float, deadline: float, heard: Heard | None) -> Reply:
        answer = self._client.chat.completions.create(**body, timeout=left)
        if heard is None:
            return Reply.whole(answer)
        if "json" in answer.response.headers.get("content-type", ""):
            return unstreamed(answer.response, heard)
        reply, most = Reply(), _TOKEN * body.get("max_tokens", body.get("max_completion_tokens", 10_000))
        with answer:
            for chunk in answer:
                reply.add(chunk, heard)
                if len(reply.text) > most:  # it does not keep to what it was asked, and may never end
                    reply.finish = "length"
                    break
                if repeated(reply.text):
                    reply.finish = "repeats"
                    break
                if time.monotonic() > deadline:
                    raise openai.APITimeoutError(request=answer.response.request)
        return reply.checked()

    def _adapted(self, body: dict[str, Any], without: Collection[str]) -> dict[str, Any]:
        """The request in the words this endpoint has shown to understand, `without` some more."""
        adapted = {}
        for name, value in body.items():
            if name not in self._dropped and name not in without:
                adapted[name] = value
            elif (newer := _OPTIONAL[name]) is not None:
                adapted[newer] = value
        return adapted

    def _blamed(
        self, error: openai.BadRequestError, body: dict[str, Any], without: Collection[str]
    ) -> str | None:
        """The optional parameter that the refusal names. It may only mention it, or quote the prompt: what is
        left out for good is what the request was taken without."""
        known = [name for name in _OPTIONAL if name in body and name not in {*self._dropped, *without}]
        if error.param in known:
            return error.param
        return next((name for name in known if re.search(rf"\b{name}\b", error.message)), None)

    def _answer(self, reply: Reply, seconds: float) -> Answer:
        if reply.refusal:
            raise ModelRefusal(f"the model {self.name} refused to answer: {reply.refusal}")
        prompt, cached, completion = reply.tokens
        cost = self._cost(prompt, cached, completion)
        return Answer(reply.text, Usage(prompt, cached, completion, seconds, 1, cost), reply.finish)

    def _cost(self, prompt: int, cached: int, completion: int) -> float | None:
        s = self._settings
        if s.price_prompt is None or s.price_completion is None:
            return None
        price_cached = s.price_prompt if s.price_cached is None else s.price_cached
        fresh = (prompt - cached) * s.price_prompt
        return (fresh + cached * price_cached + completion * s.price_completion) / 1e6

    def _timeout(self, limit: float) -> ModelTimeout:
        return ModelTimeout(
            f"the model {self.name} gave no whole answer within {limit:g} seconds",
            where=self._where,
            hint=more_time(limit),
        )

    def _unavailable(self, error: openai.APIError, tries: int) -> ModelUnavailable:
        times = "once" if tries == 1 else f"{tries} times"
        if isinstance(error, openai.RateLimitError):
            what, hint = "has no more room for requests", "wait, ask less at a time, or look at its quota"
        elif isinstance(error, openai.APIStatusError):
            what, hint = "fails", "the fault is the endpoint's: look at its log, or try later"
        else:
            message = f"the model {self.name} cannot be reached: no connection, tried {times}"
            hint = "is the endpoint's address right, and is it running?"
            return ModelUnavailable(message, where=self._where, hint=hint)
        said = error.message.removeprefix(f"Error code: {error.status_code}").removeprefix(" - ")
        status = f"HTTP {error.status_code}: {cut(said)}" if said else f"HTTP {error.status_code}"
        return ModelUnavailable(
            f"the endpoint of the model {self.name} {what} ({status}), tried {times}",
            where=self._where,
            hint=hint,
        )

    def _strange(self, error: Exception) -> ModelUnavailable:
        """What came is no chat completion: a page of a proxy, or another service at that address."""
        return ModelUnavailable(
            f"the model {self.name}: what answers is no chat completion ({_what(error)})",
            where=self._where,
            hint="check the address, which mostly ends in /v1",
        )

    def _refused(self, error: openai.APIStatusError) -> ModelError:
        """The error of a request that is no use sending again; on 401 without the endpoint's words, which
        may quote the key."""
        if error.status_code in (401, 403):
            return ModelUnavailable(
                f"the model {self.name}: the endpoint does not accept the key (HTTP {error.status_code})",
                where=self._where,
                hint="set SQLORE_API_KEY or OPENAI_API_KEY",
            )
        if error.status_code == 404:
            return ModelUnavailable(
                f"the endpoint has no model {self.name!r} (HTTP 404)",
                where=self._where,
                hint="check the model's name and the address, which mostly ends in /v1",
            )
        return ModelError(
            f"the model {self.name} did not take the request: {error.message}",
            where=self._where,
            hint=_hint(error.message),
        )


def _pause(error: openai.APIError, tries: int) -> float:
    """Seconds to wait: what the endpoint asks for, else 0.5, 1, 2, ... with up to a quarter more."""
    if isinstance(error, openai.APIStatusError):
        try:
            return max(0.0, float(error.response.headers.get("retry-after", "")))
        except ValueError:
            pass
    return min(0.5 * 2.0**tries, 20.0) * random.uniform(1.0, 1.25)


def _what(error: Exception) -> str:
    """What was wrong with an answer, in a few words.

    >>> _what(ValueError("it has no choices")), _what(AttributeError("None has no x"))
    ('it has no choices', 'AttributeError')
    """
    if isinstance(error, json.JSONDecodeError):
        return f"it is {cut(error.doc)}, no JSON" if error.doc.strip() else "it is empty"
    if isinstance(error, openai.APIError):
        return f"it says {cut(error.message)}"
    return str(error) if type(error) is ValueError else type(error).__name__


def _hint(message: str) -> str | None:
    if "context" in message.lower() and ("length" in message.lower() or "token" in message.lower()):
        return "the prompt is too long for this model: ask with less knowledge"
    return None
