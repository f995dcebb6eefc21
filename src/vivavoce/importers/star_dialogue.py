"""One STAR dialogue as rows of the dataset."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

Row = dict[str, Any]

PARTIES: Final = {
    ("User", "utter"): "user",
    ("Wizard", "utter"): "system",
    ("Wizard", "pick_suggestion"): "system",
}
ENDINGS: Final = {"EarlyDisconnectDuringDialogue": "abandoned", "DisconnectDuringDialogue": "abandoned"}
ASKING: Final = re.compile(r"(?:^|_)(?:ask|anything_else)(?:_|$)")
REFUSING: Final = "out_of_scope"
TASK_DONE: Final = re.compile(
    r"^(?:\.\.\.|did the .*?(?:assistant|robot|computer) )(?!.*(?:calm|say something))", re.I
)
CALM: Final = re.compile(r"stay calm and helpful", re.I)
ENJOYED: Final = re.compile(r"enjoy", re.I)


class StarDialogueRows:
    """The rows of one dialogue, by table.

    Raises  KeyError: a key is missing; TypeError, ValueError, AttributeError, IndexError: a wrong shape
    """

    def __init__(self, content: Row) -> None:
        self.dialogue_id = str(content["DialogueID"])
        times = [event["UnixTime"] for event in content["Events"] if "UnixTime" in event]
        self._start = times[0] if times else 0
        self.started_at = _instant(times[0]) if times else None
        self.turns: list[Row] = []
        self.acts: list[Row] = []
        for party, events in _stretches(content["Events"]):
            self._turn(party, events)
        self.ratings = list(self._ratings(content))
        self.annotations = list(self._annotations(content))
        self.dialogue = self._dialogue(content, _instant(times[-1]) if times else None)

    def _turn(self, party: str, events: list[Row]) -> None:
        first, last = (event["UnixTime"] - self._start for event in (events[0], events[-1]))
        text = "\n".join(event["Text"] for event in events)
        turn = {"dialogue_id": self.dialogue_id, "turn_index": len(self.turns), "party": party, "text": text,
                "reference": text}  # fmt: skip
        if party == "user":
            self.turns.append({**turn, "sent_s": float(last)})
            return
        labels = [event["ActionLabel"] for event in events if event.get("ActionLabel")]
        known = bool(labels)
        self.turns.append({
            **turn,
            "first_output_s": float(first),
            "complete_s": float(last),
            "question": any(ASKING.search(label) for label in labels) if known else None,
            "error_message": REFUSING in labels if known else None,
            "question_origin": "acts" if known else None,
            "error_message_origin": "acts" if known else None,
        })  # fmt: skip
        self.acts += [
            {"dialogue_id": self.dialogue_id, "turn_index": turn["turn_index"], "layer": "system",
             "source": "label", "rank": 0, "position": position, "act": label}
            for position, label in enumerate(labels)
        ]  # fmt: skip

    def _dialogue(self, content: Row, ended_at: datetime | None) -> Row:
        scenario = content["Scenario"]
        tasks = [one["Task"] for one in scenario["WizardCapabilities"] if one["Task"]]
        path = "happy" if scenario["Happy"] else "unhappy"
        several = "several" if scenario["MultiTask"] else "one"
        return {
            "dialogue_id": self.dialogue_id,
            "study": "star",
            "system": "wizard",
            "condition": f"{path}-{several}",
            "participant_id": content["AnonymizedUserWorkerID"],
            "task_id": "+".join(tasks) or None,
            "task_text": scenario["UserTask"],
            "channel": "text",
            "language": "en",
            "started_at": self.started_at,
            "ended_at": ended_at,
            "duration_s": self._duration_s(),
            "end_reason": ENDINGS.get(content["CompletionLevel"], "user"),
            "simulated": False,
            "factor_domain": "+".join(filter(None, scenario["Domains"])) or None,
            "factor_path": path,
            "factor_tasks": several,
            "factor_wizard": content["AnonymizedWizardWorkerID"],
        }

    def _duration_s(self) -> float | None:
        """From the first message to the last."""
        times = [turn.get(name) for turn in self.turns for name in ("sent_s", "first_output_s", "complete_s")]
        known = [time for time in times if time is not None]
        return max(known) - min(known) if known else None

    def _ratings(self, content: Row) -> Iterator[Row]:
        seen: Counter[str] = Counter()
        for one in content["UserQuestionnaire"] or []:
            item, role = _item(one["Question"])
            seen[item] += 1
            yield {
                "dialogue_id": self.dialogue_id,
                "participant_id": content["AnonymizedUserWorkerID"],
                "instrument": "star",
                "wording": "corpus",
                "language": "en",
                "item_id": item if seen[item] == 1 else f"{item}_{seen[item]}",
                "role": role,
                "value": float(bool(one["Answer"])),
                "answer": "yes" if one["Answer"] else "no",
            }

    def _annotations(self, content: Row) -> Iterator[Row]:
        """What the wizard says of the user, in a layer of its own."""
        for one in content["WizardQuestionnaire"] or []:
            yield {
                "dialogue_id": self.dialogue_id,
                "layer": "wizard",
                "label": _slug(one["Question"]),
                "value": "yes" if one["Answer"] else "no",
                "annotator_id": content["AnonymizedWizardWorkerID"],
            }


def _instant(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)


def _stretches(events: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Messages that the other party could see, those of one party in a row together."""
    party, held = "", list[Row]()
    for event in events:
        whose = PARTIES.get((event["Agent"], event["Action"]))
        if whose is None or not event.get("Text"):
            continue
        if held and whose != party:
            yield party, held
            held = []
        party = whose
        held.append(event)
    if held:
        yield party, held


def _item(question: str) -> tuple[str, str | None]:
    """The item that a question asks, and its role: whether the task was done is subjective success."""
    if CALM.search(question):
        return "calm_and_helpful", None
    if ENJOYED.search(question):
        return "enjoyed", None
    if TASK_DONE.search(question):
        return "task_done", "subjective_success"
    return _slug(question), None


def _slug(question: str) -> str:
    """A question as a name: its first words in lower case."""
    words = re.findall(r"[a-z]+", question.lower().partition("(")[0])
    dropped = {
        "did",
        "the",
        "user",
        "he",
        "she",
        "his",
        "her",
        "or",
        "you",
        "where",
        "any",
        "at",
        "about",
        "to",
    }
    return "_".join(word for word in words if word not in dropped)[:60]
