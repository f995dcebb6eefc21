#!/usr/bin/env bash
# Writes the pinned, hashed requirement files from pyproject.toml. Needs uv (pip install uv).
# First everything, then what runs within it, so that both agree.
set -euo pipefail
cd "$(dirname "$0")/.."
common=(--generate-hashes --no-header --no-emit-index-url --no-emit-find-links --no-annotate --universal --python-version 3.11)
uv pip compile pyproject.toml --extra all --extra build --extra english-parser --extra dev --extra docs "${common[@]}" -o requirements/dev.txt "$@" >/dev/null
uv pip compile pyproject.toml --extra all --extra build --extra english-parser -c requirements/dev.txt "${common[@]}" -o requirements/run.txt "$@" >/dev/null
# what make counterparts installs, each in an environment of its own; Rasa needs Python 3.10
for own in dialogflow openai; do
  uv pip compile "requirements/$own.in" "${common[@]}" -o "requirements/$own.txt" "$@" >/dev/null
done
rasa=(--generate-hashes --no-header --no-emit-index-url --no-emit-find-links --no-annotate --python-version 3.10)
uv pip compile requirements/rasa.in "${rasa[@]}" -o requirements/rasa.txt "$@" >/dev/null
