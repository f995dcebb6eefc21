"""What the assistant does by itself: it welcomes who asks, tells the first thing said, and can break down."""

from typing import Any

from rasa_sdk import Action, Tracker
from rasa_sdk.events import ActionExecuted, EventType, SessionStarted
from rasa_sdk.executor import CollectingDispatcher


class Welcome(Action):
    def name(self) -> str:
        return "action_session_start"

    async def run(
        self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: dict[str, Any]
    ) -> list[EventType]:
        asked = tracker.get_slot("session_started_metadata") or tracker.latest_message.get("metadata") or {}
        if asked.get("welcome"):
            dispatcher.utter_message(response="utter_welcome")
        return [SessionStarted(), ActionExecuted("action_listen")]


class FirstSaid(Action):
    def name(self) -> str:
        return "action_first_said"

    async def run(
        self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: dict[str, Any]
    ) -> list[EventType]:
        said = [event["text"] for event in tracker.events if event["event"] == "user"]
        first = next(text for text in said if text != "/session_start")
        dispatcher.utter_message(text=f"first was {first}")
        return []


class BreakDown(Action):
    def name(self) -> str:
        return "action_break_down"

    async def run(
        self, dispatcher: CollectingDispatcher, tracker: Tracker, domain: dict[str, Any]
    ) -> list[EventType]:
        raise RuntimeError("out of order")
