"""sqlore: learns from the SQL people ran, and answers with SQL in which every clause is cited."""

from __future__ import annotations

__version__ = "0.1.0"
