"""`dail`: first a preliminary SQL, then the scripts whose SQL has its shape (DAIL-SQL).

The scripts are ranked by masked question similarity; those whose skeleton, with the names masked too, is like
the preliminary SQL's come first. The preliminary SQL is a language model's; without one it is the SQL of the
nearest script, which is what a model without other knowledge would copy.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlore.errors import ModelError, SqlError
from sqlore.model import Message
from sqlore.retrieve.baselines.base import SHOTS, Order, ranked
from sqlore.retrieve.baselines.similar import Masked
from sqlore.retrieve.signals import Asked
from sqlore.sql import extract_sql, parse_script

if TYPE_CHECKING:
    from sqlore.llm import ChatModel
    from sqlore.retrieve.baselines.base import Pool

__all__ = ["Dail", "shape", "shape_likeness"]

#: Skeletons that share this much of their words have one shape.
SHAPE_THRESHOLD: Final = 0.85
_EXAMPLES: Final = 3
_ANSWER_TOKENS: Final = 400

_NAME: Final = r"(?:\"[^\"]+\"|[a-z_][\w$]*(?:#\d+)?)"
_COLUMN: Final = re.compile(rf"(?:{_NAME}\.)+{_NAME}")
_SOURCE: Final = re.compile(rf"\b(from|join)\s+{_NAME}")
_WORD: Final = re.compile(r"<val>|[\w]+|[^\w\s]+")

_TASK: Final = """\
Write one {language} query that answers the last question. Past questions on the same database are given with
their queries. Reply with the query alone."""


def shape(skeleton: str) -> frozenset[str]:
    """The words of a query's skeleton with tables and columns masked.

    >>> sorted(shape("select count(*) from superhero where superhero.id = <val>"))
    ['(*)', '<val>', '=', '_', 'count', 'from', 'select', 'where']
    """
    masked = _SOURCE.sub(r"\1 _", _COLUMN.sub("_", skeleton.lower()))
    return frozenset(_WORD.findall(masked))


def shape_likeness(left: frozenset[str], right: frozenset[str]) -> float:
    """Jaccard similarity of two shapes.

    >>> shape_likeness(frozenset("ab"), frozenset("abcd"))
    0.5
    """
    return len(left & right) / max(1, len(left | right))


class Dail(Masked):
    """As the module says. Where the number is open: up to five of the same shape, else the nearest.

    `threshold` is the likeness of skeletons from which two have one shape (`SHAPE_THRESHOLD`).
    """

    def __init__(
        self, pool: Pool, name: str, threshold: float | None = None, *, model: ChatModel | None = None
    ) -> None:
        super().__init__(pool, name, threshold)
        self.model = model
        self._shapes = {script: shape(skeleton) for script, skeleton in pool.skeletons.items()}

    def order(self, asked: Asked) -> Order:
        rows = ranked(self.likeness(asked), asked.alive)
        if not rows:
            return Order([], 0)
        wanted = self._preliminary(asked, rows)
        texts = asked.snapshot.texts
        least = SHAPE_THRESHOLD if self.threshold is None else self.threshold
        like = [shape_likeness(wanted, self._shapes[texts[row].script]) >= least for row in rows]
        passed = [row for row, good in zip(rows, like, strict=True) if good]
        others = [row for row, good in zip(rows, like, strict=True) if not good]
        return Order(passed + others, min(max(1, len(passed)), SHOTS))

    def _preliminary(self, asked: Asked, rows: list[int]) -> frozenset[str]:
        """The shape of the model's SQL; of the nearest script's where there is no model or no SQL."""
        nearest = self._shapes[asked.snapshot.texts[rows[0]].script]
        if self.model is None:
            return nearest
        try:
            answer = self.model.chat(self._messages(asked, rows), max_tokens=_ANSWER_TOKENS)
            parsed = parse_script(extract_sql(answer.text), self.pool.store.meta("dialect"))
        except (ModelError, SqlError):
            return nearest
        return shape(parsed.skeleton)

    def _messages(self, asked: Asked, rows: list[int]) -> list[Message]:
        parts = []
        for row in rows[:_EXAMPLES]:
            text = asked.snapshot.texts[row]
            parts.append(f"Question: {text.words}\nQuery: {text.sql}")
        parts.append(f"Question: {asked.question}\nQuery:")
        dialect = self.pool.store.meta("dialect")
        task = _TASK.format(language=f"SQL ({dialect})" if dialect else "SQL")
        return [Message("system", task), Message("user", "\n\n".join(parts))]
