"""Dialogues pressed turn by turn become one recording, a party a channel, each clip where it was heard."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenes.browsing import Visitor, serve, study_with_texts
from scenes.patience import eventually
from scenes.speaking import SPEECH, Singer
from scenes.visits import Parrot
from vivavoce.audio.files import encode_sound, read_sound, read_tracks
from vivavoce.audio.recognition import Hypothesis
from vivavoce.audio.sound import Sound
from vivavoce.log.encryption import KEY, is_locked, new_key
from vivavoce.log.recordings import check_recordings, erase_recordings, folder_of
from vivavoce.log.soundtrack import dialogue_recordings, soundtrack
from vivavoce.log.store import Log
from vivavoce.study.degradation import DamagePlan
from vivavoce.study.model import DialogueStep, Nontrivial, Range, Study
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.browser.clip_layout import layout, waiting, written
from vivavoce_speech.browser.mixdown import LaidOutDialogues
from vivavoce_speech.dialogue.voice_turns import Voices

RATE = 16_000
SAID = Sound(SPEECH.samples[4000:12_000], SPEECH.rate_hz)  # half a second of speech
SPOKEN = Sound(SPEECH.samples[:6400], SPEECH.rate_hz)


class Booth:
    """A visitor in a dialogue by voice whose page tells times."""

    def __init__(self, visitor: Visitor, log: Log, study: Study) -> None:
        self.visitor, self.log, self.study = visitor, log, study
        self.dialogue_id = visitor.into_dialogue()
        (visit,) = log.visits("city")
        self.visit_id = visit.visit_id

    def speak(self, key: str, **more: Any) -> Any:
        answer = self.visitor.client.post(
            "/voice/turn",
            params={"dialogue_id": self.dialogue_id, "key": key, **more},
            content=encode_sound(SAID),
            headers={"content-type": "audio/wav"},
        )
        assert answer.status_code == 200, answer.text
        self.visitor.settled()
        return answer

    def system_turns(self) -> list[int]:
        stored = self.log.events(self.visit_id)
        return [one.seq for one in stored if one.event.kind == "system_turn_received"]

    def listen(self, seq: int) -> Sound:
        return read_sound(self.visitor.client.get(f"/voice/said/{seq}").content)

    def tell(self, seq: int, status: int = 204, **facts: Any) -> None:
        told = {"dialogue_id": self.dialogue_id, "seq": seq, **facts}
        assert self.visitor.client.post("/voice/played", json=told).status_code == status

    def clock_s(self) -> float:
        query = {"dialogue_id": self.dialogue_id}
        return self.visitor.client.get("/voice/clock", params=query).json()["elapsed_s"]

    def end(self) -> None:
        self.visitor.look()
        self.visitor.press("/dialogue/end/form")

    def recordings(self) -> list[Any]:
        found = self.log.recordings(dialogue_id=self.dialogue_id)
        return [one for one in found if one.content == "dialogue"]


@pytest.fixture
def booth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    async def recognise(self: Voices, *_: Any) -> tuple[Hypothesis, ...]:
        return (Hypothesis("a thai place"),)

    async def speak(self: Voices, text: str, language: str) -> bytes:
        return encode_sound(SPOKEN)

    monkeypatch.setattr(Voices, "recognise", recognise)
    monkeypatch.setattr(Voices, "speak", speak)
    monkeypatch.setattr("vivavoce_speech.browser.mixdown.SETTLE_S", 0.0)
    monkeypatch.setattr("vivavoce_speech.browser.mixdown.LOOK_EVERY_S", 3600.0)

    @contextmanager
    def opened(system: Any, **of_study: Any) -> Iterator[Booth]:
        step = DialogueStep(
            repeat=Range(min=1, max=1), gate="dialogue", channel="voice", nontrivial=Nontrivial(user_turns=1)
        )
        study = study_with_texts(tmp_path)
        visit = tuple(step if isinstance(one, DialogueStep) else one for one in study.visit)
        study = study.model_copy(update={"visit": visit, "voice": Voice(), **of_study})
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log, serve(study, log, system) as browse:
            yield Booth(browse(), log, study)

    yield opened


def make(there: Booth) -> int:
    """What a service does that is started after the one that served the dialogue."""

    async def run() -> int:
        engine = SessionEngine(there.study, there.log, {})
        return await LaidOutDialogues(engine).make()

    return asyncio.run(run())


def wait_past(there: Booth, seconds: float) -> None:
    eventually(lambda: there.clock_s() >= seconds, f"the dialogue is not {seconds} s old")


def hold(there: Booth) -> None:
    """A greeting is heard from 0.1 s on, a turn said from 0.6 s on, and 0.2 s of an answer from 1.4 s."""
    (greeting,) = there.system_turns()
    there.listen(greeting)
    wait_past(there, 1.1)
    there.tell(greeting, started_s=0.1, played_s=SPOKEN.duration_s)
    there.speak("the-first-turn", started_s=0.6)
    answer = there.system_turns()[1]
    there.listen(answer)
    wait_past(there, 1.6)
    there.tell(answer, started_s=1.4, played_s=0.2)
    there.end()


def test_the_clips_of_a_text_system_lie_where_the_page_played_and_recorded_them(booth: Any) -> None:
    with booth(Parrot()) as there:
        hold(there)
        assert make(there) == 1
        assert make(there) == 0, "once is enough"
        (made,) = there.recordings()
        assert (made.clips, made.clips_placed, made.started_s) == (3, 0, 0.1)
        assert made.speakers == ["system", "user"]
        tracks = read_tracks(folder_of(there.log).file(made.file))
        assert check_recordings(there.log, content=True).lines() == []
        (whole,) = [
            one for one in dialogue_recordings(there.log, there.dialogue_id) if one.turn_index is None
        ]
        assert (whole.clips, whole.placed) == (3, 0)
        drawn = soundtrack(there.log, there.dialogue_id, whole)
    at = lambda seconds: round((seconds - 0.1) * RATE)  # noqa: E731
    system, user = tracks.samples.T
    assert np.array_equal(system[at(0.1) : at(0.5)], SPOKEN.samples)
    assert np.array_equal(user[at(0.6) : at(1.1)], SAID.samples)
    assert np.array_equal(system[at(1.4) : at(1.6)], SPOKEN.samples[:3200])
    assert len(system) == at(1.6), "what was not heard of the answer is not in it"
    assert not system[at(0.5) : at(1.4)].any()
    assert not user[: at(0.6)].any()
    assert [(one["party"], one["turn_index"]) for one in drawn["turns"]] == [
        ("system", 0),
        ("user", 1),
        ("system", 2),
    ]


def test_what_a_system_spoke_by_itself_is_laid_out_too_also_when_it_is_heard_again(booth: Any) -> None:
    system = Singer(seconds=0.3)
    with booth(system) as there:
        wait_past(there, 0.5)
        there.speak("the-first-turn", started_s=0.0)
        answer = there.system_turns()[1]
        there.listen(answer)
        wait_past(there, 1.3)
        for _ in range(2):  # the page was not sure that it arrived
            there.tell(answer, started_s=0.55, played_s=0.3)
        there.tell(answer, started_s=1.0, played_s=0.3, again=True)
        there.end()
        assert make(there) == 1
        (made,) = there.recordings()
        channel = read_tracks(folder_of(there.log).file(made.file)).samples[:, 0]
    for began in (0.55, 1.0):
        heard = channel[round(began * RATE) : round((began + 0.3) * RATE)]
        assert np.corrcoef(heard, system.answer.at(RATE).samples)[0, 1] > 0.99
    assert made.clips == 3


def test_clips_of_which_no_page_told_anything_are_placed_and_counted_as_such(booth: Any) -> None:
    with booth(Parrot()) as there:
        (greeting,) = there.system_turns()
        there.listen(greeting)
        there.listen(greeting)
        there.speak("the-first-turn")
        there.end()
        (offered,) = [
            one.event for one in there.log.events(there.visit_id) if one.event.kind == "sound_offered"
        ]
        assert make(there) == 1
        (made,) = there.recordings()
        laid = layout(there.log.dialogue_history(there.dialogue_id))
    assert (made.clips, made.clips_placed) == (2, 2)
    assert {one.channel: one.timed for one in laid} == {0: False, 1: False}
    assert min(one.start_s for one in laid if one.channel == 0) == offered.at_s


def test_times_that_cannot_be_are_set_right_and_strangers_turns_refused(booth: Any) -> None:
    with booth(Parrot()) as there:
        (greeting,) = there.system_turns()
        there.listen(greeting)
        there.tell(greeting, started_s=5000.0, played_s=0.01)
        there.tell(greeting + 77, 404, started_s=0.0, played_s=0.5)
        there.tell(greeting, 422, started_s=-1.0, played_s=0.5)
        there.speak("the-first-turn", started_s=4000.0)
        now_s = there.clock_s()
        told = [one.event for one in there.log.events(there.visit_id) if one.event.kind == "sound_played"]
        (clip,) = [one for one in there.log.recordings() if one.speakers == ["user"]]
        other = there.visitor.client.get("/voice/clock", params={"dialogue_id": "dialogue-of-others"})
    assert len(told) == 1 and told[0].started_s <= now_s
    assert 0 <= clip.started_s <= now_s
    assert other.status_code == 404


def test_a_dialogue_of_which_a_clip_was_removed_gets_no_recording(booth: Any) -> None:
    with booth(Parrot()) as there:
        hold(there)
        (clip,) = [one for one in there.log.recordings() if one.speakers == ["user"]]
        erase_recordings(there.log, [clip])
        assert waiting(there.log, "city", there.log.clock.now()) == []
        assert make(there) == 0
        assert there.recordings() == []


def test_what_is_erased_while_the_recording_is_made_is_not_in_it(
    booth: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(*facts: Any) -> Any:
        made = written(*facts)
        erase_recordings(there.log, there.log.recordings())
        return made

    monkeypatch.setattr("vivavoce_speech.browser.mixdown.written", meanwhile)
    with booth(Parrot()) as there:
        hold(there)
        assert make(there) == 0
        assert (there.recordings(), folder_of(there.log).names()) == ([], set())


def test_the_recording_is_locked_where_there_is_a_key(booth: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, new_key())
    with booth(Parrot()) as there:
        hold(there)
        assert make(there) == 1
        (made,) = there.recordings()
        folder = folder_of(there.log)
        assert is_locked(folder.path / made.file)
        assert read_tracks(folder.file(made.file)).channels == 2


def test_answers_are_heard_and_laid_out_as_the_condition_damages_them(booth: Any) -> None:
    plan = DamagePlan.model_validate({"factor": "line", "answers": {"bad": {"snr_db": 5, "loss": 0.2}}})
    factors = {"one": {"line": "bad"}, "two": {"line": "bad"}}
    with booth(Parrot(), degradation=plan, factors=factors) as there:
        heard = there.listen(there.system_turns()[0])
        hold(there)
        stored = {one.turn_index: one.file for one in there.log.recordings() if one.speakers == ["system"]}
        clean = read_sound(folder_of(there.log).file(stored[0]))
        told = [one.event for one in there.log.events(there.visit_id) if one.event.kind == "sound_damaged"]
        assert make(there) == 1
        (made,) = there.recordings()
        whole = read_tracks(folder_of(there.log).file(made.file)).samples[:, 0]
    assert [one.turn_index for one in told] == [0, 2]
    assert told[0].damage == {"snr_db": 5.0, "loss": 0.2} and told[0].packets == 20
    assert np.array_equal(clean.samples, SPOKEN.samples)
    assert not np.array_equal(heard.samples, clean.samples)
    assert np.array_equal(whole[: len(heard.samples)], heard.samples), "laid out as it was heard"


def test_the_running_service_makes_it_by_itself(booth: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vivavoce_speech.browser.mixdown.LOOK_EVERY_S", 0.05)
    with booth(Parrot()) as there:
        hold(there)
        eventually(lambda: len(there.recordings()) == 1, "no recording was made")
