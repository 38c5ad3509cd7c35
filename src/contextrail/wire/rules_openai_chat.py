"""The table of rules of OpenAI Chat Completions bodies, and of vendors that speak the same form."""

from __future__ import annotations

from typing import Final

from contextrail.wire.finding import Rule, rule

DOCS: Final = "https://platform.openai.com/docs"
CHAT: Final = f"{DOCS}/api-reference/chat/create"
CALLS: Final = f"{DOCS}/guides/function-calling"
ERRORS: Final = f"{DOCS}/guides/error-codes"
IMAGES: Final = f"{DOCS}/guides/images-vision"
MISTRAL_CHAT: Final = "https://docs.mistral.ai/api/#tag/chat"
MISTRAL: Final = "https://docs.mistral.ai/capabilities/function_calling"
DEEPSEEK: Final = "https://api-docs.deepseek.com/guides/thinking_mode"

RULES: Final[tuple[Rule, ...]] = (
    rule(
        "openai-chat.not-json",
        "a value that JSON has no form for, as NaN, or nesting without end",
        ERRORS,
        answer="We could not parse the JSON body of your request",
    ),
    rule(
        "openai-chat.lone-surrogate",
        "half of a character in a text",
        ERRORS,
        answer="We could not parse the JSON body of your request",
        mend="puts U+FFFD in its place",
    ),
    rule(
        "openai-chat.body-form",
        "a body, message or part of the wrong JSON type",
        CHAT,
        mend="makes what stands there text, if the body can be read at all",
    ),
    rule(
        "openai-chat.field-type",
        "a field of a known name with the wrong JSON type, or a number out of its range",
        CHAT,
        mend="makes it text where something was said, else leaves the field or the tool out",
    ),
    rule(
        "openai-chat.field-unknown",
        "a field of a message that the provider does not know",
        CHAT,
        answer="Additional properties are not allowed ('finish_reason' was unexpected)",
        mend="leaves the field out",
    ),
    rule("openai-chat.model-type", "a model that is no string", CHAT),
    rule(
        "openai-chat.text-too-long",
        "a text of more than 10,485,760 characters",
        CHAT,
        answer="string too long. Expected a string with maximum length 10485760",
    ),
    rule(
        "openai-chat.messages-empty",
        "no message",
        CHAT,
        answer="Invalid 'messages': empty array. Expected an array with minimum length 1",
    ),
    rule(
        "openai-chat.model-missing",
        "settings of the request, but no model",
        CHAT,
        answer="you must provide a model parameter",
    ),
    rule(
        "openai-chat.role-unknown",
        "a role that the form has not",
        CHAT,
        answer="Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'",
        mend="makes it the user's, with a line that says whose it was",
    ),
    rule(
        "openai-chat.content-missing",
        "a message without content, if it is not the assistant's with calls, a refusal, audio or reasoning",
        CHAT,
        answer="Invalid value for 'content': expected a string, got null",
        mend="leaves the message out; sets an empty text if it is a result",
    ),
    rule(
        "openai-chat.result-missing",
        "a tool call without a tool message right behind its message",
        CALLS,
        answer="An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        "'tool_call_id'",
        mend="brings the result there, or puts one there that says the outcome is unknown",
    ),
    rule(
        "openai-chat.result-stray",
        "a tool message whose call is not in the assistant message before",
        CALLS,
        answer="messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
        mend="brings it behind its call, or makes it text",
    ),
    rule(
        "openai-chat.result-twice",
        "a second tool message for one call",
        CALLS,
        answer="Duplicate value for 'tool_call_id'",
        mend="makes the second one text",
    ),
    rule(
        "openai-chat.result-id-missing",
        "a tool message that names no call",
        CALLS,
        answer="Missing required parameter: 'messages[1].tool_call_id'",
        mend="makes it text",
    ),
    rule(
        "openai-chat.call-id-missing",
        "a tool call without id",
        CALLS,
        answer="Missing required parameter: 'messages[1].tool_calls[0].id'",
        mend="gives the call an id",
    ),
    rule(
        "openai-chat.call-id-long",
        "a call id of more than 40 characters",
        CALLS,
        answer="string too long. Expected a string with maximum length 40",
        mend="maps the id, on call and result alike",
    ),
    rule(
        "openai-chat.call-id-twice",
        "two calls of one message with one id",
        CALLS,
        answer="Duplicate value for 'tool_call_id'",
        mend="gives the later call and its result an id of their own",
    ),
    rule(
        "openai-chat.call-id-reused",
        "an id that a call of an earlier message had; some servers refuse it",
        CALLS,
        answer="Duplicate value for 'tool_call_id'",
        mend="gives the later call and its result an id of their own",
        severity="warning",
    ),
    rule(
        "openai-chat.calls-empty",
        "an empty list of calls",
        CHAT,
        answer="Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1",
        mend="leaves the field out",
    ),
    rule(
        "openai-chat.call-name",
        "a call without name, or with one of other characters than letters, digits, _ and -, or more than 64",
        CALLS,
        answer="string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'",
        mend="maps the name, in definitions and calls alike; makes what is no call of a function text",
    ),
    rule(
        "openai-chat.call-arguments-type",
        "call arguments that are not a string",
        CALLS,
        answer="Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, "
        "but got an object instead",
        mend="writes them as a string",
    ),
    rule(
        "openai-chat.call-arguments",
        "call arguments that are not the text of a JSON object; OpenAI takes them, many servers do not",
        CALLS,
        mend="puts them into an object",
        severity="warning",
    ),
    rule(
        "openai-chat.media-type",
        "an image that is no png, jpeg, gif or webp",
        IMAGES,
        answer="You uploaded an unsupported image",
        mend="declares the type that the bytes have, or puts a line there that describes them",
    ),
    rule(
        "openai-chat.base64",
        "media data that is not base64",
        IMAGES,
        answer="Invalid base64 image_url",
        mend="puts a line there that describes it",
    ),
    rule(
        "openai-chat.image-place",
        "an image in a message that is not the user's",
        IMAGES,
        answer="Image URLs are only allowed for messages with role 'user'",
        mend="puts a line that describes it in its place",
    ),
    rule(
        "openai-chat.tool-name",
        "a tool name that is missing, has other characters than letters, digits, _ and -, or more than 64",
        CALLS,
        answer="Invalid 'tools[0].function.name': string does not match pattern",
        mend="maps the name, in definitions, choice and calls alike; leaves a tool without name out",
    ),
    rule(
        "openai-chat.tool-twice",
        "two tools of one name: one of them is ignored, or the request refused",
        CALLS,
        answer="Tool names must be unique",
        mend="keeps the first definition",
        severity="warning",
    ),
    rule(
        "openai-chat.tools-empty",
        "an empty list of tools",
        CHAT,
        answer="Invalid 'tools': empty array. Expected an array with minimum length 1",
        mend="leaves the field out, and what may only be said of tools",
    ),
    rule(
        "openai-chat.too-many-tools",
        "more than 128 tools",
        CHAT,
        answer="Invalid 'tools': array too long. Expected an array with maximum length 128",
    ),
    rule(
        "openai-chat.tool-choice-unknown",
        "a choice of a tool that is not defined",
        CALLS,
        mend="leaves the choice out",
    ),
    rule(
        "openai-chat.tool-choice-alone",
        "a tool choice without tools",
        CHAT,
        answer="'tool_choice' is only allowed when 'tools' are specified",
        mend="leaves the choice out",
    ),
    rule(
        "openai-chat.tools-unused",
        "more than 8 KiB of definitions that a forced choice leaves unused",
        CALLS,
        severity="warning",
    ),
    rule(
        "openai-chat.mistral-limit",
        "profile mistral: the limit on output is called `max_completion_tokens`",
        MISTRAL_CHAT,
        answer="extra_forbidden: max_completion_tokens: Extra inputs are not permitted",
        mend="calls it `max_tokens`",
    ),
    rule(
        "openai-chat.mistral-reasoning",
        "profile mistral: a message with a field for reasoning",
        MISTRAL_CHAT,
        answer="extra_forbidden: reasoning_content: Extra inputs are not permitted",
        mend="leaves the field out",
    ),
    rule(
        "openai-chat.mistral-call-id",
        "profile mistral: a call id that is not exactly 9 letters and digits",
        MISTRAL,
        answer="Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9",
        mend="maps the id, on call and result alike",
    ),
    rule(
        "openai-chat.mistral-after-tool",
        "profile mistral: a message behind a tool message that is neither tool's nor assistant's",
        MISTRAL,
        answer="Unexpected role 'user' after role 'tool'",
        mend="puts a line of the assistant between that says it gave no answer",
    ),
    rule(
        "openai-chat.mistral-last-role",
        "profile mistral: a last message that is neither user's nor tool's, without prefix",
        MISTRAL,
        answer="Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        mend="adds a line of the user that says the conversation goes on",
    ),
    rule(
        "openai-chat.deepseek-reasoning",
        "profile deepseek: an assistant message with calls without its reasoning_content, in thinking mode",
        DEEPSEEK,
        answer="The `reasoning_content` in the thinking mode must be passed back to the API",
        mend="sets a blank reasoning_content",
    ),
)
