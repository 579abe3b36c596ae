"""What lies within a value: a key of a document or map, an item of a list, and what a list contains.

SQL has a dozen spellings of each, and the keys are the words that a question uses: `extra ->> 'city'` is the
city of extra. Items are counted from one, as people do; JSON and the brackets of canonical text from zero.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple

from sqlglot import exp

from sqlore.catalog.names import humanize, word_set
from sqlore.knowledge.describe.conditional import bare
from sqlore.knowledge.describe.functions import arguments, function_name, text_of

__all__ = ["Holding", "Inner", "holding", "inner", "is_of_column", "spoken_json"]

_ARROWS: Final = (exp.JSONExtract, exp.JSONExtractScalar, exp.JSONBExtract, exp.JSONBExtractScalar)
_TAKERS: Final = word_set(
    """json_value json_query json_extract_string json_extract_path json_extract_path_text jsonb_extract_path
    jsonb_extract_path_text get_json_object jsonextractstring jsonextractint jsonextractfloat jsonextractbool
    jsonextractraw struct_extract map_extract map_extract_value element_at list_extract array_extract
    list_element"""
)
_FROM_ONE: Final = word_set("ordinal safe_ordinal element_at list_extract array_extract list_element")
_OFFSETS: Final = word_set("offset safe_offset ordinal safe_ordinal")
_ONE: Final = word_set(
    "list_contains array_contains list_has array_has has contains json_contains arraycontains"
)
_ALL: Final = word_set("list_has_all array_has_all hasall array_contains_all arraycontainsall")
_ANY: Final = word_set("list_has_any array_has_any hasany array_overlaps arrays_overlap arrayoverlaps")
_KEYS: Final[dict[type[exp.Expr], str]] = {
    exp.JSONBContainsTopKey: "and",
    exp.JSONBContainsAnyTopKeys: "or",
    exp.JSONBContainsAllTopKeys: "and",
}
_STEP: Final = re.compile(r'"([^"]+)"|\[(-?\d+)\]|\[\'([^\']+)\'\]|([^.\[\]$*"]+)')


class Inner(NamedTuple):
    """A part of a value: the value, and the steps from it to the part, the first one first."""

    value: exp.Expr
    steps: tuple[str | exp.Expr, ...]


class Holding(NamedTuple):
    """That a value contains others: all of them ("and"), or one at least ("or")."""

    value: exp.Expr
    parts: tuple[exp.Expr, ...]
    word: str
    negated: bool = False
    keys: bool = False

    @property
    def given(self) -> bool:
        """Whether the value is written out in the condition, so that it speaks of what is within it."""
        value = bare(self.value)
        return len(self.parts) == 1 and (isinstance(value, exp.Array) or text_of(value) is not None)

    @property
    def subject(self) -> exp.Expr:
        """What the condition speaks of."""
        return self.parts[0] if self.given else self.value

    @property
    def verb(self) -> str:
        return "within" if self.given else "has" if self.keys else "contains"


def inner(node: exp.Expr) -> Inner | None:
    """The part of a value that a formula takes, None for any other formula."""
    if isinstance(node, _ARROWS):
        steps = _steps(node.expression, 0)
        return Inner(node.this, steps) if steps else None
    if isinstance(node, exp.Bracket) and len(node.expressions) == 1:
        return Inner(node.this, (_bracketed(node.expressions[0]),))
    if isinstance(node, exp.Dot):
        return Inner(node.this, (_key(node.expression.name),))
    if isinstance(node, exp.Lambda) and len(node.expressions) == 1 and text_of(node.this) is not None:
        # An arrow as an argument: `f(extra -> 'items')` is read as a lambda.
        return Inner(exp.column(node.expressions[0].copy()), _steps(node.this, 0))
    if not isinstance(node, exp.Func):
        return None
    name, given = function_name(node), arguments(node)
    if name == "json_unquote" and given:
        return inner(given[0])
    if name not in _TAKERS or len(given) < 2:
        return None
    first = 1 if name in _FROM_ONE else 0
    return Inner(given[0], tuple(step for one in given[1:] for step in _steps(one, first)))


def is_of_column(node: exp.Expr) -> bool:
    """Whether a formula is a column, or a part of one."""
    node = bare(node)
    while (found := inner(node)) is not None:
        node = bare(found.value)
    return isinstance(node, exp.Column)


def holding(node: exp.Expr) -> Holding | None:
    """What a condition says a value contains, None for any other condition."""
    if isinstance(node, (exp.EQ, exp.NEQ)):
        return _quantified(node)
    if isinstance(node, exp.In):
        unnest, field = node.args.get("unnest"), node.args.get("field")
        found = unnest.expressions[0] if isinstance(unnest, exp.Unnest) else field
        return Holding(found, (node.this,), "and") if isinstance(found, exp.Expr) else None
    if type(node) in _KEYS:
        return Holding(node.this, _members(node.expression), _KEYS[type(node)], keys=True)
    if isinstance(node, exp.ArrayContainedBy):
        return Holding(node.expression, (node.this,), "and")
    if isinstance(node, exp.JSONArrayContains):
        return Holding(node.expression, (node.this,), "and")
    name, given = (function_name(node), arguments(node)) if isinstance(node, exp.Func) else ("", [])
    if len(given) < 2 or name not in _ONE | _ALL | _ANY:
        return None
    value, part = given[:2]
    if text_of(bare(value)) is not None and text_of(bare(part)) is None:
        value, part = part, value  # Snowflake names the value first
    if len(given) > 2 and name == "json_contains":
        value = exp.Anonymous(this="json_value", expressions=[value.copy(), given[2].copy()])
    parts = (part,) if name in _ONE else _members(part)
    return Holding(value, parts, "or" if name in _ANY else "and")


def spoken_json(text: str) -> str | None:
    """A document as words, `{"city": "Rome"}` -> city Rome; None where the text is none.

    >>> spoken_json('{"homeCity": "Rome", "tags": ["a", 1]}'), spoken_json("Rome")
    ('home city Rome, tags a, 1', None)
    """
    if text[:1] not in ("{", "[", '"'):
        return None
    try:
        return _said(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{_key(key)} {_said(one)}" for key, one in value.items())
    return ", ".join(map(_said, value)) if isinstance(value, list) else str(value)


def _quantified(node: exp.Expr) -> Holding | None:
    """`'a' = ANY(list)` and `'a' <> ALL(list)`, either way round."""
    for side, other in ((node.this, node.expression), (node.expression, node.this)):
        wanted = "any" if isinstance(node, exp.EQ) else "all"
        if function_name(side) == wanted and arguments(side):
            listed = bare(arguments(side)[0])
            if isinstance(listed, (exp.Select, exp.Subquery, exp.Array)) or text_of(listed) is not None:
                return None
            return Holding(listed, (other,), "and", isinstance(node, exp.NEQ))
    return None


def _members(node: exp.Expr) -> tuple[exp.Expr, ...]:
    node = bare(node)
    return tuple(node.expressions) if isinstance(node, exp.Array) else (node,)


def _steps(node: exp.Expr, first: int) -> tuple[str | exp.Expr, ...]:
    """The steps that a path says; its items are counted from `first`."""
    if isinstance(node, exp.JSONPath):
        parts = [part.this for part in node.expressions if "this" in part.args]
        return tuple(_item(part, 0) if isinstance(part, int) else _key(str(part)) for part in parts)
    text = text_of(node)
    if text is None:
        return (node,)
    if text.lstrip("-").isdigit():
        return (_item(int(text), first),)
    if text.startswith("{") and text.endswith("}"):
        return tuple(step for one in text[1:-1].split(",") for step in _steps(exp.Literal.string(one), 0))
    if not text.startswith("$"):
        return (_key(text),)
    found = _STEP.findall(text)
    return tuple(_item(int(item), 0) if item else _key(a or b or c) for a, item, b, c in found)


def _bracketed(node: exp.Expr) -> str | exp.Expr:
    """What stands in brackets. Their numbers count from zero, those from the end one too far."""
    name, first = function_name(node), 0
    if name in _OFFSETS and isinstance(node, exp.Anonymous) and node.expressions:
        node, first = node.expressions[0], int(name in _FROM_ONE)
    text = text_of(node)
    if text is None:
        return node
    if isinstance(node, exp.Literal) and node.is_string:
        return _key(text)
    number = int(float(text))
    return _item(number if number >= 0 else min(number + 1, -1), first)


def _item(number: int, first: int) -> str:
    if number >= 0:
        return f"item {number - first + 1}"
    return "last item" if number == -1 else f"item {-number} from the end"


def _key(text: str) -> str:
    return humanize(text).lower()
