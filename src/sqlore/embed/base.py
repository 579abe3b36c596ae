"""What an embedding model is to sqlore, and two small things every model shares."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
else:
    Vectors = Any


class Embedder(Protocol):
    """Turns texts into unit vectors, so that a dot product is the cosine.

    `name` identifies the vectors: a store made under one name cannot be searched under another.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of `texts` in their order: float32, shape (len(texts), dimension), rows of length 1.

        Raises `ModelUnavailable` where the model cannot be loaded or reached.
        """
        ...


def unit_rows(vectors: Any) -> Vectors:
    """`vectors` (n x d) as float32 with every row scaled to length 1; a zero row stays zero."""
    import numpy as np

    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = rows / np.maximum(lengths, 1e-12)
    return unit


def whole_characters(text: str) -> str:
    """The text as a model can be given it: half surrogates, which no encoding has, replaced.

    >>> whole_characters("caf\\ud800 é")
    'caf? é'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


class Remembering:
    """An embedder that keeps the vectors of the last `size` texts.

    For questions: people ask one again, rephrase a part of it, or refine the answer. Not for learning a
    history, where every text is new.
    """

    def __init__(self, inner: Embedder, size: int = 512) -> None:
        self.inner = inner
        self.size = size
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embedder.embed`; only texts not seen lately reach the model, each once."""
        import numpy as np

        found: dict[str, Vectors] = {}
        with self._lock:
            for text in texts:
                if text in self._kept:
                    self._kept.move_to_end(text)
                    found[text] = self._kept[text]
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            found.update(zip(missing, self.inner.embed(missing), strict=True))
            with self._lock:
                for text in missing:
                    self._kept[text] = found[text]
                while len(self._kept) > self.size:
                    self._kept.popitem(last=False)
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([found[text] for text in texts])
