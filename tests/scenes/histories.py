"""Histories of visits, written event by event."""

from collections.abc import Iterable
from typing import Any

from vivavoce.dataset.reader import earlier_facts
from vivavoce.log.events import DialogueAssigned
from vivavoce.log.history import DialogueHistory, fold
from vivavoce.log.models import StoredEvent


def assigned(key: str = "d", **facts: Any) -> DialogueAssigned:
    """A dialogue in writing, without a task."""
    usual = {"task_id": None, "task": None, "channel": "text", "language": "en", "conversation": "c"}
    usual |= earlier_facts(facts.get("channel", "text"))
    told = {"step": 1, "round": 0, "system": "one"} | usual | facts
    return DialogueAssigned(dialogue_id=key, **told)


def dialogue_of(events: Iterable[StoredEvent]) -> DialogueHistory:
    """The first dialogue of these events."""
    return fold(events).dialogues[0]
