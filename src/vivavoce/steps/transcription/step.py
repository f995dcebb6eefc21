"""The step `transcribe`."""

from vivavoce.steps.base import Information, Message, SimulatedParticipant, StepKind
from vivavoce.study.model import Study
from vivavoce.study.steps import TranscribeStep


class Transcription(StepKind[TranscribeStep]):
    """Simulated participants write what is known of a recording: its transcript, else what was recognised."""

    name = "transcribe"

    def minutes(self, step: TranscribeStep, study: Study) -> float:
        return step.each / 2

    def told(self, step: TranscribeStep, study: Study) -> Information:
        return Information(
            Message(
                "Thank you for your interest. In this study you listen to short recordings and write "
                "down what "
                "was said."
            ),
            (
                Message(
                    "You write down one recording.",
                    "You write down %(num)s recordings, one after another.",
                    step.each,
                ),
            ),
            (Message("Headphones or loudspeakers, and a quiet place."),),
            (Message("What you write down, and how long it takes you."),),
        )

    def course(self, step: TranscribeStep, study: Study) -> str:
        return (
            f"{step.each} recordings are written down, a share of {step.gold:g} of them with a known "
            "transcript; "
            f"below a word accuracy of {step.accuracy:g} on these nothing counts"
        )

    async def simulate(self, step: TranscribeStep, participant: SimulatedParticipant) -> None:
        state = participant.state
        item = participant.study.item(state.transcriptions[state.position].audio)
        known = (item.gold or item.hypothesis or "") if item is not None else ""
        await participant.engine.forms.transcribe(
            participant.visit_id, step=state.step, position=state.position, text=known, unclear=not known
        )
