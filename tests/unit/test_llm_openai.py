"""An endpoint that is really there: a small HTTP server that speaks the protocol."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import sqlore.llm.base
from sqlore.errors import ModelError, ModelRefusal, ModelTimeout, ModelUnavailable
from sqlore.llm import ModelSettings
from sqlore.llm.base import ModelStep
from sqlore.llm.openai import OpenAIModel
from sqlore.model import Message

ASK = [Message("system", "Write SQL."), Message("user", "How many?")]
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "total_tokens": 110,
    "prompt_tokens_details": {"cached_tokens": 40},
}


def completion(text: str | None, finish: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": text, **message},
    }
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": USAGE,
    }


class Endpoint:
    """Gives the prepared replies in turn, the last one again and again; keeps the requests."""

    def __init__(self) -> None:
        self.replies: list[tuple[int, Any]] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.headers: dict[str, str] = {}
        self.delay = 0.0
        self.kind = ""
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                endpoint.requests.append(json.loads(body))
                endpoint.keys.append(self.headers["Authorization"])
                time.sleep(endpoint.delay)
                status, reply = endpoint.replies.pop(0) if len(endpoint.replies) > 1 else endpoint.replies[0]
                stream = isinstance(reply, list)
                text = (
                    "".join(f"data: {json.dumps(r)}\n\n" for r in reply) + "data: [DONE]\n\n"
                    if stream
                    else ""
                )
                raw = isinstance(reply, bytes)
                data = reply if raw else (text or json.dumps(reply)).encode()
                kind = "text/event-stream" if stream else "application/json"
                self.send_response(status)
                self.send_header("Content-Type", endpoint.kind if raw else kind)
                self.send_header("Content-Length", str(len(data)))
                for name, value in endpoint.headers.items():
                    self.send_header(name, value)
                with contextlib.suppress(ConnectionError):  # the client gave up
                    self.end_headers()
                    self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def model(self, waits: list[float] | None = None, **settings: Any) -> OpenAIModel:
        sleep = (waits if waits is not None else []).append
        return OpenAIModel(
            "m", base_url=self.url, api_key="sk-secret", settings=ModelSettings(**settings), sleep=sleep
        )


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)
    served = Endpoint()
    yield served
    served.server.shutdown()
    served.server.server_close()


def error(message: str, param: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "error", "param": param, "code": None}}


def test_an_answer_with_its_cost(endpoint: Endpoint) -> None:
    endpoint.replies = [(200, completion("SELECT 1"))]
    model = endpoint.model(price_prompt=2.0, price_cached=0.5, price_completion=8.0)
    answer = model.chat(ASK, max_tokens=50, temperature=0.3, stop=[";"], seed=7)
    assert (answer.text, answer.finish) == ("SELECT 1", "stop")
    usage = answer.usage
    assert (usage.prompt, usage.cached, usage.completion, usage.calls) == (100, 40, 10, 1)
    assert usage.cost == pytest.approx((60 * 2.0 + 40 * 0.5 + 10 * 8.0) / 1e6)
    request = endpoint.requests[0]
    assert request["messages"][1] == {"role": "user", "content": "How many?"}
    assert (request["max_tokens"], request["temperature"], request["stop"], request["seed"]) == (
        50,
        0.3,
        [";"],
        7,
    )
    assert endpoint.keys == ["Bearer sk-secret"]


def test_a_stream_gives_its_tokens_as_they_come(endpoint: Endpoint) -> None:
    def piece(text: str | None, finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
        return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    last = {**piece(None), "choices": [], "usage": USAGE}
    endpoint.replies = [(200, [piece("SELECT"), piece(" 1"), piece(None, "length"), last])]
    said: list[str] = []
    answer = endpoint.model().chat(ASK, on_token=said.append)
    assert said == ["SELECT", " 1"]
    assert (answer.text, answer.finish, answer.usage.prompt) == ("SELECT 1", "length", 100)
    assert answer.usage.cost is None


def test_an_endpoint_tells_that_it_was_asked_and_the_tokens_that_came(endpoint: Endpoint) -> None:
    choice = {"index": 0, "delta": {"content": "SELECT"}, "finish_reason": None}
    piece = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    endpoint.replies = [(200, [piece, piece])]
    steps: list[ModelStep] = []
    assert endpoint.model().chat(ASK, timeout=60, on_step=steps.append).text == "SELECTSELECT"
    assert [(step.phase, step.done, step.limit_words) for step in steps] == [
        ("asked", 0, "given up after 60 s"),
        ("writes", 1, "given up after 60 s"),
        ("writes", 2, "given up after 60 s"),
    ]


def test_an_endpoint_that_does_not_stream_is_understood(endpoint: Endpoint) -> None:
    endpoint.replies = [(200, completion("SELECT 1"))]
    said: list[str] = []
    answer = endpoint.model().chat(ASK, on_token=said.append)
    assert (answer.text, answer.usage.prompt, said) == ("SELECT 1", 100, ["SELECT 1"])


def _piece(text: str) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def test_a_model_that_repeats_itself_is_stopped(endpoint: Endpoint) -> None:
    endpoint.replies = [(200, [_piece(" AND kind NOT IN ('classic', 'gold')") for _ in range(1000)])]
    answer = endpoint.model().chat(ASK, max_tokens=512, on_token=lambda _: None)
    assert answer.finish == "repeats"
    assert len(answer.text) < 300


def test_a_stream_that_does_not_end_is_left(endpoint: Endpoint) -> None:
    endpoint.replies = [(200, [_piece(f"SELECT {n} ") for n in range(1000)])]
    said: list[str] = []
    answer = endpoint.model().chat(ASK, max_tokens=10, on_token=said.append)
    assert answer.finish == "length"
    assert len(said) < 100


def test_busy_and_broken_endpoints_are_asked_again(endpoint: Endpoint) -> None:
    endpoint.replies = [(429, error("slow down")), (503, error("restarting")), (200, completion("SELECT 1"))]
    waits: list[float] = []
    assert endpoint.model(waits).chat(ASK).text == "SELECT 1"
    assert len(waits) == 2
    assert waits[0] < waits[1]


def test_the_endpoint_says_how_long_to_wait(endpoint: Endpoint) -> None:
    endpoint.headers = {"Retry-After": "7"}
    endpoint.replies = [(429, error("slow down")), (200, completion("SELECT 1"))]
    waits: list[float] = []
    endpoint.model(waits).chat(ASK)
    assert waits == [7.0]
    endpoint.replies = [(429, error("slow down"))]
    with pytest.raises(ModelUnavailable, match=r"no more room .*429: slow down") as caught:
        endpoint.model(waits).chat(ASK, timeout=5)
    assert "quota" in (caught.value.hint or "")
    assert waits == [7.0]


def test_retries_end(endpoint: Endpoint) -> None:
    endpoint.replies = [(500, error("broken"))]
    with pytest.raises(ModelUnavailable, match=r"fails \(HTTP 500: broken\), tried 3 times") as caught:
        endpoint.model(retries=2).chat(ASK)
    assert "log" in (caught.value.hint or "")
    assert caught.value.where == endpoint.url
    assert len(endpoint.requests) == 3


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlore.llm.base, "ALLOW_MODEL_REQUESTS", True)
    model = OpenAIModel("m", base_url="http://127.0.0.1:9/v1", sleep=lambda seconds: None)
    with pytest.raises(ModelUnavailable, match="no connection"):
        model.chat(ASK)


def test_the_time_limit(endpoint: Endpoint) -> None:
    endpoint.replies = [(200, completion("SELECT 1"))]
    endpoint.delay = 1.0
    with pytest.raises(ModelTimeout, match=r"0\.2 seconds") as caught:
        endpoint.model().chat(ASK, timeout=0.2)
    assert "SQLORE_MODEL_TIMEOUT=0.4" in str(caught.value.hint)


def test_a_wrong_key_is_not_repeated_in_the_message(endpoint: Endpoint) -> None:
    endpoint.replies = [(401, error("Incorrect API key provided: sk-secret"))]
    with pytest.raises(ModelUnavailable, match="does not accept the key") as caught:
        endpoint.model().chat(ASK)
    assert "sk-secret" not in caught.value.report()
    assert len(endpoint.requests) == 1


def test_an_unknown_model_and_a_long_prompt(endpoint: Endpoint) -> None:
    endpoint.replies = [(404, error("no such model"))]
    with pytest.raises(ModelUnavailable, match="no model 'm'"):
        endpoint.model().chat(ASK)
    endpoint.replies = [(400, error("maximum context length is 100 tokens"))]
    with pytest.raises(ModelError, match="maximum context length") as caught:
        endpoint.model().chat(ASK)
    assert "less knowledge" in (caught.value.hint or "")


def test_parameters_an_endpoint_does_not_know(endpoint: Endpoint) -> None:
    endpoint.replies = [
        (400, error("Unsupported parameter: 'max_tokens'", "max_tokens")),
        (400, error("Unsupported value: 'temperature'", "temperature")),
        (200, completion("SELECT 1")),
    ]
    model = endpoint.model()
    assert model.chat(ASK, max_tokens=9).text == "SELECT 1"
    assert model.chat(ASK, max_tokens=9).text == "SELECT 1"
    assert len(endpoint.requests) == 4
    last = endpoint.requests[-1]
    assert last["max_completion_tokens"] == 9
    assert "max_tokens" not in last
    assert "temperature" not in last


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' or 'max_completion_tokens' is too large: this model's context is 4096 tokens",
        "invalid prompt: 'CREATE TABLE bus (stop TEXT, temperature REAL, seed INT)'",
    ],
)
def test_what_an_error_only_mentions_is_not_left_out_from_then_on(endpoint: Endpoint, message: str) -> None:
    model = endpoint.model()
    endpoint.replies = [(400, error(message))]
    with pytest.raises(ModelError, match="did not take the request"):
        model.chat(ASK, stop=[";"])
    endpoint.replies = [(200, completion("SELECT 1"))]
    model.chat(ASK, stop=[";"])
    assert {"max_tokens", "temperature", "seed", "stop"} <= endpoint.requests[-1].keys()


@pytest.mark.parametrize(
    "reply",
    [completion(None, refusal="I cannot help with that"), completion("", "content_filter")],
)
def test_a_refusal(endpoint: Endpoint, reply: dict[str, Any]) -> None:
    endpoint.replies = [(200, reply)]
    with pytest.raises(ModelRefusal, match="m refused to answer"):
        endpoint.model().chat(ASK)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("kind", "body", "says"),
    [
        ("application/json", b'{"choices": [', "no JSON"),
        ("application/json", b"{}", "no choices"),
        ("application/json", b'{"choices": []}', "no choices"),
        ("application/json", b"null", "no chat completion"),
        ("application/json", b"", "no chat completion"),
        ("application/json", b'[1, "a"]', "no chat completion"),
        ("application/json", b'{"error": {"message": "out of credit"}}', "out of credit"),
        ("text/html", b"<html>Sign in</html>", "no chat completion"),
        ("text/event-stream", b'data: {"choices": [\n\n', "no chat completion"),
        ("text/event-stream", b"data: null\n\ndata: [DONE]\n\n", "no chat completion"),
        ("text/event-stream", b"data: [DONE]\n\n", "no chat completion"),
        ("text/event-stream", b'data: {"choices": null}\n\n', "no chat completion"),
        ("text/event-stream", b'data: {"error": {"message": "out of credit"}}\n\n', "no chat completion"),
        ("", b"", "no chat completion"),
    ],
)
def test_an_answer_that_is_none_is_the_fault_of_the_endpoint(
    endpoint: Endpoint, kind: str, body: bytes, says: str, streamed: bool
) -> None:
    endpoint.replies = [(200, body)]
    endpoint.kind = kind
    with pytest.raises(ModelUnavailable, match=says) as raised:
        endpoint.model().chat(ASK, on_token=print if streamed else None)
    assert raised.value.where == endpoint.url
    assert len(endpoint.requests) == 1  # another try would get the same


def test_an_empty_answer_is_an_answer(endpoint: Endpoint) -> None:
    endpoint.replies = [(200, completion(None))]
    assert endpoint.model().chat(ASK).text == ""
