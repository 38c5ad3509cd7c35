"""contextrail decides, for every model request of an agent, exactly what the model sees.

Five lines do the main job:

    conversation = decode(body)                       # any of four provider forms, or a session file
    request = Rail(Policy(), window=32_000).build(conversation)
    request.body                                      # within the budget, legal for its provider
    lint(request.body, request.target)                # () - nothing speaks against sending it
    request.trace()                                   # why each message is there, changed or gone
"""

from contextrail.compaction.agents import AGENTS, SummaryAgent, SummaryAgents, register_summary_agent
from contextrail.compaction.lifecycle import Effort, fetch_summary
from contextrail.compaction.need import NeedSummary, SummarizationFailed
from contextrail.context_get import ContextGetTool
from contextrail.core.budget import RequestBudget
from contextrail.core.errors import (
    AccessDenied,
    BudgetExceeded,
    Conflict,
    IntegrityError,
    InvalidRequest,
    NotFound,
    RailError,
    ToolHistoryOverflow,
    Unavailable,
)
from contextrail.core.tokens import Estimate
from contextrail.history.checkpoint_tool import ContextCheckpointTool
from contextrail.history.compare import Comparison, compare_traces
from contextrail.history.context import Loop
from contextrail.history.fence_kinds import FenceDescriptor, FenceInjection, FenceRegistry
from contextrail.history.plan import Plan, read_plan, write_plan
from contextrail.history.policy import Policy
from contextrail.history.reminder_rules import SystemReminderRegistry
from contextrail.messages.cost import Tokenizer
from contextrail.messages.decision import Decision
from contextrail.messages.model import (
    Conversation,
    Extra,
    Fence,
    Media,
    Message,
    Opaque,
    Origin,
    Summary,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextrail.policy import (
    check_policy,
    define_context_policy,
    merge_context_policy,
    merge_policies,
    policy_from,
    preset,
)
from contextrail.rail import Moment, Ports, Rail
from contextrail.record import from_record, to_record
from contextrail.request import Request
from contextrail.storage.blobs import BlobStore, DirectoryBlobs
from contextrail.transcripts.detect import detect, read_session
from contextrail.transcripts.session import Issue, Session
from contextrail.turn import Turn, TurnInputs, decide
from contextrail.wire.ask import ModelClient, Reply
from contextrail.wire.client import http_model
from contextrail.wire.codec import decode, detect_provider, encode
from contextrail.wire.format import format_agent_llm_messages
from contextrail.wire.lint import Finding, lint
from contextrail.wire.repair import Repaired, repair
from contextrail.wire.target import PROVIDERS
from contextrail.wire.tokenizers import tokenizer
from contextrail.wire.usage import Usage, read_usage

__all__ = [
    "AGENTS",
    "PROVIDERS",
    "AccessDenied",
    "BlobStore",
    "BudgetExceeded",
    "Comparison",
    "Conflict",
    "ContextCheckpointTool",
    "ContextGetTool",
    "Conversation",
    "Decision",
    "DirectoryBlobs",
    "Effort",
    "Estimate",
    "Extra",
    "Fence",
    "FenceDescriptor",
    "FenceInjection",
    "FenceRegistry",
    "Finding",
    "IntegrityError",
    "InvalidRequest",
    "Issue",
    "Loop",
    "Media",
    "Message",
    "ModelClient",
    "Moment",
    "NeedSummary",
    "NotFound",
    "Opaque",
    "Origin",
    "Plan",
    "Policy",
    "Ports",
    "Rail",
    "RailError",
    "Repaired",
    "Reply",
    "Request",
    "RequestBudget",
    "Session",
    "SummarizationFailed",
    "Summary",
    "SummaryAgent",
    "SummaryAgents",
    "SystemReminderRegistry",
    "Text",
    "Thinking",
    "Tokenizer",
    "Tool",
    "ToolCall",
    "ToolHistoryOverflow",
    "ToolResult",
    "Turn",
    "TurnInputs",
    "Unavailable",
    "Usage",
    "check_policy",
    "compare_traces",
    "decide",
    "decode",
    "define_context_policy",
    "detect",
    "detect_provider",
    "encode",
    "fetch_summary",
    "format_agent_llm_messages",
    "from_record",
    "http_model",
    "lint",
    "merge_context_policy",
    "merge_policies",
    "policy_from",
    "preset",
    "read_plan",
    "read_session",
    "read_usage",
    "register_summary_agent",
    "repair",
    "to_record",
    "tokenizer",
    "write_plan",
]
