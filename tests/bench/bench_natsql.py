"""Agreement of the NatSQL writer with Spider's NatSQL, and of the decomposition with Spider's QDMR.

    python tests/bench/bench_natsql.py [--dev] [--show N]

Agreement is counted over all pairs of the file, compared as `sqlore.sql.natsql.compare.normalised` says, by
Spider's own classes of difficulty and by the form of the query. Where both differ, the clause that differs
is counted, and beside it what the file itself disagrees about: pairs of one database whose SQL is the same
and whose NatSQL is not. Each query is also counted once, as many questions share one.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlglot import exp

from sqlore.catalog import load_tables_json
from sqlore.sql.decompose import decompose
from sqlore.sql.natsql.compare import differing, normalised
from sqlore.sql.natsql.writer import natsql
from sqlore.sql.parse import parse_query

DATA = Path(os.environ.get("SQLORE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
SPIDER = DATA / "spider"


def pairs(dev: bool) -> list[tuple[str, str, str]]:
    """Database, SQL and NatSQL of every pair."""
    if not dev:
        rows = json.loads((SPIDER / "train_spider-natsql.json").read_text(encoding="utf-8"))
        return [(row["db_id"], row["query"], row["NatSQL"]) for row in rows]
    rows = json.loads((SPIDER / "dev.json").read_text(encoding="utf-8"))
    written = json.loads((SPIDER / "dev-natsql.json").read_text(encoding="utf-8"))
    return [(row["db_id"], row["query"], nat["NatSQL"]) for row, nat in zip(rows, written, strict=True)]


def hardness(sql: str) -> str:
    """Spider's class of difficulty, counted as its evaluation script counts."""
    tree = parse_query(sql, "sqlite").tree
    first = tree
    while not isinstance(first, exp.Select):
        first = first.this
    whole = [node for node in first.walk() if node.parent_select is first or node is first]
    names = Counter(type(node) for node in whole)
    clauses = sum(first.args.get(key) is not None for key in ("where", "group", "order", "limit"))
    where = first.args.get("where")
    inside = [node for node in where.walk() if node.parent_select is first] if where is not None else []
    conditions = sum(isinstance(node, exp.And | exp.Or) for node in inside) + (where is not None)
    parts = clauses + len(first.args.get("joins") or []) + names[exp.Or] + names[exp.Like]
    nested = len(list(tree.find_all(exp.Select))) - 1
    functions = [node for node in whole if isinstance(node, exp.Anonymous)]
    group = first.args.get("group")
    others = sum(
        (
            len(functions) > 1,
            len(first.expressions) > 1,
            conditions > 1,
            group is not None and len(group.expressions) > 1,
        )
    )
    if parts <= 1 and not others and not nested:
        return "easy"
    if not nested and ((others <= 2 and parts <= 1) or (parts <= 2 and others < 2)):
        return "medium"
    if (not nested and ((others > 2 and parts <= 2) or (2 < parts <= 3 and others <= 2))) or (
        parts <= 1 and not others and nested <= 1
    ):
        return "hard"
    return "extra"


def form(sql: str) -> str:
    """What kind of query it is: the class that disagreements are told apart by."""
    words = f" {sql.lower()} ".split()
    if {"intersect", "union", "except"} & set(words):
        return "set operation"
    if sql.lower().count("select") > 1:
        return "nested"
    return ("grouped" if "group" in words else "flat") + (", joined" if "join" in words else "")


def table(title: str, keys: Iterable[str], good: Iterable[bool]) -> None:
    """Agreement by class."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for key, agreed in zip(keys, good, strict=True):
        total[key] += 1
        right[key] += agreed
    print(f"{title:24} {'agree':>7} {'of':>6} {'share':>7}")
    for key in sorted(total):
        print(f"  {key:22} {right[key]:7} {total[key]:6} {right[key] / total[key]:7.1%}")


def agreement(dev: bool, show: int) -> None:
    """The writer beside the file."""
    schemas = load_tables_json(SPIDER / "tables.json")
    rows = pairs(dev)
    ours = [natsql(sql, schemas[database]) for database, sql, _ in rows]
    good = [normalised(one) == normalised(gold) for one, (_, _, gold) in zip(ours, rows, strict=True)]
    print(f"{'dev' if dev else 'train'}: {sum(good)} of {len(good)} agree ({sum(good) / len(good):.1%})")
    table("difficulty", (hardness(sql) for _, sql, _ in rows), good)
    table("form", (form(sql) for _, sql, _ in rows), good)
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    for database, sql, gold in rows:
        told[database, " ".join(sql.lower().split())].append(normalised(gold))
    split = sum(len(golds) - Counter(golds).most_common(1)[0][1] for golds in told.values())
    once = {
        (row[0], " ".join(row[1].lower().split())): agreed for row, agreed in zip(rows, good, strict=True)
    }
    print(f"queries counted once: {sum(once.values())} of {len(once)} ({sum(once.values()) / len(once):.1%})")
    print(f"pairs on which the file differs from itself on the same SQL: {split}")
    wrong = [(one, row) for one, row, agreed in zip(ours, rows, good, strict=True) if not agreed]
    clauses = Counter(" + ".join(differing(one, row[2])) for one, row in wrong)
    unread = len(good) - len(wrong) + clauses["from"]
    print(f"without the table of FROM, as the paper writes NatSQL: {unread} ({unread / len(good):.1%})")
    print("clauses that differ: " + ", ".join(f"{name} {count}" for name, count in clauses.most_common()))
    for one, (database, sql, gold) in wrong[:show]:
        print(f"\n{database}: {sql}\n  file {gold}\n  ours {one}")


def steps() -> None:
    """Steps of the decomposition beside the steps that people wrote (Break, QDMR)."""
    schemas = load_tables_json(SPIDER / "tables.json")
    rows = json.loads((SPIDER / "train_spider.json").read_text(encoding="utf-8"))
    with (SPIDER / "break_qdmr" / "train_spider.csv").open(encoding="utf-8", newline="") as file:
        human = {line["question_id"]: line["decomposition"].split(";") for line in csv.DictReader(file)}
    mine, theirs = [], []
    for number, row in enumerate(rows):
        people: Any = human.get(f"SPIDER_train_{number}")
        if people is not None:
            mine.append(len(decompose(row["query"], schemas[row["db_id"]])))
            theirs.append(len(people))
    off = [abs(one - two) for one, two in zip(mine, theirs, strict=True)]
    print(f"steps of {len(off)} questions: {statistics.mean(mine):.2f}, people {statistics.mean(theirs):.2f}")
    print(f"correlation of the numbers of steps {statistics.correlation(mine, theirs):.3f}")
    same, near = off.count(0) / len(off), sum(one < 2 for one in off) / len(off)
    print(f"the same number {same:.1%}, at most one off {near:.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--dev", action="store_true", help="the development pairs in place of the training pairs"
    )
    parser.add_argument("--show", type=int, default=0, help="print so many disagreements")
    options = parser.parse_args()
    agreement(options.dev, options.show)
    if not options.dev:
        steps()


if __name__ == "__main__":
    main()
