"""Which rows hold which words: rarity, BM25 and overlap, over all rows or over a part of them."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Postings", "Rarity", "places_of", "spans"]

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.int32]
Bools = NDArray[np.bool_]


class Postings:
    """For each word, the rows that hold it and how often.

    `alive` (rows) says in each method which rows count: what the others hold changes nothing then, not even
    how rare a word is.
    """

    lengths: Floats
    _numbers: Mapping[str, int]
    #: The postings, sorted by word and then by row: number of the word, row, how often.
    _words: Ints
    _rows: Ints
    _counts: Floats
    #: The same sorted by row: `_order[_starts[row] : _starts[row + 1]]` are the postings of a row.
    _order: Ints
    _starts: NDArray[np.int64]

    def __init__(self, rows: Iterable[Sequence[str]]) -> None:
        numbers: dict[str, int] = {}
        words, counts, sizes, lengths = array("i"), array("i"), array("i"), array("i")
        for row in rows:
            held = Counter(row)
            words.extend([numbers.setdefault(word, len(numbers)) for word in held])
            counts.extend(held.values())
            sizes.append(len(held))
            lengths.append(len(row))
        self.lengths = np.asarray(lengths, dtype=np.float32)
        self._numbers = numbers
        of_row = np.asarray(words, dtype=np.int32)
        places = np.argsort(of_row, kind="stable")
        self._words = of_row[places]
        self._rows = np.repeat(np.arange(len(sizes), dtype=np.int32), np.asarray(sizes, dtype=np.int64))[
            places
        ]
        self._counts = np.asarray(counts, dtype=np.float32)[places]
        self._order = np.argsort(self._rows, kind="stable").astype(np.int32)
        self._starts = np.concatenate([[0], np.cumsum(np.asarray(sizes, dtype=np.int64))]).astype(np.int64)

    def part(self, rows: Ints, places: Ints) -> Self:
        """The postings of `rows` (ascending) alone, as if there were no others.

        `places` (all rows) is the number of each of them in the part (`places_of`).
        """
        entries = np.sort(self._order[spans(self._starts, rows)])
        out = object.__new__(type(self))
        out.lengths = self.lengths[rows]
        out._numbers = self._numbers
        out._words, out._counts = self._words[entries], self._counts[entries]
        out._rows = places[self._rows[entries]]
        return out

    def _held(self, word: str) -> slice:
        number = self._numbers.get(word)
        if number is None:
            return slice(0, 0)
        return slice(int(self._offsets[number]), int(self._offsets[number + 1]))

    @cached_property
    def _offsets(self) -> NDArray[np.int64]:
        """The postings of word number `n` are ``_offsets[n]`` to ``_offsets[n + 1]``."""
        holding = np.bincount(self._words, minlength=len(self._numbers))
        return np.concatenate([[0], np.cumsum(holding)]).astype(np.int64)

    def rows(self, word: str) -> Ints:
        """The rows that hold `word`."""
        return self._rows[self._held(word)]

    def grouped(self) -> tuple[Ints, NDArray[np.int64]]:
        """The rows of each word that any row holds, one word after the other, and where each begins."""
        return self._rows, np.flatnonzero(np.diff(self._words, prepend=-1))

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
            held = self._held(word)
            rows, counts = self._rows[held], self._counts[held]
            if len(rows):
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
        numbers = np.bincount(self._words, weights=counted[self._rows], minlength=len(self._numbers))
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


class Rarity:
    """Cosine of rows as bags of words, each word weighed by its inverse document frequency log(1 + N / n).

    N and n are counted over the rows that are `alive`; a row holds a word or does not, however often.
    """

    def __init__(self, postings: Postings, alive: Bools) -> None:
        self._postings = postings
        words, rows = postings._words, postings._rows
        self._n = int(np.count_nonzero(alive))
        holding = np.bincount(words, weights=alive[rows], minlength=len(postings._numbers))
        self._weights: Floats = np.where(holding > 0, np.log1p(self._n / np.maximum(holding, 1)), 0).astype(
            np.float32
        )
        squares = np.bincount(rows, weights=self._weights[words] ** 2, minlength=len(postings.lengths))
        self._norms: Floats = np.sqrt(squares).astype(np.float32)

    def cosines(self, words: Iterable[str]) -> Floats:
        """Of the bag `words` with every row; a word that no row holds counts as the rarest."""
        postings = self._postings
        products = np.zeros(len(self._norms), dtype=np.float32)
        square = 0.0
        for word in set(words):
            number = postings._numbers.get(word)
            weight = float(self._weights[number]) if number is not None else 0.0
            square += weight**2 or float(np.log1p(self._n)) ** 2
            if weight:
                products[postings.rows(word)] += weight**2
        out: Floats = products / np.maximum(self._norms * np.sqrt(max(square, 1e-9)), 1e-6)
        return out

    def gram(self, rows: Ints) -> Floats:
        """Of `rows` (ascending) with each other, shape (rows, rows).

        Words of many rows are multiplied as a matrix, words of few as pairs of rows.
        """
        postings, n = self._postings, len(rows)
        places = places_of(rows, len(self._norms))[postings._rows]
        entries = np.flatnonzero(places >= 0)
        words, places = postings._words[entries], places[entries]
        values = self._weights[words] / np.maximum(self._norms[postings._rows[entries]], 1e-6)
        _, first, holding = np.unique(words, return_index=True, return_counts=True)
        common = holding > max(2, n // 16)
        dense = np.zeros((n, int(common.sum())), dtype=np.float32)
        held = np.repeat(np.where(common, np.cumsum(common) - 1, -1), holding)
        dense[places[held >= 0], held[held >= 0]] = values[held >= 0]
        gram: Floats = dense @ dense.T
        gram += _pairs(n, places, values, first[~common], holding[~common])
        np.fill_diagonal(gram, self._norms[rows] > 0)
        return gram


def _pairs(
    n: int, places: Ints, values: Floats, first: NDArray[np.int64], holding: NDArray[np.int64]
) -> Floats:
    """Sum over words of the products of all pairs of rows that hold one.

    The entries of a word are ``first`` to ``first + holding``.
    """
    cells, products = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.float32)]
    for size in np.unique(holding[holding > 1]).tolist():
        entries = first[holding == size][:, None] + np.arange(size)
        where, what = places[entries].astype(np.int64), values[entries]
        cells.append((where[:, :, None] * n + where[:, None, :]).ravel())
        products.append((what[:, :, None] * what[:, None, :]).ravel())
    total = np.bincount(np.concatenate(cells), weights=np.concatenate(products), minlength=n * n)
    return total.reshape(n, n).astype(np.float32)


def spans(starts: NDArray[np.int64], rows: Ints) -> NDArray[np.int64]:
    """The numbers in ``starts[row]`` to ``starts[row + 1]`` of each row, one after the other.

    >>> spans(np.array([0, 2, 2, 5]), np.array([0, 2])).tolist()
    [0, 1, 2, 3, 4]
    """
    sizes = starts[rows + 1] - starts[rows]
    before = np.cumsum(sizes) - sizes
    out: NDArray[np.int64] = np.arange(int(sizes.sum())) + np.repeat(starts[rows] - before, sizes)
    return out


def places_of(rows: Ints, size: int) -> Ints:
    """Where each of 0..size-1 stands in `rows`; -1 for those that are not in it.

    >>> places_of(np.array([1, 3]), 5).tolist()
    [-1, 0, -1, 1, -1]
    """
    places = np.full(size, -1, dtype=np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    return places
