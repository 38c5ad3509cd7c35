"""The order of the steps, and that a decision names the step of the pipeline that made it."""

from __future__ import annotations

import importlib

import pytest

from contextrail.history.pipeline import STEPS

NAMES = [name for name, _ in STEPS]
ELSEWHERE = {"repair": "contextrail.messages.settle", "referrals": "contextrail.history.reads"}
"""Steps whose decisions are named where they are made; the pointers of `reads` are mended under its name."""


@pytest.mark.parametrize(("name", "step"), STEPS, ids=NAMES)
def test_a_decision_names_its_step(name: str, step: object) -> None:
    module = importlib.import_module(ELSEWHERE.get(name, getattr(step, "__module__", "")))
    assert ("reads" if name == "referrals" else name) == module.STEP


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("repair", "tool_history"),
        ("tool_history", "tool_replay"),
        ("reads", "tool_output"),
        ("fences", "must_keep"),
        ("must_keep", "checkpoint"),
        ("obligations", "checkpoint"),
        ("checkpoint", "summarization"),
        ("reasoning_retention", "summarization"),
        ("reasoning_retention", "working_memory"),
        ("summarization", "working_memory"),
        ("working_memory", "referrals"),
        ("referrals", "reminders"),
    ],
)
def test_what_others_need_or_fill_with_comes_first(first: str, then: str) -> None:
    assert NAMES.index(first) < NAMES.index(then)
