"""Private keys in text form: whole, cut at either end, with numbers or signs before each line. Pure."""

from __future__ import annotations

import base64
import binascii
import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from contextrail.core.secret_span import Secret, places

_KIND: Final = "private-key"
_NAME: Final = r"(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?"
_BEGIN: Final = re.compile(
    rf"-----BEGIN (?P<label>{_NAME})-----|---- BEGIN (?P<ssh>SSH2 (?:ENCRYPTED )?PRIVATE KEY) ----"
)
_END: Final = re.compile(
    rf"-----END (?P<label>{_NAME})-----|---- END (?P<ssh>SSH2 (?:ENCRYPTED )?PRIVATE KEY) ----"
)
_BREAK: Final = r"(?:\r?\n|(?:\\+[nr])+)"
_LEAD: Final = r"[ \t]*(?:[^\s\0]{0,120}?:)?(?:\d{1,7}[ \t]*(?:[:|→\t-]|(?=[ ]))|[+>|#*-])?[ \t]*"
"""What tools write before a line: a file and a number, a number and a sign, a sign."""
_HEADER: Final = r"[A-Z][A-Za-z-]{2,30}: (?:[^\n\\\0-]|-(?!----)){0,200}"
_BODY: Final = re.compile(
    rf"(?:{_BREAK}{_LEAD}(?:[A-Za-z0-9+/]{{16,}}={{0,2}}|[A-Za-z0-9+/]{{1,80}}={{0,2}}(?={_BREAK}|[ \t]*$|[\"'])|{_HEADER}|(?={_BREAK}|$)))"
)
"""One line of a key behind another: its letters, a header, nothing."""
_KEY: Final = re.compile(r"[A-Za-z0-9+/]{16,}")
_NO_LETTERS: Final = re.compile(r"[^A-Za-z0-9+/=]")
_LETTERS: Final = re.compile(r"[A-Za-z0-9+/=]{40,}")
_LINE: Final = re.compile(rf"{_LEAD}(?P<body>[A-Za-z0-9+/]{{40,80}}={{0,2}})[ \t\r]*")
_LONGEST: Final = 20_000
"""Characters: no key is longer."""
_ENCODED: Final = "LS0tLS1CRUdJTi"
"""The base64 of what begins a key, a certificate, and much else."""
_RUN: Final = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_NEXT: Final = re.compile(
    r"(?:\r?\n|\\+n)[ \t]{0,40}(?P<run>[A-Za-z0-9+/]{1,200}={0,2})(?=[ \t]{0,40}(?:\r?\n|\\+[nr]|[\0\"']|$))"
)
_WIDEST: Final = 200
"""Characters of a line of base64 that others follow."""
_HEAD: Final = re.compile(rb"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_HIDES: Final = 16
"""Bytes behind such a head that make it a key."""
_PUTTY: Final = re.compile(r"Private-Lines: \d{1,3}(?=\r?\n|\\)")


def private_keys(text: str) -> Iterator[Secret]:
    """Private keys, from the line that begins one to the line that ends it or the last that can belong to it.

    A key without a beginning is found by its end. Linear in the length of the text.
    """
    if "PRIVATE KEY" in text:
        yield from _marked(text)
    if _ENCODED in text:
        yield from _encoded(text)
    read = 0
    for at in places(text, "Private-Lines: "):
        if at >= read and (found := _PUTTY.match(text, at)):
            read = _body_end(text, found.end(), len(text))
            if _KEY.search(text, found.end(), read):
                yield Secret(_KIND, found.end(), read)


def _encoded(text: str) -> Iterator[Secret]:
    """Private keys in base64, on one line or on lines of one length, as `base64` writes them."""
    read = 0
    for at in places(text, _ENCODED):
        if at < read or (run := _RUN.match(text, at)) is None:
            continue
        read = run.end()
        pieces, size, width = [run[0][:_LONGEST]], len(run[0]), len(run[0])
        while width <= _WIDEST and size < _LONGEST and (line := _NEXT.match(text, read)):
            length = len(line["run"])
            if length > width or (length < width and (size + length) % 4):
                break
            read = line.end()
            pieces.append(line["run"])
            size += length
            if length < width:
                break
        if _hides_key("".join(pieces)):
            yield Secret(_KIND, at, read)


def _hides_key(encoded: str) -> bool:
    """Whether base64 stands for a text with a private key in it."""
    whole = encoded.rstrip("=")[: _LONGEST // 4 * 4]
    try:
        data = base64.b64decode(whole[: len(whole) // 4 * 4])
    except (binascii.Error, ValueError):
        return False
    head = _HEAD.search(data)
    return head is not None and len(data) - head.end() >= _HIDES


def _marked(text: str) -> Iterator[Secret]:
    begins = list(_BEGIN.finditer(text))
    ends = list(_END.finditer(text))
    starts = [found.start() for found in ends]
    used: set[int] = set()
    for number, begin in enumerate(begins):
        after = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        which = bisect_left(starts, begin.end())
        end = ends[which] if which < len(ends) and starts[which] < after else None
        if end is not None and _encloses(text, begin, end):
            used.add(which)
            if _is_key(text[begin.end() : end.start()]):
                yield Secret(_KIND, begin.start(), end.end())
        else:
            stop = _body_end(text, begin.end(), after)
            if _KEY.search(text, begin.end(), stop):
                yield Secret(_KIND, begin.start(), stop)
    last = 0
    for which, end in enumerate(ends):
        if which not in used:
            start = _body_before(text, end.start(), last)
            if start < end.start():
                yield Secret(_KIND, start, end.end())
        last = end.end()


def _encloses(text: str, begin: re.Match[str], end: re.Match[str]) -> bool:
    """Whether they belong together, with nothing between them that is the end of a text."""
    same = begin["label"] == end["label"] and begin["ssh"] == end["ssh"]
    near = end.start() - begin.end() <= _LONGEST
    return same and near and "\0" not in text[begin.end() : end.start()]


def _is_key(between: str) -> bool:
    """Whether a key stands between beginning and end, and not dots, a word or code."""
    letters = len(_NO_LETTERS.sub("", between))
    return _LETTERS.search(between) is not None or (
        letters >= 16 and "..." not in between and "(" not in between
    )


def _body_end(text: str, at: int, before: int) -> int:
    """Where the lines end that stand behind the beginning of a key and can be part of one; not behind `before`."""
    longest = min(before, at + _LONGEST)
    end = at
    while (line := _BODY.match(text, end, longest)) is not None and line.end() > end:
        end = line.end()
    return end


def _body_before(text: str, end: int, least: int) -> int:
    """Where the lines of a key begin that stand before `end`; not before `least`."""
    least = max(least, end - _LONGEST)
    start = end
    tail = text.rfind("\n", least, end)
    at = tail
    while at > least:
        line = text.rfind("\n", least, at)
        begin = least if line < 0 else line + 1
        found = _LINE.fullmatch(text, begin, at)
        if found is None and not (start == end and _last_line(text[begin:at])):
            break
        start = begin
        at = line
    return start


def _last_line(line: str) -> bool:
    """Whether a line can be the last of a key, which may be short."""
    return re.fullmatch(rf"{_LEAD}[A-Za-z0-9+/]{{1,80}}={{0,2}}[ \t\r]*", line) is not None
