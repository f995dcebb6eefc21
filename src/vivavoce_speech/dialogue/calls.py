"""Calls of a visit: begin the dialogue that waits for a call, speak, end it, give the code.

As everywhere in a session: whatever a method has returned is on disk.
"""

import asyncio
import secrets
from random import Random
from typing import Final

from vivavoce.audio.files import Tracks, encode_sound
from vivavoce.audio.recognition import Hypothesis
from vivavoce.audio.sound import Sound as Spoken
from vivavoce.log import events as log_events
from vivavoce.log.call_events import PIN_MARK, CallConnected, CallNotTaken, CallRouted, JoinedBy, NotTaken
from vivavoce.log.history import DialogueHistory
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.recordings import RecordedSound, folder_of
from vivavoce.trial.allocation import choose_system
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.visits import Draft
from vivavoce_speech.dialogue.pseudonyms import caller_pseudonym
from vivavoce_speech.dialogue.voice_turns import VoiceTurns

_RULES: Final = {
    "least-called-by-caller": "least-used-by-participant",  # the same rule, over calls from one number
    "random": "random",
    "balanced": "balanced",
}


def route(draft: Draft, dialogue: DialogueHistory, caller: str | None) -> None:
    """Draw the system of a dialogue whose call has come, where the study routes calls.

    Whoever withholds their number is counted as the participant that the visit is of. A call that goes on
    with a dialogue after a restart stays with its system.
    """
    study, state, tx = draft.rules.study, draft.state, draft.tx
    routing = study.telephone.routing if study.telephone is not None else None
    if routing is None or not dialogue.awaits_call:
        return
    if caller is not None:
        by, who = "caller", caller
        mine = tx.call_counts(study.name, caller=caller)
    else:
        by, who = "participant", state.participant_id
        mine = tx.call_counts(study.name, participant_id=who)
    all_ = tx.call_counts(study.name)
    name = f"{who}:{sum(mine.values())}"
    seeded = routing.seed is not None
    chance = Random(f"{routing.seed}:{name}") if seeded else draft.rules.chance(f"call:{name}")
    resting = draft.rules.suspended()
    systems = [system for system in study.systems if system not in resting] or list(study.systems)
    system = choose_system(_RULES[routing.rule], systems, mine, all_, chance)
    draft.add(
        CallRouted(
            dialogue_id=dialogue.dialogue_id,
            system=system,
            condition=study.condition(system),
            factors=dict(study.factors.get(system, {})),
            rule=routing.rule,
            counted_by=by,
            calls_before=mine,
        )
    )


