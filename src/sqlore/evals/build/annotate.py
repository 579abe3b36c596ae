"""Which knowledge a task's SQL takes from the history, and which scripts hold it: BIRD-History's annotation.

The pieces of the task's SQL are looked up among the pieces of the history by their skeletons. A script that
stands in the task as a whole, as its query, a CTE or a subquery, counts as a piece as well ("full SQL",
appendix A.3). The exact form is that of `history_knowledge` (appendix A.1); the richer one adds where each
piece stands, which values it has, and which of them no script had in that place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.errors import SqlError
from sqlore.evals.gold import GoldReader
from sqlore.evals.tasks import History, scored
from sqlore.model import Fragment, Kind, ParsedScript, Schema
from sqlore.sql import parse_script
from sqlore.sql.tree import parse_one

__all__ = ["Agreement", "Annotation", "Annotator", "Item", "script_id"]


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of knowledge that a task reuses.

    `spans` are its places in the task's SQL, `literals` the values it has there, place by place; `same` are
    the scripts that have it with the same values, `new_values` the values that no script had there.
    """

    kind: Kind
    form: str
    skeleton: str
    scripts: tuple[str, ...]
    spans: tuple[tuple[int, int], ...] = ()
    literals: tuple[tuple[str, ...], ...] = ()
    same: tuple[str, ...] = ()
    new_values: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.kind}: {self.skeleton}"


@dataclass(frozen=True, slots=True)
class Annotation:
    """The pieces that a task reuses, by key; `novel` are the keys of those that the history lacks."""

    items: tuple[Item, ...]
    novel: tuple[str, ...] = ()

    def knowledge(self, *, whole: bool = True) -> dict[str, list[int | str]]:
        """The field `history_knowledge`; without `whole` scripts that are reused as a whole are left out."""
        kept = [item for item in self.items if whole or item.kind != "query"]
        return {item.key: [script_id(key) for key in item.scripts] for item in kept}

    def rich(self) -> list[dict[str, Any]]:
        """The same with places and values, for programs that want more than scripts' ids."""
        return [
            {
                "kind": item.kind,
                "form": item.form,
                "skeleton": item.skeleton,
                "scripts": [script_id(key) for key in item.scripts],
                "spans": [list(span) for span in item.spans],
                "literals": [list(values) for values in item.literals],
                "same_values": [script_id(key) for key in item.same],
                "new_values": list(item.new_values),
            }
            for item in self.items
        ]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How an annotation differs from one written elsewhere: keys of both, only here, only there; `ids` are
    the keys of both whose scripts differ."""

    both: int
    extra: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        return not (self.extra or self.missing or self.ids)


def script_id(key: str) -> int | str:
    """A script's key as BIRD-History writes it: a number where it is one.

    >>> script_id("747"), script_id("shop.sql:12")
    (747, 'shop.sql:12')
    """
    return int(key) if key.isascii() and key.isdigit() else key


class Annotator:
    """Annotates tasks over one history.

    >>> from sqlore.model import Script
    >>> old = parse_script(Script("SELECT COUNT(id) FROM hero WHERE side = 'Bad'", key="7"), "sqlite")
    >>> annotator = Annotator(History("heroes", [old]), "sqlite")
    >>> annotator.annotate("SELECT name FROM hero WHERE side = 'Good'").knowledge()
    {'condition: hero.side = <val>': [7]}
    """

    def __init__(self, history: History, dialect: str, schema: Schema | None = None) -> None:
        self._dialect, self._schema = dialect, schema
        self._scripts_of = history.scripts_of
        self._reader = GoldReader(history.parsed, dialect, schema)
        self._values: dict[str, dict[tuple[str, ...], set[str]]] = defaultdict(lambda: defaultdict(set))
        self._whole: dict[str, dict[str, None]] = defaultdict(dict)
        for one in history.parsed:
            self._whole[one.skeleton][one.script.key] = None
            for fragment in scored(one.fragments):
                self._values[fragment.key][fragment.literals].add(one.script.key)

    def annotate(self, sql: str | ParsedScript) -> Annotation:
        """The knowledge of a task's SQL, sorted by key. Raises what `parse_script` raises."""
        parsed = parse_script(sql, self._dialect, self._schema) if isinstance(sql, str) else sql
        places: dict[str, list[Fragment]] = defaultdict(list)
        for fragment in scored(parsed.fragments):
            places[fragment.key].append(fragment)
        known = [self._item(found) for key, found in places.items() if key in self._scripts_of]
        items = sorted([*known, *self._wholes(parsed)], key=lambda item: item.key)
        novel = sorted(key for key in places if key not in self._scripts_of)
        return Annotation(tuple(items), tuple(novel))

    def agreement(self, sql: str, written: Mapping[str, Iterable[str]]) -> Agreement:
        """This annotation beside one that another wrote, whose spelling of skeletons is read as this one's.

        Scripts that are reused as a whole do not count: few annotations have them.
        """
        own = {item.key: set(item.scripts) for item in self.annotate(sql).items if item.kind != "query"}
        other: dict[str, set[str]] = defaultdict(set)
        for key, scripts in written.items():
            named = [str(script) for script in scripts]
            for read in self._reader.keys(key, named):
                other[read].update(named)
        both = own.keys() & other.keys()
        return Agreement(
            len(both),
            tuple(sorted(own.keys() - other.keys())),
            tuple(sorted(other.keys() - own.keys())),
            tuple(sorted(key for key in both if own[key] != other[key])),
        )

    def _item(self, found: list[Fragment]) -> Item:
        first = found[0]
        seen = self._values[first.key]
        literals = tuple(dict.fromkeys(fragment.literals for fragment in found))
        old = {value for values in seen for value in values}
        new = [value for values in literals if values not in seen for value in values if value not in old]
        same = {key for values in literals for key in seen.get(values, ())}
        scripts = self._scripts_of[first.key]
        return Item(
            first.kind,
            first.form,
            first.skeleton,
            scripts,
            tuple((fragment.start, fragment.end) for fragment in found),
            literals,
            tuple(key for key in scripts if key in same),
            tuple(dict.fromkeys(new)),
        )

    def _wholes(self, parsed: ParsedScript) -> list[Item]:
        """The scripts that stand in the task as a whole."""
        found = {
            skeleton: Item("query", "query", skeleton, tuple(self._whole[skeleton]))
            for skeleton in [parsed.skeleton, *self._inner(parsed.script.sql)]
            if skeleton in self._whole
        }
        return list(found.values())

    def _inner(self, sql: str) -> list[str]:
        """The skeletons of the queries inside a query, each on its own."""
        try:
            tree = parse_one(sql, self._dialect)
        except (SqlglotError, RecursionError):
            return []
        skeletons = []
        for query in tree.find_all(exp.Select, exp.SetOperation):
            if query is tree:
                continue
            try:
                text = query.sql(dialect=self._dialect)
                skeletons.append(parse_script(text, self._dialect, self._schema).skeleton)
            except SqlError:
                continue
        return skeletons
