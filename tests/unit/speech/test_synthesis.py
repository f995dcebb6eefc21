"""Synthesisers: programs beside us, and recordings found by their words."""

import asyncio
import shutil
from pathlib import Path

import numpy as np
import pytest

from vivavoce.audio.files import write_sound
from vivavoce.audio.sound import Sound
from vivavoce.audio.speech import make_synthesiser
from vivavoce.audio.ssml import in_one
from vivavoce.audio.synthesis import SynthesisError, reads_ssml
from vivavoce.core.errors import InputError
from vivavoce.log.events import LoggedMessage, SystemTurnReceived
from vivavoce_speech.dialogue.turn_taking import spoken_text


def spoken(raw: object, text: str, language: str = "en", folder: Path | None = None) -> Sound:
    synthesiser = make_synthesiser(raw, folder=folder)  # type: ignore[arg-type]
    return asyncio.run(synthesiser.speak(text, language=language))


@pytest.mark.parametrize("name", ["flite", "espeak-ng"])
def test_a_longer_text_takes_longer_to_say_and_slower_speech_longer_still(name: str) -> None:
    short, long = spoken(name, "Hello."), spoken(name, "Hello, this is a longer sentence.")
    slow = spoken({"use": name, "speed": 0.6}, "Hello, this is a longer sentence.")
    assert 0.2 < short.duration_s < long.duration_s < slow.duration_s
    assert np.abs(long.samples).max() > 1000


def test_a_text_cannot_become_an_option_or_a_command() -> None:
    for text in ("-o /tmp/elsewhere.wav", "$(touch here); `id`", "--setf x"):
        assert spoken("flite", text).duration_s > 0.2


def test_espeak_speaks_italian_and_flite_says_that_it_does_not() -> None:
    assert spoken("espeak-ng", "Buongiorno a tutti.", "it").duration_s > 0.5
    with pytest.raises(SynthesisError, match="English, not 'it'"):
        spoken("flite", "Buongiorno.", "it")


def test_an_unknown_voice_or_language_is_an_error_in_words() -> None:
    with pytest.raises(SynthesisError, match="espeak-ng failed"):
        spoken({"use": "espeak-ng", "voice": "nobody-speaks-so"}, "Hello.")


def test_no_words_are_no_sound() -> None:
    assert spoken("flite", " \n ").duration_s == 0


def test_recorded_sentences_are_found_by_their_words_and_others_are_synthesised(tmp_path: Path) -> None:
    (tmp_path / "prompts" / "en").mkdir(parents=True)
    recorded = Sound(np.arange(1600, dtype=np.int16), 16_000)
    write_sound(recorded, tmp_path / "prompts" / "en" / "thank you good bye.wav")
    settings = {"use": "prompts", "folder": "prompts", "otherwise": "flite"}
    assert np.array_equal(
        spoken(settings, "Thank you - good bye!", folder=tmp_path).samples, recorded.samples
    )
    assert spoken(settings, "Something else.", folder=tmp_path).duration_s > 0.3
    with pytest.raises(SynthesisError, match="no recording of 'something else' in 'en'"):
        spoken({"use": "prompts", "folder": "prompts"}, "Something else.", folder=tmp_path)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("flight", "Did you mean 'flite'"),
        ({"use": "prompts", "folder": "nowhere"}, "not found"),
        ({"use": "flite", "speed": 9}, "speed"),
    ],
)
def test_a_mistake_in_the_settings_is_named(settings: object, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        make_synthesiser(settings, folder=tmp_path)  # type: ignore[arg-type]
    assert words in str(caught.value)


def test_a_program_that_is_not_there_is_named_with_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError, match="apt install flite"):
        make_synthesiser("flite")


@pytest.mark.skipif(shutil.which("text2wave") is None, reason="needs the program festival")
def test_festival_speaks_italian_and_takes_no_scheme_for_a_voice() -> None:
    short, long = (spoken("festival", text, "it") for text in ("Sì.", "Perché no? Così è più facile → ok."))
    assert 0.2 < short.duration_s < long.duration_s
    assert spoken({"use": "festival", "speed": 0.5}, "Sì.", "it").duration_s > short.duration_s
    assert spoken("festival", '(system "touch /tmp/x") "; (quit)', "it").duration_s > 0.5
    with pytest.raises(SynthesisError, match="a voice"):
        spoken({"use": "festival", "voice": 'x) (system "id")'}, "Sì.", "it")
    with pytest.raises(SynthesisError, match="festival supports en, it, not 'de'"):
        spoken("festival", "Ja.", "de")


def test_a_voice_that_understands_markup_is_given_it_and_pauses_where_it_says() -> None:
    words = "Good day to you."
    marked = '<speak>Good day<break time="2s"/> to you.</speak>'
    turn = SystemTurnReceived(
        dialogue_id="d", turn_index=1, reply_to=None, messages=[LoggedMessage(text=words, ssml=marked)]
    )
    espeak, flite = (make_synthesiser(name) for name in ("espeak-ng", "flite"))
    assert spoken_text(turn, marked=reads_ssml(flite)) == words
    said = spoken_text(turn, marked=reads_ssml(espeak))
    longer_s = spoken("espeak-ng", said).duration_s - spoken("espeak-ng", words).duration_s
    assert 1.7 < longer_s < 2.6


def test_plain_messages_beside_marked_ones_are_said_as_text() -> None:
    assert in_one([("a < b", None), ("Hi", '<speak xml:lang="en">Hi<break/></speak> ')]) == (
        "<speak>a &lt; b Hi<break/></speak>"
    )
    assert in_one([("a < b", None), ("", None)]) == "a < b"
