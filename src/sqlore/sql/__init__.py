"""SQL taken apart: text to fragments, skeletons and statements; the check of a query; a model's answer."""

from __future__ import annotations

import logging

from sqlore.sql.build import parse_script
from sqlore.sql.check.query import check_query, unknown_name
from sqlore.sql.extract import extract_sql
from sqlore.sql.skeleton import skeleton_of
from sqlore.sql.split import Statement, split_statements
from sqlore.sql.tokens import TooLarge

__all__ = [
    "Statement",
    "TooLarge",
    "check_query",
    "extract_sql",
    "parse_script",
    "skeleton_of",
    "split_statements",
    "unknown_name",
]

# What cannot be read is reported as an error of ours. sqlglot's own warnings are for those who ask the
# logging module for them, never for standard error.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())
