"""Introspection: what every engine must tell of a database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sqlore.engines import Engine, connect
from sqlore.model import Column, ForeignKey, Table

Make = Callable[..., Any]


def test_tables_columns_keys_and_counts(engine: Engine, kind: str) -> None:
    schema = engine.schema()
    assert (schema.name, schema.dialect) == ("shop", kind)
    assert [table.name for table in schema.tables] == ["customer", "orders", "paid"]
    customer = schema.table("Customer")
    assert isinstance(customer, Table)
    number, name, text = {
        "sqlite": ("INTEGER", "VARCHAR(40)", "TEXT"),
        "duckdb": ("INTEGER", "VARCHAR", "VARCHAR"),
        "postgres": ("integer", "character varying(40)", "text"),
        "mysql": ("int(11)", "varchar(40)", "text"),
    }[kind]
    assert customer.columns == (
        Column("id", number, nullable=False, primary_key=True),
        Column("name", name, nullable=False),
        Column("city", text),
    )
    assert (customer.rows, customer.is_view, customer.schema) == (3, False, None)
    orders = schema.table("orders")
    assert orders is not None
    assert orders.foreign_keys == (ForeignKey(("customer_id",), "customer", ("id",)),)


def test_views_are_tables_that_say_so(engine: Engine) -> None:
    paid = engine.schema().table("paid")
    assert paid is not None
    assert paid.is_view
    assert [column.name for column in paid.columns] == ["id", "customer_id", "total", "status"]
    assert paid.rows is None


def test_compound_keys_and_self_reference(make: Make) -> None:
    path = make(
        [
            "CREATE TABLE parent (a INTEGER, b INTEGER, PRIMARY KEY (a, b))",
            "CREATE TABLE child (x INTEGER, y INTEGER, FOREIGN KEY (x, y) REFERENCES parent (a, b))",
            "CREATE TABLE person (id INTEGER PRIMARY KEY, boss INTEGER REFERENCES person (id))",
        ]
    )
    with connect(str(path)) as engine:
        schema = engine.schema()
    found = {table.name: table for table in schema.tables}
    parent, child, person = found["parent"], found["child"], found["person"]
    assert [column.primary_key for column in parent.columns] == [True, True]
    assert child.foreign_keys == (ForeignKey(("x", "y"), "parent", ("a", "b")),)
    assert person.foreign_keys == (ForeignKey(("boss",), "person", ("id",)),)


def test_a_key_without_columns_means_the_primary_key(make: Make, kind: str) -> None:
    text, to = ("VARCHAR(9)", "p (code)") if kind == "mysql" else ("TEXT", "p")  # MySQL wants the column
    path = make([f"CREATE TABLE p (Code {text} PRIMARY KEY)", f"CREATE TABLE c (x {text} REFERENCES {to})"])
    with connect(str(path)) as engine:
        child = engine.schema().table("c")
    assert child is not None
    assert child.foreign_keys[0].columns == ("x",)
    assert child.foreign_keys[0].ref_table.lower() == "p"
    assert child.foreign_keys[0].ref_columns == ("code" if kind == "postgres" else "Code",)


def test_a_thousand_columns(make: Make) -> None:
    names = [f"column_{number}" for number in range(1000)]
    path = make([f"CREATE TABLE wide ({', '.join(name + ' INTEGER' for name in names)})"])
    with connect(str(path)) as engine:
        table = engine.schema().tables[0]
    assert [column.name for column in table.columns] == names


@pytest.mark.parametrize("statements", [[], ["CREATE TABLE t (x INTEGER)", "DROP TABLE t"]])
def test_a_database_without_tables(make: Make, kind: str, statements: list[str]) -> None:
    path = make(statements or ["CREATE TABLE gone (x INTEGER)", "DROP TABLE gone"])
    with connect(str(path)) as engine:
        assert engine.schema().tables == ()
