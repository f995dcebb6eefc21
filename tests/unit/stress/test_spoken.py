"""Stress tests by voice: the system gets what was spoken, damaged and recognised, and it is on record."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from unit.stress.conftest import case
from vivavoce.audio.files import write_sound
from vivavoce.audio.sound import Sound
from vivavoce.cli.main import app
from vivavoce.connectors.base import Act, Capabilities, Conversation, SystemOutput, UserTurn
from vivavoce.core.errors import InputError
from vivavoce.core.text import words
from vivavoce.log.store import Log
from vivavoce.log.stress_events import ReplayFinished, stress_rows, stress_stream
from vivavoce.study.model import Study
from vivavoce.study.voice import Voice
from vivavoce_stress.case import Case
from vivavoce_stress.cli.score import show
from vivavoce_stress.planning import by_voice
from vivavoce_stress.runs import CaseDone, Run, RunSettings
from vivavoce_stress.spoken import Speech, SpokenChannel, read_speech_file, speech_of

SENTENCES = "I want a cheap pub.\nI want an inexpensive pub.\nin the north\nthank you goodbye\n"
CASE = case("ST-5", "en", "I want a cheap pub", "I want an inexpensive pub", after=("thank you goodbye",))


class TcpServer:
    """A system that keeps the turns that it gets, and dies when it is told to."""

    def __init__(self, *, listens: bool = False, dies_after: int = 99) -> None:
        self.capabilities, self.dies_after = Capabilities(audio=listens, audio_rate_hz=8000), dies_after
        self.turns: list[UserTurn] = []

    async def open(self, conversation: Conversation) -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="message", text="Hello.")

    async def send(self, conversation: Conversation, turn: UserTurn) -> AsyncIterator[SystemOutput]:
        if len(self.turns) == self.dies_after:
            raise KeyboardInterrupt
        self.turns.append(turn)
        yield SystemOutput(kind="message", text="Yes.")
        yield SystemOutput(kind="extras", acts=(Act("affirm"),))

    async def reset(self, conversation: Conversation) -> None: ...
    async def close(self, conversation: Conversation) -> None: ...
    async def shut_down(self) -> None: ...


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("speech")
    (made / "sentences.txt").write_text(SENTENCES)
    return made


def speech(**more: Any) -> Speech:
    return Speech.model_validate(
        {"recogniser": {"use": "pocketsphinx", "sentences": "sentences.txt", "language_weight": 8.0}} | more
    )


def hold(
    log: Path, system: TcpServer, how: Speech, folder: Path, cases: Sequence[Case] = (CASE,)
) -> CaseDone:
    with Log.open(f"sqlite:///{log}") as opened:
        channel = SpokenChannel(how, ["en"], folder)
        run = Run(
            "toy", "bot", system, opened, cases, RunSettings(at_once=1, speech=how.facts()), say=channel.say
        )
        return asyncio.run(run.hold())


def record(log: Path) -> tuple[list[ReplayFinished], list[dict[str, Any]]]:
    with Log.open(f"sqlite:///{log}") as opened:
        events = list(opened.events(stress_stream("toy")))
    replays = [one.event for one in events if isinstance(one.event, ReplayFinished)]
    return replays, list(stress_rows(events))


def test_the_system_gets_what_was_recognised_and_all_of_it_is_on_record_and_resumed(
    folder: Path, tmp_path: Path
) -> None:
    log, damage = tmp_path / "log.sqlite", {"snr_db": 40.0, "noise": "babble", "loss": 0.01}
    first, second, how = TcpServer(dies_after=3), TcpServer(), speech(damage=damage)
    with pytest.raises(KeyboardInterrupt):
        hold(log, first, how, folder)
    done = hold(log, second, how, folder)
    assert (done.taken_over, done.begun_again, done.held) == (1, 1, 1)
    turns = [*first.turns[:2], *second.turns]
    assert [turn.text for turn in turns] == [
        "i want a cheap pub",
        "thank you goodbye",
        "i want an inexpensive pub",
        "thank you goodbye",
    ]
    assert all(turn.heard and turn.heard[0].text == turn.text and turn.audio is None for turn in turns)
    assert any(len(turn.heard) > 1 for turn in turns)
    (_, variant), (row,) = record(log)
    said = variant.turns[variant.injected or 0]
    assert said["text"] == CASE.variant
    assert [one["text"] for one in said["heard"]] == [one.text for one in turns[2].heard]
    assert said["speech"]["tries"] == 1 and said["speech"]["packets"] > 50
    assert said["speech"]["duration_s"] == pytest.approx(said["speech"]["packets"] * 0.02, abs=0.021)
    assert (row["clean_heard"], row["heard"]) == ("i want a cheap pub", "i want an inexpensive pub")
    stored = json.loads(row["speech"])
    assert stored["damage"] | damage == stored["damage"] and stored["synthesiser"] == "flite"
    assert json.loads(row["transcript"])[1]["heard"] == said["heard"]


@pytest.mark.long
def test_noise_that_covers_all_words_makes_other_words_of_them_and_a_plan_of_its_own(
    folder: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log.sqlite"
    hold(log, TcpServer(), speech(damage={"snr_db": -20, "noise": "white"}), folder)
    replays, (row,) = record(log)
    assert words(row["clean_heard"] or "") != words(CASE.original)
    assert replays[0].turns[1]["text"] == CASE.original


def test_an_utterance_of_which_nothing_is_recognised_reaches_nobody(folder: Path, tmp_path: Path) -> None:
    (folder / "en").mkdir(exist_ok=True)
    write_sound(Sound(np.zeros(0, np.int16), 16_000), folder / "en" / "nothing.wav")
    system, log = TcpServer(), tmp_path / "log.sqlite"
    how = speech(synthesiser={"use": "prompts", "folder": ".", "otherwise": "flite"})
    hold(log, system, how, folder, [case("ST-5", "en", "in the north", "nothing")])
    assert {turn.text for turn in system.turns} == {"in the north"}
    _, (row,) = record(log)
    assert (row["verdict"], row["heard"]) == ("fail", "")
    assert "no words recognised in 'nothing'" in row["reason"]


def test_a_system_that_listens_by_itself_gets_the_sound_at_the_rate_that_it_wants(
    folder: Path, tmp_path: Path
) -> None:
    system, log = TcpServer(listens=True), tmp_path / "log.sqlite"
    hold(log, system, speech(damage={"telephone": True}), folder)
    sounds = [turn.audio for turn in system.turns]
    assert all(one is not None and one.rate_hz == 8000 and len(one.samples) > 8000 for one in sounds)
    _, (row,) = record(log)
    assert row["heard"] is None and json.loads(row["speech"])["damage"]["telephone"] is True


def test_what_cannot_be_heard_is_not_applied_and_says_so() -> None:
    plan = by_voice([CASE, case("ST-3", "it", "è un'idea", "e un idea")])
    assert [(one.case_id, one.channel) for one in plan.cases] == [(CASE.case_id, "voice")]
    assert [(one["test"], one["reason"]) for one in plan.not_applicable] == [
        ("ST-3", "it does not apply to voice")
    ]


def test_without_a_file_a_study_is_spoken_as_its_dialogues_by_voice_are() -> None:
    voice = Voice.model_validate({"synthesisers": {"it": "espeak-ng"}, "captions": False})
    found = speech_of(Study.model_construct(voice=voice))
    assert (found.speaker("it"), found.speaker("en"), found.listener("en")) == (
        "espeak-ng",
        "flite",
        "pocketsphinx",
    )
    assert found.damage.nothing
    assert speech_of(Study.model_construct(voice=None)).speaker("en") == "flite"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "damage: {snr_dB: 3}",
            "speech.yaml:1 degradation.snr_dB: unknown key 'snr_dB'. Did you mean 'snr_db'",
        ),
        ("recogniser: pocketsphinx\ndegradation:\n  noise: cafe\n", "speech.yaml:3 degradation.noise"),
        ("degradation: {loss: 0.6, burst: 1}", "cannot be lost in bursts of 1"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "speech.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_speech_file(path)
    assert told in str(caught.value)


@pytest.mark.long
def test_a_suite_is_spoken_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sentences.txt").write_text(SENTENCES)
    (tmp_path / "suite.yaml").write_text("""\
