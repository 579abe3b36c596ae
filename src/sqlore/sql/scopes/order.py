"""The order in which the nodes of a graph can be computed, and what each depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlore.sql.scopes.model import Edge, Node


def unique(ids: dict[int, str]) -> dict[int, str]:
    """Two CTEs of one name get a number."""
    seen: dict[str, int] = {}
    out: dict[int, str] = {}
    for key, id_ in ids.items():
        seen[id_] = seen.get(id_, 0) + 1
        out[key] = id_ if seen[id_] == 1 else f"{id_}#{seen[id_]}"
    return out


def in_order_of_reading(nodes: dict[str, Node], edges: Iterable[Edge]) -> list[str]:
    """The nodes after what they read, in the order of the text where that leaves a choice."""
    reads: dict[str, list[str]] = {}
    for edge in edges:
        if edge.how != "recursion":
            reads.setdefault(edge.target, []).append(edge.source)
    out: dict[str, None] = {}
    entered: set[str] = set()
    given = ("table", "values", "function")
    ordered = sorted(nodes, key=lambda i: (i == "main", nodes[i].kind not in given, nodes[i].start))
    for id_ in ordered:
        pending = [(id_, False)]
        while pending:
            current, done = pending.pop()
            if done:
                out.setdefault(current)
            elif current in nodes and current not in entered:
                entered.add(current)
                pending.append((current, True))
                pending.extend((read, False) for read in reversed(reads.get(current, [])))
    return list(out)


def read_by(edges: Iterable[Edge]) -> dict[str, set[str]]:
    """What each node reads itself."""
    reads: dict[str, set[str]] = {}
    for edge in edges:
        reads.setdefault(edge.target, set()).add(edge.source)
    return reads


def above(id_: str, reads: Mapping[str, set[str]]) -> set[str]:
    """Everything that a node depends on, of what each reads itself."""
    found: set[str] = set()
    pending = [id_]
    while pending:
        for read in reads.get(pending.pop(), ()):
            if read not in found and read != id_:
                found.add(read)
                pending.append(read)
    return found
