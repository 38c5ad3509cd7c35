"""Every check of a Gemini generateContent body, in order. Keys are taken in camel and in snake case, as the API does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from contextrail.core.json_text import JsonObject, kind_of
from contextrail.wire.checks_media import check_base64
from contextrail.wire.checks_tools import Definition, Names, check_names, check_unused, misnamed, names_of
from contextrail.wire.finding import Flaw, Flaws, Path, Request, field, objects, shown, spelled, text
from contextrail.wire.media import decode_base64

ROLES: Final = ("user", "model", "function", None)
NAMES: Final = Names(re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]*"), 64)
BESIDE_DATA: Final = frozenset(
    {
        "thought", "thoughtSignature", "thought_signature", "partMetadata", "part_metadata",
        "videoMetadata", "video_metadata", "mediaResolution", "media_resolution",
    }
)  # fmt: skip
"""Keys of a part that say something about its data, and are none."""
UNREAD: Final = ("image/svg+xml", "application/octet-stream", "application/zip", "application/msword")
UNREAD_FAMILY: Final = "application/vnd.openxmlformats-"
"""Media types known to be refused; the list of those that are read grows."""
SIGNED_SINCE: Final = 3


class Inner(NamedTuple):
    """A call or a result: the index of its part, its key there, its value."""

    at: int
    key: str
    value: JsonObject


@dataclass(frozen=True, slots=True)
class Content:
    """One content with its calls and results."""

    at: int
    role: str
    parts: list[tuple[int, JsonObject]]
    calls: list[Inner]
    results: list[Inner]

    @property
    def path(self) -> Path:
        """Where it stands."""
        return ("contents", self.at)

    @property
    def speaks(self) -> bool:
        """Whether it holds anything but results of tools."""
        return len(self.parts) > len(self.results)


def check(request: Request) -> Flaws:
    """Every flaw of a Gemini body."""
    body = request.body
    contents = body.get("contents")
    if contents in (None, []):
        yield Flaw("contents-empty", ("contents",), "no contents")
    elif not isinstance(contents, list):
        yield Flaw("body-form", ("contents",), "contents must be an array")
    else:
        for at, content in enumerate(contents):
            yield from _check_form(("contents", at), content)
        found = list(read(body))
        yield from _check_turns(found)
        for each in found:
            yield from _check_parts(each)
            yield from _check_calls(each)
        if _needs_signatures(request):
            yield from _check_signed(found)
        if request.before is not None:
            yield from _check_unchanged(found, list(read(request.before)))
    yield from _check_tools(body)


def read(body: JsonObject) -> Iterator[Content]:
    """The contents that have the form of one."""
    for at, content in objects(body.get("contents")):
        parts = objects(content.get("parts"))
        yield Content(
            at,
            text(content.get("role")),
            parts,
            _inner(parts, "functionCall", "function_call"),
            _inner(parts, "functionResponse", "function_response"),
        )


def _inner(parts: Sequence[tuple[int, JsonObject]], *names: str) -> list[Inner]:
    return [
        Inner(at, spelled(part, *names), inner)
        for at, part in parts
        if isinstance(inner := field(part, *names), dict)
    ]


def _check_form(path: Path, content: object) -> Flaws:
    if not isinstance(content, dict):
        yield Flaw("body-form", path, "a content must be an object")
        return
    if content.get("role") not in ROLES:
        yield Flaw("role-unknown", (*path, "role"), f"{shown(content.get('role'))} is no role")
    parts = content.get("parts")
    if not isinstance(parts, list) or not parts:
        yield Flaw("parts-empty", (*path, "parts"), "no parts")
        return
    for at, part in enumerate(parts):
        if not isinstance(part, dict):
            yield Flaw("body-form", (*path, "parts", at), "a part must be an object")
        elif BESIDE_DATA.issuperset(part):
            yield Flaw("part-empty", (*path, "parts", at), "a part without data")


def _check_turns(found: Sequence[Content]) -> Flaws:
    """Calls behind the user or behind results; as many results as calls right behind them."""
    for place, content in enumerate(found):
        before = found[place - 1] if place else None
        after = found[place + 1] if place + 1 < len(found) else None
        if content.results and (before is None or not before.calls):
            yield Flaw(
                "result-stray", content.path, f"{len(content.results)} results, and no call right before"
            )
        if not content.calls:
            continue
        if before is None or before.role == "model":
            yield Flaw("call-place", content.path, "a call that follows neither the user nor results")
        if after is None or not after.results:
            yield Flaw(
                "result-missing", content.path, f"{len(content.calls)} calls without results right behind"
            )
        elif len(after.results) != len(content.calls):
            yield Flaw(
                "result-count", after.path, f"{len(after.results)} results for {len(content.calls)} calls"
            )


def _check_parts(content: Content) -> Flaws:
    for at, part in content.parts:
        path: Path = (*content.path, "parts", at)
        signature = field(part, "thoughtSignature", "thought_signature")
        if signature is not None and (not isinstance(signature, str) or decode_base64(signature) is None):
            yield Flaw("signature-form", path, f"{kind_of(signature)} that is not base64")
        media = field(part, "inlineData", "inline_data")
        if isinstance(media, dict):
            yield from _check_media((*path, spelled(part, "inlineData", "inline_data")), media)


def _check_calls(content: Content) -> Flaws:
    for at, key, call in content.calls:
        path: Path = (*content.path, "parts", at, key)
        if not text(call.get("name")):
            yield Flaw("call-name", path, "a call without name")
        elif complaint := misnamed(text(call["name"]), NAMES):
            yield Flaw("call-name", path, complaint)
        if call.get("args") is not None and not isinstance(call["args"], dict):
            yield Flaw("call-args", path, f"{kind_of(call['args'])} instead of an object")
    for at, key, result in content.results:
        path = (*content.path, "parts", at, key)
        if not text(result.get("name")):
            yield Flaw("result-name", path, "a result without the name of its tool")
        if not isinstance(result.get("response"), dict):
            yield Flaw("result-response", path, f"{kind_of(result.get('response'))} instead of an object")


def _check_media(path: Path, media: JsonObject) -> Flaws:
    media_type = text(field(media, "mimeType", "mime_type")).lower()
    if media_type in UNREAD or media_type.startswith(UNREAD_FAMILY):
        yield Flaw("media-type", path, f"{shown(media_type)} is not read")
    if isinstance(media.get("data"), str):
        yield from check_base64(media["data"], (*path, "data"))


def _needs_signatures(request: Request) -> bool:
    """Whether the model is known to demand thought signatures: Gemini 3 and later."""
    named = re.search(r"gemini-(\d+)", request.model)
    if named is not None:
        return int(named[1]) >= SIGNED_SINCE
    settings = field(request.body, "generationConfig", "generation_config")
    thinking = field(settings, "thinkingConfig", "thinking_config") if isinstance(settings, dict) else None
    return isinstance(thinking, dict) and field(thinking, "thinkingLevel", "thinking_level") is not None


def _check_signed(found: Sequence[Content]) -> Flaws:
    """In the current turn, the first call of each step carries its signature."""
    start = next((place for place in range(len(found) - 1, -1, -1) if _by_user(found[place])), 0)
    for content in found[start:]:
        if not content.calls:
            continue
        at, _, call = content.calls[0]
        part = next(part for index, part in content.parts if index == at)
        if not field(part, "thoughtSignature", "thought_signature"):
            said = f"the first call of this step, of {shown(call.get('name'))}, has no signature"
            yield Flaw("signature-missing", (*content.path, "parts", at), said)


def _by_user(content: Content) -> bool:
    return content.role != "model" and content.speaks


def _check_unchanged(found: Sequence[Content], before: Sequence[Content]) -> Flaws:
    """A signature stays on the part it was given for, and the part keeps it."""
    owner = dict(_signed(before))
    calls = {text(call.get("id")): part for part, call in _calls(before) if text(call.get("id"))}
    for content in found:
        for at, part in content.parts:
            path: Path = (*content.path, "parts", at)
            signature = field(part, "thoughtSignature", "thought_signature")
            call = field(part, "functionCall", "function_call")
            if isinstance(signature, str) and signature in owner:
                if _data(owner[signature]) != _data(part):
                    yield Flaw(
                        "signature-changed", path, "a signature on another part than the one it was given for"
                    )
            elif signature is None and isinstance(call, dict) and text(call.get("id")) in calls:
                yield Flaw("signature-dropped", path, f"call {shown(call.get('id'))} has lost its signature")


def _signed(contents: Sequence[Content]) -> Iterator[tuple[str, JsonObject]]:
    for content in contents:
        for _, part in content.parts:
            signature = field(part, "thoughtSignature", "thought_signature")
            if isinstance(signature, str):
                yield signature, part


def _calls(contents: Sequence[Content]) -> Iterator[tuple[JsonObject, JsonObject]]:
    """Signed parts that call, with their calls."""
    for _, part in _signed(contents):
        call = field(part, "functionCall", "function_call")
        if isinstance(call, dict):
            yield part, call


def _data(part: JsonObject) -> JsonObject:
    """A part without what is said about its data, except whether it is a thought."""
    return {key: value for key, value in part.items() if key not in BESIDE_DATA or key == "thought"}


def definitions(body: JsonObject) -> Iterator[Definition]:
    """The function declarations of a body."""
    for at, tool in objects(body.get("tools")):
        key = "functionDeclarations" if "functionDeclarations" in tool else "function_declarations"
        for index, declared in objects(tool.get(key)):
            yield Definition(("tools", at, key, index), text(declared.get("name")), ours=True, value=declared)


def _check_tools(body: JsonObject) -> Flaws:
    tools = list(definitions(body))
    yield from check_names(tools, NAMES)
    config = field(body, "toolConfig", "tool_config")
    calling = (
        field(config, "functionCallingConfig", "function_calling_config")
        if isinstance(config, dict)
        else None
    )
    allowed = (
        field(calling, "allowedFunctionNames", "allowed_function_names")
        if isinstance(calling, dict)
        else None
    )
    if not isinstance(allowed, list) or not isinstance(calling, dict):
        return
    path: Path = (spelled(body, "toolConfig", "tool_config"),)
    chosen = [text(name) for name in allowed]
    unknown = sorted(set(chosen) - set(names_of(tools)))
    if unknown:
        yield Flaw("tool-choice-unknown", path, f"{', '.join(map(shown, unknown[:4]))} are not declared")
    if calling.get("mode") == "ANY":
        yield from check_unused(tools, chosen, path)
