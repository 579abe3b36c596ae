"""The tree edit distance of two queries: how many nodes of one's tree have to change to make the other's.

The trees are skeletons: every table, column and literal is a leaf without its name, aliases are left out, so
two queries over different databases are equal where they are built alike. The distance is that of Zhang and
Shasha (1989) for ordered trees, with cost 1 for a node that is inserted, removed or renamed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sqlglot import exp

from sqlore.sql.parse import parse_query

__all__ = ["SkeletonTree", "skeleton_tree", "tree_distance", "tree_similarity"]

#: Leaves that stand for what a query names.
_LEAVES: Final[dict[type[Any], str]] = {
    exp.Column: "column", exp.Identifier: "name", exp.Literal: "value", exp.Boolean: "value",
    exp.Table: "table", exp.DataType: "type", exp.Placeholder: "value",
}  # fmt: skip
#: Nodes that say nothing of their own: their children stand in their place.
_THROUGH: Final = (exp.Paren, exp.Alias, exp.Ordered, exp.Where, exp.TableAlias, exp.Subquery)


@dataclass(frozen=True, slots=True)
class SkeletonTree:
    """A tree in postorder: the label of every node, and the leftmost leaf below it."""

    labels: tuple[str, ...]
    leftmost: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def keyroots(self) -> list[int]:
        """The highest node of each leftmost leaf, ascending."""
        return sorted({leaf: node for node, leaf in enumerate(self.leftmost)}.values())


@lru_cache(maxsize=16_384)
def skeleton_tree(sql: str, dialect: str = "sqlite") -> SkeletonTree:
    """The skeleton of a query as a tree. Raises ParseError or NotAQuery where it is no query.

    >>> skeleton_tree("SELECT name FROM hero").labels
    ('column', 'table', 'From', 'Select')
    """
    labels: list[str] = []
    leftmost: list[int] = []

    def visit(node: Any) -> None:
        first = len(labels)
        if type(node) not in _LEAVES:
            for child in _children(node):
                visit(child)
        labels.append(_label(node))
        leftmost.append(min(first, len(labels) - 1))

    visit(parse_query(sql, dialect).tree)
    return SkeletonTree(tuple(labels), tuple(leftmost))


def _children(node: Any) -> list[Any]:
    """The children that count; an alias is a name people choose, and none."""
    found = []
    for child in node.iter_expressions():
        if isinstance(child, _THROUGH):
            found += _children(child)
        elif not (
            isinstance(child, exp.Identifier) and isinstance(node, exp.Alias | exp.TableAlias | exp.CTE)
        ):
            found.append(child)
    if isinstance(node, exp.Ordered) and node.args.get("desc"):
        found.append(exp.Var(this="desc"))
    return found


def _label(node: Any) -> str:
    leaf = _LEAVES.get(type(node))
    if leaf is not None:
        return leaf
    detail = ""
    if isinstance(node, exp.Anonymous | exp.Var):
        detail = node.name.lstrip("\x01").lower()
    elif isinstance(node, exp.Join):
        detail = str(node.args.get("side") or "").lower()
    elif isinstance(node, exp.Union) and not node.args.get("distinct"):
        detail = "all"
    not_ = "not " if node.args.get("negate") else ""
    return f"{not_}{type(node).__name__}{' ' if detail else ''}{detail}"


@lru_cache(maxsize=65_536)
def tree_distance(one: SkeletonTree, other: SkeletonTree) -> int:
    """The number of nodes to insert, remove or rename to make one tree the other.

    >>> a = skeleton_tree("SELECT name FROM hero WHERE id = 1")
    >>> b = skeleton_tree("SELECT x.title FROM book AS x WHERE x.pages > 300")
    >>> tree_distance(a, a), tree_distance(a, b)
    (0, 1)
    """
    if one == other:
        return 0
    distances = [[0] * len(other) for _ in one.labels]
    for i in one.keyroots:
        for j in other.keyroots:
            _forests(one, other, i, j, distances)
    return distances[-1][-1]


def _forests(one: SkeletonTree, other: SkeletonTree, i: int, j: int, distances: list[list[int]]) -> None:
    """The distances between all prefixes of the subtrees at `i` and `j`; those of whole trees are kept."""
    first, second = one.leftmost[i], other.leftmost[j]
    rows, columns = i - first + 2, j - second + 2
    table = [list(range(row, row + columns)) for row in range(rows)]
    for row in range(1, rows):
        a = first + row - 1
        above, here = table[row - 1], table[row]
        label, leaf, known = one.labels[a], one.leftmost[a], distances[a]
        for column in range(1, columns):
            b = second + column - 1
            best = min(above[column], here[column - 1]) + 1
            if leaf == first and other.leftmost[b] == second:
                best = min(best, above[column - 1] + (label != other.labels[b]))
                known[b] = best
            else:
                best = min(best, table[leaf - first][other.leftmost[b] - second] + known[b])
            here[column] = best


def tree_similarity(one: SkeletonTree, other: SkeletonTree) -> float:
    """1 for equal trees, 0 for trees that share nothing.

    >>> a, b = skeleton_tree("SELECT a FROM t"), skeleton_tree("SELECT a FROM t LIMIT 1")
    >>> tree_similarity(a, a), round(tree_similarity(a, b), 2)
    (1.0, 0.67)
    """
    return 1.0 - tree_distance(one, other) / max(len(one), len(other))
