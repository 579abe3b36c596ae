"""The public act of this room: a script taken apart into fragments, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sqlore.errors import ParseError
from sqlore.model import VAL, Fragment, Naming, ParsedScript, Schema, Script
from sqlore.sql.drafts import Draft, Named
from sqlore.sql.fragments import Walker
from sqlore.sql.numbering import has_tags, numbered
from sqlore.sql.parse import Parsed, parse_queries
from sqlore.sql.resolve import LITERAL, Piece, Scope
from sqlore.sql.spans import Spans

_ORDER: Final = {"query": 0, "relation": 1, "output": 2, "dimension": 3, "calculation": 4, "condition": 5}


def parse_script(
    script: Script | str, dialect: str | None = None, schema: Schema | None = None
) -> ParsedScript:
    """Take a script apart into fragments of the five kinds and the whole query.

    The dialect is the argument, else the script's own, else the schema's, else the general one. The schema
    resolves columns without a table; nothing in it is required to exist. Raises `ParseError` or
    `NotAQuery`, with the position of the failure. The kinds are those of BIRD-History, section 4 and A.2.

    >>> parsed = parse_script("SELECT COUNT(T1.id) FROM superhero AS T1 WHERE T1.full_name IS NULL", "sqlite")
    >>> for fragment in parsed.fragments:
    ...     print(fragment.key)
    query: select count(superhero.id) from superhero where superhero.full_name is null
    calculation: count(superhero.id)
    condition: superhero.full_name is null

    A text of several queries gives the fragments of all; those of the second have the scope ``statement:2``.
    Its one query fragment runs from the first to the last, and joins their skeletons with a semicolon.

    >>> parse_script("DECLARE @n INT = 3; SELECT a FROM t; SELECT b FROM u", "tsql").skeleton
    'select t.a from t; select u.b from u'
    """
    if isinstance(script, str):
        script = Script(script)
    chosen = (dialect or script.dialect or (schema.dialect if schema else "") or "").lower()
    parts = [assemble(script, walk(parsed, chosen, schema)) for parsed in parse_queries(script.sql, chosen)]
    return parts[0] if len(parts) == 1 else _joined(script, parts)


def walk(parsed: Parsed, dialect: str, schema: Schema | None, *, strict: bool = False) -> Walker:
    """Walk a parsed query; `strict` reads it as a skeleton.

    Raises `ParseError` where it is nested too deeply.
    """
    spans = Spans(parsed.tokens.tokens, parsed.tokens.kinds, parsed.first, parsed.stop)
    walker = Walker(parsed.tokens, spans, dialect, schema)
    walker.strict = strict
    try:
        walker.run(parsed.tree)
    except RecursionError as error:
        raise ParseError("the query is nested too deeply", position=0, line=1, column=1) from error
    return walker


def in_order(drafts: Iterable[Draft]) -> list[Draft]:
    """Drafts in the order of the fragments that they become: by place, the longer first."""
    return sorted(drafts, key=lambda draft: (draft.start, -draft.end, _ORDER[draft.kind]))


def assemble(script: Script, walker: Walker) -> ParsedScript:
    """What a walker found in a script; its fragments are those of `in_order(walker.drafts)`, one by one."""
    paths = scope_paths(walker.scopes)
    fragments = tuple(_fragment(script.sql, draft, paths) for draft in in_order(walker.drafts))
    whole = next(fragment for fragment in fragments if fragment.kind == "query")
    tables: set[str] = set(whole.tables)
    columns: set[str] = set(whole.columns)
    for fragment in fragments:
        tables.update(fragment.tables)
        columns.update(fragment.columns)
    namings = tuple(_naming(named, walker.scopes) for named in walker.named)
    return ParsedScript(
        script, fragments, whole.skeleton, tuple(sorted(tables)), tuple(sorted(columns)), namings
    )


def _joined(script: Script, parts: list[ParsedScript]) -> ParsedScript:
    """Several queries as one script: every fragment of each, and one query fragment for the whole."""
    queries = [next(f for f in part.fragments if f.kind == "query") for part in parts]
    start, end = queries[0].start, queries[-1].end
    tables, columns = (
        tuple(sorted({name for part in parts for name in getattr(part, names)}))
        for names in ("tables", "columns")
    )
    whole = Fragment(
        "query",
        script.sql[start:end],
        "; ".join(query.skeleton for query in queries),
        "; ".join(query.canonical for query in queries),
        start,
        end,
        literals=tuple(value for query in queries for value in query.literals),
        form="query",
        tables=tables,
        columns=columns,
    )
    fragments = [
        replace(fragment, scope=_scope_in(number, fragment.scope))
        for number, part in enumerate(parts, 1)
        for fragment in part.fragments
        if fragment.kind != "query"
    ]
    namings = tuple(naming for part in parts for naming in part.namings)
    return ParsedScript(script, (whole, *fragments), whole.skeleton, tables, columns, namings)


def _scope_in(number: int, scope: str) -> str:
    """``main`` of the second query is ``statement:2``, and what lies in it or beside it follows."""
    if number == 1:
        return scope
    inner = scope.removeprefix("main").removeprefix("/")
    return f"statement:{number}/{inner}" if inner else f"statement:{number}"


def _fragment(sql: str, draft: Draft, paths: dict[int, str]) -> Fragment:
    piece = draft.piece
    if has_tags(piece.text):
        piece = piece._replace(text=numbered(piece.text))
    text = piece.text
    values = sorted(piece.values, key=lambda value: value.offset) if len(piece.values) > 1 else piece.values
    return Fragment(
        draft.kind,
        sql[draft.start : draft.end],
        text.replace(LITERAL, VAL),
        canonical_text(piece),
        draft.start,
        draft.end,
        paths[id(draft.scope)],
        tuple([word for value in values for word in value.values]),
        draft.form,
        _tables(piece),
        _columns(piece),
    )


def canonical_text(piece: Piece) -> str:
    """The text of a piece with its literals in place."""
    text = piece.text
    if has_tags(text):
        text = numbered(text)
    if not piece.values:
        return text
    parts = text.split(LITERAL)
    out = [parts[0]]
    for index, part in enumerate(parts[1:]):
        out.append(piece.values[index].text if index < len(piece.values) else VAL)
        out.append(part)
    return "".join(out)


def _tables(piece: Piece) -> tuple[str, ...]:
    if len(piece.references) == 1:
        table = piece.references[0][0]
        return (table,) if table else ()
    return tuple(sorted({table for table, _ in piece.references if table}))


def _naming(named: Named, scopes: list[Scope]) -> Naming:
    """What a projection is called; of a column of a table that stands twice there, the name of a role.

    ``SELECT e.name AS employee, b.name AS boss`` of one table: neither is the name of the column.
    """
    text, columns = canonical_text(named.piece), _columns(named.piece)
    if columns == (text,) and _is_role(named, scopes):
        columns = ()
    return Naming(text, named.alias, columns)


def _is_role(named: Named, scopes: list[Scope]) -> bool:
    """Whether the table of a bare column is read twice: beside it, in a subquery, or around this one."""
    if has_tags(named.piece.text):
        return True
    table, here = named.piece.references[0][0], named.scope
    beside = [one for one in scopes if one.label == "subquery" and one.path_parent is here]
    if here.label == "subquery" and here.path_parent is not None:
        beside.append(here.path_parent)
    return _reads(here, table) and any(_reads(scope, table) for scope in beside)


def _reads(scope: Scope, table: str) -> bool:
    return any(source.base == table for source in scope.sources)


def _columns(piece: Piece) -> tuple[str, ...]:
    if len(piece.references) == 1:
        column = piece.references[0][1]
        return (column,) if column else ()
    return tuple(sorted({column for _, column in piece.references if column}))


def scope_paths(scopes: list[Scope]) -> dict[int, str]:
    """The path of every scope: siblings are counted from 1 in the order of the text."""
    children: dict[int, list[Scope]] = {}
    out: dict[int, str] = {}
    for scope in scopes:
        if scope.path_parent is None:
            out[id(scope)] = scope.label
        else:
            children.setdefault(id(scope.path_parent), []).append(scope)
    pending = list(out)
    while pending:
        parent = pending.pop()
        counts: dict[str, int] = {}
        for scope in sorted(children.get(parent, ()), key=lambda s: s.start):
            counts[scope.label] = counts.get(scope.label, 0) + 1
            out[id(scope)] = f"{out[parent]}/{scope.label}:{counts[scope.label]}"
            pending.append(id(scope))
    return out
