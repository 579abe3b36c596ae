"""Vanna's side of `bench_vanna.py`; runs in Vanna's own environment and knows nothing of sqlore.

It reads JSON lines and answers with JSON lines. The first says what to train with: ``{"ddl": [...],
"pairs": [{"key", "question", "sql"}], "name", "dialect", "folder"}``. Every further one is a question,
``{"ask": "...", "without": [keys]}``: the pairs of these keys are taken out for as long as it is asked.
Where Vanna needs a vector or an answer of the language model, the worker asks for it (``{"embed":
[texts]}``, ``{"chat": messages}``), so that both sides use the same models. The answer is
``{"sql": ..., "error": ...}``; ``{"restore": true}`` then puts the pairs back.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

from chromadb.api.types import EmbeddingFunction
from vanna.legacy.base import VannaBase
from vanna.legacy.chromadb import ChromaDB_VectorStore


class Wire:
    """JSON lines in and out; what libraries print must not come between them."""

    def __init__(self) -> None:
        self._out: TextIO = sys.stdout
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - for as long as the process lives

    def say(self, message: dict[str, Any]) -> None:
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()

    def hear(self) -> dict[str, Any] | None:
        line = sys.stdin.readline()
        return json.loads(line) if line else None

    def ask(self, message: dict[str, Any]) -> Any:
        self.say(message)
        heard = self.hear()
        if heard is None:
            raise SystemExit(1)
        return heard["answer"]


class Vectors(EmbeddingFunction):  # type: ignore[type-arg]
    """The embedding model of the other side, as Chroma calls it."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    def __call__(self, input: list[str]) -> Any:
        return self.wire.ask({"embed": list(input)})

    @staticmethod
    def name() -> str:
        return "wire"

    def get_config(self) -> dict[str, Any]:
        return {}


class Vanna(ChromaDB_VectorStore, VannaBase):  # type: ignore[misc]
    """Vanna's classic API over Chroma; prompts, number of examples and answers' reading are Vanna's own."""

    def __init__(self, wire: Wire, config: dict[str, Any]) -> None:
        ChromaDB_VectorStore.__init__(self, config=config)
        VannaBase.__init__(self, config=config)
        self.wire = wire

    def system_message(self, message: str) -> dict[str, str]:
        return {"role": "system", "content": message}

    def user_message(self, message: str) -> dict[str, str]:
        return {"role": "user", "content": message}

    def assistant_message(self, message: str) -> dict[str, str]:
        return {"role": "assistant", "content": message}

    def submit_prompt(self, prompt: list[dict[str, str]], **options: Any) -> str:
        return str(self.wire.ask({"chat": prompt}))

    def log(self, message: str, title: str = "Info") -> None:
        """Nothing: Vanna prints every prompt."""


def main() -> None:
    wire = Wire()
    setup = wire.hear()
    if setup is None:
        return
    config = {
        "path": setup["folder"],
        "client": "in-memory",
        "embedding_function": Vectors(wire),
        "dialect": setup["dialect"],
    }
    vanna = Vanna(wire, config)
    for ddl in setup["ddl"]:
        vanna.train(ddl=ddl)
    pairs = {pair["key"]: pair for pair in setup["pairs"]}
    ids = {key: vanna.train(question=pair["question"], sql=pair["sql"]) for key, pair in pairs.items()}
    wire.say({"ready": len(ids)})
    while (task := wire.hear()) is not None:
        without = [key for key in task["without"] if key in ids]
        # Chroma's ids are hashes of question and SQL: equal pairs are one, and it is taken out once.
        for number in {ids[key] for key in without}:
            vanna.remove_training_data(id=number)
        try:
            wire.say({"sql": vanna.generate_sql(task["ask"]), "error": ""})
        except Exception as error:
            wire.say({"sql": "", "error": f"{type(error).__name__}: {error}"})
        wire.hear()  # the other side has stopped its clock
        for key in without:
            ids[key] = vanna.train(question=pairs[key]["question"], sql=pairs[key]["sql"])
        wire.say({"restored": len(without)})


if __name__ == "__main__":
    main()
