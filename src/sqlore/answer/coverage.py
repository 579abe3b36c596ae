"""What of a question nothing in its SQL answers.

An answer that leaves a part of the question out looks like any other: every clause is cited, and the rows
come. Here each word of the question is looked for in the SQL: in its names and what is known of them, its
values, and in what questions of the history say where the same items are used. What is left is told where it
is certain: a number, a quoted text or a value of the database that the SQL has not, or a word that the
history or a column's name gives a meaning that is not there. A note that is wrong costs more trust than one
that is missing, so words that nobody knows are not told alone. Thresholds were chosen on BIRD's training
histories (`tests/bench/bench_coverage.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from sqlore.answer.coverage_places import number_in_place, other_in_place
from sqlore.answer.coverage_sql import Uses
from sqlore.answer.coverage_tied import tied
from sqlore.answer.coverage_told import Told
from sqlore.answer.coverage_values import other_values
from sqlore.answer.coverage_words import LINKS, RELATIVE, TO_A_NUMBER, initials_in, stems_in
from sqlore.catalog.text import quoted
from sqlore.errors import SqlError
from sqlore.model import GoesWith, Uncovered, ValueMatch
from sqlore.retrieve.association import Going
from sqlore.retrieve.plain_words import QUANTITIES, SAYS_NOTHING
from sqlore.retrieve.spoken import near_by
from sqlore.retrieve.structure import CALLS
from sqlore.retrieve.words import stem, tokens
from sqlore.sql import parse_script

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.engines import Engine
    from sqlore.retrieve.snapshot import Snapshot

__all__ = ["Coverage"]

_WORD: Final = re.compile(r"\d+(?:[.,:/-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_PART_BEFORE: Final = re.compile(r"(?:[^\W\d_]+-)+\Z")
_PART_AFTER: Final = re.compile(r"(?:-[^\W\d_]+)+")
#: A value of the database is meant from this score of its match on.
_VALUE: Final = 0.6
#: The SQL answers a word whose texts use one of its items this many times more often than others.
_ANSWERED: Final = 1.5
#: What the SQL has not has to go with a word this many times better than what it has; a column alone more.
_BETTER: Final = 1.5
_COLUMN_BETTER: Final = 4.0
#: Texts that say a word from which on it is theirs to say what it means, not a column's name.
_KNOWN: Final = 2
#: Words between two parts of one phrase at most.
_GAP: Final = 2
_ITEMS: Final = 3


@dataclass(slots=True)
class _Word:
    """A word of the question that the SQL does not say; `certain` that it should."""

    stem: str
    start: int
    end: int
    certain: bool = False
    number: bool = False
    going: tuple[Going, ...] = ()


class Coverage:
    """Finds the words of questions that SQL over one database does not answer.

    `snapshot` is what the history knows (`Retriever.snapshot`); without it names, values and numbers count.
    `engine` is the database, where it may be asked which code a value has.
    """

    def __init__(
        self,
        catalog: Catalog,
        snapshot: Snapshot | None = None,
        dialect: str = "",
        engine: Engine | None = None,
    ) -> None:
        self._catalog, self._snapshot, self._engine = catalog, snapshot, engine
        self._dialect = dialect or catalog.schema.dialect

    def uncovered(
        self, question: str, sql: str, exclude: Collection[int | str] = ()
    ) -> tuple[Uncovered, ...]:
        """The phrases of `question` that nothing in `sql` answers, in their order.

        Scripts in `exclude` (ids, or keys of their source) do not speak. Nothing is told of SQL that cannot
        be read, or without a question.

        >>> from sqlore.catalog import ColumnValues, ValueIndex, catalog_from_schema
        >>> from sqlore.model import Column, Schema, Table
        >>> schema = Schema((Table("client", (Column("id"), Column("city"), Column("born"))),))
        >>> coverage = Coverage(catalog_from_schema(schema), dialect="sqlite")
        >>> found = coverage.uncovered("How many clients born after 1970?", "SELECT COUNT(*) FROM client")
        >>> [one.phrase for one in found]
        ['after 1970']
        """
        try:
            parsed = parse_script(sql, dialect=self._dialect, schema=self._catalog.schema)
        except SqlError:
            return ()
        snapshot = self._snapshot
        uses = Uses(parsed, snapshot, snapshot.alive(exclude)) if snapshot is not None else None
        told = Told(parsed, self._catalog)
        values = self._catalog.values.match(question)
        words = list(self._words(question, told, uses, values))
        found = [self._told(question, group, uses, told) for group in _phrases(question, words)]
        others = [*other_in_place(told, values, self._catalog, self._engine)]
        others += other_values(question, told, uses, self._catalog) if uses is not None else ()
        for other in others:
            if not any(one.start < other.end and other.start < one.end for one in found):
                found.append(other)
        return tuple(sorted(found, key=lambda one: one.start))

    def knows(self, question: str) -> bool:
        """Whether the history, or the names and values of the database, have any word of a question.

        >>> from sqlore.catalog import catalog_from_schema
        >>> from sqlore.model import Column, Schema, Table
        >>> coverage = Coverage(catalog_from_schema(Schema((Table("client", (Column("city"),)),))))
        >>> [coverage.knows(one) for one in ("Show me the numbers", "List the clients", "Anything of 2024?")]
        [False, True, True]
        """
        if re.search(r"\d", question) or quoted(question) or self._catalog.values.match(question):
            return True
        said = {stem(word) for word in tokens(question) if word not in SAYS_NOTHING | QUANTITIES}
        names = set(self._named)
        for table in self._catalog.schema.tables:
            names |= set(stems_in(*self._catalog.dictionary.names(table.full_name)))
        snapshot = self._snapshot
        return any(
            word in names or (snapshot is not None and len(snapshot.text_words.rows(word))) for word in said
        )

    # -------------------------------------------------------------- words

    def _words(
        self, question: str, told: Told, uses: Uses | None, values: Sequence[ValueMatch]
    ) -> Iterator[_Word]:
        """The words that the SQL does not say."""
        cues = [match.span() for pattern in CALLS.values() for match in pattern.finditer(question)]
        quotes = quoted(question)
        short = told.short_names | (uses.short_names if uses is not None else frozenset())
        cues += initials_in(question, short)
        asked = frozenset(map(stem, tokens(question)))
        for match in _WORD.finditer(question):
            start, end = match.span()
            here = [one for one in values if one.start <= start and end <= one.end]
            if any(told.holds(one) for one in here):
                continue
            plain = re.split("['’]", match[0].lower())[0]
            if plain[0].isdigit():
                if _is_plain(question, end) and not told.counts(match[0]):
                    yield _Word(plain, start, end, certain=True, number=True)
                continue
            word = _Word(stem(plain), start, end, certain=_inside(start, end, quotes))
            said = plain in SAYS_NOTHING or word.stem in SAYS_NOTHING or _inside(start, end, cues)
            if (said and not word.certain) or len(plain) < 2 or told.says(word.stem):
                continue
            if self._judged(word, here, told, uses, asked):
                if uses is not None:
                    near = near_by(question, start)
                    word.going = tuple(uses.settled(word.stem, one, near) for one in word.going)
                yield word

    def _judged(
        self,
        word: _Word,
        values: Sequence[ValueMatch],
        told: Told,
        uses: Uses | None,
        asked: frozenset[str],
    ) -> bool:
        """Whether the SQL leaves the word open; sets whether that is certain, and what it goes with."""
        rows = uses.saying([word.stem]) if uses is not None else np.zeros(0, dtype=np.int32)
        lift = 0.0
        if uses is not None and len(rows):
            if not word.certain and uses.calls(word.stem, rows):
                return False
            lift = uses.lift(rows)
            word.going = uses.going(rows, _BETTER * lift)
            word.certain |= bool(word.going)
            if not word.going:
                word.going = uses.on_other_columns(rows, told.columns, _COLUMN_BETTER * lift)
                word.certain |= bool(word.going)
            one = tied(word.stem, rows, uses, self._catalog) if not word.going else None
            if one is not None and one.lift >= lift:
                word.going, word.certain = (one,), True
        word.certain |= any(one.score >= _VALUE for one in values)
        if len(rows) < _KNOWN:
            word.certain |= self._names_other(word.stem, told, asked)
        return word.certain or lift < _ANSWERED

    def _names_other(self, word: str, told: Told, asked: frozenset[str]) -> bool:
        """Whether the question names a column by all its words that the SQL does not use."""
        return any(
            names <= asked and column not in told.columns for column, names in self._named.get(word, ())
        )

    @cached_property
    def _named(self) -> dict[str, list[tuple[str, frozenset[str]]]]:
        """Columns by the words of their names, each with all words of that name."""
        found: dict[str, list[tuple[str, frozenset[str]]]] = {}
        for table in self._catalog.schema.tables:
            for column in table.columns:
                for name in self._catalog.dictionary.names(table.full_name, column.name):
                    words = frozenset(stem(word) for word in tokens(name.replace("_", " ")))
                    for word in words:
                        found.setdefault(word, []).append((f"{table.name}.{column.name}".lower(), words))
        return found

    # -------------------------------------------------------------- phrases

    def _told(self, question: str, words: Sequence[_Word], uses: Uses | None, told: Told) -> Uncovered:
        """A phrase with the items that go with it: with all its words, else with one of them."""
        start, end = _whole(question, words[0].start, words[-1].end)
        if words[0].number:
            start = _from_comparison(question, start)
        going: tuple[Going, ...] = ()
        if uses is not None:
            rows = uses.saying([word.stem for word in words])
            going = uses.going(rows) if len(words) > 1 else ()
            going = going or tuple(one for word in words for one in word.going)
            if not going and words[0].number:
                going = self._around(question[:start], uses)
        best = dict.fromkeys(sorted(going, key=lambda one: (-one.share, -one.lift)))
        items: list[GoesWith] = []
        for one in best:
            if uses is not None and one.item not in {item.item for item in items} and len(items) < _ITEMS:
                items.append(uses.item(one, self._dialect, self._catalog.schema))
        place = number_in_place(question, words[0].stem, told) if words[0].number and not items else ""
        return Uncovered(question[start:end], start, end, tuple(items), place)

    def _around(self, before: str, uses: Uses) -> tuple[Going, ...]:
        """What goes with the word before a number ("born after 1970"), whatever numbers or dates it has."""
        last = [word for word in tokens(before) if word not in LINKS][-1:]
        going = uses.going(uses.saying([stem(last[0])]), fixed=False) if last else ()
        return tuple(one for one in going if uses.of_figures(one))


def _phrases(question: str, words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """Words that stand together as one phrase, where one of them is certain."""
    group: list[_Word] = []
    for word in words:
        if group and not _joined(question[group[-1].end : word.start]):
            if any(one.certain for one in group):
                yield group
            group = []
        group.append(word)
    if any(one.certain for one in group):
        yield group


def _joined(between: str) -> bool:
    """Whether only a link word or two stand between two words."""
    inner = between.strip("'’s \"").lower().split()
    return len(inner) <= _GAP and all(word in LINKS for word in inner)


def _whole(question: str, start: int, end: int) -> tuple[int, int]:
    """The span with the other parts of its first and last word: "X-ray", not "ray"."""
    before, after = _PART_BEFORE.search(question[:start]), _PART_AFTER.match(question, end)
    return before.start() if before else start, after.end() if after else end


def _from_comparison(question: str, start: int) -> int:
    """Where the comparison begins that leads to a number: "after", "more than"."""
    while True:
        before = re.search(r"([^\W\d_]+)[ \n]+[$€£]?$", question[:start])
        if before is None or before[1].lower() not in TO_A_NUMBER:
            return start
        start = before.start()


def _is_plain(question: str, end: int) -> bool:
    """Whether a number that ends here is written as it is meant: not "20%", "2nd", "1990s"."""
    after = question[end : end + 12].lower()
    return not after[:1].isalpha() and (after.split() or [""])[0].strip(".,?") not in RELATIVE


def _inside(start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= start and end <= last for first, last in spans)
