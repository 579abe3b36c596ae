"""Pieces put into a query: a condition, a column, a key, an order, the join of a table that is missing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from sqlglot import TokenType, exp

from sqlore.errors import EditError
from sqlore.model import Table
from sqlore.sql.edit.grouping import end_of_condition, is_aggregate, keys_of, with_key
from sqlore.sql.edit.query import Query
from sqlore.sql.edit.sources import parts_of
from sqlore.sql.edit.text import TextEdit
from sqlore.sql.names import spell
from sqlore.sql.parse import parse_query
from sqlore.sql.render import unwrap
from sqlore.sql.resolve import Scope, Source
from sqlore.sql.spans import Block, position_of

__all__ = ["aliases_of", "around", "inserted", "joined", "new_alias", "told_apart", "written_alias"]


def inserted(query: Query, scope: Scope, kind: str, text: str) -> list[TextEdit]:
    """The edits that put a piece of that kind into the right clause of a scope.

    Raises `EditError` where the clause is there already and holds one piece only.
    """
    if kind == "output" and not text.upper().startswith("DISTINCT"):
        return _tail(query, scope, text)
    block = query.block(scope)
    if query.select(scope) is None or block is None:
        raise EditError(f"a {kind} cannot be added to a UNION", hint="choose one of its queries")
    if kind == "condition":
        return _condition(query, scope, block, text)
    if kind == "calculation":
        return _column(query, scope, block, text)
    if kind == "dimension":
        return _keys(query, scope, block, text)
    return _distinct(query, scope, block)


# ------------------------------------------------------------------ clauses


def _condition(query: Query, scope: Scope, block: Block, text: str) -> list[TextEdit]:
    """AND it to WHERE, or to HAVING where it aggregates; what is there with OR gets brackets."""
    node = unwrap(parse_query(f"SELECT 1 FROM x WHERE {text}", query.dialect).tree.args["where"].this)
    clause = "having" if is_aggregate(node) else "where"
    text = f"({text})" if type(node) is exp.Or else text
    found = block.clause(clause)
    if found is None:
        end = end_of_condition(query, scope)
        if clause == "having":
            group = block.clause("group")
            end = query.offsets(group)[1] if group is not None else end
        return [TextEdit(end, end, f"{query.clause_break(block)}{clause.upper()} {text}")]
    start, end = query.offsets((found[0] + 1, found[1]))
    there = unwrap(query.select(scope).args[clause].this)
    edits = [TextEdit(end, end, f"{_and_break(query, found)}AND {text}")]
    if type(there) is exp.Or and len(query.spans.predicates(found[0] + 1, found[1])) > 1:
        closed = query.spans.match.get(found[0] + 1) == found[1] - 1
        if not closed:
            edits = [
                TextEdit(start, start, "("),
                TextEdit(end, end, f"){_and_break(query, found)}AND {text}"),
            ]
    return edits


def _column(query: Query, scope: Scope, block: Block, text: str) -> list[TextEdit]:
    """A further column at the end of the SELECT list; a key too where the query groups."""
    ranges = query.spans.projections(block)
    if not ranges:
        raise EditError("this query has no list of columns", hint="change the whole SQL by hand")
    end = query.offsets(ranges[-1])[1]
    space = query.line_break(ranges[-1][0]) or " "
    edits = [TextEdit(end, end, f",{space}{text}")]
    new = parse_query(f"SELECT {text}", query.dialect).tree.expressions[0]
    items = [item.this if isinstance(item, exp.Alias) else item for item in query.select(scope).expressions]
    grouped = bool(keys_of(query, scope)) or any(is_aggregate(item) for item in items)
    if grouped and not is_aggregate(new) and new.find(exp.Column) is not None:
        edits += with_key(query, scope, text)
    elif is_aggregate(new) and not grouped:
        plain = [n for n, item in enumerate(items) if item.find(exp.Column) is not None]
        texts = [_plain(query, ranges[n], query.select(scope).expressions[n]) for n in plain]
        edits += with_key(query, scope, ", ".join(texts)) if texts else []
    return edits


def _plain(query: Query, found: tuple[int, int], item: exp.Expr) -> str:
    """A SELECT column as GROUP BY names it: without its alias."""
    first, stop = found
    if isinstance(item, exp.Alias):
        stop -= 1
        stop -= query.tokens[stop - 1].text.upper() == "AS"
    return query.text((first, stop))


def _keys(query: Query, scope: Scope, block: Block, text: str) -> list[TextEdit]:
    """Keys of GROUP BY that are not there yet."""
    keys = re.sub(r"\A\s*GROUP\s+BY\s+", "", text, flags=re.IGNORECASE)
    if block.clause("group") is None:
        end = end_of_condition(query, scope)
        return [TextEdit(end, end, f"{query.clause_break(block)}GROUP BY {keys}")]
    there = {key.sql().lower() for _, key in keys_of(query, scope)}
    asked = parse_query(f"SELECT 1 FROM x GROUP BY {keys}", query.dialect).tree.args["group"].expressions
    missing = [key for key in asked if key.sql().lower() not in there]
    if not missing:
        raise EditError("the query groups by this already")
    return with_key(query, scope, keys if len(missing) == len(asked) else ", ".join(
        key.sql(dialect=query.dialect or None) for key in missing))  # fmt: skip


def _distinct(query: Query, scope: Scope, block: Block) -> list[TextEdit]:
    if query.select(scope).args.get("distinct") is not None:
        raise EditError("the query is DISTINCT already")
    end = query.tokens[block.start].end + 1
    return [TextEdit(end, end, " DISTINCT")]


def _tail(query: Query, scope: Scope, text: str) -> list[TextEdit]:
    """ORDER BY and LIMIT at the end of a scope that has neither."""
    numbers = [n for n, draft in enumerate(query.drafts) if draft.scope is scope]
    for number in numbers:
        if query.fragment(number).kind == "output" and query.place(number).clause == "tail":
            raise query.refused(number, "the query is sorted or limited already", "edit that item instead")
    node, block = query.select(scope), query.block(scope)
    if node is None or block is None:
        if scope.path_parent is not None or scope.label != "main":
            raise EditError(
                "a UNION inside a query cannot be sorted here", hint="change the whole SQL by hand"
            )
        end = query.tokens[query.spans.stop - 1].end + 1
        return [TextEdit(end, end, f" {text}")]
    if scope.label == "union":
        raise EditError("one query of a UNION cannot be sorted alone", hint="sort the whole (scope main)")
    end = query.tokens[block.end - 1].end + 1
    return [TextEdit(end, end, f"{query.clause_break(block)}{text}")]


# ------------------------------------------------------------------ line breaks like those around


def _and_break(query: Query, found: tuple[int, int]) -> str:
    """What stands before a further AND: as before the last one there is."""
    last = next(
        (i for i in range(found[1] - 1, found[0], -1) if query.tokens[i].token_type is TokenType.AND), None
    )
    return (query.line_break(last) if last is not None else "") or " "


# ------------------------------------------------------------------ sources


def aliases_of(query: Query, scope: Scope, *, named: bool = False) -> dict[str, str]:
    """What the scope calls each base table, as it is written; the first of several instances.

    It is nothing where there is one table and its columns stand without it, unless it has to be `named`.
    """
    found: dict[str, str] = {}
    for source in scope.sources:
        if source.base and source.base not in found:
            found[source.base] = written_alias(query, scope, source)
    bare = len(scope.sources) == 1 and not any(
        use.node.args.get("table") is not None for use in query.uses if use.owner is scope
    )
    return dict.fromkeys(found, "") if bare and not named else found


def new_alias(query: Query, scope: Scope, table: str, taken: Collection[str]) -> str:
    """What a table is called that joins a scope: in the way of the others there, and like none it may see."""
    used = {name.strip('"`[]').lower() for name in taken}
    used |= {source.alias.lower() for one in (scope, *around(scope)) for source in one.sources}
    aliased = [s.alias for s in scope.sources if s.alias.lower() != s.base.rpartition(".")[2].strip('"')]
    if not aliased and table.lower() not in used:
        return table
    written = list(aliases_of(query, scope, named=True).values())
    numbered = next((m for name in written if (m := re.fullmatch(r"([A-Za-z]+)\d+", name))), None)
    stem = numbered.group(1) if numbered else "".join(word[:1] for word in table.lower().split("_"))
    stem = stem if re.fullmatch(r"[A-Za-z]\w*", stem) else "t"
    start = len(scope.sources) + 1
    names = [stem] if not numbered else []
    names += [f"{stem}{n}" for n in range(start if numbered else 2, start + 100)]
    return next(name for name in names if name.lower() not in used and name.upper() not in ("AS", "ON", "OR"))


def around(scope: Scope) -> Iterator[Scope]:
    """The scopes that a scope is nested in, the nearest first."""
    outer = scope.parent
    while outer is not None:
        yield outer
        outer = outer.parent


def joined(query: Query, scope: Scope, joins: Iterable[str]) -> list[TextEdit]:
    """The edit that puts joins (``JOIN t AS x ON ...``) at the end of a scope's FROM."""
    block = query.block(scope)
    found = block.clause("from") if block is not None else None
    if found is None:
        raise EditError("this query has no FROM to join a table to", hint="change the whole SQL by hand")
    parts = parts_of(query, scope) or []
    last = query.line_break(parts[-1].first) if len(parts) > 1 else ""
    end = query.offsets(found)[1]
    return [TextEdit(end, end, "".join(f"{last or ' '}{join}" for join in joins))]


