"""No test reaches a real model by accident: only those marked `model` may."""

from __future__ import annotations

import os

import pytest

import sqlore.llm.base

os.environ["SQLORE_ALLOW_MODEL_REQUESTS"] = "0"  # for the processes that tests start
sqlore.llm.base.ALLOW_MODEL_REQUESTS = False


def _allow(allowed: bool) -> None:
    os.environ["SQLORE_ALLOW_MODEL_REQUESTS"] = "1" if allowed else "0"
    sqlore.llm.base.ALLOW_MODEL_REQUESTS = allowed


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("model"):
        _allow(True)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    _allow(False)
