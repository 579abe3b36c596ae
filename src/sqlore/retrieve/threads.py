"""Linear algebra on one core.

BLAS shares a product among all cores, and where these are busy its threads wait for each other: a product of
a millisecond takes hundreds. The matrices here are too small to gain from a second core.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_core"]


def one_core() -> AbstractContextManager[Any]:
    """Within it, BLAS starts no threads."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
