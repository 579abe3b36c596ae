"""Text to vectors behind one interface: the embedded ONNX model, an endpoint, sentence-transformers."""

from __future__ import annotations

from sqlore.embed.base import Embedder, Remembering
from sqlore.embed.load import DEFAULT, load_embedder

__all__ = ["DEFAULT", "Embedder", "Remembering", "load_embedder"]
