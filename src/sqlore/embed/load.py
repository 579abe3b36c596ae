"""From the name of an embedding model to the model."""

from __future__ import annotations

from typing import Final

from sqlore.embed.base import Embedder
from sqlore.errors import ConfigError
from sqlore.passwords import keep_password, with_password

DEFAULT: Final = "default"


def load_embedder(name: str = DEFAULT) -> Embedder:
    """The embedding model of that name; nothing is loaded or reached before its first text.

    ``default`` (the embedded ONNX model), ``openai:MODEL`` or ``openai:MODEL@BASE_URL`` (any endpoint with
    OpenAI's interface), ``st:MODEL`` (sentence-transformers). The models' own names are taken too, so that
    the name kept in a store loads the model that made it.

    Raises `ConfigError` for a name of another form, `ModelUnavailable` where the embedded model's files are
    not installed.

    >>> load_embedder("openai:nomic-embed-text@http://localhost:11434/v1").name
    'openai:nomic-embed-text'
    """
    from sqlore.embed import onnx

    if name in (DEFAULT, onnx.NAME):
        return onnx.embedded()
    name = keep_password(name)
    scheme, _, rest = with_password(name).partition(":")
    if scheme in ("openai", "st") and rest:
        from sqlore.embed.remote import EndpointEmbedder, SentenceTransformersEmbedder

        if scheme == "st":
            return SentenceTransformersEmbedder(rest)
        model, _, base_url = rest.partition("@")
        if model:
            return EndpointEmbedder(model, base_url or None)
    raise ConfigError(
        f"unknown embedding model: {name!r}",
        hint="one of: default, openai:MODEL@BASE_URL, st:MODEL",
    )
