# One command file: people and CI call the same targets. Each makes what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORPUS ?=
SCALE ?=
FREEZE ?=
SANITIZE ?= address,undefined
# Which modules there are: an editable install remembers where it found each, so it is made anew when one comes or goes.
MODULES := $(VENV)/.modules-$(shell find src -name '*.py' 2>/dev/null | LC_ALL=C sort | cksum | cut -d' ' -f1)
NATIVE := CMakeLists.txt $(shell find native -type f 2>/dev/null)

# Where the environment forbids bytecode, each of the hundreds of nearkins that tests start would be compiled again, a
# quarter of its start, and all tests by each test process: 15 s of CPU instead of 7.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench bench-scale soak sanitize docs golden freeze clean build

help:
	@echo "make demo   build nearkin, scan a sample repository, show the result and how right it was"
	@echo "make test   lint and all tests"
	@echo "make lint   ruff, mypy --strict, import-linter"
	@echo "make bench  speed, memory, precision and recall beside other tools (CORPUS=folder of HTML)"
	@echo "make bench-scale  growth to 1,000,000 documents, beside other tools and DuckDB (SCALE='--only growth')"
	@echo "make soak   long fault and fuzz runs"
	@echo "make sanitize  tests of the native core, compiled to watch memory and arithmetic (SANITIZE=thread: races)"
	@echo "make docs   run every example in docs/ and README.md"
	@echo "make golden freeze the signatures of schemes that have no golden vector yet (SPEC=one spec)"
	@echo "make freeze compare every listing with its frozen digest (FREEZE=--quick, '--only made/exact --keep DIR')"
	@echo "make clean  remove what make made"

$(VENV)/.system: tools/system.sh
	@PYTHON="$(PYTHON)" sh tools/system.sh
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@touch $@

# What builds nearkin comes first and alone: the build can then begin while all else is installed.
$(VENV)/.tools: $(VENV)/.system pyproject.toml tools/needs.py
	@echo "installing what builds nearkin into $(VENV)"
	@$(BIN)/python tools/needs.py build > $(VENV)/tools.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip -r $(VENV)/tools.txt
	@touch $@

$(VENV)/.needs: $(VENV)/.tools
	@echo "installing what nearkin and its tests need into $(VENV)"
	@$(BIN)/python tools/needs.py run dev > $(VENV)/needs.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/needs.txt
	@touch $@

$(MODULES): | $(VENV)/.tools
	@rm -f $(VENV)/.modules-*
	@touch $@

# Without make's flags: ninja would read from them that it may run no more compilers than make runs targets.
$(VENV)/.built: $(VENV)/.tools $(MODULES) $(NATIVE)
	@echo "building nearkin"
	@MAKEFLAGS= $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/.peers: $(VENV)/.built $(VENV)/.needs
	@$(BIN)/python tools/needs.py bench > $(VENV)/peers.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/peers.txt
	@touch $@

build: $(VENV)/.built $(VENV)/.needs

demo: build
	@$(BIN)/python -m nearkin.sample.judge

# Reads sources only, so it needs no build.
lint: $(VENV)/.needs
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@PYTHONPATH=src $(BIN)/lint-imports

# Installing and linting take 43 CPU seconds on one core, compiling uses all: they run side by side, then the tests.
# Workers write no bytecode, so it is made before.
test:
	@$(MAKE) --no-print-directory --jobs=2 build lint
	@$(BIN)/python -m compileall -q src
	@$(BIN)/python -m pytest -m "not soak"

soak: build
	@$(BIN)/python -m pytest -m soak -n 2

# A build and an environment of their own. The sanitizer must be loaded before Python, and the C++ library with it, or it
# cannot follow exceptions. Which tests are skipped, and why, is in tests/sanitized.py.
comma := ,
SANITIZED := sanitize-$(subst $(comma),-,$(SANITIZE))
SANITIZER := $(if $(filter thread,$(SANITIZE)),libtsan.so,libasan.so)
SANITIZED_TESTS ?= $(addprefix tests/,engine group matching read scheme store text)

sanitize:
	@SKBUILD_BUILD_DIR=build/$(SANITIZED) SKBUILD_CMAKE_DEFINE="NEARKIN_SANITIZE=$(SANITIZE)" \
	    $(MAKE) --no-print-directory VENV=.venv-$(SANITIZED) build
	@LD_PRELOAD="$$($(CXX) -print-file-name=$(SANITIZER)) $$($(CXX) -print-file-name=libstdc++.so.6)" \
	    ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=suppressions=tests/thread.supp PYTHONPATH=tests \
	    .venv-$(SANITIZED)/bin/python -m pytest -p sanitized -rs -m "not soak" $(SANITIZED_TESTS)

docs: build
	@$(BIN)/python -m pytest tests/test_docs.py

golden: build
	@$(BIN)/python tools/golden.py $(if $(SPEC),'$(SPEC)')

freeze: build
	@$(BIN)/python tools/freeze.py $(FREEZE) > /dev/null

bench: $(VENV)/.peers
	@$(BIN)/python -m bench $(if $(CORPUS),--corpus $(CORPUS))

bench-scale: $(VENV)/.peers
	@$(BIN)/python -m bench.scale $(SCALE)

clean:
	rm -rf $(VENV) .venv-sanitize-* build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis demo-repository demo-repository.db*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
