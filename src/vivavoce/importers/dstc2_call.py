"""One DSTC2 call, its `log.json` and `label.json`, as rows of the dataset."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from vivavoce.log.vocabulary import TYPE, standard_act

Row = dict[str, Any]

LIVE, BATCH = "live", "batch"
DOMAIN: Final = "restaurant"
ASKING: Final = ("request", "confirm", "confirm-domain", "select", "reqmore")
AGREEMENT: Final = (
    "strongly disagree",
    "disagree",
    "slightly disagree",
    "slightly agree",
    "agree",
    "strongly agree",
)
ITEMS: Final = (("understood", "understood"), ("phras", "phrasing"), ("voice", "voice"))
_TASK: Final = re.compile(r"^\s*Task\s+(\w+)\s*:\s*", re.IGNORECASE)


class CallRows:
    """The rows of one call, by table.

    Raises  KeyError: a key is missing; TypeError, ValueError, AttributeError, IndexError: a wrong shape
    """

    def __init__(self, log: Row, label: Row, condition: str) -> None:
        self.dialogue_id: str = log["session-id"]
        self.participant_id: str = log["caller-id"]
        self.started_at = datetime.strptime(
            f"{log['session-date']} {log['session-time']}", "%Y-%m-%d %H:%M:%S"
        ).replace(tzinfo=UTC)
        if label["session-id"] != self.dialogue_id:
            raise ValueError(f"log.json is of {self.dialogue_id}, label.json of {label['session-id']}")
        if len(log["turns"]) != len(label["turns"]):
            raise ValueError(f"{len(log['turns'])} turns in log.json, {len(label['turns'])} in label.json")
        if not log["turns"]:
            raise ValueError("no turns")
        self.turns: list[Row] = []
        self.hypotheses: list[Row] = []
        self.acts: list[Row] = []
        for number, (turn, truth) in enumerate(zip(log["turns"], label["turns"], strict=True)):
            self._system_turn(2 * number, turn)
            self._user_turn(2 * number + 1, turn, truth)
        task = label["task-information"]
        self.goals = list(self._goals(task["goal"]))
        self.ratings = list(self._ratings(task["feedback"]))
        self.dialogue = self._dialogue(task["goal"], condition)

    def _dialogue(self, goal: Row, condition: str) -> Row:
        text = goal.get("text")
        number = _TASK.match(text) if text else None
        last = [
            act["act"]
            for act in self.acts
            if act["layer"] == "reference" and act["turn_index"] == len(self.turns) - 1
        ]
        return {
            "dialogue_id": self.dialogue_id,
            "study": "dstc2",
            "system": condition,
            "condition": condition,
            "participant_id": self.participant_id,
            "task_id": number[1] if number else None,
            "task_text": _TASK.sub("", text) if text else None,
            "channel": "phone",
            "language": "en",
            "started_at": self.started_at,
            "duration_s": self._duration(),
            "end_reason": "user" if "bye" in last else None,
            "simulated": False,
        }

    def _duration(self) -> float | None:
        onsets = [turn["onset_s"] for turn in self.turns if turn["onset_s"] is not None]
        offsets = [turn["offset_s"] for turn in self.turns if turn["offset_s"] is not None]
        return max(offsets) - min(onsets) if onsets and offsets else None

    def _system_turn(self, index: int, turn: Row) -> None:
        output = turn["output"]
        acts = list(_items(output["dialog-acts"]))
        kinds = {act["act"] for act in acts}
        self._add_acts(index, "system", "bot", 0, acts)
        self.turns.append(
            {
                "dialogue_id": self.dialogue_id,
                "turn_index": index,
                "party": "system",
                "text": output["transcript"],
                "reference": None,
                "onset_s": output["start-time"],
                "offset_s": output["end-time"],
                "question": not kinds.isdisjoint(ASKING),
                "rejection_prompt": "repeat" in kinds,
                "question_origin": "acts",
                "rejection_prompt_origin": "acts",
            }
        )

    def _user_turn(self, index: int, turn: Row, truth: Row) -> None:
        heard, output = turn["input"], turn["output"]
        live = heard[LIVE]
        for source in (LIVE, BATCH):
            for rank, hypothesis in enumerate(heard.get(source, {}).get("asr-hyps", [])):
                self.hypotheses.append(
                    {
                        "dialogue_id": self.dialogue_id,
                        "turn_index": index,
                        "source": source,
                        "rank": rank,
                        "text": hypothesis["asr-hyp"],
                        "score": hypothesis["score"],
                    }
                )
        for rank, hypothesis in enumerate(live["slu-hyps"]):
            acts = list(_items(hypothesis["slu-hyp"]))
            self._add_acts(index, "understood", "bot", rank, acts, hypothesis["score"])
        if truth.get("semantics") is not None:
            self._add_acts(index, "reference", "label", 0, list(_items(truth["semantics"]["json"])))
        first = live["asr-hyps"][0]["asr-hyp"] if live["asr-hyps"] else None
        self.turns.append(
            {
                "dialogue_id": self.dialogue_id,
                "turn_index": index,
                "party": "user",
                "text": first,
                "reference": truth["transcription"],
                "asr_status": "ok" if first else None,
                "onset_s": heard["start-time"],
                "offset_s": heard["end-time"],
                "barge_in": bool(output["aborted"]) or heard["start-time"] < output["end-time"],
            }
        )

    def _add_acts(
        self, index: int, layer: str, source: str, rank: int, acts: list[Row], score: float | None = None
    ) -> None:
        for position, act in enumerate(acts or [{"act": "null", "slot": None, "op": None, "value": None}]):
            self.acts.append(
                {
                    "dialogue_id": self.dialogue_id,
                    "turn_index": index,
                    "layer": layer,
                    "source": source,
                    "rank": rank,
                    "position": position,
                    **act,
                    "score": score,
                }
            )

    def _goals(self, goal: Row) -> Iterator[Row]:
        common: Row = {"dialogue_id": self.dialogue_id, "goal_index": 0, "origin": "assigned"}
        yield {**common, "kind": TYPE, "op": "=", "value": DOMAIN}
        for slot, value in goal["constraints"]:
            yield {**common, "kind": "constraint", "slot": slot, "op": "=", "value": value}
        for slot in goal["request-slots"]:
            yield {**common, "kind": "request", "slot": slot}

    def _ratings(self, feedback: Row) -> Iterator[Row]:
        common: Row = {
            "dialogue_id": self.dialogue_id,
            "participant_id": self.participant_id,
            "instrument": "cambridge",
            "wording": "corpus",
            "language": "en",
        }
        if feedback["success"] is not None:
            found = bool(feedback["success"])
            yield {
                **common,
                "item_id": "found_all",
                "role": "subjective_success",
                "value": float(found),
                "answer": "yes" if found else "no",
            }
        for statement, label in feedback.get("questionnaire") or []:
            item = next((item for word, item in ITEMS if word in statement.lower()), None)
            if item is None:
                raise ValueError(f"an unknown statement in the questionnaire: {statement!r}")
            code = float(AGREEMENT.index(label)) if label in AGREEMENT else None
            yield {**common, "item_id": item, "value": code, "answer": label}
        if feedback.get("comments"):
            yield {**common, "item_id": "comment", "answer": feedback["comments"]}


def _items(acts: list[Row]) -> Iterator[Row]:
    """Act items in the dataset's words: one a slot; `slot=phone` of a request becomes the slot asked for."""
    for act in acts:
        name = standard_act(act["act"])
        if not act["slots"]:
            yield {"act": name, "slot": None, "op": None, "value": None}
        for slot, value in act["slots"]:
            if slot == "slot":
                yield {"act": name, "slot": str(value), "op": None, "value": None}
            else:
                yield {"act": name, "slot": slot, "op": "=", "value": None if value is None else str(value)}
