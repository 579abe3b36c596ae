"""Least-to-most prompting with the adapted prompt: LTMP-DA-GP of "Adapt and Decompose" (section 4.5).

The exemplars are those that `da_gp` made for the database: they are made once for both, and what a person
corrected there counts here. The paper decomposes them by hand; here their SQL does (`apart.from_sql`), and
the model may put it in better words (`reword`). The ones that stayed as they were are taken apart in the same
way, so that all have one form.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlore.prompts.apart import from_sql
from sqlore.prompts.base import Setup
from sqlore.prompts.da_gp import AdaptedPrompt
from sqlore.prompts.few_shot import ABOUT, Shot
from sqlore.prompts.ltmp import STEP_TOKENS, PreparedSteps, step_rules, turns_of
from sqlore.prompts.notebook import Notebook, fingerprint
from sqlore.prompts.reword import reworded
from sqlore.prompts.rules import rules
from sqlore.prompts.text import tokens
from sqlore.prompts.worked import Worked, fitting_worked

if TYPE_CHECKING:
    from sqlore.catalog import Catalog
    from sqlore.knowledge.describe.words import Words as Vocabulary
    from sqlore.llm import ChatModel
    from sqlore.model import Schema
    from sqlore.prompts.training_pairs import TrainingSet

#: Raised when the model is asked otherwise: what was kept before is not used then.
VERSION = 1


class AdaptedLeastToMost:
    """The exemplars that were adapted to the database, each in three steps."""

    name = "ltmp_da_gp"
    history = False

    def prepare(
        self, catalog: Catalog, examples: TrainingSet, llm: ChatModel | None, setup: Setup
    ) -> PreparedSteps:
        """Adapts the exemplars where `da_gp` has not done it yet, and takes them apart.

        Raises what `da_gp` raises.
        """
        adapted = AdaptedPrompt().prepare(catalog, examples, llm, setup)
        told = adapted.told
        words = Words(llm, setup)
        own = [words.worked(one, catalog.schema, told.dialect, catalog.dictionary) for one in adapted.shots]
        others = [words.worked(one, examples.schema(one.database), told.dialect) for one in adapted.kept]
        system = step_rules(told.dialect, told.name)
        more = STEP_TOKENS + tokens(system) - tokens(rules(told.dialect, told.name))
        candidates = [one for one in (*own, *others) if one is not None]
        taken = fitting_worked(candidates, told.room(adapted=bool(adapted.shots)) - more)
        ours = [one for one in taken if one in own]
        ordered = (*(one for one in taken if one not in ours), *ours)
        return PreparedSteps(
            self.name,
            f"{system}\n{ABOUT}",
            ordered,
            lambda context: told.asked(context, shown=bool(ours)),
        )


class Words:
    """Takes exemplars apart; with `setup.reword` in the words of the model, asked once for each exemplar."""

    def __init__(self, llm: ChatModel | None, setup: Setup) -> None:
        self._llm = llm if setup.reword else None
        self._notes = Notebook(setup.folder, "reword", VERSION, llm.name if llm is not None else "")

    def worked(
        self, shot: Shot, schema: Schema, dialect: str, dictionary: Vocabulary | None = None
    ) -> Worked | None:
        """An exemplar in three steps; None where its SQL cannot be taken apart."""
        found = from_sql(shot.sql, schema, dialect, dictionary)
        if found is None:
            return None
        if self._llm is not None:
            key = fingerprint(shot.question, shot.sql, found.parts)
            if key not in self._notes:
                self._notes.put(key, reworded(shot.question, found.parts, shot.sql, self._llm))
            found = replace(found, parts=tuple(self._notes[key]))
        return Worked(shot.database, shot.schema, shot.question, turns_of(found, shot.sql))
