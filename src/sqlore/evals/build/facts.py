"""What the rules ask of a query: its joins, functions, CASEs, counts and connectives, names resolved.

Two trees are looked at: the query as it is written, and its canonical text, in which aliases, CTEs and
derived tables are resolved, so that two ways to write one thing are the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlore.catalog.names import word_set
from sqlore.errors import ParseError
from sqlore.model import ParsedScript, Schema
from sqlore.sql import parse_script
from sqlore.sql.tree import parse_one

__all__ = ["CaseUse", "Facts", "facts_of", "facts_of_script"]

_NUMBERED: Final = re.compile(r"(?<=[\w\"])#(\d+)")
_OUTER: Final = re.compile(r"(?P<left>\S+) (?P<mode>[a-z ]+?) join (?P<right>\S+) on (?P<on>.+)\Z")
_CATEGORIES: Final[Mapping[str, frozenset[str]]] = {
    "text": word_set(
        """substring substr instr upper lower trim ltrim rtrim replace concat concat_ws length len left right
        reverse group_concat string_agg printf format char ascii split_part str_position regexp_replace
        regexp_extract regexp_like lpad rpad"""
    ),
    "date": word_set(
        """strftime time_to_str timetostr date datetime julianday time timestamp date_diff datediff date_add
        date_sub dateadd date_trunc date_part extract year month day hour minute second week quarter now
        current_date current_timestamp current_time unixepoch timestampdiff to_date str_to_time makedate
        dayofweek dayofmonth dayofyear"""
    ),
    "numeric": word_set(
        "abs round floor ceil ceiling sqrt pow power exp ln log mod sign random rand greatest least"
    ),
    "conditional": word_set("case if iif coalesce ifnull nullif nvl decode isnull"),
    "json": word_set("json_extract json_array json_object json_each json_value json_query"),
}
_NAMED: Final = {name: category for category, names in _CATEGORIES.items() for name in names}


@dataclass(frozen=True, slots=True)
class CaseUse:
    """One CASE or IIF: what it asks (values masked), what it gives, and the aggregate around it."""

    when: str
    gives: str
    aggregate: str

    @property
    def shown(self) -> str:
        inner = f"CASE WHEN {self.when} THEN {self.gives} END"
        return f"{self.aggregate}({inner})" if self.aggregate else inner


@dataclass(frozen=True)
class Facts:
    """One query looked at.

    `tables` is the most base tables in one FROM, `chain` the most JOINs there; `modes` says of each pair of
    joined columns how they are joined; `functions` of each category the functions used; `counts` of each
    counted thing whether it is counted distinct (both may be); `unlinked` are tables that no condition ties
    to the others of their FROM. `together` and `either` are the pairs of
    conditions, values masked, that one AND or one OR joins.
    """

    parsed: ParsedScript
    tree: Any
    tables: int
    chain: int
    modes: Mapping[tuple[str, ...], frozenset[str]]
    unlinked: frozenset[str]
    functions: Mapping[str, frozenset[str]]
    cases: frozenset[CaseUse]
    counts: Mapping[str, frozenset[bool]]
    together: frozenset[frozenset[str]]
    either: frozenset[frozenset[str]]


def facts_of(sql: str, dialect: str, schema: Schema | None = None) -> Facts:
    """Looks at a query. Raises `ParseError` or `NotAQuery`.

    >>> found = facts_of("SELECT COUNT(DISTINCT a.x) FROM a LEFT JOIN b ON a.i = b.i", "sqlite")
    >>> found.tables, dict(found.modes), dict(found.counts)
    (2, {('a.i', 'b.i'): frozenset({'left'})}, {'a.x': frozenset({True})})
    """
    return facts_of_script(parse_script(sql, dialect, schema), dialect)


def facts_of_script(parsed: ParsedScript, dialect: str) -> Facts:
    """The same of a script that is taken apart already."""
    try:
        tree: Any = parse_one(parsed.script.sql, dialect)
    except (SqlglotError, RecursionError) as error:
        raise ParseError(str(error).split("\n", 1)[0]) from error
    resolved = _resolved(parsed, tree)
    names = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    sources = [_sources(select) for select in tree.find_all(exp.Select)]
    return Facts(
        parsed,
        tree,
        max((sum(_is_base(one, names) for one in found) for found in sources), default=0),
        max((len(found) - 1 for found in sources if found), default=0),
        _modes(parsed),
        frozenset(table for select in tree.find_all(exp.Select) for table in _unlinked(select, names)),
        _functions(tree),
        frozenset(_cases(resolved)),
        _counts(resolved),
        frozenset(_pairs(resolved, exp.And)),
        frozenset(_pairs(resolved, exp.Or)),
    )


def _resolved(parsed: ParsedScript, tree: Any) -> Any:
    """The tree of the canonical text; where that cannot be read, the tree as written."""
    text = next((f.canonical for f in parsed.fragments if f.kind == "query"), "")
    try:
        return parse_one(_NUMBERED.sub(r"__\1", text))
    except (SqlglotError, RecursionError):
        return tree


def _sources(select: Any) -> list[Any]:
    source = select.args.get("from_")
    return [source.this, *(join.this for join in select.args.get("joins") or ())] if source else []


def _is_base(source: Any, names: set[str]) -> bool:
    return isinstance(source, exp.Table) and source.name.lower() not in names


def _modes(parsed: ParsedScript) -> dict[tuple[str, ...], frozenset[str]]:
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for fragment in parsed.fragments:
        if fragment.form != "edge":
            continue
        text = re.sub(r"#\d+", "", fragment.skeleton)
        outer = _OUTER.match(text)
        on, mode = (outer["on"], outer["mode"]) if outer else (text, "inner")
        found[tuple(sorted(side.strip() for side in on.split(" = ")))].add(mode)
    return {pair: frozenset(modes) for pair, modes in found.items()}


def _unlinked(select: Any, names: set[str]) -> Iterator[str]:
    """The base tables of a FROM that nothing ties to its first one. Nothing is said where a column is not
    qualified or a source is no base table: it could tie them."""
    sources, joins = _sources(select), select.args.get("joins") or ()
    if not joins or not all(_is_base(one, names) for one in sources):
        return
    if any(join.args.get("using") or join.args.get("method") for join in joins):
        return
    where = select.args.get("where")
    said = [join.args["on"] for join in joins if join.args.get("on")] + ([where.this] if where else [])
    tied = {sources[0].alias_or_name.lower()}
    groups = [
        {column.table.lower() for column in part.find_all(exp.Column)}
        for condition in said
        for part in (condition.flatten() if isinstance(condition, exp.And) else [condition])
    ]
    if any("" in group for group in groups):
        return
    while more := [group for group in groups if group & tied and group - tied]:
        tied.update(*more)
    yield from (one.name.lower() for one in sources if one.alias_or_name.lower() not in tied)


def _functions(tree: Any) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for node in tree.find_all(exp.Func, exp.Window, exp.DPipe):
        named = _category(node)
        if named is not None:
            found[named[0]].add(named[1])
    return {category: frozenset(names) for category, names in found.items()}


def _category(node: Any) -> tuple[str, str] | None:
    """A function's category and name; None for what is none: AND, CAST, what the parser put in."""
    kind = type(node).__name__
    if isinstance(node, exp.Window):
        return "window", "OVER"
    if isinstance(node, exp.Connector | exp.Cast | exp.Exists) or kind.startswith("TsOrDs"):
        return None
    if isinstance(node, exp.If) and isinstance(node.parent, exp.Case):
        return None
    if isinstance(node, exp.DPipe):
        return "text", "||"
    name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
    if isinstance(node, exp.AggFunc):
        text = name.lower() in _CATEGORIES["text"]
        return ("text" if text else "aggregate"), name.upper()
    category = _NAMED.get(name.lower()) or _NAMED.get(kind.lower()) or name.lower()
    return category, name.upper()


