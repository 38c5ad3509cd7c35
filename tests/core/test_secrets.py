"""Secrets: true keys are found by their form, what only looks random stays, and redacting is idempotent."""

from __future__ import annotations

import base64
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.secret_by_name import secret_beside
from contextrail.core.secret_names import entropy
from contextrail.core.secrets import (
    Redactor,
    find_in,
    find_secrets,
    placeholder,
    redact_text,
)
from tests.core.made import HEX, MIXED, UPPER, made
from tests.properties.values import texts

SALT = b"0123456789abcdef"

PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    + "\n".join(made(MIXED + "+/", 64, seed) for seed in range(6))
    + "\n-----END RSA PRIVATE KEY-----"
)
TOKEN = ".".join(
    base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    for text in ('{"alg":"HS256","typ":"JWT"}', '{"sub":"42","name":"Ann"}', made(MIXED, 32))
)

KEYS = {
    "openai-key": "sk-proj-" + made(MIXED, 48),
    "openai-key old": "sk-" + made(MIXED, 48),
    "anthropic-key": "sk-ant-api03-" + made(MIXED + "_-", 90),
    "aws-access-key": "AKIA" + made(UPPER, 16),
    "github-token": "ghp_" + made(MIXED, 36),
    "github-token fine": "github_pat_" + made(MIXED + "_", 82),
    "gitlab-token": "glpat-" + made(MIXED, 20),
    "google-key": "AIza" + made(MIXED + "_-", 35),
    "google-secret": "GOCSPX-" + made(MIXED, 28),
    "google-token": "ya29." + made(MIXED, 60),
    "slack-token": "xoxb-" + made(string.digits, 12) + "-" + made(string.digits, 12) + "-" + made(MIXED, 24),
    "stripe-key": "sk_live_" + made(MIXED, 24),
    "stripe-secret": "whsec_" + made(MIXED, 32),
    "twilio-key": "SK" + made(HEX, 32),
    "sendgrid-key": "SG." + made(MIXED, 22) + "." + made(MIXED, 43),
    "npm-token": "npm_" + made(MIXED, 36),
    "pypi-token": "pypi-AgEIcHlwaS5vcmc" + made(MIXED, 80),
    "huggingface-token": "hf_" + made(MIXED, 34),
    "digitalocean-token": "dop_v1_" + made(HEX, 64),
    "groq-key": "gsk_" + made(MIXED, 52),
    "xai-key": "xai-" + made(MIXED, 80),
    "perplexity-key": "pplx-" + made(MIXED, 48),
    "replicate-token": "r8_" + made(MIXED, 37),
    "tavily-key": "tvly-dev-" + made(MIXED, 32),
    "langsmith-key": "lsv2_pt_" + made(HEX, 32) + "_" + made(HEX, 10),
    "databricks-token": "dapi" + made(HEX, 32),
    "shopify-token": "shpat_" + made(HEX, 32),
    "linear-key": "lin_api_" + made(MIXED, 40),
    "notion-token": "ntn_" + made(MIXED, 46),
    "supabase-token": "sbp_" + made(HEX, 40),
    "vault-token": "hvs." + made(MIXED + "_-", 90),
    "age-key": "AGE-SECRET-KEY-1" + made(UPPER, 58),
    "jwt": TOKEN,
    "private-key": PEM,
}
PLACES = (
    "{}",
    "the key is {} and works",
    "export API={}\n",
    '{{"key": "{}"}}',
    "curl -H 'x-api-key: {}' https://example.org",
    "密钥是 {}。",
    '"line one\\n{}"',
)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("place", PLACES)
def test_a_key_of_a_known_form_is_found_wherever_it_stands(name: str, place: str) -> None:
    text = place.format(KEYS[name])
    redacted = redact_text(text, SALT)
    assert KEYS[name] not in redacted
    assert KEYS[name][:12] not in redacted
    assert f"[secret:{name.split(maxsplit=1)[0]}:" in redacted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("DATABASE_URL=postgres://app:p%40ss-w0rd@db.internal:5432/prod", "p%40ss-w0rd"),
        ("amqp://guest7:Tr0ub4dor@mq/vhost", "Tr0ub4dor"),
        ("AWS_SECRET_ACCESS_KEY=" + made(MIXED + "/+", 40), made(MIXED + "/+", 40)),
        ("DB_PASSWORD=hunter2!x", "hunter2!x"),
        ("export SESSION_SECRET='" + made(MIXED, 32) + "'", made(MIXED, 32)),
        ("SLACK_TOKEN: " + made(MIXED, 30), made(MIXED, 30)),
        ('"client_secret": "' + made(MIXED, 32) + '"', made(MIXED, 32)),
        ('"password": "%rEV6XwqcRke"', "%rEV6XwqcRke"),
        ("DB_PASSWORD=$v$$I2GbmczE", "$v$$I2GbmczE"),
        ("AWS_SECRET_ACCESS_KEY=/" + made(MIXED + "/+", 39), "/" + made(MIXED + "/+", 39)),
        ("AZURE_OPENAI_KEY=" + made(HEX, 32), made(HEX, 32)),
        ("Authorization: Bearer " + made(MIXED, 40), made(MIXED, 40)),
        ("https://hooks.slack.com/services/T0AB12CD3/B0EF45GH6/" + made(MIXED, 24), made(MIXED, 24)),
    ],
)
def test_a_value_that_its_name_or_url_calls_secret_is_found(text: str, value: str) -> None:
    redacted = redact_text(text, SALT)
    assert value not in redacted
    assert "[secret:" in redacted


