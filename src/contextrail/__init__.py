"""contextrail decides, for every model request of an agent, exactly what the model sees.

Five lines do the main job:

    conversation = decode(body)                       # any of four provider forms, or a session file
    request = Rail(Policy(), window=32_000).build(conversation)
    request.body                                      # within the budget, legal for its provider
    lint(request.body, request.target)                # () - nothing speaks against sending it
    request.trace()                                   # why each message is there, changed or gone
"""

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
    Unavailable,
)
from contextrail.core.tokens import Estimate
from contextrail.history.policy import Policy
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
    define_context_policy,
    merge_context_policy,
    merge_policies,
    policy_from,
    preset,
)
from contextrail.rail import Moment, Ports, Rail
from contextrail.record import from_record, to_record
from contextrail.request import Request
from contextrail.transcripts.detect import detect, read_session
from contextrail.transcripts.session import Issue, Session
from contextrail.turn import Turn, TurnInputs, decide
from contextrail.wire.codec import decode, detect_provider, encode
from contextrail.wire.format import format_agent_llm_messages
from contextrail.wire.lint import Finding, lint
from contextrail.wire.repair import Repaired, repair
from contextrail.wire.target import PROVIDERS
from contextrail.wire.tokenizers import tokenizer
from contextrail.wire.usage import Usage, read_usage

__all__ = [
    "PROVIDERS",
    "AccessDenied",
    "BudgetExceeded",
    "Conflict",
    "ContextGetTool",
    "Conversation",
    "Decision",
    "Estimate",
    "Extra",
    "Fence",
    "Finding",
    "IntegrityError",
    "InvalidRequest",
    "Issue",
    "Media",
    "Message",
    "Moment",
    "NotFound",
    "Opaque",
    "Origin",
    "Policy",
    "Ports",
    "Rail",
    "RailError",
    "Repaired",
    "Request",
    "RequestBudget",
    "Session",
    "Summary",
    "Text",
    "Thinking",
    "Tokenizer",
    "Tool",
    "ToolCall",
    "ToolResult",
    "Turn",
    "TurnInputs",
    "Unavailable",
    "Usage",
    "decide",
    "decode",
    "define_context_policy",
    "detect",
    "detect_provider",
    "encode",
    "format_agent_llm_messages",
    "from_record",
    "lint",
    "merge_context_policy",
    "merge_policies",
    "policy_from",
    "preset",
    "read_session",
    "read_usage",
    "repair",
    "to_record",
    "tokenizer",
]
