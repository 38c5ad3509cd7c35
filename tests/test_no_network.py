"""The guard itself: a check of isolation that lets something through would prove nothing."""

from pathlib import Path

import pytest

from tests.no_network import NETWORK_USED, run_code


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.socket()",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import socket; socket.getaddrinfo('localhost', 80)",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')",
    ],
)
def test_a_process_that_uses_the_network_is_ended_even_if_it_catches_everything(
    code: str, tmp_path: Path
) -> None:
    caught = f"try:\n    {code}\nexcept BaseException:\n    pass\nprint('went on')"
    done = run_code(caught, cwd=tmp_path)
    assert done.returncode == NETWORK_USED
    assert done.stdout == ""
    assert "network used" in done.stderr


def test_the_environment_is_empty(tmp_path: Path) -> None:
    code = "print(sorted(name for name in os.environ if name not in ('LC_CTYPE', '__CF_USER_TEXT_ENCODING')))"
    assert run_code(code, cwd=tmp_path).stdout == "[]\n"
