"""The generic prompt of "Adapt and Decompose" (section 4.2): a few fixed examples that show all of SQL.

The examples are of other databases, chosen once by Algorithm 1 (`coverage`), and the same for every question,
so no example is looked for when a question comes and a model's prefix cache holds all but the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlore.prompts.base import Prompt, PromptContext, Setup
from sqlore.prompts.coverage import generic_exemplars
from sqlore.prompts.few_shot import Shot, Shots, Target, shot_tokens
from sqlore.prompts.notebook import Notebook

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.llm import ChatModel
    from sqlore.prompts.training_pairs import TrainingSet


class GenericPrompt:
    """Exemplars of a training set that cover its clauses, operators and functions."""

    name = "gp"
    history = False

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedGeneric:
        """Chooses the exemplars that fit beside the target's schema; no model is asked."""
        target = Target.of(catalog, setup.budget)
        notes = Notebook(setup.folder, self.name, VERSION, examples.fingerprint, target.dialect, target.room)
        if "exemplars" not in notes:
            if setup.on_progress is not None:
                setup.on_progress("choosing examples", 0, 1)
            shots, missing = choose(examples, target.room, target.dialect)
            notes.put("missing", list(missing))
            notes.put("exemplars", [asdict(one) for one in shots])
        found = tuple(Shot(**one) for one in notes["exemplars"])
        return PreparedGeneric(target, found, tuple(notes["missing"]))


#: Raised when the choice of exemplars or their form changes: what was kept before is not used then.
VERSION = 1


def choose(examples: TrainingSet, room: int, dialect: str) -> tuple[Sequence[Shot], Sequence[str]]:
    """The exemplars of Algorithm 1 within `room` tokens, database by database, and what they leave out."""
    shots = Shots(examples, dialect)
    chosen = generic_exemplars(
        shots.pairs, budget=room, cost=lambda pairs: shot_tokens([shots(pair) for pair in pairs])
    )
    return [shots(pair) for pair in chosen.exemplars], chosen.missing


@dataclass(frozen=True, slots=True)
class PreparedGeneric:
    """The exemplars for one database; `missing` are the operations that found no room."""

    target: Target
    shots: tuple[Shot, ...]
    missing: tuple[str, ...] = ()
    name: str = "gp"

    def prompt(self, context: PromptContext) -> Prompt:
        """Rules, exemplars, the target's schema, the question."""
        return self.target.prompt(context, self.shots)
