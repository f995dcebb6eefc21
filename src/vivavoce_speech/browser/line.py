"""Voice services of one study, while its pages are served."""

from vivavoce.study.model import Study
from vivavoce.study.voice import Voice
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.browser.mixdown import LaidOutDialogues
from vivavoce_speech.browser.open_microphone import Microphones
from vivavoce_speech.browser.playback import Playback
from vivavoce_speech.dialogue.voice_turns import Voices, VoiceTurns


class VoiceLine:
    """Voice services of one study.

    microphones  None: people press a button to talk
    """

    def __init__(self, engine: SessionEngine) -> None:
        self.settings = settings_of(engine.study)
        self.engine, self.voices = engine, Voices(engine.study)
        self.turns, self.playback = VoiceTurns(engine), Playback(engine)
        opened = self.settings.microphone == "open"
        self.microphones = Microphones(engine, self.voices) if opened else None
        self._beside = [*([self.microphones] if self.microphones else []), LaidOutDialogues(engine)]

    async def start(self) -> None:
        for service in self._beside:
            await service.start()

    async def stop(self) -> None:
        for service in self._beside:
            await service.stop()
        await self.voices.close()

    def announced(self) -> list[str]:
        return []


def settings_of(study: Study) -> Voice:
    """The section `voice` of a study, or what holds where it has none."""
    return study.voice or Voice.model_validate({})
