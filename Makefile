# Every target is a script, so that people, pre-commit and .ci/run do the same thing.
.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint types fmt env

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: env  ## fetch the model and watch it complete, fill and rewrite, through the server
	@scripts/demo

test: env lint types  ## lint, types and every quick test
	@scripts/test

test-slow: env  ## the tests that take longer
	@scripts/test-slow

lint: env  ## formatting and lint rules, nothing is changed
	@scripts/lint

types: env  ## mypy --strict
	@scripts/types

fmt: env  ## format and fix what can be fixed
	@scripts/lint --fix

env:  ## make or refresh .venv
	@scripts/venv
