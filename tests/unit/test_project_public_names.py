"""What `sqlore` exports is a promise: this test fails when it changes."""

from __future__ import annotations

import sqlore

PROMISED = [
    "Citation",
    "Draft",
    "Fragment",
    "KnowledgeItem",
    "ParsedScript",
    "Retrieval",
    "Retriever",
    "Script",
    "SqloreError",
    "Store",
    "Workspace",
    "__version__",
    "connect",
    "open",
    "parse_script",
    "read_history",
]


def test_the_exported_names_are_those_promised() -> None:
    assert sorted(sqlore.__all__) == sorted(PROMISED)


def test_every_exported_name_loads() -> None:
    for name in PROMISED:
        assert getattr(sqlore, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(sqlore, "no_such_name")
