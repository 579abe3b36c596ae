# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo serve test lint bench web web-test clean help

help:
	@echo "make demo    install into $(VENV), learn the bundled history, answer three questions with the local model"
	@echo "make serve   build the web app where it is not built (Node 20 or later), and serve the demo's database"
	@echo "make test    install the test tools, check style, types and layers, run all tests"
	@echo "make lint    style, types and layers alone"
	@echo "make web     build the web app of sqlore serve (needs Node 20 or later)"
	@echo "make bench   speed, size and quality figures on public data (SQLORE_DATA=FOLDER)"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing sqlore and its libraries into $(VENV): a minute or a few"
	$(PIP) install --quiet --editable '.[local,serve]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing sqlore, its libraries and its test tools into $(VENV): a minute or a few"
	$(PIP) install --quiet --editable '.[local,serve,dev]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed
	$(BIN)/sqlore models fetch
	$(BIN)/sqlore demo

serve: $(VENV)/.installed web
	$(BIN)/sqlore demo --learn-only
	$(BIN)/sqlore serve --db demo/shop.sqlite

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check src tests demo tools
	$(BIN)/ruff format --check src tests demo tools
	$(BIN)/mypy
	$(BIN)/lint-imports

# the web app is built and tested where Node is there
test: lint $(if $(shell command -v npm),web-test)
	$(BIN)/pytest -n 2

# ---- the web app: types from the API's OpenAPI document, files into the package
STATIC := src/sqlore/interfaces/http/static
WEB_SOURCES := $(shell find web/src web/public web/index.html web/vite.config.ts -type f ! -name schema.d.ts 2>/dev/null)

web: $(STATIC)/index.html

web/node_modules/.installed: web/package-lock.json
	@command -v npm >/dev/null || { echo "the web app is built with Node 20 or later: install it (https://nodejs.org), then: make web"; exit 1; }
	cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

web/build/openapi.json: $(wildcard src/sqlore/interfaces/http/contract*.py src/sqlore/interfaces/http/routes*.py) | $(VENV)/.installed
	$(BIN)/python tools/openapi_document.py $@
	@touch $@

web/src/api/schema.d.ts: web/build/openapi.json web/node_modules/.installed
	cd web && npm run --silent types
	@touch $@

$(STATIC)/index.html: $(WEB_SOURCES) web/src/api/schema.d.ts
	cd web && npm run --silent build

# the browser tests say by themselves that they are skipped where there is no Chromium
web/build/.tested: $(STATIC)/index.html $(wildcard tests/browser/*.mjs) | $(VENV)/.installed-dev
	cd web && npm run --silent check && npm run --silent test && npm run --silent size && npm run --silent browser
	@touch $@

web-test: web/build/.tested

bench: $(VENV)/.installed-dev
	$(BIN)/python tests/bench/run.py

clean:
	rm -rf .sqlore runs dist build web/build $(STATIC) demo/shop.sqlite*
