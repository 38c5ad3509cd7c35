"""For hosts and for adapters of others: checks of a turn, checks of an implementation of a port, and fakes.

request = rail.build(conversation)
check_turn(request)                              # C1 to C12 of linnkit's harness, and our I13 to I20

check_blob_store(MyStore())
Rail(Policy(), tokenizer=create_mock_tokenizer(tokens_per_message=100))
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final

from contextrail.core.digest import sha256
from contextrail.core.errors import InvalidRequest, NotFound, RailError
from contextrail.core.ids import Sha256
from contextrail.core.json_text import JsonObject
from contextrail.invariants.evidence import Broken, Check, Decided, Evidence, Snapshot
from contextrail.invariants.mock_tokenizer import MockTokenizer, create_mock_tokenizer
from contextrail.invariants.trace_checks import NEED_A_TRACE, TRACE_ENABLED, trace_enabled
from contextrail.invariants.turn_checks import CHECKS
from contextrail.request import Request
from contextrail.storage.blobs import BlobStore, MemoryBlobs

__all__ = [
    "INVARIANTS",
    "Broken",
    "Decided",
    "Failure",
    "MemoryBlobs",
    "MockTokenizer",
    "Snapshot",
    "check_blob_store",
    "check_turn",
    "create_mock_tokenizer",
    "failures_of",
]

_ALL: Final[dict[str, Check]] = {TRACE_ENABLED: trace_enabled, **NEED_A_TRACE, **CHECKS}

INVARIANTS: Final = tuple(_ALL)
"""Names of all checks of a turn, in order."""
_SALT_BYTES: Final = 16
_SHOWN: Final = 3
"""What is told of one check in a message; `Failure.broken` has all."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One check that does not hold."""

    name: str
    """One of `INVARIANTS`."""
    broken: tuple[Broken, ...]
    """What does not hold, and where."""

    def __str__(self) -> str:
        told = "; ".join(f"{each.where}: {each.what}" for each in self.broken[:_SHOWN])
        more = len(self.broken) - _SHOWN
        return f"{self.name}: {told}" + (f"; and {more} more" if more > 0 else "")


def check_turn(
    turn: Request | Decided,
    *,
    trace: JsonObject | None = None,
    before: Request | Decided | None = None,
    store: BlobStore | None = None,
    given: Snapshot | None = None,
    only: Collection[str] = INVARIANTS,
) -> None:
    """Check everything that must hold of a turn; a check passes where what it needs is not given.

    Args:
        turn: What `Rail.build` gave; or, without a rail, the turn with what it was decided from.
        trace: A context trace of it that is kept elsewhere; by default the one of the request.
        before: The turn before, whose plan this one was built with: for I17.
        store: Where full texts were put: for I16, without it only what this turn puts there is known.
        given: Taken of the host's own conversation before the build: for I20.
        only: Names of the checks to run.

    Raises:
        AssertionError: One line for each check that does not hold: its name, where, what.
        InvalidRequest: A name is not one of `INVARIANTS`.
    """
    failures = failures_of(turn, trace=trace, before=before, store=store, given=given, only=only)
    if failures:
        raise AssertionError("\n".join(map(str, failures)))


def failures_of(
    turn: Request | Decided,
    *,
    trace: JsonObject | None = None,
    before: Request | Decided | None = None,
    store: BlobStore | None = None,
    given: Snapshot | None = None,
    only: Collection[str] = INVARIANTS,
) -> tuple[Failure, ...]:
    """As `check_turn`, but what does not hold is given back, in the order of `INVARIANTS`."""
    unknown = sorted(set(only) - set(INVARIANTS))
    if unknown:
        raise InvalidRequest(f"{unknown[0]} is not a check", path="only", cure="see INVARIANTS for the names")
    request = turn if isinstance(turn, Request) else None
    view = trace if trace is not None or request is None else request.trace()["context_trace"]
    seen = Evidence(
        decided=_decided(turn),
        request=request,
        view=view,
        before=None if before is None else _decided(before),
        store=store,
        given=given,
    )
    wanted = [name for name in INVARIANTS if name in only and (view or name not in NEED_A_TRACE)]
    found = [Failure(name, tuple(_ALL[name](seen))) for name in wanted]
    return tuple(failure for failure in found if failure.broken)


def _decided(turn: Request | Decided) -> Decided:
    return turn if isinstance(turn, Decided) else Decided.of(turn)


_SAMPLES = (b"", b"one line\n", b"\x00\xff\xfe", "店铺 👩‍👩‍👧‍👦 e\u0301".encode(), b"x" * 300_000)


def check_blob_store(store: BlobStore) -> None:
    """Check an empty or a used store; it keeps a few small blobs afterwards.

    Raises:
        AssertionError: It breaks a promise of `BlobStore`; the message says which.
    """
    for data in _SAMPLES:
        digest = sha256(data)
        assert store.put(data) == digest, "put gives the digest of the bytes"
        assert store.put(data) == digest, "putting twice is putting once"
        assert store.has(digest), "what was put is there"
        assert store.get(digest) == data, "what is read is what was put, byte for byte"
        assert store.find(digest[:16]) == digest, "sixteen digits find it"
        assert store.find(digest) == digest, "all digits find it"
    missing = sha256(b"".join(_SAMPLES) + b"never put")
    assert not store.has(missing), "what was not put is not there"
    _check_refused(NotFound, store.get, missing)
    _check_refused(NotFound, store.find, missing[:16])
    for name in ("", "../../etc/passwd", "ABC", missing.upper(), missing[:-1] + "/"):
        _check_refused(InvalidRequest, store.get, Sha256(name))
        _check_refused(InvalidRequest, store.find, name)
    _check_many(store)


def _check_many(store: BlobStore) -> None:
    shown, original = b"the key is [secret:npm-token:00000000]", b"the key is not told"
    every = (*_SAMPLES, shown, original)
    digests = tuple(map(sha256, every))
    links = {sha256(shown): sha256(original)}
    for _ in range(2):
        assert tuple(store.put_many(every, originals=links)) == digests, "put_many gives the digests in order"
    assert [store.get(digest) for digest in digests] == list(every), "all that was put at once can be read"
    assert store.original(sha256(shown)) == sha256(original), "an original is found"
    assert store.original(sha256(original)) == sha256(original), "what is shown in place of nothing is itself"
    assert store.put_many(()) == (), "putting nothing is allowed"
    assert len(store.salt()) >= _SALT_BYTES, "a salt has at least sixteen bytes"
    assert store.salt() == store.salt(), "a store has one salt"


def _check_refused(error: type[RailError], call: Callable[[Sha256], object], name: str) -> None:
    try:
        call(Sha256(name))
    except error:
        return
    raise AssertionError(f"{name!r} must raise {error.__name__}")
