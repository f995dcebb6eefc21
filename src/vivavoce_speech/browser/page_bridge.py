"""A page with an open microphone and a system that is a telephone number: the two hear each other.

The call lasts as long as the talk: a lost connection is silence to the system, for a minute at most. To a
page that comes back later the dialogue is over, for nobody holds a line. Only where the service died is it
still going on: then the system is called anew.
"""

from collections.abc import Callable
from typing import Final

import structlog

from vivavoce.audio.recognition import Recogniser
from vivavoce.audio.synthesis import Synthesiser, SynthesisError
from vivavoce.connectors.base import CalledSystem
from vivavoce.languages.data import Phrase, phrase
from vivavoce.log.events import EndReason
from vivavoce.log.history import DialogueHistory
from vivavoce_speech.browser.browser_leg import RATE_HZ, BrowserLeg
from vivavoce_speech.dialogue.bridge import BridgedDialogue, Lag
from vivavoce_speech.dialogue.bridge_transcripts import Overheard, recognise_turns
from vivavoce_speech.dialogue.calls import Calls

PAGE_LAG: Final = Lag(0.25, 0.8)  # a page tells of what it played one way through the network later

_report = structlog.get_logger("vivavoce.trial")


class BridgedPage:
    """One such dialogue; `run` returns when it is over.

    recogniser  reads the participant's turns afterwards, for the log alone; None: nobody does
    left_as     why the dialogue ended, where the page left it
    """

    def __init__(
        self, calls: Calls, visit_id: str, dialogue: DialogueHistory, after: int, leg: BrowserLeg,
        phone: CalledSystem, *, synthesiser: Synthesiser, recogniser: Recogniser | None,
        left_as: Callable[[], EndReason],
    ) -> None:  # fmt: skip
        self._calls, self._visit_id, self._dialogue, self._leg = calls, visit_id, dialogue, leg
        self._synthesiser, self._recogniser = synthesiser, recogniser
        self._overheard = Overheard(RATE_HZ) if recogniser is not None else None
        self._bridge = BridgedDialogue(
            calls, visit_id, dialogue.dialogue_id, after, leg, phone, rate_hz=RATE_HZ,
            overheard=self._overheard, lag=PAGE_LAG, left_as=left_as, answered=lambda: leg.tell("listening"),
        )  # fmt: skip

    async def run(self) -> None:
        """Ring, talk, and read the words afterwards where the study wants them."""
        self._leg.tell("thinking")
        await self._say("connecting")
        ended = await self._bridge.run()
        if ended == "not_reached":
            await self._say("nobody_there")
        else:
            self._leg.stop_playing()
        overheard, recogniser = self._overheard, self._recogniser
        if recogniser is not None and overheard is not None and overheard.speech:
            await recognise_turns(
                self._calls, self._visit_id, self._dialogue.dialogue_id, overheard, recogniser,
                self._dialogue.language,
            )  # fmt: skip

    async def _say(self, words: Phrase) -> None:
        language = self._dialogue.language
        try:
            self._leg.play(await self._synthesiser.speak(phrase(words, language), language=language))
        except SynthesisError as error:
            _report.error("synthesiser_failed", error=str(error))
            return
        await self._leg.played()
