"""What of a database and its history goes into the prompt of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlore.model import Retrieval
from sqlore.prompts import PromptContext

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.config import Settings
    from sqlore.engines import Engine

#: Share of a prompt's budget that the schema may take.
SCHEMA_SHARE = 0.6
