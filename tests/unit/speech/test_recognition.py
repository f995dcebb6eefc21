"""Recognisers: what was said comes back with confidences; what is wrong in the settings is named."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from scenes.packages import put_package
from vivavoce.audio.recognition import Hypothesis, Recogniser, RecognitionError
from vivavoce.audio.sound import Sound
from vivavoce.audio.speech import make_recogniser, make_synthesiser
from vivavoce.core.errors import InputError
from vivavoce_speech.engines.pocketsphinx import trigram_model

SENTENCES = """I am looking for a cheap restaurant in the north.
I would like moderately priced Italian food.
What is the phone number?
Is there a trattoria near the river?
Thank you, goodbye!
"""
TELEPHONE_HZ = 8000


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("domain") / "sentences.txt"
    path.write_text(SENTENCES)
    return path


@pytest.fixture(scope="module")
def recogniser(sentences: Path) -> Recogniser:
    return make_recogniser({"use": "pocketsphinx", "sentences": sentences.name}, folder=sentences.parent)


def spoken(text: str) -> Sound:
    return asyncio.run(make_synthesiser("flite").speak(text, language="en")).at(TELEPHONE_HZ)


def heard(recogniser: Recogniser, sound: Sound) -> tuple[Hypothesis, ...]:
    return asyncio.run(recogniser.recognise(sound, language="en-GB"))


def test_sentences_of_the_domain_are_heard_over_a_telephone(recogniser: Recogniser) -> None:
    for line in SENTENCES.splitlines():
        words = "".join(ch for ch in line.lower() if ch.isalpha() or ch == " ")
        assert heard(recogniser, spoken(line))[0].text == words


def test_hypotheses_are_different_ranked_and_share_one_probability(recogniser: Recogniser) -> None:
    found = heard(recogniser, spoken("what is the phone number"))
    confidences = [one.confidence or 0.0 for one in found]
    assert 1 < len(found) <= 5
    assert len({one.text for one in found}) == len(found)
    assert confidences == sorted(confidences, reverse=True)
    assert 0.3 < sum(confidences) <= 1.0 + 1e-9


def test_one_caller_does_not_change_what_the_next_is_heard_to_say(recogniser: Recogniser) -> None:
    sound = spoken("what is the phone number")
    before = heard(recogniser, sound)
    heard(recogniser, Sound((spoken("thank you goodbye").samples // 20).astype(np.int16), TELEPHONE_HZ))
    assert heard(recogniser, sound) == before


def test_several_callers_are_heard_at_once(recogniser: Recogniser) -> None:
    sound = spoken("thank you goodbye")

    async def together() -> list[tuple[Hypothesis, ...]]:
        return list(await asyncio.gather(*(recogniser.recognise(sound, language="en") for _ in range(3))))

    assert [found[0].text for found in asyncio.run(together())] == ["thank you goodbye"] * 3


def test_silence_is_not_understood_and_no_sound_gives_no_hypothesis(recogniser: Recogniser) -> None:
    assert heard(recogniser, Sound(np.zeros(0, np.int16), TELEPHONE_HZ)) == ()


def test_another_language_than_english_is_refused(recogniser: Recogniser) -> None:
    with pytest.raises(RecognitionError, match="English, not 'it'"):
        asyncio.run(recogniser.recognise(spoken("thank you"), language="it"))


def test_a_grammar_admits_only_its_sentences(tmp_path: Path) -> None:
    (tmp_path / "wish.jsgf").write_text(
        "#JSGF V1.0;\ngrammar wish;\npublic <wish> = i want [a | an] <price> <kind>;\n"
        "<price> = cheap | expensive;\n<kind> = restaurant | pub | trattoria;\n"
    )
    recogniser = make_recogniser({"use": "pocketsphinx", "grammar": "wish.jsgf"}, folder=tmp_path)
    assert heard(recogniser, spoken("I want an expensive pub"))[0].text == "i want an expensive pub"


def test_the_model_of_a_domain_knows_its_words_and_only_those() -> None:
    model = trigram_model("Ärger, one TWO\none two")
    unigrams = model.partition("\\1-grams:")[2].partition("\\2-grams:")[0]
    words = {line.split()[1] for line in unigrams.splitlines() if len(line.split()) > 1}
    assert words == {"<s>", "</s>", "one", "two", "rger"}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("pocketsfinx", "unknown recogniser 'pocketsfinx'. Did you mean 'pocketsphinx'"),
        ({}, "'use' is missing"),
        ({"use": "pocketsphinx", "sentence": "x"}, "unknown key 'sentence'. Did you mean 'sentences'"),
        ({"use": "pocketsphinx", "sentences": "none.txt"}, "none.txt: cannot read"),
        ({"use": "pocketsphinx", "sentences": "x", "model": "y"}, "cannot be combined"),
    ],
)
def test_a_mistake_in_the_settings_is_named_with_its_cure(
    settings: object, words: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        make_recogniser(settings, folder=tmp_path)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_a_file_without_sentences_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("123\n\n")
    with pytest.raises(InputError, match="the file has no sentences"):
        make_recogniser({"use": "pocketsphinx", "sentences": "empty.txt"}, folder=tmp_path)


def test_a_package_whose_recogniser_is_broken_is_named_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = {"cracked": "cracked_ears:Ears"}
    package = put_package(tmp_path, "cracked-ears", "vivavoce.recognisers", point, "import nowhere")
    monkeypatch.syspath_prepend(str(package))
    with pytest.raises(InputError, match=r"^voice use: recogniser 'cracked' of the package cracked-ears"):
        make_recogniser("cracked", place="voice")
