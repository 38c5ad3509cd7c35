"""Tables of texts: of a secret no part is left, and what only looks like one stays; the time is that of the length."""

from __future__ import annotations

import pytest

from contextrail.core.secret_by_form import by_form
from contextrail.core.secret_by_name import secret_beside
from contextrail.core.secret_forms import FORMS
from contextrail.core.secret_span import Looked
from contextrail.core.secrets import Redactor, find_in, find_secrets, redact_text
from tests.core.made import MIXED, made
from tests.core.secret_cases import LEAKS
from tests.core.secret_cases_placed import PLACED, UUID
from tests.core.secret_near_misses import STAYS
from tests.core.secret_near_misses_placed import PLACED_STAYS
from tests.core.test_secrets import SALT
from tests.hostile import in_time, must_end, text_of

RUN = 6
"""Characters of a secret that must not stand together."""
HOSTILE = (
    "password=",
    "DB_PASSWORD=",
    "secret_",
    'password="',
    '"password": "\\\\',
    "password(",
    "mysql -p",
    "://a:b/@c.d",
    "-----BEGIN PRIVATE KEY-----\nProc-Type: ",
    "-----END PRIVATE KEY-----\n",
    "Private-Lines: 1\n",
    "A" * 64 + "\n",
    "A" * 64,
    "_.-/",
    "eyJhhhhhhhhhhh.eyJ",
    "密码：",
    "<password ",
    "password | ",
    "--password x1Y2z3 ",
    "DB_PASSWORD=xK9mP2vL5\n",
    "'",
    "?a=",
    "&token=aaaaaaaaaaaaaaaaaaaaaaaa",
    "\\\\u0026token=",
    "Cookie: a=b;",
    "cookie:a=aaaaaa,",
    "cookie(",
    "curl -b 'a=",
    "\tTRUE\t",
    "machine a login b ",
    "default\n",
    "login a\n",
    "a:5432:b:c:",
    ":*:",
    "password for a b c ",
    "password is ",
    "pw " + "a." * 30,
    "pin: 1",
    "x as the password",
    "x1y2z3作为密码",
    "--password\n",
    "--password\n- x1y2z3",
    "login: a/b:c ",
    "api key is ",
    "$6$aaaaaaaa$",
    "$argon2id$v=1$a=1$",
    "openssl -k x1y2z3 ",
    '"password": "a b c d e ',
    "sk-ant-",
    "sk-ant-a1-",
    "eyJa1-",
    "LS0tLS1CRUdJTi",
    "LS0tLS1CRUdJTi\n",
    "DB_API_KEY=a1b2c3d4-1111-4222-8333-123456789abc\n",
)
MARKS = tuple(dict.fromkeys(mark for _, marks, _ in FORMS for mark in marks))


def left(secret: str, redacted: str, around: str) -> list[str]:
    """Each run of a secret that is still there, and not because the text around has it too."""
    runs = {secret[at : at + RUN] for at in range(max(1, len(secret) - RUN + 1))}
    return sorted(run for run in runs if run in redacted and run not in around)


@pytest.mark.parametrize(("around", "secret"), [*LEAKS, *PLACED])
def test_no_part_of_a_secret_is_left(around: str, secret: str) -> None:
    text = around.format(secret)
    redacted = redact_text(text, SALT)
    assert "[secret:" in redacted
    assert left(secret, redacted, around) == []
    assert redact_text(redacted, SALT) == redacted


@pytest.mark.parametrize("text", [*STAYS, *PLACED_STAYS])
def test_what_only_looks_so_stays(text: str) -> None:
    assert redact_text(text, SALT) == text


def test_texts_read_together_have_the_secrets_of_each() -> None:
    many = [*(around.format(secret) for around, secret in (*LEAKS, *PLACED)), *STAYS, *PLACED_STAYS]
    assert find_in(many) == {at: found for at, text in enumerate(many) if (found := find_secrets(text))}


@pytest.mark.parametrize("piece", HOSTILE)
@in_time
def test_time_grows_with_the_length(piece: str) -> None:
    text = text_of(piece)
    must_end(lambda: find_secrets(text))


@pytest.mark.parametrize("mark", MARKS)
@in_time
def test_the_mark_of_a_key_repeated_in_one_word_is_read_once(mark: str) -> None:
    texts = [Looked(text_of(mark + tail)) for tail in ("", "a1-")]
    must_end(lambda: [list(by_form(text)) for text in texts])


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("HEROKU_API_KEY", UUID, "env-value"),
        ("clientSecret", UUID, "env-value"),
        ("password", UUID, "password"),
        ("token", UUID, None),
        ("SESSION_TOKEN", UUID, None),
        ("request_id", UUID, None),
        ("API_KEY_ID", UUID, None),
        ("secret", UUID, None),
        ("password", "84736251", "password"),
        ("password", "Tr0ub4dor 3xK9mm", "password"),
        ("password", "(xK9mP2vL5qR8", "password"),
        ("pass", "Tr0ub4dor&3xK9", "password"),
        ("密码", "Tr0ub4dor3xK9", "password"),
        ("aws_session_token", "IQoJb3JpZ2lu" + made(MIXED, 900), "env-value"),
        ("auth", "ZGVwbG95OlRyMHViNGRvcg==", "basic-auth"),
        ("password", "[required1]", None),
        ("password", "the field is required1", None),
        ("pass", "412345/412345", None),
        ("auth", "AuthenticationMiddleware1", None),
        ("password_changed_at", "1698765432", None),
    ],
)
def test_a_whole_value_in_an_object(name: str, value: str, kind: str | None) -> None:
    assert secret_beside(name, value) == kind


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ('{"password": "Tr0ub\\"4dor3xK9"}', 'Tr0ub"4dor3xK9'),
        ("<password>Tr0ub4dor&amp;3xK9</password>", "Tr0ub4dor&3xK9"),
    ],
)
def test_a_value_that_was_escaped_is_known_bare(text: str, bare: str) -> None:
    redactor = Redactor(SALT)
    redactor.learn([text])
    assert bare not in redactor.redact(f"it said {bare} again")
