"""Items switched off, each against the same piece taken out of sqlglot's tree by hand."""

from __future__ import annotations

import re

from sqlglot import exp

from independent import Own, TooMuch, bag
from join_checks import Found
from select_parts import expression, predicates, read, spelled
from sqlore.answer.refine.change import DraftItem, Refiner
from sqlore.errors import EditError
from sqlore.sql.edit.text import applied

#: What may go with a piece: words and signs that only it needed.
_WITH_IT = {
    "AND",
    "OR",
    "WHERE",
    "HAVING",
    "QUALIFY",
    ",",
    "(",
    ")",
    "ORDER",
    "BY",
    "AS",
    "ASC",
    "DESC",
    "DISTINCT",
}


def check_off(sql: str, refiner: Refiner, own: Own, found: Found, script: str) -> None:
    """Every item of a query switched off; its SQL and its rows are those of the tree without the piece."""
    found.scripts += 1
    for item in refiner.items(sql)[1:]:
        kind = f"off {item.clause or item.kind}"
        try:
            step = refiner.off(sql, item.number, joins="none")
        except EditError as error:
            found.skip(kind, _reason(error.message))
            continue
        new = applied(sql, step.edits)
        _outside(sql, new, item, found, script, kind)
        _same_joins(
            sql, new, applied(sql, refiner.off(sql, item.number).edits), own, found, f"{script} {kind}"
        )
        tree = without(sql, item, refiner.query(sql).dialect)
        if tree is None:
            found.skip(kind, "not taken out by hand here")
            continue
        dialect = own.dialect
        ours, theirs = (_flat(one, dialect) for one in (read(new, dialect), tree))
        found.compare(f"{kind}: SQL", script, ours, theirs, item.sql)
        try:
            rows = [bag(own.run(text)) for text in (new, tree.sql(dialect, comments=False))]
        except TooMuch:
            found.skip(kind, "too many rows or too slow to check")
        except own.errors as error:
            found.skip(kind, f"does not run any more: {str(error)[:50]}")
        else:
            found.compare(f"{kind}: rows", script, *rows, item.sql)


def _same_joins(sql: str, kept: str, new: str, own: Own, found: Found, where: str) -> None:
    """A join that goes with an item, since nothing else needs it, changes no row."""
    if new == kept:
        return
    try:
        rows = [bag(own.run(text)) for text in (new, kept)]
    except (*own.errors, TooMuch):
        found.skip("off with its join", "does not run or takes too long")
    else:
        found.compare("off with its join: rows", where, *rows, new)


def _reason(message: str) -> str:
    """Why an item cannot be switched off, without the names of this query."""
    text = message.rpartition(": ")[2] if "needs the tables" not in message else "the query needs the tables"
    return text[:70]


def _outside(sql: str, new: str, item: DraftItem, found: Found, script: str, kind: str) -> None:
    """Byte for byte: in front of and behind one place nothing has changed, and only the piece stood there."""
    front = 0
    while front < min(len(sql), len(new)) and sql[front] == new[front]:
        front += 1
    back = 0
    while back < min(len(sql), len(new)) - front and sql[-1 - back] == new[-1 - back]:
        back += 1
    gone, put = sql[front : len(sql) - back], new[front : len(new) - back]
    if put.split("--")[0].strip() and item.clause not in ("on", "select", "group"):
        found.differs.append((kind, script, f"{item.sql}: {put!r} was put in"))
    if item.clause not in ("where", "having", "tail", "distinct"):
        return
    # the same text can be read as gone a little earlier or later: compare what it is made of
    rest = re.sub(r"--[^\n]*|/\*.*?\*/", " ", gone, flags=re.S)
    for word in sorted(item.sql.split(), key=len, reverse=True):
        rest = rest.replace(word, " ", 1)
    words = [word for word in rest.replace("(", " ( ").replace(")", " ) ").split() if word]
    strange = [word for word in words if word.upper() not in _WITH_IT and word not in item.sql]
    found.compare(f"{kind}: the rest byte for byte", script, strange, [], f"{item.sql} -> {gone!r}")


# ------------------------------------------------------------------ by hand