suite: pubs
version: 1
system: {connect: python, call: "vivavoce_bots.calling:restaurant_nbest", in_process: true, greeting: true}
speech: {recogniser: {use: pocketsphinx, sentences: sentences.txt}, damage: {snr_db: 40}}
cases:
  - {case_id: one, test: ST-5, family: lexical, language: en,
     original: I want a cheap pub, variant: I want an inexpensive pub}
  - {case_id: two, test: ST-3, family: spelling, language: en, original: a cheap pub, variant: a chéap pub}
""")
    result = CliRunner().invoke(app, ["stress", "run", str(tmp_path / "suite.yaml"), "--json"])
    assert result.exit_code == 0, result.output
    (run,) = json.loads(result.stdout)["runs"]
    assert run["whole"]["not_applicable"] == 1
    assert run["whole"]["why_not_applicable"] == {"it does not apply to voice": 1}
    assert run["whole"]["applied"] == 1 and run["whole"]["decided"] == 1
    for arm in ("clean", "variant"):
        told = run["spoken"][arm]
        assert (told["errors"], told["words"], told["turns"], told["high"]) == (0, 5, 1, None)
        assert "unit:word" in told["signature"] and "n:5" in told["signature"]
    assert run["spoken"]["speech"]["damage"]["snr_db"] == 40
    show(run)
    assert "word error rate of originals 0.00" in capsys.readouterr().out


def test_what_is_stored_with_a_run_holds_no_key_of_a_recogniser() -> None:
    speech = Speech.model_validate({"recogniser": {"use": "openai", "model": "m", "key": "canary-4711"}})
    assert "canary" not in json.dumps(facts := speech.facts()) and facts["recogniser"]["model"] == "m"
