"""What the pages say is so: commands, options, paths, links between pages, and code that runs."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer.main

from contextrail.cli.main import app
from contextrail.history.policy import Policy
from contextrail.policy import PRESETS, differences, preset, settings
from contextrail.transcripts.detect import FORMATS
from contextrail.wire.tokenizers import SPECS
from tests.architecture.tree import PAGES, ROOT, in_tree, project
from tests.no_network import run_cli, run_code

COMMAND_PAGES = (ROOT / "docs" / "guides" / "commands.md").read_text(encoding="utf-8")
README = ROOT / "README.md"
READERS = [README, *PAGES, ROOT / "CONTRIBUTING.md", ROOT / "AGENTS.md"]
BLOCK = re.compile(r"^ *```(\w+)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
BUILT_IN = {"--help", "--install-completion", "--show-completion"}


def blocks(path: Path, *languages: str) -> list[str]:
    """Code blocks of a page in one of the languages, in order."""
    return [
        code for language, code in BLOCK.findall(path.read_text(encoding="utf-8")) if language in languages
    ]


def commands() -> Iterator[tuple[str, Any]]:
    """Every command of the application with its full name."""
    group: Any = typer.main.get_command(app)
    yield "", group
    for name, command in group.commands.items():
        yield name, command
        for below, each in getattr(command, "commands", {}).items():
            yield f"{name} {below}", each


@pytest.mark.parametrize(
    ("name", "command"), list(commands()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_and_option_is_documented(name: str, command: Any) -> None:
    section = COMMAND_PAGES
    if name:
        assert f"\n## contextrail {name}\n" in COMMAND_PAGES
        section = COMMAND_PAGES.split(f"\n## contextrail {name}\n")[1].split("\n## ")[0]
    options = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
    assert {option for option in options - BUILT_IN if f"`{option}" not in section} == set()
    arguments = {
        parameter.metavar or parameter.name.upper()
        for parameter in command.params
        if not parameter.opts[0].startswith("-")
    }
    assert {argument for argument in arguments if f"`{argument}`" not in section} == set()
    assert command.help


@pytest.mark.parametrize("name", [name for name, _ in commands() if name])
def test_no_option_is_documented_that_does_not_exist(name: str) -> None:
    command = dict(commands())[name]
    options = {
        option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
    }
    section = COMMAND_PAGES.split(f"\n## contextrail {name}\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `-")]
    named = {option for row in rows for option in re.findall(r"(?<![\w-])--[a-z-]+", row.split("|")[1])}
    assert named <= options | BUILT_IN


@pytest.mark.parametrize("path", [path for path in READERS if blocks(path, "python")], ids=in_tree)
def test_python_in_the_pages_runs(path: Path, samples: Path) -> None:
    """All blocks of a page are one program, run among the sample files, without network."""
    done = run_code("\n".join(blocks(path, "python")), cwd=samples)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "path", [path for path in READERS if "contextrail " in "".join(blocks(path, "console"))], ids=in_tree
)
def test_commands_in_the_pages_run(path: Path, samples: Path) -> None:
    """A line `$ contextrail ...` leaves with 0, or with the number of a comment `# exit N` after it."""
    lines = [
        line[2:] for code in blocks(path, "console") for line in code.splitlines() if line.startswith("$ ")
    ]
    for line in lines:
        words = shlex.split(line, comments=True)
        expected = re.search(r"# exit (\d+)", line)
        if words[0] == "contextrail":
            done = run_cli(*words[1:], cwd=samples)
            assert done.returncode == int(expected[1] if expected else 0), (line, done.stdout, done.stderr)


@pytest.mark.parametrize("path", READERS, ids=in_tree)
def test_targets_of_make_in_the_pages_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    there = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:^\$ |`)make ([a-z]+)", text, re.MULTILINE)) <= there


def test_paths_in_the_table_of_changes_exist() -> None:
    rows = [
        line
        for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    table = [row.strip("|").split("|") for row in rows if row.count("|") == 4]
    paths = [
        path for cells in table for cell in cells[1:] for path in re.findall(r"`([\w.-]+[./][\w./-]*)`", cell)
    ]
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_table_of_changes_has_a_room_for_every_package() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = {path.parent for path in (ROOT / "src" / "contextrail").glob("*/__init__.py")}
    assert {in_tree(room) for room in rooms if f"`{in_tree(room)}/" not in text} == set()


@pytest.mark.parametrize("path", READERS, ids=in_tree)
def test_files_that_a_page_names_exist(path: Path) -> None:
    """Paths in backquotes that begin like one of ours."""
    text = path.read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|scripts|examples|benchmarks)/[\w./-]+)`", text)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_every_page_can_be_reached_from_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    decisions = (ROOT / "docs" / "decisions" / "index.md").read_text(encoding="utf-8")
    lost = [
        page
        for page in PAGES
        if page.relative_to(ROOT / "docs").as_posix() not in menu and page.name not in decisions
    ]
    assert lost == []


def test_decisions_are_numbered_without_gap_and_say_what_was_decided() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    assert [page.name for page in pages if "**Decided.**" not in page.read_text(encoding="utf-8")] == []


@pytest.mark.slow
def test_the_site_fetches_nothing_from_elsewhere(tmp_path: Path) -> None:
    site = tmp_path / "site"
    code = (
        f"from mkdocs.__main__ import cli\ncli(['build', '--strict', '--quiet', '--site-dir', {str(site)!r}])"
    )
    done = run_code(
        f"import os; os.chdir({str(ROOT)!r}); os.environ['NO_MKDOCS_2_WARNING'] = '1'\n{code}", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    pages = sorted(site.rglob("*.html"))
    assert pages
    fetched = re.compile(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?//[^"]*"')
    assert {found for page in pages for found in fetched.findall(page.read_text(encoding="utf-8"))} == set()


def test_the_version_is_the_one_of_the_changelog_or_not_released() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "\n## Unreleased\n" in text
    assert "version" in project()["project"]["dynamic"]


def test_every_setting_of_the_policy_is_documented_with_its_default() -> None:
    page = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8")
    rows = {
        row.split("|")[1].strip(): row.split("|")[2].strip()
        for row in page.split("## Settings")[1].splitlines()
        if row.startswith("| `")
    }
    assert rows == {f"`{path}`": written(default) for path, default in settings(Policy())}


def test_every_difference_from_the_seed_is_documented() -> None:
    page = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8").split("## What differs from linnkit")[1]
    rows = [
        tuple(cell.strip() for cell in row.strip("|").split("|"))
        for row in page.splitlines()
        if row.startswith("| ") and not row.startswith("| its setting")
    ]
    found = [
        (path, written(seed), written(here))
        for path, seed, here in differences(preset("compat-linnkit"), Policy())
    ]
    assert [row[:3] for row in rows] == found
    assert all(row[3] for row in rows)


def test_every_preset_is_documented() -> None:
    page = (ROOT / "docs" / "policy.md").read_text(encoding="utf-8").split("## Presets")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)`", page, re.MULTILINE) == list(PRESETS)


def written(default: object) -> str:
    """A default as the page writes it."""
    return "not set" if default is None else f"`{json.dumps(msgspec.to_builtins(default))}`"


def test_every_format_and_tokenizer_is_documented() -> None:
    page = (ROOT / "docs" / "guides" / "sessions.md").read_text(encoding="utf-8")
    assert {name for name in (*FORMATS, *SPECS) if f"`{name}`" not in page} == set()
