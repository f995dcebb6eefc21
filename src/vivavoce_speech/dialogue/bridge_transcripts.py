"""Transcripts of a bridged dialogue, recognised afterwards and for the log alone.

The turns are those of the dataset: whoever reads the log finds the words under the same numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import structlog

from vivavoce.audio.recognition import Recogniser, RecognitionError
from vivavoce.audio.sound import Samples, Sound
from vivavoce.log.call_events import SpeechHeard
from vivavoce.log.events import LoggedHypothesis, TurnRecognised
from vivavoce.log.overheard_turns import heard_turns
from vivavoce_speech.dialogue.calls import Calls

MARGIN_S = 0.25

_report = structlog.get_logger("vivavoce.trial")


@dataclass(slots=True)
class Overheard:
    """The participant's sound from `began_s` after the opening of the dialogue, and who spoke when."""

    rate_hz: int
    began_s: float = 0.0
    frames: list[Samples] = field(default_factory=list)
    speech: list[SpeechHeard] = field(default_factory=list)

    def between(self, onset_s: float, offset_s: float) -> Sound:
        """A piece of it, with a little of what stands around it."""
        samples = np.concatenate(self.frames) if self.frames else np.zeros(0, np.int16)
        first, last = (
            round(max(0.0, at_s - self.began_s) * self.rate_hz)
            for at_s in (onset_s - MARGIN_S, offset_s + MARGIN_S)
        )
        return Sound(samples[first:last], self.rate_hz)


async def recognise_turns(
    calls: Calls, visit_id: str, dialogue_id: str, overheard: Overheard, recogniser: Recogniser, language: str
) -> int:
    """Log what a recogniser makes of the participant's turns; how many had words."""
    count = 0
    for turn in heard_turns(dialogue_id, overheard.speech):
        if turn["party"] != "user":
            continue
        try:
            sound = overheard.between(turn["onset_s"], turn["offset_s"])
            hypotheses = [
                hypothesis
                for hypothesis in await recogniser.recognise(sound, language=language)
                if hypothesis.text.strip()
            ]
        except RecognitionError as error:
            _report.warning("recogniser_failed", error=str(error))
            return count
        if hypotheses:
            await calls.note(visit_id, _event(dialogue_id, turn["turn_index"], hypotheses))
            count += 1
    return count


def _event(dialogue_id: str, turn_index: int, heard: Sequence) -> TurnRecognised:
    hypotheses = [LoggedHypothesis(text=hypothesis.text, score=hypothesis.confidence) for hypothesis in heard]
    return TurnRecognised(dialogue_id=dialogue_id, turn_index=turn_index, heard=hypotheses)
