"""Where each fragment of a query comes from: computed from the query's own AST, never from what was said.

A fragment whose skeleton is in the store is ``cited``, with the values that the history never had there, and
with its own meaning: that of the SQL that stands here, not of that which the item was learned from. Else the
most similar item of the same kind and form is named ``near``, if it is similar enough and speaks of the same
column or table. Else the fragment is ``novel``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sqlore.model import Citation, Fragment, Kind, KnowledgeItem, Schema
from sqlore.sql import parse_script
from sqlore.sql.placeholders import is_placeholder

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.knowledge import Store

#: Below this similarity a fragment is novel.
THRESHOLD: Final = 0.5
#: Items of one table that are compared at most, the most used first.
POOL: Final = 400
_VALUED: Final[tuple[Kind, ...]] = ("condition", "calculation", "query")
_ROWS: Final = re.compile(r"\blimit <val>( offset <val>)?\Z")

_TOKEN: Final = re.compile(
    r"""<val>|(?:"(?:[^"]|"")*"|[^\W\d]\w*(?:\#\d+)?)(?:\.(?:"(?:[^"]|"")*"|\w+))*|\d+|[<>=!|]+|[^\s\w]"""
)
_KEYWORDS: Final = frozenset(
    re.findall(
        r"\w+",
        """all and any as asc between by case cast cross desc distinct else end escape except exists false
        from full group having ilike in intersect is join left like limit not null offset on or order outer
        over partition qualify right rows select then true union using when where with""",
    )
)


def cite(
    sql: str, store: Store, dialect: str, schema: Schema | None = None, catalog: Catalog | None = None
) -> tuple[Citation, ...]:
    """One citation for every fragment of `sql`, by position, the longer first where two start together.

    The fragments and their skeletons are those of `parse_script(sql)`, whose errors come through. An item
    that is deprecated or stale is cited all the same: its `trust` and `description` say so. `catalog` has the
    words for meanings.
    """
    return cite_fragments(parse_script(sql, dialect=dialect, schema=schema).fragments, store, catalog)


def cite_fragments(
    fragments: Iterable[Fragment], store: Store, catalog: Catalog | None = None
) -> tuple[Citation, ...]:
    """One citation for each of the fragments of a query, in the order of `cite`."""
    finder = _Finder(store, catalog)
    ordered = sorted(fragments, key=lambda f: (f.start, -f.end, f.kind, f.form))
    return tuple(finder.citation(fragment) for fragment in ordered)


def skeleton_tokens(skeleton: str) -> list[str]:
    """The tokens by which skeletons are compared; a column is one token.

    >>> skeleton_tokens("count(distinct hero.id) >= <val>")
    ['count', '(', 'distinct', 'hero.id', ')', '>=', '<val>']
    """
    return _TOKEN.findall(skeleton)


def similarity(a: Counter[str], b: Counter[str], rarity: dict[str, float]) -> float:
    """Shared over all tokens of two skeletons, each token weighted by its rarity: 0 to 1.

    >>> a, b = Counter(["hero.h", ">", "<val>"]), Counter(["hero.h", ">=", "<val>"])
    >>> similarity(a, a, {}), similarity(a, b, {}) > similarity(a, Counter(["hero.w", ">", "<val>"]), {})
    (1.0, True)
    """
    shared = total = 0.0
    for token in a.keys() | b.keys():
        weight = rarity.get(token, 1.0) * _worth(token)
        shared += weight * min(a[token], b[token])
        total += weight * max(a[token], b[token])
    return shared / total if total else 0.0


def _worth(token: str) -> float:
    """A column says most, a table or function half as much, and what holds them together a quarter."""
    if token in _KEYWORDS or not (token[0].isalpha() or token[0] in '_"'):
        return 0.25
    return 1.0 if "." in token else 0.5


class _Finder:
    """Looks fragments up in one store; what it has read for one fragment serves the next."""

    def __init__(self, store: Store, catalog: Catalog | None) -> None:
        self._store = store
        self._catalog = catalog
        self._pools: dict[tuple[Kind, str], list[KnowledgeItem]] = {}
        self._bags: dict[int, Counter[str]] = {}

    def citation(self, fragment: Fragment) -> Citation:
        item = self._store.item_by_key(fragment.kind, fragment.skeleton)
        if item is not None:
            return self._cited(fragment, item)
        nearest, score = self._nearest(fragment)
        found = _citation(fragment, nearest, score)
        return found if nearest is None else replace(found, warning=self._store.warning_of(nearest.id))

    def _cited(self, fragment: Fragment, item: KnowledgeItem) -> Citation:
        """How many rows are shown is no knowledge to be checked: values of an output are not counted."""
        found = _citation(fragment, item, 1.0)
        used = None
        if fragment.kind in _VALUED and fragment.literals and not item.synthetic:
            # the item names its most used literals only, the count is of all
            used = self._store.scripts_with(item.id, fragment.literals, _of_rows(fragment))
            if used == 0:
                found = replace(
                    found, new_values=_new_values(fragment, item), parameter=_only_parameters(item)
                )
        told = used is None or not any(map(is_placeholder, fragment.literals))
        return replace(
            found,
            with_values=used if told else None,
            description=self._meaning(fragment, item, new=used == 0),
            warning=self._store.warning_of(
                item.id, fragment.literals if used and fragment.kind != "query" else None
            ),
        )

    def _meaning(self, fragment: Fragment, item: KnowledgeItem, *, new: bool) -> str:
        """What the fragment says with its own values; what a person called the pattern stays.

        So does what a model wrote of it, where the values are none that it has never seen.
        """
        if not fragment.literals or item.id in self._named or (item.id in self._written and not new):
            return _description(item)
        from sqlore.answer.explain.explanation import describer_for

        return _description(item, describer_for(self._catalog).fragment(fragment).text)

    @cached_property
    def _named(self) -> frozenset[int]:
        return frozenset(self._store.described_by("person"))

    @cached_property
    def _written(self) -> frozenset[int]:
        return frozenset(self._store.described_by("model"))

    def _nearest(self, fragment: Fragment) -> tuple[KnowledgeItem | None, float]:
        """The most similar item that may be offered as a source, and how similar it is."""
        pool = self._pool(fragment)
        bags = [self._bag(item) for item in pool]
        rarity = _rarity(bags)
        wanted = Counter(skeleton_tokens(fragment.skeleton))
        best: tuple[KnowledgeItem | None, float] = (None, 0.0)
        for item, bag in zip(pool, bags, strict=True):
            if item.form == fragment.form and _related(fragment, item):
                score = similarity(wanted, bag, rarity)
                if score >= max(THRESHOLD, best[1] + 1e-9):
                    best = item, score
        return best

    def _bag(self, item: KnowledgeItem) -> Counter[str]:
        if item.id not in self._bags:
            self._bags[item.id] = Counter(skeleton_tokens(item.skeleton))
        return self._bags[item.id]

    def _pool(self, fragment: Fragment) -> list[KnowledgeItem]:
        """The items of this kind that name one of the fragment's tables, the most used first."""
        found: dict[int, KnowledgeItem] = {}
        for table in fragment.tables:
            key = fragment.kind, table
            if key not in self._pools:
                items = self._store.items(kind=fragment.kind, table=table, limit=POOL)
                self._pools[key] = [i for i in items if not i.stale and i.trust != "deprecated"]
            found.update((item.id, item) for item in self._pools[key])
        return sorted(found.values(), key=lambda item: (-item.support, item.id))


