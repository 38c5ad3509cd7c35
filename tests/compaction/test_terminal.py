"""What a terminal would not show is left out; everything else stays."""

from __future__ import annotations

import pytest

from contextrail.compaction.terminal import shown
from tests.hostile import in_time, must_end, text_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mERROR\x1b[0m x", "ERROR x"),
        ("\x1b[38;2;1;2;3mred\x1b[m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07 y", "link y"),
        ("\x1b]0;title\x07$ ls", "$ ls"),
        ("\x1b(Bok\x1b[?25l\x1b[2K", "ok"),
        ("\x1b7saved\x1b8", "saved"),
        ("\x9b1mbold", "bold"),
        ("bell\x07 and back\x08", "bell and back"),
        ("cut off \x1b", "cut off "),
        ("tab\tand\nline", "tab\tand\nline"),
        ("echo '\\033[31m' and [31m", "echo '\\033[31m' and [31m"),
        ("中文 é", "中文 é"),
        ("", ""),
    ],
)
def test_control_sequences_are_left_out_and_nothing_else(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize("piece", ["\x1b", "\x1b[", "\x1b]", "\x1b[0", "\x1b]a", "\x9b"])
@in_time
def test_hostile_output_costs_linear_time(piece: str) -> None:
    must_end(lambda: shown(text_of(piece)))
