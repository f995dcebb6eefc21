"""The laboratory calls participants who ask for it: whether it may, how far a call has come, how it ended.

A number stands in memory while its call lasts, and nowhere else; the log knows a pseudonym. Limits are
counted in the log, in the transaction that notes a call before it is made, so that neither many pages at once
nor a restart pass them. Who answers has to press a key before anything begins: so neither a machine nor
somebody who never asked is taken for the participant, and another key ends all calls to that number.
"""

import asyncio
import os
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import Final, Literal, NamedTuple, Protocol

import structlog
from sqlalchemy import ColumnElement, Connection, func, select

from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import InputError
from vivavoce.languages.data import phrase
from vivavoce.log.call_events import CallPlaced, CallsUnwanted, CallUnanswered, JoinedBy, NotAnsweredWhy
from vivavoce.log.events import TRIAL
from vivavoce.log.tables import calls
from vivavoce.study.outbound import Outbound
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.visits import Draft, paused
from vivavoce_speech.dialogue.calls import Calls
from vivavoce_speech.telephony.leg import FRAME_S, PhoneLeg
from vivavoce_speech.telephony.outgoing_calls import Outgoing
from vivavoce_speech.telephony.sip_auth import Credentials
from vivavoce_speech.telephony.sip_caller import NotAnswered, SipLine


class CallsPlaced(NamedTuple):
    """Calls that were made since an instant; callees are pseudonyms."""

    all_: int
    to_callee: int
    for_dialogue: int


def placed_since(
    connection: Connection, study: str, since: datetime, *, callee: str, dialogue_id: str
) -> CallsPlaced:
    """Calls that count for the limits: in the study and to one callee since then; ever for one dialogue."""
    ours = (calls.c.study == study) & (calls.c.kind == CallPlaced.kind)

    def count(*conditions: ColumnElement[bool]) -> int:
        return connection.execute(select(func.count()).where(ours, *conditions)).scalar_one()

    recent = calls.c.at >= since
    of_dialogue = connection.execute(select(calls.c.kind).where(calls.c.dialogue_id == dialogue_id)).scalars()
    return CallsPlaced(
        count(recent), count(recent, calls.c.party == callee), list(of_dialogue).count(CallPlaced.kind)
    )


def unwanted(connection: Connection, study: str, callee: str) -> bool:
    """True if somebody at this number has asked never to be called again."""
    condition = (calls.c.study == study) & (calls.c.kind == CallsUnwanted.kind) & (calls.c.party == callee)
    return connection.execute(select(calls.c.position).where(condition).limit(1)).one_or_none() is not None


NotCallable = Literal["no_number", "not_allowed"]

_SIP: Final = re.compile(r"sip:[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,253}(:\d{1,5})?")
_LONGEST: Final = 320


class BadNumber(ValueError):
    """Not a callable number; `reason` says why."""

    def __init__(self, reason: NotCallable) -> None:
        self.reason: NotCallable = reason
        super().__init__(reason)


def callee(number_text: str, outbound: Outbound) -> str:
    """The number in its international form, or the SIP address, that is to be called.

    Raises  BadNumber: `no_number`, or `not_allowed` by the study, or for what such numbers cost
    """
    number_text = number_text.strip()
    if len(number_text) > _LONGEST:
        raise BadNumber("no_number")
    if number_text.startswith("sip:"):
        if not _SIP.fullmatch(number_text):
            raise BadNumber("no_number")
        return _permitted(number_text, outbound)
    return _permitted(_international(number_text, outbound.country), outbound)


def _permitted(number: str, outbound: Outbound) -> str:
    if not _matches(number, outbound.allowed) or _matches(number, outbound.denied):
        raise BadNumber("not_allowed")
    return number


def _matches(number: str, patterns: list[str]) -> bool:
    return any(
        fnmatchcase(number, pattern) if pattern.startswith("sip:") else number.startswith(pattern)
        for pattern in patterns
    )


def _international(number_text: str, country: str | None) -> str:
    import phonenumbers
    from phonenumbers import PhoneNumberType as Kind

    try:
        number = phonenumbers.parse(number_text, country)
    except phonenumbers.NumberParseException:
        raise BadNumber("no_number") from None
    if not phonenumbers.is_valid_number(number):
        raise BadNumber("no_number")
    costly = (Kind.PREMIUM_RATE, Kind.SHARED_COST, Kind.UAN, Kind.PAGER, Kind.VOICEMAIL)
    if phonenumbers.number_type(number) in costly:
        raise BadNumber("not_allowed")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


