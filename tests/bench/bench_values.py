"""How well the value index finds a question's values, and how fast: `python tests/bench/bench_values.py`.

Found: the string literals that a BIRD gold query compares with a column. For each, does `match` name that
column with that value (in any case), given the question alone, and given question and evidence? "said" are
the literals whose own words stand in the question: only these can be found without a dictionary.
Matches a question: how much is offered for it. Speed: a generated index of 100,000 values.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import sqlglot
from sqlglot import exp

from sqlore.catalog import Catalog, ColumnValues, ValueIndex, build_catalog
from sqlore.catalog.text import fold
from sqlore.engines import connect
from sqlore.model import Schema

DATA = Path(os.environ.get("SQLORE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
DATABASES = (
    "superhero",
    "financial",
    "european_football_2",
    "debit_card_specializing",
    "thrombosis_prediction",
)


def gold_literals(sql: str, schema: Schema) -> Iterator[tuple[str, str, str]]:
    """(table, column, text) of each string literal that is compared with a column by =, <>, IN or LIKE."""
    tree = sqlglot.parse_one(sql, read="sqlite")
    aliases = {t.alias_or_name.lower(): t.name.lower() for t in tree.find_all(exp.Table)}
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.In, exp.Like):
        column, others = node.this, [node.expression] if not isinstance(node, exp.In) else node.expressions
        if not isinstance(column, exp.Column):
            continue
        if column.table:
            tables = [aliases.get(column.table.lower(), column.table.lower())]
        else:
            tables = [t for t in set(aliases.values()) if (s := schema.table(t)) and s.column(column.name)]
        for literal in others:
            if isinstance(literal, exp.Literal) and literal.is_string and len(tables) == 1:
                text = literal.name.strip("%")
                if text:
                    yield tables[0], column.name.lower(), text


def said(text: str, question: str) -> bool:
    """Whether the words of the literal stand in the question, one after another."""
    return f" {fold(text)} " in f" {fold(question)} "


def found(catalog: Catalog, question: str, gold: tuple[str, str, str]) -> bool:
    return any(
        (m.table.lower(), m.column.lower(), m.value.lower()) == (*gold[:2], gold[2].lower())
        for m in catalog.values.match(question)
    )


def measure_recall() -> None:
    """One line a database."""
    questions = json.loads((DATA / "bird" / "dev.json").read_text(encoding="utf-8"))
    print("recall of gold string literals on the right column (literals in brackets)")
    print(
        f"{'database':26}{'question':>15}{'said in it':>15}{'+evidence':>12}{'a question':>12}{'build s':>9}"
    )
    for name in DATABASES:
        started = time.perf_counter()
        folder = DATA / "bird" / "database_description" / name
        with connect(str(DATA / "bird" / "databases" / f"{name}.sqlite")) as engine:
            catalog = build_catalog(engine, dictionary_files=[folder])
        built = time.perf_counter() - started
        alone, spoken, both, offered = [], [], [], []
        for row in (q for q in questions if q["db_id"] == name):
            text = row["question"]
            offered.append(len(catalog.values.match(text)))
            for gold in dict.fromkeys(gold_literals(row["SQL"], catalog.schema)):
                hit = found(catalog, text, gold)
                alone.append(hit)
                both.append(hit or found(catalog, row["evidence"], gold))
                if said(gold[2], text):
                    spoken.append(hit)
                if "--missed" in sys.argv and not both[-1]:
                    print("   missed", gold, "|", text)
        print(
            f"{name:26}{_share(alone):>15}{_share(spoken):>15}{statistics.mean(both):>12.2f}"
            f"{statistics.mean(offered):>12.1f}{built:>9.2f}"
        )


def _share(hits: list[bool]) -> str:
    return f"{statistics.mean(hits):.2f} ({len(hits)})" if hits else "-"


def measure_speed(size: int = 100_000) -> None:
    """Match time, build time and memory of a large index of names of one to four words."""
    draw = random.Random(7)
    syllables = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split()  # noqa: SIM905
    vocabulary = ["".join(draw.choices(syllables, k=draw.randint(2, 5))) for _ in range(30_000)]
    values = list(
        dict.fromkeys(" ".join(draw.choices(vocabulary, k=draw.randint(1, 4))) for _ in range(size))
    )
    parts = [ColumnValues(f"t{i}", "name", tuple(values[i::20])) for i in range(20)]
    tracemalloc.start()
    measured = ValueIndex(parts)
    memory = tracemalloc.get_traced_memory()[0] / len(measured)
    tracemalloc.stop()
    started = time.perf_counter()
    index = ValueIndex(parts)
    built = time.perf_counter() - started
    index.match("warm up the word lists")
    times = []
    for _ in range(300):
        asked = [draw.choice(values), draw.choice(vocabulary), draw.choice(vocabulary)[:-1] + "q"]
        text = f"What is the average of orders from {asked[0]} and '{asked[1]}' after {asked[2]} in 1996?"
        started = time.perf_counter()
        index.match(text)
        times.append((time.perf_counter() - started) * 1000)
    times.sort()
    print(
        f"\n{len(index):,} values: match {statistics.median(times):.2f} ms (95th: {times[284]:.2f}),"
        f" build {built:.2f} s, {memory:.0f} bytes a value beside the texts"
    )


def main() -> int:
    if (DATA / "bird" / "dev.json").exists():
        measure_recall()
    else:
        print(f"no public data in {DATA}: set SQLORE_DATA")
    measure_speed()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
