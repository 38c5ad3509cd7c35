"""Summary requests: tried again, tried elsewhere, given up with a typed error; agents by name."""

from __future__ import annotations

import pytest

from contextrail.compaction.agents import AGENTS, SummaryAgent, SummaryAgents, register_summary_agent
from contextrail.compaction.lifecycle import Effort, Outcome, fetch_summary
from contextrail.compaction.need import SummarizationFailed
from contextrail.core.errors import InvalidRequest, NotFound
from contextrail.messages.model import Conversation
from contextrail.wire.ask import ModelFailed, Reply
from contextrail.wire.scripted import ScriptedModel
from tests.compaction.spans import WORK
from tests.compaction.test_prompt import need

DOWN = ModelFailed("overloaded", status=529, retry=True)
LATER = ModelFailed("too many", status=429, retry=True, retry_after_s=7.0)
WRONG = ModelFailed("bad request", status=400, retry=False)


class Waits:
    """A clock for tests: remembers how long it was asked to wait."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)


def fetch(
    script: ScriptedModel, *, may_continue: bool = False, sent: Conversation | None = None, **agent: object
) -> tuple[Outcome, list[float]]:
    agents, waits = SummaryAgents(), Waits()
    agents.register("history_compression", SummaryAgent(client=script, **agent))  # type: ignore[arg-type]
    outcome = fetch_summary(need(may_continue=may_continue), agents, effort=Effort(), sleep=waits, sent=sent)
    return outcome, waits.asked


def test_a_first_answer_is_taken_as_it_is() -> None:
    outcome, waits = fetch(ScriptedModel(["  the record \n"]))
    assert outcome == Outcome(text="the record", attempts=())
    assert waits == []


def test_failures_that_may_pass_are_tried_again_after_growing_waits() -> None:
    outcome, waits = fetch(ScriptedModel([DOWN, DOWN, "", "ok"]))
    assert outcome.text == "ok"
    assert waits == [1.0, 2.0, 3.0]
    assert [attempt["code"] for attempt in outcome.attempts] == ["model_failed"] * 3


def test_the_provider_may_ask_for_a_longer_wait() -> None:
    assert fetch(ScriptedModel([LATER, "ok"]))[1] == [7.0]


def test_a_refusal_or_a_wrong_request_is_not_repeated_but_the_fallback_is_asked() -> None:
    for failure in (WRONG, Reply(text="I cannot help", stop="refusal")):
        model = ScriptedModel([failure, "ok"])
        outcome, waits = fetch(model, model="first", fallback_model="second")
        assert outcome.text == "ok"
        assert waits == []
        assert [request.model for request in model.asked] == ["first", "second"]


def test_when_all_fails_the_error_is_typed_fatal_and_has_its_cause() -> None:
    model = ScriptedModel([DOWN])
    with pytest.raises(SummarizationFailed) as caught:
        fetch(model, model="first", fallback_model="second")
    assert caught.value.facts["fatal"] is True
    assert caught.value.facts["attempts"] == 8
    assert caught.value.__cause__ is DOWN
    assert len(model.asked) == 8


@pytest.mark.parametrize("answer", ["", "   \n", DOWN, WRONG])
def test_where_the_request_may_go_out_without_it_a_failure_is_an_empty_text(
    answer: str | ModelFailed,
) -> None:
    outcome, _ = fetch(ScriptedModel([answer]), may_continue=True)
    assert outcome.text == ""
    assert len(outcome.attempts) == (1 if answer is WRONG else 4)


def test_a_failure_never_carries_the_transcript() -> None:
    with pytest.raises(SummarizationFailed) as caught:
        fetch(ScriptedModel([DOWN]))
    assert "payments" not in repr(caught.value.to_json())


def test_an_agent_that_is_not_registered_is_a_typed_error_that_names_those_that_are() -> None:
    agents = SummaryAgents()
    agents.register("mine", SummaryAgent(client=ScriptedModel(["x"])))
    with pytest.raises(
        NotFound, match="history_compression is not a registered summary agent; there are: mine"
    ):
        fetch_summary(need(), agents, effort=Effort(), sleep=Waits())


def test_a_name_is_registered_once_unless_it_is_to_be_replaced() -> None:
    agents, agent = SummaryAgents(), SummaryAgent(client=ScriptedModel(["x"]))
    agents.register("mine", agent)
    with pytest.raises(InvalidRequest, match="registered summary agent already"):
        agents.register("mine", agent)
    agents.register("mine", agent, replace=True)
    with pytest.raises(InvalidRequest, match="needs a name"):
        agents.register(" ", agent)


def test_the_registry_of_the_process() -> None:
    agent = SummaryAgent(client=ScriptedModel(["x"]))
    register_summary_agent("tests only", agent, replace=True)
    assert AGENTS.get("tests only") is agent


def test_an_aligned_agent_sends_the_cached_request_but_not_to_another_model() -> None:
    sent = Conversation(model="m", messages=WORK)
    model = ScriptedModel([DOWN, DOWN, DOWN, DOWN, "ok"])
    fetch(model, form="aligned", sent=sent, fallback_model="other")
    assert model.asked[0].messages[:-1] == WORK
    assert (model.asked[-1].model, len(model.asked[-1].messages)) == ("other", 1)


def test_a_script_needs_an_answer() -> None:
    with pytest.raises(ValueError, match="needs an answer"):
        ScriptedModel([])
