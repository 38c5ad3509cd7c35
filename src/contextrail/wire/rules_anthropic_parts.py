"""The table of rules of Anthropic Messages bodies: cache marks, media and tools."""

from __future__ import annotations

from typing import Final

from contextrail.wire.finding import Rule, rule

DOCS: Final = "https://platform.claude.com/docs/en"
TOOLS: Final = f"{DOCS}/agents-and-tools/tool-use/define-tools"
VISION: Final = f"{DOCS}/build-with-claude/vision"
CACHE: Final = f"{DOCS}/build-with-claude/prompt-caching"

PARTS: Final[tuple[Rule, ...]] = (
    rule(
        "anthropic.cache-marks",
        "more than four cache marks, an automatic one counted",
        CACHE,
        answer="A maximum of 4 blocks with cache_control may be provided",
        mend="keeps the last mark of tools, of system and of messages, and the latest of the others",
    ),
    rule(
        "anthropic.cache-order",
        "a cache mark of 1h behind one of 5m; tools, system, messages in this order",
        CACHE,
        answer="a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
        mend="removes the mark",
    ),
    rule(
        "anthropic.cache-place",
        "a cache mark on thinking or on an empty text",
        CACHE,
        answer="cache_control cannot be set for empty text blocks",
        mend="removes the mark",
    ),
    rule(
        "anthropic.media-type",
        "an image that is no jpeg, png, gif or webp, or a document that is no PDF or plain text",
        VISION,
        answer="media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
        mend="declares the type that the bytes have, or puts a line there that describes them",
    ),
    rule(
        "anthropic.base64",
        "media data that is not base64",
        VISION,
        answer="invalid base64 data",
        mend="puts a line there that describes it",
    ),
    rule(
        "anthropic.media-mismatch",
        "an image of another type than is declared",
        VISION,
        answer="The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
        mend="declares the type that the bytes have",
    ),
    rule(
        "anthropic.image-too-large",
        "an image of more than 10 MiB",
        VISION,
        answer="image exceeds 10 MB maximum",
        mend="puts a line there that describes it",
    ),
    rule(
        "anthropic.image-large",
        "an image of more than 5 MiB, which older routes refuse",
        VISION,
        answer="image exceeds 5 MB maximum",
        severity="warning",
    ),
    rule(
        "anthropic.too-many-media",
        "more than 600 images and documents, or 100 for models before 4.6",
        VISION,
        mend="puts lines that describe them in the place of the oldest",
    ),
    rule(
        "anthropic.tool-name",
        "a tool name that is missing, has other characters than letters, digits, _ and -, or more than 128",
        TOOLS,
        answer="tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
        mend="maps the name, in definitions, choice and calls alike; leaves a tool without name out",
    ),
    rule(
        "anthropic.tool-twice",
        "two tools of one name",
        TOOLS,
        answer="tools: Tool names must be unique",
        mend="keeps the first definition",
    ),
    rule(
        "anthropic.tool-schema",
        "a tool whose input schema is missing or not of type object",
        TOOLS,
        mend="states a schema of type object",
    ),
    rule(
        "anthropic.tool-choice-unknown",
        "a choice of a tool that is not defined",
        TOOLS,
        answer="Tool 'name' not found in provided tools",
        mend="leaves the choice out",
    ),
    rule(
        "anthropic.tool-choice-alone",
        "a tool choice without tools",
        TOOLS,
        answer="tool_choice may only be specified while providing tools",
        mend="leaves the choice out",
    ),
    rule(
        "anthropic.tools-unused",
        "more than 8 KiB of definitions that a forced choice leaves unused",
        TOOLS,
        severity="warning",
    ),
)
