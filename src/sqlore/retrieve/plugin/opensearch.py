"""OpenSearch-SQL: the entries of its `fewshot/questions.json`.

Source: OpenSearch-AI/OpenSearch-SQL, `src/database_process/generate_question.py` (the file's two lists, their
keys and layout), `prepare_train_queries.py` (the lines of an example) and `src/llm/all_prompt.py` (the order
of the lines in the answer it asks for). Tasks find their entry by position: entry n is question n.

That pipeline has a language model write the lines beside each SQL once. Here they are read off the SQL: the
columns, the conditions with their values, what is selected, the query without its joins; the reason is the
script's description.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from sqlore.retrieve.plugin.examples import Example, database_of, examples, quoted

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.model import ParsedScript, Retrieval

__all__ = ["opensearch", "structured"]

_SQL_HEAD: Final = "/* Some SQL examples are provided based on similar problems: */"
_EXTRACT_HEAD: Final = "/* Some extract examples are provided based on similar problems: */"
_EXTRACTS: Final = 6
_DATE_FORMAT: Final = re.compile(r"(?:%[a-zA-Z][-/:. ]?)+")
_REST: Final = ("where", "group by", "having", "order by", "limit", "union", "intersect", "except")


def opensearch(found: Retrieval, catalog: Catalog | None = None) -> dict[str, list[dict[str, Any]]]:
    """The file's two lists with the entry of this question: ``{"questions": [entry], "extract": [entry]}``.

    For a file of many tasks put the lists of all of them together, in the order of the tasks. The first list
    is for writing the SQL, the second (at most six examples) for finding columns and values.
    """
    shown = examples(found, catalog)
    entry = {"question": found.question, "evidence": "", "raw_question": found.question}
    database = database_of(found, catalog)

    def with_prompt(head: str, blocks: list[str]) -> dict[str, Any]:
        prompt = "\n\n".join(blocks)
        return {**entry, "prompt": f"{head}\n{prompt}", "n_examples": len(blocks), "db_id": database}

    return {
        "questions": [with_prompt(_SQL_HEAD, [_block(one, structured(one)) for one in shown])],
        "extract": [
            with_prompt(_EXTRACT_HEAD, [_block(one, _extract_lines(one)) for one in shown[:_EXTRACTS]])
        ],
    }


def _block(example: Example, lines: list[str]) -> str:
    return "\n".join([f"/* Answer the following: {example.question} */", *lines])


def structured(example: Example, *, masked: bool = False) -> list[str]:
    """The lines of the answer that OpenSearch-SQL asks for, from the reason to the SQL.

    `masked` puts ``<val>`` in the place of literals, which takes an example that could be parsed.
    """
    if example.parsed is None:
        return [f"#reason: {example.description}", f"#SQL: {example.sql}"]
    query = next(one for one in example.parsed.fragments if one.kind == "query")
    selected, rest = _selected(query.skeleton if masked else query.canonical)
    return [
        f"#reason: {example.description}",
        f"#columns: {', '.join(example.parsed.columns)}",
        f"#values: {(not masked and _values(example.parsed)) or 'None'}",
        f"#SELECT: {selected}",
        f"#SQL-like: Show {', '.join([selected, *rest])}",
        f"#SQL: {query.skeleton if masked else example.sql}",
    ]


def _extract_lines(example: Example) -> list[str]:
    columns = example.parsed.columns if example.parsed else ()
    values = [f'"{value}"' for value in quoted(example.sql) if not _DATE_FORMAT.fullmatch(value)]
    return [
        f"#reason: {example.description}",
        f"#columns: {', '.join(columns)}",
        f"#values: {', '.join(values)}",
    ]


def _values(parsed: ParsedScript) -> str:
    """The conditions with their literals: ``'Marvel' refer to publisher.name = 'Marvel'``."""
    found = {
        one.canonical: ", ".join(f"'{literal}'" for literal in one.literals)
        for one in parsed.fragments
        if one.kind == "condition" and one.literals
    }
    return ", ".join(f"{literals} refer to {condition}" for condition, literals in found.items())


def _selected(query: str) -> tuple[str, list[str]]:
    """What a query, as its skeleton spells it, selects, and its clauses but for the joins.

    >>> _selected("select t.a, (select max(t.c) from t) from t where t.b = 1 order by t.c asc limit 2")
    ('t.a, (select max(t.c) from t)', ['where t.b = 1', 'order by t.c asc', 'limit 2'])
    """
    cuts = _top_level(query, ("from", *_REST))
    if not query.startswith("select ") or not cuts:
        return query.removeprefix("select "), []
    ends = [start for start, _ in cuts[1:]] + [len(query)]
    clauses = [(word, query[start:end].strip()) for (start, word), end in zip(cuts, ends, strict=True)]
    return query[len("select ") : cuts[0][0]].strip(), [text for word, text in clauses if word != "from"]


def _top_level(query: str, words: tuple[str, ...]) -> list[tuple[int, str]]:
    """Where these words stand outside parentheses and quotes."""
    clause = "|".join(words)
    pieces = re.compile(rf"'(?:[^']|'')*'|\"[^\"]*\"|[()]|\b(?P<word>{clause})\b")
    depth, found = 0, []
    for piece in pieces.finditer(query):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if piece["word"] and not depth:
            found.append((piece.start(), piece["word"]))
    return found
