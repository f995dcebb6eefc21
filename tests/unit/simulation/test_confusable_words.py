"""What words are taken for: those spelt alike, or those that sound alike."""

import sys
from random import Random

import pytest

from vivavoce.core.errors import InputError
from vivavoce.languages.data import SimulatedSpeech
from vivavoce.simulation.asr_channel import ASRChannel
from vivavoce.simulation.confusable_words import neighbours
from vivavoce.simulation.domain import load_domain

ITALIAN = SimulatedSpeech.or_english("it").sounds


@pytest.mark.parametrize(
    ("word", "known", "first"),
    [
        ("knight", ["night", "knit", "king"], "night"),
        ("write", ["white", "right", "bite"], "right"),
        ("sea", ["see", "seal", "tea"], "see"),
    ],
)
def test_english_words_of_one_sound_come_first_however_they_are_spelt(
    word: str, known: list[str], first: str
) -> None:
    pytest.importorskip("jellyfish", reason="comes with vivavoce[sound]")
    assert neighbours(word, known, (), "sound")[0] == first


@pytest.mark.parametrize(
    ("word", "known", "first"),
    [
        ("cuoco", ["quoco", "cucco", "fuoco"], "quoco"),
        ("hanno", ["anno", "hanna", "banno"], "anno"),
        ("chi", ["ki", "ci", "che"], "ki"),
    ],
)
def test_italian_words_are_compared_as_they_sound(word: str, known: list[str], first: str) -> None:
    assert neighbours(word, known, ITALIAN, "sound")[0] == first


def test_a_word_is_never_taken_for_itself_and_spelling_stays_the_rule() -> None:
    for by in ("spelling", "sound"):
        found = neighbours("casa", ["casa", "cosa", "cassa", "cane"], ITALIAN, by)
        assert "casa" not in found and set(found) <= {"cosa", "cassa", "cane"}
    assert neighbours("casa", ["casa", "cassa", "cosa"], ITALIAN, "sound")[0] == "cassa"


def test_a_channel_by_sound_makes_as_much_noise_and_other_mistakes() -> None:
    telco = load_domain("telco")
    said = "vorrei sapere quanto credito ho per favore"
    by_spelling = [
        one.text for n in range(80) for one in ASRChannel(telco, "it", 0.5).hear(said, Random(n))[:1]
    ]
    channel = ASRChannel(telco, "it", 0.5, confusions="sound")
    by_sound = [one.text for n in range(80) for one in channel.hear(said, Random(n))[:1]]
    assert by_sound != by_spelling
    assert by_sound == [one.text for n in range(80) for one in channel.hear(said, Random(n))[:1]]


def test_without_the_package_the_cure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jellyfish", None)
    with pytest.raises(InputError, match=r"\[sound\]"):
        neighbours("night", ["knight"], (), "sound")