class Calls:
    """The moves of a call, on the visits of a session engine."""

    def __init__(self, engine: SessionEngine) -> None:
        self.engine, self.turns = engine, VoiceTurns(engine)

    def caller(self, number: str) -> str | None:
        """The pseudonym of a caller's number in this study; None where the number was withheld."""
        return caller_pseudonym(self.engine.log, self.engine.study.name, number) if number else None

    async def visit_of_pin(self, pin: str) -> str | None:
        """The visit that a number leads to; it leads there for ever, also when its dialogue is over."""
        if not pin.isascii() or not pin.isdigit():
            return None
        code = await self.engine.log.transact(lambda tx: tx.find_code(PIN_MARK + pin))
        return code.visit_id if code else None

    async def connect(
        self, visit_id: str, *, call_id: str, adapter: str, caller: str | None, joined_by: JoinedBy
    ) -> tuple[DialogueHistory, int]:
        """Begin the dialogue that waits for a call, or the next one after a call that was too short.

        Where the study routes calls, the system is drawn now, in the same transaction.

        Output  the dialogue, and the number of the event after which its turns come
        Raises  Refused: `not_running` when no dialogue by telephone is due, `paused`
        """
        state = await self.engine.state(visit_id)
        if state.phase == "ready" and state.due_channel == "phone":
            try:
                await self.engine.next_dialogue(visit_id, state.step, state.round)
            except Stale:
                raise Refused("not_running") from None
        visit = await self.engine.visit(visit_id)
        async with visit.lock:
            dialogue = visit.state.dialogue
            if dialogue is None or not dialogue.running or dialogue.channel != "phone":
                raise Refused("not_running")
            event = CallConnected(
                dialogue_id=dialogue.dialogue_id,
                call_id=call_id,
                adapter=adapter,
                caller=caller,
                joined_by=joined_by,
            )

            def connected(draft: Draft) -> None:
                route(draft, draft.state.dialogue_by_id(event.dialogue_id), caller)
                draft.add(event)

            stored = await self.engine.move(visit, connected)
        (seq,) = (entry.seq for entry in stored if isinstance(entry.event, CallConnected))
        return visit.state.dialogue_by_id(dialogue.dialogue_id), seq

    async def say(
        self,
        visit_id: str,
        dialogue_id: str,
        heard: tuple[Hypothesis, ...],
        *,
        barge_in: bool,
        response_delay_s: float | None,
        sound: Spoken | None = None,
        played_s: float | None = None,
        overheard: bool = False,
        onset_s: float | None = None,
        offset_s: float | None = None,
    ) -> int:
        """Take what the recogniser made of a caller's turn, its first hypothesis as the turn's text.

        With `sound` it goes to the system as it was spoken, without words, and is a recording; `overheard`
        says that it went there already, while it was spoken. Speech lasted from onset_s to offset_s, counted
        from the opening of the dialogue.

        Output  the turn's index
        Raises  Refused: as `SessionEngine.say`; LogError: the sound could not be written
        """
        visit, text = await self.engine.visit(visit_id), None if sound else heard[0].text
        async with visit.lock:
            dialogue = self.engine.speakable(visit.state, dialogue_id, text)
            recording = await self._kept(sound, dialogue) if sound else None
            turn = log_events.UserTurnSent(
                dialogue_id=dialogue_id,
                turn_index=len(dialogue.turns),
                text=text or "",
                response_delay_s=response_delay_s,
                barge_in=barge_in,
                played_s=played_s,
                heard=[
                    log_events.LoggedHypothesis(text=hypothesis.text, score=hypothesis.confidence)
                    for hypothesis in heard
                ],
                sound=recording.recording_id if recording else None,
                overheard=overheard,
                onset_s=onset_s,
                offset_s=offset_s,
            )
            visit.fresh.add((dialogue_id, turn.turn_index))

            def said(draft: Draft) -> None:
                if recording is not None:
                    draft.add(recording)
                draft.add(turn)

            await self.engine.move(visit, said)
        return turn.turn_index

    async def _kept(self, sound: Spoken, dialogue: DialogueHistory) -> RecordingStored:
        recording_id = f"recording-{secrets.token_hex(8)}"
        audio = await asyncio.to_thread(encode_sound, sound)
        folder = folder_of(self.engine.log)
        stored = await asyncio.to_thread(folder.keep, recording_id, audio, "audio/wav")
        facts = RecordedSound("audio/wav", 1, sound.rate_hz, len(sound.samples))
        return stored.event(
            recording_id,
            facts,
            "turn",
            ["user"],
            step=dialogue.step,
            dialogue_id=dialogue.dialogue_id,
            turn_index=len(dialogue.turns),
        )

    async def listens(self, visit_id: str, dialogue_id: str) -> bool:
        """True if the dialogue's system takes sound instead of words."""
        visit = await self.engine.visit(visit_id)
        return self.turns.listens(visit.state.dialogue_by_id(dialogue_id))

    async def note(self, visit_id: str, event: log_events.Event) -> None:
        """Log something about a call that moves nothing."""
        visit = await self.engine.visit(visit_id)
        async with visit.lock:
            await self.engine.move(visit, lambda draft: draft.add(event))

    async def not_taken(
        self, call_id: str, caller: str | None, reason: NotTaken, visit_id: str | None = None
    ) -> None:
        """Log a call that carried no dialogue."""
        event = CallNotTaken(study=self.engine.study.name, call_id=call_id, caller=caller, reason=reason)
        if visit_id is not None:
            await self.note(visit_id, event)
            return
        await self.engine.log.transact(lambda tx: tx.append(log_events.TRIAL, event))

    async def keep_recording(
        self, visit_id: str, dialogue_id: str, tracks: Tracks, started_s: float | None = None
    ) -> str:
        """Store a call, the system on channel 0 and the caller on channel 1; the recording's key.

        started_s  when it began, in seconds from the opening of the dialogue: below 0, for who calls is
                   greeted before

        Raises  LogError: it could not be written
        """
        recording_id = f"recording-{secrets.token_hex(8)}"
        audio = await asyncio.to_thread(encode_sound, tracks, "flac")
        folder = folder_of(self.engine.log)
        stored = await asyncio.to_thread(folder.keep, recording_id, audio, "audio/flac")
        sound = RecordedSound("audio/flac", tracks.channels, tracks.rate_hz, len(tracks.samples))
        event = stored.event(
            recording_id, sound, "dialogue", ["system", "user"], dialogue_id=dialogue_id, started_s=started_s
        )
        await self.note(visit_id, event)
        return recording_id
