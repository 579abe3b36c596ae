"""Names whose capitals PostgreSQL would not see: `createdAt` without quotes is `createdat` to it.

Tables and columns that programs made (`"Orders"`, `"createdAt"`) are written without quotes by people and
models, and the database does not find them. Where the schema has such a name in one spelling alone, and none
in small letters, that is the one that was meant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import TokenType
from sqlglot.errors import SqlglotError

from sqlore.catalog.names import always_quote
from sqlore.sql.tokens import dialect_of

if TYPE_CHECKING:
    from sqlore.model import Schema

__all__ = ["with_capitals"]


def with_capitals(sql: str, dialect: str, schema: Schema) -> tuple[str, tuple[str, ...]]:
    """The query with such names in quotes, wherever they stand, and the names; as it is for other databases.

    >>> from sqlore.model import Column, Schema, Table
    >>> schema = Schema((Table("Orders", (Column("id"), Column("createdAt"))),))
    >>> with_capitals("SELECT o.createdAt, o.id FROM orders o", "postgres", schema)
    ('SELECT o."createdAt", o.id FROM "Orders" o', ('createdAt', 'Orders'))
    """
    names = _capitals(schema) if dialect == "postgres" else {}
    if not names:
        return sql, ()
    try:
        tokens = dialect_of(dialect).tokenize(sql)
    except SqlglotError:
        return sql, ()
    found: dict[str, None] = {}
    parts, at = [], 0
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        name = names.get(token.text.lower())
        word = token.token_type is TokenType.VAR or (
            before is not None and before.token_type is TokenType.DOT and sql[token.start].isalpha()
        )
        called = after is not None and after.token_type is TokenType.L_PAREN
        if name is None or not word or called:
            continue
        found[name] = None
        parts += [sql[at : token.start], always_quote(name, dialect)]
        at = token.end + 1
    return "".join([*parts, sql[at:]]), tuple(found)


def _capitals(schema: Schema) -> dict[str, str]:
    """By its small letters each name with capitals that the schema spells in one way alone."""
    spelled: dict[str, set[str]] = {}
    for table in (*schema.tables, *schema.partitions):
        for name in (table.name, *(column.name for column in table.columns)):
            spelled.setdefault(name.lower(), set()).add(name)
    return {
        small: next(iter(names)) for small, names in spelled.items() if len(names) == 1 and small not in names
    }
