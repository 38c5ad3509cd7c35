"""Pack tiktoken's rank files into the form that the package ships, and prove that nothing was lost.

    python scripts/pack_ranks.py FILE.tiktoken NAME

Writes `src/contextrail/data/NAME.ranks`: zlib of a 4-byte count, one length byte per token, and the
tokens' bytes in the order of their ranks, which run from 0 without a gap.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import zlib
from pathlib import Path

from contextrail.wire.ranks import PUBLISHED, official_form, unpack

DATA = Path(__file__).resolve().parent.parent / "src/contextrail/data"


def main() -> None:
    """Pack one file."""
    source, name = Path(sys.argv[1]).read_bytes(), sys.argv[2]
    if hashlib.sha256(source).hexdigest() != PUBLISHED[name]:
        raise SystemExit(f"{sys.argv[1]} is not the published {name}")
    tokens = [base64.b64decode(line.split()[0]) for line in source.splitlines()]
    packed = len(tokens).to_bytes(4, "big") + bytes(map(len, tokens)) + b"".join(tokens)
    data = zlib.compress(packed, 9)
    if official_form(unpack(data)) != source:
        raise SystemExit("packing lost something")
    (DATA / f"{name}.ranks").write_bytes(data)
    print(f"{name}.ranks", len(data), "bytes, sha256", hashlib.sha256(data).hexdigest())


if __name__ == "__main__":
    main()
