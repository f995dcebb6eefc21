"""What of a dialogue its participant may see: the words, and that something failed; nothing else."""

from collections.abc import Iterable
from typing import Any

from vivavoce.log import events as log_events
from vivavoce.log.store import StoredEvent
from vivavoce.session.state import DialogueState


def shown(stored: StoredEvent, dialogue_id: str) -> dict[str, Any] | None:
    """One event as the page shows it; None for what is not shown or belongs to another dialogue."""
    event = stored.event
    if getattr(event, "dialogue_id", None) != dialogue_id:
        return None
    if isinstance(event, log_events.UserTurnSent | log_events.SystemTurnReceived):
        return _turn(stored.seq, stored.client_key, event)
    if isinstance(event, log_events.SystemTurnFailed):
        return {"kind": "failure", "seq": stored.seq}
    return None


def transcript(dialogue: DialogueState) -> list[dict[str, Any]]:
    """Everything of a dialogue that is shown, in order."""
    turns = [(turn.seq, _turn(turn.seq, turn.key, turn.event)) for turn in dialogue.turns]
    failures = [(stored.seq, {"kind": "failure", "seq": stored.seq}) for stored in dialogue.failures]
    return [entry for _, entry in sorted([*turns, *failures], key=lambda pair: pair[0])]


def news(stored: Iterable[StoredEvent], dialogue_id: str) -> list[dict[str, Any]]:
    """The events that the page has to show."""
    return [entry for one in stored if (entry := shown(one, dialogue_id)) is not None]


def offered(dialogue: DialogueState) -> list[dict[str, str]]:
    """The buttons of the system's last turn, in order; [] when the participant has spoken since."""
    last = dialogue.turns[-1].event if dialogue.turns else None
    if not isinstance(last, log_events.SystemTurnReceived):
        return []
    return [choice for message in last.messages for choice in _choices(message)]


def ever_offered(dialogue: DialogueState, payload: str) -> bool:
    """Whether the system offered a button with this payload; nothing else may be sent as one."""
    return any(
        choice["payload"] == payload
        for turn in dialogue.turns
        if isinstance(turn.event, log_events.SystemTurnReceived)
        for message in turn.event.messages
        for choice in _choices(message)
    )


def _turn(
    seq: int, key: str | None, event: log_events.UserTurnSent | log_events.SystemTurnReceived
) -> dict[str, Any]:
    if isinstance(event, log_events.UserTurnSent):
        spoken = event.sound is not None
        return {"kind": "user", "seq": seq, "key": key or "", "text": event.text, "spoken": spoken}
    messages = [
        {"text": one.text, "images": [url for url in one.images if _is_web(url)], "choices": _choices(one)}
        for one in event.messages
    ]
    heard = event.heard[0].text if event.heard else None
    return {
        "kind": "system", "seq": seq, "messages": messages, "heard": heard,
        "spoken": event.sound is not None,
    }  # fmt: skip


def _choices(message: log_events.LoggedMessage) -> list[dict[str, str]]:
    return [
        {"title": choice.get("title", ""), "payload": choice.get("payload", choice.get("title", ""))}
        for choice in message.choices
        if choice.get("title")
    ]


def _is_web(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))
