"""The step `listen`: short clips, each heard whole and then rated, or compared with another."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.dataset.columns import (
    ANSWERED_AT,
    FLAG,
    INTEGER,
    LABEL,
    PARTICIPANT,
    REAL,
    VISIT,
    Column,
    Table,
)
from vivavoce.log.events import QualificationTried, ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.steps.base import ANSWERED, Information, Message, OfferedStep, SimulatedParticipant, StepFiles
from vivavoce.steps.listening_test.clips import Clip, ListenSettings, clips_of
from vivavoce.steps.listening_test.hearing import HearingCheck
from vivavoce.steps.sounds import expect_heard, played_times
from vivavoce.steps.stimulus import (
    Outcome,
    PlanContext,
    Rejected,
    Row,
    StimulusResponse,
    StimulusStep,
    StimulusView,
)
from vivavoce.study.model import Study


class PlayedClip(BaseModel):
    """One clip and its condition."""

    model_config = ConfigDict(frozen=True)
    audio: str
    condition: str


class ListeningTrial(BaseModel):
    """One clip to be rated, or two to be compared in this order."""

    model_config = ConfigDict(frozen=True)
    first: PlayedClip
    second: PlayedClip | None = None
    pair_id: str | None = None

    @property
    def clips(self) -> tuple[PlayedClip, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)


class ClipJudgement(BaseModel):
    """Answer to a trial.

    value   of one clip: 1 bad, 2 poor, 3 fair, 4 good, 5 excellent
    choice  between two clips
    plays   number of complete plays, as the page reports
    """

    model_config = ConfigDict(frozen=True)
    value: int | None = Field(default=None, ge=1, le=5)
    choice: Literal["first", "second", "tie"] | None = None
    plays: int = 1


LISTENING: Final = Table(
    "listening",
    "one rated clip, or one compared pair of clips",
    (
        PARTICIPANT,
        VISIT,
        Column("trial_number", INTEGER, "1-based position among this participant's trials", True),
        Column("method", LABEL, "opinion (one clip) or pairs (two)", True),
        Column("pair_id", LABEL, "pair of clips; null for one clip"),
        Column("clip", LABEL, "file of the clip, or of the first of two", True),
        Column("condition", LABEL, "its condition", True),
        Column("other_clip", LABEL, "file of the second clip"),
        Column("other_condition", LABEL, "its condition"),
        Column("value", REAL, "of one clip: 1 bad, 2 poor, 3 fair, 4 good, 5 excellent"),
        Column("choice", LABEL, "of two: first, second or tie"),
        Column("plays", INTEGER, "number of complete plays, as the page reports"),
        Column("hearing", FLAG, "the participant counted the tones correctly; null without tones"),
        Column("language", LABEL, "BCP 47 tag"),
        Column("response_s", REAL, "seconds from the presentation of the trial to its answer"),
        ANSWERED_AT,
        Column("simulated", FLAG, "simulated participant", True),
    ),
    counted="clip judgement",
)


JUDGING_S: Final = 4.0  # of what was heard, beside hearing it
HEARING_MINUTES: Final = 1.0
Due = StimulusView[OfferedStep, ListeningTrial]


class ListeningTest(StimulusStep[OfferedStep, ListeningTrial, ClipJudgement]):
    """Simulated participants count the tones right and judge by chance, without waiting for the sound."""

    name, settings = "listen", ListenSettings
    stimulus, response, table = ListeningTrial, ClipJudgement, LISTENING
    activity_label, item_label = "judging clips by ear", "clips, or pairs of them"
    earlier_events = {
        "clips_assigned": StimuliPlanned,
        "hearing_checked": QualificationTried,
        "clip_judged": ResponseGiven,
        "listening_finished": StepFinished,
    }
    earlier_addresses = {"/hearing": "/respond", "/judged": "/respond"}
    qualification = HearingCheck()

    def materials(self, settings: ListenSettings, files: StepFiles) -> tuple[Clip, ...]:
        return clips_of(settings, files)

    def minutes(self, step: OfferedStep, study: Study) -> float:
        """Clips of the usual length, each heard once and judged; a minute for counting tones."""
        clips = step.material
        usual_s = sum(clip.duration_s for clip in clips) / len(clips)
        heard_s = usual_s * (2 if step.settings.method == "pairs" else 1)
        hearing = HEARING_MINUTES if step.settings.hearing == "tones" else 0.0
        return hearing + step.settings.per_participant * (heard_s + JUDGING_S) / 60

    def participant_info(self, step: OfferedStep, study: Study) -> Information:
        does = (
            Message(
                "You listen to one short recording and say how good it sounds.",
                "You listen to %(num)s short recordings, one after another, and say how good each of "
                "them sounds.",
                step.settings.per_participant,
            )
            if step.settings.method == "opinion"
            else Message(
                "You listen to one pair of short recordings and say which of the two sounds better.",
                "You listen to %(num)s pairs of short recordings, one after another, and say which of "
                "the two "
                "sounds better.",
                step.settings.per_participant,
            )
        )
        return Information(
            Message(
                "Thank you for your interest. In this study you listen to short recordings and say how "
                "good they "
                "sound."
            ),
            (does,),
            (Message("Headphones or loudspeakers, and a quiet place."),),
            (ANSWERED,),
        )

    def preregistration_line(self, step: OfferedStep, study: Study) -> str:
        first = "hearing check (counting tones), then " if step.settings.hearing == "tones" else ""
        if step.settings.method == "opinion":
            return f"{first}{step.settings.per_participant} clips, each played in full and rated from 1 to 5"
        tie = ", or no difference" if step.settings.ties else ""
        pairs = f"{step.settings.per_participant} pairs of clips, each played in full"
        return f"{first}{pairs}; participants choose the better clip{tie}"

    def plan(self, step: OfferedStep, study: Study, draw: PlanContext) -> list[ListeningTrial]:
        """Equal numbers of trials per condition, by the step's seed and the participant."""
        chance, clips = Random(f"{step.settings.seed}:{draw.participant_id}:{draw.place}"), step.material
        trials = _pairs(clips, chance) if step.settings.method == "pairs" else _single(clips, chance)
        chosen = trials[: step.settings.per_participant]
        chance.shuffle(chosen)
        return chosen

    def files(self, shown: Due) -> Mapping[str, Path]:
        clips = zip(("first", "second"), shown.stimulus.clips, strict=False)
        return {name: shown.study.folder / shown.step.settings.audio / clip.audio for name, clip in clips}

    def read(self, shown: Due, entered: Mapping[str, str]) -> ClipJudgement:
        value, choice = entered.get("value", ""), entered.get("choice", "")
        return ClipJudgement(
            value=int(value) if value in ("1", "2", "3", "4", "5") else None,
            choice=next((answer for answer in ("first", "second", "tie") if answer == choice), None),
            plays=played_times(entered),
        )

    def check(self, shown: Due, response: ClipJudgement, elapsed_s: float | None) -> None:
        single = shown.stimulus.second is None
        judged = response.value if single else response.choice
        if judged is None or (judged == "tie" and not shown.step.settings.ties):
            raise Rejected(Message("Please choose an answer."), "value" if single else "choice")
        lengths_s = {clip.audio: clip.duration_s for clip in shown.step.material}
        expect_heard((lengths_s.get(clip.audio, 0.0) for clip in shown.stimulus.clips), elapsed_s)

    def finish(self, step: OfferedStep, study: Study, given: Sequence[object], total_s: float) -> Outcome:
        return Outcome()

    def rows(self, given: StimulusResponse[ListeningTrial, ClipJudgement]) -> Iterator[Row]:
        trial, second = given.stimulus, given.stimulus.second
        yield {
            **given.row("trial_number"),
            **given.response.model_dump(),
            "hearing": given.qualified,
            "method": "opinion" if second is None else "pairs",
            "pair_id": trial.pair_id,
            "clip": trial.first.audio,
            "condition": trial.first.condition,
            "other_clip": second.audio if second else None,
            "other_condition": second.condition if second else None,
        }

    def about(self, stimulus: ListeningTrial) -> str:
        return stimulus.pair_id or stimulus.first.audio

    def respond(self, shown: Due, participant: SimulatedParticipant) -> ClipJudgement:
        chance = participant.chance(f"listen {shown.place} {shown.position}")
        if shown.stimulus.second is None:
            return ClipJudgement(value=chance.randint(1, 5))
        return ClipJudgement(
            choice=chance.choice(["first", "second", *(["tie"] if shown.step.settings.ties else [])])
        )


def _single(clips: Sequence[Clip], chance: Random) -> list[ListeningTrial]:
    """Every clip, conditions taking turns."""
    by_condition: dict[str, list[Clip]] = defaultdict(list)
    for clip in clips:
        by_condition[clip.condition].append(clip)
    conditions = list(by_condition.values())
    for condition in conditions:
        chance.shuffle(condition)
    chance.shuffle(conditions)
    rounds = range(max(map(len, conditions), default=0))
    return [
        ListeningTrial(first=_played(condition_clips[place]))
        for place in rounds
        for condition_clips in conditions
        if place < len(condition_clips)
    ]


def _pairs(clips: Sequence[Clip], chance: Random) -> list[ListeningTrial]:
    by_pair: dict[str | None, list[Clip]] = defaultdict(list)
    for clip in clips:
        by_pair[clip.pair].append(clip)
    trials: list[ListeningTrial] = []
    for name, clips_pair in by_pair.items():
        first, second = chance.sample(clips_pair, 2)
        trials.append(ListeningTrial(first=_played(first), second=_played(second), pair_id=name))
    chance.shuffle(trials)
    return trials


def _played(clip: Clip) -> PlayedClip:
    return PlayedClip(audio=clip.audio, condition=clip.condition)
