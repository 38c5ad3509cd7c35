"""Secrets without quotes, beside names in any case, as in ini files, YAML and properties; code beside them stays."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.core.secrets import redact_text
from tests.core.made import HEX, MIXED, made
from tests.core.test_secrets import SALT

BASE64 = MIXED + "/+"
LETTERS = "qZRtbVNxKwPLmsDFyuHGcXaWEjTv"
"""Drawn, with capitals together and apart, and no digit."""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[default]\naws_secret_access_key = {}\nregion = eu-west-1\n", made(BASE64, 40)),
        ("aws_secret_access_key={}", made(BASE64, 40, 8)),
        ("aws_secret_access_key          = {}", "93/+" + made(BASE64, 36)),
        ("password = {}\n", made(MIXED, 40)),
        ("db_password = {}", "hunter2xyz99"),
        ("password: {}\nuser: app\n", "hunter2xyz99"),
        ("Password: {}  # of the test system", "hunter2xyz99"),
        ("spring.datasource.password={}\r\n", "hunter2xyz99"),
        ("client_secret = {}", made(MIXED, 40)),
        ("clientSecret: {}", made(MIXED, 40)),
        ("  api_key: {},", made(HEX, 32)),
        ("access_token = {}", made(MIXED, 40)),
        ("auth-token: {}", made(HEX, 40)),
        ("private_key={}", made(BASE64, 44) + "="),
        ("secret_key: {}", made(MIXED, 24)),
        ("passwd = {}", "Tr0ub4dor"),
        ("passphrase = {}", "corr3cth0rse"),
        ("secret: {}", LETTERS),
        ("secret: {}", f"{LETTERS[:9]}/{LETTERS[9:]}+"),
        ("client_secret = {}", "A.x5moMeWB1BJKunAf-1hYnu42JhtoS_up1TIlbA"),
        ("password = {}", "%rEV6XwqcRke"),
        ("aws_secret_access_key = {}", "+7" + made(BASE64, 38)),
        ("mysql --password={} -u app", "hunter2xyz99"),
        ("Server=db;Password={};Database=app", "hunter2xyz99"),
        ("https://example.org/login?password={}&user=ann", "hunter2xyz99"),
        ('{{"out": "[db]\\npassword = {}\\nhost = db"}}', "hunter2xyz99"),
        ("the password: `{}`", "hunter2xyz99"),
        ("secret: '{}'", "hunter2xyz99"),
    ],
)
def test_a_value_without_quotes_is_found_by_its_name(text: str, value: str) -> None:
    redacted = redact_text(text.format(value), SALT)
    before, behind = text.format("\0").split("\0")
    assert value not in redacted
    assert redacted.startswith(before + "[secret:")
    assert redacted.endswith("]" + behind)


@given(st.integers(0, 2**32), st.sampled_from([" = ", "=", ": "]))
def test_any_key_of_aws_without_quotes_is_found(seed: int, sign: str) -> None:
    value = "9a" + made(BASE64, 38, seed)
    assert value not in redact_text(f"aws_secret_access_key{sign}{value}\n", SALT)


@pytest.mark.parametrize(
    "text",
    [
        "password = user_password_2",
        "password = md5_hash_of_user2 + salt",
        "password=password2, secret=client_secret_v2",
        "password = get_password2(user)",
        "password = row2data1[0]",
        "password = sha256Hash",
        "const secret = await loadSecret1();",
        "password: SecretStr",
        "private_key: Ed25519PrivateKey",
        "secret: V1Secret = client.V1Secret()",
        "api_key = config.api_key2",
        "api_key = app.settings.AWS_SECRET_KEY2.getValueOfIdByName",
        "api_key = SECRETS_MANAGER_CLIENT_FACTORY_2",
        "api_key = None; secret = true; password: null",
        "password: $DB_PASS12 password: ${DB_PASS12} password: <pass12word> password: {pass12word}",
        "password = x9y8z7w6 if strict else y1x2c3v4",
        "password == user9x8y7z",
        "password==user9x8y7z",
        "password: str = Field(min_length=12)",
        "def login(user: str, password: str = default1value) -> None:",
        "private_key = /etc/ssl/private/server1.key",
        "private_key = certs/prod2/server1.pem",
        "private_key: ~/.ssh/id_ed25519",
        "last_password: 2024-10-11T12:00:00Z",
        "password: placeholder-value-1 and password = changeme",
        "secret: sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "secret: 3f2b8c1e-9d54-4f0a-8a77-1c2d3e4f5a6b",
        "password:\n  description9x: of the user",
        "DB_PASSWORD=\nAPP_HOST=db1.internal.example",
        "passwords: 12 secrets: 20394857 token: 20394857ab",
        "public_key = 9f1c2ab7d0e4c6a1 csrf_token = 9f1c2ab7d0e4c6a1",
        "password = getUserPasswordFromTheSecretStore",
        "password: at least 8 characters",
    ],
)
def test_code_beside_a_name_of_a_secret_stays(text: str) -> None:
    assert redact_text(text, SALT) == text


def test_the_token_of_a_telegram_bot_is_found_by_its_form() -> None:
    token = made(MIXED + "_-", 32) + "a"
    for place in (
        "9526930105:AA{}",
        "https://api.telegram.org/bot9526930105:AA{}/getMe",
        "bot 12345678:AA{}\n",
    ):
        redacted = redact_text(place.format(token), SALT)
        assert token not in redacted
        assert ":AA[secret:telegram-token:" in redacted
    assert redact_text(f"12:AA{token}", SALT) == f"12:AA{token}"


@pytest.mark.parametrize(
    "key",
    [
        "xoxb-123456789012-1234567890123-" + made(MIXED, 24),
        "sk-proj-1234567890" + made(MIXED, 30),
        "sk_live_abcdefgh" + made(MIXED, 24),
    ],
)
def test_a_key_with_a_run_in_it_is_no_example(key: str) -> None:
    assert key not in redact_text(f"key {key}", SALT)


@pytest.mark.parametrize(
    "text",
    [
        "sk-abcdefghijklmnopqrstuvwxyz1234567890ABCDEFGH",
        "sk-proj-" + "1234567890" * 4,
        "xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx",
        "OPENAI_API_KEY=sk-1234567890abcdef1234567890abcdef",
        "password: abcdefgh12345678",
        "api_key = " + string.ascii_lowercase + "0123456789",
    ],
)
def test_a_value_that_is_nothing_but_a_run_is_an_example(text: str) -> None:
    assert redact_text(text, SALT) == text


def test_the_example_of_a_manual_stays() -> None:
    text = "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    assert redact_text(text, SALT) == text
