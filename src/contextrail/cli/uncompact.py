"""`contextrail uncompact`: what left a request, back from the store or from its session."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import typer

from contextrail.cli.load import load_input
from contextrail.cli.output import check_places, check_store, write_all, write_out
from contextrail.cli.traces import load_trace, source_of
from contextrail.core.blobs import digits_of, page
from contextrail.core.digest import text_digest
from contextrail.core.errors import IntegrityError, InvalidRequest, NotFound
from contextrail.core.json_text import JsonObject, dump_text, parse_object
from contextrail.history.compare import by_id
from contextrail.history.trace import find_rows
from contextrail.messages.model import Conversation
from contextrail.messages.redaction import Redaction, salt_for
from contextrail.messages.text import message_text
from contextrail.storage.blobs import STORE, DirectoryBlobs


def uncompact_command(
    what: Annotated[
        str,
        typer.Argument(metavar="HANDLE|MESSAGE_ID", help="A handle such as blob:0123456789abcdef, or an id."),
    ],
    store: Annotated[
        Path, typer.Option(metavar="DIR", help="The store that `build` wrote to.", show_default=True)
    ] = STORE,
    trace: Annotated[
        Path | None, typer.Option(metavar="TRACE", help="For a message id: the trace of the request.")
    ] = None,
    redacted: Annotated[
        bool, typer.Option("--redacted", help="With placeholders for secrets, as the model may read it.")
    ] = False,
    offset: Annotated[int, typer.Option(min=0, help="Begin at this byte.")] = 0,
    limit: Annotated[
        int | None, typer.Option(min=4, help="Print at most so many bytes, whole characters only.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write there.")] = None,
) -> None:
    """Print what a handle or a message id stands for.

    A text that was shown in part, collapsed or left out is kept in the store under its digest: it comes
    back byte for byte. A message is found through the trace of the request: in the store if it was put
    there, and one that left in a batch comes back as neutral JSON; else in the session that the request was
    built from, as text. While the session file is there, `explain` names the bytes where the original
    stands.

    Who may read the store gets the original; what the model was shown has placeholders for secrets.

    Examples:

        contextrail uncompact blob:0123456789abcdef

        contextrail uncompact m12-3fa9c01b --trace trace.json
    """
    check_store(store, {"--out": to})
    digits = digits_of(what)
    given = None if trace is None else load_trace(trace)
    check_places({"--out": to}, [("--trace", trace), ("the session", source_of(given))])
    blobs = Shelf(DirectoryBlobs(store), "shown" if redacted else "original")
    if digits is not None:
        data = blobs.get(digits)
    elif trace is not None and given is not None:
        data = _message(what, given, trace, blobs)
    else:
        raise InvalidRequest(
            f"{what} is not a handle, and no trace is given to look up a message id",
            cure="give --trace TRACE, or a handle such as blob:0123456789abcdef",
        )
    shown = data[offset:] if limit is None else page(data, offset, limit)
    if to is not None:
        write_all({to: shown})
        return
    write_out(shown)


@dataclass(frozen=True, slots=True)
class Shelf:
    """A store, read as it was put aside, or as it came before secrets were taken out."""

    store: DirectoryBlobs
    how: Literal["shown", "original"]

    def get(self, digits: str) -> bytes:
        """The text of a handle. Errors as those of the store."""
        digest = self.store.find(digits)
        return self.store.get(self.store.original(digest) if self.how == "original" else digest)

    def redactions(self, conversation: Conversation) -> Iterator[Conversation]:
        """What `build` may have made of a conversation: nothing, or without secrets, by either salt."""
        yield conversation
        yield Redaction("redact", self.store.salt()).apply(conversation).conversation
        yield Redaction("redact", salt_for).apply(conversation).conversation


def _message(ident: str, trace: JsonObject, place: Path, blobs: Shelf) -> bytes:
    """The message of a trace: from the store, else from where the trace was made."""
    found = [
        row
        for row in find_rows(list(by_id(trace).values()), ident)
        if row["id"] == ident or ident in row.get("calls", [])
    ]
    if not found:
        raise NotFound(f"no message of {place} is called {ident}", place=str(place))
    row = found[0]
    digits = digits_of(str(row.get("stored", "")))
    if digits is not None:
        return blobs.get(digits)
    digits = digits_of(str(row.get("stored_in", "")))
    if digits is not None and (data := _from_archive(row["id"], blobs.get(digits))) is not None:
        return data
    return _from_source(row, trace, blobs)


def _from_archive(ident: str, archive: bytes) -> bytes | None:
    """One message of the many that a batch put aside together, as neutral JSON; None if it is not there."""
    try:
        messages = parse_object(archive.decode("utf-8", "surrogatepass"), place="the archive").get("messages")
    except (UnicodeDecodeError, InvalidRequest):
        return None
    inside = messages if isinstance(messages, list) else []
    found = (dump_text(each) for each in inside if isinstance(each, dict) and each.get("id") == ident)
    return next((text.encode("utf-8", "surrogatepass") for text in found), None)


def _from_source(row: JsonObject, trace: JsonObject, blobs: Shelf) -> bytes:
    file = source_of(trace)
    if file is None or not file.exists():
        raise NotFound(
            f"{row['id']} is not in the store, and the session it came from is not there any more",
            id=str(row["id"]),
            cure="build with a store",
        )
    read = load_input(file, trace["source"].get("format"))
    given = read.conversation
    if all(message.id != row["id"] for message in given.messages):
        given = replace(given, messages=read.messages)
    texts = (_text_of(row["id"], each) for each in blobs.redactions(given))
    original = next(texts)
    if original is None:
        raise NotFound(f"{row['id']} is not in {file}", id=str(row["id"]), place=str(file))
    same = (text for text in chain([original], texts) if text is not None)
    shown = next((text for text in same if row.get("digest") in {None, text_digest(text)}), None)
    if shown is None:
        raise IntegrityError(
            f"{row['id']} reads otherwise in {file} than when the trace was made",
            id=str(row["id"]),
            place=str(file),
        )
    return (original if blobs.how == "original" else shown).encode("utf-8", "surrogatepass")


def _text_of(ident: str, conversation: Conversation) -> str | None:
    found = (message_text(message) for message in conversation.messages if message.id == ident)
    return next(found, None)
