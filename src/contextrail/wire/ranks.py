"""The merge ranks of o200k_base and cl100k_base: their packed form, the patterns, the published digests.

Facts from tiktoken (MIT, (c) 2022 OpenAI, Shantanu Jain): the ranks, the split patterns, and the SHA-256
that it expects of its rank files. No network: the ranks are package data, packed by
`scripts/pack_ranks.py`; a test builds the published files from them and compares the digests.
"""

from __future__ import annotations

import base64
import zlib
from itertools import accumulate, pairwise
from typing import Final, Literal

from contextrail.core.digest import sha256
from contextrail.core.errors import IntegrityError

Encoding = Literal["o200k", "cl100k"]

FILES: Final[dict[Encoding, str]] = {"o200k": "o200k_base", "cl100k": "cl100k_base"}
"""Name of each encoding's rank file, without ending."""

PUBLISHED: Final = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""SHA-256 of the rank files as published, by tiktoken's `expected_hash`."""

PACKED: Final = {
    "o200k_base": "dce434c331e2b595eab34335423e5d1924359ebb49b6d2eae3c4539c0c0ed1c0",
    "cl100k_base": "1b57c7f611a970e92cfb0d6b24bba94d62b107e2fdeb89a0ef76f248e6169b88",
}
"""SHA-256 of the packed files that the package ships."""

_CONTRACTION: Final = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_LEAD: Final = r"[^\r\n\p{L}\p{N}]?"
_UPPER: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

PATTERNS: Final[dict[Encoding, str]] = {
    "o200k": "|".join(
        [
            f"{_LEAD}{_UPPER}*{_LOWER}+{_CONTRACTION}",
            f"{_LEAD}{_UPPER}+{_LOWER}*{_CONTRACTION}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        ]
    ),
    "cl100k": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}


def unpack(data: bytes) -> dict[bytes, int]:
    """Tokens and their ranks from a packed file: zlib of count, lengths, bytes in the order of the ranks."""
    packed = zlib.decompress(data)
    start = 4 + int.from_bytes(packed[:4], "big")
    ends = accumulate(packed[4:start], initial=start)
    return {packed[begin:end]: rank for rank, (begin, end) in enumerate(pairwise(ends))}


def verified(data: bytes, name: str) -> dict[bytes, int]:
    """The ranks of a shipped file.

    Raises:
        IntegrityError: The file is not the one that was shipped.
    """
    if sha256(data) != PACKED[name]:
        raise IntegrityError(
            f"{name}.ranks is not the file that was shipped",
            place=f"{name}.ranks",
            expected=PACKED[name],
            cure="install the package again",
        )
    return unpack(data)


def official_form(ranks: dict[bytes, int]) -> bytes:
    """The bytes of the rank file as tiktoken publishes it."""
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())