def told_apart(query: Query, scope: Scope, added: Iterable[Table]) -> list[TextEdit]:
    """The edits that put a table before columns without one that a joined table has too.

    Those of an outer query are among them, where the scope or one inside it uses them.
    """
    names = {column.name.lower() for table in added for column in table.columns}
    outer = list(around(scope))
    edits: dict[int, TextEdit] = {}
    for use in query.uses:
        start, owner = position_of(use.node), use.owner
        if use.node.args.get("table") is not None or use.node.name.lower() not in names or start < 0:
            continue
        if owner is None or use.source is None or use.node.name.lower() in owner.merged:
            continue
        if owner is scope or (owner in outer and scope in (use.scope, *around(use.scope))):
            alias = written_alias(query, owner, use.source)
            edits.update({start: TextEdit(start, start, f"{alias}.")} if alias else {})
    return list(edits.values())


def written_alias(query: Query, scope: Scope, source: Source) -> str:
    """What a source of a scope is called, as it is written; empty where it is none of its own."""
    parts = parts_of(query, scope)
    at = next((n for n, one in enumerate(scope.sources) if one is source), None)
    if at is None:
        return ""
    if parts is not None:
        token = query.tokens[parts[at].stop - 1]
        return query.sql[token.start : token.end + 1]
    quoted = spell(source.alias) != source.alias
    return str(exp.to_identifier(source.alias, quoted=quoted).sql(query.dialect or None))
