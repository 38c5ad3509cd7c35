"""What a terminal would not show: colors, cursor moves and titles in the output of programs."""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/][0-~]|[0-Z\\^-~])|\x9b[0-?]{0,64}[ -/]{0,8}[@-~]"
)
"""Control sequences, commands to the terminal up to their end, and short ones. Source: ECMA-48, sections 5.3 to 5.6."""
_LEFT: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
"""Other signs that show nothing; white space stays."""


def shown(text: str) -> str:
    """A text as a terminal shows it, without control sequences; the text itself if it holds none."""
    if text.isprintable():
        return text
    return _LEFT.sub("", _CODE.sub("", text))
