"""The table of rules of OpenAI Responses bodies."""

from __future__ import annotations

from typing import Final

from contextrail.wire.finding import Rule, rule

DOCS: Final = "https://platform.openai.com/docs"
CREATE: Final = f"{DOCS}/api-reference/responses/create"
CALLS: Final = f"{DOCS}/guides/function-calling"
REASONING: Final = f"{DOCS}/guides/reasoning"
STATE: Final = f"{DOCS}/guides/conversation-state"
ERRORS: Final = f"{DOCS}/guides/error-codes"
IMAGES: Final = f"{DOCS}/guides/images-vision"
DEEPSEEK: Final = "https://api-docs.deepseek.com/guides/function_calling"

RULES: Final[tuple[Rule, ...]] = (
    rule(
        "openai-responses.not-json",
        "a value that JSON has no form for, as NaN, or nesting without end",
        ERRORS,
        answer="We could not parse the JSON body of your request",
    ),
    rule(
        "openai-responses.lone-surrogate",
        "half of a character in a text",
        ERRORS,
        answer="We could not parse the JSON body of your request",
        mend="puts U+FFFD in its place",
    ),
    rule(
        "openai-responses.body-form",
        "a body, item or content of the wrong JSON type",
        CREATE,
        mend="makes what stands there text, if the body can be read at all",
    ),
    rule(
        "openai-responses.field-type",
        "a field of a known name with the wrong JSON type, or a number out of its range",
        CREATE,
        mend="makes it text where something was said, else leaves the field or the tool out",
    ),
    rule(
        "openai-responses.field-unknown",
        "a field of a message that the provider does not know",
        CREATE,
        answer="Unknown parameter: 'input[0].finish_reason'",
        mend="leaves the field out",
    ),
    rule(
        "openai-responses.item-unknown",
        "an item of a type that the API does not name",
        CREATE,
        answer="Invalid value: 'agent_message'. Supported values are",
        mend="makes the item text",
    ),
    rule("openai-responses.model-type", "a model that is no string", CREATE),
    rule(
        "openai-responses.text-too-long",
        "a text of more than 10,485,760 characters",
        CREATE,
        answer="string too long. Expected a string with maximum length 10485760",
    ),
    rule(
        "openai-responses.input-empty",
        "no input, and nothing else that stands for it",
        CREATE,
        answer="One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided",
    ),
    rule(
        "openai-responses.model-missing",
        "settings of the request, but neither model nor prompt",
        CREATE,
        answer="you must provide a model parameter",
    ),
    rule(
        "openai-responses.role-unknown",
        "a role other than user, assistant, system, developer",
        CREATE,
        mend="makes it the user's, with a line that says whose it was",
    ),
    rule(
        "openai-responses.content-type",
        "a part of a type that its role does not have, as input_text in a message of the assistant",
        CREATE,
        answer="Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'",
        mend="gives a text the right type, and makes anything else text",
    ),
    rule(
        "openai-responses.result-missing",
        "a function call without output",
        CALLS,
        answer="No tool output found for function call",
        mend="brings the output there, or puts one there that says the outcome is unknown",
    ),
    rule(
        "openai-responses.result-stray",
        "an output without a call before it",
        CALLS,
        answer="No tool call found for function call output with call_id",
        mend="brings it behind its call, or makes it text",
    ),
    rule(
        "openai-responses.result-twice",
        "a second output for one call",
        CALLS,
        answer="No tool call found for function call output with call_id",
        mend="makes the second one text",
    ),
    rule(
        "openai-responses.output-missing",
        "an output item without output",
        CALLS,
        answer="Missing required parameter: 'input[2].output'",
        mend="sets an output that says there was none",
    ),
    rule(
        "openai-responses.call-id-missing",
        "a call without call_id",
        CALLS,
        answer="Missing required parameter: 'input[1].call_id'",
        mend="gives the call an id",
    ),
    rule(
        "openai-responses.call-id-long",
        "a call_id of more than 64 characters",
        CALLS,
        answer="string too long. Expected a string with maximum length 64",
        mend="maps the id, on call and output alike",
    ),
    rule(
        "openai-responses.call-id-twice",
        "a call with the id of another one that is still open: calls and outputs are bound one to one",
        CALLS,
        mend="gives the later call and its output an id of their own",
    ),
    rule(
        "openai-responses.call-id-reused",
        "a call with the id of an earlier, answered one",
        CALLS,
        mend="gives the later call and its output an id of their own",
        severity="warning",
    ),
    rule(
        "openai-responses.call-name",
        "a call without name, or with one of other characters than letters, digits, _ and -, or more than 128",
        CALLS,
        answer="string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'",
        mend="maps the name, in definitions and calls alike",
    ),
    rule(
        "openai-responses.call-arguments-type",
        "call arguments that are not a string",
        CALLS,
        answer="Invalid type for 'input[1].arguments': expected a string, but got an object instead",
        mend="writes them as a string",
    ),
    rule(
        "openai-responses.call-arguments",
        "call arguments that are not the text of a JSON object; OpenAI takes them, many servers do not",
        CALLS,
        mend="puts them into an object",
        severity="warning",
    ),
    rule(
        "openai-responses.reasoning-summary",
        "a reasoning item without its list of summaries, which may be empty",
        REASONING,
        answer="Missing required parameter: 'input[1].summary'",
        mend="sets an empty list",
    ),
    rule(
        "openai-responses.reasoning-alone",
        "a reasoning item with an id, and behind it nothing that the model made",
        REASONING,
        answer="Item of type 'reasoning' was provided without its required following item",
        mend="leaves the item out",
    ),
    rule(
        "openai-responses.reasoning-missing",
        "an item under the server's id without the reasoning that led to it",
        REASONING,
        answer="Item of type 'function_call' was provided without its required 'reasoning' item",
        mend="leaves the id out",
    ),
    rule(
        "openai-responses.reasoning-changed",
        "a reasoning item with another summary or encrypted content than before",
        REASONING,
        answer="The encrypted content could not be verified",
        mend="leaves the item out, and the ids of what it led to",
    ),
    rule(
        "openai-responses.not-stored",
        "store is false, and an item is only referred to: a reference, or reasoning without encrypted content",
        STATE,
        answer="Items are not persisted when `store` is set to false",
        mend="leaves the item out, and the ids of what it led to",
    ),
    rule(
        "openai-responses.item-id-form",
        "an item id that does not begin as its type's ids do, or has more than 64 characters",
        CREATE,
        answer="Expected an ID that begins with 'fc'",
        mend="leaves the id out",
    ),
    rule(
        "openai-responses.item-id-twice",
        "two items with one id",
        CREATE,
        answer="Duplicate item found with id",
        mend="leaves the id out",
    ),
    rule(
        "openai-responses.media-type",
        "an image that is no png, jpeg, gif or webp",
        IMAGES,
        answer="You uploaded an unsupported image",
        mend="declares the type that the bytes have, or puts a line there that describes them",
    ),
    rule(
        "openai-responses.base64",
        "media data that is not base64",
        IMAGES,
        answer="Invalid base64 image_url",
        mend="puts a line there that describes it",
    ),
    rule(
        "openai-responses.tool-name",
        "a tool name that is missing, has other characters than letters, digits, _ and -, or more than 128",
        CALLS,
        answer="Invalid 'tools[0].name': string does not match pattern",
        mend="maps the name, in definitions, choice and calls alike; leaves a tool without name out",
    ),
    rule(
        "openai-responses.tool-twice",
        "two tools of one name: one of them is ignored, or the request refused",
        CALLS,
        mend="keeps the first definition",
        severity="warning",
    ),
    rule(
        "openai-responses.too-many-tools",
        "more than 128 tools, without tool search",
        CREATE,
        answer="Invalid 'tools': array too long. Expected an array with maximum length 128",
    ),
    rule(
        "openai-responses.tool-choice-unknown",
        "a choice of a tool that is not defined",
        CREATE,
        answer="Tool choice 'function' not found in 'tools' parameter",
        mend="leaves the choice out",
    ),
    rule(
        "openai-responses.tools-unused",
        "more than 8 KiB of definitions that a forced choice leaves unused",
        CALLS,
        severity="warning",
    ),
    rule(
        "openai-responses.deepseek-interleaved",
        "for DeepSeek's models: a message between calls and their outputs",
        DEEPSEEK,
        answer="No tool output found for tool call",
        mend="brings the outputs behind their calls",
    ),
)
