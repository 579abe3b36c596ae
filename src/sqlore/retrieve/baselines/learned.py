"""sqlore's own retriever in the form that the comparison asks for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sqlore.retrieve.baselines.base import Handed, Piece, Pool, Shown, key_of, skeleton_of_key
from sqlore.retrieve.learned import default_ranker
from sqlore.retrieve.retriever import BUDGET, Retriever

if TYPE_CHECKING:
    from sqlore.model import RankedScript, Retrieval
    from sqlore.retrieve.fuse import Ranker
    from sqlore.retrieve.rerank import Judge
    from sqlore.retrieve.signals import Asked
    from sqlore.retrieve.snapshot import Floats

__all__ = ["Learned"]

_ITEMS: Final = 20
_SCRIPTS: Final = 6
_RANKED: Final = 40


class _Once:
    """A ranker that hands the scores of the last question out a second time, and then no more.

    The comparison wants what is chosen, and the whole ranking beside it; the second is not to cost a second
    scoring, nor to make the next way to ask the same question look faster than it is.
    """

    def __init__(self, inner: Ranker) -> None:
        self._inner = inner
        self._last: tuple[tuple[str, bytes], tuple[Floats, Floats]] | None = None

    @property
    def names(self) -> Sequence[str]:
        return self._inner.names

    def rank(self, asked: Asked) -> tuple[Floats, Floats]:
        what, last = (asked.question, asked.alive.tobytes()), self._last
        if last is not None and last[0] == what:
            self._last = None
            return last[1]
        found = self._inner.rank(asked)
        self._last = (what, found)
        return found


class Learned:
    """`learned`: the fragments that the retriever chooses; `learned_scripts`: all fragments of the scripts it
    delivers, exactly as many where a number of shots is asked for, as a few-shot pipeline gets them. With a
    number of shots or a budget, `learned` are the chosen fragments that at most so many covering scripts
    hold. With a `judge` it has a say in both, and is asked once a question.
    """

    def __init__(
        self,
        pool: Pool,
        name: str = "learned",
        *,
        whole: bool = False,
        ranker: Ranker | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.pool = pool
        self.name = name
        self.whole = whole
        once = _Once(ranker or default_ranker())
        self.retriever = Retriever(
            pool.store, pool.embedder, pool.catalog, ranker=once, judge=judge, strict=False
        )

    def retrieve(
        self,
        question: str,
        exclude: Collection[str] = frozenset(),
        *,
        shots: int | None = None,
        budget: int | None = None,
    ) -> Handed:
        """As `TaskRetriever.retrieve`."""
        withheld = frozenset(exclude)
        found = self.retriever.retrieve(
            question,
            items=_ITEMS,
            shots=shots if self.whole else None,
            scripts=_SCRIPTS if shots is None else shots,
            budget=BUDGET if budget is None and not (self.whole and shots) else budget,
            exclude=withheld,
        )
        scripts = tuple(self._shown(ranked) for ranked in found.scripts)
        open_number = shots is None and budget is None
        pieces = self._pieces(found, scripts, withheld, open_number=open_number)
        ranking = self._ranking(question, withheld)
        return Handed(
            pieces,
            scripts,
            tuple(ranking),
            # of whole scripts there are no chances: what is handed over does not follow them
            () if self.whole else tuple(ranking.values()),
            probabilities=not self.whole,
            tokens=sum(script.tokens for script in scripts),
            milliseconds=found.milliseconds,
        )

    def _pieces(
        self, found: Retrieval, scripts: tuple[Shown, ...], exclude: frozenset[str], *, open_number: bool
    ) -> tuple[Piece, ...]:
        held = {key: script.key for script in reversed(scripts) for key in script.fragments}
        if self.whole:
            return tuple(Piece(key, skeleton_of_key(key), script) for key, script in held.items())
        pieces = []
        for ranked in found.items:
            key = key_of(ranked.item)
            if open_number or key in held:
                source = held.get(key) or self._source(key, exclude)
                pieces.append(Piece(key, ranked.item.skeleton, source))
        return tuple(pieces)

    def _source(self, key: str, exclude: frozenset[str]) -> str:
        """The history's key of the first text that has this fragment and may be used.

        Not of its script: the first text of that may be the one withheld.
        """
        snapshot = self.pool.snapshot
        rows = (int(row) for row in snapshot.texts_of(self._numbers[key]))
        texts = [snapshot.texts[row] for row in rows if snapshot.texts[row].key not in exclude]
        return (texts[0].key or str(texts[0].id)) if texts else ""

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {key: number for number, key in enumerate(self.pool.keys)}

    def _shown(self, ranked: RankedScript) -> Shown:
        script = ranked.script.script
        return self.pool.shown(self._rows[ranked.script.id, script.key, script.sql])

    @cached_property
    def _rows(self) -> dict[tuple[int, str, str], int]:
        texts = self.pool.snapshot.texts
        return {(text.script, text.key, text.sql): row for row, text in enumerate(texts)}

    def _ranking(self, question: str, exclude: frozenset[str]) -> dict[str, float]:
        """The best fragments before any is chosen, with their chances."""
        found = self.retriever.rank(question, limit=_RANKED, exclude=exclude)
        return {key_of(ranked.item): ranked.score for ranked in found}
