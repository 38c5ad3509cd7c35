"""The one field by which a body forbids the model to call a tool, the definitions left where they are."""

from __future__ import annotations

from contextrail.core.json_text import JsonObject


def without_tool_calls(body: JsonObject, provider: str) -> JsonObject:
    """A body after which only text can come. The tools stay: the history may need them, and the cached prefix too.

    Args:
        body: A request; one without tools is given back as it is.
        provider: Its form; "neutral" and the form of a host get `"tool_choice": "none"`.
    """
    if not body.get("tools"):
        return body
    match provider:
        case "anthropic":
            return {**body, "tool_choice": {"type": "none"}}
        case "gemini":
            config = body.get("toolConfig")
            kept = config if isinstance(config, dict) else {}
            return {**body, "toolConfig": {**kept, "functionCallingConfig": {"mode": "NONE"}}}
        case _:
            return {**body, "tool_choice": "none"}
