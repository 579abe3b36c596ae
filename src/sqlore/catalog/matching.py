"""How a question is matched against the value index: whole phrases, typos, then most of a phrase."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlore.catalog.text import STOP_WORDS, Word, dates, plain, quoted, words
from sqlore.model import ValueMatch

if TYPE_CHECKING:
    from sqlore.catalog.values import ValueIndex

_NEGATIONS: Final = frozenset({"not", "no", "never", "without"})
_MANY: Final = 128  # a word in more phrases than this does not start a search for phrases that hold it
_TIED: Final = 3  # more phrases than this that hold the same words say nothing
_CANDIDATES: Final = 200  # phrases looked at that hold a word of the question
_COLUMNS: Final = 8  # columns told for one phrase
_NAMED: Final = 0.45  # share of a phrase's information that suffices where the question writes it as a name
_PLAIN: Final = 0.55  # and where it does not
_TYPO_LENGTH: Final = 6


@dataclass(slots=True)
class _Span:
    """Words `first` to `last` (exclusive) of the question as one phrase; `start`, `end` its characters."""

    first: int
    last: int
    start: int
    end: int
    key: str
    whole_quote: bool = False
    factor: float = 1.0


def match(index: ValueIndex, question: str, limit: int) -> list[ValueMatch]:
    """See `ValueIndex.match`."""
    if not index.phrases:
        return []
    found = _Question(index, question)
    spans = [*found.signs(), *found.days(), *found.phrases()]
    matches: list[ValueMatch] = []
    settled: list[_Span] = []
    meant: list[_Span] = []
    for span in sorted(spans, key=lambda s: (-s.factor, s.start - s.end, s.start)):
        if _inside(span, settled):
            continue
        told = found.tell(span)
        # A phrase that is a value settles its words; one that means a value leaves them open to other values.
        values = [m for entry, m in told if index.phrases[entry] == m.value]
        if values:
            settled.append(span)
        meanings = [m for entry, m in told if index.phrases[entry] != m.value]
        if meanings and not _inside(span, meant):
            meant.append(span)
            values += meanings
        matches += values
    matches += found.most_of_phrases(settled + meant)
    best: dict[tuple[str, str, str], ValueMatch] = {}
    for m in sorted(matches, key=lambda m: (-m.score, m.start, -m.end, m.table, m.column, m.value)):
        best.setdefault((m.table, m.column, m.value), m)
    return list(best.values())[:limit]


def _inside(span: _Span, others: list[_Span]) -> bool:
    return any(o.start <= span.start and span.end <= o.end for o in others)


class _Question:
    """One question on its way through the index."""

    def __init__(self, index: ValueIndex, text: str) -> None:
        self.index = index
        self.text = text
        self.words = words(text)
        self.quotes = quoted(text)
        self.folded = [w.folded for w in self.words]
        self.corrected = {i: c for i in range(len(self.words)) if (c := self._correction(i))}

    # -- spans

    def signs(self) -> Iterator[_Span]:
        """Quoted parts without a word, such as '+'."""
        for start, end in self.quotes:
            key = self.text[start:end].strip()
            if key in self.index.keys and not words(key):
                yield _Span(0, 0, start, end, key, whole_quote=True)

    def days(self) -> Iterator[_Span]:
        """Dates in any spelling, as ISO dates are stored."""
        for start, end, key in dates(self.text):
            if key in self.index.keys:
                inside = [i for i, w in enumerate(self.words) if start <= w.start < end]
                yield _Span(inside[0], inside[-1] + 1, start, end, key)

    def phrases(self) -> Iterator[_Span]:
        """Every run of words that is a key; run together or with a typo at a lower factor."""
        keys, n = self.index.keys, len(self.words)
        for first in range(n):
            for last in range(first + 1, min(n, first + self.index.longest) + 1):
                key = " ".join(self.folded[first:last])
                if key in keys:
                    yield self._span(first, last, key, 1.0)
                    continue
                if 2 <= last - first <= 3 and (joined := key.replace(" ", "")) in keys:
                    yield self._span(first, last, joined, 0.8)
                if any(i in self.corrected for i in range(first, last)):
                    key = " ".join(map(self._at, range(first, last)))
                    if key in keys:
                        yield self._span(first, last, key, 0.75)
            token = self.folded[first]
            if len(token) >= _TYPO_LENGTH and token not in keys:
                for cut in range(3, len(token) - 2):
                    if (split := f"{token[:cut]} {token[cut:]}") in keys:
                        yield self._span(first, first + 1, split, 0.8)

    def _span(self, first: int, last: int, key: str, factor: float) -> _Span:
        start, end = self.words[first].start, self.words[last - 1].end
        inner = (self.text[a:b].strip(" .,?!") for a, b in self.quotes if a <= start and end <= b)
        whole = any(q == self.text[start:end] or words(q) == words(self.text[start:end]) for q in inner)
        return _Span(first, last, start, end, key, whole, factor)

    def _correction(self, i: int) -> str | None:
        """The known word that one letter separates from a long unknown word."""
        token = self.folded[i]
        known = token in self.index.tokens or token in STOP_WORDS or token in self.index.schema_words
        if known or len(token) < _TYPO_LENGTH or not token.isalpha():
            return None
        near = {w for w in self.index.nearby(token) if w[0] == token[0] and one_letter_apart(token, w)}
        return min(near, key=lambda w: (-self.index.frequency(w), w), default=None)

    def _at(self, i: int) -> str:
        """The folded word, its typo corrected."""
        return self.corrected.get(i, self.folded[i])

    # -- scores

    def tell(self, span: _Span) -> list[tuple[int, ValueMatch]]:
        """The entries of a whole phrase and their matches, best columns first."""
        phrase = self.text[span.start : span.end]
        entries = self.index.same_key(span.key)
        columns = len({self.index.owners[e] for e in entries})
        rarity = 1 / (1 + 0.08 * (columns - 1))
        length = min(1.0, 0.8 + 0.025 * len(span.key))
        told = []
        for entry in entries:
            trust = 1.0 if span.whole_quote else self._trust(span, entry, phrase)
            if trust == 0.0:
                continue
            exact = _exactness(phrase, self.index.phrases[entry], self.index.values[entry])
            score = exact * (max(0.95, length) if span.whole_quote else length) * rarity * trust * span.factor
            told.append((entry, self._match(entry, span.start, span.end, score)))
        told.sort(key=lambda pair: -pair[1].score)
        return told[:_COLUMNS]

    def _match(self, entry: int, start: int, end: int, score: float) -> ValueMatch:
        column = self.index.columns[self.index.owners[entry]]
        value, phrase = self.index.values[entry], self.text[start:end]
        return ValueMatch(column.table, column.column, value, phrase, start, end, round(min(score, 1.0), 4))

    def _trust(self, span: _Span, entry: int, phrase: str) -> float:
        """0 where a phrase outside quotes is too common or too short to mean this value, else up to 1."""
        tokens = self.folded[span.first : span.last]
        same_case = phrase == self.index.phrases[entry] and phrase != phrase.lower()
        token = tokens[0]
        before = self.folded[span.first - 1] if span.first else ""
        named = before in self.index.name_words[self.index.owners[entry]]
        if len(phrase) > 1 and all(t in STOP_WORDS for t in tokens):
            return 0.6 if same_case and span.first > 0 else 0.0
        if len(tokens) > 1:
            return 1.0
        if token.isdigit() and len(token) < 4:
            return 0.8 if named else 0.0
        if len(token) < 3:
            certain = same_case and (phrase not in ("A", "I") or named)
            return 0.8 if certain or (named and not token.isalpha()) else 0.0
        return 0.7 if token in self.index.schema_words and not same_case else 1.0

    # -- most of a phrase

    def most_of_phrases(self, taken: list[_Span]) -> list[ValueMatch]:
        """Phrases of several words of which the question has the telling ones, close together."""
        positions: dict[str, int] = {}
        for i in range(len(self.words)):
            positions.setdefault(self._at(i), i)
        seeds: Counter[int] = Counter()
        for token, i in positions.items():
            telling = token not in STOP_WORDS and len(token) > 2 and not token.isdigit()
            telling = telling and (token not in self.index.schema_words or self._capitalised(self.words[i]))
            if telling and self.index.frequency(token) <= _MANY:
                seeds.update(self.index.holding(token))
        candidates = seeds if len(seeds) <= _CANDIDATES else [e for e, _ in seeds.most_common(_CANDIDATES)]
        groups: dict[tuple[int, int, int], list[tuple[float, int]]] = {}
        for entry in candidates:
            span = self._covered(entry, positions)
            if span is None or any(t.first <= span[0] and span[1] <= t.last for t in taken):
                continue
            groups.setdefault((span[0], span[1], self.index.owners[entry]), []).append((span[2], entry))
        told = []
        for (first, last, _), group in sorted(groups.items()):
            top = max(coverage for coverage, _ in group)
            best = sorted(entry for coverage, entry in group if coverage == top)
            if len(best) <= _TIED:
                start, end = self.words[first].start, self.words[last - 1].end
                told += [self._match(entry, start, end, 0.75 * top) for entry in best]
        return told

    def _covered(self, entry: int, positions: dict[str, int]) -> tuple[int, int, float] | None:
        """First and last word, and the share of the phrase's information, where enough of it is there."""
        parts = list(dict.fromkeys(w.folded for w in words(self.index.phrases[entry])))
        there = sorted(positions[p] for p in parts if p in positions and p not in STOP_WORDS)
        missing = [p for p in parts if p not in positions]
        if not there or there[-1] - there[0] > len(parts) + 2 or _NEGATIONS.intersection(missing):
            return None
        owner = self.index.owners[entry]
        if len(there) == 1 and self.index.count_in(owner, self._at(there[0])) > _TIED:
            return None
        weights = {p: self._weight(owner, p) for p in parts}
        coverage = sum(w for p, w in weights.items() if p in positions) / sum(weights.values())
        named = any(self._capitalised(self.words[i]) for i in there if i > 0)
        return (there[0], there[-1] + 1, coverage) if coverage >= (_NAMED if named else _PLAIN) else None

    def _weight(self, owner: int, token: str) -> float:
        """Inverse frequency in the column, squared: the rare half of a name tells; a stop-word hardly."""
        if token in STOP_WORDS:
            return 0.1
        return math.log(1 + self.index.size_of(owner) / max(1, self.index.count_in(owner, token))) ** 2

    def _capitalised(self, word: Word) -> bool:
        return word.text[:1].isupper() or any(a <= word.start < b for a, b in self.quotes)


def _exactness(phrase: str, stored: str, value: str) -> float:
    """1 for the same text, less for another case, accent or ending; a meaning counts less than the value."""
    if phrase == stored:
        exact = 1.0
    elif phrase.casefold() == stored.casefold():
        exact = 0.96
    elif plain(phrase) == plain(stored):
        exact = 0.92
    else:
        exact = 0.88
    return exact if stored is value or stored == value else 0.9 * exact


def one_letter_apart(a: str, b: str) -> bool:
    """Whether one letter added, left out, changed, or two neighbours swapped, makes `a` of `b`.

    >>> [one_letter_apart(a, "marvel") for a in ("marvell", "marvle", "mrvel", "marves", "maverl")]
    [True, True, True, True, False]
    """
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    if len(a) > len(b):
        a, b = b, a
    i = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return a[i:] == b[i + 1 :]
    if a[i + 1 :] == b[i + 1 :]:
        return True
    return a[i] == b[i + 1] and a[i + 1] == b[i] and a[i + 2 :] == b[i + 2 :]
