"""A database told in full: types, keys, sampled values, ranges, descriptions.

"Adapt and Decompose" (section 4.1) gives the target so where it is the only database of a prompt: four values
of categorical and date columns, the range of numbers, a description where there is one. Values are those the
profile saw, and the same each time: a prompt that changes would be computed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlore.catalog import Catalog, ColumnProfile, quote_name, schema_text
from sqlore.model import Column, Table
from sqlore.prompts.text import as_data, neutral, tokens
from sqlore.sql.literals import quote_text

__all__ = ["domain_schema", "told_within"]

#: Values shown of a column, longest value shown, letters of a description.
SAMPLES: Final = 4
_LONGEST: Final = 40
_LETTERS: Final = 160
#: Ever less, where the room does not suffice: values of a column, letters of its description.
_LEVELS: Final = ((SAMPLES, _LETTERS), (2, 60), (2, 0), (0, 0))


def told_within(catalog: Catalog, room: int, *, mask: bool = False) -> tuple[str, bool]:
    """The schema in `room` tokens, and whether it is whole: of one too large only some tables are told."""
    for samples, letters in _LEVELS:
        text = neutral(domain_schema(catalog, samples=samples, letters=letters, mask=mask))
        if tokens(text) <= room:
            return text, True
    return neutral(schema_text(catalog, budget_tokens=room, samples=False, count=tokens)), False


def domain_schema(
    catalog: Catalog, *, samples: int = SAMPLES, letters: int = _LETTERS, mask: bool = False
) -> str:
    """CREATE TABLE statements with what is known of every column beside it; no value where `mask` is set.

    >>> from sqlore.catalog import Profile, catalog_from_schema
    >>> from sqlore.model import Schema
    >>> from dataclasses import replace
    >>> plain = catalog_from_schema(Schema((Table("hero", (Column("name", "TEXT"), Column("cm", "INT"))),)))
    >>> seen = ColumnProfile("hero", "cm", "number", minimum="15", maximum="305")
    >>> print(domain_schema(replace(plain, profile=Profile((seen,)))))
    CREATE TABLE hero (
      name TEXT,
      cm INT -- from 15 to 305
    );
    """
    return "\n".join(
        _table(catalog, table, 0 if mask else samples, letters) for table in catalog.schema.tables
    )


def _table(catalog: Catalog, table: Table, samples: int, letters: int) -> str:
    dialect = catalog.schema.dialect
    full = ".".join(part for part in (table.schema, table.name) if part)
    bodies = [
        (
            f"{quote_name(column.name, dialect)} {column.type}".rstrip(),
            _known(catalog, full, column, samples, letters),
        )
        for column in table.columns
    ]
    bodies += [(key, "") for key in _keys(table, lambda name: quote_name(name, dialect))]
    about = _note([as_data(catalog.dictionary.describe_table(full) or "", letters) if letters else ""])
    name = ".".join(quote_name(part, dialect) for part in (table.schema, table.name) if part)
    lines = [f"CREATE TABLE {name} ({about}"]
    for number, (body, note) in enumerate(bodies, start=1):
        lines.append(f"  {body}{',' if number < len(bodies) else ''}{note}")
    return "\n".join([*lines, ");"])


def _keys(table: Table, quoted: Callable[[str], str]) -> list[str]:
    def listed(names: Sequence[str]) -> str:
        return ", ".join(quoted(name) for name in names)

    primary = [column.name for column in table.columns if column.primary_key]
    found = [f"PRIMARY KEY ({listed(primary)})"] if primary else []
    for key in table.foreign_keys:
        refers = f" ({listed(key.ref_columns)})" if key.ref_columns else ""
        found.append(f"FOREIGN KEY ({listed(key.columns)}) REFERENCES {quoted(key.ref_table)}{refers}")
    return found


def _known(catalog: Catalog, table: str, column: Column, samples: int, letters: int) -> str:
    """Description, then range or values; meanings of codes are values and go with them."""
    told = [as_data(catalog.dictionary.describe_column(table, column.name) or "", letters) if letters else ""]
    profile = catalog.profile.column(table, column.name)
    if samples and profile is not None:
        meanings = catalog.dictionary.value_meanings(table, column.name)
        told.append(_values(profile, meanings, samples))
    return _note(told)


def _values(profile: ColumnProfile, meanings: dict[str, str], samples: int) -> str:
    if profile.kind == "number" and not meanings and profile.minimum is not None:
        return f"from {as_data(profile.minimum, 30)} to {as_data(profile.maximum or '', 30)}"
    short = [value for value, _ in profile.values if value.strip() and len(value) <= _LONGEST]
    shown = []
    for value in _spread(list(dict.fromkeys([*meanings, *short])), samples):
        written = value if profile.kind == "number" else quote_text(as_data(value, _LONGEST))
        shown.append(f"{written} = {as_data(meanings[value], 60)}" if value in meanings else written)
    return "values: " + ", ".join(shown) if shown else ""


def _spread(values: Sequence[str], most: int) -> list[str]:
    """So many of the values, from frequent to rare: the sample of the paper, without chance.

    >>> _spread("abcdefgh", 4), _spread("ab", 4)
    (['a', 'c', 'e', 'g'], ['a', 'b'])
    """
    if len(values) <= most:
        return list(values)
    return [values[number * len(values) // most] for number in range(most)]


def _note(parts: Sequence[str]) -> str:
    said = "; ".join(part for part in parts if part)
    return f" -- {said}" if said else ""
