"""Requests made up from the API's own document: well formed, nearly so, and hostile; alike for one seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]

#: Texts that are right somewhere, and texts that are right nowhere.
TEXTS = (
    "", " ", "a", "customers", "revenue", "SELECT 1", "SELECT * FROM customers",
    "SELECT name FROM customers;",
    "WITH a AS (SELECT 1 AS x) SELECT x FROM a WHERE x = 1 ORDER BY x LIMIT 1", "SELECT",
    "DROP TABLE customers", "SELECT 1; SELECT 2", "(((((", "`", "-- nothing", "/*", "\x00", "a\x00b",
    "\ud800", "é" * 300,
    "x" * 5000, "(" * 2000, "SELECT " + "(" * 500 + "1" + ")" * 500, "..", "%00", "%", "\u202e", "\r\n",
    "main", "cte:a", "main/subquery:1", "current", "name", "id", "0", "-1", "1e309", "NaN", "null", "true",
    "http://127.0.0.1:1/", "nosuch.sql", "csv", "parquet", "json", "verified", "None", "{}", "${x}", "a.b.c",
)  # fmt: skip
NUMBERS = (0, 1, 2, 3, -1, 5, 10, 100, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 2**70, 10**400)
#: JSON that is none, or is not what is asked for.
BODIES = (
    b"", b"{", b"null", b"[]", b"{}", b'"a"', b"1", b"NaN", b"\xff\xfe", b"[" * 3000, b'{"a": ' * 300,
    b'{"sql": NaN}', b'{"sql": "\\ud800"}', b'{"question": "\\ud800 \\u0000"}', b"1" * 5000,
)  # fmt: skip


@dataclass
class Call:
    """One request."""

    method: str
    path: str
    operation: str
    query: list[tuple[str, str]] = field(default_factory=list)
    body: bytes | None = None
    media: str = "application/json"


class Fuzzer:
    """Makes up requests; `known` are ids that exist, by the path in front of them."""

    def __init__(self, document: dict[str, Any], seed: int) -> None:
        self.document, self.random = document, random.Random(seed)
        self.known: dict[str, list[Any]] = {}

    def calls(self, rounds: int) -> Iterator[Call]:
        """So many requests of each operation, mixed: what one does meets what another does."""
        operations = [
            (method, path, operation)
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
        ]
        for _ in range(rounds):
            self.random.shuffle(operations)
            for method, path, operation in operations:
                yield self.call(method, path, operation)

    def call(self, method: str, path: str, operation: dict[str, Any]) -> Call:
        """One request of an operation."""
        from urllib.parse import quote

        url, query = path, []
        for one in operation.get("parameters", ()):
            value = self.value(one["schema"])
            if one["in"] == "path":
                front = path.partition("{" + one["name"])[0]
                if self.known.get(front) and self.random.random() < 0.75:
                    value = self.random.choice(self.known[front])
                text = _text(value) or "x"
                url = url.replace("{" + one["name"] + "}", quote(text.encode("utf-8", "replace"), safe=""))
            elif one["in"] == "query" and (one.get("required") or self.random.random() < 0.6):
                query.append((one["name"], _text(value).encode("utf-8", "replace").decode()))
        call = Call(method.upper(), url, f"{method} {path}", query)
        content = operation.get("requestBody", {}).get("content", {})
        for media, kind in content.items():
            call.media = media
            call.body = self.body(kind["schema"], media)
        return call

    def body(self, schema: Schema, media: str) -> bytes:
        """A body: mostly of the shape that is asked for."""
        if self.random.random() < 0.12 or not media.endswith("json"):
            return self.random.choice(BODIES)
        text = json.dumps(self.value(schema))
        return text.encode("utf-8", "replace")

    def value(self, schema: Schema, depth: int = 0) -> Any:
        """A value of a schema; now and then one of another kind."""
        if self.random.random() < 0.04:
            return self.random.choice([None, True, [], {}, 1.5, *TEXTS, *NUMBERS])
        if "$ref" in schema:
            return self.value(
                self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth
            )
        for key in ("anyOf", "oneOf", "allOf"):
            if key in schema:
                return self.value(self.random.choice(schema[key]), depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object":
            return self.object(schema, depth)
        if kind == "array":
            most = 0 if depth > 4 else 3
            return [
                self.value(schema.get("items", {}), depth + 1) for _ in range(self.random.randint(0, most))
            ]
        return self.scalar(schema, kind)

    def object(self, schema: Schema, depth: int) -> dict[str, Any]:
        """An object with all that is required and some of the rest."""
        needed = set(schema.get("required", ()))
        return {
            name: self.value(inner, depth + 1)
            for name, inner in schema.get("properties", {}).items()
            if name in needed or self.random.random() < 0.5
        }

    def scalar(self, schema: Schema, kind: str | None) -> Any:
        """A number, a truth, a text or nothing."""
        if kind == "integer":
            low, high = schema.get("minimum", 0), schema.get("maximum", 20)
            inside = self.random.randint(int(low), int(max(low, min(high, low + 20))))
            return inside if self.random.random() < 0.7 else self.random.choice(NUMBERS)
        if kind == "number":
            return self.random.choice([0.0, 0.5, 1.0, -1.0, 1e308, 3])
        if kind == "boolean":
            return self.random.random() < 0.5
        if kind == "null":
            return None
        ids = [str(one) for found in self.known.values() for one in found]
        return self.random.choice(ids) if ids and self.random.random() < 0.15 else self.random.choice(TEXTS)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
