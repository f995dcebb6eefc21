"""Recognisers that are extras: Whisper and Moonshine hear real voices, where package and model are there."""

import asyncio
import hashlib
import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from vivavoce.audio.recognition import Hypothesis, Recogniser, RecognitionError
from vivavoce.audio.sound import Sound, joined, silence
from vivavoce.audio.speech import make_recogniser, make_synthesiser
from vivavoce.core.errors import InputError
from vivavoce.core.extras import install_command
from vivavoce.core.text import normalise_value
from vivavoce_speech.engines.whisper import RATE_HZ, windows

MODEL = os.environ.get("VIVAVOCE_WHISPER_MODEL", "")
whisper_there = pytest.mark.skipif(
    not MODEL or find_spec("faster_whisper") is None,
    reason="needs the extra `whisper` and a model's folder in VIVAVOCE_WHISPER_MODEL",
)
moonshine_there = pytest.mark.skipif(
    find_spec("moonshine_voice") is None, reason="needs the extra `moonshine`"
)
festival_there = pytest.mark.skipif(shutil.which("text2wave") is None, reason="needs the program festival")


def spoken(text: str, voice: str = "flite", language: str = "en") -> Sound:
    return asyncio.run(make_synthesiser(voice).speak(text, language=language))


def heard(recogniser: Recogniser, sound: Sound, language: str = "en") -> tuple[Hypothesis, ...]:
    return asyncio.run(recogniser.recognise(sound, language=language))


def plain(text: str) -> str:
    return normalise_value(text.replace(",", ""))


@pytest.fixture(scope="module")
def whisper() -> Recogniser:
    digest = hashlib.sha256(Path(MODEL, "model.bin").read_bytes()).hexdigest()
    return make_recogniser(
        {"use": "whisper", "model": MODEL, "sha256": digest, "prompt": "Ristorante economico, zona nord."}
    )


@festival_there
@whisper_there
def test_whisper_hears_italian_with_ranked_hypotheses(whisper: Recogniser) -> None:
    said = "Vorrei un ristorante economico nella zona nord."
    found = heard(whisper, spoken(said, "festival", "it"), "it-IT")
    assert plain(found[0].text) == plain(said)
    confidences = [one.confidence or 0.0 for one in found]
    assert 1 < len(found) <= 5
    assert confidences == sorted(confidences, reverse=True)
    assert all(0 < one <= 1 for one in confidences)
    assert len({normalise_value(one.text) for one in found}) == len(found)


@whisper_there
def test_whisper_hears_more_than_its_window_and_nothing_in_no_sound(whisper: Recogniser) -> None:
    first, second = spoken("I want a cheap restaurant."), spoken("Thank you, good bye.")
    (found,) = heard(whisper, joined([first, silence(30.0, RATE_HZ), second], RATE_HZ))
    assert "cheap restaurant" in plain(found.text)
    assert "thank you" in plain(found.text)
    assert heard(whisper, Sound(np.zeros(0, np.int16), RATE_HZ)) == ()
    with pytest.raises(RecognitionError, match="does not support 'xx'"):
        heard(whisper, first, "xx")


@whisper_there
def test_another_model_than_the_pinned_one_is_refused_and_its_hash_told() -> None:
    with pytest.raises(InputError) as caught:
        make_recogniser({"use": "whisper", "model": MODEL, "sha256": "0" * 64})
    digest = hashlib.sha256(Path(MODEL, "model.bin").read_bytes()).hexdigest()
    assert digest in str(caught.value)


@pytest.mark.skipif(find_spec("faster_whisper") is None, reason="needs the extra `whisper`")
def test_a_folder_that_holds_no_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model\.bin: file not found"):
        make_recogniser({"use": "whisper", "model": str(tmp_path), "sha256": "0" * 64})
    (tmp_path / "model.bin").write_bytes(b"nothing")
    pinned = {"use": "whisper", "model": ".", "sha256": hashlib.sha256(b"nothing").hexdigest()}
    with pytest.raises(InputError, match="Whisper model"):
        make_recogniser(pinned, folder=tmp_path)


@pytest.mark.parametrize(
    ("name", "package"), [("whisper", "faster_whisper"), ("moonshine", "moonshine_voice")]
)
def test_a_recogniser_without_its_package_says_what_to_install(name: str, package: str) -> None:
    if find_spec(package) is not None:
        pytest.skip(f"{package} is installed")
    settings = {"use": name} | ({"model": "x", "sha256": "y"} if name == "whisper" else {})
    with pytest.raises(InputError, match=re.escape(install_command(name))):
        make_recogniser(settings)


def test_a_long_sound_is_cut_where_it_is_quiet_and_loses_nothing() -> None:
    random = np.random.default_rng(2)
    values = random.normal(size=75 * RATE_HZ).astype(np.float32)
    values[25 * RATE_HZ : 26 * RATE_HZ] = 0
    pieces = windows(values)
    assert np.array_equal(np.concatenate(pieces), values)
    assert all(len(piece) <= 30 * RATE_HZ for piece in pieces)
    assert 25 * RATE_HZ <= len(pieces[0]) <= 26 * RATE_HZ


@moonshine_there
def test_moonshine_hears_english_and_nothing_else() -> None:
    recogniser = make_recogniser("moonshine")
    (found,) = heard(recogniser, spoken("No, Chinese food please."))
    assert plain(found.text) == "no chinese food please"
    assert found.confidence is None
    assert heard(recogniser, silence(1.0, RATE_HZ)) == ()
    with pytest.raises(RecognitionError, match="hears 'en', not 'it'"):
        heard(recogniser, spoken("Yes."), "it")
    asyncio.run(recogniser.close())


def test_a_model_of_ones_own_for_moonshine_needs_its_hash() -> None:
    with pytest.raises(InputError, match="model and sha256 must be set together"):
        make_recogniser({"use": "moonshine", "model": "somewhere"})
