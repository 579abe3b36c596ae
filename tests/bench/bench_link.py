"""The part of a schema that a question touches, measured against gold: `python tests/bench/bench_link.py`.

Every question of a BIRD development database is asked with its own script withheld (no language model). Told
are, of gold's tables and columns, how many are in the schema that `narrow_schema=always` shows, and how large
that is beside the whole; and, of the questions whose gold joins tables, how often the tables that the line of
`join_path` joins are gold's, hold gold's, and how often every join of it is one that gold makes.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path

from sqlore.answer.context import relevance
from sqlore.answer.join_path import Join, edge_of, join_graph
from sqlore.answer.narrow import joined_tables, linked_part
from sqlore.catalog import schema_text
from sqlore.catalog.render import estimate_tokens
from sqlore.embed import load_embedder
from sqlore.evals.ground import Ground, GroundPlan, grounds
from sqlore.model import ParsedScript, Schema
from sqlore.retrieve import Retriever

DATA = Path(os.environ.get("SQLORE_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
DATABASES = ("superhero", "financial", "european_football_2", "thrombosis_prediction")


def gold_joins(gold: ParsedScript) -> set[object]:
    edges = [edge_of(f.skeleton) for f in gold.fragments if f.kind == "relation" and f.form == "edge"]
    return {Join(a, b, ((x, y),)).key for a, x, b, y in filter(None, edges)}


def names_of(schema: Schema) -> tuple[set[str], set[str]]:
    tables = {t.folded_name for t in schema.tables}
    return tables, {f"{t.folded_name}.{c.name.lower()}" for t in schema.tables for c in t.columns}


def measured(ground: Ground, alone: bool) -> Counter[str]:
    catalog, store = ground.pool.catalog, ground.pool.store
    assert catalog is not None
    retriever = Retriever(store, ground.pool.embedder, catalog, strict=False)
    whole = names_of(catalog.schema)
    counts: Counter[str] = Counter(whole=estimate_tokens(schema_text(catalog)))
    for gold in ground.history.parsed:
        question, key = gold.script.question or "", gold.script.key
        retrieval = None if alone else retriever.retrieve(question, exclude={key})
        scores = relevance(question, catalog, retrieval)
        graph = join_graph(catalog.schema, None if alone else store, {key})
        joins = graph.path(joined_tables(catalog.schema, retrieval, scores), scores) or ()
        joined = {t for j in joins for t in (j.left, j.right)}
        part = linked_part(catalog, scores, joined)
        tables, columns = names_of(part.schema)
        wanted = {t.replace('"', "") for t in gold.tables} & whole[0]
        needed = {c.replace('"', "") for c in gold.columns} & whole[1]
        counts["questions"] += 1
        counts["tables shown"] += wanted <= tables
        counts["columns shown"] += needed <= columns
        counts["size"] += estimate_tokens(schema_text(part))
        if len(wanted) > 1:
            edges = gold_joins(gold)
            counts["joining"] += 1
            counts["same tables"] += joined == wanted
            counts["holds gold's tables"] += wanted <= joined
            counts["holds gold's joins"] += bool(edges) and edges <= {j.key for j in joins}
            counts["only gold's joins"] += bool(joins) and {j.key for j in joins} <= edges
            counts["joins told"] += bool(joins)
        else:
            counts["one table"] += 1
            counts["joins told in vain"] += bool(joins)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--alone", action="store_true", help="without the history")
    parser.add_argument("--database", action="append", help="only this one")
    given = parser.parse_args()
    embedder = load_embedder()
    for name in given.database or DATABASES:
        url = f"sqlite:///{DATA / 'bird' / 'databases' / name}.sqlite"
        plan = GroundPlan([DATA / "bird" / "dev.json"], url, databases=[name])
        for ground in grounds(plan, embedder):
            counts = measured(ground, given.alone)
            n, m = counts["questions"], counts["joining"]
            print(f"{name}: {n} questions")
            for label in ("tables shown", "columns shown"):
                print(f"  {label:<22}{counts[label] / n:.3f}")
            print(f"  {'size':<22}{counts['size'] / n / counts['whole']:.2f} of {counts['whole']} tokens")
            for label in (
                "joins told",
                "same tables",
                "holds gold's tables",
                "holds gold's joins",
                "only gold's joins",
            ):
                print(f"  {label:<22}{counts[label] / m:.3f}  of {m} that join")
            print(f"  {'joins told in vain':<22}{counts['joins told in vain']} of {counts['one table']}")


if __name__ == "__main__":
    main()
