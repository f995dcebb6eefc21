"""The step `dialogue`."""

from typing import Final

from vivavoce.steps.base import (
    ANSWERED,
    TYPED,
    Information,
    Message,
    SimulatedParticipant,
    StepKind,
    form_minutes,
)
from vivavoce.study.channel import channel_of
from vivavoce.study.model import Study
from vivavoce.study.steps import DialoguePlan, DialogueStep

DIALOGUE_MINUTES: Final = 3.0

_TYPED: Final = Information(
    Message(
        "Thank you for your interest. In this study you talk with a computer program by typing, as in a "
        "chat, and help us find out how good it is."
    ),
    keeps=(TYPED,),
)


def _talks(least: int, most: int, with_tasks: bool) -> Message:
    """Number of conversations of a participant, with the numbers shown on the page."""
    if most > least and with_tasks:
        return Message(
            "You get %(least)s to %(most)s tasks, one after another, and find out what they ask for by "
            "talking with the program. You decide how many.",
            values=(("least", least), ("most", most)),
        )
    if most > least:
        return Message(
            "You have %(least)s to %(most)s conversations with the program. You decide how many.",
            values=(("least", least), ("most", most)),
        )
    if with_tasks:
        return Message(
            "You get a task and find out what it asks for by talking with the program.",
            "You get %(num)s tasks, one after another, and find out what they ask for by talking with the "
            "program.",
            least,
        )
    return Message(
        "You have a conversation with the program.", "You have %(num)s conversations with the program.", least
    )


class Dialogue(StepKind[DialogueStep]):
    """Simulated participants talk in writing, whatever the channel, through noise like a recogniser's."""

    name = "dialogue"

    def dialogues(self, step: DialogueStep) -> DialoguePlan:
        return step

    def minutes(self, step: DialogueStep, study: Study) -> float:
        rounds = max(1, step.repeat.min)
        return rounds * (DIALOGUE_MINUTES + sum(form_minutes(form.name, study) for form in step.feedback))

    def participant_info(self, step: DialogueStep, study: Study) -> Information:
        repeat = step.repeat.within(len(study.tasks)) if study.tasks else step.repeat
        does = [_talks(max(1, repeat.min), repeat.max, bool(study.tasks))]
        if step.feedback:
            does.append(Message("Then you answer a few questions about it."))
        channel = channel_of(step.channel)
        channel_info = channel.participant_info(study) if channel is not None else _TYPED
        keeps = (*channel_info.keeps, ANSWERED) if step.feedback else channel_info.keeps
        return Information(channel_info.lead, tuple(does), channel_info.needs, keeps)

    def preregistration_line(self, step: DialogueStep, study: Study) -> str:
        channel = channel_of(step.channel)
        way = channel.preregistration_line() if channel is not None else "in writing"
        task = ", one task each" if study.tasks else ""
        form_names = ", ".join(form.name for form in step.feedback)
        many = "1 dialogue" if step.repeat.max == 1 else f"{step.repeat.min} to {step.repeat.max} dialogues"
        seen = ", answers streamed" if step.answers == "streamed" else ""
        return f"{many} {way}{task}{seen}" + (f"; after each: {form_names}" if form_names else "")

    async def simulate(self, step: DialogueStep, participant: SimulatedParticipant) -> None:
        await participant.converse()
