"""Names of the schema that are words of SQL: a table `order` or a column `end` does not stand without quotes.

Models leave the quotes out. Where such a word stands as only a name can, and the schema has a name like it,
the name is meant: it is quoted, which is right in every database, whether it reserves the word or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import TokenType
from sqlglot.errors import SqlglotError

from sqlore.catalog.names import RESERVED, always_quote, word_set
from sqlore.sql.tokens import dialect_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlglot import Token

    from sqlore.model import Schema

__all__ = ["with_reserved"]

#: Further words that one database or another reserves.
_MORE: Final = word_set(
    """add analyse analyze array both call change collate commit condition day_hour describe div do each empty
    escape explain force function generated get glob groups having ignore ilike isnull keys kill lateral
    leading lines load localtime localtimestamp lock loop match mod notnull of only option out overlaps
    placing pivot procedure qualify rank read recursive release rename repeat replace require returning schema
    show signal similar symmetric system trailing trigger unpivot usage verbose virtual window write xor"""
)
#: Words that begin an expression, or are one: before an operator or a comma they may be meant as they stand.
_NEVER: Final = word_set(
    """all any array case current_date current_time current_timestamp distinct exists false interval like
    localtime localtimestamp not null row select true"""
)
#: Of these only the halves `ORDER BY` and `GROUP BY` are words, which the tokenizer reads as one.
_HALVES: Final = word_set("group order")
_CLAUSES: Final = frozenset({"select", "from", "where", "on", "group by", "having", "order by", "limit"})
#: What stands before an operand and never before a clause; `*` may be the star of a SELECT.
_BEFORE: Final = word_set(
    """select distinct , ( = <> != < > <= >= + - / % || and or not on where having when then else between by
    in as from join"""
)
_BY: Final = frozenset({"group", "order", "group by", "order by"})
#: What stands behind a name.
_BEHIND: Final = _BY | word_set(
    """, ) ; = <> != < > <= >= + - * / % || and or from where as is in between like not desc asc then else end
    having limit offset join inner left right full cross natural union intersect except when on using"""
)


def with_reserved(sql: str, dialect: str, schema: Schema) -> tuple[str, tuple[str, ...]]:
    """The query with such names in quotes, and the names.

    >>> from sqlore.model import Column, Schema, Table
    >>> schema = Schema((Table("order", (Column("id"), Column("end"))),))
    >>> with_reserved("SELECT end, COUNT(*) FROM order GROUP BY end ORDER BY 2", "sqlite", schema)
    ('SELECT "end", COUNT(*) FROM "order" GROUP BY "end" ORDER BY 2', ('end', 'order'))
    """
    tables, columns = _reserved(schema)
    if not tables and not columns:
        return sql, ()
    try:
        tokens = dialect_of(dialect).tokenize(sql)
    except SqlglotError:
        return sql, ()
    words = [" ".join(sql[token.start : token.end + 1].lower().split()) for token in tokens]
    here = _columns_of(words, columns, schema)
    found: dict[str, None] = {}
    parts, at, clause = [], 0, ""
    for number, token in enumerate(tokens):
        word = words[number]
        listed = number > 0 and (
            words[number - 1] in ("from", "join") or (words[number - 1], clause) == (",", "from")
        )
        name = (tables if listed or words[number + 1 : number + 2] == ["."] else here).get(word)
        if name is None or not _stands_as_name(number, words, tokens, listed):
            clause = word if word in _CLAUSES else clause
            continue
        words[number], found[name] = "", None  # what follows a name does not follow a word
        parts += [sql[at : token.start], always_quote(name, dialect)]
        at = token.end + 1
    return "".join([*parts, sql[at:]]), tuple(found)


def _reserved(schema: Schema) -> tuple[dict[str, str], dict[str, str]]:
    """The tables and the columns called like a word, each by the word; none that has two spellings."""
    tables: dict[str, set[str]] = {}
    columns: dict[str, set[str]] = {}
    for table in (*schema.tables, *schema.partitions):
        for names, name in ((tables, table.name), *((columns, column.name) for column in table.columns)):
            word = name.lower()
            if word in RESERVED or word in _MORE:
                names.setdefault(word, set()).add(name)
    return _one_each(tables), _one_each(columns)


def _one_each(names: dict[str, set[str]]) -> dict[str, str]:
    return {word: next(iter(spelled)) for word, spelled in names.items() if len(spelled) == 1}


def _columns_of(words: Sequence[str], columns: dict[str, str], schema: Schema) -> dict[str, str]:
    """Those of the columns that a table has which the query names: `user` alone is a function as well."""
    if not columns:
        return {}
    named = [
        table for word in dict.fromkeys(words) if (table := schema.table(word.strip('"`[]'))) is not None
    ]
    return {
        word: name for word, name in columns.items() if any(table.column(word) is not None for table in named)
    }


def _stands_as_name(number: int, words: Sequence[str], tokens: Sequence[Token], listed: bool) -> bool:
    """Whether the word at that place can be nothing but a name; `listed` where FROM lists tables."""
    word = words[number]
    before = words[number - 1] if number else ""
    behind = words[number + 1] if number + 1 < len(words) else ";"
    if "." in (before, behind):
        return True
    if behind == "(" or word in _NEVER or (before == "as" and word not in _HALVES):
        return False
    if word in _HALVES:
        return before != "within" and behind != "by"
    if before.split(" ")[-1] not in _BEFORE or (word == "from" and before == "distinct"):
        return False
    alias = listed and number + 1 < len(tokens) and tokens[number + 1].token_type is TokenType.VAR
    return behind in _BEHIND or alias
