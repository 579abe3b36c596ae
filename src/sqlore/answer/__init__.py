"""From a question to a draft: SQL with rows and a citation for every fragment."""

from __future__ import annotations

from sqlore.answer.cite import cite
from sqlore.answer.pipeline import ask

__all__ = ["ask", "cite"]
