"""The step `elicit`."""

from vivavoce.core.errors import InputError
from vivavoce.steps.base import SPOKEN, TYPED, Information, Message, SimulatedParticipant, StepKind
from vivavoce.study.model import Study
from vivavoce.study.steps import ElicitStep


class Elicitation(StepKind[ElicitStep]):
    """Simulated participants command in writing, and say what the study's stimuli propose."""

    name = "elicit"

    def minutes(self, step: ElicitStep, study: Study) -> float:
        return len(study.stimuli[step.stimuli]) / 2

    def told(self, step: ElicitStep, study: Study) -> Information:
        spoken = step.by == "speech"
        commands = len(study.stimuli[step.stimuli])
        does = (
            Message(
                "You see one picture and give the robot a command: by voice where your device has a "
                "microphone, "
                "else in writing.",
                "You see %(num)s pictures, one after another, and give the robot a command for each: by "
                "voice "
                "where your device has a microphone, else in writing.",
                commands,
            )
            if spoken
            else Message(
                "You see one picture and write the robot a command.",
                "You see %(num)s pictures, one after another, and write the robot a command for each.",
                commands,
            )
        )
        return Information(
            Message(
                "Thank you for your interest. In this study you tell a robot what to do, and help it "
                "learn to "
                "understand people."
            ),
            (does,),
            (Message("A microphone, if you like to speak."),) if spoken else (),
            (SPOKEN, TYPED) if spoken else (TYPED,),
        )

    def course(self, step: ElicitStep, study: Study) -> str:
        how = "by voice, or in writing without a microphone" if step.by == "speech" else "in writing"
        return f"{len(study.stimuli[step.stimuli])} commands to a robot, one for each stimulus, {how}"

    def check_simulation(self, step: ElicitStep, study: Study, language: str) -> None:
        for frame in study.stimuli[step.stimuli]:
            if not frame.say.get(language):
                raise InputError(
                    f"frame {frame.stimulus_id!r} proposes nothing to say in {language!r}",
                    place=step.stimuli, hint=f"add `say: {{{language}: [...]}}` to it",
                )  # fmt: skip

    async def simulate(self, step: ElicitStep, participant: SimulatedParticipant) -> None:
        state = participant.state
        wanted = state.stimuli[state.position]
        proposed = next(
            one.say[state.language]
            for one in participant.study.stimuli[step.stimuli]
            if (one.recipe, one.stimulus_id) == (wanted.recipe, wanted.stimulus_id)
        )
        chance = participant.chance(f"elicit {state.step} {state.position}")
        await participant.engine.elicitation.type(
            participant.visit_id, step=state.step, position=state.position,
            key=f"{participant.visit_id}-{state.step}-{state.position}", text=chance.choice(proposed),
        )  # fmt: skip
