"""Course of a call: it joins a visit, holds the dialogue, and speaks the code.

A call leads to a visit by the number that was dialled, by who calls where an earlier call told that, or by
the number that the caller keys in. One visit has one call at a time. Whoever hangs up before the code was
heard may call again and hears it then.
"""

import os
from typing import Final

import structlog

from vivavoce.audio.recognition import Recogniser
from vivavoce.audio.sound import silence
from vivavoce.audio.speech import make_recogniser, make_synthesiser
from vivavoce.audio.synthesis import Synthesiser, SynthesisError
from vivavoce.connectors.base import CalledSystem, called_system
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import InputError, LogError
from vivavoce.languages.data import Phrase, phrase, spoken_digits
from vivavoce.log.call_events import CallEnded, CodeSpoken, JoinedBy, NotTaken
from vivavoce.log.history import DialogueHistory
from vivavoce.log.recordings import folder_of
from vivavoce.study.telephone import Telephone
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused
from vivavoce_speech.dialogue.bridge import BridgedDialogue
from vivavoce_speech.dialogue.bridge_transcripts import Overheard, recognise_turns
from vivavoce_speech.dialogue.calls import Calls
from vivavoce_speech.dialogue.degraded_line import answers, ears
from vivavoce_speech.dialogue.turn_taking import SpokenDialogue, TurnTaking
from vivavoce_speech.telephony.asterisk import Asterisk
from vivavoce_speech.telephony.leg import FRAME_S, RATE_HZ, PhoneLeg
from vivavoce_speech.telephony.media_streams import MediaStreams
from vivavoce_speech.telephony.outbound import OutboundCalls
from vivavoce_speech.telephony.sip import SipAnswerer

TIMES_SPOKEN: Final = 2
TRIES: Final = 3
BETWEEN_S: Final = 1.5
KEYING_S: Final = 15.0
LONGEST_PIN: Final = 12
CALLERS_REMEMBERED: Final = 10_000

_report = structlog.get_logger("vivavoce.telephony")


