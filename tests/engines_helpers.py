"""Which server belongs to which kind of engine."""

from __future__ import annotations

import servers

__all__ = ["server_of"]


def server_of(kind: str) -> servers.Server:
    """The server of a kind of engine, started where it does not run yet; skips where there is none."""
    return servers.postgres() if kind == "postgres" else servers.mysql()
