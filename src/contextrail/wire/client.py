"""ModelClient over HTTP: `openai:URL` and `anthropic`, with the standard library. Does I/O.

Only HTTPS, or plain HTTP to this machine. Keys are read from the environment, by the name of a variable, when a
question is asked or `missing_variable` is, and appear in no error. Nothing is followed: an answer that redirects is a failure.
"""

from __future__ import annotations

import importlib
import os
import time
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject, dump, parse_object
from contextrail.messages.model import Conversation
from contextrail.wire.ask import ModelFailed, Reply
from contextrail.wire.codec import encode
from contextrail.wire.lower import lower
from contextrail.wire.target import Target

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_LARGEST: Final = 8_000_000
"""Bytes of an answer; a summary has thousands."""
_AGAIN: Final = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which the same question may succeed later."""
_OK: Final = 200
_SERVER_FAULT: Final = 500

Form = Literal["openai-chat", "anthropic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpModel:
    """A model behind an HTTP endpoint. Holds no key, only the name of the variable that has it."""

    form: Form
    url: str
    """Of the endpoint itself."""
    model: str | None = None
    """Where the request names none."""
    key_variable: str | None = None
    """None: no key is sent."""

    def ask(self, conversation: Conversation, *, timeout_s: float) -> Reply:
        """Send one request; see `ModelClient.ask`. Facts of a failure never hold headers or texts."""
        named = replace(conversation, model=conversation.model or self.model)
        sent, _ = lower(named, Target(self.form), max_output=named.max_output)
        status, headers, data = _post(self.url, self._headers(), dump(encode(sent, self.form)), timeout_s)
        if status != _OK:
            raise ModelFailed(
                f"the model's endpoint answered with status {status}",
                status=status,
                retry=status in _AGAIN or status >= _SERVER_FAULT,
                retry_after_s=_seconds(headers.get("retry-after")),
            )
        try:
            answer = parse_object(data, place="answer")
        except InvalidRequest as error:
            raise ModelFailed("the model's answer is not JSON", status=status, retry=True) from error
        return _read_openai(answer) if self.form == "openai-chat" else _read_anthropic(answer)

    @property
    def missing_variable(self) -> str | None:
        """The environment variable that should hold the key and does not; None: nothing is missing."""
        return self.key_variable if self.key_variable is not None and not self._key() else None

    def _key(self) -> str:
        """The key; "" where there is none that can be sent."""
        key = os.environ.get(self.key_variable or "", "").strip()
        return key if key.isprintable() else ""

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/json"}
        if self.form == "anthropic":
            headers["anthropic-version"] = "2023-06-01"
        if self.key_variable is None:
            return headers
        key = self._key()
        if not key:
            raise InvalidRequest(
                f"the environment variable {self.key_variable} holds no key",
                place="environment",
                path=self.key_variable,
                cure="set it, or name another variable",
            )
        if self.form == "anthropic":
            return {**headers, "x-api-key": key}
        return {**headers, "authorization": f"Bearer {key}"}


def http_model(spec: str, *, model: str | None = None, key_variable: str | None = None) -> HttpModel:
    """Read `openai:URL` or `anthropic` or `anthropic:URL`.

    Args:
        spec: URL is that of the service ("https://host/v1"), or of its endpoint.
        model: Where a request names none.
        key_variable: Name of the environment variable with the key; None: OPENAI_API_KEY or ANTHROPIC_API_KEY,
            but no key for a service on this machine.

    Raises:
        InvalidRequest: Unknown form, no URL, credentials in it, or plain HTTP to another machine.
    """
    word, _, url = spec.partition(":")
    if word == "openai" and url:
        endpoint = _endpoint(url, "/chat/completions")
        default = None if _local(endpoint) else "OPENAI_API_KEY"
        return HttpModel(form="openai-chat", url=endpoint, model=model, key_variable=key_variable or default)
    if word == "anthropic":
        endpoint = _endpoint(url or "https://api.anthropic.com/v1", "/messages")
        default = None if _local(endpoint) else "ANTHROPIC_API_KEY"
        return HttpModel(form="anthropic", url=endpoint, model=model, key_variable=key_variable or default)
    raise InvalidRequest(
        f"{word or spec!r} is not a summarizer; there are: none, extract, openai:URL, anthropic",
        place="summarizer",
        cure="write openai:https://HOST/v1, or anthropic",
    )


def _endpoint(url: str, tail: str) -> str:
    parts = _split(url)
    if parts.scheme not in ("https", "http") or not parts.hostname:
        raise InvalidRequest(
            "the summarizer's URL must begin with https:// and name a host", place="summarizer"
        )
    if parts.username is not None or parts.password is not None:
        raise InvalidRequest(
            "the summarizer's URL must hold no credentials",
            place="summarizer",
            cure="put the key into an environment variable",
        )
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        raise InvalidRequest(
            f"plain http is only for this machine, not for {parts.hostname}",
            place="summarizer",
            cure="use https",
        )
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path if path.endswith(tail) else path + tail}"


def _split(url: str) -> Any:
    try:
        parts = urlsplit(url)
        assert parts.port is None or parts.port > 0
    except (ValueError, AssertionError):
        raise InvalidRequest("the summarizer's URL cannot be read", place="summarizer") from None
    return parts


def _local(url: str) -> bool:
    return urlsplit(url).hostname in _LOOPBACK


def _post(
    url: str, headers: dict[str, str], body: bytes, timeout_s: float
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers in lower case, and body. One connection, closed in any case."""
    http = importlib.import_module("http.client")  # loaded only when a question is asked
    parts = urlsplit(url)
    make = http.HTTPSConnection if parts.scheme == "https" else http.HTTPConnection
    connection = make(parts.hostname, parts.port, timeout=timeout_s)
    deadline = time.monotonic() + timeout_s
    try:
        connection.request("POST", parts.path, body=body, headers=headers)
        response = connection.getresponse()
        given = {name.lower(): value for name, value in response.getheaders()}
        return response.status, given, _read(response, deadline)
    except (OSError, http.HTTPException) as error:
        late = isinstance(error, TimeoutError)
        why = "did not answer in time" if late else "could not be reached"
        raise ModelFailed(f"the model's endpoint {why}", retry=True, kind=type(error).__name__) from error
    finally:
        connection.close()


def _read(response: Any, deadline: float) -> bytes:
    """The body in pieces, so that a slow drip ends at the deadline and a flood at the limit."""
    data = bytearray()
    while piece := response.read1(65_536):
        data += piece
        if len(data) > _LARGEST:
            raise ModelFailed("the model's answer is too large", retry=False, limit_bytes=_LARGEST)
        if time.monotonic() > deadline:
            raise TimeoutError
    return bytes(data)


def _read_openai(answer: JsonObject) -> Reply:
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ModelFailed("the model's answer has no message", retry=True)
    if isinstance(message.get("refusal"), str) and message["refusal"]:
        return Reply(text="", stop="refusal")
    return Reply(text=_text(message.get("content")), stop=_word(choice.get("finish_reason")))


def _read_anthropic(answer: JsonObject) -> Reply:
    if not isinstance(answer.get("content"), list):
        raise ModelFailed("the model's answer has no content", retry=True)
    return Reply(text=_text(answer["content"]), stop=_word(answer.get("stop_reason")))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [each.get("text") for each in content if isinstance(each, dict) and each.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(value: str | None) -> float | None:
    """Seconds of a retry-after header; a date is left aside."""
    return float(value) if value is not None and value.strip().isdigit() else None
