"""A real Asterisk on the files of deploy/asterisk: telephones call it, and it hands their calls over.

`make telephony` installs Asterisk and runs these tests; they are no part of `make test`.
"""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from scenes.asterisk import DESK, DESK_NUMBER, VAULT, VAULT_NUMBER, RealAsterisk, real_asterisk
from scenes.calling import (
    QUESTION,
    WISH,
    Laboratory,
    check_what_was_heard,
    code_reader,
    complete_the_visit,
    laboratory,
    said,
    three_callers,
)
from scenes.patience import eventually
from scenes.telephones import Baresip, Registrar, baresip, sipp
from vivavoce.audio.sound import joined, silence

pytestmark = [pytest.mark.telephony, pytest.mark.long]

NUMBER = "sip:{pin}@127.0.0.1:PORT"
CALLERS = tuple(f"555020{number}" for number in range(5))
CALLS_OF_EACH = 4
SYSTEMS = ("nbest", "onebest", "third")


@pytest.fixture(scope="module")
def asterisk() -> Iterator[RealAsterisk]:
    with real_asterisk() as running:
        yield running


def dialled(asterisk: RealAsterisk, number: str) -> str:
    return f"sip:{number}@127.0.0.1:{asterisk.port}"


def dialled_by_tls(asterisk: RealAsterisk, number: str) -> str:
    return f"sip:{number}@127.0.0.1:{asterisk.tls_port};transport=tls"


def refusal(telephone: Baresip, address: str) -> str:
    """What a caller is told who is not taken."""
    telephone.command("dial", address)
    closed = telephone.wait_until_hung_up()
    return str(closed.get("param"))


@pytest.mark.browser
def test_a_registered_telephone_calls_completes_the_task_hears_the_code_and_types_it(
    asterisk: RealAsterisk, browser: Browser, tmp_path: Path
) -> None:
    number = NUMBER.replace("PORT", str(asterisk.port))
    name, password = DESK
    with (
        laboratory(tmp_path / "study", number, asterisk.way_in) as lab,
        baresip(tmp_path / "telephone", name, registrar=Registrar(asterisk.port, password)) as telephone,
    ):
        (tmp_path / "digits").mkdir()
        complete_the_visit(browser, lab, telephone, code_reader(tmp_path / "digits"))
        connected = [one.event for one in lab.events("call_connected")]
        assert {one.adapter for one in connected} == {"asterisk"}  # type: ignore[attr-defined]
        pseudonym = lab.switchboard._calls.caller(DESK_NUMBER)
        assert {one.caller for one in connected} == {pseudonym}  # type: ignore[attr-defined]


def with_three_systems(text: str) -> str:
    """The study with a third system, at the same bot, and four calls for each participant."""
    block = text[text.index("  onebest:") : text.index("# The domain")]
    text = text.replace(block, block.rstrip() + "\n" + block.replace("onebest", "third", 1))
    text = text.replace("tasks: tasks.yaml", "tasks: {generate: 20}")
    return text.replace("repeat: 1..2", f"repeat: {CALLS_OF_EACH}..{CALLS_OF_EACH}")


def short_call(lab: Laboratory, telephone: Baresip, address: str, visit_id: str) -> None:
    """Call, be greeted by the system, hang up."""
    greeted, ended = (len(lab.events_of(visit_id, kind)) for kind in ("system_turn_received", "call_ended"))
    telephone.dial(address)
    eventually(lambda: len(lab.events_of(visit_id, "system_turn_received")) > greeted, "no greeting")
    telephone.hang_up()
    eventually(lambda: len(lab.events_of(visit_id, "call_ended")) > ended, "the call goes on")


def systems_called(lab: Laboratory, visit_ids: list[str]) -> Counter[str]:
    """How often each system took a call of these visits."""
    return Counter(
        lab.pages.call(lab.switchboard._engine.state(visit_id)).dialogue_by_id(one.dialogue_id).system
        for visit_id in visit_ids
        for one in lab.events_of(visit_id, "call_connected")
    )


@pytest.mark.parametrize("routing", ["", "\n  routing: least-called-by-caller"])
def test_twenty_calls_by_five_callers_meet_three_systems_as_evenly_as_can_be(
    routing: str, asterisk: RealAsterisk, tmp_path: Path
) -> None:
    """`least-used-by-participant` over four calls of one visit; by caller over visits of one call each."""

    def calls_of(caller: str) -> Counter[str]:
        visits = [lab.open_visit() for _ in range(CALLS_OF_EACH if routing else 1)]
        with baresip(tmp_path / caller, caller) as telephone:
            for call in range(CALLS_OF_EACH):
                visit = visits[call % len(visits)]
                short_call(lab, telephone, dialled(asterisk, visit.pin), visit.visit_id)
        return systems_called(lab, [visit.visit_id for visit in visits])

    way_in = asterisk.way_in + routing
    with laboratory(tmp_path / "study", "{pin}", way_in, with_three_systems) as lab:
        with ThreadPoolExecutor(len(CALLERS)) as pool:
            taken = list(pool.map(calls_of, CALLERS))
        callers = {one.event.caller for one in lab.events("call_connected")}  # type: ignore[attr-defined]
        assert callers == {lab.switchboard._calls.caller(caller) for caller in CALLERS}
    for counts in taken:
        assert sum(counts.values()) == CALLS_OF_EACH
        assert sorted(counts[system] for system in SYSTEMS) == [1, 1, 2], counts