@pytest.mark.parametrize(
    "text",
    [
        "commit 9f1c2ab7d0e4c6a1b35f7788aa00bb11cc22dd33",
        "id 3f2b8c1e-9d54-4f0a-8a77-1c2d3e4f5a6b",
        "model claude-sonnet-4-5-20250929 and gpt-5-mini-2025-08-07",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "toolu_01A09q90qw90lq917835lq9 call_abc123DEF456ghi789JKL012",
        "OPENAI_API_KEY=your-api-key-here",
        "OPENAI_API_KEY=$OPENAI_KEY API_KEY=${KEY} SECRET_KEY=<secret>",
        "password = os.environ['DB_PASSWORD']",
        "api_key = settings.api_key; token = self.get_token()",
        "max_tokens=4096, next_page_token: 'CAESBwoFCgNmb28', prompt_tokens: 20394",
        "DB_PASSWORD=/run/secrets/db_password SECRET_KEY_FILE=~/keys DB_PASSWORD=%DB_PASS% PASSWORD=%s",
        "CACHE_KEY=users:list:2024-10-11 PRIMARY_KEY=order_id_2024_v1 SORT_KEY=created_at_2024",
        "postgres://user:password@localhost/db and postgres://user:$PASS@host/db",
        "http://localhost:8080/a@b git@github.com:org/repo.git user@example.org",
        "AKIAIOSFODNN7EXAMPLE is the example of the manual",
        "sk-learn-is-not-a-key-but-a-nickname and task-queue-worker-process-number",
        "class ApiKeyAuthenticationMiddleware(BaseMiddleware): pass",
        "PASSWORD_RESET_TIMEOUT_DAYS = 3",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact_text(text, SALT) == text


@given(st.integers(0, 2**32), st.sampled_from(["sk-proj-", "sk-ant-api03-", "ghp_", "glpat-", "hf_", "npm_"]))
def test_a_key_is_found_whatever_letters_meet_in_it(seed: int, start: str) -> None:
    key = start + made(MIXED, 36, seed)
    assert key not in redact_text(f"use {key} now", SALT)


@given(st.integers(0, 2**32))
def test_a_long_value_with_dots_is_no_attribute_of_a_program(seed: int) -> None:
    value = "v1." + made(MIXED, 180, seed) + "." + made(MIXED, 40, seed + 1)
    assert value not in redact_text(f'{{"api_key": "{value}"}}', SALT)


@given(
    st.lists(
        st.one_of(texts(), st.sampled_from([*KEYS.values(), "DB_PASSWORD=hunter2!x", PEM[:200]])), max_size=8
    )
)
def test_many_texts_read_together_have_the_secrets_of_each(many: list[str]) -> None:
    each = {at: found for at, text in enumerate(many) if (found := find_secrets(text))}
    assert find_in(many) == each


def test_texts_longer_than_a_batch_are_read_to_the_end() -> None:
    many = ["row " * 60_000] * 9 + [KEYS["npm-token"]] + ["row " * 200_000 + KEYS["jwt"]]
    assert sorted(find_in(many)) == [9, 10]


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("password", 'a"b\\c d'.replace(" ", "9X"), "password"),
        ("apiKey", "v1." + made(MIXED, 60), "env-value"),
        ("password", "this field is required 1", None),
        ("password", "[secret:password:01234567]", None),
        ("max_tokens", "40961234567890123456", None),
        ("name", made(MIXED, 40), None),
    ],
)
def test_a_whole_value_is_judged_by_its_name(name: str, value: str, kind: str | None) -> None:
    assert secret_beside(name, value) == kind


def test_the_same_secret_has_the_same_placeholder_in_a_store_and_another_in_another() -> None:
    key = KEYS["aws-access-key"]
    first, second = redact_text(f"A={key}", SALT), redact_text(f"see {key}.", SALT)
    assert first.removeprefix("A=") == second.removeprefix("see ").removesuffix(".")
    assert redact_text(key, b"another salt....") != redact_text(key, SALT)


def test_a_password_learned_in_one_text_is_found_bare_and_decoded_in_another() -> None:
    redactor = Redactor(SALT)
    redactor.learn(["postgres://app:p%40ss-w0rd@db/prod"])
    assert "p@ss-w0rd" not in redactor.redact("the password p@ss-w0rd was rejected")
    assert redactor.redact("p%40ss-w0rd") == redactor.redact("p@ss-w0rd")
    assert redactor.hits == {"url-password": 3}


@given(st.sampled_from(sorted(KEYS)), texts(), texts())
def test_redacting_twice_is_redacting_once(name: str, before: str, behind: str) -> None:
    text = f"{before} {KEYS[name]} {behind} TOKEN_SECRET={made(MIXED, 30)}"
    once = redact_text(text, SALT)
    assert redact_text(once, SALT) == once


@given(texts())
def test_secrets_are_ranges_of_the_text_in_order_and_apart(text: str) -> None:
    found = find_secrets(text + KEYS["npm-token"])
    edges = [edge for secret in found for edge in (secret.start, secret.end)]
    assert edges == sorted(edges)


def test_a_placeholder_names_its_kind_and_no_part_of_the_secret() -> None:
    assert placeholder("jwt", "abc", SALT).startswith("[secret:jwt:")
    assert len(placeholder("jwt", "abc", SALT)) == len("[secret:jwt:12345678]")


def test_entropy_is_bits_a_character() -> None:
    assert entropy("") == 0
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2


def test_time_grows_with_the_text_and_not_with_its_square() -> None:
    """Texts that make a pattern look back and forth: long names, many colons, half a private key."""
    for piece in (
        "secret_" * 4,
        "a-b.c_d",
        "https://",
        "x:y@",
        "-----BEGIN PRIVATE KEY-----\nAAAA",
        "key=",
        "xoxb-",
    ):
        assert find_secrets(piece * 20_000) is not None
