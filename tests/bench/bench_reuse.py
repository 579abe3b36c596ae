"""Reuse measured with leave-one-out: `python tests/bench/bench_reuse.py [--errors N]`.

Every question of Spider's training histories and of BIRD's training set is asked with its own text withheld;
the rest of its database's questions are the history. Right: the skeleton and the literals of the rewritten
SQL are the gold's ("text"); the same without what makes no difference to a set of rows ("sets": LIKE without
a wildcard for =, DISTINCT and GROUP BY of the output, which key is counted); or, where there is a database
file, both give the same rows in the order that the gold asks for ("rows", Spider only). Precision is right of
answered with its 95 % interval (Wilson), coverage answered of asked; "changed" are the answers that needed
other values, the rest are questions asked again in the same words. The rules were chosen on one half of the
databases ("tuned", every second by name) and hold on the other ("held out").

BIRD's training databases are not public here: the values of its columns are stood in for by all string
literals that its gold queries compare with a column, those of the withheld question too, as they would be
found in the database.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path

from sqlore.answer.cite import skeleton_tokens
from sqlore.answer.grounded import key_columns
from sqlore.answer.reuse import Reuser
from sqlore.catalog import Catalog, ColumnValues, ValueIndex, build_catalog, load_tables_json
from sqlore.catalog.dictionary import Dictionary
from sqlore.engines import Engine, connect
from sqlore.errors import SqloreError
from sqlore.knowledge.records import Text
from sqlore.model import ParsedScript, Schema
from sqlore.sql import parse_script

DATA = Path(os.environ.get("SQLORE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")


def parsed(sql: str, schema: Schema) -> ParsedScript | None:
    try:
        return parse_script(sql, dialect="sqlite", schema=schema)
    except SqloreError:
        return None


def meant(sql: str, schema: Schema) -> tuple[str, list[str], list[str]] | None:
    """Skeleton and literals: the output as it is, the rest in any order of conditions and joins."""
    one = parsed(sql, schema)
    query = next((f for f in one.fragments if f.kind == "query"), None) if one else None
    if query is None:
        return None
    output, _, rest = query.skeleton.partition(" from ")
    return output, sorted(skeleton_tokens(rest)), sorted(query.literals)


def as_set(sql: str, schema: Schema) -> tuple[str, list[str], list[str]] | None:
    """`meant` without what makes no difference to the set of rows."""
    sql = re.sub(r"\blike\s+'([^'%_]*)'", r"= '\1'", sql, flags=re.IGNORECASE)
    one = parsed(sql, schema)
    query = next((f for f in one.fragments if f.kind == "query"), None) if one else None
    if query is None:
        return None
    output, _, rest = query.skeleton.partition(" from ")
    output = output.replace("select distinct ", "select ", 1)
    if "(" not in output and not re.search(" having | order by ", rest):
        rest = re.sub(r" group by .*?(?= limit |$)", "", rest)
    keys = key_columns(schema)
    output = re.sub(
        r"count\(([^()]+)\)",
        lambda m: "count(*)" if m[1].replace('"', "") in keys or m[1].endswith("id") else m[0],
        output,
    )
    return output, sorted(skeleton_tokens(rest)), sorted(value.casefold() for value in query.literals)


def gold_values(scripts: Iterable[str], schema: Schema) -> ValueIndex:
    """The string literals of the scripts by the one column of their condition."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for sql in scripts:
        one = parsed(sql, schema)
        for fragment in one.fragments if one else ():
            if fragment.kind == "condition" and len(fragment.columns) == 1 and "." in fragment.columns[0]:
                values[fragment.columns[0]].update(v.strip("%") for v in fragment.literals)
    return ValueIndex(ColumnValues(*name.rsplit(".", 1), spellings(found)) for name, found in values.items())


def spellings(found: Counter[str]) -> tuple[str, ...]:
    """Each value once, as it is written most often: a column has one spelling."""
    best: dict[str, str] = {}
    for value, _ in found.most_common():
        best.setdefault(value.casefold(), value)
    return tuple(best.values())


def same_rows(engine: Engine, gold: str, said: str) -> bool:
    try:
        a, b = (engine.run(sql, limit=5000, timeout=10).rows for sql in (gold, said))
    except SqloreError:
        return False
    return a == b if "order by" in gold.lower() else Counter(map(repr, a)) == Counter(map(repr, b))


