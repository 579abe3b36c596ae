"""Least-to-most prompting with the generic prompt: LTMP-GP of "Adapt and Decompose" (section 4.4).

The exemplars are those of Algorithm 1 (`coverage`), with the parts of their questions and their NatSQL as the
training set has them. They are longer than those of `gp`, so fewer fit in the same budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sqlore.prompts.apart import apart
from sqlore.prompts.base import Setup
from sqlore.prompts.coverage import generic_exemplars
from sqlore.prompts.few_shot import ABOUT, Shots, Target
from sqlore.prompts.ltmp import STEP_TOKENS, PreparedSteps, step_rules, turns_of
from sqlore.prompts.notebook import Notebook
from sqlore.prompts.rules import rules
from sqlore.prompts.text import tokens
from sqlore.prompts.worked import Worked, worked_tokens

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import Pair, TrainingSet

#: Raised when the choice of exemplars or their form changes: what was kept before is not used then.
VERSION = 1


class LeastToMost:
    """Exemplars of a training set that cover its clauses, operators and functions, each in three steps."""

    name = "ltmp_gp"
    history = False

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedSteps:
        """Chooses the exemplars that fit beside the target's schema; no model is asked."""
        target = Target.of(catalog, setup.budget)
        told = step_rules(target.dialect, target.name)
        room = target.room - STEP_TOKENS - (tokens(told) - tokens(rules(target.dialect, target.name)))
        notes = Notebook(setup.folder, self.name, VERSION, examples.fingerprint, target.dialect, room)
        if "exemplars" not in notes:
            if setup.on_progress is not None:
                setup.on_progress("choosing examples", 0, 1)
            notes.put("exemplars", [asdict(one) for one in choose(examples, room, target.dialect)])
        found = tuple(_kept(one) for one in notes["exemplars"])
        return PreparedSteps(self.name, f"{told}\n{ABOUT}", found, target.asked)


def choose(examples: TrainingSet, room: int, dialect: str) -> list[Worked]:
    """The exemplars of Algorithm 1 in three steps, within `room` tokens, database by database.

    Those whose SQL cannot be taken apart, and that nobody took apart, are none.
    """
    shots = Shots(examples, dialect)
    known: dict[Pair, Worked | None] = {}

    def worked(pair: Pair) -> Worked | None:
        if pair not in known:
            one, found = shots(pair), apart(pair, examples.schema(pair.database))
            turns = turns_of(found, one.sql) if found is not None else ()
            known[pair] = Worked(one.database, one.schema, one.question, turns) if turns else None
        return known[pair]

    def cost(pairs: Sequence[Pair]) -> int:
        found = [one for pair in pairs if (one := worked(pair)) is not None]
        return worked_tokens(found) if len(found) == len(pairs) else room + 1

    chosen = generic_exemplars(shots.pairs, budget=room, cost=cost).exemplars
    return [one for pair in chosen if (one := worked(pair)) is not None]


def _kept(one: dict[str, Any]) -> Worked:
    return Worked(one["database"], one["schema"], one["question"], tuple((a, b) for a, b in one["turns"]))
