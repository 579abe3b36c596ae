"""One piece of a query replaced by another of its kind, with what follows from that."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from sqlglot import exp

from sqlore.errors import EditError, SqlError
from sqlore.model import Fragment
from sqlore.sql.edit.compare import confirmed
from sqlore.sql.edit.follow import followed_columns
from sqlore.sql.edit.grouping import forced_grouping
from sqlore.sql.edit.query import Place, Query
from sqlore.sql.edit.select import alias_of, alias_uses, used_outside
from sqlore.sql.edit.text import Change, TextEdit
from sqlore.sql.parse import parse_query
from sqlore.sql.render import unwrap

__all__ = ["piece_of", "replaced"]

#: For each clause: what stands before a piece to make it a query, and what of a query it may hold.
_FRAMES: Final[dict[str, tuple[str, frozenset[str]]]] = {
    "condition": ("SELECT 1 FROM x WHERE ", frozenset({"where"})),
    "select": ("SELECT ", frozenset({"expressions"})),
    "order": ("SELECT 1 FROM x ORDER BY ", frozenset({"order"})),
    "group": ("SELECT 1 FROM x ", frozenset({"group"})),
    "tail": ("SELECT 1 FROM x ", frozenset({"order", "limit", "offset"})),
    "from": ("SELECT 1 ", frozenset({"from_", "joins", "laterals"})),
}
_LEADS: Final = re.compile(r"(?:WHERE|HAVING|QUALIFY|ON|AND|OR)\b\s*", re.IGNORECASE)
_PREFIXES: Final = {"group": "GROUP BY", "partition": "PARTITION BY", "from": "FROM"}
_SAID: Final = {
    "condition": "one condition",
    "select": "one formula",
    "order": "one formula, without its direction",
    "group": "a GROUP BY clause",
    "partition": "a PARTITION BY clause",
    "tail": "an ORDER BY or LIMIT clause",
    "window": "an ORDER BY clause",
    "from": "a FROM clause",
    "distinct": "DISTINCT",
    "top": "TOP with a number",
    "using": "a USING clause or an ON condition",
}


def replaced(query: Query, number: int, text: str, extra: Iterable[TextEdit] = ()) -> tuple[Change, Query]:
    """The change that puts `text` in the place of an item, and the query that it leads to.

    The text is one piece of the item's kind; its keyword may be left out. A column of SELECT takes its alias
    along, GROUP BY follows, and a column of SELECT follows a GROUP BY that has another key; `extra` are edits
    elsewhere that the piece needs. Raises `EditError` where the
    text is no such piece, or reaches beyond its place.
    """
    place = query.place(number)
    if place.clause == "query":
        raise query.refused(number, "a whole query is no piece", "give the new SQL as a whole")
    text = piece_of(text, place.clause, query.dialect)
    edits: list[TextEdit] = []
    start, end = query.offsets((place.first, place.stop))
    if place.members and place.clause not in ("select", "order"):
        text = _bracketed(query, place, text)
    elif place.clause == "select":
        text, edits = _column(query, number, place, text)
    edits = [TextEdit(start, end, text), *edits, *extra]
    change, after = confirmed(query, Change(query.sql, tuple(edits)))
    if place.clause == "group":
        follow, notes = followed_columns(query, number, after)
        if follow or notes:
            change, after = confirmed(query, Change(query.sql, (*edits, *follow), tuple(notes)))
    _require_kind(query.fragment(number), place, change, after)
    return change, after


def piece_of(text: str, clause: str, dialect: str) -> str:
    """A piece for a clause, its keyword added or taken away. Raises `EditError` where it is none.

    >>> piece_of("WHERE a = 1;", "where", "sqlite"), piece_of("a, b", "group", "sqlite")
    ('a = 1', 'GROUP BY a, b')
    >>> piece_of("a = 1 ORDER BY b", "where", "sqlite")
    Traceback (most recent call last):
    sqlore.errors.EditError: this is not one condition: it holds ORDER
    """
    text = text.strip().rstrip(";").rstrip()
    if clause in ("where", "having", "qualify", "on"):
        clause, text = "condition", _LEADS.sub("", text, count=1) if _LEADS.match(text) else text
    prefix = _PREFIXES.get(clause)
    if prefix and not re.match(prefix.replace(" ", r"\s+"), text, re.IGNORECASE):
        text = f"{prefix} {text}"
    if not text:
        raise EditError("there is nothing to put in its place", hint="switch it off to take it out")
    if clause in ("distinct", "top", "window", "partition", "using"):
        words = {"window": ("ORDER",), "using": ("USING", "ON", "NATURAL"), "partition": ("PARTITION",)}
        wanted = words.get(clause, (clause.upper(),))
        if text.split(None, 1)[0].upper().partition("(")[0] not in wanted:
            raise EditError(f"this is not {_SAID[clause]}", where=text)
        return text
    _parsed(text, clause, dialect)
    return text


def _parsed(text: str, clause: str, dialect: str) -> Any:
    """The tree of a piece that stands alone in its clause."""
    lead, allowed = _FRAMES[clause]
    try:
        parsed = parse_query(f"{lead}{text}", dialect)
        tree = parsed.tree
    except SqlError as error:
        raise EditError(
            f"this cannot be read as {_SAID[clause]}: {error.message}",
            where=text,
            hint=f"give {_SAID[clause]}",
        ) from error
    if parsed.stop < len(parsed.tokens.tokens):
        raise EditError(f"this is not {_SAID[clause]}: it holds a second statement", where=text)
    own = {"from_", "expressions"} if clause not in ("select", "from") else {"expressions", *allowed}
    held = {key for key, value in tree.args.items() if value} if isinstance(tree, exp.Select) else {"UNION"}
    wrong = sorted(held - allowed - own)
    if wrong:
        named = ", ".join(word.rstrip("_").upper() for word in wrong)
        raise EditError(
            f"this is not {_SAID[clause]}: it holds {named}", where=text, hint="change one piece at a time"
        )
    if clause in ("select", "order"):
        items = tree.expressions if clause == "select" else tree.args["order"].expressions
        directed = clause == "order" and re.search(r"\b(?:ASC|DESC)\s*\Z", text, re.IGNORECASE)
        if len(items) != 1 or directed:
            raise EditError(f"this is not {_SAID[clause]}", where=text, hint="change one piece at a time")
        return items[0]
    return tree


def _bracketed(query: Query, place: Place, text: str) -> str:
    """A condition with OR among others stands in brackets."""
    node = unwrap(_parsed(text, "condition", query.dialect).args["where"].this)
    return f"({text})" if type(node) is exp.Or and len(place.members) > 1 and not _whole(text) else text


def _whole(text: str) -> bool:
    """Whether one pair of brackets holds all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for index, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and index < len(text) - 1:
            return False
    return True


