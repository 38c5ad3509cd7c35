.DEFAULT_GOAL := help
.PHONY: help setup demo test check lint types docs golden bench search nightly lock dist clean
BIN := .venv/bin
export PYTHON

help: ## list these targets
	@grep -hE '^[a-z]+:.*##' $(firstword $(MAKEFILE_LIST)) | sed 's/:.*## /\t/' | expand -t 10

setup: ## make .venv with everything for development
	@scripts/setup.sh dev

demo: ## the main job on a real session that is shipped with the package
	@scripts/setup.sh run
	@$(BIN)/contextrail demo $(ARGS)

test: setup ## all tests with coverage; a part: make test T=tests/wire
	$(BIN)/pytest $(if $(T),$(T),-n auto --cov)

check: lint types docs test ## all that CI runs, fast parts first

lint: setup ## format, lint, import contracts
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/lint-imports --no-cache --no-logo

types: setup ## mypy, strict
	$(BIN)/mypy

docs: setup ## build the documentation into site/, strict
	$(BIN)/mkdocs build --strict --quiet

golden: setup ## write new expected outputs, then show what changed: the diff is the review
	-$(BIN)/pytest -q -p no:randomly --rewrite tests
	git diff --stat -- tests

bench: setup ## measure; compare with the figures in benchmarks/*.md
	$(BIN)/pytest benchmarks --benchmark-only $(ARGS)

search: setup ## the property tests with new random examples, as many as the tests have
	$(BIN)/pytest --hypothesis-profile search -n auto $(if $(T),$(T),tests/properties tests/invariants)

nightly: setup ## the property tests with ten times the examples and new random ones
	$(BIN)/pytest --hypothesis-profile nightly -n auto --timeout 3600 $(if $(T),$(T),tests)

lock: setup ## resolve the lock files again; newest versions: make lock UPGRADE=1
	scripts/lock.sh $(if $(UPGRADE),--upgrade)

dist: setup ## build wheel and sdist, install each in isolation, run the demo
	$(BIN)/python scripts/check_distribution.py

clean: ## remove everything that was made here
	rm -rf .venv build dist site .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .benchmarks
