"""What was learned: the store, the describer, learning itself."""

from __future__ import annotations

from sqlore.knowledge.describe.describer import Describer, describe_fragment, describe_script
from sqlore.knowledge.enrich import Improved, improve_descriptions
from sqlore.knowledge.learn import learn
from sqlore.knowledge.learn_report import LearnProgress, LearnReport
from sqlore.knowledge.records import Change, Description, Health, Stats, Text, Use
from sqlore.knowledge.store.store import Store

__all__ = [
    "Change",
    "Describer",
    "Description",
    "Health",
    "Improved",
    "LearnProgress",
    "LearnReport",
    "Stats",
    "Store",
    "Text",
    "Use",
    "describe_fragment",
    "describe_script",
    "improve_descriptions",
    "learn",
]
