"""Context: everything a step may look at besides the draft. Values and two measures, nothing that acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from contextrail.core.ids import MessageId, Sha256
from contextrail.history.fence_kinds import FenceInjection, FenceRegistry
from contextrail.history.file_tools import FILE_TOOLS, FileTool
from contextrail.history.policy import Policy
from contextrail.history.reminder_rules import SystemReminderRegistry
from contextrail.messages.memo import Memo
from contextrail.messages.model import Message

Summarizer = Literal["none", "extract", "model"]
"""Who writes summaries: nobody (cuts with decisions), our extractive rules, or a model through the shell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """The state of the agent's loop, as far as the host says it."""

    step: int = 0
    """Steps taken so far."""
    max_steps: int | None = None
    """None: no limit is known."""
    phase: str | None = None
    """For example "force_final_answer"."""
    tools: tuple[str, ...] | None = None
    """Names of the tools the agent has. None: those of the conversation."""
    last_steps_hint_threshold: int | None = None
    """The host's own threshold, where the policy has none."""
    final_step_policy: str | None = None
    final_step_forced_tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What steps share. Costs are upper bounds in `unit`."""

    policy: Policy
    cost: Callable[[Message], int]
    """Of one message."""
    count: Callable[[str], int]
    """Of a bare text."""
    unit: str
    limit: int
    """What all messages together may cost: the history budget."""
    total: int
    """The window less the reserves: system, tools and messages."""
    fixed: int = 0
    """Cost of system and tools."""
    standing: int = 0
    """Cost of the system messages among the others, part of `limit`: nothing can reduce it either."""
    tools_cost: int = 0
    """What the tools have of it."""
    window: int | None = None
    """The whole window. None: as `total`."""
    loop: Loop | None = None
    fences: tuple[FenceInjection, ...] = ()
    """Of the current turn."""
    registry: FenceRegistry | None = None
    summaries: Mapping[Sha256, str] = field(default_factory=dict)
    """Texts of summaries made so far, by digest of the span they cover; a blank one failed."""
    store: bool = False
    """Whether full texts can be put aside."""
    ours: frozenset[str] = frozenset()
    """Handles that steps before put into texts: where else one stands, it may be a tool that wrote it."""
    summarizer: Summarizer = "extract"
    pinned: frozenset[MessageId] = frozenset()
    """Messages of which the host wants none removed or collapsed."""
    unpinned: frozenset[MessageId] = frozenset()
    """Messages whose goals, rules and decisions bind no longer."""
    tools: tuple[str, ...] = ()
    """Names of the tools in the request."""
    reminders: SystemReminderRegistry = field(default_factory=SystemReminderRegistry)
    """Triggers and templates that reminder rules may name."""
    file_tools: Mapping[str, FileTool] = field(default_factory=lambda: FILE_TOOLS)
    """Which tools read, write or edit files, by `tool_key`."""
    memo: Memo = field(default_factory=Memo)
    """Of this turn, or of the turns before as well."""
