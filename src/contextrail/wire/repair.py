"""Mend a body so that its provider accepts it, without inventing facts; a clean body is not touched.

In rounds: what concerns pairs, order, ids, names and roles is cured by reading the body, lowering it for
its own provider and writing it again; everything else at its place. What neither cures, after some
rounds, is flattened: the message at fault becomes a text of the user, the field or tool at fault goes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId
from contextrail.core.json_text import Json, JsonObject, kind_of
from contextrail.messages.decision import Decision
from contextrail.messages.model import Conversation, Message
from contextrail.wire.codec import CODECS
from contextrail.wire.finding import Path, json_path, position
from contextrail.wire.lint import Finding, lint
from contextrail.wire.lower import lower
from contextrail.wire.mends import CURES, LOWERED
from contextrail.wire.mends_blocks import message_as_text
from contextrail.wire.mends_edit import LISTS, NO_TEXT, Scene, at, drop, in_words, parse_path, said_by_user
from contextrail.wire.mends_names import by_place, renamed
from contextrail.wire.target import Target, parse_target

STEP: Final = "repair"
ROUNDS: Final = 16
"""One or two do in practice. Each flattened message is one less that can be at fault."""

PATIENCE: Final = 3
"""Rounds after which what is still there is flattened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """A mended body, and what was done to it."""

    body: JsonObject
    decisions: tuple[Decision, ...]
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    """What is left: it has no cure that invents nothing, and its rule says so (`mend` is None)."""


def repair(
    body: JsonObject,
    provider: str,
    *,
    before: JsonObject | None = None,
    model: str | None = None,
    messages: Sequence[Message] = (),
) -> Repaired:
    """Mend what can be mended. Repairing twice is repairing once; what is not at fault stays as it is.

    Args:
        body: Any body that the provider's codec can read. It is not changed.
        provider: A provider or `PROVIDER:PROFILE`.
        before: The body as the host gave it, for rules that compare; see `lint`.
        model: Whom the body is for, where it does not say so itself; see `lint`.
        messages: What the body was written from, so that decisions name its messages by their ids. None
            given: they are named as the codec names them.

    Raises:
        InvalidRequest: The provider is unknown, or the body cannot be decoded.
    """
    if not isinstance(body, dict):
        raise InvalidRequest(f"a body must be an object, not {kind_of(body)}", place="body")
    work = _Work(body=body, target=parse_target(provider), provider=provider, host=before, model=model)
    found = work.lint()
    if not found or any(each.rule.endswith(".not-json") for each in found):
        return Repaired(body=body, decisions=(), before=found, after=found)
    work.make_readable()
    work.known = messages or work.decode().messages
    for count in range(ROUNDS):
        start = work.body
        curable = _curable(work.found)
        if any(each.rule in LOWERED for each in curable):
            work.lower()
        work.mend(_curable(work.found))
        left = _curable(work.found)
        if not left:
            break
        if count >= PATIENCE or work.body is start or work.body == start:
            work.flatten(left)
            if work.body is start:
                break
    return Repaired(body=work.body, decisions=tuple(work.decisions), before=found, after=work.found)


def _curable(found: Sequence[Finding]) -> list[Finding]:
    return [each for each in found if each.rule in CURES or each.rule in LOWERED]


