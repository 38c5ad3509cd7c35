"""The check of summaries: nothing stays that the span does not bear out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.compaction.check import Checker
from contextrail.compaction.claims import done_claims, terms
from contextrail.compaction.clauses import negated
from contextrail.compaction.facts import Evidence, facts, worth
from contextrail.compaction.goal import pins_of
from contextrail.compaction.language import conversation_language, language_of
from contextrail.compaction.ruled import ruled_out
from contextrail.compaction.sentences import sentences, spans
from contextrail.compaction.wording import STEMS, WORDS
from contextrail.messages.model import Message
from contextrail.messages.text import message_text
from tests.builders import transcript
from tests.compaction.spans import CHINESE, WORK
from tests.compaction.test_check_more_sentences import FALSE as MORE_FALSE
from tests.compaction.test_check_more_sentences import FALSE_HAN
from tests.compaction.test_check_sentences import FALSE as SAID_FALSELY_IN_ENGLISH
from tests.compaction.test_check_sentences import FALSE_HAN as SAID_FALSELY_IN_CHINESE
from tests.properties.values import texts

SAID_FALSELY = (
    *SAID_FALSELY_IN_ENGLISH,
    *SAID_FALSELY_IN_CHINESE,
    *((each, "") for each in (*MORE_FALSE, *FALSE_HAN)),
)

CHECKER = Checker(WORK, pins_of(WORK), "en")

TRUE = (
    "Payments move to v3.",
    "`src/pay/client.py` was updated; PORT was 3306 there.",
    "`pytest tests/test_pay.py` gave 1 failed, 3 passed.",
    "A commit 9f1c2ab exists on main, and it was committed.",
    "The port is 3307, not 3306.",
    "Nothing was pushed.",
    "The deployment still has to be approved by legal.",
    "Retries stay at 5.",
    "Deploy only after legal agrees.",
)
FALSE = (
    ("The port is 3308.", "unsupported-fact", "3308"),
    ("See `src/pay/server.py` for details.", "unsupported-fact", "`src/pay/server.py`"),
    ("The fix is in commit deadbeef1.", "unsupported-fact", "deadbeef1"),
    ("The class RetryPolicy was read.", "unsupported-fact", "RetryPolicy"),
    ('The user said "ship it today".', "unsupported-fact", '"ship it today"'),
    ("It listens on https://pay.example.org/v3.", "unsupported-fact", "https://pay.example.org/v3"),
    ("The branch was pushed.", "unsupported-done", "push"),
    ("All tests pass now.", "unsupported-done", "test"),
    ("It was deployed.", "unsupported-done", "deploy"),
    ("Legal approved the change.", "unsupported-done", "approve"),
    ("You may touch the migrations/ folder.", "contradicts-rule", "Do not touch migrations/."),
    ("No need to always run ruff.", "contradicts-rule", "Always run ruff."),
    ("The client connects on port 3306.", "contradicts-rule", "3306"),
)  # fmt: skip


@pytest.mark.parametrize("sentence", TRUE)
def test_what_the_span_bears_out_has_no_flag(sentence: str) -> None:
    assert CHECKER.flags(sentence) == ()


@pytest.mark.parametrize(("sentence", "kind", "claim"), FALSE)
def test_what_it_does_not_is_flagged_with_its_claim(sentence: str, kind: str, claim: str) -> None:
    assert (kind, claim) in [(flag.kind, flag.claim) for flag in CHECKER.flags(sentence)]


def test_the_wrong_language_is_flagged_and_cannot_be_cut() -> None:
    checked = CHECKER.enforce("支付已经迁移到新版本，测试没有通过，等待法务确认之后再部署。")
    assert [flag.kind for flag in checked.flags] == ["wrong-language"]
    assert checked.text is None


def test_enforcing_cuts_the_sentences_with_flags_and_leaves_the_others_word_for_word() -> None:
    text = "## State\nThe client uses v3 now. The branch was pushed.\n\n## Numbers\n- port 3308\n\n## Open\n- legal has to agree"
    checked = CHECKER.enforce(text)
    assert checked.text == "## State\nThe client uses v3 now.\n\n## Open\n- legal has to agree"
    assert {flag.kind for flag in checked.flags} == {"unsupported-fact", "unsupported-done"}


def test_a_summary_of_which_little_is_left_is_none() -> None:
    assert CHECKER.enforce("The branch was pushed. All tests pass. It was deployed. Ok.").text is None


def test_tests_pass_only_if_the_last_run_did() -> None:
    after = transcript('a7 assistant call c9 bash {"command":"pytest"}', "r9 tool result c9 4 passed in 0.2s")
    assert Checker((*WORK, *after), (), "en").flags("All tests pass.") == ()


def test_a_claim_about_a_path_needs_a_change_of_that_path() -> None:
    messages = transcript(
        'a1 assistant call c1 edit_file {"path":"a.py"} + call c2 read_file {"path":"b.py"}',
        "r1 tool result c1 ok",
        "r2 tool result c2 x",
    )
    checker = Checker(messages, (), "en")
    assert checker.flags("Fixed a.py.") == ()
    assert [flag.kind for flag in checker.flags("Fixed b.py.")] == ["unsupported-done"]


def test_chinese_claims_are_checked_too() -> None:
    checker = Checker(CHINESE, pins_of(CHINESE), "zh")
    assert checker.flags("测试没有通过，端口应为 3307。") == ()
    assert [flag.kind for flag in checker.flags("测试全部通过，已推送到主分支。")] == [
        "unsupported-done",
        "unsupported-done",
    ]
    assert [flag.claim for flag in checker.flags("端口改为 5432。")] == ["5432"]
    assert [flag.kind for flag in checker.flags("可以改动 migrations/ 目录。")] == ["contradicts-rule"]


STATEMENTS = [*TRUE, *(sentence for sentence, _, _ in FALSE)]


@given(st.lists(st.sampled_from(STATEMENTS) | texts(), max_size=8), st.sampled_from(["\n", " ", "\n- "]))
def test_a_checked_summary_holds_no_fact_that_is_absent_from_its_source(said: list[str], glue: str) -> None:
    checked = CHECKER.enforce(glue.join(said))
    if checked.text is not None:
        evidence = Evidence([*map(message_text, WORK), *(message.id for message in WORK)])
        assert [fact for fact in facts(checked.text) if not evidence.holds(fact)] == []
        assert CHECKER.flags(checked.text) == ()


@given(st.lists(st.sampled_from(STATEMENTS), max_size=8))
def test_enforcing_twice_is_enforcing_once(said: list[str]) -> None:
    once = CHECKER.enforce("\n".join(said)).text
    if once is not None:
        assert CHECKER.enforce(once).text == once


@given(texts())
def test_sentences_cover_the_text_and_stand_in_it(text: str) -> None:
    assert "".join(text[start:end] for start, end in spans(text, code="include")) == text
    assert all(sentence in text for sentence in sentences(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Use a.py, e.g. v1.2. Then go!", ["Use a.py, e.g. v1.2.", "Then go!"]),
        ("1. First\n2. Second", ["First", "Second"]),
        ("先跑测试。再提交！", ["先跑测试。", "再提交！"]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, found: list[str]) -> None:
    assert sentences(text) == found


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("src/a/b.py", "path"),
        ("migrations/", "path"),
        ("/etc/hosts", "path"),
        ("C:\\temp\\x.txt", "path"),
        ("https://a.b/c?d=e", "url"),
        ("`git push`", "quote"),
        ("“原文”", "quote"),
        ("9f1c2ab", "commit"),
        ("read_file", "identifier"),
        ("fooBar()", "identifier"),
        ("os.path.join", "identifier"),
        ("L-402", "identifier"),
        ("1,234.50", "number"),
        ("85%", "number"),
    ],
)
def test_facts_of_every_kind(text: str, kind: str) -> None:
    assert [(fact.kind, fact.text) for fact in facts(f"see {text} there")] == [(kind, text)]


@pytest.mark.parametrize("text", ["and/or", "read/write access", "well-known e.g. this", "the end"])
def test_prose_holds_no_facts(text: str) -> None:
    assert facts(text) == []


def test_a_fact_is_found_whole_and_in_another_spelling_of_its_number() -> None:
    evidence = Evidence(["port=33071, 1234 rows in src/app/main.py; `a  b`"])

    def holds(text: str) -> bool:
        return all(evidence.holds(fact) for fact in facts(text))

    assert holds("1,234 rows in `app/main.py`")
    assert holds("`a b`")
    assert not holds("port 3307")
    assert not holds("src/app/main.p")


def test_worth_is_higher_for_lines_that_tell_more() -> None:
    assert worth("fixed src/a.py:12 in 9f1c2ab") > worth("fixed 3 things") > worth("fixed things")


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("The branch was pushed.", "push"),
        ("Nothing was pushed.", None),
        ("It will be deployed.", None),
        ("To be merged once legal agrees.", None),
        ("已修复登录错误。", "fix"),
        ("已添加登录测试。", "change"),
        ("还没有部署。", None),
    ],
)
def test_only_what_is_said_to_be_done_is_a_claim(sentence: str, kind: str | None) -> None:
    assert [claim.kind for claim in done_claims(sentence)] == ([kind] if kind else [])


def test_values_that_were_ruled_out() -> None:
    found = ruled_out(["The port is 3307, not 3306.", "Use uv instead of a_b.", "用 8080 而不是 8081"])
    assert tuple((each.wrong, each.right) for each in found) == (
        ("3306", "3307"),
        ("a_b", "uv"),
        ("8081", "8080"),
    )


def test_negation_and_terms() -> None:
    assert negated("Don't do it")
    assert negated("不要改")
    assert not negated("Do it")
    assert {"touch", "migrations"} <= terms("Do not touch migrations/") & terms(
        "touched the migrations/ folder"
    )


def test_the_language_is_the_one_most_is_written_in() -> None:
    assert language_of("Move it to v3 please") == "en"
    assert language_of("把 foo 改名为 bar，然后运行测试") == "zh"
    assert language_of("エラー: ファイルが見つかりません") is None
    assert language_of("42") is None
    assert conversation_language(CHINESE) == "zh"
    assert conversation_language(transcript("u1 user 42")) == "en"


def test_an_empty_span_supports_nothing() -> None:
    none: tuple[Message, ...] = ()
    assert [flag.kind for flag in Checker(none, (), "en").flags("It was pushed to 3307.")] == [
        "unsupported-fact",
        "unsupported-done",
    ]


@pytest.mark.parametrize("sentence", [*TRUE, *(each for each, *_ in (*FALSE, *SAID_FALSELY))])
def test_a_quick_look_misses_nothing_that_a_slow_one_finds(sentence: str) -> None:
    for kind, words in WORDS.items():
        for match in words.finditer(sentence):
            assert any(stem in match[0].casefold() for stem in STEMS[kind])


def test_a_text_without_an_end_is_data_and_supports_no_claim() -> None:
    for piece in ("not one of two tests now ", "测试、已、", "1,", "git -a b push "):
        spoken = transcript(f"u1 user {piece * 20_000}", f"a1 assistant {piece * 20_000}")
        flags = Checker(spoken, (), "en").flags(f"All tests pass. {piece * 400}")
        assert {flag.start for flag in flags if flag.kind == "unsupported-done"} == {0}
