"""One database, its store and its models, opened when first needed: what every interface works with.

A workspace decides which database is meant and where its knowledge is kept; the work itself is done by
the rooms below. `Workspace` is what others use: it is what is `opened`, and its methods are the jobs of
`learning`, `examples`, `dictionary`, `asking` and `drafts`.
"""

from __future__ import annotations

from sqlore.workspace.asking import asked
from sqlore.workspace.places import store_path
from sqlore.workspace.workspace import Workspace, open

__all__ = ["Workspace", "asked", "open", "store_path"]