def _related(fragment: Fragment, item: KnowledgeItem) -> bool:
    """Whether both speak of one column; where the fragment names no column, of one table."""
    mine, theirs = (fragment.columns, item.columns) if fragment.columns else (fragment.tables, item.tables)
    return not set(mine).isdisjoint(theirs)


def _rarity(bags: Sequence[Iterable[str]]) -> dict[str, float]:
    """Weight of each token: the fewer skeletons have it, the more it says; from 0.5 to 1."""
    counts: Counter[str] = Counter()
    for bag in bags:
        counts.update(set(bag))
    top = math.log(1 + len(bags)) or 1.0
    return {token: 0.5 + 0.5 * math.log(1 + len(bags) / count) / top for token, count in counts.items()}


def _citation(fragment: Fragment, item: KnowledgeItem | None, score: float) -> Citation:
    place = (fragment.start, fragment.end, fragment.kind, fragment.sql)
    if item is None:
        return Citation(*place, status="novel", skeleton=fragment.skeleton)
    cited = score == 1.0 and item.skeleton == fragment.skeleton
    return Citation(
        *place,
        status="cited" if cited else "near",
        item=item.id,
        support=item.support,
        scripts=item.scripts,
        similarity=score,
        trust=item.trust,
        description=_description(item),
        skeleton=fragment.skeleton,
        synthetic=item.synthetic,
    )


def _of_rows(fragment: Fragment) -> int:
    """How many of the last literals of a whole query only say how many of its rows are wanted."""
    found = _ROWS.search(fragment.skeleton) if fragment.kind == "query" else None
    return found.group().count("<val>") if found else 0


def _only_parameters(item: KnowledgeItem) -> bool:
    """Whether a log has placeholders wherever a value stood: nobody knows which it was."""
    return bool(item.literals) and all(is_placeholder(one) for values, _ in item.literals for one in values)


def _new_values(fragment: Fragment, item: KnowledgeItem) -> tuple[str, ...]:
    """Values that the item was never used with; a placeholder is none."""
    seen = {value for values, _ in item.literals for value in values}
    values = fragment.literals[: len(fragment.literals) - _of_rows(fragment)]
    return tuple(dict.fromkeys(one for one in values if one not in seen and not is_placeholder(one)))


def _description(item: KnowledgeItem, words: str = "") -> str:
    words = words or item.description or item.name
    if item.stale:
        return f"{words} (stale: {item.stale})" if words else f"stale: {item.stale}"
    return words