def test_two_callers_at_once_key_in_their_numbers_and_a_third_belongs_to_no_visit(
    asterisk: RealAsterisk, tmp_path: Path
) -> None:
    with laboratory(tmp_path / "study", "100", asterisk.way_in) as lab:
        three_callers(lab, tmp_path, dialled(asterisk, "100"))


def test_sipp_speaks_through_asterisk_and_is_understood(asterisk: RealAsterisk, tmp_path: Path) -> None:
    """Its keys come from a port of their own, as a stranger's would: Asterisk drops them, baresip's count."""
    with laboratory(tmp_path / "study", "{pin}", asterisk.way_in) as lab:
        visit = lab.open_visit()
        speech = joined(
            [silence(1, 8000), said(WISH), silence(7, 8000), said(QUESTION), silence(6, 8000)], 8000
        )
        sipp(tmp_path / "sipp", asterisk.port, speech=speech, keys="4", called=visit.pin)
        eventually(lambda: lab.events("call_ended"), "the call was not ended")
        (ended,) = lab.events_of(visit.visit_id, "call_ended")
        assert ended.by == "caller"
        check_what_was_heard(lab.events_of(visit.visit_id, "user_turn_sent"), [WISH, QUESTION])


def test_a_caller_hears_busy_where_every_line_is_taken_and_congestion_where_nobody_serves(
    asterisk: RealAsterisk, tmp_path: Path
) -> None:
    with baresip(tmp_path / "one", CALLERS[0]) as one, baresip(tmp_path / "two", CALLERS[1]) as two:
        assert refusal(two, dialled(asterisk, "100")).startswith("503")
        way_in = f"{asterisk.way_in}\n  max_concurrency: 1"
        with laboratory(tmp_path / "study", "100", way_in) as lab:
            one.dial(dialled(asterisk, "100"))
            eventually(lambda: lab.legs, "not taken")
            assert refusal(two, dialled(asterisk, "100")).startswith("486")
            one.hang_up()
            eventually(lambda: not lab.legs, "the call goes on")
            two.dial(dialled(asterisk, "100"))
            eventually(lambda: lab.legs, "the line is not free again")


def test_a_caller_who_withholds_his_number_is_nobody_to_the_study(
    asterisk: RealAsterisk, tmp_path: Path
) -> None:
    way_in = f"{asterisk.way_in}\n  routing: least-called-by-caller"
    with laboratory(tmp_path / "study", "{pin}", way_in) as lab:
        visit = lab.open_visit()
        with baresip(tmp_path / "telephone", "anonymous") as telephone:
            short_call(lab, telephone, dialled(asterisk, visit.pin), visit.visit_id)
        (connected,) = lab.events_of(visit.visit_id, "call_connected")
        (routed,) = lab.events_of(visit.visit_id, "call_routed")
        assert (connected.caller, routed.counted_by) == (None, "participant")


def test_a_telephone_registers_by_tls_and_calls_with_encrypted_sound_or_not_at_all(
    asterisk: RealAsterisk, tmp_path: Path
) -> None:
    name, password = VAULT
    secure = Registrar(asterisk.tls_port, password, tls=True, encrypted=True)
    address = dialled_by_tls(asterisk, "100")
    with laboratory(tmp_path / "study", "100", asterisk.way_in) as lab:
        plain = secure._replace(encrypted=False)
        with baresip(tmp_path / "plain", name, registrar=plain) as telephone:
            assert refusal(telephone, address).startswith("488")
        visit = lab.open_visit()
        with baresip(tmp_path / "telephone", name, registrar=secure) as telephone:
            telephone.dial(address)
            eventually(lambda: any(leg.playing for leg in lab.legs), "not welcomed")
            telephone.press(f"{visit.pin}#")
            eventually(lambda: lab.events_of(visit.visit_id, "system_turn_received"), "not greeted")
            eventually(lab.quiet, "the greeting does not end")
            telephone.say(said(WISH))
            eventually(lambda: lab.events_of(visit.visit_id, "user_turn_sent"), "not heard")
            telephone.hang_up()
            eventually(lambda: lab.events_of(visit.visit_id, "call_ended"), "the call goes on")
            assert np.abs(telephone.heard().samples).max() > 2000, "the caller hears nothing"
        check_what_was_heard(lab.events_of(visit.visit_id, "user_turn_sent"), [WISH])
        (connected,) = lab.events_of(visit.visit_id, "call_connected")
        assert connected.caller == lab.switchboard._calls.caller(VAULT_NUMBER)
