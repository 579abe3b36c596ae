"""What a database holds and means: schema, data dictionary, profile, value index.

>>> from sqlore.model import Column, Table
>>> schema = Schema((Table("molecule", (Column("label", "TEXT"),)),))
>>> catalog = catalog_from_schema(schema, entries=[Entry("molecule", "label", "+", "carcinogenic")])
>>> [m.value for m in catalog.values.match("How many molecules are carcinogenic?")]
['+']
"""

from __future__ import annotations

from sqlore.catalog.build import Catalog, build_catalog, catalog_from_schema
from sqlore.catalog.dictionary import PRECEDENCE, Dictionary, Entry, Source
from sqlore.catalog.names import humanize, looks_secret, quote_name
from sqlore.catalog.namings import entries_from_namings
from sqlore.catalog.profile import ColumnProfile, Profile, ProfileBudget
from sqlore.catalog.readers import read_dictionary
from sqlore.catalog.render import schema_text
from sqlore.catalog.tables_json import load_tables_json
from sqlore.catalog.values import ColumnValues, ValueIndex
from sqlore.model import Schema

__all__ = [
    "PRECEDENCE",
    "Catalog",
    "ColumnProfile",
    "ColumnValues",
    "Dictionary",
    "Entry",
    "Profile",
    "ProfileBudget",
    "Schema",
    "Source",
    "ValueIndex",
    "build_catalog",
    "catalog_from_schema",
    "entries_from_namings",
    "humanize",
    "load_tables_json",
    "looks_secret",
    "quote_name",
    "read_dictionary",
    "schema_text",
]
