"""Systems on the dashboard: suspended and restored, their cost, and the raw exchange beside a turn."""

import re
from collections.abc import Callable
from typing import Any

from scenes.translated import same_in_italian
from vivavoce.core.clock import ManualClock
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.model import Study

Enter = Callable[..., Any]
REASON = "5 failures in a row, the last: <b>timeout</b>"


def suspend(log: Log, system: str) -> None:
    event = events.SystemSuspended(system=system, reason=REASON)
    log.transact_now(lambda tx: tx.append(events.TRIAL, event))


def test_a_suspended_system_is_told_on_every_page_and_its_rest_on_its_own(
    enter: Enter, log: Log, study: Study, clock: ManualClock
) -> None:
    system = next(iter(study.systems))
    desk = enter("viewer")
    assert "receives no new dialogues since" not in desk.get("/").text
    assert "No system has been suspended." in desk.get("/systems").text
    suspend(log, system)
    for page in ("/", "/dialogues", "/results"):
        text = desk.get(page).text
        assert "receives no new dialogues since" in text
        assert "&lt;b&gt;timeout&lt;/b&gt;" in text and "<b>timeout</b>" not in text
    assert "suspended</span>" in desk.get("/systems/table").text
    clock.advance(125)
    log.transact_now(lambda tx: tx.append(events.TRIAL, events.SystemRestored(system=system)))
    assert "receives no new dialogues since" not in desk.get("/").text
    table = desk.get("/systems/table").text
    assert "suspended</span>" not in table
    assert '<td>restored</td><td class="why">after 2\u202fmin\xa05\u202fs</td>' in table


def exchange(log: Log, **more: Any) -> str:
    """A dialogue with one turn whose raw exchange is logged; its address on the dashboard."""
    dialogue_id = next(
        stored.event.dialogue_id
        for stored in log.all_events()
        if isinstance(stored.event, events.DialogueAssigned)
    )
    wire = [
        {"sent": "POST http://bot/chat", "body": '{"key": "${BOT_KEY}", "text": "<script>x</script>"}'},
        {"received": "HTTP 200", "body": "y" * 20_000, "characters": 25_000},
    ]
    turn = events.SystemTurnReceived(
        dialogue_id=dialogue_id,
        turn_index=99,
        reply_to=98,
        wire=wire,
        messages=[events.LoggedMessage(text="Here you are.")],
        **more,
    )
    state = log.dialogue(dialogue_id)
    assert state is not None
    log.transact_now(lambda tx: tx.append(state.visit_id, turn))
    return f"/dialogues/{dialogue_id}"


def test_the_raw_exchange_stands_beside_its_turn_as_text(enter: Enter, log: Log) -> None:
    desk, address = enter("researcher"), exchange(log)
    assert "Show raw exchange" in desk.get(address).text
    assert "${BOT_KEY}" not in desk.get(address).text
    shown = desk.get(f"{address}?wire=1").text
    assert "Raw exchange: 2 messages" in shown
    assert "sent: POST http://bot/chat" in shown and "${BOT_KEY}" in shown
    assert "&lt;script&gt;x&lt;/script&gt;" in shown and "<script>x" not in shown
    assert re.search(r"\(5\s000 more characters not logged\)", shown)


def test_who_may_only_look_does_not_see_the_raw_exchange(enter: Enter, log: Log) -> None:
    address = exchange(log)
    shown = enter("viewer").get(f"{address}?wire=1").text
    assert "Here you are." in shown
    assert "raw exchange" not in shown.lower() and "${BOT_KEY}" not in shown


def test_who_played_the_system_is_told_beside_the_turn(enter: Enter, log: Log) -> None:
    facts = {"wizard": "<i>Merlin</i>", "replaces": "system", "source": "script", "label": "area"}
    shown = enter("viewer").get(exchange(log, raw=[facts])).text
    assert "&lt;i&gt;Merlin&lt;/i&gt; played the system (script area)" in shown


def test_systems_and_raw_exchanges_are_read_in_italian(enter: Enter, log: Log, study: Study) -> None:
    system = next(iter(study.systems))
    suspend(log, system)
    facts = {"wizard": "merlin", "replaces": "nlu", "source": "script", "label": "area", "gave": "x"}
    address, desk = exchange(log, raw=[facts]), enter("researcher")
    events_of = [one.event for one in log.dialogue_history(address.rsplit("/", 1)[1]).events]
    said = {text for one in events_of if (text := getattr(one, "text", ""))}
    answers = {rated.answer for one in log.all_events() for rated in getattr(one.event, "ratings", ())}
    title = study.title["en"]
    data = {*said, *study.systems, title, f"– {title}", f"UTC: {REASON}", REASON, "researcher"}
    data |= {text for task in study.tasks for text in (*task.text.values(), task.type, *task.requests)}
    data |= {value for task in study.tasks for pair in task.constraints.items() for value in pair}
    data |= {", ".join(task.requests) for task in study.tasks} | {one for one in answers if one}
    data |= {*study.wording("cambridge", "en").items.values()}
    for page in ("/systems", f"{address}?wire=1"):
        assert same_in_italian(desk, page, data) == set()