def _masked(node: Any) -> str:
    """The text of an expression with its literals masked."""
    copy = node.copy()
    for literal in list(copy.find_all(exp.Literal)):
        if literal is copy:
            return "?"
        literal.replace(exp.Placeholder())
    return str(copy.sql())


def _cases(tree: Any) -> Iterator[CaseUse]:
    for node in tree.find_all(exp.Case, exp.If):
        if isinstance(node, exp.If) and isinstance(node.parent, exp.Case):
            continue
        branches = node.args["ifs"] if isinstance(node, exp.Case) else [node]
        otherwise = node.args.get("default" if isinstance(node, exp.Case) else "false")
        subject = node.this if isinstance(node, exp.Case) else None
        head = f"{subject.sql()} = " if subject is not None else ""
        when = "; ".join(head + _masked(branch.this) for branch in branches)
        gives = [branch.args["true"].sql() for branch in branches]
        gives.append(otherwise.sql() if otherwise is not None else "NULL")
        around = node.find_ancestor(exp.AggFunc, exp.Select)
        yield CaseUse(when, " / ".join(gives), around.sql_name() if isinstance(around, exp.AggFunc) else "")


def _counts(tree: Any) -> dict[str, frozenset[bool]]:
    found: dict[str, set[bool]] = defaultdict(set)
    for node in tree.find_all(exp.Count):
        inner = node.this
        distinct = isinstance(inner, exp.Distinct)
        shown = ", ".join(one.sql() for one in inner.expressions) if distinct else inner.sql()
        if not inner.find(exp.Case, exp.If):
            found[shown].add(distinct)
    return {shown: frozenset(ways) for shown, ways in found.items()}


def _pairs(tree: Any, kind: type[Any]) -> Iterator[frozenset[str]]:
    """The pairs of conditions that one connective joins, those within CASE left out."""
    for node in tree.find_all(kind):
        if isinstance(node.parent, kind) or node.find_ancestor(exp.Case, exp.If):
            continue
        parts = sorted({_masked(part.unnest()) for part in node.flatten()})
        for number, part in enumerate(parts):
            for other in parts[number + 1 :]:
                yield frozenset((part, other))
