"""How the content of a fence is marked off, so that nothing inside can end it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import Json, JsonObject, dump_text
from contextrail.history.fence_kinds import FenceDescriptor
from contextrail.history.look_alikes import BLANK, BRACKETS, DOUBLE_BRACKETS, SPACE, read_as, seen

REMINDER: Final = "system-reminder"
"""The family of reminders; no fence may open or close one."""
_BRACKETS: Final = re.compile(f"[{BRACKETS}{DOUBLE_BRACKETS}]")
_DOUBLE: Final = frozenset(DOUBLE_BRACKETS)
_SPARE: Final = 4
"""So many signs beyond the longest name are read, to see whether a name ends there."""
_NAME_GOES_ON: Final = r"(?![.:-]*\w)"
"""`<note-book>`, `<note.x>` and `<note::X>` name something else than `note`."""
_SHORTEST_MARK: Final = 3
"""A closing mark that is shorter, such as a bracket, occurs in any text: its formatter has to see to it."""
_APART: Final = "_~^"
"""Put behind the first sign of a copy of a closing mark: the first of them that the mark does not hold."""
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
    known = (kind, *names)
    return f"<{kind}{harmless(shown, known)}>\n{harmless(content, known)}\n</{kind}>"


def harmless(content: str, names: Iterable[str]) -> str:
    """The content with every tag of these names, opening or closing, made plain text.

    Only the bracket of such a tag is written as `&lt;`; all else stays. What counts is how a reader sees
    a tag: any number of invisible signs and blanks, accents, other cases, scripts and typefaces do not
    hide it. Spaces within a name, and brackets that also quote, count where a slash stands before the
    name; spaces also where a bracket ends it. Linear in the length of the content.
    """
    tag = _tags((*names, REMINDER))

    def escaped(match: re.Match[str]) -> str:
        behind = _behind(content, match.end(), tag.reach)
        pattern = tag.closing if match.group() in _DOUBLE else tag.any
        return match.group() if pattern.match(behind) is None else "&lt;"

    return _BRACKETS.sub(escaped, content)


@dataclass(frozen=True, slots=True)
class _Tags:
    """How tags of some names are known, in what stands behind a bracket as `read_as` reads it."""

    any: re.Pattern[str]
    closing: re.Pattern[str]
    reach: int
    """Signs to read."""


@lru_cache(maxsize=64)
def _tags(names: tuple[str, ...]) -> _Tags:
    known = sorted({seen(name) for name in names})
    plain = "|".join(f"{BLANK}*".join(map(re.escape, name)) for name in known)
    loose = "|".join(f"[{SPACE}{BLANK}]*".join(map(re.escape, name)) for name in known)
    gap = f"[{SPACE}{BLANK}]*"
    closed = f"{gap}/[{SPACE}{BLANK}/]*(?:{loose}){_NAME_GOES_ON}"
    opened = f"{gap}(?:(?:{plain}){_NAME_GOES_ON}|(?:{loose}){gap}>)"
    return _Tags(re.compile(f"{closed}|{opened}"), re.compile(closed), max(map(len, known)) + _SPARE)


def _behind(content: str, start: int, reach: int) -> str:
    """What stands behind a bracket up to the next one, as it is read; at most `reach` signs that are no blank.

    No two brackets read the same stretch of content, so all of them together take linear time.
    """
    read: list[str] = []
    count, last = 0, ""
    for at in range(start, len(content)):
        sign = read_as(content[at])
        if sign == "<" or content[at] in _DOUBLE:
            break
        if sign in {SPACE, BLANK} or (sign == "/" and not count):
            if sign != last:
                read.append(sign)
        elif sign:
            read.append(sign)
            count += len(sign)
            if count > reach:
                break
        last = sign or last
    return "".join(read)


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
    mark = seen(behind)
    text = formatter(content, attrs)
    if len(mark) < _SHORTEST_MARK:
        return text
    own = seen(before + behind).count(mark)
    if seen(text).count(mark) > own:
        text = formatter(_broken(content, mark), attrs)
    if seen(text).count(mark) > own:
        raise InvalidRequest(
            f"the content of a fence {descriptor.kind} would end the fence",
            kind=descriptor.kind,
            cure="let its formatter escape the closing mark in the content",
        )
    return text


def _broken(content: str, mark: str) -> str:
    """The content with its copies of the closing mark, which is given as it is read, taken apart behind the first sign."""
    read: list[str] = []
    places: list[int] = []
    for at, sign in enumerate(content):
        shown = seen(sign)
        read.append(shown)
        places.extend([at] * len(shown))
    apart = next((sign for sign in _APART if sign not in mark), _APART[0])
    pieces: list[str] = []
    done = 0
    for match in re.finditer(re.escape(mark), "".join(read)):
        at = places[match.start()]
        pieces += [content[done:at], "&lt;" if read[at] == "<" else content[at] + apart]
        done = at + 1
    return "".join(pieces) + content[done:]


def _key(name: str, kind: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][\w.-]*", name, re.ASCII):
        raise InvalidRequest(f"{name!r} is not a name for an attribute of the fence kind {kind}", kind=kind)
    return name


def _value(each: Json) -> str:
    text = each if isinstance(each, str) else dump_text(each)
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(sign, entity)
    return re.sub(r"\s+", " ", text)