def _column(query: Query, number: int, place: Place, text: str) -> tuple[str, list[TextEdit]]:
    """The formula without its alias, and the edits of alias and GROUP BY that follow."""
    scope = query.scope(number)
    item = _parsed(text, "select", query.dialect)
    edits: list[TextEdit] = []
    if isinstance(item, exp.Alias):
        name = item.alias
        text = _without_alias(text, item)
        edits += _renamed(query, number, place, name)
        item = item.this
    return text, edits + forced_grouping(query, scope, place.index, text, item)


def _without_alias(text: str, item: Any) -> str:
    start = item.args["alias"].meta["start"] - len(_FRAMES["select"][0])
    return re.sub(r"\s+AS\s*\Z|\s+\Z", "", text[:start], flags=re.IGNORECASE)


def _renamed(query: Query, number: int, place: Place, name: str) -> list[TextEdit]:
    """The edits that give a SELECT column another alias, wherever its SELECT uses it."""
    scope = query.scope(number)
    alias = alias_of(query, scope, place.index)
    if alias is None:
        end = query.offsets((place.first, place.stop))[1]
        return [TextEdit(end, end, f" AS {name}")]
    if alias.name.lower() == name.lower():
        return []
    if query.fragment(number).scope != "main" and used_outside(query, alias.name):
        raise query.refused(
            number, f"another part of the query uses its column {alias.name}", "keep the name"
        )
    uses = [(start, end) for start, end, _ in alias_uses(query, scope, alias.name)]
    own = (alias.meta["start"], alias.meta["end"] + 1)
    return [TextEdit(start, end, name) for start, end in (own, *uses)]


def _require_kind(fragment: Fragment, place: Place, change: Change, after: Query) -> None:
    """Raises where what stands in the place now is of another kind."""
    if place.clause in ("select", "order"):
        return
    place_now = (s[2:] for s in change.spans if s[:2] == (fragment.start, fragment.end))
    found = next(place_now, None)
    if found is None:
        return  # it was replaced by itself
    start, end = found
    inside = [f for f in after.fragments if start <= f.start and f.end <= end and f.kind != "query"]
    if place.clause == "from":
        return  # of one table it is no relation any more
    if not any(f.kind == fragment.kind and f.form == fragment.form for f in inside):
        kinds = ", ".join(dict.fromkeys(f.kind for f in inside)) or "no piece of knowledge"
        raise EditError(
            f"in the place of a {fragment.kind} this is {kinds}",
            where=change.after[start:end],
            hint="change it to a piece of the same kind, or switch it off and add another",
        )
