"""A language is one file: the worked example of the documentation, and mistakes in such a file."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vivavoce.core.errors import DuplicateName, InputError
from vivavoce_stress.base import LANGUAGES, Utterance
from vivavoce_stress.language_file import FOLDER, load_language
from vivavoce_stress.packs import Capability, add_language, make_pack, pack_of
from vivavoce_stress.propose import propose

SPANISH = Path(__file__).resolve().parents[3] / "docs/how-to/spanish.yaml"


def test_spanish_from_the_documentation_proposes_what_a_spaniard_expects() -> None:
    for test, said, previous, expected in [
        ("ST-1", "vamos a ver", None, "vamos haber"),
        ("ST-1", "¿hay mesas?", None, "¿ahí mesas?"),
        ("ST-2", "quiero hacer una reserva", None, "quiero acer una reserva"),
        ("ST-2", "me llamo Ana", None, "me yamo Ana"),
        ("ST-2", "una habitación", None, "una havitación"),
        ("ST-3", "una habitación", None, "una habitacion"),
        ("ST-3", "para mañana", None, "para manana"),
        ("ST-4", "una reserva", None, "una resevra"),
        ("ST-6", "aparcar el coche", None, "aparcar el carro"),
        ("ST-6", "quiero cenar", None, "quisiera cenar"),
        ("ST-10", "barcelona, gracias", "¿Madrid o Barcelona?", "el segundo, gracias"),
    ]:
        utterance = Utterance(text=said, language="es", previous=previous)
        found = propose(utterance, [test], pack=make_pack(SPANISH))
        assert expected in [one.text for one in found.variants]


def test_a_misspelling_that_is_a_spanish_word_is_dropped() -> None:
    found = propose(Utterance(text="tengo una baca", language="es"), ["ST-2"], pack=make_pack(SPANISH))
    assert "tengo una vaca" not in [one.text for one in found.variants]
    assert found.dropped == {"the misspelling is a real word": 1}


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("ST-5", "no rules for language 'es'"),
        ("ST-8", "no rules for language 'es'"),
        ("ST-7", "language file Spanish has no wordnet"),
    ],
)
def test_what_the_language_cannot_do_is_not_applicable_with_the_reason(test: str, reason: str) -> None:
    found = propose(Utterance(text="quiero ir a Roma", language="es"), [test], pack=make_pack(SPANISH))
    assert [one.reason for one in found.not_applicable] == [reason]


def test_without_the_english_parser_syntax_is_not_applicable_and_spelling_goes_on() -> None:
    lacking = Capability(lambda: None, ("no_such_parser",), "it is not installed: pip install it")
    pack = make_pack(FOLDER / "en.yaml", parser=lacking)
    found = propose(Utterance(text="I would like a different address there", language="en"), pack=pack)
    reasons = {one.test: one.reason for one in found.not_applicable}
    assert all("not installed: pip install" in reasons[test] for test in ("ST-5", "ST-8", "ST-9", "ST-11"))
    assert {"ST-1", "ST-2", "ST-4", "ST-6"} <= {one.test for one in found.variants}


def test_threads_that_ask_for_a_language_at_once_share_its_pack(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LANGUAGES, "_entries", {})
    with ThreadPoolExecutor(8) as pool:
        packs = list(pool.map(pack_of, ["it"] * 16))
    assert all(one is packs[0] for one in packs)


def test_an_added_language_is_known_everywhere_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LANGUAGES, "_entries", dict(LANGUAGES))
    add_language(SPANISH)
    assert propose(Utterance(text="una reserva", language="es"), ["ST-4"]).variants
    with pytest.raises(DuplicateName, match="es"):
        add_language(SPANISH)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("confusion: []\n", "own.yaml:4.*Did you mean 'confusions'"),
        ("keyboard: 3\n", "own.yaml:4.*a list"),
        ("misspellings: [{name: a, pattern: '(', becomes: b, confidence: .5}]\n", "own.yaml:4.*regular"),
        ("misspellings: [{name: a, pattern: a, becomes: '\\2', confidence: .5}]\n", "own.yaml:4.*group ref"),
    ],
)
def test_a_mistake_in_a_language_file_is_one_line_with_its_place(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("language: xx\nname: X\nfunction_words: []\n" + content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_language(path)
