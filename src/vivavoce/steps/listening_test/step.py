"""The step `listen`."""

from typing import Final

from vivavoce.steps.base import ANSWERED, Information, Message, SimulatedParticipant, StepKind
from vivavoce.study.model import Study
from vivavoce.study.steps import ListenStep

JUDGING_S: Final = 4.0  # of what was heard, beside hearing it
HEARING_MINUTES: Final = 1.0


class ListeningTest(StepKind[ListenStep]):
    """Simulated participants count the tones right and judge by chance, without waiting for the sound."""

    name = "listen"

    def minutes(self, step: ListenStep, study: Study) -> float:
        """Clips of the usual length, each heard once and judged; a minute for counting tones."""
        clips = study.clips[step.clips]
        usual_s = sum(clip.duration_s for clip in clips) / len(clips)
        heard_s = usual_s * (2 if step.method == "pairs" else 1)
        hearing = HEARING_MINUTES if step.hearing == "tones" else 0.0
        return hearing + step.each * (heard_s + JUDGING_S) / 60

    def told(self, step: ListenStep, study: Study) -> Information:
        does = (
            Message(
                "You listen to one short recording and say how good it sounds.",
                "You listen to %(num)s short recordings, one after another, and say how good each of "
                "them sounds.",
                step.each,
            )
            if step.method == "opinion"
            else Message(
                "You listen to one pair of short recordings and say which of the two sounds better.",
                "You listen to %(num)s pairs of short recordings, one after another, and say which of "
                "the two "
                "sounds better.",
                step.each,
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

    def course(self, step: ListenStep, study: Study) -> str:
        first = "tones are counted to check hearing, then " if step.hearing == "tones" else ""
        if step.method == "opinion":
            return f"{first}{step.each} clips are each heard whole and rated from 1 to 5"
        tie = ", or no difference" if step.ties else ""
        return f"{first}{step.each} pairs of clips are heard whole; the better one of two is chosen{tie}"

    async def simulate(self, step: ListenStep, participant: SimulatedParticipant) -> None:
        state, listening = participant.state, participant.engine.listening
        if (attempt := state.tones_due) is not None:
            await listening.hear(
                participant.visit_id, step=state.step, attempt=attempt, counted=state.tones[attempt]
            )
            return
        chance = participant.chance(f"listen {state.step} {state.position}")
        single = state.trials[state.position].second is None
        choices = ["first", "second", *(["tie"] if step.ties else [])]
        await listening.judge(
            participant.visit_id, step=state.step, position=state.position,
            value=chance.randint(1, 5) if single else None, choice=None if single else chance.choice(choices),
        )  # fmt: skip
