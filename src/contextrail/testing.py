"""For hosts and for adapters of others: checks that an implementation of a port does what the port promises."""

from __future__ import annotations

from collections.abc import Callable

from contextrail.core.digest import sha256
from contextrail.core.errors import InvalidRequest, NotFound, RailError
from contextrail.core.ids import Sha256
from contextrail.storage.blobs import BlobStore, MemoryBlobs

__all__ = ["MemoryBlobs", "check_blob_store"]

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


def _check_refused(error: type[RailError], call: Callable[[Sha256], object], name: str) -> None:
    try:
        call(Sha256(name))
    except error:
        return
    raise AssertionError(f"{name!r} must raise {error.__name__}")
