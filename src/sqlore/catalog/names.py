"""Names of tables and columns: read as words, written as SQL, and judged secret or not."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+", re.UNICODE)
_ABBREVIATION: Final = re.compile(r"[A-Z0-9]{2,}\Z")
_PLURAL_ABBREVIATION: Final = re.compile(r"([A-Z]{2,})s(?![a-z])")


def word_set(text: str) -> frozenset[str]:
    """The words of a text, for constants that are lists of words."""
    return frozenset(text.split())


#: Words that need quotes as a column's or table's name in at least one of the common dialects.
RESERVED: Final = word_set(
    """all alter and any as asc between by case cast check column constraint create cross current_date
    current_time current_timestamp current_user database default delete desc distinct drop else end except
    exists false fetch for foreign from full grant group having if in index inner insert intersect interval
    into is join key left like limit natural not nothing null offset on or order outer over partition primary
    range references right row rows select set some table then to transaction true union unique update user
    using values view when where window with"""
)

_SECRET_WORDS: Final = word_set(
    """password passwd passphrase pwd token tokens secret secrets hash hashes salt credential credentials
    apikey cvv cvc ssn"""
)
_SECRET_ENDS: Final = ("password", "passwd", "pwd", "token", "secret", "hash", "salt", "apikey")
_SECRET_PAIRS: Final = frozenset({("api", "key"), ("private", "key"), ("access", "key"), ("card", "number")})


def humanize(name: str) -> str:
    """The words of a name: snake_case and camelCase taken apart, abbreviations kept.

    >>> humanize("is_carcinogenic"), humanize("eyeColourId"), humanize("CDSCode"), humanize("A11")
    ('is carcinogenic', 'eye colour id', 'CDS code', 'A11')
    >>> humanize("CUSTOMER_NAME"), humanize("Free Meal Count (K-12)"), humanize("T-BIL")
    ('customer name', 'free meal count (K-12)', 'T-BIL')
    """
    if "_" in name or " " in name or not _PLAIN.match(name):
        parts = [part for part in re.split(r"[\s_]+", name.strip()) if part]
    else:
        parts = [name]
    shouted = len(parts) > 1 and name.upper() == name
    words: list[str] = []
    for part in parts:
        if shouted and part.isalpha():
            words.append(part.lower())
        elif part.isalnum():
            words.extend(_split_camel(part))
        else:
            words.append(part if part.upper() == part else part.lower())
    return " ".join(words) or name


def _split_camel(part: str) -> list[str]:
    """`eyeColourId` -> eye, colour, id; `CDSCode` -> CDS, code; long words in capitals become small."""
    if part.isupper() or part.isdigit():
        return [part.lower() if part.isalpha() and len(part) > 4 else part]
    part = _PLURAL_ABBREVIATION.sub(lambda m: m.group(1), part)
    words = _WORDS.findall(part) or [part]
    joined: list[str] = []
    for word in words:
        if word.isdigit() and joined:
            joined[-1] += word
        elif _ABBREVIATION.match(word):
            joined.append(word)
        else:
            joined.append(word.lower())
    return joined


def looks_secret(column: str) -> bool:
    """Whether a column of this name may hold passwords, tokens or the like: its values are never kept.

    >>> [looks_secret(c) for c in ("password_hash", "userToken", "api_key", "hashtag", "status")]
    [True, True, True, False, False]
    """
    words = humanize(column).lower().split()
    if any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDS) for word in words):
        return True
    return any(pair in _SECRET_PAIRS for pair in pairwise(words))


def quote_name(name: str, dialect: str = "") -> str:
    """The name of the schema as SQL: plain where it can be, else in the dialect's quotes.

    >>> quote_name("label"), quote_name("order"), quote_name('a"b'), quote_name("K 12", "mysql")
    ('label', '"order"', '"a""b"', '`K 12`')

    PostgreSQL takes a plain name for one in lower case:

    >>> quote_name("createdAt", "postgres"), quote_name("createdAt", "sqlite")
    ('"createdAt"', 'createdAt')
    """
    if dialect == "postgres" and name != name.lower():
        return always_quote(name, dialect)
    return quote_alias(name, dialect)


def quote_alias(name: str, dialect: str = "") -> str:
    """A name that a query gives without quotes, in whatever case: plain where it can be.

    >>> quote_alias("T1", "postgres"), quote_alias("order")
    ('T1', '"order"')
    """
    return name if _PLAIN.match(name) and name.lower() not in RESERVED else always_quote(name, dialect)


def quote_reference(name: str, dialect: str = "") -> str:
    """The name of a table that a foreign key refers to: one of another schema has its schema before it.

    >>> quote_reference("s1.order", "postgres"), quote_reference("order line")
    ('s1."order"', '"order line"')
    """
    parts = name.split(".", 1)
    if len(parts) == 2 and all(_PLAIN.match(part) for part in parts):
        return ".".join(quote_name(part, dialect) for part in parts)
    return quote_name(name, dialect)


def always_quote(name: str, dialect: str = "") -> str:
    """The name in the dialect's quotes, whatever it is.

    >>> always_quote("label"), always_quote("x]y", "tsql")
    ('"label"', '[x]]y]')
    """
    if dialect in ("mysql", "bigquery"):
        return "`" + name.replace("`", "``") + "`"
    if dialect == "tsql":
        return "[" + name.replace("]", "]]") + "]"
    return '"' + name.replace('"', '""') + '"'
