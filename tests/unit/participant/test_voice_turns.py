"""Spoken turns at the pages' address, with a system that listens and speaks by itself."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scenes.browsing import Visitor, serve, study_with_texts
from scenes.patience import eventually
from scenes.speaking import SPEECH, Singer
from vivavoce.audio.files import encode_sound, read_sound
from vivavoce.log.store import Log
from vivavoce.participant.site import RateLimits
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.voice import Voice

WAV = encode_sound(SPEECH)


class Booth:
    """A visitor in a dialogue by voice."""

    def __init__(self, visitor: Visitor, log: Log) -> None:
        self.visitor, self.log = visitor, log
        self.dialogue_id = visitor.into_dialogue()

    def speak(self, key: str, sound: bytes = WAV, **more: Any) -> Any:
        query = {"dialogue_id": self.dialogue_id, "key": key, **more}
        headers = {"content-type": "audio/wav"}
        return self.visitor.client.post("/voice/turn", params=query, content=sound, headers=headers)

    def events(self, kind: str, count: int = 0) -> list[Any]:
        def found() -> list[Any]:
            (visit,) = self.log.visits("city")
            return [one.event for one in self.log.events(visit.visit_id) if one.event.kind == kind]

        eventually(lambda: len(found()) >= count, f"no {count} of {kind}")
        return found()

    def said(self) -> list[bytes]:
        """The sound of every system turn that the page can ask for."""
        (visit,) = self.log.visits("city")
        turns = [one for one in self.log.events(visit.visit_id) if one.event.kind == "system_turn_received"]
        return [self.visitor.client.get(f"/voice/said/{one.seq}").content for one in turns]


@pytest.fixture
def booth(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    @contextmanager
    def opened(system: Singer, rates: RateLimits | None = None, **settings: Any) -> Iterator[Booth]:
        step = DialogueStep(
            repeat=Range(min=1, max=1), gate="dialogue", channel="voice", nontrivial=Nontrivial(user_turns=1)
        )
        study = study_with_texts(tmp_path)
        visit = tuple(step if isinstance(one, DialogueStep) else one for one in study.visit)
        study = study.model_copy(update={"visit": visit, "voice": Voice(**settings)})
        with (
            Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
            serve(study, log, system, rates=rates) as open_browser,  # type: ignore[arg-type]
        ):
            yield Booth(open_browser(), log)

    yield opened


def test_the_system_gets_the_sound_and_the_page_gets_the_systems(booth: Any) -> None:
    system = Singer(rate_hz=8000)
    with booth(system) as there:
        assert there.speak("the-first-turn").json()["turn_index"] == 1
        assert there.speak("the-first-turn").json()["turn_index"] == 1, "the same turn once more"
        answered = there.events("system_turn_received", 2)[1]
        heard = read_sound(there.said()[1])
        assert [answered.text, len(there.events("user_turn_sent"))] == ["", 1]
        page = there.visitor.look()
    (turn,) = system.sent
    assert turn.audio is not None and (turn.audio.rate_hz, turn.text) == (8000, "")
    assert len(turn.audio.samples) / 16_000 == pytest.approx(SPEECH.duration_s, abs=0.01)
    assert np.array_equal(heard.samples, system.answer.samples) and heard.rate_hz == system.answer.rate_hz
    assert page.count("(spoken)") == 3  # both turns, and the word for the page's script


def test_who_asks_again_and_again_for_a_sound_is_asked_to_wait(booth: Any) -> None:
    with booth(Singer(), rates=RateLimits(sounds_per_minute=2)) as there:
        [greeting] = there.events("system_turn_received", 1)
        assert greeting
        (visit,) = there.log.visits("city")
        (seq,) = (one.seq for one in there.log.events(visit.visit_id) if one.event == greeting)
        asked = [there.visitor.client.get(f"/voice/said/{seq}") for _ in range(3)]
        assert [one.status_code for one in asked] == [200, 200, 429]
        assert int(asked[-1].headers["Retry-After"]) > 0
        assert there.speak("the-first-turn").status_code == 200, "turns are counted apart"


def test_who_speaks_into_an_answer_says_so_and_the_system_is_told(booth: Any) -> None:
    system = Singer()
    with booth(system) as there:
        there.speak("the-first-turn")
        there.events("system_turn_received", 2)
        there.visitor.settled()
        assert there.speak("the-second-turn", played_s=0.25).status_code == 200
        turns = there.events("user_turn_sent", 2)
    assert [(one.barge_in, one.played_s) for one in turns] == [(False, None), (True, 0.25)]
    assert system.interrupted == [0.25]


@pytest.mark.parametrize("wanted", [False, True])
def test_our_recogniser_listens_for_the_log_only_where_it_is_asked_to(
    booth: Any, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vivavoce.audio.recognition import Hypothesis
    from vivavoce_speech.dialogue.voice_turns import Voices

    heard: list[bytes] = []

    async def recognise(self: Voices, audio: bytes, *_: Any) -> tuple[Hypothesis, ...]:
        heard.append(audio)
        return (Hypothesis("hello this is a test", 0.5),)

    monkeypatch.setattr(Voices, "recognise", recognise)
    with booth(Singer(), recognise_for_log=wanted) as there:
        there.speak("the-first-turn")
        found = there.events("turn_recognised", int(wanted))
        there.events("system_turn_received", 2)
    assert [one.heard[0].text for one in found] == ["hello this is a test"] * wanted
    assert heard == [WAV] * wanted


def test_what_is_no_sound_is_refused_and_nothing_is_sent(booth: Any) -> None:
    system = Singer()
    with booth(system) as there:
        assert there.speak("the-first-turn", b"no sound").status_code == 422
        assert there.events("user_turn_sent") == []
    assert system.sent == []


def test_a_page_that_speaks_too_fast_or_has_no_visit_is_told_so_in_the_services_own_word(booth: Any) -> None:
    with booth(Singer()) as there:
        there.visitor.client.headers["accept"] = (
            "application/json"  # as a script asks; a browser wants a page
        )
        refused = [there.speak(f"a-spoken-turn-{number:03}", b"no sound") for number in range(31)]
        assert {one.status_code for one in refused[:30]} == {422}
        assert (refused[30].status_code, refused[30].json()) == (429, {"error": "too_fast"})
        there.visitor.client.cookies.clear()
        stranger = there.speak("a-spoken-turn-031", b"no sound")
        assert (stranger.status_code, stranger.json()) == (401, {"error": "no_visit"})
