"""The step `pitch`: of two tones, heard whole, the higher is found; three mistakes in a row end it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from pydantic import BaseModel, Field

from vivavoce.audio.files import pcm16
from vivavoce.audio.sound import Sound
from vivavoce.dataset.columns import FLAG, INSTANT, INTEGER, KEY, LABEL, PARTICIPANT, REAL, Column, Table
from vivavoce.steps.base import ANSWERED, Information, Message, OfferedStep, SimulatedParticipant
from vivavoce.steps.sounds import expect_heard, played_times
from vivavoce.steps.stimulus import (
    Outcome,
    PlanContext,
    Qualification,
    Rejected,
    Row,
    StimulusResponse,
    StimulusStep,
    StimulusView,
)
from vivavoce.study.model import Study
from vivavoce.study.settings import Settings

RATE_HZ = 8_000
TONE_S = 0.4
MISTAKES = 3
PITCHES = Table(
    "pitches",
    "one pair of tones that was judged",
    (
        PARTICIPANT,
        Column("visit_id", KEY, "visit", True),
        Column("pair_number", INTEGER, "1-based place in what this participant heard", True),
        Column("first_hz", REAL, "the first tone", True),
        Column("second_hz", REAL, "the second tone", True),
        Column("higher", LABEL, "which one was said to be higher: first or second", True),
        Column("plays", INTEGER, "how often tones were played to their end", True),
        Column("hears", FLAG, "the check was passed; null where there was none"),
        Column("language", LABEL, "BCP 47 tag of the page"),
        Column("response_s", REAL, "from when the pair was due to its answer"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "simulated participant", True),
    ),
    counted="judged pair of tones",
)


class PitchSettings(Settings):
    """What stands in the study file."""

    each: int = Field(5, ge=1, description="pairs of one participant")
    check: bool = Field(True, description="count short tones first")


class Tones(BaseModel):
    first_hz: float
    second_hz: float

    @property
    def higher(self) -> str:
        return "first" if self.first_hz > self.second_hz else "second"


class Heard(BaseModel):
    higher: Literal["first", "second"]
    plays: int = 2


class Beeps(BaseModel):
    count: int


def tone(hertz: float, times: int = 1) -> Sound:
    one = 0.2 * np.sin(2 * np.pi * hertz * np.arange(round(TONE_S * RATE_HZ)) / RATE_HZ)
    return Sound(pcm16(np.concatenate([np.zeros(RATE_HZ // 10), one] * times)), RATE_HZ)


class BeepCheck(Qualification[OfferedStep, Beeps, Beeps]):
    """Two tries to count beeps."""

    stimulus = response = Beeps

    def tries(self, step: OfferedStep, study: Study, draw: PlanContext) -> list[Beeps]:
        return [Beeps(count=draw.chance.randint(2, 4)) for _ in range(2)] if step.settings.check else []

    def read(self, shown: StimulusView[OfferedStep, Beeps], entered: Mapping[str, str]) -> Beeps:
        if entered.get("count") not in ("2", "3", "4"):
            raise Rejected(Message("Please say how many beeps you heard."), "count")
        return Beeps(count=int(entered["count"]))

    def passed(self, presented: Beeps, response: Beeps) -> bool:
        return presented == response

    def respond(self, shown: StimulusView[OfferedStep, Beeps], participant: SimulatedParticipant) -> Beeps:
        return shown.stimulus

    def files(self, shown: StimulusView[OfferedStep, Beeps]) -> Mapping[str, Sound]:
        return {"beeps": tone(700, shown.stimulus.count)}


Due = StimulusView[OfferedStep, Tones]


class Pitch(StimulusStep[OfferedStep, Tones, Heard]):
    """Simulated participants hear which tone is higher."""

    name = "pitch"
    settings = PitchSettings
    stimulus, response, table = Tones, Heard, PITCHES
    activity_label, item_label = "judging tones", "pairs of tones"
    qualification = BeepCheck()

    def minutes(self, step: OfferedStep, study: Study) -> float:
        return step.settings.each / 10

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
        does = Message("You hear pairs of tones and say which is higher.")
        return Information(does=(does,), keeps=(ANSWERED,))

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        return f"of {step.settings.each} pairs of tones the higher one is found"

    def plan(self, step: OfferedStep, study: Study, draw: PlanContext) -> list[Tones]:
        pairs = [sorted((440.0, 440.0 + 40 * number)) for number in range(1, step.settings.each + 1)]
        return [Tones(first_hz=low, second_hz=high) for low, high in pairs]

    def files(self, shown: Due) -> Mapping[str, Sound]:
        return {"first": tone(shown.stimulus.first_hz), "second": tone(shown.stimulus.second_hz)}

    def read(self, shown: Due, entered: Mapping[str, str]) -> Heard:
        for side in ("first", "second"):
            if entered.get("higher") == side:
                return Heard(higher=side, plays=played_times(entered))
        raise Rejected(Message("Please choose a tone."), "higher")

    def check(self, shown: Due, response: Heard, elapsed_s: float | None) -> None:
        expect_heard([TONE_S, TONE_S], elapsed_s)

    def over(self, step: OfferedStep, study: Study, given: Sequence[tuple[Tones, Heard]]) -> bool:
        last = given[-MISTAKES:]
        return len(last) == MISTAKES and all(tones.higher != heard.higher for tones, heard in last)

    def finish(
        self, step: OfferedStep, study: Study, given: Sequence[tuple[Tones, Heard]], total_s: float
    ) -> Outcome:
        return Outcome(flags=("tone_deaf",) if self.over(step, study, given) else ())

    def rows(self, given: StimulusResponse[Tones, Heard]) -> Iterator[Row]:
        shared, heard = given.row("pair_number"), given.response.model_dump()
        yield {**shared, **given.stimulus.model_dump(), **heard, "hears": given.qualified}

    def respond(self, shown: Due, participant: SimulatedParticipant) -> Heard:
        return Heard(higher="first" if shown.stimulus.higher == "first" else "second")
