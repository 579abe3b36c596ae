"""A store's knowledge as arrays: what every question is answered from.

Read once and kept until the store changes. A *text* is one stored SQL text with its question; an *item* is
a knowledge item that may be offered. Everything a ranker asks is a sum or a maximum over the *uses*, the
pairs (text, item): so withholding a text (leave-one-out) is one zero in `alive`, and takes with it its
support, its votes, its literals and its company.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sqlore.model import KnowledgeItem
from sqlore.retrieve.select import essence
from sqlore.retrieve.structure import TRAITS, traits
from sqlore.retrieve.words import stems, tokens

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]

#: Groups of items whose scores start from different levels.
GROUPS: Final = ("calculation", "condition", "relation", "dimension", "output")
_LONGEST_LITERAL: Final = 8
_NOTHING: Final = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True)
class Text:
    """One stored SQL text: `script` is the script it is kept under, `words` what it is found by.

    `said` is its question or comment where somebody wrote one; the words are the description otherwise.
    `names` is what its SQL calls its formulas.
    """

    id: int
    script: int
    key: str = ""
    words: str = ""
    sql: str = ""
    said: str = ""
    synthetic: bool = False
    verified: bool = False
    names: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """Text number `text` uses item number `item` with these literals."""

    text: int
    item: int
    literals: tuple[str, ...] = ()


class Postings:
    """For each word, the rows that hold it and how often.

    `alive` (rows) says in each method which rows count: what the others hold changes nothing then, not even
    how rare a word is.
    """

    def __init__(self, rows: Iterable[Sequence[str]]) -> None:
        found: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        lengths = []
        for row, words in enumerate(rows):
            lengths.append(len(words))
            for word in words:
                found[word][row] += 1
        self.lengths: Floats = np.asarray(lengths, dtype=np.float32)
        self._found: Mapping[str, tuple[Ints, Floats]] = {
            word: (
                np.fromiter(counts, np.int32, len(counts)),
                np.fromiter(counts.values(), np.float32, len(counts)),
            )
            for word, counts in found.items()
        }
        self._rows = np.concatenate([_NOTHING, *(rows for rows, _ in self._found.values())])
        self._words = np.repeat(np.arange(len(found)), [len(rows) for rows, _ in self._found.values()])

    def rows(self, word: str) -> Ints:
        """The rows that hold `word`."""
        entry = self._found.get(word)
        return entry[0] if entry else _NOTHING

    def rarity(self, word: str, alive: Bools | None = None) -> float:
        """Inverse document frequency: log(1 + (N - n + 0.5) / (n + 0.5))."""
        rows = self.rows(word)
        if alive is None:
            return float(_rarity(len(self.lengths), np.asarray(len(rows))))
        return float(_rarity(int(np.count_nonzero(alive)), np.asarray(np.count_nonzero(alive[rows]))))

    def bm25(
        self, words: Iterable[str], alive: Bools | None = None, k: float = 1.2, b: float = 0.75
    ) -> Floats:
        """BM25 of every row for the query `words`; shape (rows,)."""
        scores = np.zeros(len(self.lengths), dtype=np.float32)
        lengths = self.lengths if alive is None else self.lengths[alive]
        mean = max(1.0, float(lengths.mean())) if len(lengths) else 1.0
        for word in set(words):
            if word in self._found:
                rows, counts = self._found[word]
                length = 1 - b + b * self.lengths[rows] / mean
                scores[rows] += self.rarity(word, alive) * counts * (k + 1) / (counts + k * length)
        return scores

    def likeness(self, words: Collection[str], alive: Bools) -> Floats:
        """BM25 of every alive row as a share of what the query could score, 0..1."""
        possible = sum(self.rarity(word, alive) for word in set(words)) * 2.2
        share: Floats = np.clip(self.bm25(words, alive) / max(possible, 1e-6), 0, 1) * alive
        return share

    def overlap(self, words: Iterable[str], alive: Bools | None = None) -> tuple[Floats, Floats]:
        """By rarity, the share of each row's words that the query has, and of the query's that it has."""
        n = len(self.lengths)
        counted = np.ones(n, dtype=np.bool_) if alive is None else alive
        numbers = np.bincount(self._words, weights=counted[self._rows], minlength=len(self._found))
        rarity = _rarity(int(counted.sum()), numbers)
        mass = np.bincount(self._rows, weights=rarity[self._words], minlength=n)
        both = np.zeros(n, dtype=np.float32)
        wanted = 0.0
        for word in set(words):
            weight = self.rarity(word, counted)
            wanted += weight
            both[self.rows(word)] += weight
        of_row: Floats = (both / np.maximum(mass, 1e-6)).astype(np.float32)
        return of_row, both / max(wanted, 1e-6)


def _rarity(rows: int, holding: NDArray[Any]) -> NDArray[np.float64]:
    """Inverse document frequency of words that so many of the rows hold."""
    out: NDArray[np.float64] = np.log1p((rows - holding + 0.5) / (holding + 0.5))
    return out


@dataclass
class Snapshot:
    """The arrays. `item_vectors` (items x d) and `text_vectors` (texts x d) hold unit rows, or d = 0.

    `undeliverable` are texts that may speak for their items but not be shown: something in them is stale,
    they have placeholders where another text of their script has values, or they are several queries.
    `notes` are words that people or models wrote about an item, by its row.
    """

    items: Sequence[KnowledgeItem]
    texts: Sequence[Text]
    uses: Sequence[Use]
    item_vectors: Floats
    text_vectors: Floats
    undeliverable: frozenset[int] = frozenset()
    notes: Mapping[int, str] = field(default_factory=dict)
    item_of: Ints = field(init=False)
    text_of: Ints = field(init=False)

    def __post_init__(self) -> None:
        pairs = sorted({(use.item, use.text) for use in self.uses})
        self.item_of = np.asarray([item for item, _ in pairs], dtype=np.int32)
        self.text_of = np.asarray([text for _, text in pairs], dtype=np.int32)
        numbers = np.arange(len(self.items) + 1)
        self._first = np.searchsorted(self.item_of, numbers).astype(np.int64)
        self.items_of_text: list[list[int]] = [[] for _ in self.texts]
        for item, text in pairs:
            self.items_of_text[text].append(item)
        self.text_words = Postings(stems(f"{text.words} {text.names}") for text in self.texts)
        self.characters = np.asarray([len(text.sql) + len(text.words) for text in self.texts], dtype=np.int64)
        self.texts_by_words: dict[frozenset[str], list[int]] = defaultdict(list)
        for row, asked in enumerate(self.texts):
            self.texts_by_words[frozenset(stems(asked.words))].append(row)
        self.item_words = Postings(
            words_of(item, self.notes.get(row, "")) for row, item in enumerate(self.items)
        )
        self._literals = _literal_index(self.uses)
        self.literals_of: dict[tuple[int, int], list[tuple[str, ...]]] = defaultdict(list)
        for use in self.uses:
            if use.literals:
                self.literals_of[use.item, use.text].append(use.literals)
        self.synthetic: Bools = np.asarray([text.synthetic for text in self.texts], dtype=np.bool_)
        self.verified: Bools = np.asarray([item.trust == "verified" for item in self.items], dtype=np.bool_)
        self.items_of_column = _by_name(item.columns for item in self.items)
        self.essences = [essence(item.kind, item.skeleton) for item in self.items]
        self.item_traits = _marks([traits(item.skeleton) for item in self.items], TRAITS)
        self.item_groups = _marks([(item.kind,) for item in self.items], GROUPS)
        self.items_of_table = _by_name(item.tables for item in self.items)

    # -------------------------------------------------- over the uses

    def total(self, weights: Floats) -> Floats:
        """For each item the sum of `weights` (one a text) over the texts that use it."""
        values = weights[self.text_of]
        return np.bincount(self.item_of, weights=values, minlength=len(self.items)).astype(np.float32)

    def best(self, values: Floats) -> Floats:
        """For each item the largest of `values` (one a text, none negative) among the texts that use it."""
        out: Floats = np.zeros(len(self.items), dtype=np.float32)
        used = self._first[:-1] < self._first[1:]
        if used.any():
            out[used] = np.maximum.reduceat(values[self.text_of], self._first[:-1][used])
        return out

    def texts_of(self, item: int) -> Ints:
        """Numbers of the texts that use item number `item`."""
        return self.text_of[self._first[item] : self._first[item + 1]]

    def over_texts(self, values: Floats) -> Floats:
        """For each text the sum of `values` (one an item) over the items it uses."""
        weights = values[self.item_of]
        return np.bincount(self.text_of, weights=weights, minlength=len(self.texts)).astype(np.float32)

    # -------------------------------------------------- withholding

    def alive(self, exclude: Collection[int | str]) -> Bools:
        """Which texts may be used: `exclude` names scripts by their id, or texts by their source's key."""
        if not exclude:
            return np.ones(len(self.texts), dtype=np.bool_)
        held = (text.script in exclude or (bool(text.key) and text.key in exclude) for text in self.texts)
        return ~np.fromiter(held, np.bool_, len(self.texts))

    def literal_uses(self, question: str) -> list[tuple[str, int, int]]:
        """(literal, item, text) of every use whose literal stands in `question`."""
        words = tokens(question)
        found = []
        for start in range(len(words)):
            for length in range(1, min(_LONGEST_LITERAL, len(words) - start) + 1):
                literal = " ".join(words[start : start + length])
                found += [(literal, item, text) for item, text in self._literals.get(literal, ())]
        return found


