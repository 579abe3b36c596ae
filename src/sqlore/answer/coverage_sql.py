"""What a query tells of a question by what its items are used for in the history."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from sqlore.answer.coverage_words import are_figures, stems_in
from sqlore.errors import SqlError
from sqlore.model import VAL, GoesWith, ParsedScript, Schema
from sqlore.retrieve.association import USES, Going, conditions, holding, lifts, settled
from sqlore.sql import parse_script

if TYPE_CHECKING:
    from sqlore.retrieve.snapshot import Bools, Floats, Ints, Snapshot

__all__ = ["Uses"]

#: Texts from which on nearly all of them using a column are enough; of fewer all have to.
_MANY: Final = 4
_NEARLY: Final = 0.8
_COLUMN_LIFT: Final = 2.0
#: A calculation is called by a word that this share of its texts say.
_CALLED: Final = 0.5


class Uses:
    """Which items of the history a query uses, and how much more often texts that say a word use them."""

    def __init__(self, parsed: ParsedScript, snapshot: Snapshot, alive: Bools) -> None:
        self.snapshot, self.alive = snapshot, alive
        self.said = alive & snapshot.said
        self.common: Floats = snapshot.total(alive.astype(np.float32)) / max(1, int(alive.sum()))
        held: dict[tuple[str, str], set[tuple[str, ...]]] = {}
        for fragment in parsed.fragments:
            held.setdefault((fragment.kind, fragment.skeleton), set()).add(fragment.literals)
        found = ((row, held.get((item.kind, item.skeleton))) for row, item in enumerate(snapshot.items))
        self.held = {row: values for row, values in found if values is not None and self.common[row]}

    def saying(self, words: Iterable[str]) -> Ints:
        """The texts whose own words hold all of the stems `words`."""
        return holding(self.snapshot, words, self.said)

    def going(self, rows: Ints, least: float = 0.0, *, fixed: bool = True) -> tuple[Going, ...]:
        """Conditions that the texts `rows` stand for and the query has not; one has this lift at least.

        Those that stand beside it in nearly all of the texts belong to it, however common they are elsewhere.
        """
        known = conditions(self.snapshot, rows, self.common, fixed=fixed)
        found = [one for one in known if one.item not in self.held]
        if not any(one.lift >= least for one in found):
            return ()
        return tuple(one for one in found if one.lift >= least or one.share >= _NEARLY)

    def values_of(self, item: int) -> dict[int, frozenset[tuple[str, ...]]]:
        """The texts with words that use an item, each with the values that it has there."""
        texts = (row for row in self.snapshot.texts_of(item).tolist() if self.said[row])
        return {row: frozenset(self.snapshot.literals_of.get((item, row), ())) for row in texts}

    def of_figures(self, one: Going) -> bool:
        """Whether all values that an item has in these texts are numbers, dates or formats of dates."""
        found = [self.snapshot.literals_of.get((one.item, row), ()) for row in one.texts]
        return are_figures(value for seen in found for literals in seen for value in literals)

    def explains(self, rows: Collection[int], item: int, most: int) -> bool:
        """Whether the words of the texts `rows` may be about something else in the query than `item`.

        That is a condition or a formula that all of them use, and no more than `most` texts.
        """
        for other in self.held:
            telling = self.snapshot.items[other].kind == "condition" or other in self._calculations
            texts = {row for row in self.snapshot.texts_of(other).tolist() if self.alive[row]}
            if other != item and telling and len(texts) <= most and texts.issuperset(rows):
                return True
        return False

    def settled(self, word: str, one: Going, near: Iterable[str]) -> Going:
        """The same with the value that a question means by `word`, with the words `near` it."""
        return settled(self.snapshot, word, one, near, self.said).going

    def calls(self, word: str, rows: Ints) -> bool:
        """Whether the history calls a calculation of the query by a word: in a name, or where `rows` say it.

        A word may stand for several ("revenue" of orders, of subscriptions): half of one's texts are enough.
        """
        for item in self._calculations:
            known = self.snapshot.items[item]
            if word in set(stems_in(*known.aliases)):
                return True
            texts = {t for t in self.snapshot.texts_of(item).tolist() if self.said[t]}
            both = len(texts.intersection(rows.tolist()))
            if both >= USES and both >= _CALLED * len(texts):
                return True
        return False

    @cached_property
    def short_names(self) -> frozenset[str]:
        """The names of the query's calculations in the history that may be initials."""
        names = (alias.lower() for item in self._calculations for alias in self.snapshot.items[item].aliases)
        return frozenset(names)

    @cached_property
    def _calculations(self) -> list[int]:
        """Those of the query's items that calculate something of their own: any question counts rows."""
        items = self.snapshot.items
        held = (row for row in self.held if items[row].kind == "calculation")
        return [row for row in held if not items[row].skeleton.startswith("count(")]

    def on_other_columns(self, rows: Ints, columns: Collection[str], least: float) -> tuple[Going, ...]:
        """Items on a column that nearly all texts `rows` use, and the query nowhere (`columns`)."""
        snapshot, using = self.snapshot, dict[str, set[int]]()
        for row in rows.tolist():
            for item in snapshot.items_of_text[row]:
                for column in snapshot.items[item].columns:
                    using.setdefault(column, set()).add(row)
        found: list[Going] = []
        for column, texts in using.items():
            share = len(texts) / len(rows)
            few = len(rows) < _MANY
            if column in columns or len(texts) < USES or share < (1 if few else _NEARLY):
                continue
            lift = share / self._general(column)
            if lift >= max(least, _COLUMN_LIFT):
                found += self._on(column, texts, share, lift)
        return tuple(found)

    def _general(self, column: str) -> float:
        """The share of all texts that use a column."""
        rows = self.snapshot.items_of_column.get(column)
        items = rows.tolist() if rows is not None else []
        texts = {t for item in items for t in self.snapshot.texts_of(item).tolist() if self.alive[t]}
        return max(1, len(texts)) / max(1, int(self.alive.sum()))

    def _on(self, column: str, texts: set[int], share: float, lift: float) -> Iterator[Going]:
        """The item on a column that most of the texts use."""
        rows = self.snapshot.items_of_column.get(column)
        best = [
            (len(texts & set(self.snapshot.texts_of(i).tolist())), -i)
            for i in (rows.tolist() if rows is not None else ())
            if self.snapshot.items[i].kind != "relation"
        ]
        if best:
            item = -max(best)[1]
            used = texts & set(self.snapshot.texts_of(item).tolist())
            yield Going(item, tuple(sorted(used)), (), share, lift)

    def item(self, one: Going, dialect: str, schema: Schema) -> GoesWith:
        """The item as people are told of it, with the values that its texts have."""
        known, texts = self.snapshot.items[one.item], [self.snapshot.texts[row] for row in one.texts]
        written = known.skeleton.replace(VAL, "…")
        literals = one.literals or self._always(one.item)
        if literals and texts:
            try:
                parsed = parse_script(texts[0].sql, dialect=dialect, schema=schema)
            except SqlError:
                parsed = None
            for fragment in parsed.fragments if parsed else ():
                if (fragment.skeleton, fragment.literals) == (known.skeleton, literals):
                    written = fragment.canonical
        return GoesWith(known.id, known.kind, written, tuple(dict.fromkeys(text.script for text in texts)))

    def _always(self, item: int) -> tuple[str, ...]:
        """The values that an item has in every script; none where they differ."""
        texts = self.snapshot.texts_of(item).tolist()
        found = {one for row in texts for one in self.snapshot.literals_of.get((item, row), ())}
        return found.pop() if len(found) == 1 else ()

    def lift(self, rows: Ints) -> float:
        """How many times more often the texts `rows` use the most telling of the query's items than others.

        An item with the query's own values tells more than the item with any.
        """
        every = lifts(self.snapshot, rows, self.common)
        best = max((float(every[row]) for row in self.held), default=0.0)
        for row, values in self.held.items():
            for literals in filter(None, values):
                best = max(best, self._with_values(rows, row, literals))
        return best

    def _with_values(self, rows: Ints, item: int, literals: tuple[str, ...]) -> float:
        texts = [t for t in self.snapshot.texts_of(item).tolist() if self.alive[t]]
        using = {t for t in texts if literals in self.snapshot.literals_of.get((item, t), ())}
        both = len(using.intersection(rows.tolist()))
        general = len(using) / max(1, int(self.alive.sum()))
        return both / max(1, len(rows)) / general if using else 0.0
