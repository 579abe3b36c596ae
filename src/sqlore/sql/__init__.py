"""SQL taken apart: text to fragments, skeletons, statements, and the check of a query."""

from __future__ import annotations

from sqlore.sql.build import parse_script
from sqlore.sql.skeleton import skeleton_of

__all__ = ["parse_script", "skeleton_of"]
