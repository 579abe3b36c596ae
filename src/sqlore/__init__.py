"""sqlore: learns from the SQL people ran, and answers with SQL in which every clause is cited.

    import sqlore

    with sqlore.open("sqlite:///shop.sqlite") as lore:
        lore.learn("queries/")
        draft = lore.ask("What was net revenue in fiscal 2025?")
        print(draft.sql)
        for citation in draft.citations:
            print(citation.status, citation.sql, citation.support)

Names are loaded when first used, so that importing sqlore costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = [
    "Citation",
    "Draft",
    "Fragment",
    "KnowledgeItem",
    "ParsedScript",
    "Retrieval",
    "Retriever",
    "Script",
    "SqloreError",
    "Store",
    "Workspace",
    "__version__",
    "connect",
    "open",
    "parse_script",
    "read_history",
]

_HOME = {
    "Citation": "sqlore.model",
    "Draft": "sqlore.model",
    "Fragment": "sqlore.model",
    "KnowledgeItem": "sqlore.model",
    "ParsedScript": "sqlore.model",
    "Retrieval": "sqlore.model",
    "Retriever": "sqlore.retrieve",
    "Script": "sqlore.model",
    "SqloreError": "sqlore.errors",
    "Store": "sqlore.knowledge",
    "Workspace": "sqlore.workspace",
    "connect": "sqlore.engines",
    "open": "sqlore.workspace",
    "parse_script": "sqlore.sql",
    "read_history": "sqlore.history",
}

if TYPE_CHECKING:
    from sqlore.engines import connect
    from sqlore.errors import SqloreError
    from sqlore.history import read_history
    from sqlore.knowledge import Store
    from sqlore.model import Citation, Draft, Fragment, KnowledgeItem, ParsedScript, Retrieval, Script
    from sqlore.retrieve import Retriever
    from sqlore.sql import parse_script
    from sqlore.workspace import Workspace, open


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'sqlore' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
