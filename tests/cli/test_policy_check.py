"""What `policy check` calls valid can be built with; what cannot is refused with its path and a cure."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from contextrail.cli.main import main
from contextrail.history.policy import BUILT_IN_RULES, BUILT_IN_TRIGGERS
from contextrail.history.reminder_rules import TEMPLATES, TRIGGERS

RULE = """[[system_reminder.extra_rules]]
id = "mine"
content_template = "{template}"
[system_reminder.extra_rules.trigger]
{trigger}
"""

LOOP = ("--step", "3", "--max-steps", "10")
Both = Callable[[str], tuple[int, int, str]]
"""`policy -> exit codes of the check and of a build, and what both said`."""


@pytest.fixture
def both(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Both:
    def run(*words: str | Path) -> int:
        monkeypatch.setattr(sys, "argv", ["contextrail", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0)

    def call(policy: str) -> tuple[int, int, str]:
        (tmp_path / "p.toml").write_text(policy, "utf-8")
        body = '{"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}'
        (tmp_path / "b.json").write_text(body, "utf-8")
        files = ("--policy", tmp_path / "p.toml", "--trace", tmp_path / "t.json", "-o", tmp_path / "o.json")
        checked = run("policy", "check", tmp_path / "p.toml")
        built = run("build", tmp_path / "b.json", *files, *LOOP, "--store", tmp_path / "store")
        return checked, built, "".join(capsys.readouterr())

    return call


@pytest.mark.parametrize(
    ("policy", "path"),
    [
        (RULE.format(template="last_steps_hint", trigger='kind = "nope"'), "extra_rules[0].trigger.kind"),
        (RULE.format(template="nope", trigger='kind = "nope"'), "extra_rules[0].trigger.kind"),
        (
            RULE.format(template="last_steps_hint", trigger='kind = "tool-call-streak"\nthreshold = inf'),
            "threshold",
        ),
        (
            RULE.format(template="last_steps_hint", trigger='kind = "phase-equals"\nvalue = nan'),
            "trigger.value",
        ),
        (
            RULE.format(template="last_steps_hint", trigger='kind = "x"\nconfig = {d = 2026-01-01}'),
            "config.d",
        ),
        (
            RULE.format(template="last_steps_hint", trigger='kind = "x"\nconfig = {l = [1, -inf]}'),
            "config.l[1]",
        ),
        ("[token_estimation]\navg_chars_per_token = inf\n", "$.token_estimation.avg_chars_per_token"),
    ],
)
def test_what_no_build_can_run_is_no_valid_policy(both: Both, tmp_path: Path, policy: str, path: str) -> None:
    checked, built, said = both(policy)
    assert (checked, built) == (2, 2)
    assert said.count(path) == 2
    assert said.count("cure: ") == 2
    assert "p.toml" in said
    assert not (tmp_path / "o.json").exists()


def test_a_rule_whose_template_only_a_host_can_register_is_left_out_with_a_warning(both: Both) -> None:
    policy = RULE.format(template="tide", trigger='kind = "tool-call-streak"\nthreshold = 5')
    checked, built, said = both(policy)
    assert (checked, built) == (0, 0)
    assert said.count("the rule mine never fires until a host registers the content template tide") == 2


@pytest.mark.parametrize("kind", BUILT_IN_TRIGGERS)
@pytest.mark.parametrize("template", BUILT_IN_RULES)
def test_each_built_in_name_can_be_built_with(both: Both, kind: str, template: str) -> None:
    trigger = f'kind = "{kind}"\nvalue = "x"\nperiod = 2\nthreshold = 1e300'
    assert both(RULE.format(template=template, trigger=trigger))[:2] == (0, 0)


def test_the_names_that_are_checked_are_those_that_are_built_in() -> None:
    assert set(TRIGGERS) == set(BUILT_IN_TRIGGERS)
    assert set(TEMPLATES) == set(BUILT_IN_RULES)


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            RULE.format(template="last_steps_hint", trigger='kind = "phase-equals"'),
            "never fires without value",
        ),
        (RULE.format(template="last_steps_hint", trigger='kind = "step-count-modulo"'), "without period"),
        (RULE.format(template="last_steps_hint", trigger='kind = "agent-has-tool"'), "without tool_name"),
        (
            RULE.format(template="last_steps_hint", trigger='kind = "budget-warning"\nconfig = {a = 1}'),
            "trigger.config: the kind budget-warning takes none",
        ),
        (
            RULE.format(
                template='last_steps_hint"\ncontent_args = {a = "1', trigger='kind = "budget-warning"'
            ).replace('"1"', '"1"}'),
            "content_args: the template last_steps_hint takes none",
        ),
        ('[must_keep]\nalways_keep_fence_kinds = ["Bad_Kind"]\n', "no fence kind can be named Bad_Kind"),
    ],
)
def test_what_does_nothing_is_said(both: Both, policy: str, said: str) -> None:
    checked, built, output = both(policy)
    assert (checked, built) == (1, 0)
    assert said in " ".join(output.split())
