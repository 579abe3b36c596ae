"""The small world that the golden descriptions speak of, and their reader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from sqlore.catalog import Dictionary, Entry
from sqlore.model import Column, ForeignKey, Form, Fragment, Kind, Schema, Table

GOLDEN = Path(__file__).resolve().parent / "golden" / "descriptions.txt"

SCHEMA = Schema(
    (
        Table("cards", (Column("id", primary_key=True), Column("isOversized"), Column("hasContentWarning"))),
        Table(
            "loan",
            (Column("loan_id", primary_key=True), Column("account_id"), Column("amount")),
            foreign_keys=(ForeignKey(("account_id",), "account", ("account_id",)),),
        ),
    )
)
DICTIONARY = Dictionary(
    (
        Entry("molecule", "label", "+", "carcinogenic", "history"),
        Entry("molecule", "label", "-", "not carcinogenic", "history"),
        Entry("district", "a11", description="average salary", name="average salary"),
        Entry("district", "a2", description="name of the district", name="district name"),
        Entry("loan", "status", description="repayment status"),
        Entry("loan", "status", "C", "running contract"),
    )
)


def fragment(line: str) -> Fragment:
    """A fragment from ``kind/form: canonical text``."""
    head, _, text = line.partition(": ")
    kind, _, form = head.partition("/")
    return Fragment(cast(Kind, kind), "", text, text, 0, 0, form=cast(Form, form or "clause"))


def golden() -> Iterator[tuple[str, str, str]]:
    """(fragment line, name, description) of every golden case."""
    for block in GOLDEN.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if lines:
            line, name, text = lines
            yield line, name, text
