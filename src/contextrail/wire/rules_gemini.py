"""The table of rules of Gemini generateContent bodies."""

from __future__ import annotations

from typing import Final

from contextrail.wire.finding import Rule, rule

DOCS: Final = "https://ai.google.dev/gemini-api/docs"
API: Final = "https://ai.google.dev/api/generate-content"
CACHING: Final = "https://ai.google.dev/api/caching"
CALLS: Final = f"{DOCS}/function-calling"
SIGNATURES: Final = f"{DOCS}/thought-signatures"
FILES: Final = f"{DOCS}/file-input-methods"
TROUBLE: Final = f"{DOCS}/troubleshooting"

RULES: Final[tuple[Rule, ...]] = (
    rule(
        "gemini.not-json",
        "a value that JSON has no form for, as NaN, or nesting without end",
        TROUBLE,
        answer="Invalid JSON payload received",
    ),
    rule(
        "gemini.lone-surrogate",
        "half of a character in a text",
        TROUBLE,
        answer="Invalid JSON payload received",
        mend="puts U+FFFD in its place",
    ),
    rule(
        "gemini.body-form",
        "a body, content or part of the wrong JSON type",
        API,
        mend="makes what stands there text, if the body can be read at all",
    ),
    rule(
        "gemini.field-type",
        "a field of a known name with the wrong JSON type, or a number out of its range",
        API,
        mend="makes it text where something was said, else leaves the field or the tool out",
    ),
    rule(
        "gemini.field-unknown",
        "a field of a message that the provider does not know",
        API,
        answer="Invalid JSON payload received. Unknown name \"finish_reason\" at 'contents[0]': Cannot find field",
        mend="leaves the field out",
    ),
    rule(
        "gemini.body-too-large",
        "a body of more than 100 MiB",
        FILES,
        answer="Request payload size exceeds the limit",
    ),
    rule(
        "gemini.body-large",
        "a body of more than 20 MiB, which older endpoints refuse",
        FILES,
        answer="Request payload size exceeds the limit: 20971520 bytes",
        severity="warning",
    ),
    rule(
        "gemini.contents-empty",
        "no contents",
        API,
        answer="GenerateContentRequest.contents: contents is not specified",
    ),
    rule(
        "gemini.parts-empty",
        "a content without parts",
        CACHING,
        answer="contents.parts must not be empty",
        mend="leaves the content out; the only one says that it has no text",
    ),
    rule(
        "gemini.part-empty",
        "a part without data",
        CACHING,
        answer="required oneof field 'data' must have one initialized field",
        mend="leaves the part out; gives one with a signature an empty text",
    ),
    rule(
        "gemini.role-unknown",
        "a role other than user, model, function",
        CACHING,
        answer="Please use a valid role: user, model",
        mend="makes it the user's, with a line that says whose it was",
    ),
    rule(
        "gemini.call-place",
        "a function call at the start, or right behind the model",
        CALLS,
        answer="Please ensure that function call turn comes immediately after a user turn or after a function "
        "response turn",
        mend="puts a line of the user before it, or joins it with what the model said before",
    ),
    rule(
        "gemini.result-missing",
        "function calls without function responses right behind",
        CALLS,
        answer="Please ensure that the number of function response parts is equal to the number of function call "
        "parts of the function call turn",
        mend="brings the responses there, or puts some there that say the outcome is unknown",
    ),
    rule(
        "gemini.result-count",
        "more or fewer function responses than the calls right before",
        CALLS,
        answer="Please ensure that the number of function response parts is equal to the number of function call "
        "parts of the function call turn",
        mend="puts all responses into one content, one for each call",
    ),
    rule(
        "gemini.result-stray",
        "function responses without calls right before",
        CALLS,
        answer="Please ensure that function response turn comes immediately after a function call turn",
        mend="brings them behind their calls, or makes them text",
    ),
    rule(
        "gemini.result-name",
        "a function response without the name of its function",
        CALLS,
        answer="function_response.name: Name cannot be empty",
        mend="puts the name of the call there",
    ),
    rule(
        "gemini.result-response",
        "a function response that is not an object",
        CALLS,
        answer="Invalid value at 'contents[2].parts[0].function_response.response' "
        "(type.googleapis.com/google.protobuf.Struct)",
        mend="puts the value into an object",
    ),
    rule(
        "gemini.call-name",
        "a function call without name, or with one that no declaration may have",
        CALLS,
        answer="Invalid function name. Must start with a letter or an underscore",
        mend="maps the name, in declarations and calls alike",
    ),
    rule(
        "gemini.call-args",
        "function call arguments that are not an object",
        CALLS,
        mend="puts the value into an object",
    ),
    rule(
        "gemini.signature-missing",
        "Gemini 3 and later: the first call of a step of the current turn without its thought signature",
        SIGNATURES,
        answer="Function call is missing a thought_signature in functionCall parts",
        mend="puts the signature there that the API has for calls that were put in",
    ),
    rule(
        "gemini.signature-form",
        "a thought signature that is not base64",
        SIGNATURES,
        answer="Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed",
        mend="leaves the signature out",
    ),
    rule(
        "gemini.signature-changed",
        "a thought signature on another part than before",
        SIGNATURES,
        answer="Thought signature is not valid",
        mend="leaves the signature out",
    ),
    rule(
        "gemini.signature-dropped",
        "a function call that had a thought signature before, and has none now",
        SIGNATURES,
        answer="Function call is missing a thought_signature in functionCall parts",
        severity="warning",
        mend="puts it back, or the API's own for calls that were put in if the call is another now",
    ),
    rule(
        "gemini.media-type",
        "inline data of a type that is not read, as SVG or office files",
        FILES,
        answer="Unsupported MIME type: image/svg+xml",
        mend="declares the type that the bytes have, or puts a line there that describes them",
    ),
    rule(
        "gemini.base64",
        "inline data that is not base64",
        FILES,
        answer="Invalid value at 'contents[0].parts[1].inline_data.data' (TYPE_BYTES), Base64 decoding failed",
        mend="puts a line there that describes it",
    ),
    rule(
        "gemini.tool-name",
        "a function name that is missing, does not start with a letter or _, has other characters than letters, "
        "digits, _ . : and -, or more than 64",
        CALLS,
        answer="Invalid function name. Must start with a letter or an underscore",
        mend="maps the name, in declarations, choice and calls alike; leaves a function without name out",
    ),
    rule(
        "gemini.tool-twice",
        "two functions of one name",
        CALLS,
        answer="Duplicate function declaration found",
        mend="keeps the first declaration",
    ),
    rule(
        "gemini.tool-choice-unknown",
        "an allowed function that is not declared",
        CALLS,
        mend="leaves the name out of the choice",
    ),
    rule(
        "gemini.tools-unused",
        "more than 8 KiB of declarations that a forced choice leaves unused",
        CALLS,
        severity="warning",
    ),
)
