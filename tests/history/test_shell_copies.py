"""Programs that copy, move, fetch, unpack and cut files: what becomes untrue, and what only looks."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextrail.history.file_tools import FILE_TOOLS
from contextrail.history.freshness import standings
from contextrail.history.shell_files import shell_touches
from contextrail.history.shell_options import asked
from contextrail.history.touch import plain_path
from tests.history.test_reads import draft, step
from tests.hostile import in_time, must_end, text_of

NEVER: Final = (
    "wget -O - https://x.example",
    "wget -qO- https://x.example",
    "wget -O /dev/null https://x.example",
    "wget --spider https://x.example/a.py",
    "wget https://x.example/a.py",
    "curl -o /dev/null https://x.example",
    "curl -sSo /dev/null -w '%{http_code}' https://x.example",
    "curl --output - https://x.example",
    "curl -X POST -d @a.json -H 'Accept: x' https://x.example/a.py",
    "curl -s https://x.example/a.json | jq .",
    "tar tzf a.tgz",
    "tar -tvf a.tar",
    "tar xzf a.tgz -O",
    "tar -xOf a.tar lib/a.py",
    "tar -cf - lib",
    "unzip -l a.zip",
    "unzip -p a.zip lib/a.py",
    "unzip -qt a.zip",
    "7z l a.7z",
    "cpio -it < a.cpio",
    "gzip -l lib/a.gz",
    "gunzip -c lib/a.gz",
    "xz --test lib/a.xz",
    "zcat lib/a.gz",
    "install -d lib",
    "install --help",
    "cp --version",
    "cp -n b.py lib/a.py",
    "mv --help",
    "rsync -an src/ lib/",
    "rsync -av --dry-run src/ lib/",
    "rsync --list-only lib/",
    "rsync -a lib/ host:lib/",
    "scp lib/a.py host:",
    "docker cp lib/a.py box:/a.py",
    "docker ps",
    "docker",
    "kubectl -n x get pods",
    "tee /dev/null",
    "tee /dev/stderr",
    "dd if=lib/a.py of=/dev/null",
    "patch --dry-run -p1 < x.patch",
    "git apply --check x.patch",
    "git -C repo status",
    "git -C repo stash list",
    "git checkout -b new",
    "git restore --staged lib/a.py",
    "sed -n 1,3p lib/a.py",
    "sort lib/a.txt",
    "sort -f -k 2 lib/a.txt",
    "awk '$1 > 3' lib/a.txt",
    "awk '{print $1}' lib/a.txt",
    "awk '{print > \"/dev/stderr\"}' lib/a.txt",
    "vim",
    "vi lib/a.py",
    "svn status",
    "svn revert",
    "hg status",
    "hg pull",
    "rename -n 's/a/b/' lib/a.py",
    "timeout 5 cat lib/a.py",
    "nice -n 5 pytest",
    "git ls-files | xargs -n 1 wc -l",
    "ls | xargs -I {} echo {}",
    "python -c \"print(open('lib/a.py').read())\"",
    "python -c \"open('lib/a.py', 'rb')\"",
)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("install -m 644 src/a.py lib/a.py", ["write lib/a.py"]),
        ("install -Dm755 -o root -g root bin/x.sh lib/a.py", ["write lib/a.py"]),
        ("wget -O lib/a.py https://x.example/z", ["write lib/a.py"]),
        ("wget -qO lib/a.py https://x.example/z", ["write lib/a.py"]),
        ("wget -nv --output-document=lib/a.py https://x.example/z", ["write lib/a.py"]),
        ("wget -N -P lib https://x.example/a.py?v=1", ["doubt lib/a.py"]),
        ("wget -r -P site https://x.example/", ["doubt site"]),
        ("curl -o lib/a.py https://x.example/z", ["write lib/a.py"]),
        ("curl -fsSLo lib/a.py https://x.example/z", ["write lib/a.py"]),
        ("curl -olib/a.py https://x.example/z", ["write lib/a.py"]),
        ("curl --output=lib/a.py https://x.example/z", ["write lib/a.py"]),
        ("curl -LO https://x.example/d/a.py?raw=1", ["write a.py"]),
        ("curl --output-dir lib -O https://x.example/a.py", ["write lib/a.py"]),
        ("mv lib other", ["doubt lib", "doubt other", "write lib", "write other"]),
        ("mv lib other/", ["doubt lib", "doubt other", "write lib", "write other/lib"]),
        ("mv lib/a.py old.py", ["write lib/a.py", "write old.py"]),
        ("mv -t old lib/a.py", ["write lib/a.py", "write old/a.py"]),
        ("mv lib/a.py old", ["write lib/a.py", "write old", "write old/a.py"]),
        ("cp -r src lib", ["doubt lib", "write lib"]),
        ("cp --target-directory=lib src/a.py", ["write lib/a.py"]),
        ("ln -sf ../src/a.py lib/a.py", ["write lib/a.py"]),
        ("ln -sfn releases/two current", ["doubt current", "write current"]),
        ("rsync -a --exclude .git src/ lib/", ["doubt lib"]),
        ("rsync -az host:src/ lib", ["doubt lib"]),
        ("scp host:a.py lib/a.py", ["doubt lib/a.py"]),
        ("docker cp box:/src/a.py lib/a.py", ["doubt lib/a.py"]),
        ("tar xzf a.tgz -C lib", ["doubt lib"]),
        ("tar -C lib -xf a.tar", ["doubt lib"]),
        ("tar --extract --file a.tar --directory=lib", ["doubt lib"]),
        ("tar xf a.tar", ["doubt ."]),
        ("unzip -qo a.zip -d lib", ["doubt lib"]),
        ("unzip a.zip", ["doubt ."]),
        ("7z x a.7z -olib -aoa", ["doubt lib"]),
        ("cpio -idu < a.cpio", ["doubt ."]),
        ("gunzip lib/a.txt.gz", ["write lib/a.txt", "write lib/a.txt.gz"]),
        ("xz -dk lib/a.txt.xz", ["write lib/a.txt"]),
        ("gzip lib/a.txt", ["write lib/a.txt"]),
        ("patch -p1 -d lib < x.patch", ["doubt ."]),
        ("git restore lib/a.py", ["write lib/a.py"]),
        ("git -C repo checkout -- a.py", ["write repo/a.py"]),
        ("git -C repo restore .", ["doubt repo"]),
        ("git -C repo stash", ["doubt ."]),
        ("git apply x.patch", ["doubt ."]),
        ("sed -i s/a/b/ lib/a.py", ["edit lib/a.py"]),
        ("echo x | tee -a lib/a.py", ["write lib/a.py"]),
        ("dd if=/dev/zero of=lib/a.py bs=1 count=1", ["write lib/a.py"]),
        ("truncate -s 0 lib/a.py", ["write lib/a.py"]),
        ("shred -n 3 -u lib/a.py", ["write lib/a.py"]),
        ("sort -u -k 2 -o lib/a.txt lib/a.txt", ["write lib/a.txt"]),
        ("iconv -f latin1 -t utf8 -o lib/a.txt b.txt", ["write lib/a.txt"]),
        ("vim -es -c '%s/a/b/' -c wq lib/a.py", ["edit lib/a.py"]),
        ("awk '{print $1 > \"lib/a.txt\"}' b.txt", ["write lib/a.txt"]),
        ("awk '{print > $1\".txt\"}' b.txt", ["doubt ."]),
        ("rename 's/a/b/' lib/a.py", ["write lib/a.py"]),
        ("svn revert -R lib", ["doubt lib", "write lib"]),
        ("hg pull -u", ["doubt ."]),
        ("timeout -k 5 60 sed -i s/a/b/ lib/a.py", ["edit lib/a.py"]),
        ("nice -n 5 cp b.py lib/a.py", ["write lib/a.py"]),
        ("busybox sed -i s/a/b/ lib/a.py", ["edit lib/a.py"]),
        ("git ls-files | xargs -n 1 rm -f", ["doubt ."]),
        ("ls | xargs -I {} mv {} old/{}", ["doubt ."]),
        ("python -c \"import sys; open(sys.argv[1], 'w').write('')\" lib/a.py", ["doubt ."]),
        ("python3 -c \"open('lib/a.py', mode='w')\"", ["write lib/a.py"]),
        ("cd lib && wget -O a.py https://x.example", ["write lib/a.py"]),
    ],
)
def test_what_a_program_writes_is_seen(command: str, expected: list[str]) -> None:
    assert sorted(f"{touch.act} {touch.path or '.'}" for touch in shell_touches(command)) == expected


@pytest.mark.parametrize("command", NEVER)
def test_what_only_looks_changes_nothing(command: str) -> None:
    assert [touch for touch in shell_touches(command) if touch.act != "read"] == []


@pytest.mark.parametrize(
    ("command", "stale", "doubtful"),
    [
        ("install -m 644 src/a.py lib/a.py", True, False),
        ("wget -qO lib/a.py https://x.example", True, False),
        ("curl -sSo lib/a.py https://x.example", True, False),
        ("mv lib other", False, True),
        ("mv lib other/", False, True),
        ("tar xzf a.tgz -C lib", False, True),
        ("tar xzf a.tgz -C src", False, False),
        ("curl -so /dev/null https://x.example", False, False),
        ("mv libs other", False, False),
    ],
)
def test_a_read_before_it_stands_accordingly(command: str, *, stale: bool, doubtful: bool) -> None:
    history = draft(step(1, "read", path="lib/a.py"), step(2, "bash", "", command=command))
    stands = standings(history.messages, FILE_TOOLS)[0]
    assert (stands.stale, stands.doubtful) == (stale, doubtful)


PROGRAMS: Final = [
    "cp",
    "mv",
    "install",
    "ln",
    "rsync",
    "scp",
    "docker",
    "tar",
    "unzip",
    "7z",
    "cpio",
    "gzip",
    "gunzip",
    "curl",
    "wget",
    "dd",
    "rm",
    "tee",
    "truncate",
    "vim",
    "sort",
    "rename",
    "svn",
    "hg",
    "xargs",
    "timeout",
    "nice",
    "git",
    "awk",
    "patch",
    "sed",
]
PIECES: Final = st.sampled_from(
    ["-", "--", "-C", "-o", "--output=", "-x", "x", "cp", "", "/", "a.py", "of=", "-t", "{}"]
)


@given(st.sampled_from(PROGRAMS), st.lists(PIECES, max_size=6))
def test_no_command_is_too_odd(program: str, words: list[str]) -> None:
    found = shell_touches(" ".join([program, *(word or "''" for word in words)]))
    assert all(touch.path == plain_path(touch.path) for touch in found)


def test_options_are_read_as_programs_read_them() -> None:
    said = asked(["x", "-abVAL", "-c", "v", "--n=1", "--w", "2", "a", "--", "-z"], letters="bc", names=("w",))
    assert said.options == {"a": [""], "b": ["VAL"], "c": ["v"], "n": ["1"], "w": ["2"]}
    assert said.plain == ["a", "-z"]
    assert said.values("b", "w", "none") == ["VAL", "2"]
    assert said.has("n")
    assert not said.has("z")


def test_letters_without_a_dash_take_their_values_in_turn() -> None:
    said = asked(["tar", "xfC", "a.tar", "lib", "m.py"], letters="fC", bundle=True)
    assert (said.values("f"), said.values("C"), said.plain) == (["a.tar"], ["lib"], ["m.py"])


def test_options_that_end_too_soon_have_no_value() -> None:
    assert asked(["x", "-b"], letters="b").options == {"b": [""]}
    assert asked(["x", "--w"], names=("w",)).options == {"w": [""]}
    assert asked(["tar", "xf"], letters="f", bundle=True).options == {"x": [""], "f": [""]}


@in_time
@pytest.mark.parametrize("piece", ["-a", "-o x ", "print >", "print ", "curl -o ", "a/", "--"])
def test_long_commands_are_read_in_linear_time(piece: str) -> None:
    must_end(
        lambda: shell_touches("curl " + text_of(piece)),
        lambda: shell_touches("awk '" + text_of(piece) + "'"),
        lambda: asked(["x", *text_of(piece).split(" ")], letters="o"),
    )
