"""What a changed SELECT column forces on the grouping: the keys of GROUP BY follow it."""

from __future__ import annotations

from typing import Any, Final

from sqlglot import exp

from sqlore.sql.edit.query import Query
from sqlore.sql.edit.text import TextEdit
from sqlore.sql.names import word_set
from sqlore.sql.render import unwrap
from sqlore.sql.resolve import Scope
from sqlore.sql.spans import Range
from sqlore.sql.tokens import FUNCTION_MARK

__all__ = [
    "end_of_condition",
    "forced_grouping",
    "formula_of",
    "is_aggregate",
    "keys_of",
    "same_formula",
    "varies",
    "with_key",
]

_AGGREGATES: Final = word_set(
    """count sum avg min max total group_concat string_agg listagg array_agg median mode stddev stddev_samp
    stddev_pop variance var_samp var_pop any_value bool_and bool_or every count_if countif quantile_cont
    quantile_disc percentile_cont percentile_disc approx_count_distinct json_group_array json_group_object
    json_agg jsonb_agg first last arg_min arg_max corr covar_pop covar_samp"""
)


def is_aggregate(node: Any) -> bool:
    """Whether an expression aggregates the rows of its own SELECT; window functions do not.

    >>> from sqlglot import parse_one
    >>> texts = "1 + sum(x)", "f((select max(y) from t))", "sum(x) over ()", "rank() over (order by sum(x))"
    >>> [is_aggregate(parse_one(f"SELECT {text}").expressions[0]) for text in texts]
    [True, False, False, True]
    """
    for inner in node.find_all(exp.Anonymous, exp.AggFunc):
        name = inner.args.get("this") if isinstance(inner, exp.Anonymous) else inner.sql_name()
        word = str(name).replace(FUNCTION_MARK, "").lower()
        if word not in _AGGREGATES and not isinstance(inner, exp.AggFunc):
            continue
        if word in ("min", "max") and len(inner.expressions) > 1:
            continue  # SQLite's largest of several values
        if not _windowed(inner) and not _nested(inner, node):
            return True
    return False


def _windowed(node: Any) -> bool:
    """Whether a function is that of a window: ``SUM(x) OVER (...)``."""
    while isinstance(node.parent, exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        node = node.parent
    return isinstance(node.parent, exp.Window) and node.parent.this is node


def _nested(inner: Any, outer: Any) -> bool:
    """Whether a node of an expression belongs to a query in it."""
    while inner is not None and not isinstance(inner, exp.Query):
        if inner is outer:
            return False
        inner = inner.parent
    return True


def keys_of(query: Query, scope: Scope) -> list[tuple[Range, Any]]:
    """The keys of a scope's GROUP BY: token range and node; none where there is no plain list of them."""
    node, block = query.select(scope), query.block(scope)
    group = node.args.get("group") if node is not None else None
    found = block.clause("group") if block is not None else None
    if group is None or found is None or block is None:
        return []
    ranges = query.spans.items(found, block)
    return list(zip(ranges, group.expressions, strict=True)) if len(ranges) == len(group.expressions) else []


def forced_grouping(query: Query, scope: Scope, index: int, text: str, new: Any) -> list[TextEdit]:
    """The edits of GROUP BY that follow where the SELECT column at `index` becomes `text`, parsed as `new`.

    A key that was the column's formula becomes the new one; a column that is aggregated now is no key any
    more; one that is not becomes a key where the query groups or aggregates.
    """
    node = query.select(scope)
    items = [item.this if isinstance(item, exp.Alias) else item for item in node.expressions]
    old, others = items[index], [item for n, item in enumerate(items) if n != index]
    if same_formula(old, new):
        return []
    keys = keys_of(query, scope)
    mine = [n for n, (_, key) in enumerate(keys) if same_formula(key, old)]
    if is_aggregate(new):
        if mine and not is_aggregate(old):
            return _without_key(query, keys, mine[0])
        plain = [n for n, item in enumerate(items) if n != index and varies(item)]
        if keys or is_aggregate(old) or not plain or any(is_aggregate(item) for item in others):
            return []
        block = query.block(scope)
        ranges = query.spans.projections(block) if block is not None else []
        wanted = [formula_of(query, ranges[n], node.expressions[n]) for n in plain if n < len(ranges)]
        return with_key(query, scope, ", ".join(wanted))
    if mine:
        start, end = query.offsets(keys[mine[0]][0])
        return [TextEdit(start, end, text)]
    grouped = bool(keys) or any(is_aggregate(item) for item in others)
    if is_aggregate(old) and grouped and varies(new) and not any(same_formula(key, new) for _, key in keys):
        return with_key(query, scope, text)
    return []


def with_key(query: Query, scope: Scope, text: str) -> list[TextEdit]:
    """The edit that makes something a key of the scope's GROUP BY, which may have to be made."""
    block = query.block(scope)
    if block is None:
        return []
    found = block.clause("group")
    if found is not None:
        end = query.offsets(found)[1]
        return [TextEdit(end, end, f", {text}")]
    end = end_of_condition(query, scope)
    return [TextEdit(end, end, f"{query.clause_break(block)}GROUP BY {text}")]


def end_of_condition(query: Query, scope: Scope) -> int:
    """Where WHERE and what comes before it ends: a GROUP BY may stand there."""
    block = query.block(scope)
    assert block is not None
    last = block.end
    for name, index in block.marks:
        if name not in ("from", "into", "where"):
            last = index
            break
    return query.tokens[last - 1].end + 1


def _without_key(query: Query, keys: list[tuple[Range, Any]], index: int) -> list[TextEdit]:
    (first, stop), _ = keys[index]
    if index or len(keys) == 1:  # with its comma, or with GROUP BY
        return query.cut((first - 1, first), (first, stop), lead=True)
    return query.cut((first, stop), (stop, stop + 1), lead=False)


def formula_of(query: Query, found: Range, item: Any) -> str:
    """The text of a SELECT column without its alias."""
    text = query.text(found)
    if not isinstance(item, exp.Alias):
        return text
    alias = item.args["alias"]
    start = alias.meta.get("start") if isinstance(alias, exp.Identifier) else None
    if start is None:
        return text
    first, _ = query.offsets(found)
    head = query.sql[first:start].rstrip()
    return head[:-2].rstrip() if head[-3:].upper().strip() == "AS" else head


def varies(node: Any) -> bool:
    """Whether a column differs between rows of one group."""
    return not is_aggregate(node) and node.find(exp.Column) is not None


def same_formula(one: Any, other: Any) -> bool:
    """Whether two formulas are written alike, but for case and blanks."""
    return bool(_plain(one) == _plain(other))


def _plain(node: Any) -> str:
    return str(unwrap(node).sql(comments=False)).replace(FUNCTION_MARK, "").lower()
