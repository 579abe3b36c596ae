"""Large stores for `bench_growth.py`: BIRD's 69 training histories as one database, and copies of it.

The histories are learned into ONE store, each database a schema of its own (`video_games.publisher`); 200
questions spread over all of them are left out, to be asked. That gives some ten thousand texts. Beyond it the
histories are learned again as other databases: the schema is renamed (`video_games_v2`), so that every item
that names a table is another one, and about a third of a question's words of meaning are exchanged for others
that are as frequent, the same word always for the same other word in one copy. Everything goes the ordinary
way: parsed, described, folded, stored.

Vectors are the embedding model's for the histories themselves. Embedding the copies would take too long, so
a copied question has its original's vector with noise (cosine 0.8 to it), and an item of a copy that of some
original item with noise: as many, as long and as spread as real ones, which is what speed depends on. Answers
of the copies say nothing about quality.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import sqlglot
from numpy.typing import NDArray
from sqlglot import exp

from sqlore.catalog import load_tables_json
from sqlore.embed import Embedder, load_embedder
from sqlore.embed.base import unit_rows
from sqlore.knowledge import Store, learn
from sqlore.model import Schema, Script
from sqlore.sql import parse_script

ASKED = 200
_WORD = re.compile(r"[A-Za-z]{4,}")
_COMMON = 150
_EXCHANGED = 3  # one word in so many
_NOISE = 0.75
_BATCH = 1000
_SMALL = 50

Rows = list[dict[str, Any]]


def read(folder: Path) -> tuple[Rows, Rows]:
    """The rows to learn, database by database, and those whose questions are left out of them."""
    rows = json.loads((folder / "train.json").read_text(encoding="utf-8"))
    asked = rows[:: len(rows) // ASKED][:ASKED]
    held = {row["question"] for row in asked}
    return [row for row in rows if row["question"] not in held], asked


def asked_rows(folder: Path) -> Rows:
    """The rows whose questions are asked; no store holds them."""
    return read(folder)[1]


@cache
def _schemas(folder: Path) -> Mapping[str, Schema]:
    return load_tables_json(folder / "train_tables.json")


def keys_of(row: Mapping[str, Any], folder: Path) -> set[str]:
    """The keys of the items that the SQL of `row` is made of, as a store spells them."""
    name = row["db_id"]
    parsed = parse_script(_script(row, name, None), "sqlite", _renamed(_schemas(folder)[name], name))
    edges = any(fragment.form == "edge" for fragment in parsed.fragments)
    return {
        fragment.key
        for fragment in parsed.fragments
        if fragment.kind != "query"
        and not (edges and fragment.kind == "relation" and fragment.form != "edge")
    }


def stores(folder: Path, cache: Path, sizes: Sequence[int]) -> Iterator[Path]:
    """A store with at least so many items for each of the growing `sizes`; made where `cache` lacks it.

    Each is a snapshot of one store that is learned on and on, so the larger holds all that the smaller has.
    """
    cache.mkdir(parents=True, exist_ok=True)
    paths = [cache / f"growth-{size}.sqlore" for size in sizes]
    if not all(path.exists() for path in paths):
        _make(folder, cache, dict(zip(sizes, paths, strict=True)))
    yield from paths


def _make(folder: Path, cache: Path, wanted: Mapping[int, Path]) -> None:
    work = cache / "growing.sqlore"
    work.unlink(missing_ok=True)
    rows, _ = read(folder)
    left = dict(wanted)
    with Store.create(work) as store:
        for schema, scripts, embedder in _batches(folder, rows):
            learn(store, scripts, schema=schema, dialect="sqlite", embedder=embedder)
            items = store.stats().items
            for size in [size for size in left if items >= size]:
                store.compact()
                shutil.copyfile(work, left.pop(size))
                print(f"made: {size} items", flush=True)
            if not left:
                break
    work.unlink()


def _batches(folder: Path, rows: Rows) -> Iterator[tuple[Schema, list[Script], Embedder]]:
    """One database after the other, and when they are through, their copies."""
    schemas = _schemas(folder)
    names = list(dict.fromkeys(row["db_id"] for row in rows))
    real = _Kept(load_embedder())
    copy = 1
    while True:
        varied = None if copy == 1 else _Varied(real, copy, [row["question"] for row in rows])
        for name in names:
            suffix = "" if copy == 1 else f"_v{copy}"
            own = [row for row in rows if row["db_id"] == name]
            # Small pieces at first, so that the smallest store is about as large as it says.
            size = _SMALL if copy == 1 else _BATCH
            for start in range(0, len(own), size):
                part = [_script(row, name + suffix, varied) for row in own[start : start + size]]
                yield _renamed(schemas[name], name + suffix), part, varied or real
        copy += 1


def _renamed(schema: Schema, name: str) -> Schema:
    return Schema(tuple(replace(table, schema=name) for table in schema.tables), name, schema.dialect)


def _script(row: Mapping[str, Any], name: str, varied: _Varied | None) -> Script:
    """The row's SQL with its tables in the schema `name`."""
    question = row["question"] if varied is None else varied.question(row["question"])
    try:
        tree = sqlglot.parse_one(row["SQL"], read="sqlite")
    except sqlglot.errors.SqlglotError:
        return Script(row["SQL"], question=question, dialect="sqlite")
    own = {cte.alias_or_name.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        if table.name.lower() not in own:
            table.set("db", exp.to_identifier(name))
    return Script(tree.sql("sqlite"), question=question, dialect="sqlite")


class _Kept:
    """The embedding model, and every vector that it has made."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.name, self.dimension = inner.name, inner.dimension
        self.vectors: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        missing = [text for text in dict.fromkeys(texts) if text not in self.vectors]
        self.vectors.update(zip(missing, self.inner.embed(missing), strict=True))
        return np.stack([self.vectors[text] for text in texts])


class _Varied:
    """Other questions for copy number `copy`, and vectors for them and for whatever else is in it."""

    def __init__(self, real: _Kept, copy: int, questions: Sequence[str]) -> None:
        self.name, self.dimension = real.name, real.dimension
        self._copy = copy
        self._vectors = real.vectors
        self._pool = np.stack(list(real.vectors.values()))
        self._originals: dict[str, str] = {}
        words = Counter(word for text in questions for word in _WORD.findall(text.lower()))
        self._words = [word for word, _ in words.most_common()]
        self._places = {word: place for place, word in enumerate(self._words)}

    def question(self, text: str) -> str:
        """`text` with words exchanged; its vector will be made from that of `text`."""
        out = _WORD.sub(lambda match: self._other(match[0]), text)
        self._originals[out] = text
        return out

    def _other(self, word: str) -> str:
        place = self._places.get(word.lower(), 0)
        draw = _number(f"{self._copy} {word.lower()}")
        if place < _COMMON or draw % _EXCHANGED:
            return word
        reach = place // 4
        return self._words[min(place - reach + draw // _EXCHANGED % (2 * reach + 1), len(self._words) - 1)]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        base = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            known = self._vectors.get(self._originals.get(text, text))
            base[row] = self._pool[_number(text) % len(self._pool)] if known is None else known
        draw = np.random.default_rng(_number(texts[0]) if texts else 0)
        noise = unit_rows(draw.standard_normal(base.shape, dtype=np.float32))
        return unit_rows(base + _NOISE * noise)


def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest(), "big")
