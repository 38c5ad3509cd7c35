"""One JSON document, read tolerantly: the elements of its lists with their places, and what is broken.

A healthy document is an object (or a list) whose parts we name. Of a damaged one, as many elements are
read as are whole; every byte that was not read stands in an issue.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Final

from contextrail.core.json_text import Json, JsonObject
from contextrail.messages.model import Origin
from contextrail.transcripts.decode import decode_object, healthy, scan, too_deep
from contextrail.transcripts.session import Issue, Severity
from contextrail.transcripts.split import Shapes

ROOT: Final = ""
"""Name of the list that the document itself is."""

_BLANKS: Final = re.compile(r"[ \t\r\n\ufeff]*")
_NEXT: Final = re.compile(r"[,\[][ \t\r\n]*(?=\{)")
_TRIES: Final = 5000
"""Objects of a document that are tried before the rest of a damaged list is given up."""

Looks = Callable[[Json], bool]
"""Whether a value is an element of the list, judged by its keys."""


@dataclass(frozen=True, slots=True)
class Element:
    """One object of a list."""

    list: str
    """Name of the list."""
    value: JsonObject
    origin: Origin


@dataclass(slots=True)
class Document:
    """What a document holds."""

    origin: Origin
    value: JsonObject = field(default_factory=dict)
    """Its members, without the lists that are given element by element."""
    items: list[Element | Issue] = field(default_factory=list)
    """Elements and issues, in file order."""

    def elements(self, name: str) -> Iterator[Element]:
        """The elements of one list."""
        for item in self.items:
            if isinstance(item, Element) and item.list == name:
                yield item


def read_document(data: bytes, file: str, lists: Collection[str], looks: Looks) -> Document:
    """Read a document.

    Args:
        data: The whole file.
        file: The name to report.
        lists: Members whose elements are wanted one by one; `ROOT` for a document that is a list.
        looks: Tells elements from other objects; used to find the next one behind a damaged place.
    """
    return _Reading(data, file, lists, looks).document()


class _Damage(Exception):
    """The text is no JSON at a place."""

    def __init__(self, at: int, kind: str) -> None:
        super().__init__(kind)
        self.at = at
        self.kind = kind


class _Reading:
    """A document while it is read: a text, and a place in it."""

    def __init__(self, data: bytes, file: str, lists: Collection[str], looks: Looks) -> None:
        self.data = data
        self.text = data.decode("utf-8", "surrogateescape")
        self.file = file
        self.lists = lists
        self.looks = looks
        self.shapes = Shapes()
        self.tries = 0
        self.ruler = _Ruler(self.text)
        self.found = Document(Origin(file=file, line=1, start=0, end=len(data)))

    def document(self) -> Document:
        at = self.skip(0)
        try:
            if self.text.startswith("{", at):
                at = self.members(at + 1)
            elif self.text.startswith("[", at) and ROOT in self.lists:
                at = self.elements(ROOT, at + 1)
            else:
                self.report("not-an-object", "error", at, len(self.text), "neither an object nor a list")
                return self.found
        except _Damage as damage:
            self.report(damage.kind, "error", damage.at, len(self.text), _DETAILS[damage.kind])
            return self.found
        rest = self.skip(at)
        if rest < len(self.text):
            self.report("not-json", "error", rest, len(self.text), "something follows the document")
        return self.found

    def members(self, at: int) -> int:
        """Read members of the document up to its end; the place behind it."""
        at = self.skip(at)
        while not self.text.startswith("}", at):
            try:
                at = self.skip(self.member(at))
            except _Damage as damage:
                at = self.skip(self.next_list(damage))
            if self.text.startswith(",", at):
                at = self.skip(at + 1)
            elif not self.text.startswith("}", at):
                at = self.next_list(_Damage(at, self.cut_or_junk(at)))
        return at + 1

    def member(self, start: int) -> int:
        key, at = self.value(start)
        at = self.skip(at)
        if not isinstance(key, str) or not self.text.startswith(":", at):
            raise _Damage(start, self.cut_or_junk(at))
        at = self.skip(at + 1)
        if key in self.found.value:
            self.report("duplicate-key", "warning", start, None, "the document gives a key twice")
        if key in self.lists and self.text.startswith("[", at):
            return self.elements(key, at + 1)
        value, end = self.value(at)
        self.found.value[key] = value
        self.look_for_flaws(start, end)
        return end

    def next_list(self, damage: _Damage) -> int:
        """Go on at a list that is wanted, if none was read and one stands behind a damaged place.

        Raises:
            _Damage: There is none.
        """
        if not any(isinstance(each, Element) for each in self.found.items):
            for name in filter(None, self.lists):
                start = re.compile(rf'"{re.escape(name)}"[ \t\r\n]*:[ \t\r\n]*\[')
                found = start.search(self.text, damage.at + 1)
                if found:
                    self.report(damage.kind, "error", damage.at, found.start(), _DETAILS[damage.kind])
                    return self.elements(name, found.end())
        raise damage

    def elements(self, name: str, at: int) -> int:
        """Read the elements of a list up to its end; the place behind it."""
        at = self.skip(at)
        while not self.text.startswith("]", at):
            start = at
            try:
                value, at = self.value(start)
            except _Damage as damage:
                at = self.next_element(damage)
                continue
            self.element(name, value, start, at)
            at = self.skip(at)
            if self.text.startswith(",", at):
                at = self.skip(at + 1)
            elif not self.text.startswith("]", at):
                at = self.next_element(_Damage(at, self.cut_or_junk(at)))
        return at + 1

    def next_element(self, damage: _Damage) -> int:
        """Go on at the next whole element behind a damaged place.

        Raises:
            _Damage: There is none.
        """
        for found in _NEXT.finditer(self.text, damage.at):
            self.tries += 1
            if self.tries > _TRIES:
                break
            try:
                value, end = scan(self.text, found.end())
            except (json.JSONDecodeError, RecursionError):
                continue
            after = self.skip(end)
            whole = self.text[after : after + 1] in {",", "]", ""}
            if whole and (self.shapes.fit(value) if self.shapes.known else self.looks(value)):
                self.report(damage.kind, "error", damage.at, found.end(), _DETAILS[damage.kind])
                return found.end()
        raise damage

    def element(self, name: str, value: Json, start: int, end: int) -> None:
        """Take an element, with what is wrong inside it."""
        place, line = self.ruler.byte(start), self.ruler.line(start)
        origin = Origin(file=self.file, line=line, start=place, end=self.ruler.byte(end))
        raw = self.data[origin.start : origin.end]
        if not isinstance(value, dict):
            self.report("not-an-object", "error", start, end, "JSON, but not an object")
        elif too_deep(raw, value):
            self.report("too-deep", "warning", start, end, _DETAILS["too-deep"])
        else:
            clean = healthy(raw)
            if clean is None:
                clean = self.look_for_flaws(start, end)
            self.shapes.add(clean)
            self.found.items.append(Element(name, clean, origin))

    def look_for_flaws(self, start: int, end: int) -> JsonObject:
        """Report what is wrong inside an object, or a member `"key": value`, that could be read."""
        raw = self.data[self.ruler.byte(start) : self.ruler.byte(end)]
        whole = raw if raw.startswith(b"{") else b"{" + raw + b"}"
        shift = 0 if raw is whole else 1
        value = healthy(whole)
        if value is not None:
            return value
        value, flaws = decode_object(whole)
        for flaw in flaws:
            self.found.items.append(
                Issue(
                    kind=flaw.kind,
                    severity=flaw.severity,
                    file=self.file,
                    line=self.ruler.line(start),
                    byte=self.ruler.byte(start) + max(flaw.byte - shift, 0),
                    detail=flaw.detail,
                )
            )
        return value

    def value(self, at: int) -> tuple[Json, int]:
        """Read one value leniently. Raises `_Damage` if there is none."""
        try:
            return scan(self.text, at)
        except RecursionError:
            raise _Damage(at, "too-deep") from None
        except json.JSONDecodeError as error:
            cut = error.msg.startswith("Unterminated") or self.skip(error.pos) >= len(self.text)
            raise _Damage(at, "truncated" if cut else "not-json") from None

    def cut_or_junk(self, at: int) -> str:
        return "truncated" if self.skip(at) >= len(self.text) else "not-json"

    def skip(self, at: int) -> int:
        found = _BLANKS.match(self.text, at)
        return found.end() if found else at

    def report(self, kind: str, severity: Severity, at: int, end: int | None, detail: str) -> None:
        self.found.items.append(
            Issue(
                kind=kind,
                severity=severity,
                file=self.file,
                line=self.ruler.line(at),
                byte=self.ruler.byte(at),
                end=None if end is None else self.ruler.byte(end),
                detail=detail,
            )
        )


_DETAILS: Final = {
    "truncated": "the document ends before it is complete",
    "not-json": "these bytes are not JSON",
    "too-deep": "nested too deep to be read; left as it is",
}


class _Ruler:
    """Characters to bytes and lines; quick where it is asked in rising order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._ascii = text.isascii()
        self._at = self._bytes = 0
        self._line_at, self._line = 0, 1

    def byte(self, at: int) -> int:
        """Offset in bytes of the character at `at`."""
        if self._ascii:
            return at
        low, high = sorted((self._at, at))
        step = len(self._text[low:high].encode("utf-8", "surrogateescape"))
        self._bytes += step if at >= self._at else -step
        self._at = at
        return self._bytes

    def line(self, at: int) -> int:
        """Number of the line of the character at `at`, from 1."""
        low, high = sorted((self._line_at, at))
        step = self._text.count("\n", low, high)
        self._line += step if at >= self._line_at else -step
        self._line_at = at
        return self._line