@dataclass(slots=True, kw_only=True)
class _Work:
    """A body on its way to being legal."""

    body: JsonObject
    target: Target
    provider: str
    host: JsonObject | None
    model: str | None
    found: tuple[Finding, ...] = ()
    known: Sequence[Message] = ()
    """The messages that the body says, under the ids that decisions name them by."""
    decisions: list[Decision] = field(default_factory=list)
    read: tuple[JsonObject, Conversation] | None = None
    """The body that was read last, and what it says."""

    def lint(self) -> tuple[Finding, ...]:
        """Look at the body as it is now."""
        self.found = lint(self.body, self.provider, before=self.host, model=self.model)
        return self.found

    def decode(self) -> Conversation:
        """Read the body as it is now."""
        if self.read is None or self.read[0] is not self.body:
            self.read = (self.body, CODECS[self.target.provider].decode(self.body))
        return self.read[1]

    def make_readable(self) -> None:
        """What stands among the messages and is no object: the user said it, or, if it says nothing, it goes."""
        scene = Scene(target=self.target, model=self._model(), before=self.host)
        listed = self.body.get(scene.key)
        if not isinstance(listed, list) or all(isinstance(each, dict) for each in listed):
            return
        out: list[Json] = []
        for index, each in enumerate(listed):
            if isinstance(each, dict):
                out.append(each)
                continue
            if each not in (None, "", []):
                out.append(said_by_user(in_words(each), scene))
            rule, place = f"{self.target.provider}.body-form", json_path((scene.key, index))
            self._decide("content-in-words", None, rule, place)
        self.body = {**self.body, scene.key: out or [said_by_user(NO_TEXT, scene)]}
        self.lint()

    def lower(self) -> None:
        """Cure what concerns the conversation as a whole."""
        read = self.decode()
        named = replace(read, messages=renamed(read.messages, self.known))
        lowered, decisions = lower(named, self.target, model=self.model)
        if not decisions:
            return
        self.body = CODECS[self.target.provider].encode(lowered)
        self.known = lowered.messages
        self.decisions.extend(each._replace(step=STEP) for each in decisions)
        self.lint()

    def mend(self, findings: Sequence[Finding]) -> None:
        """Cure what can be cured at its place: from the end to the start, so that no place moves before its turn."""
        scene = Scene(target=self.target, model=self._model(), before=self.host)
        places: dict[Path, Finding] = {}
        for each in findings:
            if each.rule in CURES:
                places.setdefault(CURES[each.rule].place(parse_path(each.path)), each)
        names = self._names() if places else {}
        start = self.body
        for path in sorted(places, key=position, reverse=True):
            rule = places[path].rule
            mended = CURES[rule].mend(self.body, path, scene)
            if mended is self.body:
                continue
            self.body = mended
            self._decide(CURES[rule].reason, names.get(self._index(path)), rule, places[path].path)
        if self.body is not start:
            self._changed()

    def flatten(self, findings: Sequence[Finding]) -> None:
        """The last resort: messages at fault as text, fields and tools at fault left out."""
        scene = Scene(target=self.target, model=self._model(), before=self.host)
        places: dict[Path, Finding] = {}
        for each in findings:
            path = parse_path(each.path)
            if path:
                places.setdefault(path[:2] if path[0] in {scene.key, "tools"} else path[:1], each)
        names = self._names()
        start = self.body
        for path in sorted(places, key=position, reverse=True):
            is_message = path[0] == scene.key and len(path) > 1
            was = self.body
            if is_message:
                self.body = message_as_text(was, path, scene)
            elif path[0] not in {*LISTS.values(), "model", "max_tokens"}:
                self.body = drop(was, path)
            if self.body is not was:
                reason = "message-as-text" if is_message else "field-left-out"
                self._decide(reason, names.get(self._index(path)), places[path].rule, places[path].path)
        if self.body is not start:
            self._changed()

    def _changed(self) -> None:
        """Know the messages of the mended body by their names, and look at it again."""
        self.known = renamed(self.decode().messages, self.known)
        self.lint()

    def _names(self) -> dict[int, MessageId]:
        read = self.decode().messages
        return by_place(read, renamed(read, self.known))

    def _index(self, path: Path) -> int:
        listed = len(path) > 1 and path[0] == LISTS[self.target.provider]
        return path[1] if listed and isinstance(path[1], int) else -1

    def _model(self) -> str:
        stated = at(self.body, ("model",))
        return (self.model or (stated if isinstance(stated, str) else "")).lower()

    def _decide(self, reason: str, message: MessageId | None, rule: str, path: str) -> None:
        detail = {"rule": rule, "path": path}
        self.decisions.append(
            Decision(message=message, verdict="changed", step=STEP, reason=reason, detail=detail)
        )
