"""The table of rules of Anthropic Messages bodies: messages, calls and thinking; the rest follows from `rules_anthropic_parts`."""

from __future__ import annotations

from typing import Final

from contextrail.wire.finding import Rule, rule
from contextrail.wire.rules_anthropic_parts import PARTS

DOCS: Final = "https://platform.claude.com/docs/en"
MESSAGES: Final = f"{DOCS}/api/messages"
PAIRS: Final = f"{DOCS}/agents-and-tools/tool-use/handle-tool-calls"
STOPS: Final = f"{DOCS}/build-with-claude/handling-stop-reasons"
THINKING: Final = f"{DOCS}/build-with-claude/extended-thinking"
TROUBLE: Final = f"{DOCS}/build-with-claude/thinking-troubleshooting"
SYSTEM: Final = f"{DOCS}/build-with-claude/mid-conversation-system-messages"
ERRORS: Final = f"{DOCS}/api/errors"
BEDROCK: Final = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html"

RULES: Final[tuple[Rule, ...]] = (
    rule("anthropic.not-json", "a value that JSON has no form for, as NaN, or nesting without end", ERRORS),
    rule(
        "anthropic.lone-surrogate",
        "half of a character in a text",
        ERRORS,
        answer="The request body is not valid JSON: no low surrogate in string",
        mend="puts U+FFFD in its place",
    ),
    rule(
        "anthropic.body-form",
        "a body, message or block of the wrong JSON type",
        MESSAGES,
        mend="makes what stands there text, if the body can be read at all",
    ),
    rule(
        "anthropic.field-type",
        "a field of a known name with the wrong JSON type, or a number out of its range",
        MESSAGES,
        mend="makes it text where something was said, else leaves the field or the tool out",
    ),
    rule(
        "anthropic.field-unknown",
        "a field of a message that the provider does not know",
        MESSAGES,
        answer="messages.0.finish_reason: Extra inputs are not permitted",
        mend="leaves the field out",
    ),
    rule("anthropic.model-type", "a model that is no string", MESSAGES),
    rule(
        "anthropic.body-too-large",
        "a body of more than 32 MiB",
        ERRORS,
        answer="Request exceeds the maximum allowed number of bytes",
    ),
    rule("anthropic.too-many-messages", "more than 100,000 messages", MESSAGES),
    rule(
        "anthropic.messages-empty",
        "no message",
        MESSAGES,
        answer="messages: at least one message is required",
    ),
    rule(
        "anthropic.model-missing", "an output limit, but no model", MESSAGES, answer="model: Field required"
    ),
    rule(
        "anthropic.max-tokens-missing",
        "a model, but no output limit",
        MESSAGES,
        answer="max_tokens: Field required",
        mend="sets a limit that every current model allows",
    ),
    rule(
        "anthropic.first-role",
        "the assistant speaks first; the API takes it, the same models behind Bedrock do not",
        MESSAGES,
        answer='messages: first message must use the "user" role',
        mend="puts a line of the user before it that says something earlier is not shown",
        severity="warning",
    ),
    rule(
        "anthropic.role-unknown",
        "a role other than user, assistant, system",
        MESSAGES,
        answer='messages: Unexpected role "tool". Allowed roles are "user" or "assistant"',
        mend="makes it the user's, with a line that says whose it was",
    ),
    rule(
        "anthropic.system-model",
        "a system message among the others, for a model before 4.8",
        SYSTEM,
        answer="role 'system' is not supported on this model",
        mend="makes it text of the user; if it is the first message, moves it to the system prompt",
    ),
    rule(
        "anthropic.system-place",
        "a system message that does not stand between the user's turn and the assistant's, or at the end",
        SYSTEM,
        answer="role 'system' must precede an 'assistant' message or end the array",
        mend="makes it text of the user; if it is the first message, moves it to the system prompt",
    ),
    rule(
        "anthropic.message-empty",
        "a message without content that is not the assistant's last",
        MESSAGES,
        answer="all messages must have non-empty content except for the optional final assistant message",
        mend="leaves the message out; the only one says that it has no text",
    ),
    rule(
        "anthropic.text-empty",
        "an empty text block",
        MESSAGES,
        answer="text content blocks must be non-empty",
        mend="leaves the block out",
    ),
    rule(
        "anthropic.text-blank",
        "a message whose texts are all white space",
        MESSAGES,
        answer="text content blocks must contain non-whitespace text",
        mend="leaves the blocks out",
    ),
    rule(
        "anthropic.prefill-space",
        "a last message of the assistant that ends in white space",
        MESSAGES,
        answer="final assistant content cannot end with trailing whitespace",
        mend="cuts the white space off",
    ),
    rule(
        "anthropic.prefill-model",
        "a last message of the assistant, for a model of 4.6 or later",
        ERRORS,
        answer="This model does not support assistant message prefill. The conversation must end with a user message",
        mend="adds a line of the user that says the conversation goes on",
    ),
    rule(
        "anthropic.prefill-thinking",
        "a last message of the assistant without thinking, while thinking is enabled",
        THINKING,
        answer="Expected `thinking` or `redacted_thinking`, but found `text`",
        mend="adds a line of the user that says the conversation goes on",
    ),
    rule(
        "anthropic.result-missing",
        "a tool call without a result in the next message",
        PAIRS,
        answer="`tool_use` ids were found without `tool_result` blocks immediately after",
        mend="brings the result there, or puts one there that says the outcome is unknown",
    ),
    rule(
        "anthropic.result-stray",
        "a tool result whose call is not in the message before",
        PAIRS,
        answer="unexpected `tool_use_id` found in `tool_result` blocks",
        mend="brings it behind its call, or makes it text",
    ),
    rule(
        "anthropic.result-twice",
        "a second result for one call",
        PAIRS,
        answer="each tool_use must have a single result. Found multiple `tool_result` blocks",
        mend="makes the second one text",
    ),
    rule(
        "anthropic.result-not-first",
        "a tool result behind other content of its message",
        PAIRS,
        answer="`tool_use` ids were found without `tool_result` blocks immediately after",
        mend="brings the results to the front",
    ),
    rule(
        "anthropic.results-split",
        "results of one reply in several messages, which teaches the model to call one tool at a time",
        f"{DOCS}/agents-and-tools/tool-use/parallel-tool-use",
        mend="puts them into one message",
        severity="warning",
    ),
    rule(
        "anthropic.result-place",
        "a tool result in a message of the assistant",
        PAIRS,
        answer="`tool_result` blocks can only be in `user` messages",
        mend="makes it text",
    ),
    rule(
        "anthropic.call-place",
        "a tool call in a message that is not the assistant's",
        PAIRS,
        answer="`tool_use` blocks can only be in `assistant` messages",
        mend="makes it text",
    ),
    rule(
        "anthropic.call-id-twice",
        "two calls with one id, anywhere in the body",
        PAIRS,
        answer="`tool_use` ids must be unique",
        mend="gives the later call and its result an id of their own",
    ),
    rule(
        "anthropic.call-id-form",
        "a call id that is empty or has other characters than letters, digits, _ and -",
        PAIRS,
        answer="tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        mend="maps the id, on call and result alike; makes a block without id text",
    ),
    rule(
        "anthropic.call-id-long",
        "a call id of more than 64 characters, which the same models behind Bedrock refuse",
        BEDROCK,
        mend="maps the id, on call and result alike",
        severity="warning",
    ),
    rule(
        "anthropic.call-name",
        "a call of a tool without name, or with one of more than 200 characters",
        PAIRS,
        answer="tool_use.name: String should have at most 200 characters",
        mend="maps the name, in definitions and calls alike; makes a call without name text",
    ),
    rule(
        "anthropic.call-input",
        "call input that is not a JSON object",
        PAIRS,
        answer="tool_use.input: Input should be an object",
        mend="puts the value into an object",
    ),
    rule(
        "anthropic.error-empty",
        "an error result without content",
        PAIRS,
        answer="tool_result: content cannot be empty if `is_error` is true",
        mend="puts a text there that says the error came without one",
    ),
    rule(
        "anthropic.server-result-missing",
        "a call of the provider's own tool without result, in a turn that has ended",
        STOPS,
        answer="`web_search` tool use with id was found without a corresponding `web_search_tool_result` block",
        mend="makes the call text",
    ),
    rule(
        "anthropic.server-result-stray",
        "a result of the provider's own tool without its call",
        STOPS,
        answer="unexpected `tool_use_id` found in `web_search_tool_result` blocks",
        mend="makes the result text",
    ),
    rule(
        "anthropic.thinking-unsigned",
        "a thinking block without signature",
        THINKING,
        answer="thinking.signature: Field required",
        mend="leaves the block out",
    ),
    rule(
        "anthropic.thinking-form",
        "a thinking block without text, or a redacted one without data",
        THINKING,
        answer="redacted_thinking.data: Field required",
        mend="leaves the block out",
    ),
    rule(
        "anthropic.thinking-place",
        "thinking in a message that is not the assistant's",
        THINKING,
        mend="leaves the block out",
    ),
    rule(
        "anthropic.thinking-last",
        "a turn of the assistant that ends with thinking",
        THINKING,
        answer="The final block in an assistant message cannot be `thinking`",
        mend="leaves out all thinking of the turn",
    ),
    rule(
        "anthropic.thinking-required",
        "thinking enabled in a tool loop whose reply does not start with thinking",
        THINKING,
        answer="Expected `thinking` or `redacted_thinking`, but found `tool_use`",
        mend="turns thinking off for this request",
    ),
    rule(
        "anthropic.thinking-budget",
        "a thinking budget below 1,024 tokens, or (without tools) not below the output limit",
        THINKING,
        answer="`max_tokens` must be greater than `thinking.budget_tokens`",
        mend="turns thinking off for this request",
    ),
    rule(
        "anthropic.thinking-forced-tool",
        "thinking together with a forced tool choice",
        THINKING,
        answer="Thinking may not be enabled when tool_choice forces tool use",
        mend="turns thinking off for this request",
    ),
    rule(
        "anthropic.thinking-changed",
        "a signature on another text than before",
        TROUBLE,
        answer="`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
        mend="leaves out all thinking of the turn",
    ),
    rule(
        "anthropic.thinking-in-part",
        "a turn that lost some of its thinking blocks, and kept others",
        TROUBLE,
        answer="`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified",
        mend="leaves out all thinking of the turn",
    ),
    *PARTS,
)
