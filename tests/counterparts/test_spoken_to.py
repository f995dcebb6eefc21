"""A real Pipecat bot that is spoken to over WebRTC, and answers with its voice, in the served pages.

`make counterparts` installs it and runs these tests; they are no part of `make test`.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest

from scenes.browsing import serve, study_with_texts
from scenes.connecting import PATIENT
from scenes.patience import eventually
from scenes.speaking import SAME_WORDS, same_words
from scenes.third_party import as_its_guide_says
from scenes.voices import RATE, voice
from vivavoce.audio.files import encode_sound, pcm16, read_sound
from vivavoce.audio.sound import Sound
from vivavoce.connectors.factory import make_connector
from vivavoce.log.events import SystemTurnReceived
from vivavoce.log.store import Log
from vivavoce.study.model import DialogueStep, Nontrivial, Range

pytestmark = [pytest.mark.counterpart, pytest.mark.long]


def test_pipecat_hears_a_participant_of_a_served_page_remembers_and_speaks(tmp_path: Path) -> None:
    for program in ("espeak-ng", "flite"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: the bot or the participant has no voice")
    step = DialogueStep(
        repeat=Range(min=1, max=1), gate="dialogue", channel="voice", nontrivial=Nontrivial(user_turns=1)
    )
    study = study_with_texts(tmp_path)
    visit = tuple(step if isinstance(one, DialogueStep) else one for one in study.visit)
    study = study.model_copy(update={"visit": visit})
    with (
        as_its_guide_says(tmp_path, "pipecat", "evaluate-your-voice-bot.md", "pipecat") as settings,
        Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log,
        serve(study, log, make_connector(PATIENT | settings, {})) as open_browser,
    ):
        visitor = open_browser()
        dialogue = visitor.into_dialogue()
        spoken, answers = [], []
        for number, words in enumerate(("one fine day", "and more"), 1):
            sound = encode_sound(Sound(pcm16(np.pad(voice(words), RATE // 4)), RATE))
            query = {"dialogue_id": dialogue, "key": f"turn-number-{number}"}
            headers = {"content-type": "audio/wav"}
            visitor.client.post(
                "/voice/turn", params=query, content=sound, headers=headers
            ).raise_for_status()
            eventually(lambda count=number: len(answered(log)) == count, f"no answer to {words}")
            seq, answer = answered(log)[-1]
            answers.append(answer)
            spoken.append(read_sound(visitor.client.get(f"/voice/said/{seq}").content))
        visitor.settled()
    assert [one.heard[0].text for one in answers] == ["one fine day", "and more"]
    assert [one.text for one in answers] == ["first was one fine day"] * 2
    assert all(one.duration_s > 1 and np.abs(one.samples).max() > 1000 for one in spoken)
    assert same_words(*spoken) > SAME_WORDS  # both times it says the same


def answered(log: Log) -> list[tuple[int, SystemTurnReceived]]:
    """The system's answers, each with its place in the log."""
    (visit,) = log.visits("city")
    return [
        (one.seq, one.event)
        for one in log.events(visit.visit_id)
        if isinstance(one.event, SystemTurnReceived) and one.event.reply_to is not None
    ]
