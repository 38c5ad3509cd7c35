"""What commands of a shell do to files: what is written, what may have changed, what only looks."""

import pytest

from contextrail.history.shell_files import is_compound, shell_touches
from tests.hostile import in_time, must_end, text_of


def done(command: str) -> list[str]:
    """Each touch as a word and a path; `doubt .` is every file."""
    return sorted(f"{touch.act} {touch.path or '.'}" for touch in shell_touches(command))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("sed -i 's/a/b/' a.py b.py", ["edit a.py", "edit b.py"]),
        ("sed -i.bak 's/a/b/' a.py", ["edit a.py"]),
        ("sed -i '' 's/a/b/' a.py", ["edit a.py"]),
        ("sed -E -i -e 's/a/b/' -e 's/c/d/' a.py", ["edit a.py"]),
        ("sed --in-place=.orig 's/a/b/' a.py", ["edit a.py"]),
        ("sed -ni '1,3p' a.py", ["edit a.py"]),
        ("perl -pi -e 's/a/b/' a.py", ["edit a.py"]),
        ("perl -i -pe 's/a/b/g' src/a.py src/b.py", ["edit src/a.py", "edit src/b.py"]),
        ("perl -0pi -e 's/a/b/' a.py", ["edit a.py"]),
        ("gawk -i inplace '{print}' a.txt", ["edit a.txt"]),
        ("sed -i 's/a/b/' src/*.py", ["doubt src"]),
        ("for f in $(ls); do sed -i 's/a/b/' \"$f\"; done", ["doubt ."]),
        ("grep -rl x src | xargs sed -i 's/x/y/'", ["doubt ."]),
        ("find src -name '*.py' -exec sed -i 's/x/y/' {} +", ["doubt src"]),
        ("find . -name '*.pyc' -delete", ["doubt ."]),
        ("cat > f.txt <<EOF\nx > y; rm z\nEOF", ["write f.txt"]),
        ("cat <<'EOF' >> notes/f.txt\nx\nEOF\nsed -i s/a/b/ c.py", ["edit c.py", "write notes/f.txt"]),
        ("echo 'a > b' | tee a.txt b.txt", ["write a.txt", "write b.txt"]),
        ("sudo tee -a /etc/hosts < x", ["write /etc/hosts"]),
        ("cp a.py b.py && mv c.py d.py", ["write b.py", "write c.py", "write d.py"]),
        ("cp a.py b.py out/", ["write out/a.py", "write out/b.py"]),
        ("cp -r src/. out", ["doubt out", "write out"]),
        ("rm -rf build a.py", ["doubt a.py", "doubt build", "write a.py", "write build"]),
        ("patch -p1 < fix.patch", ["doubt ."]),
        ("patch src/a.py fix.diff", ["edit src/a.py"]),
        ("git apply fix.patch", ["doubt ."]),
        ("git checkout .", ["doubt ."]),
        ("git checkout -- .", ["doubt ."]),
        ("git checkout main", ["doubt ."]),
        ("git checkout HEAD~1 src/a.py", ["write src/a.py"]),
        ("git checkout HEAD -- src/a.py b.py", ["write b.py", "write src/a.py"]),
        ("git restore .", ["doubt ."]),
        ("git restore --source HEAD~2 a.py", ["write a.py"]),
        ("git -C /w stash", ["doubt ."]),
        ("git stash pop", ["doubt ."]),
        ("git stash push -m wip", ["doubt ."]),
        ("git reset --hard HEAD~1", ["doubt ."]),
        ("git pull --rebase && pytest -q", ["doubt ."]),
        ("git merge feature", ["doubt ."]),
        ("git clean -fd", ["doubt ."]),
        ("git rm a.py", ["write a.py"]),
        ("cd /w && git checkout .", ["doubt ."]),
        ("black a.py", ["doubt a.py"]),
        ("cd /w && black src/", ["doubt /w/src"]),
        ("python -m black .", ["doubt ."]),
        ("uv run ruff format src/a.py", ["doubt src/a.py"]),
        ("ruff check --fix src", ["doubt src"]),
        ("ruff format", ["doubt ."]),
        ("npx prettier --write 'src/**/*.ts'", ["doubt src"]),
        ("eslint --fix a.js", ["doubt a.js"]),
        ("rustfmt src/main.rs", ["doubt src/main.rs"]),
        ("cargo fmt", ["doubt ."]),
        ("gofmt -w a.go", ["doubt a.go"]),
        ("gofmt -l -w .", ["doubt ."]),
        ("npm run format", ["doubt ."]),
        ("make fmt", ["doubt ."]),
        ("pre-commit run --all-files", ["doubt ."]),
        ("clang-format -i a.c", ["doubt a.c"]),
        ("python -c \"open('a.txt', 'w').write('x')\"", ["write a.txt"]),
        ("python3 - <<'EOF'\nfrom pathlib import Path\nPath('a.py').write_text('x')\nEOF", ["write a.py"]),
        ("python3 <<EOF\np = 'a.py'\nopen(p, 'w').write('x')\nEOF", ["doubt ."]),
        ("node -e \"require('fs').writeFileSync('a.js', '')\"", ["write a.js"]),
        ("bash -lc 'sed -i s/a/b/ a.py'", ["edit a.py"]),
        ("curl -sSL https://x.example/a -o a.sh", ["write a.sh"]),
        ("dd if=/dev/zero of=a.bin", ["write a.bin"]),
        ("FOO=1 env BAR=2 sed -i s/a/b/ a.py", ["edit a.py"]),
        ("if true; then rm a.py; fi", ["write a.py"]),
        ("cd src; sed -i s/a/b/ a.py; cd ..; rm b.py", ["edit src/a.py", "write b.py"]),
    ],
)
def test_what_changes_files_is_seen(command: str, expected: list[str]) -> None:
    assert done(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "git diff",
        "git diff > /dev/null",
        "git status --short",
        "git log -p -- a.py",
        "git show HEAD:a.py",
        "git stash list",
        "git stash show -p",
        "git stash drop",
        "git reset --soft HEAD~1",
        "git reset HEAD a.py",
        "git checkout -b topic",
        "git switch -c topic",
        "git restore --staged a.py",
        "git apply --check fix.patch",
        "git apply --stat fix.patch",
        "git clean -n",
        "git rm --cached a.py",
        "git add -A && git commit -m 'git stash and rm -rf'",
        "git branch -D x",
        "ls -la",
        "grep -rn 'sed -i' src",
        "grep '>' a.py",
        "grep -c '=> b' a.py",
        "awk '$1 > 5 {print}' a.txt",
        "sed -n '1,5p' a.py b.py",
        "sed 's/a/b/' a.py",
        "sed -n '/import/p' a.py | sort",
        "perl -ne 'print if /x/' a.py",
        "black --check .",
        "black --diff a.py",
        "isort --check-only a.py",
        "ruff check src",
        "ruff format --check",
        "prettier --check a.js",
        "prettier a.js",
        "eslint a.js",
        "gofmt -l .",
        "gofmt -d a.go",
        "cargo fmt -- --check",
        "cargo build",
        "rustfmt --check a.rs",
        "make test",
        "npm test",
        "patch --dry-run -p1 < fix.patch",
        "python -c \"print(open('a.py').read())\"",
        "python -c \"print(1 > 0, 'w')\"",
        "python -m pytest -q",
        "find . -name '*.py'",
        "find . -type f -exec grep -l x {} +",
        "cat a.py | xargs -n1 echo",
        "echo rm a.py",
        "echo 'unbalanced",
        "tar tf a.tar",
        "curl -s https://x.example",
        "pytest 2>&1 | tail -5",
        "test -f a.py && echo yes || echo no",
        "# rm a.py",
        "type black",
    ],
)
def test_what_only_looks_changes_nothing(command: str) -> None:
    assert [each for each in done(command) if not each.startswith("read ")] == []


@pytest.mark.parametrize(
    ("command", "several"),
    [("sed -i s/a/b/ a.py", False), ("cd /w && sed -i s/a/b/ a.py", False), ("black . && pytest", True)],
)
def test_a_change_of_folder_before_a_command_makes_no_second_one(command: str, several: bool) -> None:  # noqa: FBT001
    assert is_compound(command) is several


@pytest.mark.parametrize("text", ["'", '"', "\\", "a'b\" ", "<<E\n", "$(", "sed -i ", "open('", "> "])
@in_time
def test_hostile_commands_are_read_in_linear_time(text: str) -> None:
    must_end(
        lambda: shell_touches(text_of(text)),
        lambda: shell_touches("python - <<E\n" + text_of(text) + "\nE"),
    )
