"""A secret in what the host names is on no way out: ids, tools, the policy; and in no error that is printed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from contextrail.cli.main import main
from contextrail.core.ids import CallId, MessageId
from contextrail.history.policy import Policy
from contextrail.messages.model import Text, Tool, ToolCall, ToolResult
from contextrail.policy import policy_from
from contextrail.rail import Moment, Ports, Rail
from contextrail.testing import MemoryBlobs
from tests.core.test_secrets import KEYS
from tests.planted import say, talk
from tests.test_exits import TARGETS, exits, leaks


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("keeps", [True, False])
def test_a_secret_in_what_the_host_names_is_on_no_way_out(target: str, keeps: bool) -> None:  # noqa: FBT001
    """Ids of messages, also where they are pinned, names of tools, and the name of the policy."""
    key = KEYS["github-token"]
    ident, last = MessageId(f"msg-{key}-9"), MessageId(key)
    tool = f"run_{key}"
    given = talk(
        say(ident, "user", Text(text="never touch port 9107")),
        say("a9", "assistant", ToolCall(call_id=CallId("c9"), name=tool, arguments="{}")),
        say("t9", "tool", ToolResult(call_id=CallId("c9"), name=tool, parts=(Text(text="ok then"),))),
        tools=(Tool(name=tool, description="runs", parameters={"type": "object", "properties": {}}),),
    )
    given = replace(
        given, messages=tuple(replace(each, id=last) if each.id == "u1" else each for each in given.messages)
    )
    store = MemoryBlobs() if keeps else None
    policy = policy_from({"profile_id": f"agent {key}"})
    rail = Rail(policy, target=target, window=100_000, ports=Ports(store=store))
    plan, told = None, ""
    more = (say("a7", "assistant", Text(text="fine")), say("u7", "user", Text(text="go on")))
    for grown in (given, replace(given, messages=(*given.messages, *more))):
        request = rail.build(grown, moment=Moment(plan=plan, pinned=frozenset({ident})))
        plan = request.turn.plan
        assert [what for what, text in exits(request, []) if leaks(text, key)] == []
        assert request.findings == ()
        (pinned,) = request.inputs.pinned
        assert pinned in {message.id for message in request.turn.conversation.messages}
        told = request.trace()["policy"]["profile_id"]
    assert told.startswith("agent [secret:github-token:")
    off = Rail(replace_redaction(policy, "off"), target=target, window=100_000).build(given)
    assert off.policy.profile_id == policy.profile_id


def replace_redaction(policy: Policy, how: str) -> Policy:
    return policy_from({"profile_id": policy.profile_id, "redaction": how})


def test_an_error_that_quotes_a_secret_is_printed_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key = KEYS["github-token"]
    file = tmp_path / "policy.json"
    file.write_text(json.dumps({key: 1}), encoding="utf-8")
    for more in ([], ["--json"]):
        monkeypatch.setattr("sys.argv", ["contextrail", "policy", "check", str(file), *more])
        with pytest.raises(SystemExit):
            main()
        said = capsys.readouterr()
        assert key not in said.out + said.err
        assert "[secret:github-token:" in said.err
