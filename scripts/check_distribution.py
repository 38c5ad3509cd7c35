"""Build wheel and sdist, look inside, install each in an environment of its own, and run the demo there.

What a folder with sources hides (a data file that is not packed, a dependency that is not declared, an import
that works only from the root) shows here. Dependencies come from requirements.lock with hashes; uv takes them
from its cache if it has them, so that a second run needs no network. Leaves nothing behind.

    .venv/bin/python scripts/check_distribution.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
BIN: Final = Path(sys.executable).parent
PACKAGE: Final = ROOT / "src" / "contextrail"
MAX_BYTES: Final = 10_000_000
"""A package that is larger than this holds something that nobody meant to ship."""


def main() -> None:
    """Check both files; the first fault ends the program with a message and exit code 1."""
    with tempfile.TemporaryDirectory(prefix="distribution-") as name:
        work = Path(name)
        run([sys.executable, "-m", "hatchling", "build", "-d", str(work / "dist")], cwd=ROOT)
        for made in sorted((work / "dist").iterdir()):
            check_contents(made, contents(made))
            place = work / f"environment-{made.suffix.strip('.')}"
            install(made, place)
            check_commands(made, place, work)
    print("distribution: everything is inside, both files install and run")


def run(
    command: list[str], *, cwd: Path, env: Mapping[str, str] | None = None, ok: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command; a failure ends the program with what the command said, unless `ok` is false."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=False)
    if ok and done.returncode != 0:
        sys.exit(f"distribution: {' '.join(command)} left with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def contents(made: Path) -> dict[str, bytes]:
    """Files of a wheel or sdist with their bytes; paths as they stand in the wheel, and in the sdist's folder."""
    if made.suffix == ".whl":
        with zipfile.ZipFile(made) as wheel:
            return {each: wheel.read(each) for each in wheel.namelist()}
    with tarfile.open(made) as sdist:
        streams = ((each.name.partition("/")[2], sdist.extractfile(each)) for each in sdist)
        return {path: stream.read() for path, stream in streams if stream is not None}


def check_contents(made: Path, inside: Mapping[str, bytes]) -> None:
    """Every file of the package is there with the same bytes; licence and notice too; nothing else."""
    root = "" if made.suffix == ".whl" else "src/"
    sources = [path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in sources:
        packed = f"{root}contextrail/{path.relative_to(PACKAGE).as_posix()}"
        if inside.get(packed) != path.read_bytes():
            sys.exit(f"distribution: {made.name} lacks {packed}, or holds other bytes")
    for legal in ("LICENSE", "NOTICE"):
        if not any(path.endswith(legal) for path in inside):
            sys.exit(f"distribution: {made.name} lacks {legal}")
    strays = [path for path in inside if path.startswith(("tests/", "docs/")) or "__pycache__" in path]
    if strays:
        sys.exit(f"distribution: {made.name} holds {strays[0]}, which is not part of the package")
    if made.stat().st_size > MAX_BYTES:
        sys.exit(f"distribution: {made.name} has {made.stat().st_size} bytes, more than {MAX_BYTES}")
    print(f"distribution: {made.name}: {len(inside)} files, {made.stat().st_size:,} bytes")


def install(made: Path, place: Path) -> None:
    """Make an environment with the locked dependencies and this file."""
    uv = str(BIN / "uv")
    run([uv, "venv", "--quiet", "--python", sys.executable, str(place)], cwd=ROOT)
    target = ["--quiet", "--python", str(place / "bin" / "python")]
    locked = [uv, "pip", "install", *target, "--require-hashes", "-r", str(ROOT / "requirements.lock")]
    if run([*locked, "--offline"], cwd=ROOT, ok=False).returncode != 0:
        run(locked, cwd=ROOT)
    run(
        [uv, "pip", "install", *target, "--offline", "--no-deps", "--no-build-isolation", str(made)], cwd=ROOT
    )


def check_commands(made: Path, place: Path, work: Path) -> None:
    """Version and demo run in an empty folder without environment, from the installed files."""
    empty = work / "empty"
    empty.mkdir(exist_ok=True)
    python = str(place / "bin" / "python")
    where = run([python, "-Bc", "import contextrail; print(contextrail.__file__)"], cwd=empty, env={}).stdout
    if not Path(where.strip()).resolve().is_relative_to(place.resolve()):
        sys.exit(f"distribution: {made.name}: the package was imported from {where.strip()}")
    version = run([str(place / "bin" / "contextrail"), "--version"], cwd=empty, env={}).stdout.split()[-1]
    if f"-{version}" not in made.name:
        sys.exit(f"distribution: {made.name} says that it is version {version}")
    run([str(place / "bin" / "contextrail"), "demo"], cwd=empty, env={})
    shown = run([python, "-B", "-m", "contextrail", "demo", "--json"], cwd=empty, env={}).stdout
    json.loads(shown)
    left = [path.name for path in empty.iterdir()]
    if left:
        sys.exit(f"distribution: {made.name}: the demo left {left[0]} behind")


if __name__ == "__main__":
    main()
