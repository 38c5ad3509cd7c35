#!/bin/sh
# Resolve both lock files: exact versions with hashes, for every platform, without the address of an index.
# Versions that are locked already stay, unless --upgrade is given.
set -eu
cd "$(dirname "$0")/.."

# 0.29 loads pydantic at every start, a fifth of the time that a short command takes (docs/decisions/0004).
held='typer<0.29'

compile() {
    echo "$held" | .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header --no-annotate pyproject.toml --constraints - "$@"
}
compile "$@" --group build --output-file requirements.lock
compile "$@" --extra fast --group dev --constraints requirements.lock --output-file requirements-dev.lock
