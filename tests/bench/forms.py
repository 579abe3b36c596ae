"""Forms in which the knowledge found for a question can be delivered; `bench_forms.py` compares them.

What is found is the same in all of them; they differ in the scripts that are shown as worked examples, in
their order, and in whether the found items are listed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sqlore.model import Message, RankedScript, Retrieval
from sqlore.prompts import Prompt, PromptContext
from sqlore.prompts.base import usable
from sqlore.prompts.history import History, note
from sqlore.prompts.zero_shot import question_lines
from sqlore.retrieve import Retriever
from sqlore.retrieve.deliver import best_first, covering, explained, folded, worked_examples
from sqlore.retrieve.fuse import by_sameness, by_trust
from sqlore.retrieve.retriever import BUDGET
from sqlore.retrieve.select import best_count
from sqlore.retrieve.signals import Asked
from sqlore.retrieve.snapshot import Floats

#: Items of the list at most: as many as a covering set of scripts typically holds.
LISTED = 10
MOST_COVERED = 20
KINDS = {
    "calculation": "Formulas",
    "condition": "Conditions",
    "relation": "Joins",
    "dimension": "Groupings",
    "output": "Sorting and limits",
}


@dataclass(frozen=True)
class Form:
    """A form of delivery: `chance` from which an item is covered beside the chosen ones (None: no cover),
    covering scripts at most, `filled` up to so many with the nearest; with a list of items; with notes on
    the items that no script shows. The scripts come by their share of what is covered, or by nearness, the
    best of them last or first.
    """

    chance: float | None = 0.15
    most: int = 4
    filled: int = 0
    listed: bool = False
    notes: bool = True
    by_nearness: bool = False
    best_first: bool = False
    budget: int = BUDGET
    history: bool = True


FORMS = {
    "cover": Form(),
    "chosen": Form(chance=1.01),
    "cover_list": Form(listed=True),
    "nearest6": Form(chance=None, filled=6, by_nearness=True),
    "cover_fill": Form(filled=4),
    "cover_near": Form(by_nearness=True),
    "nearest3": Form(chance=None, filled=3, by_nearness=True),
    "list": Form(chance=None, listed=True),
    "cover30": Form(chance=0.30),
    "cover_first": Form(best_first=True),
    "cover_fill6": Form(filled=6),
    "nearest6_bare": Form(chance=None, filled=6, by_nearness=True, notes=False),
    "zero_shot": Form(history=False),
}


@dataclass
class Delivery:
    """A retriever that delivers in one form; it stands in for `Retriever` in `ask`."""

    retriever: Retriever
    form: Form

    def retrieve(
        self, question: str, *, scripts: int = 0, exclude: Collection[int | str] = frozenset()
    ) -> Retrieval:
        own = self.retriever
        asked = own.look_up(question, exclude)
        scores, shares = own.ranker.rank(asked)
        scores = by_trust(asked, by_sameness(asked, scores))
        ranking = folded(asked.snapshot, best_first(scores))
        chosen = ranking[: min(MOST_COVERED, best_count(scores[ranking]))]
        rows, wanted = self._rows(asked, ranking, chosen, scores)
        shown: list[RankedScript] = []
        for row in rows:
            shown += worked_examples(asked, [row], chosen, wanted, scores, own.store.scripts)
        if not self.form.by_nearness:
            shown.sort(key=lambda script: -script.score)
        noted = self.form.notes or self.form.listed
        return Retrieval(
            question,
            explained(asked, chosen if noted else (), scores, shares, own.ranker.names),
            tuple(reversed(shown)) if self.form.best_first else tuple(shown),
            values=tuple(asked.values),
        )

    def _rows(
        self, asked: Asked, ranking: Sequence[int], chosen: Sequence[int], scores: Floats
    ) -> tuple[list[int], list[int]]:
        """Rows of the texts delivered, the most relevant first, and of the items wanted."""
        form, near = self.form, np.maximum(asked.dense, asked.lexical)
        further = ranking[len(chosen) : MOST_COVERED]
        chance = 1.01 if form.chance is None else form.chance
        wanted = [*chosen, *(row for row in further if scores[row] >= chance)]
        rows = []
        if form.chance is not None:
            rows = covering(asked, wanted, scores, most=form.most, budget=form.budget)
        if form.filled:
            rows = filled(asked, rows, near, form.filled)
        return sorted(rows, key=lambda row: -near[row]), wanted


def filled(asked: Asked, rows: Sequence[int], near: Floats, most: int) -> list[int]:
    """`rows` and the nearest further texts, one a SQL text, up to `most`."""
    texts, out = asked.snapshot.texts, list(rows)
    seen = {texts[row].script for row in out}
    for row in best_first(near * asked.alive):
        if len(out) >= most:
            break
        if texts[row].script not in seen and row not in asked.snapshot.undeliverable:
            seen.add(texts[row].script)
            out.append(row)
    return out


class Listing:
    """The strategy `history` with a list of the chosen items, by kind, in place of its notes."""

    name: ClassVar[str] = "bench_list"

    def prompt(self, context: PromptContext) -> Prompt:
        retrieval = context.retrieval
        if retrieval is None:
            return History().prompt(context)
        turns = History().prompt(replace(context, retrieval=replace(retrieval, items=()))).messages
        found = [r.item for r in usable(retrieval.items) if r.item.kind != "query"][:LISTED]
        lines = ["Fragments of past queries that may be needed:"]
        for kind, title in KINDS.items():
            own = [note(item) for item in found if item.kind == kind]
            lines += [f"{title}:", *own] if own else []
        if len(lines) == 1:
            return Prompt(turns)
        return Prompt((*turns[:-1], Message("user", "\n".join([*lines, "", *question_lines(context)]))))
