"""Healing: a copy without errors, nothing lost, the original as it was, and twice is once."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject
from contextrail.messages.model import Fence, ToolCall, ToolResult
from contextrail.messages.settle import UNKNOWN
from contextrail.transcripts.heal import Healing, heal
from contextrail.transcripts.health import Health, check
from contextrail.transcripts.lines import Record, records
from contextrail.transcripts.mend import mended, relinked
from contextrail.transcripts.session import Session
from contextrail.transcripts.source import opened
from tests.properties.effort import FEW
from tests.transcripts.claude import (
    DAMAGED,
    DATA,
    FIXTURES,
    SESSIONS,
    answers,
    calls,
    cut,
    file,
    read,
    says,
    segments,
    user,
)


class Healed:
    """One healing of one file, and the healing of its result."""

    def __init__(self, data: bytes, folder: Path) -> None:
        source, out, again = folder / "s.jsonl", folder / "out.jsonl", folder / "again.jsonl"
        source.write_bytes(data)
        self.before, self.healing = _heal(source, out)
        self.after, self.second = _heal(out, again)
        self.data = out.read_bytes()
        self.twice = again.read_bytes()
        self.source = source.read_bytes()
        side = folder / "out.jsonl.lost"
        self.lost = list(map(json.loads, side.read_bytes().splitlines())) if side.exists() else []

    @property
    def session(self) -> Session:
        return read(self.data)


def _heal(path: Path, out: Path) -> tuple[Health, Healing]:
    with opened(path) as source:
        return check(source, "claude-code"), heal(source, out, "claude-code")


def errors(health: Health) -> list[str]:
    return [issue.kind for issue in health.issues if issue.severity == "error"]


def test_a_healthy_session_is_copied_byte_for_byte(tmp_path: Path) -> None:
    data = file(user("u1", None), says("a1", "u1")).replace(b"\n", b"\r\n\n") + b"  "
    made = Healed(data, tmp_path)
    assert (made.data, made.healing.mends, made.healing.lost, made.lost) == (data, {}, None, [])


@pytest.mark.parametrize("path", [*SESSIONS, *FIXTURES], ids=lambda path: path.stem)
def test_real_sessions_without_errors_are_copied_byte_for_byte(path: Path, tmp_path: Path) -> None:
    assert Healed(path.read_bytes(), tmp_path).data == path.read_bytes()


def test_real_damaged_records_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    made = Healed(DAMAGED.read_bytes(), tmp_path)
    assert made.healing.mends == {"duplicate": 1, "glued-records": 7, "relinked": 5}
    assert errors(made.after) == []
    assert all(json.loads(line) for line in made.data.splitlines())


def test_a_broken_tail_is_taken_out_and_kept_beside(tmp_path: Path) -> None:
    whole = file(user("u1", None), says("a1", "u1"))
    made = Healed(whole + b'{"type":"user","uu', tmp_path)
    assert made.data == whole
    assert made.lost == [
        {
            "round": 1,
            "byte": len(whole),
            "end": len(whole) + 18,
            "why": "truncated",
            "text": '{"type":"user","uu',
        }
    ]


def test_bytes_that_are_no_text_are_kept_beside_as_they_were(tmp_path: Path) -> None:
    whole = file(user("u1", None))
    made = Healed(whole + b"\xff\xfe junk\n" + file(says("a1", "u1")), tmp_path)
    assert made.data == whole + file(says("a1", "u1"))
    assert base64.b64decode(made.lost[0]["base64"]) == b"\xff\xfe junk"


def test_a_gap_is_linked_over_a_mark_and_stays_a_gap(tmp_path: Path) -> None:
    data = file(user("u1", None), says("a1", "u1"), user("u2", "ghost"), says("a2", "u2"))
    made = Healed(data, tmp_path)
    values = list(map(json.loads, made.data.splitlines()))
    mark = values[2]
    assert (mark["type"], mark["contextrailGap"], mark["parentUuid"]) == ("system", "ghost", "a1")
    assert values[3] == {**user("u2", "ghost"), "parentUuid": mark["uuid"]}
    assert segments(made.session) == [["u1", "a1", mark["uuid"], "u2", "a2"]]
    assert [message.id for message in made.session.messages] == ["u1", "a1", "gap-before-u2", "u2", "a2"]
    assert [message.parts for message in made.session.messages] == [
        message.parts for message in read(data).messages
    ]


def test_a_call_without_answer_is_answered_with_outcome_unknown(tmp_path: Path) -> None:
    data = file(user("u1", None), calls("a1", "u1", "c1", "c2"), answers("t1", "a1", "c2"), user("u2", "t1"))
    made = Healed(data, tmp_path)
    parts = [
        part for message in made.session.messages for part in message.parts if isinstance(part, ToolResult)
    ]
    assert {part.call_id: part.status for part in parts} == {"c1": "error", "c2": "ok"}
    assert UNKNOWN in repr(parts)
    kept = set(map(_without_parent, map(json.loads, made.data.splitlines())))
    assert set(map(_without_parent, map(json.loads, data.splitlines()))) < kept


def test_what_followed_an_open_call_follows_its_new_answer(tmp_path: Path) -> None:
    made = Healed(file(user("u1", None), calls("a1", "u1", "c1"), user("u2", "a1")), tmp_path)
    chain = {line["uuid"]: line["parentUuid"] for line in map(json.loads, made.data.splitlines())}
    new = next(ident for ident in chain if ident not in {"u1", "a1", "u2"})
    assert chain == {"u1": None, "a1": "u1", new: "a1", "u2": new}


def test_pieces_of_one_reply_are_not_parted_by_a_new_answer(tmp_path: Path) -> None:
    data = file(
        user("u1", None), calls("a1", "u1", "c1", reply="r"), calls("a2", "a1", "c2", reply="r"),
        answers("t2", "a2", "c2"), says("a3", "t2"),
    )  # fmt: skip
    roles = [message.role for message in Healed(data, tmp_path).session.messages]
    assert roles == ["user", "assistant", "assistant", "tool", "tool", "assistant"]


def test_a_result_without_call_becomes_text_that_says_so(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    stray = {
        "type": "tool_result",
        "tool_use_id": "c9",
        "content": [{"type": "text", "text": "forty-two"}, image],
    }
    made = Healed(file(user("u1", None), user("t1", "u1", [stray]), says("a1", "t1")), tmp_path)
    value = json.loads(made.data.splitlines()[1])
    first, second = value["message"]["content"]
    assert (first["type"], second) == ("text", image)
    assert "c9" in first["text"]
    assert "forty-two" in first["text"]
    assert isinstance(made.session.messages[1].parts[0], Fence)
    assert json.loads(made.lost[0]["text"])["message"]["content"] == [stray]


def test_a_record_written_twice_is_written_once(tmp_path: Path) -> None:
    made = Healed(file(user("u1", None), says("a1", "u1"), says("a1", "u1"), user("u2", "a1")), tmp_path)
    assert made.data == file(user("u1", None), says("a1", "u1"), user("u2", "a1"))


def test_c16_is_healed_without_stitching(tmp_path: Path) -> None:
    case = json.loads((DATA / "cases" / "transcripts" / "c16.json").read_bytes())
    data = file(*case["input"]["lines"]) + case["input"]["raw_last_line"].encode()
    made = Healed(data, tmp_path)
    assert made.data == file(*case["input"]["lines"])
    assert segments(made.session) == [["u1", "a1"], ["b1", "u2", "a2"]]


def test_a_line_too_deep_to_be_read_is_copied_as_it_is(tmp_path: Path) -> None:
    deep = b'{"a":' * 300 + b"1" + b"}" * 300 + b"\n"
    made = Healed(file(user("u1", None)) + deep + b"junk\n", tmp_path)
    assert made.data == file(user("u1", None)) + deep


def test_the_original_is_never_the_copy(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(file(user("u1", None)) + b"junk")
    (tmp_path / "link.jsonl").symlink_to(path)
    for out in (path, tmp_path / "link.jsonl"):
        with opened(path) as source, pytest.raises(InvalidRequest, match="is the original"):
            heal(source, out)
    assert path.read_bytes().endswith(b"junk")


@pytest.mark.parametrize("out", ["nowhere/out.jsonl", "."])
def test_a_place_that_cannot_be_written_to_leaves_nothing_behind(tmp_path: Path, out: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(file(user("u1", None)) + b"junk")
    with opened(path) as source, pytest.raises(InvalidRequest):
        heal(source, tmp_path / out, "claude-code")
    assert [each.name for each in tmp_path.iterdir()] == ["s.jsonl"]


def test_errors_in_a_format_that_cannot_be_healed_are_not_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text('{"info": {}, "trajectory": [{"act')
    with (
        opened(path) as source,
        pytest.raises(InvalidRequest, match="cannot be healed; these can: claude-code"),
    ):
        heal(source, tmp_path / "out", "swe-agent")
    assert not (tmp_path / "out").exists()


def test_a_session_without_errors_in_such_a_format_is_copied(tmp_path: Path) -> None:
    path, out = tmp_path / "s.json", tmp_path / "out.json"
    path.write_text('{"messages": [{"role": "user", "content": "hi"}]}')
    with opened(path) as source:
        assert heal(source, out, "openai-chat").mends == {}
    assert out.read_bytes() == path.read_bytes()


# Bytes of one record


@pytest.mark.parametrize(
    ("raw", "after"),
    [
        (b'{"a":"\\ud83d\\ude00 \\\\ud83d"}', b'{"a":"\\ud83d\\ude00 \\\\ud83d"}'),
        (b'{"a":"x\\ud83d", "b":1}', b'{"a":"x\\ufffd", "b":1}'),
        (b'{"a":"x\xffy"}', '{"a":"x\ufffdy"}'.encode()),
        (b'{"a":"x\x00\ty"}', b'{"a":"x\\u0000\\u0009y"}'),
        (b'{"a":[NaN, 1.50]}', b'{"a":[null,1.5]}'),
        (b'{"a":1,"a":2}', b'{"a":1,"a":2}'),
    ],
)
def test_a_record_is_mended_where_it_is_damaged(raw: bytes, after: bytes) -> None:
    assert mended(raw) == after


@pytest.mark.parametrize(
    ("raw", "after"),
    [
        (b'{"p":"a","n":1.50}', b'{"p":"b","n":1.50}'),
        (b'{"p": "a", "n": 1.50}', b'{"p": "b", "n": 1.50}'),
        (b'{"x":{"p":"a"},"p":"a"}', b'{"x":{"p":"a"},"p":"b"}'),
        (b'{"x":"\\"p\\":\\"a\\"","p":"a"}', b'{"x":"\\"p\\":\\"a\\"","p":"b"}'),
        (b'{"p" : "a"}', b'{"p":"b"}'),
    ],
)
def test_only_the_parent_of_a_record_changes(raw: bytes, after: bytes) -> None:
    assert relinked(raw, "p", "a", "b") == after


# Any damage


LARGE = next(path for path in SESSIONS if path.stem.startswith("large")).read_bytes().splitlines()
damage = st.lists(
    st.tuples(
        st.sampled_from(["drop", "copy", "swap", "cut", "glue", "byte"]),
        st.integers(0, 99),
        st.integers(0, 4000),
    ),
    max_size=4,
)


def mutilated(lines: list[bytes], blows: list[tuple[str, int, int]], end: bytes) -> bytes:
    for kind, where, much in blows:
        if not lines:
            break
        at, other = where % len(lines), much % len(lines)
        match kind:
            case "drop":
                del lines[at]
            case "copy":
                lines.insert(other, lines[at])
            case "swap":
                lines[at], lines[other] = lines[other], lines[at]
            case "cut":
                lines[at] = lines[at][: much % (len(lines[at]) + 1)]
            case "glue" if at + 1 < len(lines):
                lines[at] += lines.pop(at + 1)
            case _:
                spot = much % (len(lines[at]) + 1)
                lines[at] = lines[at][:spot] + bytes([much % 256]) + lines[at][spot + 1 :]
    return b"\n".join(lines) + end


@pytest.mark.timeout(600)
@FEW
@given(st.integers(3, len(LARGE) - 30), st.integers(2, 25), damage, st.sampled_from([b"", b"\n"]))
def test_any_damaged_session_is_healed_to_one_without_errors(
    start: int, count: int, blows: list[tuple[str, int, int]], end: bytes
) -> None:
    data = LARGE[2] + b"\n" + mutilated(LARGE[start : start + count], blows, end)
    with TemporaryDirectory() as folder:
        made = Healed(data, Path(folder))
    assert errors(made.after) == []
    assert made.source == data
    assert (made.twice, made.second.mends) == (made.data, {})
    _nothing_is_lost(data, made)


def _nothing_is_lost(data: bytes, made: Healed) -> None:
    """Every record stands in the copy as it was or with another parent, or beside it."""
    left = [entry["text"] for entry in made.lost if "text" in entry]
    beside = {each for each in left if each.startswith("{")}
    there = {_without_parent(json.loads(line)) for line in made.data.splitlines() if line.strip()}
    with TemporaryDirectory() as folder:
        path = Path(folder, "x")
        path.write_bytes(data)
        with path.open("rb") as stream:
            for item in records(stream, "x"):
                if isinstance(item, Record):
                    text = item.raw.decode("utf-8", "replace")
                    assert (
                        _without_parent(item.value) in there or text in beside or "base64" in repr(made.lost)
                    )


def _without_parent(value: JsonObject) -> str:
    return json.dumps({**value, "parentUuid": None}, sort_keys=True)


def test_calls_of_a_reply_in_a_compacted_segment_are_closed_too(tmp_path: Path) -> None:
    data = file(user("u1", None), calls("a1", "u1", "c1"), user("u2", "a1"), cut("b1"), user("u3", "b1"))
    session = Healed(data, tmp_path).session
    parts = [part for message in session.segments[0] for part in message.parts]
    assert [type(part) for part in parts if not isinstance(part, ToolCall)][1] is ToolResult
