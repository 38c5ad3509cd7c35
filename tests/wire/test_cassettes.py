"""The recorded exchanges are all there: a search that finds less than it should must fail."""

from __future__ import annotations

from collections import Counter

from tests.wire import cassettes


def test_every_cassette_is_read_or_named_with_the_reason_why_not() -> None:
    names = {path.relative_to(cassettes.ROOT).as_posix() for path in cassettes.files()}
    read = {exchange.file for exchange in cassettes.exchanges()}
    assert len(names) == cassettes.FILES
    assert read == names - cassettes.OTHER_PROTOCOLS.keys()
    assert names >= cassettes.OTHER_PROTOCOLS.keys()


def test_the_exchanges_are_as_many_as_were_counted() -> None:
    assert Counter(exchange.provider for exchange in cassettes.exchanges()) == cassettes.EXCHANGES


def test_every_exchange_has_a_name_of_its_own() -> None:
    names = [exchange.name for exchange in cassettes.exchanges()]
    assert len(set(names)) == len(names) == sum(cassettes.EXCHANGES.values())


def test_streams_are_text_and_refusals_are_there() -> None:
    streams = [each for each in cassettes.exchanges() if isinstance(each.response, str)]
    assert len(streams) == 3
    assert all("data: {" in str(each.response) for each in streams)
    assert [each.provider for each in cassettes.exchanges() if each.status >= 300] == ["openai-responses"]
