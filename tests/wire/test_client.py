"""Models over HTTP, against a server on this machine: what is sent, what is read, what fails and how."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from contextrail.core.errors import InvalidRequest
from contextrail.core.ids import MessageId
from contextrail.messages.model import Conversation, Message, Text
from contextrail.wire.ask import ModelFailed, Reply
from contextrail.wire.client import HttpModel, http_model

QUESTION = Conversation(
    model="some-model",
    system=(Text(text="be brief"),),
    messages=(Message(id=MessageId("u"), role="user", parts=(Text(text="sum up"),)),),
    max_output=100,
)
OPENAI = {"choices": [{"message": {"role": "assistant", "content": "the record"}, "finish_reason": "stop"}]}
ANTHROPIC = {
    "content": [{"type": "text", "text": "the"}, {"type": "text", "text": "record"}],
    "stop_reason": "end_turn",
}


class Service:
    """An endpoint whose answer a test sets."""

    def __init__(self) -> None:
        self.status, self.body, self.delay_s = 200, b"", 0.0
        self.headers: dict[str, str] = {}
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["content-length"]))
                service.seen.append((self.path, dict(self.headers.items()), json.loads(data)))
                time.sleep(service.delay_s)
                self.send_response(service.status)
                for name, value in service.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(service.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.server.shutdown()
    made.server.server_close()
    made.thread.join()


def ask(model: HttpModel, timeout_s: float = 20) -> Reply:
    return model.ask(QUESTION, timeout_s=timeout_s)


def test_an_openai_service_is_asked_in_its_form(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "abc")
    service.body = json.dumps(OPENAI).encode()
    reply = ask(http_model(f"openai:{service.url}", key_variable="MY_KEY"))
    assert reply == Reply(text="the record", stop="stop")
    ((path, headers, body),) = service.seen
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer abc"
    assert body["model"] == "some-model"
    assert body["messages"][-1]["content"] == "sum up"
    assert 100 in body.values()


def test_anthropic_is_asked_in_its_form(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "abc")
    service.body = json.dumps(ANTHROPIC).encode()
    reply = ask(http_model(f"anthropic:{service.url}", key_variable="MY_KEY"))
    assert reply == Reply(text="the\nrecord", stop="end_turn")
    ((path, headers, body),) = service.seen
    assert path == "/v1/messages"
    assert (headers["x-api-key"], headers["anthropic-version"]) == ("abc", "2023-06-01")
    assert body["max_tokens"] == 100


def test_a_service_on_this_machine_needs_no_key(service: Service) -> None:
    service.body = json.dumps(OPENAI).encode()
    assert ask(http_model(f"openai:{service.url}")).text == "the record"
    assert "authorization" not in service.seen[0][1]


@pytest.mark.parametrize(
    ("status", "again"), [(429, True), (500, True), (529, True), (400, False), (401, False), (302, False)]
)
def test_a_status_says_whether_it_is_worth_asking_again(service: Service, status: int, again: bool) -> None:  # noqa: FBT001
    service.status, service.headers = status, {"retry-after": "3", "location": "http://example.org/"}
    with pytest.raises(ModelFailed) as caught:
        ask(http_model(f"openai:{service.url}"))
    assert (caught.value.facts["status"], caught.value.facts["retry"]) == (status, again)
    assert caught.value.facts["retry_after_s"] == 3


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"[]", b'{"choices": []}', b'{"choices": [{"message": null}]}', b'{"content": null}'],
)
@pytest.mark.parametrize("form", ["openai", "anthropic"])
def test_an_answer_that_cannot_be_read_is_a_failure(service: Service, body: bytes, form: str) -> None:
    service.body = body
    with pytest.raises(ModelFailed):
        ask(http_model(f"{form}:{service.url}"))


def test_a_refusal_is_told_apart_from_a_text(service: Service) -> None:
    service.body = json.dumps({"choices": [{"message": {"content": None, "refusal": "no"}}]}).encode()
    assert ask(http_model(f"openai:{service.url}")) == Reply(text="", stop="refusal")


def test_a_late_answer_is_a_failure(service: Service) -> None:
    service.delay_s = 1.0
    with pytest.raises(ModelFailed, match="in time"):
        ask(http_model(f"openai:{service.url}"), timeout_s=0.2)


def test_a_flood_is_a_failure(service: Service) -> None:
    service.body = b" " * 9_000_000
    with pytest.raises(ModelFailed, match="too large"):
        ask(http_model(f"openai:{service.url}"))


def test_nobody_there_is_a_failure_that_may_pass() -> None:
    with pytest.raises(ModelFailed) as caught:
        ask(http_model("openai:http://127.0.0.1:9/v1"))
    assert caught.value.facts["retry"] is True


def test_a_missing_key_names_its_variable_and_nothing_is_sent(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(InvalidRequest, match="MY_KEY holds no key"):
        ask(http_model(f"openai:{service.url}", key_variable="MY_KEY"))
    assert service.seen == []


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("openai:http://example.org/v1", "plain http is only for this machine"),
        ("openai:ftp://example.org", "must begin with https"),
        ("openai:https://", "must begin with https"),
        ("openai:https://u:p@example.org/v1", "must hold no credentials"),
        ("openai:https://example.org:bad/v1", "cannot be read"),
        ("openai", "is not a summarizer"),
        ("gpt", "is not a summarizer"),
    ],
)
def test_wrong_specifications_are_refused(spec: str, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says) as caught:
        http_model(spec)
    assert "p@" not in repr(caught.value.to_json())


def test_the_services_that_are_meant_without_a_url() -> None:
    assert http_model("anthropic").url == "https://api.anthropic.com/v1/messages"
    assert http_model("anthropic").key_variable == "ANTHROPIC_API_KEY"
    assert http_model("openai:https://example.org/v1/").url == "https://example.org/v1/chat/completions"
    assert http_model("openai:https://example.org/v1/chat/completions").key_variable == "OPENAI_API_KEY"
