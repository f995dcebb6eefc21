"""Studies to break: a folder with a study that runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from vivavoce.study.ontology import Ontology, load_ontology
from vivavoce.study.presets import ROOM

DOMAIN = ROOM / "domains" / "restaurants.yaml"

PLAIN = """\
study: plain
languages: [en]
systems:
  a: {connect: http, url: "http://127.0.0.1:9101/chat", title: First, factors: {nlg: template, list: nbest}}
  b: {connect: http, url: "http://127.0.0.1:9102/chat", factors: {nlg: learnt, list: nbest}}
visit:
  - consent: consent.md
  - dialogue: {repeat: 3..40, gate: code, nontrivial: {user_turns: 2}}
  - questionnaire: cambridge
  - questionnaire: {use: sus, about: dialogue}
  - questionnaire: idial
"""


@pytest.fixture(scope="session")
def marlowe() -> Ontology:
    return load_ontology(DOMAIN, ("en", "it"))


@pytest.fixture
def study_folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes a folder with a study file of this text, and other files by name."""

    def make(text: str = PLAIN, **files: str) -> Path:
        (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
        (tmp_path / "consent.md").write_text("# Consent\n", encoding="utf-8")
        for name, content in files.items():
            (tmp_path / f"{name.replace('_', '.')}").write_text(content, encoding="utf-8")
        return tmp_path

    return make


@pytest.fixture
def domain_text() -> str:
    return DOMAIN.read_text(encoding="utf-8")
