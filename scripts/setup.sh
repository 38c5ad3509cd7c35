#!/bin/sh
# Make .venv and install exactly what a lock file says. Does nothing if that is done already.
#
#   scripts/setup.sh run    what the command line needs (requirements.lock)
#   scripts/setup.sh dev    that, and the tools for tests, checks and docs (requirements-dev.lock)
#
# Needs a Python 3.11 or newer with venv, and an index to install from. PYTHON=... chooses the Python.
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
    run) lock=requirements.lock ;;
    dev) lock=requirements-dev.lock ;;
    *) echo "usage: $0 run|dev" >&2; exit 2 ;;
esac

# A stamp holds for these files at this place: scripts in .venv/bin name their interpreter by its full path.
stamp_of() {
    { cat pyproject.toml "$1" scripts/setup.sh; pwd; } | cksum
}

current() {
    [ -x .venv/bin/python ] && [ "$(cat ".venv/installed-$1" 2>/dev/null)" = "$(stamp_of "$2")" ]
}

if current dev requirements-dev.lock || current "$1" "$lock"; then
    exit 0
fi

find_python() {
    for candidate in "${PYTHON:-}" python3.11 python3.12 python3.13 python3.14 python3 python; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    echo "no Python 3.11 or newer found: install one, or name it: make PYTHON=/path/to/python3" >&2
    return 1
}

if [ "$(cat .venv/place 2>/dev/null)" != "$(pwd)" ] || ! .venv/bin/python -c '' 2>/dev/null; then
    python=$(find_python)
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "$python cannot make virtual environments: install its venv package (Debian: python3-venv)" >&2
        exit 1
    fi
    echo "making .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
    pwd > .venv/place
fi

if [ ! -x .venv/bin/uv ]; then
    sed -n '/^uv==/,/[^\\]$/p' "$lock" > .venv/uv.lock.txt
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv/uv.lock.txt
fi

echo "installing $lock"
uv_pip() {
    command=$1
    shift
    .venv/bin/uv pip "$command" --quiet --python .venv/bin/python "$@"
}
uv_pip sync --require-hashes --compile-bytecode "$lock"
# The project itself cannot have a hash: it is this folder. Its build backend comes from the lock.
uv_pip install --no-deps --no-build-isolation --editable .

rm -f .venv/installed-*
stamp_of "$lock" > ".venv/installed-$1"