class Switchboard:
    """Takes the calls of one study; `start` and `stop` beside its pages, which carry those of `streams`.

    Raises  InputError: a recogniser or synthesiser that cannot be made, a log without a folder for
            recordings, a token of the carrier's that is not set
    """

    def __init__(self, engine: SessionEngine, telephone: Telephone) -> None:
        study = engine.study
        folder_of(engine.log)
        self._engine, self._telephone, self._calls = engine, telephone, Calls(engine)

        self._recognisers: dict[str, Recogniser] = {
            language: make_recogniser(
                telephone.listener(language), folder=study.folder, place="telephone recogniser"
            )
            for language in study.languages
            if telephone.recognise_for_log
            or any(called_system(connector) is None for connector in engine.relay.connectors.values())
        }
        self._synthesisers: dict[str, Synthesiser] = {
            language: make_synthesiser(
                telephone.speaker(language), folder=study.folder, place="telephone synthesiser"
            )
            for language in study.languages
        }
        self._turn_taking = TurnTaking(telephone.pause_s, telephone.silence_s, telephone.silence_prompts)
        self._talking: dict[str, str] = {}
        self._visits_of_callers: dict[str, str] = {}
        host, _, port = telephone.listen.rpartition(":")
        self.answerer = SipAnswerer(
            self.take,
            host=host,
            port=int(port),
            advertised=telephone.advertised,
            at_once=telephone.max_concurrency,
        )

        self.streams = _media_streams(self, telephone)
        self.asterisk = _asterisk(self, telephone)
        outbound = telephone.outbound
        self.outbound = OutboundCalls(self, self._calls, outbound) if outbound is not None else None

    async def start(self) -> None:
        if self._telephone.by_sip:
            await self.answerer.start()
        if self.asterisk is not None:
            await self.asterisk.start()

    async def stop(self) -> None:
        if self._telephone.by_sip:
            await self.answerer.stop()
        for service in (self.streams, self.asterisk, self.outbound):
            if service is not None:
                await service.stop()
        for service in (*self._recognisers.values(), *self._synthesisers.values()):
            await service.close()

    def announced(self) -> list[str]:
        """Incoming and outgoing numbers; one line each."""
        lines: list[str] = []
        if self._telephone.by_sip:
            lines.append(f"telephone     sip:{self._telephone.listen}")
        if (outbound := self._telephone.outbound) is not None:
            called = ", ".join(outbound.allowed)
            lines.append(f"telephone     calls {called} by {outbound.exchange or 'no exchange'}")
        if (asterisk := self._telephone.asterisk) is not None:
            lines.append(f"telephone     Asterisk: routes agi://{asterisk.agi}/route, sound {asterisk.audio}")
        if self.streams is not None:
            lines.append(f"telephone     {self.streams.webhook_url}  (the carrier's voice webhook)")
        return lines

    # --- one call -------------------------------------------------------------------------------------

    async def take(self, leg: PhoneLeg) -> None:
        """A call from its first word to its last."""
        caller = self._calls.caller(leg.caller_id)
        joined = await self._joined(leg, caller)
        if joined is None:
            await self._turn_away(leg, "no_visit", "no_visit")
            return
        await self.hold(leg, *joined, caller)

    async def hold(self, leg: PhoneLeg, visit_id: str, joined_by: JoinedBy, caller: str | None) -> None:
        """A call whose visit is known; a second one for the same visit is turned away."""
        if visit_id in self._talking:
            await self._turn_away(leg, "second_call", "second_call", visit_id)
            return
        self._talking[visit_id] = leg.call_id
        if caller is not None:
            self._visits_of_callers[caller] = visit_id
            while len(self._visits_of_callers) > CALLERS_REMEMBERED:
                del self._visits_of_callers[next(iter(self._visits_of_callers))]
        overheard = Overheard(RATE_HZ) if self._telephone.recognise_for_log else None
        try:
            dialogue = await self._held(leg, visit_id, caller, joined_by, overheard)
        finally:
            del self._talking[visit_id]
        if dialogue is not None and overheard is not None and overheard.speech:
            recogniser, language = self._recognisers[dialogue.language], dialogue.language
            await recognise_turns(
                self._calls, visit_id, dialogue.dialogue_id, overheard, recogniser, language
            )

    async def _held(
        self,
        leg: PhoneLeg,
        visit_id: str,
        caller: str | None,
        joined_by: JoinedBy,
        overheard: Overheard | None,
    ) -> DialogueHistory | None:
        """The dialogue of a call from its first word to its last; None where none was due."""
        try:
            dialogue, after = await self._calls.connect(
                visit_id, call_id=leg.call_id, adapter=leg.adapter, caller=caller, joined_by=joined_by
            )
        except Refused as refusal:
            await self._not_due(leg, visit_id, refusal)
            return None
        language = dialogue.language
        began_s = round(self._engine.relay.elapsed_s(dialogue) - leg.seconds, 3)
        try:
            phone = called_system(self._engine.relay.connectors[dialogue.system])
            if phone is not None:
                await self._bridged(leg, visit_id, dialogue, after, phone, overheard)
            else:
                await SpokenDialogue(
                    self._calls,
                    visit_id,
                    dialogue.dialogue_id,
                    after,
                    leg,
                    rate_hz=RATE_HZ,
                    language=language,
                    recogniser=ears(self._recognisers[language], self._engine.study, dialogue),
                    synthesiser=self._synthesisers[language],
                    turn_taking=self._turn_taking,
                    recognise_for_log=self._telephone.recognise_for_log,
                    answers=answers(self._engine.study, dialogue),
                    began_s=lambda: began_s,
                ).run()
            await self._farewell(leg, visit_id)
        finally:
            if not leg.over.is_set():
                await leg.hang_up()
            await self._keep(leg, visit_id, dialogue.dialogue_id, began_s)
        return dialogue

    async def _bridged(
        self,
        leg: PhoneLeg,
        visit_id: str,
        dialogue: DialogueHistory,
        after: int,
        phone: CalledSystem,
        overheard: Overheard | None,
    ) -> None:
        """A dialogue with a system that is called itself; its call is heard in this one."""
        await self._say(leg, phrase("connecting", dialogue.language), dialogue.language)
        leg.live = True
        end_reason = await BridgedDialogue(
            self._calls,
            visit_id,
            dialogue.dialogue_id,
            after,
            leg,
            phone,
            rate_hz=RATE_HZ,
            overheard=overheard,
        ).run()
        leg.live = False
        leg.stop_playing()
        if end_reason == "not_reached":
            await self._say(leg, phrase("system_away", dialogue.language), dialogue.language)
            await leg.hang_up()

    async def _farewell(self, leg: PhoneLeg, visit_id: str) -> None:
        """The code after a dialogue that was not trivial, else the advice to call again."""
        if leg.over.is_set():
            return
        state = await self._engine.state(visit_id)
        if state.phase == "code":
            await self._speak_code(leg, visit_id)
        elif state.phase == "ready":
            await self._say(leg, phrase("too_short", state.language), state.language)

    async def _speak_code(self, leg: PhoneLeg, visit_id: str) -> None:
        state = await self._engine.state(visit_id)
        dialogue = state.dialogue
        if dialogue is None or dialogue.code is None:
            return
        language = dialogue.language
        spelt = phrase("code", language, code=spoken_digits(dialogue.code, language))
        times = 0
        for _ in range(TIMES_SPOKEN):
            await self._say(leg, spelt, language)
            times += not leg.over.is_set()
            leg.play(silence(BETWEEN_S, RATE_HZ))
        event = CodeSpoken(dialogue_id=dialogue.dialogue_id, call_id=leg.call_id, times=times)
        await self._calls.note(visit_id, event)
        await self._say(leg, phrase("goodbye", language), language)

    async def _not_due(self, leg: PhoneLeg, visit_id: str, refusal: Refused) -> None:
        """No dialogue is due: the code once more where it was not typed in yet, else why not."""
        state = await self._engine.state(visit_id)
        dialogue = state.dialogue
        if state.phase == "code" and dialogue is not None and dialogue.channel == "phone":
            await self._speak_code(leg, visit_id)
            await leg.hang_up()
            await self._calls.note(visit_id, _ended(leg, dialogue.dialogue_id))
            return
        if refusal.reason == "paused":
            await self._turn_away(leg, "paused", "paused", visit_id)
            return
        await self._turn_away(leg, "not_due", "over" if state.phase == "ended" else "not_due", visit_id)

    async def _turn_away(
        self, leg: PhoneLeg, reason: NotTaken, words: Phrase, visit_id: str | None = None
    ) -> None:
        language = (await self._engine.state(visit_id)).language if visit_id else None
        caller = self._calls.caller(leg.caller_id)
        await self._calls.not_taken(leg.call_id, caller, reason, visit_id)
        language = language or self._engine.study.default_language
        await self._say(leg, phrase(words, language), language)

    async def _keep(self, leg: PhoneLeg, visit_id: str, dialogue_id: str, began_s: float) -> None:
        """The recording, then the end of the call; a recording that cannot be written is told of."""
        try:
            await self._calls.keep_recording(visit_id, dialogue_id, leg.recording(), began_s)
        except LogError as error:
            _report.error("recording_not_kept", call_id=leg.call_id, error=str(error))
        await self._calls.note(visit_id, _ended(leg, dialogue_id))

    # --- whose call it is -----------------------------------------------------------------------------

    async def _joined(self, leg: PhoneLeg, caller: str | None) -> tuple[str, JoinedBy] | None:
        """The visit of a call and what led to it; None where nothing did."""
        if visit_id := await self._calls.visit_of_pin(leg.called):
            return visit_id, "number"
        if caller is not None and (visit_id := self._visits_of_callers.get(caller)):
            return visit_id, "caller"
        if not self._telephone.asks_for_pin:
            return None
        language = self._engine.study.default_language
        for attempt in range(TRIES):
            words = phrase("welcome_pin", language)
            if attempt:
                words = f"{phrase('wrong_pin', language)} {words}"
            pin = await self._keyed_in(leg, words, language)
            if leg.over.is_set():
                return None
            if visit_id := await self._calls.visit_of_pin(pin):
                return visit_id, "pin"
        return None

    async def _keyed_in(self, leg: PhoneLeg, words: str, language: str) -> str:
        """Keys until the hash key, or until nothing more came for long; pressing one stops the words."""
        await self._play(leg, words, language)
        pin, waited_s = "", 0.0
        while waited_s < KEYING_S and len(pin) < LONGEST_PIN:
            input_ = await leg.hear()
            if input_.kind == "end" or input_.key == "#":
                break
            if input_.kind == "key":
                leg.stop_playing()
                pin, waited_s = pin + input_.key, 0.0
            elif not leg.playing:
                waited_s += FRAME_S
        return pin

    async def ask(self, leg: PhoneLeg, words: str, language: str) -> None:
        """Begin to say something; an answer may come before its end."""
        await self._play(leg, words, language)

    async def _say(self, leg: PhoneLeg, words: str, language: str) -> None:
        """Words of the platform, to their end or the end of the call."""
        await self._play(leg, words, language)
        await leg.played()

    async def _play(self, leg: PhoneLeg, words: str, language: str) -> None:
        synthesiser = self._synthesisers.get(language) or next(iter(self._synthesisers.values()))
        try:
            leg.play(await synthesiser.speak(words, language=language))
        except SynthesisError as error:
            _report.error("synthesiser_failed", error=str(error))


def _asterisk(switchboard: Switchboard, telephone: Telephone) -> Asterisk | None:
    """The way in for an Asterisk's calls, where the study has one."""
    settings = telephone.asterisk
    if settings is None:
        return None
    return Asterisk(
        switchboard.take, agi=settings.agi, audio=settings.audio, at_once=telephone.max_concurrency
    )


def _media_streams(switchboard: Switchboard, telephone: Telephone) -> MediaStreams | None:
    """The way in for a carrier's calls, where the study has one."""
    settings = telephone.media_streams
    if settings is None:
        return None
    try:
        token = Vault.of(settings.token, os.environ).expand(settings.token)
    except InputError as error:
        raise InputError(error.problem, place="telephone media_streams token", hint=error.hint) from None
    return MediaStreams(switchboard.take, url=settings.url, token=token, at_once=telephone.max_concurrency)


def _ended(leg: PhoneLeg, dialogue_id: str) -> CallEnded:
    return CallEnded(
        dialogue_id=dialogue_id,
        call_id=leg.call_id,
        by=leg.ended_by or "failure",
        duration_s=round(leg.seconds, 2),
        keys=leg.keys,
        lost_s=round(leg.dropped_frames * FRAME_S, 2),
    )
