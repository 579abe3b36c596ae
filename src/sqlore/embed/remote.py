"""Embeddings from an OpenAI-compatible endpoint, and from a local sentence-transformers model.

Both are optional: the packages are imported on first use, and what is missing is said with its remedy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

from sqlore.embed.base import Vectors, unit_rows, whole_characters
from sqlore.errors import ModelTimeout, ModelUnavailable
from sqlore.passwords import without_password

_BATCH: Final = 128
_PROBE: Final = "dimension"


class EndpointEmbedder:
    """`model` at `base_url` (None: OpenAI itself). The key is OPENAI_API_KEY where none is given."""

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        key: str | None = None,
        timeout: float = 30.0,
        retries: int = 2,
    ) -> None:
        self.model = model
        self.base_url = base_url
        self.name = f"openai:{model}"
        self._key = key or os.environ.get("OPENAI_API_KEY")
        self._timeout = timeout
        self._retries = retries
        self._client: Any = None
        self._dimension = 0

    @property
    def dimension(self) -> int:
        """Length of the vectors; asks the endpoint once where no text was embedded before."""
        if not self._dimension:
            self.embed([_PROBE])
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed`; raises `ModelTimeout` beyond the time limit."""
        import numpy as np

        parts: list[Vectors] = []
        for start in range(0, len(texts), _BATCH):
            # An empty string is refused by most endpoints; a blank stands in for it.
            batch = [whole_characters(text) or " " for text in texts[start : start + _BATCH]]
            parts.append(unit_rows(self._call(batch)))
        if not parts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        vectors: Vectors = np.concatenate(parts)
        self._dimension = int(vectors.shape[1])
        return vectors

    def _call(self, texts: list[str]) -> list[list[float]]:
        import openai

        where = without_password(self.base_url or "") or "https://api.openai.com/v1"
        try:
            if self._client is None:
                # Local servers need no key, but the client insists on one.
                key = self._key or ("none" if self.base_url else None)
                self._client = openai.OpenAI(
                    api_key=key, base_url=self.base_url, timeout=self._timeout, max_retries=self._retries
                )
            answer = self._client.embeddings.create(model=self.model, input=texts, encoding_format="float")
        except openai.APITimeoutError as error:
            raise ModelTimeout(
                f"no embeddings of {self.model} within {self._timeout:g} s", where=where
            ) from error
        except openai.OpenAIError as error:
            raise ModelUnavailable(
                f"no embeddings of {self.model}: {error}",
                where=where,
                hint="check the address, the model's name and the key, or use the embedded model: default",
            ) from error
        rows = sorted(answer.data, key=lambda row: int(row.index))
        if len(rows) != len(texts):
            raise ModelUnavailable(
                f"{self.model} gave {len(rows)} vectors for {len(texts)} texts", where=where
            )
        return [row.embedding for row in rows]


class SentenceTransformersEmbedder:
    """A sentence-transformers model by its name or folder, loaded on the first text."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.name = f"st:{model}"
        self._loaded: Any = None

    @property
    def dimension(self) -> int:
        """Length of the vectors; loads the model."""
        return int(self._load().get_sentence_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed`."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return unit_rows(
            self._load().encode([whole_characters(text) for text in texts], show_progress_bar=False)
        )

    def _load(self) -> Any:
        if self._loaded is None:
            try:
                from importlib import import_module

                library = import_module("sentence_transformers")
            except ImportError as error:
                raise ModelUnavailable(
                    "the package sentence-transformers is not installed",
                    hint="pip install sentence-transformers, or use the embedded model: default",
                ) from error
            try:
                self._loaded = library.SentenceTransformer(self.model)
            except (OSError, ValueError) as error:
                raise ModelUnavailable(
                    f"cannot load {self.model}: {error}", hint="check the model's name"
                ) from error
        return self._loaded
