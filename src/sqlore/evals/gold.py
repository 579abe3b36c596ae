"""Gold keys as others spell them, read as our fragments' keys.

BIRD-History writes a skeleton without its kind, with or without aliases, with clause words, spaces or none
(``schools.Charter=<val>``, ``FROM frpm AS T1 INNER JOIN schools AS T2 ON T1.CDSCode = T2.CDSCode``); other
files lead with the kind. Both sides go through `sqlore.sql.skeleton_of`; what still differs by an alias that
nobody can resolve is looked for among the scripts that the key itself names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from sqlore.errors import SqlError
from sqlore.model import KINDS, Kind, Schema
from sqlore.retrieve.baselines.base import skeleton_of_key
from sqlore.sql import parse_script, skeleton_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlore.model import ParsedScript

__all__ = ["GoldReader", "kind_of", "split_kind"]

_MASK: Final = re.compile(r"(['\"]?)<(?:val|value|VAL)>\1")
_LEAD: Final = re.compile(r"(?:where|having|and|on|select)\s+(?!distinct\b)", re.IGNORECASE)
_QUALIFIER: Final = re.compile(r"(?:\"[^\"]+\"|\w+)(?:#\d+)?\.(?=[\w\"])")
_COMPARES: Final = re.compile(
    r"=|<(?!val>)|(?<!<val)>|\b(?:like|in|is|between|exists|glob|regexp|ilike)\b", re.IGNORECASE
)
#: A comparison of two bare names, and what its sign becomes when they change places.
_SIDES: Final = re.compile(r"(?<![\w.])([a-z_]\w*) (=|<>|<=|>=|<|>) ([a-z_]\w*)(?![\w.(])")
_TURNED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_COLUMN: Final = r"[\w`\"\[\]. -]+"
_EDGE: Final = re.compile(rf"\s*{_COLUMN}\s*=\s*[\w`\"\[\]]+\.{_COLUMN}\Z")


def split_kind(text: str) -> tuple[Kind | None, str]:
    """The kind that leads a key, if one does, and the rest.

    >>> split_kind("condition: schools.charter = <val>")
    ('condition', 'schools.charter = <val>')
    >>> split_kind("schools.Charter=<val>")
    (None, 'schools.Charter=<val>')
    """
    head, colon, rest = text.partition(":")
    word = head.strip().lower()
    if colon and word in KINDS:
        return word, rest.strip()
    return None, text.strip()


def kind_of(text: str) -> Kind:
    """The kind of a skeleton that does not say it, by its clause words and by what stands outside brackets.

    >>> [kind_of(t) for t in ("FROM a INNER JOIN b ON a.x = b.x", "GROUP BY a.x", "LIMIT <val>", "a.x = b.y")]
    ['relation', 'dimension', 'output', 'relation']
    >>> [kind_of(t) for t in ("a.x=<val>", "COUNT(a.x)", "SUM(CASE WHEN a.x = <val> THEN 1 ELSE 0 END)")]
    ['condition', 'calculation', 'calculation']
    """
    words = text.strip().lower()
    if words.startswith(("where ", "having ", "not ")):
        return "condition"
    if words.startswith("from ") or re.search(r"\bjoin\b", _outside(words)):
        return "relation"
    if words.startswith(("group by", "partition by")):
        return "dimension"
    if words.startswith(("order by", "limit", "top ", "offset", "fetch ")) or words in (
        "distinct",
        "select distinct",
    ):
        return "output"
    if words.startswith(("select distinct", "distinct ")) and "from" not in words:
        return "output"
    if words.startswith(("select ", "with ")) and " from " in words:
        return "query"
    if _EDGE.match(text) and "<val>" not in words:
        return "relation"
    return "condition" if _COMPARES.search(_outside(words)) else "calculation"


def _outside(text: str) -> str:
    """The text without what stands in brackets or between CASE and END."""
    text = re.sub(r"\bcase\b.*\bend\b", "", text)
    depth, out = 0, []
    for character in text:
        depth += character == "("
        if not depth:
            out.append(character)
        depth -= character == ")"
    return "".join(out)


def _bare(skeleton: str) -> str:
    """The skeleton without the names that qualify columns, without quotes, and with the sides of a comparison
    of two columns in the order of what is left of them: skeletons order them by their qualified names.

    >>> _bare("exists(select <val> from a inner join b on t2.id = t3.b_id where t4.name = <val>)")
    'exists(select <val> from a join b on b_id = id where name = <val>)'
    >>> _bare("a.z > b.x") == _bare("t1.x < t2.z")
    True
    """
    bare = re.sub(r"\s+", " ", _QUALIFIER.sub("", skeleton)).replace('"', "").strip()
    return _SIDES.sub(_sorted_sides, bare.replace("inner join", "join"))


def _sorted_sides(found: re.Match[str]) -> str:
    left, sign, right = found.groups()
    if left > right:
        left, sign, right = right, _TURNED.get(sign, sign), left
    return f"{left} {sign} {right}"


class GoldReader:
    """Reads gold keys against one history.

    >>> reader = GoldReader(
    ...     [parse_script("SELECT 1 FROM schools s JOIN frpm f ON f.c = s.c WHERE s.Charter = 1", "sqlite")]
    ... )
    >>> sorted(reader.keys("schools.Charter=<val>"))
    ['condition: schools.charter = <val>']
    >>> sorted(reader.keys("FROM frpm AS T1 INNER JOIN schools AS T2 ON T1.c = T2.c"))
    ['relation: frpm.c = schools.c']
    """

    def __init__(
        self, parsed: Iterable[ParsedScript], dialect: str | None = "sqlite", schema: Schema | None = None
    ) -> None:
        self._dialect, self._schema = dialect, schema
        self._known: dict[str, str] = {}
        self._bare: dict[str, dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
        for one in parsed:
            for fragment in one.fragments:
                self._known[fragment.key] = fragment.kind
                self._bare[one.script.key][fragment.kind, _bare(fragment.skeleton)].add(fragment.key)

    def keys(self, written: str, scripts: Sequence[str] = ()) -> set[str]:
        """The keys that a gold key means: several for a FROM clause (its join edges), none for a query.

        `scripts` are the keys of the scripts that hold it; they settle what an unknown alias stands for.
        A key that cannot be matched comes back as it is, normalised as far as it can be read.
        """
        kind, text = split_kind(_MASK.sub("<val>", written))
        kind = kind or kind_of(text)
        if kind == "query":
            return set()
        if f"{kind}: {text}" in self._known:
            return {f"{kind}: {text}"}
        if kind == "relation" and re.search(r"\bjoin\b|^from\b|,", text, re.IGNORECASE):
            edges = self._edges(text)
            if edges:
                return edges
        key = f"{kind}: {self._skeleton(kind, text)}"
        return {key} if key in self._known else self._named(kind, key, scripts) or {key}

    def _skeleton(self, kind: Kind, text: str) -> str:
        body = _LEAD.sub("", text, count=1) if _LEAD.match(text) else text
        if kind == "output" and re.match(r"(?:select\s+)?distinct\b", body, re.IGNORECASE):
            return "distinct"
        try:
            return skeleton_of(body, kind, self._dialect, self._schema)
        except (SqlError, StopIteration):
            return body.lower()

    def _edges(self, text: str) -> set[str]:
        body = text if text.lower().startswith("from ") else f"from {text}"
        try:
            parsed = parse_script(f"select 1 {body}", self._dialect, self._schema)
        except SqlError:
            return set()
        return {fragment.key for fragment in parsed.fragments if fragment.form == "edge"}

    def _named(self, kind: Kind, key: str, scripts: Sequence[str]) -> set[str]:
        """The one fragment of the scripts that hold the key which differs from it in qualifiers alone."""
        bare = (kind, _bare(skeleton_of_key(key)))
        found: set[str] = set()
        for script in scripts:
            found |= self._of(script).get(bare, set())
        return found if len(found) == 1 else set()

    def _of(self, script: str) -> Mapping[tuple[str, str], set[str]]:
        # `get` adds nothing to a defaultdict
        return self._bare.get(script, {})
