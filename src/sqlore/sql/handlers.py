"""Which method renders which node of the tree in a skeleton."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from sqlglot import exp

from sqlore.sql.functions import Functions
from sqlore.sql.operators import COMPARISONS, OPERATORS
from sqlore.sql.render import OR, Text
from sqlore.sql.resolve import ATOM

__all__ = ["HANDLERS"]

HANDLERS: Final[dict[type[Any], Callable[[Any, Any], Text]]] = {
    exp.Column: Functions.column,
    exp.Literal: Functions.literal,
    exp.Anonymous: Functions.function,
    exp.Null: lambda _self, _node: ("null", ATOM),
    exp.Star: Functions.star,
    exp.Boolean: Functions.boolean,
    exp.Paren: Functions.unwrapped,
    exp.Alias: Functions.unwrapped,
    exp.And: Functions.connector,
    exp.Or: Functions.connector,
    exp.Not: Functions.negate,
    exp.Neg: Functions.minus,
    exp.In: Functions.contained,
    exp.Between: Functions.between,
    exp.Case: Functions.case,
    exp.Cast: Functions.cast,
    exp.TryCast: Functions.cast,
    exp.Distinct: Functions.distinct,
    exp.Subquery: Functions.nested,
    exp.Select: Functions.nested,
    exp.Union: Functions.nested,
    exp.Except: Functions.nested,
    exp.Intersect: Functions.nested,
    exp.Exists: Functions.exists,
    exp.Tuple: Functions.listed,
    exp.JSONExtract: Functions.json_path,
    exp.JSONExtractScalar: Functions.json_path,
    exp.Struct: Functions.struct,
    exp.Lambda: Functions.arrow,
    exp.Kwarg: Functions.keyed,
    exp.Any: Functions.quantified,
    exp.All: Functions.quantified,
    exp.Interval: Functions.interval,
    exp.Placeholder: Functions.leaf,
    exp.Parameter: Functions.leaf,
    exp.HexString: Functions.leaf,
    exp.BitString: Functions.leaf,
    exp.ByteString: Functions.leaf,
    exp.RawString: Functions.leaf,
    exp.National: Functions.leaf,
    exp.UnicodeString: Functions.leaf,
    exp.JSONPath: Functions.leaf,
    exp.Var: Functions.keyword,
    exp.Identifier: Functions.identifier,
    exp.DataType: lambda self, node: (self.type_name(node), ATOM),
    exp.Dot: Functions.dot,
    exp.Filter: Functions.filtered,
    exp.WithinGroup: Functions.within,
    exp.Order: Functions.ordering,
    exp.Ordered: lambda self, node: (self.ordered(node), OR),
    exp.Window: lambda self, node: self.window(node),
    exp.Collate: Functions.collated,
    exp.Escape: Functions.escaped,
    exp.Command: Functions.unsupported,
    exp.DPipe: Functions.joined,
    **dict.fromkeys(OPERATORS, Functions.binary),
    **dict.fromkeys(COMPARISONS, Functions.comparison),
}
