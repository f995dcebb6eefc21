"""Participant's view of a dialogue: its text, and failures.

Agent activity, such as tool calls and documents, is shown as far as the step allows (`shows`); by
default not at all.
"""

from collections.abc import Collection, Iterable
from itertools import count
from typing import Any, Final

from vivavoce.connectors.pictures import can_be_shown
from vivavoce.log import events as log_events
from vivavoce.log.events import AgentWork
from vivavoce.log.history import DialogueHistory, Turn
from vivavoce.log.store import StoredEvent
from vivavoce.participant.documents import read_growing, read_message

LONGEST_BUTTON: Final = 20  # an int of thousands of digits is refused by Python


def shown(stored: StoredEvent, dialogue_id: str, shows: Collection[str] = ()) -> dict[str, Any] | None:
    """One event as the page shows it; None for what is not shown or belongs to another dialogue."""
    event = stored.event
    if getattr(event, "dialogue_id", None) != dialogue_id:
        return None
    if isinstance(event, log_events.UserTurnSent | log_events.SystemTurnReceived):
        return _turn(stored, event, event.text, shows)
    if isinstance(event, log_events.SystemTurnFailed):
        return {"kind": "failure", "seq": stored.seq, "html": read_message(event.shown)}
    return None


def growing(dialogue: DialogueHistory) -> str:
    """The answer that is not whole yet, as far as it is in the log, as HTML; "" where none is shown."""
    return read_growing(dialogue.growing) if dialogue.growing else ""


def transcript(dialogue: DialogueHistory, shows: Collection[str] = ()) -> list[dict[str, Any]]:
    """Everything of a dialogue that is shown, in order."""
    entries = [
        _turn(line.stored, line.event, line.text, shows)
        if isinstance(line, Turn)
        else shown(line, dialogue.dialogue_id)
        for line in dialogue.lines
    ]
    return [entry for entry in entries if entry is not None]


def news(
    stored: Iterable[StoredEvent], dialogue_id: str, shows: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The events that the page has to show."""
    return [entry for event in stored if (entry := shown(event, dialogue_id, shows)) is not None]


def offered(dialogue: DialogueHistory) -> list[dict[str, str]]:
    """The buttons of the system's last turn, in order; [] when the participant has spoken since."""
    last = dialogue.turns[-1].event if dialogue.turns else None
    if not isinstance(last, log_events.SystemTurnReceived):
        return []
    return [choice for message in _messages(last) for choice in message["choices"]]


def payload_of(dialogue: DialogueHistory, button: str) -> str | None:
    """Payload of a button as the page knows it; None if it was never offered.

    The page gets a turn and a number: a payload would reveal the system's software.
    """
    turn, _, number = button[:LONGEST_BUTTON].partition(".")
    if not (turn.isascii() and turn.isdecimal() and number.isascii() and number.isdecimal()):
        return None
    event = _system_turn(dialogue, int(turn))
    buttons = _titled(event) if event is not None else []
    return buttons[int(number)][1] if int(number) < len(buttons) else None


def pictures_of(dialogue: DialogueHistory, turn: int) -> list[str]:
    """The addresses of the pictures in a system turn, as the system gave them."""
    event = _system_turn(dialogue, turn)
    return [url for message in event.messages for url in message.images if can_be_shown(url)] if event else []


def _system_turn(dialogue: DialogueHistory, turn: int) -> log_events.SystemTurnReceived | None:
    events = (turn_event.event for turn_event in dialogue.turns if turn_event.turn_index == turn)
    return next((event for event in events if isinstance(event, log_events.SystemTurnReceived)), None)


def _titled(event: log_events.SystemTurnReceived) -> list[tuple[str, str]]:
    """The titles and payloads of a turn's buttons."""
    choices = [choice for message in event.messages for choice in message.choices]
    return [
        (choice["title"], choice.get("payload", choice["title"])) for choice in choices if choice.get("title")
    ]


def _turn(
    stored: StoredEvent,
    event: log_events.UserTurnSent | log_events.SystemTurnReceived,
    text: str,
    shows: Collection[str],
) -> dict[str, Any]:
    seq, spoken = stored.seq, event.sound is not None
    if isinstance(event, log_events.UserTurnSent):
        key = stored.client_key or ""
        return {"kind": "user", "seq": seq, "key": key, "text": text, "spoken": spoken}
    recognised = event.heard[0].text if event.heard else None
    return {
        "kind": "system",
        "seq": seq,
        "messages": _messages(event),
        "heard": recognised,
        "spoken": spoken,
        **_work(event.agent, shows),
    }


def _work(agent: AgentWork | None, shows: Collection[str]) -> dict[str, list[dict[str, Any]]]:
    """Visible agent activity of a turn; the rest is never sent to the page."""
    tools = (agent.tools or []) if agent is not None and not {"tools", "details"}.isdisjoint(shows) else []
    documents = agent.retrievals if agent is not None and "documents" in shows else []
    shows_details = "details" in shows
    return {
        "tools": [
            {
                "name": tool.name,
                "parts": [
                    part for part in (tool.arguments, tool.error or tool.result) if part and shows_details
                ],
                "failed": shows_details and bool(tool.failed),
            }
            for tool in tools
        ],
        "documents": [
            {"source": document.source or "", "text": document.document or ""} for document in documents
        ],
    }


def _messages(event: log_events.SystemTurnReceived) -> list[dict[str, Any]]:
    """The messages of a turn, buttons and pictures by their numbers in the turn."""
    buttons, pictures = count(), count()
    dialogue_id, turn = event.dialogue_id, event.turn_index
    return [
        {
            "text": message.text,
            "html": read_message(message.text),
            "images": [
                f"picture/{dialogue_id}/{turn}/{next(pictures)}"
                for url in message.images
                if can_be_shown(url)
            ],
            "choices": [
                {"title": choice["title"], "payload": f"{turn}.{next(buttons)}"}
                for choice in message.choices
                if choice.get("title")
            ],
        }
        for message in event.messages
    ]
