"""A benchmark in BIRD-History's way out of any history: made, checked, annotated and described.

`compose` makes tasks by program, `validate` checks them, `annotate` says which scripts hold what they need,
`stats` counts what they are made of (BIRD-History, sections 3 and A).
"""

from __future__ import annotations

__all__: list[str] = []
