"""Damage as a factor: who hears it, who does not, and that it can be made again."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from scenes.visits import make_study
from vivavoce.audio.files import encode_sound
from vivavoce.audio.recognition import Hypothesis
from vivavoce.audio.sound import Sound
from vivavoce.log.history import DialogueHistory
from vivavoce.study.degradation import DamagePlan
from vivavoce.study.load import check_study
from vivavoce.study.model import Study
from vivavoce.trial.system_audio import as_heard
from vivavoce_speech.dialogue.degraded_line import ears
from vivavoce_speech.dialogue.voice_turns import Voices

START = datetime(2026, 1, 1, tzinfo=UTC)
TONE = Sound((5000 * np.sin(np.arange(8000) / 5)).astype(np.int16), 16_000)
PLAN = DamagePlan.model_validate({"factor": "line", "levels": {"noisy": {"snr_db": 5}, "clean": {}}})


class TcpServer:
    """A recogniser that keeps what it hears."""

    def __init__(self) -> None:
        self.sounds: list[Sound] = []

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        self.sounds.append(sound)
        return (Hypothesis("yes"),)

    async def close(self) -> None: ...


def dialogue(system: str, dialogue_id: str = "d1") -> DialogueHistory:
    return DialogueHistory(START, dialogue_id, 0, 0, system, None, None, "voice", True, False, "en", "c")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    factors = {"one": {"line": "clean"}, "two": {"line": "noisy"}}
    return make_study(tmp_path, factors=factors, degradation=PLAN)


def test_only_the_condition_with_damage_hears_it_and_each_dialogue_its_own(study: Study) -> None:
    assert as_heard(TONE, study, dialogue("one")) is TONE
    assert as_heard(TONE, study, None) is TONE
    noisy, again, other = (as_heard(TONE, study, dialogue("two", one)).samples for one in ("d1", "d1", "d2"))
    assert np.array_equal(noisy, again)
    assert not np.array_equal(noisy, other)
    noise = np.mean((noisy.astype(float) - TONE.samples) ** 2)
    assert 10 * np.log10(np.mean(TONE.samples.astype(float) ** 2) / noise) == pytest.approx(5, abs=0.5)


def test_a_recogniser_listens_through_the_damage(study: Study) -> None:
    listener = TcpServer()
    assert ears(listener, study, dialogue("one")) is listener
    asyncio.run(ears(listener, study, dialogue("two")).recognise(TONE, language="en"))
    assert np.array_equal(listener.sounds[0].samples, as_heard(TONE, study, dialogue("two")).samples)


def test_a_turn_that_was_pressed_is_heard_as_its_condition_has_it(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener, voices = TcpServer(), Voices(study)
    monkeypatch.setattr(voices, "listener", lambda language: listener)
    for system in ("one", "two"):
        asyncio.run(voices.recognise(encode_sound(TONE), "en", dialogue(system)))
    clean, noisy = listener.sounds
    assert np.array_equal(clean.samples, TONE.samples)
    assert np.array_equal(noisy.samples, as_heard(TONE, study, dialogue("two")).samples)


STUDY = """\
study: s
systems:
  plain: {connect: http, url: "https://bot.example", input: x, output: y, factors: {line: clean}}
  noisy: {connect: http, url: "https://bot.example", input: x, output: y, factors: {line: noisy}}
degradation: DAMAGE
visit:
  - dialogue: {channel: CHANNEL}
"""


@pytest.mark.parametrize(
    ("damage", "channel", "told"),
    [
        ("{factor: line, levels: {noisy: {snr_db: 5}}}", "voice", None),
        ("{factor: lin, levels: {noisy: {snr_db: 5}}}", "voice", "no system has a factor 'lin'"),
        ("{factor: line, levels: {noissy: {}}}", "voice", "no system has this level of 'line'. Did you"),
        ("{factor: line, levels: {noisy: {snr: 5}}}", "voice", "unknown key 'snr'. Did you mean 'snr_db'"),
        ("{factor: line, levels: {noisy: {snr_db: 5}}}", "text", "this study has no spoken dialogue"),
        ("{factor: line, answers: {noisy: {telephone: true}}}", "voice", None),
        ("{factor: line, answers: {noissy: {}}}", "voice", "no system has this level of 'line'. Did you"),
        ("{factor: line}", "voice", "degrades nothing"),
    ],
)
def test_damage_that_nobody_would_hear_is_named(
    damage: str, channel: str, told: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(STUDY.replace("DAMAGE", damage).replace("CHANNEL", channel), encoding="utf-8")
    problems = [str(problem) for problem in check_study(path)]
    assert problems == [] if told is None else any(told in problem for problem in problems)
