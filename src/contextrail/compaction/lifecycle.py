"""The life of a summary request: asked, asked again after a wait, asked elsewhere, or given up. Its clock is a port."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from contextrail.compaction.agents import SummaryAgent, SummaryAgents
from contextrail.compaction.need import NeedSummary, SummarizationFailed
from contextrail.compaction.prompt import Redact, Settings, aligned_request, plain_request
from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Conversation
from contextrail.wire.ask import ModelFailed, Reply

_LONGEST_WAIT_S: Final = 60.0
_REFUSALS: Final = frozenset({"refusal", "content_filter", "safety", "SAFETY", "PROHIBITED_CONTENT"})

Sleep = Callable[[float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How hard to try. Waits grow with each attempt: n times `delay_s` before the n-th retry."""

    retries: int = 3
    """Attempts per model beyond the first, >= 0."""
    delay_s: float = 1.0
    model: str | None = None
    """In place of the agent's model."""
    fallback_model: str | None = None
    """In place of the agent's fallback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it. `text` goes into the inputs of the turn; "" means that none came."""

    text: str
    attempts: tuple[JsonObject, ...]
    """Model, and what went wrong, for each attempt that failed. Never any text."""


def fetch_summary(
    need: NeedSummary,
    agents: SummaryAgents,
    *,
    effort: Effort,
    sleep: Sleep,
    redact: Redact | None = None,
    sent: Conversation | None = None,
) -> Outcome:
    """Ask the agent that the need names, with retries, then its fallback model.

    Args:
        need: What the core asked for.
        agents: Where the agent is registered.
        effort: Attempts and waits.
        sleep: Waits so many seconds.
        redact: Takes secrets out of what is sent.
        sent: The request as last sent, for an agent of the aligned form.

    Returns:
        The text; or "" where none came and `need.may_continue`.

    Raises:
        NotFound: No such agent.
        SummarizationFailed: No text came, and going on without one is not allowed. The last failure is its cause.
    """
    agent = agents.get(need.agent_id)
    failures: list[JsonObject] = []
    cause: Exception | None = None
    for model in _models(agent, effort):
        for attempt in range(effort.retries + 1):
            try:
                text = _ask(need, agent, _request(need, agent, model, redact, sent))
            except (ModelFailed, InvalidRequest) as error:
                cause = error
                failures.append({"model": model, "attempt": attempt + 1, "code": error.code, **error.facts})
                if error.facts.get("retry") is False or isinstance(error, InvalidRequest):
                    break
                if attempt < effort.retries:
                    sleep(_wait(error, attempt + 1, effort.delay_s))
            else:
                return Outcome(text=text, attempts=tuple(failures))
    if need.may_continue:
        return Outcome(text="", attempts=tuple(failures))
    raise SummarizationFailed(
        f"{need.agent_id} gave no summary in {len(failures)} attempts",
        fatal=True,
        agent=need.agent_id,
        covers=need.digest,
        attempts=len(failures),
        cure="repair the summarizer, allow continue-if-within-budget, or raise the window",
    ) from cause


def _models(agent: SummaryAgent, effort: Effort) -> list[str | None]:
    first = effort.model or agent.model
    fallback = effort.fallback_model or agent.fallback_model
    return [first] if fallback is None or fallback == first else [first, fallback]


def _request(
    need: NeedSummary,
    agent: SummaryAgent,
    model: str | None,
    redact: Redact | None,
    sent: Conversation | None,
) -> Conversation:
    settings = Settings(
        model=model,
        max_output=agent.max_output,
        max_characters=agent.max_characters,
        instructions=agent.instructions,
        redact=redact,
    )
    if agent.form == "aligned" and sent is not None and model in (None, sent.model):
        return aligned_request(need, settings, sent)
    return plain_request(need, settings)


def _ask(need: NeedSummary, agent: SummaryAgent, request: Conversation) -> str:
    reply: Reply = agent.client.ask(request, timeout_s=agent.timeout_s)
    if reply.stop in _REFUSALS:
        raise ModelFailed("the model refused to summarize", retry=False, stop=reply.stop)
    if not reply.text.strip():
        raise ModelFailed("the summary is blank", retry=True)
    return reply.text.strip()


def _wait(error: ModelFailed | InvalidRequest, attempt: int, delay_s: float) -> float:
    asked = error.facts.get("retry_after_s")
    wanted = float(asked) if isinstance(asked, (int, float)) else 0.0
    return min(_LONGEST_WAIT_S, max(attempt * delay_s, wanted))