def words_of(item: KnowledgeItem, note: str = "") -> list[str]:
    """What an item can be found by whoever uses it: the names in its skeleton, and what was noted about it.

    Its description by rule quotes literals, and its aliases are those of single scripts: both would tell of a
    script that is withheld.
    """
    names = " ".join((*item.columns, *item.tables)).replace(".", " ").replace("_", " ")
    return stems(f"{names} {note}")


def _literal_index(uses: Iterable[Use]) -> dict[str, list[tuple[int, int]]]:
    index: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for use in uses:
        for literal in use.literals:
            words = tokens(literal)
            # A single digit or letter stands in too many questions to mean anything.
            if 0 < len(words) <= _LONGEST_LITERAL and len(literal) > 1:
                index[" ".join(words)].add((use.item, use.text))
    return {literal: sorted(pairs) for literal, pairs in index.items()}


def _marks(rows: Sequence[Collection[str]], names: Sequence[str]) -> Floats:
    """One row a group of names, one column a name: 1 where the row has it."""
    marks = [[name in row for name in names] for row in rows]
    return np.asarray(marks, dtype=np.float32).reshape(len(rows), len(names))


def _by_name(names: Iterable[Iterable[str]]) -> dict[str, Ints]:
    index: dict[str, list[int]] = defaultdict(list)
    for number, group in enumerate(names):
        for name in group:
            index[name.lower()].append(number)
    return {name: np.asarray(numbers, dtype=np.int32) for name, numbers in index.items()}


def no_vectors(rows: int) -> Floats:
    """Stands in for the vectors of a store that has none."""
    return np.zeros((rows, 0), dtype=np.float32)
