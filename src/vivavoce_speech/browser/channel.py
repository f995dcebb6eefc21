"""The channel `voice`: participants talk into the microphone of their browser."""

from collections.abc import Mapping
from typing import Any

from vivavoce.connectors.base import called_system
from vivavoce.core.errors import InputError
from vivavoce.steps.base import SPOKEN
from vivavoce.study.channel import Channel
from vivavoce.study.file import StudyFile
from vivavoce.study.model import Study
from vivavoce.study.step_kind import Information, Message
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.state import VisitState
from vivavoce_speech.browser.line import VoiceLine, settings_of
from vivavoce_speech.dialogue.speech_check import speech_doubts, speech_problems


class VoiceChannel(Channel):
    """Dialogues in the browser: participants speak while they hold a button, or whenever they like."""

    name = "voice"
    in_chat = True
    spoken, calls_out = True, False
    uploads = ("/voice/turn",)

    @property
    def router(self) -> Any:
        from vivavoce_speech.browser.pages import router

        return router

    def participant_info(self, study: Study) -> Information:
        lead = Message(
            "Thank you for your interest. In this study you talk with a computer program by voice and "
            "help us evaluate it."
        )
        needs = (Message("A microphone and loudspeakers or headphones."),)
        return Information(lead, needs=needs, keeps=(SPOKEN,))

    def preregistration_line(self) -> str:
        return "by voice"

    def missing(self, study: Study) -> list[InputError]:
        return speech_problems(study, "voice", settings_of(study))

    def doubts(self, study: Study) -> list[str]:
        return speech_doubts(study, "voice", settings_of(study))

    def bridges(self, file: StudyFile) -> bool:
        return file.voice is not None and file.voice.microphone == "open"

    def require(self, study: Study) -> None:
        """Require nothing: the pages are there."""

    def open(self, engine: SessionEngine) -> VoiceLine:
        return VoiceLine(engine)

    def facts(
        self, study: Study, line: VoiceLine | None, state: VisitState, problem: str | None
    ) -> Mapping[str, object]:
        """Data for the page's script; `only_spoken` where nobody could read what is written."""
        connectors = line.engine.relay.connectors if line is not None else {}
        system = connectors.get(state.dialogue.system) if state.dialogue is not None else None
        settings, called = settings_of(study), called_system(system) is not None
        return {"only_spoken": called, "captions": settings.captions, "microphone": settings.microphone}