def ask_all(
    pairs: Sequence[tuple[str, str]], catalog: Catalog, engine: Engine | None, errors: list[str]
) -> Counter[str]:
    """Counts of one database: asked, answered, changed, right by text and by rows."""
    scripts: dict[str, int] = {}  # texts of one skeleton are one script, as in a store
    texts = []
    for n, (question, sql) in enumerate(pairs):
        one = parsed(sql, catalog.schema)
        script = scripts.setdefault(one.skeleton if one else sql, len(scripts))
        texts.append(Text(n, script, sql, f"q{n}", question))
    reuser = Reuser(texts, catalog, "sqlite")
    counts: Counter[str] = Counter(asked=len(pairs))
    for n, (question, gold) in enumerate(pairs):
        reused = reuser.find(question, {f"q{n}"})
        if reused is None:
            continue
        text = meant(reused.sql, catalog.schema) == meant(gold, catalog.schema)
        sets = text or as_set(reused.sql, catalog.schema) == as_set(gold, catalog.schema)
        rows = text or (engine is not None and same_rows(engine, gold, reused.sql))
        changed = "changed" if reused.changed else "again"
        right = {"text": text, "sets": sets, "rows": rows}
        counts.update(["answered", changed])
        counts.update(name for kind in ("", f"{changed} ") for name in (kind + k for k in right if right[k]))
        if not (sets or rows):
            errors.append(f"{catalog.schema.name}: {question}\n  known {pairs[int(reused.key[1:])][0]}"
                          f"\n  said  {reused.sql}\n  gold  {gold}")  # fmt: skip
    return counts


def spider(errors: dict[bool, list[str]]) -> dict[bool, Counter[str]]:
    records = json.loads((DATA / "spider" / "train_spider.json").read_text())
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for record in records:
        pairs[record["db_id"]].append((record["question"], record["query"]))
    counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    for number, name in enumerate(sorted(pairs)):
        file = DATA / "spider" / "database" / name / f"{name}.sqlite"
        if file.is_file():
            with connect(f"sqlite:///{file}") as engine:
                found = ask_all(pairs[name], build_catalog(engine), engine, errors[number % 2 == 1])
            counts[number % 2 == 1].update(found)
    return counts


def bird(errors: dict[bool, list[str]]) -> dict[bool, Counter[str]]:
    schemas = load_tables_json(DATA / "bird" / "train_tables.json")
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for record in json.loads((DATA / "bird" / "train.json").read_text()):
        pairs[record["db_id"]].append((record["question"], record["SQL"]))
    counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    for number, name in enumerate(sorted(pairs)):
        values = gold_values((sql for _, sql in pairs[name]), schemas[name])
        catalog = Catalog(schemas[name], Dictionary(()), values)
        counts[number % 2 == 1].update(ask_all(pairs[name], catalog, None, errors[number % 2 == 1]))
    return counts


def share(part: int, whole: int) -> str:
    """A share with its 95 % interval by Wilson's formula."""
    if not whole:
        return "none"
    p, z = part / whole, 1.96
    middle, spread = p + z * z / (2 * whole), z * sqrt(p * (1 - p) / whole + (z / (2 * whole)) ** 2)
    low, high = ((middle + side * spread) / (1 + z * z / whole) for side in (-1, 1))
    return f"{p:.3f} [{low:.3f}, {high:.3f}] ({part}/{whole})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--errors", type=int, default=0, help="wrong answers shown of the tuned half")
    parser.add_argument("--held-out", action="store_true", help="show those of the other half")
    given = parser.parse_args()
    for title, measure in (("Spider train", spider), ("BIRD train", bird)):
        errors: dict[bool, list[str]] = {False: [], True: []}
        for held_out, counts in measure(errors).items():
            print(f"{title}, {'held out' if held_out else 'tuned'}")
            print(f"  coverage           {share(counts['answered'], counts['asked'])}")
            for kind, of in (("", "answered"), ("changed ", "changed"), ("again ", "again")):
                for right in ("text", "sets", "rows") if title.startswith("Spider") else ("text", "sets"):
                    label = f"precision {kind}{right}"
                    print(f"  {label:<23}{share(counts[kind + right], counts[of])}")
        for error in errors[given.held_out][: given.errors]:
            print(error)


if __name__ == "__main__":
    main()
