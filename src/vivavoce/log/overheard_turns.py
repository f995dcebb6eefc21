"""Turns of a dialogue that was only listened to, as rows of the dataset: who spoke when, and no words."""

from collections.abc import Iterable
from typing import Any

from vivavoce.audio.turns import Party, turns_of_speech
from vivavoce.audio.voice_activity import SpeechInterval
from vivavoce.log.call_events import SpeechHeard


def heard_turns(dialogue_id: str, heard: Iterable[SpeechHeard]) -> list[dict[str, Any]]:
    """Rows of `turns`, in the order in which they began; stretches of one party until the other's are one.

    Empty   nobody spoke: no rows
    """
    speech: dict[Party, list[SpeechInterval]] = {"user": [], "system": []}
    for event in heard:
        speech[event.party].append(SpeechInterval(event.onset_s, event.offset_s))
    return [
        {
            "dialogue_id": dialogue_id,
            "turn_index": index,
            "party": turn.party,
            "text": None,
            "reference": None,
            "onset_s": turn.onset_s,
            "offset_s": turn.offset_s,
        }
        | ({"barge_in": turn.barge_in} if turn.party == "user" else {})
        for index, turn in enumerate(turns_of_speech(speech))
    ]
