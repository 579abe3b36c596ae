"""Where scripts come from: sources, duplicates, noise, bulk.

    read_history -> parse_all -> fold

Each stage is a function from an iterable to an iterator (folding, which must see all, gives a list).
"""

from __future__ import annotations

from sqlore.history.fold import Folded, History, Variant, collect, fold
from sqlore.history.naming import SourceNames
from sqlore.history.parse import MAX_CHARACTERS, parse_all, read_and_parse
from sqlore.history.placeholders import has_placeholders
from sqlore.history.source import FORMATS, databases_in, read_history

__all__ = [
    "FORMATS",
    "MAX_CHARACTERS",
    "Folded",
    "History",
    "SourceNames",
    "Variant",
    "collect",
    "databases_in",
    "fold",
    "has_placeholders",
    "parse_all",
    "read_and_parse",
    "read_history",
]