MARK: Final = "call_"  # before a word that says why no call was made, in the address of the page
BEGIN_KEY: Final = "1"
NEVER_KEY: Final = "9"
CONFIRM_S: Final = 15.0
REMEMBERED: Final = 20_000

Status = Literal["idle", "calling", "ringing", "talking", "over"]
Refusal = Literal[
    "no_number",
    "not_allowed",
    "unwanted",
    "closed",
    "calling",
    "too_soon",
    "tries",
    "number",
    "day",
    "lines",
    "not_due",
    "paused",
]

_report = structlog.get_logger("vivavoce.telephony")


class Holder(Protocol):
    """Owner of a dialogue in a call: the switchboard."""

    async def hold(self, leg: PhoneLeg, visit_id: str, joined_by: JoinedBy, caller: str | None) -> None: ...
    async def ask(self, leg: PhoneLeg, words: str, language: str) -> None: ...


class NotPlaced(Exception):
    """No call was made; `reason` is a word that the page explains."""

    def __init__(self, reason: Refusal) -> None:
        self.reason: Refusal = reason
        super().__init__(reason)


@dataclass(slots=True)
class CallProgress:
    """Progress of a visit's last call; outcome: why it was not answered, once it is over."""

    status: Status = "idle"
    outcome: NotAnsweredWhy | None = None
    ended_s: float = 0.0


