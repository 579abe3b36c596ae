"""The words of sqlore as frozen dataclasses: what every room hands to the next.

Rooms exchange these values and nothing else. They hold plain data (strings, numbers, tuples), so they
can be pickled to a process pool, written as JSON and compared in tests. Offsets are character offsets
into the script's text, counted from 0, the end exclusive: ``script.sql[f.start:f.end] == f.sql``.
"""

from __future__ import annotations

from sqlore.model.answer import Attempt, Citation, CitationStatus, Draft, FromHistory, GoesWith, Uncovered
from sqlore.model.chat import Message, Usage
from sqlore.model.history import (
    KINDS,
    VAL,
    Form,
    Fragment,
    Kind,
    KnowledgeItem,
    Naming,
    ParsedScript,
    Rejected,
    RejectReason,
    Script,
    StoredScript,
    Trust,
)
from sqlore.model.retrieval import RankedItem, RankedScript, Retrieval, ValueMatch
from sqlore.model.schema import Column, ForeignKey, Rows, Schema, Table

__all__ = [
    "KINDS",
    "VAL",
    "Attempt",
    "Citation",
    "CitationStatus",
    "Column",
    "Draft",
    "ForeignKey",
    "Form",
    "Fragment",
    "FromHistory",
    "GoesWith",
    "Kind",
    "KnowledgeItem",
    "Message",
    "Naming",
    "ParsedScript",
    "RankedItem",
    "RankedScript",
    "RejectReason",
    "Rejected",
    "Retrieval",
    "Rows",
    "Schema",
    "Script",
    "StoredScript",
    "Table",
    "Trust",
    "Uncovered",
    "Usage",
    "ValueMatch",
]
