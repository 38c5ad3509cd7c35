"""How the content of a fence is marked off, so that nothing inside can end it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, dump_text
from contextrail.history.fence_kinds import FenceDescriptor

REMINDER: Final = "system-reminder"
"""The family of reminders; no fence may open or close one."""
_BRACKETS: Final = re.compile("[<\ufe64\uff1c\u2039\u27e8\u3008\u276e]")
"""Signs that a reader may take for an opening bracket."""
_REACH: Final = 4
"""A name is looked for in so many times its length of text: the rest may be filled with invisible signs."""
_SHORTEST_MARK: Final = 3
"""A closing mark that is shorter, such as a bracket, occurs in any text: its formatter has to see to it."""
_PROBE: Final = "\ue000contextrail\ue001"
"""Stands for the content when a host's formatter is asked for its marks; private characters, so never in a text."""


def wrap(descriptor: FenceDescriptor, content: str, attrs: JsonObject, names: Iterable[str]) -> str:
    """The text of a fence as the model reads it.

    Args:
        descriptor: Its family.
        content: Anything, hostile or not.
        attrs: Facts about it; keys are names, values are shown as text.
        names: Kinds whose tags the content may neither open nor close, besides its own.

    Raises:
        InvalidRequest: An attribute's key is not a name, or the host's formatter lets the content
            end the fence.
    """
    if descriptor.formatter is not None:
        return _by_host(descriptor, content, attrs)
    kind = descriptor.kind
    shown = "".join(f' {_key(name, kind)}="{_value(each)}"' for name, each in attrs.items())
    return f"<{kind}{shown}>\n{harmless(content, (kind, *names))}\n</{kind}>"


def harmless(content: str, names: Iterable[str]) -> str:
    """The content with every tag of these names, opening or closing, made plain text.

    Only the bracket of such a tag is written as `&lt;`; all else stays. Upper case, wide letters, white
    space and invisible signs do not hide a tag.
    """
    known = {_folded(name) for name in (*names, REMINDER)}
    longest = max(map(len, known))

    def escaped(match: re.Match[str]) -> str:
        behind = content[match.end() : match.end() + _REACH * longest + 16]
        return "&lt;" if _names_tag(behind, known) else match.group()

    return _BRACKETS.sub(escaped, content)


def marks(descriptor: FenceDescriptor, attrs: JsonObject) -> tuple[str, str]:
    """What the family's formatter puts before and behind the content.

    Raises:
        InvalidRequest: The host's formatter does not show the content.
    """
    formatter = descriptor.formatter
    text = wrap(descriptor, _PROBE, attrs, ()) if formatter is None else formatter(_PROBE, attrs)
    before, found, behind = text.partition(_PROBE)
    if not found:
        raise InvalidRequest(
            f"the formatter of the fence kind {descriptor.kind} does not show the content",
            kind=descriptor.kind,
        )
    return before, behind


def _by_host(descriptor: FenceDescriptor, content: str, attrs: JsonObject) -> str:
    """The host's text, with copies of its closing mark in the content taken apart where it lets them through."""
    formatter = descriptor.formatter
    assert formatter is not None
    before, behind = marks(descriptor, attrs)
    closing = behind.strip()
    text = formatter(content, attrs)
    if len(closing) < _SHORTEST_MARK:
        return text
    own = _loose(before + behind).count(_loose(closing))
    if _loose(text).count(_loose(closing)) > own:
        text = formatter(_broken(content, closing), attrs)
    if _loose(text).count(_loose(closing)) > own:
        raise InvalidRequest(
            f"the content of a fence {descriptor.kind} would end the fence",
            kind=descriptor.kind,
            cure="let its formatter escape the closing mark in the content",
        )
    return text


def _broken(content: str, closing: str) -> str:
    """The content with its copies of the closing mark taken apart."""
    pieces = [re.escape(char) for char in closing if not char.isspace()]
    pattern = re.compile(r"\s*".join(pieces), re.IGNORECASE)

    def apart(match: re.Match[str]) -> str:
        found = match.group()
        return f"&lt;{found[1:]}" if found[0] == "<" else f"{found[0]}\u200b{found[1:]}"

    return pattern.sub(apart, content)


def _loose(text: str) -> str:
    return re.sub(r"\s+", "", text).casefold()


def _names_tag(behind: str, known: Iterable[str]) -> bool:
    """Whether what stands behind a bracket is a tag of a known name."""
    plain = re.sub(r"^[\s/\\]+", "", _folded(behind))
    return any(
        plain.startswith(name) and not re.match(r"[\w-]", plain[len(name) : len(name) + 1]) for name in known
    )


def _folded(text: str) -> str:
    """Without invisible signs, in plain small letters."""
    wide = unicodedata.normalize("NFKD", text)
    return "".join(char for char in wide if unicodedata.category(char) not in {"Cf", "Mn"}).casefold()


def _key(name: str, kind: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w.-]*", name, re.ASCII):
        raise InvalidRequest(f"{name!r} is not a name for an attribute of the fence kind {kind}", kind=kind)
    return name


def _value(each: Json) -> str:
    text = each if isinstance(each, str) else dump_text(each)
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, entity)
    return re.sub(r"\s+", " ", text)
