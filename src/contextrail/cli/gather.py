"""What a turn needs besides the session: summaries, the store, fences, the state of the loop."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from contextrail.cli.load import load_body
from contextrail.cli.output import err
from contextrail.compaction.agents import SummaryAgent, SummaryAgents
from contextrail.compaction.lifecycle import Effort, fetch_summary
from contextrail.compaction.need import NeedSummary
from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId
from contextrail.core.json_text import kind_of
from contextrail.history.context import Loop
from contextrail.history.fence_registry import read_fences
from contextrail.history.plan import read_plan
from contextrail.history.policy import DEFAULT_AGENT, Policy
from contextrail.rail import Moment, Ports, Summarize
from contextrail.storage.blobs import STORE, DirectoryBlobs
from contextrail.wire.client import http_model


def ports_from(
    policy: Policy, *, summarizer: str | None, summaries: Path | None, store: Path | None, keep: bool
) -> Ports:
    """The ports that the flags of a command name.

    Raises:
        InvalidRequest: A flag excludes another, or cannot be read, or no key is there for the model.
    """
    if store is not None and not keep:
        raise InvalidRequest("--store and --no-store exclude each other", option="--no-store")
    blobs = DirectoryBlobs(store or STORE) if keep else None
    if summaries is not None:
        if summarizer is not None:
            raise InvalidRequest(
                "--summaries and --summarizer exclude each other",
                option="--summaries",
                cure="give one of them",
            )
        return Ports(summarizer="model", summarize=_scripted(summaries), store=blobs)
    match summarizer or "extract":
        case "none":
            return Ports(summarizer="none", store=blobs)
        case "extract":
            return Ports(summarizer="extract", store=blobs)
        case spec:
            return Ports(summarizer="model", summarize=_asking(spec, policy), store=blobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What the flags of a command say about this turn."""

    fences: Path | None = None
    step: int | None = None
    max_steps: int | None = None
    phase: str | None = None
    plan: Path | None = None
    pin: Sequence[str] = ()
    unpin: Sequence[str] = ()


def moment_from(given: Given) -> Moment:
    """What holds for this turn, as the flags say. Raises InvalidRequest if a file cannot be read."""
    loop = None
    if given.step is not None or given.max_steps is not None or given.phase is not None:
        loop = Loop(step=given.step or 0, max_steps=given.max_steps, phase=given.phase)
    plan = None
    if given.plan is not None:
        none = "give the file that --plan-out wrote, or leave --plan-in away"
        plan = read_plan(load_body(given.plan, if_empty=none), place=str(given.plan))
    pins, unpins = (frozenset(map(MessageId, each)) for each in (given.pin, given.unpin))
    now = Moment(loop=loop, plan=plan, pinned=pins, unpinned=unpins)
    if given.fences is None:
        return now
    registry, injections = read_fences(
        load_body(given.fences, if_empty="give fences in it, or leave --fences away"), place=str(given.fences)
    )
    return replace(now, fences=injections, registry=registry)


def _scripted(path: Path) -> Summarize:
    """Answers from a file: by digest of the span, else the default."""
    texts = load_body(path, if_empty="give summaries in it ({} is none), or leave --summaries away")
    for name, text in texts.items():
        if not isinstance(text, str):
            raise InvalidRequest(
                f"{path}: {name} must be a text, not {kind_of(text)}", place=str(path), path=f"$.{name}"
            )

    def summarize(need: NeedSummary) -> str:
        return str(texts.get(need.digest, texts.get("default", "")))

    return summarize


def _asking(spec: str, policy: Policy) -> Summarize:
    """A model behind an endpoint, asked as the policy says."""
    settings = policy.summarization
    agents = SummaryAgents()
    client = http_model(spec, model=settings.model_id)
    if client.missing_variable is not None:
        raise InvalidRequest(
            f"the summarizer needs a key: the environment variable {client.missing_variable} holds none",
            option="--summarizer",
            variable=client.missing_variable,
            cure=f"set {client.missing_variable}, or use --summarizer extract, which asks no model",
        )
    agents.register(settings.agent_id or DEFAULT_AGENT, SummaryAgent(client=client))
    effort = Effort(
        retries=settings.max_retries,
        delay_s=settings.retry_delay_ms / 1000,
        model=settings.model_id,
        fallback_model=settings.fallback_model_id,
    )

    def summarize(need: NeedSummary) -> str:
        with err().status(f"asking {spec} to summarize {len(need.messages)} messages"):
            return fetch_summary(need, agents, effort=effort, sleep=time.sleep).text

    return summarize
