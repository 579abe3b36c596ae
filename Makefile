# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test lint bench clean help

help:
	@echo "make demo    install into $(VENV), learn the bundled history, answer three questions with the local model"
	@echo "make test    install the test tools, check style, types and layers, run all tests"
	@echo "make lint    style, types and layers alone"
	@echo "make bench   speed, size and quality figures on public data (SQLORE_DATA=FOLDER)"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --editable '.[local,serve]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	$(PIP) install --quiet --editable '.[local,serve,dev]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	$(BIN)/sqlore models fetch
	$(BIN)/sqlore demo

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests demo tools
	$(BIN)/ruff format --check src tests demo tools
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n 2

bench: $(VENV)/.installed-dev
	$(BIN)/python tests/bench/run.py

clean:
	rm -rf .sqlore runs dist build demo/shop.sqlite*