class OutboundCalls:
    """Calls to participants of one study.

    Raises  InputError: the password of the exchange is not set
    """

    def __init__(self, switchboard: Holder, calls: Calls, settings: Outbound) -> None:
        self._switchboard, self._calls, self._settings = switchboard, calls, settings
        self._engine = calls.engine
        self._outgoing = Outgoing()
        self._progress: dict[str, CallProgress] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._line = SipLine(settings.exchange, settings.caller_id, _credentials(settings))

    async def stop(self) -> None:
        """Take back calls that ring, hang up the others."""
        tasks = dict(self._tasks)
        for visit_id, task in tasks.items():
            if self.progress(visit_id).status != "talking":
                task.cancel()
        await self._outgoing.stop()
        if tasks:
            await asyncio.wait(tasks.values(), timeout=10)
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)

    def progress(self, visit_id: str) -> CallProgress:
        """Progress of a visit's call."""
        return self._progress.get(visit_id, CallProgress())

    async def place(self, visit_id: str, written: str) -> None:
        """Call the participant of a visit at a number; returns when the call is noted and being made.

        Raises  NotPlaced
        """
        try:
            number = callee(written, self._settings)
        except BadNumber as error:
            raise NotPlaced(error.reason) from None
        self._check_now(visit_id)
        progress = self._progress.get(visit_id)
        self._progress[visit_id] = CallProgress("calling")
        try:
            dialogue_id, call_id = await self._noted(visit_id, number)
        except BaseException:
            self._progress[visit_id] = progress or CallProgress()
            raise
        while len(self._progress) > REMEMBERED:
            del self._progress[next(iter(self._progress))]
        task = asyncio.create_task(self._call(visit_id, dialogue_id, call_id, number))
        self._tasks[visit_id] = task
        task.add_done_callback(lambda _: self._tasks.pop(visit_id, None))

    def _check_now(self, visit_id: str) -> None:
        """Check a call without the log. Raises NotPlaced."""
        last = self._progress.get(visit_id, CallProgress())
        clock = self._engine.clock
        if last.status in ("calling", "ringing", "talking"):
            raise NotPlaced("calling")
        if last.status == "over" and clock.monotonic_s() - last.ended_s < self._settings.pause_s:
            raise NotPlaced("too_soon")
        if not self._settings.open_at(clock.now()):
            raise NotPlaced("closed")
        if len(self._tasks) >= self._settings.max_concurrency:
            raise NotPlaced("lines")

    async def _noted(self, visit_id: str, number: str) -> tuple[str, str]:
        """Note the call before it is made, if the limits allow it; its dialogue and key. Raises NotPlaced."""
        study, who = self._engine.study.name, self._calls.caller(number) or ""
        call_id = f"call-{secrets.token_hex(8)}"
        state = await self._engine.state(visit_id)
        if state.phase == "ready" and state.due_channel == "phone":
            try:
                await self._engine.next_dialogue(visit_id, state.step, state.round)
            except (Stale, Refused):
                raise NotPlaced("not_due") from None
        visit = await self._engine.visit(visit_id)

        def note(draft: Draft) -> None:
            dialogue = draft.state.dialogue
            waits = dialogue is not None and (dialogue.running or draft.state.phase == "code")
            if dialogue is None or dialogue.channel != "phone" or not waits:
                raise NotPlaced("not_due")
            if paused(draft.tx):
                raise NotPlaced("paused")
            if unwanted(draft.tx.connection, study, who):
                raise NotPlaced("unwanted")
            since = self._engine.clock.now() - timedelta(days=1)
            placed = placed_since(
                draft.tx.connection, study, since, callee=who, dialogue_id=dialogue.dialogue_id
            )
            limits = self._settings
            counted: tuple[tuple[int, int, Refusal], ...] = (
                (placed.for_dialogue, limits.max_attempts, "tries"),
                (placed.to_callee, limits.max_per_number, "number"),
                (placed.all_, limits.max_per_day, "day"),
            )
            for count, most, reason in counted:
                if count >= most:
                    raise NotPlaced(reason)
            draft.add(CallPlaced(study=study, dialogue_id=dialogue.dialogue_id, call_id=call_id, callee=who))

        async with visit.lock:
            await self._engine.move(visit, note)
            dialogue = visit.state.dialogue
        return (dialogue.dialogue_id if dialogue else ""), call_id

    # --- one call -------------------------------------------------------------------------------------

    async def _call(self, visit_id: str, dialogue_id: str, call_id: str, number: str) -> None:
        progress = self._progress[visit_id]

        def rings() -> None:
            progress.status = "ringing"

        outcome: NotAnsweredWhy | None = "failure"
        try:
            caller = await self._outgoing.caller_towards(number, self._line)
            leg = await caller.call(number, self._line, ring_s=self._settings.ring_s, on_ringing=rings)
            leg.call_id, progress.status = call_id, "talking"
            outcome = await self._talk(leg, visit_id)
        except NotAnswered as error:
            outcome = error.outcome
            _report.info("call_not_answered", call_id=call_id, outcome=outcome)
        except Exception as error:
            _report.exception("call_failed", call_id=call_id, error=repr(error))
        finally:
            progress.status, progress.outcome = "over", outcome
            progress.ended_s = self._engine.clock.monotonic_s()
        if outcome is not None:
            event = CallUnanswered(dialogue_id=dialogue_id, call_id=call_id, outcome=outcome)
            await self._calls.note(visit_id, event)

    async def _talk(self, leg: PhoneLeg, visit_id: str) -> NotAnsweredWhy | None:
        """Ask who answers to press a key, then hold the dialogue; why not, where it was not held."""
        who = self._calls.caller(leg.called)
        try:
            key = await self._confirmed(leg, (await self._engine.state(visit_id)).language)
            if key == NEVER_KEY:
                await self._never_again(who or "")
                return "unwanted"
            if key != BEGIN_KEY:
                return "not_confirmed"
            await self._switchboard.hold(leg, visit_id, "placed", who)
            return None
        finally:
            await leg.hang_up()

    async def _confirmed(self, leg: PhoneLeg, language: str) -> str:
        """The key that was pressed in answer to our question; "" for none in time."""
        await self._switchboard.ask(leg, phrase("placed", language), language)
        waited_s = 0.0
        while waited_s < CONFIRM_S:
            input_ = await leg.hear()
            if input_.kind == "end":
                return ""
            if input_.key in (BEGIN_KEY, NEVER_KEY):
                leg.stop_playing()
                return input_.key
            waited_s += 0.0 if leg.playing or input_.kind == "key" else FRAME_S
        return ""

    async def _never_again(self, who: str) -> None:
        event = CallsUnwanted(study=self._engine.study.name, callee=who)
        await self._engine.log.transact(lambda tx: tx.append(TRIAL, event))


def _credentials(settings: Outbound) -> Credentials | None:
    if settings.username is None:
        return None
    password = settings.password or ""
    try:
        secret = Vault.of(password, os.environ).expand(password)
    except InputError as error:
        raise InputError(error.problem, place="telephone outbound password", hint=error.hint) from None
    return Credentials(settings.username, secret)
