"""Summary agents: who is asked for a summary, by a name that the policy gives. Registered by the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from contextrail.core.errors import InvalidRequest, NotFound
from contextrail.wire.ask import ModelClient

DEFAULT: Final = "history_compression"


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryAgent:
    """A model behind a port, and how it is asked. It gets no tools of its own."""

    client: ModelClient
    model: str | None = None
    """None: the client's own."""
    fallback_model: str | None = None
    """Asked when the first failed for good. None: none."""
    instructions: str | None = None
    """In place of ours; the warning about the transcript always stands."""
    form: Literal["plain", "aligned"] = "plain"
    """aligned: the cached request with the instruction last, where the provider caches and the model is the same."""
    timeout_s: float = 60.0
    max_output: int = 2048
    """Tokens."""
    max_characters: int = 600_000
    """Of the transcript it can take."""


class SummaryAgents:
    """A registry. `register` refuses a second agent under one name; a name that is missing is a typed error."""

    def __init__(self) -> None:
        self._agents: dict[str, SummaryAgent] = {}

    def register(self, ident: str, agent: SummaryAgent, *, replace: bool = False) -> None:
        """Put an agent under a name.

        Raises:
            InvalidRequest: The name is blank, or taken and `replace` is off.
        """
        if not ident.strip():
            raise InvalidRequest("a summary agent needs a name", place="summary agents")
        if ident in self._agents and not replace:
            raise InvalidRequest(
                f"{ident} is a registered summary agent already", place="summary agents", agent=ident
            )
        self._agents[ident] = agent

    def get(self, ident: str) -> SummaryAgent:
        """The agent of a name.

        Raises:
            NotFound: No agent has that name; the names that exist are in the message.
        """
        if ident not in self._agents:
            known = ", ".join(sorted(self._agents)) or "none"
            raise NotFound(
                f"{ident} is not a registered summary agent; there are: {known}",
                path="summarization.agent_id",
                agent=ident,
                cure="register it with register_summary_agent, or name one that is registered",
            )
        return self._agents[ident]


AGENTS: Final = SummaryAgents()
"""The registry of the process, for hosts that keep none of their own."""


def register_summary_agent(ident: str, agent: SummaryAgent, *, replace: bool = False) -> None:
    """Put an agent into the registry of the process; errors as in `SummaryAgents.register`."""
    AGENTS.register(ident, agent, replace=replace)
