"""Read what a command was given: a session file, a body, a policy."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from contextrail.core.digest import sha256
from contextrail.core.errors import InvalidRequest, NotFound, RailError
from contextrail.core.json_text import JsonObject, parse, parse_object
from contextrail.history.policy import Policy
from contextrail.messages.model import Conversation, Message
from contextrail.policy import PRESETS, merge_policies, preset_value
from contextrail.transcripts.body_file import request_in
from contextrail.transcripts.detect import detect, read_session
from contextrail.transcripts.left import BEFORE, Left, left_out
from contextrail.transcripts.session import Issue
from contextrail.transcripts.source import Source, opened
from contextrail.wire import neutral
from contextrail.wire.codec import decode, refuse_own
from contextrail.wire.target import PROVIDERS

MAX_BODY: Final = 256 * 1024 * 1024
"""Bytes of one body; the largest any provider accepts is 32 MB, so more is a mistake."""

STDIN: Final = "-"
"""The name of standard input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A conversation and where it came from."""

    file: str
    format: str
    conversation: Conversation
    issues: tuple[Issue, ...] = ()
    left: tuple[Left, ...] = ()
    """Messages that the session holds and the conversation does not: compacted, taken back, a sub-agent's."""

    @property
    def earlier(self) -> int:
        """Messages in segments before the live one, which the host had left behind."""
        return sum(each.why in BEFORE for each in self.left)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, those that were left as well; each id once."""
        return (*self.conversation.messages, *(each.message for each in self.left))


def load_input(path: Path, form: str | None) -> Input:
    """Read a session, a folder with one session, or a body; `-` is standard input.

    Raises:
        NotFound, AccessDenied, InvalidRequest: With the place and the cure.
    """
    if path.is_dir():
        return _from_session(path, form)
    with opened(path) as source:
        name = form or _format_of(source)
        if name in PROVIDERS or name == "neutral":
            body = _body_in(source, strict=form is not None and name != "neutral")
            if body is not None and isinstance(
                body.get("messages", body.get("input", body.get("contents"))), (list, str)
            ):
                conversation = neutral.decode(body) if name == "neutral" else decode(request_in(body), name)
                return Input(file=source.name, format=name, conversation=conversation)
        return _from_session(source, name)


def _format_of(source: Source) -> str:
    """The format; where none fits and the file is meant as JSON, what is wrong with its JSON."""
    try:
        return detect(source)
    except InvalidRequest:
        source.stream.seek(0)
        data = _limited(source)
        if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in {b"{", b"["}:
            _refuse_own(parse(data, place=source.name), source.name)
        raise


def _body_in(source: Source, *, strict: bool) -> JsonObject | None:
    """The file as one JSON object; None if it is something else, which must then be a list of records."""
    data = _limited(source)
    try:
        value = parse(data, place=source.name)
    except InvalidRequest:
        if strict:
            raise
        value = None
    source.stream.seek(0)
    _refuse_own(value, source.name)
    return value if isinstance(value, dict) else None


def _from_session(path: Path | Source, form: str | None) -> Input:
    session = read_session(path, form)
    flaws = Counter(issue.kind for issue in session.issues if issue.severity == "error")
    if flaws and not session.messages:
        told = ", ".join(f"{kind} {count}" for kind, count in flaws.most_common(3))
        raise InvalidRequest(
            f"nothing in {session.file} can be read as a message of a {session.format} session: {told}",
            place=session.file,
            format=session.format,
            cure="give the session as its host wrote it: where that is JSON lines, one record on each line"
            + ("" if form is None else f"; its format may be another than {form}: leave --from away"),
        )
    return Input(
        file=session.file,
        format=session.format,
        conversation=Conversation(
            model=session.head.model,
            system=session.head.system,
            tools=session.head.tools,
            messages=session.messages,
        ),
        issues=session.issues,
        left=left_out(session),
    )


def check_messages(read: Input, path: Path, form: str | None) -> None:
    """Refuse an input from which no message was read.

    Raises:
        InvalidRequest: What it holds instead, or which format it seems to have, is in the cure.
    """
    if read.conversation.messages:
        return
    cure = "the file holds no messages: give a session, or a body with at least one user message"
    if read.left:
        cure = f"its host left all {len(read.left)} messages behind: give a session that goes on"
    elif form is not None:
        cure = f"its format may be another than {form}: leave --from away; or the file holds no messages"
        other = _format_at(path)
        if other not in (None, form):
            cure = f"its format seems to be {other}: leave --from away, or give --from {other}"
    raise InvalidRequest(
        f"{read.file} holds no message that can be read as {read.format}",
        place=read.file,
        format=read.format,
        cure=cure,
    )


def _format_at(path: Path) -> str | None:
    """The format of a file by its content, None where that cannot be told again."""
    try:
        return detect(path) if path.is_file() else None
    except RailError:
        return None


def files_of(read: Input) -> list[tuple[str, Path | None]]:
    """The files that messages were read from, of a folder all that say something."""
    names = {message.origin.file for message in read.conversation.messages if message.origin is not None}
    return [("INPUT", Path(name)) for name in sorted(names | {read.file})]


def load_body(path: Path, *, if_empty: str = "give a request body") -> JsonObject:
    """Read one JSON object; `-` is standard input; `if_empty` is the cure for an empty file. Errors as in `load_input`."""
    with opened(path, if_empty=if_empty) as source:
        return parse_object(_limited(source), place=source.name)


def load_request(path: Path) -> JsonObject:
    """Read one body that must not be a trace, a plan or a record. Errors as in `load_input`."""
    body = load_body(path)
    _refuse_own(body, path.name)
    return body


def _refuse_own(body: object, place: str) -> None:
    """As `refuse_own`, and the error names the file."""
    if isinstance(body, dict):
        try:
            refuse_own(body)
        except InvalidRequest as error:
            raise InvalidRequest(f"{place}: {error}", **{**error.facts, "place": place}) from None


def load_policy(names: Sequence[str | Path]) -> Policy:
    """Merge policies in the order given: files (TOML by their ending, else JSON), or presets by name."""
    return merge_policies((str(name), _policy_of(name)) for name in names)


def file_digest(path: Path) -> str | None:
    """SHA-256 of a file's bytes; None for a folder or a pipe."""
    return sha256(path.read_bytes()) if path.is_file() else None


def _policy_of(name: str | Path) -> object:
    known = preset_value(str(name))
    if known is not None:
        return known
    if not Path(name).exists() and Path(name) != Path(STDIN):
        raise NotFound(
            f"{name} is neither a file nor a preset; presets are: {', '.join(PRESETS)}",
            place=str(name),
            cure="check the name, or use a preset",
        )
    return _policy_value(Path(name))


def _policy_value(path: Path) -> object:
    with opened(path, if_empty="give a policy in it ({} is the defaults), or leave it out") as source:
        data = _limited(source)
    if path.suffix != ".toml":
        return parse(data, place=str(path))
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path} is not TOML: {str(error).lower()}", place=str(path)) from None


def _limited(source: Source) -> bytes:
    data = source.stream.read(MAX_BODY + 1)
    if len(data) > MAX_BODY:
        raise InvalidRequest(
            f"{source.name} is larger than {MAX_BODY} bytes, which no provider accepts",
            place=source.name,
            limit=MAX_BODY,
        )
    return data
