"""The value index: which column holds the words of a question.

It keeps the distinct values of columns, and the meanings of coded values, under folded keys. Storage is flat
(one dictionary of keys, arrays for the rest), about 350 bytes a value; matching is in `matching.py`.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from sqlore.catalog.matching import match
from sqlore.catalog.names import humanize, looks_secret
from sqlore.catalog.text import STOP_WORDS, fold, fold_word
from sqlore.model import ValueMatch

LONGEST_KEY: Final = 16
_LONGEST_MEANING: Final = 8
_LONGEST_PARTIAL: Final = 8
_MIDNIGHT: Final = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00(?::00(?:\.0+)?)?\Z")


@dataclass(frozen=True, slots=True)
class ColumnValues:
    """What is indexed of one column: its values, and (meaning, value) pairs of the coded ones."""

    table: str
    column: str
    values: tuple[str, ...] = ()
    meanings: tuple[tuple[str, str], ...] = ()


class ValueIndex:
    """Finds values in questions; built once, then read-only.

    Columns whose name looks secret are left out, whoever offers them.

    >>> index = ValueIndex([ColumnValues("publisher", "publisher_name", ("Marvel Comics", "DC Comics")),
    ...                     ColumnValues("molecule", "label", ("+", "-"), (("carcinogenic", "+"),))])
    >>> [(m.column, m.value) for m in index.match("Is the Marvel Comics hero carcinogenic?")]
    [('publisher_name', 'Marvel Comics'), ('label', '+')]
    """

    def __init__(self, columns: Iterable[ColumnValues] = ()) -> None:
        self.columns: tuple[ColumnValues, ...] = tuple(c for c in columns if not looks_secret(c.column))
        self.phrases: list[str] = []  # what a question may say: a value, or the meaning of one
        self.values: list[str] = []  # what to write in SQL for it
        self.owners = array("I")  # which of `columns` it is in
        self.bounds = array("I")  # first entry of each column, and the end of the last
        self.longest = 1
        self.keys: dict[str, int] = {}  # folded phrase -> first entry of that key
        self.following = array("i")  # entry -> next entry of the same key, or -1
        self.name_words: list[frozenset[str]] = []
        self.schema_words: set[str] = set()
        keys = self._fill()
        self.tokens: dict[str, int] = {}
        self.starts = array("I")
        self.postings = array("I")
        self._fill_postings(keys)
        self._by_length: dict[int, tuple[list[str], list[str]]] | None = None

    def __len__(self) -> int:
        return len(self.phrases)

    def of(self, table: str, column: str) -> tuple[str, ...]:
        """The values that are held of a column, by its names in any case; none of one that is not indexed."""
        return self._of.get((table.lower(), column.lower()), ())

    @cached_property
    def _of(self) -> dict[tuple[str, str], tuple[str, ...]]:
        return {(one.table.lower(), one.column.lower()): one.values for one in self.columns}

    def match(self, question: str, *, limit: int = 24) -> list[ValueMatch]:
        """Values that the question names, best first; offsets are of the question.

        Longest phrases win over their parts; case, accents, plural and possessive do not matter; a quoted
        part is looked up whole, whatever it is; words that only one letter separates from a value and names
        that hold most of the value's words are found with a lower score. `score` is 1 for an exact, long
        phrase found in one column only, and less the more these fail.
        """
        return match(self, question, limit)

    def _fill(self) -> list[str]:
        """Fill entries and keys; returns the folded key of each entry."""
        folded: list[str] = []
        tails: dict[str, int] = {}
        for number, column in enumerate(self.columns):
            self.bounds.append(len(self.phrases))
            words = {fold_word(w) for w in humanize(column.column).split()}
            self.name_words.append(frozenset(words | {fold_word(w) for w in humanize(column.table).split()}))
            self.schema_words |= self.name_words[-1]
            for phrase, value in _phrases(column):
                key = _key(phrase)
                entry = len(self.phrases)
                self.phrases.append(phrase)
                self.values.append(value)
                self.owners.append(number)
                self.following.append(-1)
                folded.append(key)
                if key in tails:
                    self.following[tails[key]] = entry
                else:
                    self.keys[key] = entry
                    self.longest = max(self.longest, min(key.count(" ") + 1, LONGEST_KEY))
                tails[key] = entry
        self.bounds.append(len(self.phrases))
        return folded

    def _fill_postings(self, keys: Sequence[str]) -> None:
        """For each word the entries of several words that hold it, as one flat array with offsets."""
        lists: dict[str, list[int]] = {}
        for entry, key in enumerate(keys):
            parts = set(key.split(" "))
            if 2 <= len(parts) <= _LONGEST_PARTIAL and not key.replace(" ", "").isdigit():
                for part in parts:
                    lists.setdefault(part, []).append(entry)
            elif len(parts) == 1:
                lists.setdefault(key, [])
        for token in sorted(lists):
            self.tokens[token] = len(self.starts)
            self.starts.append(len(self.postings))
            self.postings.extend(lists[token])
        self.starts.append(len(self.postings))

    def same_key(self, key: str) -> list[int]:
        """All entries of a folded key."""
        entry = self.keys.get(key, -1)
        found = []
        while entry >= 0:
            found.append(entry)
            entry = self.following[entry]
        return found

    def holding(self, token: str) -> Sequence[int]:
        """Entries of several words that hold this word."""
        number = self.tokens.get(token)
        return () if number is None else self.postings[self.starts[number] : self.starts[number + 1]]

    def frequency(self, token: str) -> int:
        """The number of entries of several words that hold this word."""
        number = self.tokens.get(token)
        return 0 if number is None else self.starts[number + 1] - self.starts[number]

    def count_in(self, owner: int, token: str) -> int:
        """How many entries of a column hold this word; entries of one column follow each other."""
        number = self.tokens[token]
        low, high = self.starts[number], self.starts[number + 1]
        at = bisect_left(self.postings, self.bounds[owner], low, high)
        return bisect_left(self.postings, self.bounds[owner + 1], at, high) - at

    def size_of(self, owner: int) -> int:
        """The number of entries of a column."""
        return self.bounds[owner + 1] - self.bounds[owner]

    def nearby(self, token: str) -> list[str]:
        """Known words that start or end as the token does and are of about its length: candidates for a typo.

        With one letter wrong, one half of the word is right (the pigeonhole principle), so two look-ups in
        sorted lists find every word at distance 1.
        """
        if self._by_length is None:
            self._by_length = _sorted_by_length(self.tokens)
        half = len(token) // 2
        head, tail = token[:half], token[half:][::-1]
        found: list[str] = []
        for length in range(len(token) - 1, len(token) + 2):
            forward, backward = self._by_length.get(length, ((), ()))
            found += _with_prefix(forward, head)
            found += [word[::-1] for word in _with_prefix(backward, tail)]
        return found

    def to_json(self) -> list[dict[str, Any]]:
        """The indexed columns as plain data."""
        return [
            {
                "table": c.table,
                "column": c.column,
                "values": list(c.values),
                "meanings": [list(pair) for pair in c.meanings],
            }
            for c in self.columns
        ]

    @classmethod
    def from_json(cls, data: Iterable[Mapping[str, Any]]) -> ValueIndex:
        """The index that `to_json` wrote."""
        return cls(
            ColumnValues(
                row["table"], row["column"], tuple(row["values"]), tuple((m, v) for m, v in row["meanings"])
            )
            for row in data
        )


def _key(phrase: str) -> str:
    """The folded phrase; a phrase of signs alone, such as ``+``, is its own key."""
    midnight = _MIDNIGHT.match(phrase)
    return fold(midnight.group(1) if midnight else phrase) or phrase.strip()


def _phrases(column: ColumnValues) -> Iterable[tuple[str, str]]:
    """(what a question may say, value) of a column: values first, then their meanings."""
    for value in column.values:
        if value.strip():
            yield value, value
    known = set(column.values)
    for _, value in column.meanings:
        if value not in known:
            known.add(value)
            yield value, value
    for meaning, value in column.meanings:
        parts = [part for part in re.split(r"[,;()]", meaning) if " " in part.strip()]
        for phrase in dict.fromkeys((meaning, meaning.partition("(")[0], *parts)):
            said = _said(phrase)
            if said and said not in known:
                yield said, value


def _said(meaning: str) -> str:
    """The words of a meaning that a question would use; empty where it has none of its own.

    >>> _said("is carcinogenic"), _said("doesn't have"), _said("1-33"), _said("the loan was paid.")
    ('carcinogenic', '', '', 'loan was paid')
    """
    words = meaning.strip(" .;,").split()
    while words and words[0].lower() in ("is", "are", "was", "has", "the", "a", "an", "it", "means", "for"):
        del words[0]
    keys = [fold_word(word) for word in words]
    own = [k for k in keys if k not in STOP_WORDS and k != "doesnt" and any(map(str.isalpha, k))]
    return " ".join(words) if own and len(words) <= _LONGEST_MEANING else ""


def _sorted_by_length(tokens: Iterable[str]) -> dict[int, tuple[list[str], list[str]]]:
    groups: dict[int, list[str]] = {}
    for token in tokens:
        if len(token) > 4 and token.isalpha():
            groups.setdefault(len(token), []).append(token)
    return {n: (sorted(group), sorted(t[::-1] for t in group)) for n, group in groups.items()}


def _with_prefix(ordered: Sequence[str], prefix: str) -> Sequence[str]:
    low = bisect_left(ordered, prefix)
    return ordered[low : bisect_left(ordered, prefix + "\U0010ffff", low)]
