"""Calls to participants: who may be called, how often and when, and what whoever answers can do."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from scenes.own_time import run_in_own_time
from scenes.patience import PATIENCE_S, eventually_there
from scenes.told import Written
from scenes.visits import Parrot, make_study
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import InputError
from vivavoce.languages.data import phrase
from vivavoce.log.store import Log
from vivavoce.study.model import DialogueStep, Nontrivial, Range
from vivavoce.study.outbound import Outbound
from vivavoce.study.telephone import Telephone
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.leg import FRAME_S, PhoneLeg
from vivavoce_speech.telephony.outbound import BadNumber, NotPlaced, OutboundCalls, callee
from vivavoce_speech.telephony.sip_caller import NotAnswered
from vivavoce_speech.telephony.switchboard import Switchboard

NUMBER = "+390669821234"


class FakeCaller:
    """A network of one telephone, which a test answers."""

    def __init__(self) -> None:
        self.problem: NotAnswered | None = None
        self.answers = asyncio.Event()
        self.answers.set()
        self.numbers: list[str] = []
        self.legs: list[PhoneLeg] = []

    async def caller_towards(self, number: str, line: Any) -> "FakeCaller":
        return self

    async def call(
        self, number: str, line: Any, *, ring_s: float, on_ringing: Callable[[], None]
    ) -> PhoneLeg:
        self.numbers.append(number)
        on_ringing()
        await self.answers.wait()
        if self.problem is not None:
            raise self.problem
        leg = PhoneLeg(f"call-{len(self.legs)}", number, number, "test")
        self.legs.append(leg)
        return leg

    async def stop(self) -> None:
        for leg in self.legs:
            await leg.hang_up()


class Laboratory:
    """A visit whose participant can be called; beats at a multiple of speed."""

    def __init__(self, engine: SessionEngine, switchboard: Switchboard, log: Log, clock: ManualClock) -> None:
        self.engine, self.switchboard, self.log, self.clock = engine, switchboard, log, clock
        assert switchboard.outbound is not None
        self.outbound: OutboundCalls = switchboard.outbound
        self.network = FakeCaller()
        self.outbound._outgoing = self.network  # type: ignore[assignment]
        self.visit_id = ""
        self._clock = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        while True:
            for leg in self.network.legs:
                if not leg.over.is_set():
                    leg.beat()
            await asyncio.sleep(FRAME_S)

    async def open_visit(self) -> str:
        self.visit_id = (await self.engine.open_visit(language="en")).visit_id
        await self.engine.give_consent(self.visit_id, 0, agreed=True, document="d")
        await self.engine.read_page(self.visit_id, 1)
        return self.visit_id

    async def place(self, number: str = NUMBER) -> None:
        await self.outbound.place(self.visit_id, number)

    async def refusal(self, number: str = NUMBER) -> str:
        with pytest.raises(NotPlaced) as caught:
            await self.place(number)
        return caught.value.reason

    async def answered(self) -> PhoneLeg:
        await eventually_there(lambda: self.network.legs and not self.network.legs[-1].over.is_set())
        await eventually_there(lambda: phrase("placed", "en") in Written.texts, "no question")
        return self.network.legs[-1]

    async def over(self) -> str | None:
        await eventually_there(lambda: self.outbound.progress(self.visit_id).status == "over", "it goes on")
        await eventually_there(lambda: not self.outbound._tasks, "it is not noted")
        return self.outbound.progress(self.visit_id).outcome

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]

    async def stop(self) -> None:
        await self.outbound.stop()
        self._clock.cancel()
        await asyncio.gather(self._clock, return_exceptions=True)


def with_outbound(folder: Path, work: Callable[[Laboratory], Awaitable[None]], **settings: Any) -> None:
    Written.texts = []
    step = DialogueStep(
        repeat=Range(min=1, max=9), gate="code", nontrivial=Nontrivial(user_turns=1), channel="phone"
    )
    telephone = Telephone.model_validate(
        {
            "recogniser": "told",
            "synthesiser": "written",
            "silence_s": 3600,
            "outbound": {
                "exchange": "127.0.0.1:5060",
                "allowed": ["+39"],
                "pause_s": 0,
                "hours": "00:00-24:00",
                **settings,
            },
        }
    )
    study = make_study(folder)
    visit = tuple(step if isinstance(one, DialogueStep) else one for one in study.visit)
    study = study.model_copy(update={"visit": visit, "telephone": telephone})

    async def run() -> None:
        clock, parrot = ManualClock(), Parrot()
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}", clock=clock) as log:
            engine = SessionEngine(study, log, {"one": parrot, "two": parrot}, clock=clock)
            await engine.start()
            lab = Laboratory(engine, Switchboard(engine, telephone), log, clock)
            await lab.open_visit()
            try:
                await asyncio.wait_for(work(lab), 2 * PATIENCE_S)
            finally:
                await lab.stop()
                await engine.stop()

    run_in_own_time(run())


def test_who_presses_one_holds_the_dialogue_and_the_number_is_in_no_event(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        await lab.place("+39 06 6982 1234")
        leg = await lab.answered()
        assert lab.outbound.progress(lab.visit_id).status == "talking"
        assert lab.events("call_connected") == []
        leg.take_key("1")
        await eventually_there(lambda: lab.events("system_turn_received"), "no greeting")
        leg.ended("caller")
        assert await lab.over() is None
        assert lab.network.numbers == [NUMBER]
        (placed,), (connected,) = lab.events("call_placed"), lab.events("call_connected")
        assert connected.joined_by == "placed"
        assert connected.call_id == placed.call_id == lab.events("call_ended")[0].call_id
        assert connected.caller == placed.callee != ""
        stored = "".join(one.event.model_dump_json() for one in lab.log.events(lab.visit_id))
        assert "6982" not in stored

    with_outbound(tmp_path, work)


def test_who_does_not_press_the_key_is_no_participant(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        await lab.place()
        leg = await lab.answered()
        assert await lab.over() == "not_confirmed"
        assert leg.ended_by == "platform"
        assert lab.events("call_connected") == []
        assert lab.events("call_unanswered")[0].outcome == "not_confirmed"

    with_outbound(tmp_path, work)


def test_who_presses_nine_is_never_called_again_by_anybody(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        await lab.place()
        (await lab.answered()).take_key("9")
        assert await lab.over() == "unwanted"
        await lab.open_visit()
        lab.clock.advance(40 * 86_400)
        assert await lab.refusal() == "unwanted"
        await lab.place("+390669825678")

    with_outbound(tmp_path, work)


@pytest.mark.parametrize("outcome", ["busy", "no_answer", "declined", "unreachable", "refused"])
def test_a_call_that_is_not_answered_says_why_and_may_be_tried_again(outcome: Any, tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        lab.network.problem = NotAnswered(outcome, "so it is")
        await lab.place()
        assert await lab.over() == outcome
        assert lab.events("call_unanswered")[0].outcome == outcome
        await lab.place()
        assert len(lab.events("call_placed")) == 2

    with_outbound(tmp_path, work)


def test_while_a_call_rings_no_other_is_made_for_the_same_visit(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        lab.network.answers.clear()
        await lab.place()
        await eventually_there(lambda: lab.outbound.progress(lab.visit_id).status == "ringing")
        assert await lab.refusal() == "calling"
        first = lab.visit_id
        await lab.open_visit()
        assert await lab.refusal() == "lines"
        lab.visit_id = first
        lab.network.answers.set()
        (await lab.answered()).take_key("1")

    with_outbound(tmp_path, work, max_concurrency=1)


def test_limits_for_a_dialogue_a_number_and_a_day_hold_over_visits(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        lab.network.problem = NotAnswered("busy", "")

        async def called(number: str = NUMBER) -> None:
            await lab.place(number)
            await lab.over()

        await called(), await called()
        assert await lab.refusal("+390669825678") == "tries"
        await lab.open_visit()
        await called()
        assert await lab.refusal() == "number"
        await called("+390669825678")
        await lab.open_visit()
        assert await lab.refusal("+390669829999") == "day"
        lab.clock.advance(86_401)
        await called()

    with_outbound(tmp_path, work, max_attempts=2, max_per_number=3, max_per_day=4)


def test_between_two_calls_there_is_a_pause_and_at_night_there_are_none(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        assert await lab.refusal() == "closed"  # midnight in UTC is one o'clock in Rome
        lab.clock.advance(8 * 3600)
        lab.network.problem = NotAnswered("busy", "")
        await lab.place()
        await lab.over()
        assert await lab.refusal() == "too_soon"
        lab.clock.advance(21)
        await lab.place()

    with_outbound(tmp_path, work, pause_s=20, hours="09:00-20:00", timezone="Europe/Rome")


def test_where_no_dialogue_is_due_or_the_trial_is_paused_nobody_is_called(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None:
        from vivavoce.log import events as log_events

        paused = log_events.TrialPaused(by="researcher", reason="tea")
        await lab.engine.log.transact(lambda tx: tx.append(log_events.TRIAL, paused))
        assert await lab.refusal() == "paused"
        await lab.engine.withdraw(lab.visit_id)
        assert await lab.refusal() == "not_due"
        assert lab.network.numbers == []

    with_outbound(tmp_path, work)


def outbound(**settings: Any) -> Outbound:
    return Outbound.model_validate({"allowed": ["+39", "+4420", "sip:*@lab.example.org"], **settings})


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("+39 06 6982-1234", "+390669821234"),
        ("0039 06 69821234", "+390669821234"),
        ("06 69821234", "+390669821234"),
        ("+44 20 7946 0018", "+442079460018"),
        ("sip:ada@lab.example.org", "sip:ada@lab.example.org"),
    ],
)
def test_a_number_is_called_in_its_international_form(written: str, number: str) -> None:
    assert callee(written, outbound(country="IT")) == number


def test_what_costs_or_is_not_allowed_is_not_called() -> None:
    for written, reason in [
        ("", "no_number"),
        ("112", "no_number"),
        ("my phone", "no_number"),
        ("+39 1", "no_number"),
        ("+1 212 555 2368", "not_allowed"),
        ("+44 161 496 0000", "not_allowed"),
        ("+39 899 123456", "not_allowed"),
        ("+39 848 123456", "not_allowed"),
        ("+39 06 5550 123", "not_allowed"),
        ("sip:ada@evil.example.com", "not_allowed"),
        ("sip:ada@lab.example.org@evil.com", "no_number"),
        ("sip:a@b\r\nX: y", "no_number"),
        ("sips:ada@lab.example.org", "no_number"),
        ("sip:ada@lab.example.org;x=y", "no_number"),
    ]:
        with pytest.raises(BadNumber) as caught:
            callee(written, outbound(denied=["+39065550"]))
        assert caught.value.reason == reason


@given(st.text(max_size=60))
def test_whatever_is_written_only_allowed_numbers_come_out(written: str) -> None:
    for text in (written, "sip:" + written, "+39" + written):
        try:
            found = callee(text, outbound(country="IT"))
        except BadNumber:
            continue
        assert found.startswith(("+39", "+4420")) or found.endswith("@lab.example.org")
        assert found.isascii() and found.isprintable() and " " not in found


def test_settings_that_would_call_anybody_or_nobody_are_refused() -> None:
    for settings in [
        {"allowed": []},
        {"allowed": ["39"]},
        {"allowed": ["*"]},
        {"hours": "20:00-09:00"},
        {"hours": "always"},
        {"timezone": "Rome"},
        {"password": "plain"},
        {"exchange": "nowhere"},
        {"country": "Italy"},
    ]:
        with pytest.raises(ValidationError):
            outbound(**settings)


def test_hours_are_those_of_the_zone() -> None:
    rome = outbound(hours="09:00-20:00", timezone="Europe/Rome")
    assert rome.open_at(datetime(2026, 7, 1, 7, 0, tzinfo=UTC))
    assert not rome.open_at(datetime(2026, 7, 1, 18, 0, tzinfo=UTC))
    assert not rome.open_at(datetime(2026, 1, 1, 7, 59, tzinfo=UTC))


def test_a_missing_password_is_named_before_anybody_is_called(tmp_path: Path) -> None:
    async def work(lab: Laboratory) -> None: ...

    with pytest.raises(InputError, match=r"telephone outbound password: secret .* is not set"):
        with_outbound(tmp_path, work, username="lab", password="${NO_SUCH_SECRET_HERE}")