def without(sql: str, item: DraftItem, dialect: str) -> exp.Expression | None:
    """The tree of a query without one item; None where that is not done by hand."""
    tree = read(sql, dialect)
    key = None
    if item.clause == "tail":
        return tree if _tail(tree, item.sql, dialect) else None
    if item.clause == "distinct":
        written = [select for select in _selects(tree) if select.args.get("distinct")]
        if len(written) == 1:
            written[0].set("distinct", None)
        return tree if len(written) == 1 else None
    if item.clause == "group" and dialect != "sqlite":
        return None  # a strict dialect makes columns go too
    if item.clause in ("where", "having", "on", "select", "order"):
        key = spelled(expression(item.sql, dialect), dialect)
    for number, select in enumerate(_selects(tree)):
        if number != _select_of(item, tree):
            continue
        if item.clause in ("where", "having"):
            return tree if _condition(select, item.clause, key or "", dialect) else None
        if item.clause == "on" and item.kind == "condition":
            return (
                tree if any(_condition(j, "on", key or "", dialect) for j in select.args["joins"]) else None
            )
        if item.clause == "group" and not select.args.get("having"):
            select.set("group", None)
            return tree
        if item.clause == "select":
            return tree if _projection(select, key or "", dialect) else None
        if item.clause == "order":
            return tree if _key(select, key or "", dialect) else None
    return None


def _tail(tree: exp.Expression, text: str, dialect: str) -> bool:
    """Takes ORDER BY and LIMIT from the query that ends with this text."""
    names = ("order", "limit", "offset")

    def written(query: exp.Expression) -> list[str]:
        return [spelled(query.args[name], dialect) if query.args.get(name) else "" for name in names]

    wanted = written(read(f"SELECT 1 {text}", dialect))
    found = [query for query in tree.find_all(exp.Query) if written(query) == wanted]
    if len(found) != 1:
        return False
    for name in names:
        found[0].set(name, None)
    return True


def _selects(tree: exp.Expression) -> list[exp.Expression]:
    """The SELECTs in the order of the text: by the first token that each holds in its own FROM or list."""
    return [node for node in tree.dfs() if isinstance(node, exp.Select)]


def _select_of(item: DraftItem, tree: exp.Expression) -> int:
    """The number of the SELECT whose own names the item holds; -1 where none is sure."""
    for number, select in enumerate(_selects(tree)):
        names = (n for n in select.find_all(exp.Identifier) if n.find_ancestor(exp.Select) is select)
        if any(item.start <= int(name.meta.get("start", -1)) < item.end for name in names):
            return number
    return -1


def _condition(holder: exp.Expression, clause: str, key: str, dialect: str) -> bool:
    """Takes a predicate out of a condition; the first that is spelled so."""
    inside = holder.args.get(clause)
    if inside is None:
        return False
    condition = inside if clause == "on" else inside.this
    atom = next((one for one in predicates(condition) if spelled(one, dialect) == key), None)
    if atom is None:
        return False
    gone: exp.Expression = atom
    while gone is not condition and isinstance(gone.parent, exp.Paren):
        gone = gone.parent
    if gone is condition:
        holder.set(clause, exp.true() if clause == "on" else None)
        return True
    parent = gone.parent
    parent.replace(parent.right if parent.left is gone else parent.left)
    return True


def _projection(select: exp.Expression, key: str, dialect: str) -> bool:
    """Takes a column out of a SELECT, whose alias nothing uses."""
    item = next((e for e in select.expressions if spelled(e.unalias(), dialect) == key), None)
    if item is None or len(select.expressions) < 2:
        return False
    used = isinstance(item, exp.Alias) and any(
        c.name.lower() == item.alias.lower() for c in select.root().find_all(exp.Column)
    )
    ordinals = any(
        isinstance(k.this if isinstance(k, exp.Ordered) else k, exp.Literal)
        for clause in ("order", "group")
        for k in (select.args[clause].expressions if select.args.get(clause) else ())
    )
    if used or ordinals:
        return False
    select.set("expressions", [e for e in select.expressions if e is not item])
    return True


def _key(select: exp.Expression, key: str, dialect: str) -> bool:
    order = select.args.get("order")
    found = next((o for o in order.expressions if spelled(o.this, dialect) == key), None) if order else None
    if found is None:
        return False
    rest = [o for o in order.expressions if o is not found]
    order.set("expressions", rest)
    if not rest:
        select.set("order", None)
    return True


def _flat(tree: exp.Expression, dialect: str) -> str:
    """A tree in one spelling, without brackets that say nothing."""
    copy = tree.copy()
    for paren in list(copy.find_all(exp.Paren)):
        inner, parent = paren.this, paren.parent
        alike = isinstance(parent, exp.Where | exp.Having | exp.Join | exp.Paren)
        both = isinstance(parent, exp.And) and isinstance(inner, exp.And)
        both = both or (isinstance(parent, exp.Or) and isinstance(inner, exp.Or))
        plain = isinstance(parent, exp.And | exp.Or) and not isinstance(inner, exp.And | exp.Or)
        if alike or both or plain:
            paren.replace(inner)
    return copy.sql(dialect, comments=False)
