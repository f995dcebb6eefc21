"""The check of hearing before the clips: short tones are counted."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict

from vivavoce.audio.files import pcm16
from vivavoce.audio.sound import Sound
from vivavoce.core.extras import later
from vivavoce.steps.base import Message, OfferedStep, SimulatedParticipant
from vivavoce.steps.stimulus import PlanContext, Qualification, Rejected, StimulusView
from vivavoce.study.model import Study

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy", "speech")

TRIES: Final = 3
FEWEST_TONES, MOST_TONES = 3, 7
MOST_COUNTED: Final = MOST_TONES + 2
RATE_HZ: Final = 16_000


class ToneRow(BaseModel):
    """A sequence of tones; seed: of their pitches and pauses."""

    model_config = ConfigDict(frozen=True)
    tones: int
    seed: int = 0


class CountedTones(BaseModel):
    counted: int


Due = StimulusView[OfferedStep, ToneRow]


class HearingCheck(Qualification[OfferedStep, ToneRow, CountedTones]):
    """Let participants who fail three times continue, and exclude them from scores."""

    stimulus, response = ToneRow, CountedTones

    def tries(self, step: OfferedStep, study: Study, draw: PlanContext) -> Sequence[ToneRow]:
        if step.settings.hearing == "none":
            return ()
        counts = [draw.chance.randint(FEWEST_TONES, MOST_TONES) for _ in range(TRIES)]
        return [ToneRow(tones=count, seed=draw.chance.getrandbits(32)) for count in counts]

    def read(self, shown: Due, entered: Mapping[str, str]) -> CountedTones:
        count_of = {str(number): number for number in range(1, MOST_COUNTED + 1)}
        if (counted := count_of.get(entered.get("counted", ""))) is None:
            raise Rejected(Message("Please choose a number."), "counted")
        return CountedTones(counted=counted)

    def passed(self, presented: ToneRow, response: CountedTones) -> bool:
        return presented.tones == response.counted

    def respond(self, shown: Due, participant: SimulatedParticipant) -> CountedTones:
        return CountedTones(counted=shown.stimulus.tones)

    def facts(self, shown: Due, entered: Mapping[str, str] | None) -> dict[str, Any]:
        return {"most": MOST_COUNTED}

    def files(self, shown: Due) -> Mapping[str, Sound]:
        return {"tones": tone_row(shown.stimulus)}


def tone_row(row: ToneRow) -> Sound:
    """Short soft tones of varying pitch, 0.3 to 0.6 s apart."""
    random = np.random.default_rng(row.seed)
    ramp = np.minimum(1, np.minimum(np.arange(2400), np.arange(2400)[::-1]) / 240)
    pieces = [np.zeros(RATE_HZ // 2)]
    for hertz in random.uniform(500, 1500, row.tones):
        pieces.append(0.1 * ramp * np.sin(2 * np.pi * hertz * np.arange(2400) / RATE_HZ))
        pieces.append(np.zeros(round(random.uniform(0.3, 0.6) * RATE_HZ)))
    return Sound(pcm16(np.concatenate(pieces)), RATE_HZ)
