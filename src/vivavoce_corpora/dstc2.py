"""Import of the second Dialog State Tracking Challenge: real telephone calls, labelled, to the dataset."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.core.text import normalise_value
from vivavoce.dataset.vocabulary import TYPE, standard_act
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import Importer, ImportResult, Progress
from vivavoce.importers.items import check_rows
from vivavoce.importers.sources import FoundCall, count_calls, find_calls
from vivavoce.importers.venues import SELF_REPORTED, SelfReported, read_venues

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
        input_facts, output = turn["input"], turn["output"]
        live = input_facts[LIVE]
        for source in (LIVE, BATCH):
            for rank, hypothesis in enumerate(input_facts.get(source, {}).get("asr-hyps", [])):
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
                "onset_s": input_facts["start-time"],
                "offset_s": input_facts["end-time"],
                "barge_in": bool(output["aborted"]) or input_facts["start-time"] < output["end-time"],
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
            success = bool(feedback["success"])
            yield {
                **common,
                "item_id": "found_all",
                "role": "subjective_success",
                "value": float(success),
                "answer": "yes" if success else "no",
            }
        for wording, label in feedback.get("questionnaire") or []:
            item = next((item for word, item in ITEMS if word in wording.lower()), None)
            if item is None:
                raise ValueError(f"an unknown statement in the questionnaire: {wording!r}")
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


FILES: Final = ("log.json", "label.json")
FACTORS: Final = ("dialogue_manager", "acoustic_condition")
LAYOUT: Final = (
    "<condition>/<call>/{log,label}.json, in folders or tar archives; conditions such as Mar13_S0A0"
)
_CONDITION: Final = re.compile(r"(?:^|_)((S\d+)(A\d+))$", re.IGNORECASE)

NOTES: Final = (
    "Session times are assumed to be UTC.",
    "A user turn starts with its recording, immediately after the system's turn.",
    "This corpus has no user response delays.",
    "A barge-in is an interrupted system turn, or a recording that starts before the system ends.",
)


def import_dstc2(
    paths: list[Path],
    into: Path,
    *,
    venues: Path | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Make a dataset of DSTC2 calls.

    Input   folders, tar archives or folders of archives in the official layout; `venues`, a JSON list of the
            domain's venues, against which the system's words are checked
    Output  dataset, number of calls, and one line for each call left out
    Empty   without `venues` the entities are those the system offered, with the value it told most often
    Note    one turn of the corpus is two of ours: what the system said, then what the user answered
    Raises  InputError: no call found, or, when `strict`, the first broken call
    """
    paths = [Path(path) for path in paths]
    entities = read_venues(Path(venues)) if venues is not None else None
    total = count_calls(paths, FILES)
    if not total:
        raise InputError("no call found", place=", ".join(map(str, paths)), hint=f"expected {LAYOUT}")
    source = {"kind": "dstc2", "venues": venues is not None}
    with DatasetWriter(into, study={"name": "dstc2"}, source=source, factors=FACTORS) as writer:
        collected = _Collected(writer)
        for number, call in enumerate(find_calls(paths, FILES), start=1):
            try:
                collected.take(call)
            except InputError as problem:
                if strict:
                    raise
                collected.skipped.append(str(problem))
            if progress is not None:
                progress(number, total)
        if not collected.dialogues:
            raise InputError(f"none of {total} calls could be read", place=collected.skipped[0])
        collected.finish(entities)
        dataset = writer.close()
    return ImportResult(dataset, len(collected.dialogues), collected.skipped)


class _Collected:
    """State after some of the calls: rows go to the writer, dialogues wait to be numbered."""

    def __init__(self, writer: DatasetWriter) -> None:
        self.writer = writer
        self.dialogues: dict[str, dict[str, Any]] = {}
        self.skipped: list[str] = []
        self.said = SelfReported()
        self._places: dict[str, str] = {}

    def take(self, call: FoundCall) -> None:
        """One call's rows.

        Raises  InputError: a broken call, or one that was there before
        """
        if call.problem is not None:
            raise InputError(call.problem, place=call.place)
        log, label = (call.files[name] for name in FILES)
        try:
            condition, manager, acoustics = _condition(call.folders, log)
            rows = CallRows(log, label, condition)
            tables = {
                "turns": rows.turns,
                "hypotheses": rows.hypotheses,
                "acts": rows.acts,
                "goals": rows.goals,
                "ratings": rows.ratings,
            }
            for name, table_rows in (tables | {"dialogues": [rows.dialogue]}).items():
                check_rows(name, table_rows)
        except KeyError as error:
            raise InputError(f"no key {error}", place=call.place) from None
        except (TypeError, ValueError, AttributeError, IndexError) as error:
            raise InputError(f"unexpected content: {error}", place=call.place) from None
        if rows.dialogue_id in self._places:
            before = self._places[rows.dialogue_id]
            raise InputError(f"call {rows.dialogue_id} was already read from {before}", place=call.place)
        for name, table_rows in tables.items():
            self.writer.add(name, table_rows)
        self.said.add_turns(rows.acts)
        self._places[rows.dialogue_id] = call.place
        self.dialogues[rows.dialogue_id] = rows.dialogue | {
            "factor_dialogue_manager": manager,
            "factor_acoustic_condition": acoustics,
        }

    def finish(self, entities: list[dict[str, Any]] | None) -> None:
        """Number each caller's dialogues in order of time; write dialogues, participants, entities, notes."""
        numbers: Counter[str] = Counter()
        participants: dict[str, dict[str, Any]] = {}
        for row in sorted(self.dialogues.values(), key=lambda row: (row["started_at"], row["dialogue_id"])):
            caller = row["participant_id"]
            numbers[caller] += 1
            row["dialogue_number"] = numbers[caller]
            participants.setdefault(
                caller,
                {
                    "participant_id": caller,
                    "pool": "corpus",
                    "language": "en",
                    "first_seen_at": row["started_at"],
                    "simulated": False,
                },
            )
        self.writer.add("dialogues", self.dialogues.values())
        self.writer.add("participants", (participants[key] for key in sorted(participants)))
        self.writer.add("entities", self.said.rows() if entities is None else entities)
        self.writer.notes.extend([*NOTES, *self._entity_notes(entities)])
        if self.skipped:
            which = "; ".join(self.skipped)
            note = statement("{n} calls were left out: {which}", n=len(self.skipped), which=which)
            self.writer.notes.append(note)

    def _entity_notes(self, entities: list[dict[str, Any]] | None) -> Iterable[LocalizedText | str]:
        if entities is None:
            yield SELF_REPORTED
            return
        names = {normalise_value(row["name"]) for row in entities}
        strangers = [name for name in self.said.names if name not in names]
        if strangers:
            yield statement(
                "{n} offered venues are not in the database: {which}",
                n=len(strangers),
                which=", ".join(strangers),
            )


def _condition(folders: tuple[str, ...], log: dict[str, Any]) -> tuple[str, str, str]:
    """Condition, dialogue manager, acoustic condition: from the nearest folder's name, else from the log."""
    for folder in reversed(folders[:-1]):
        if match := _CONDITION.search(folder):
            return match[1].upper(), match[2].upper(), match[3].upper()
    specific = log["system-specific"]
    manager, acoustics = f"S{int(specific['dialog-manager'])}", f"A{int(specific['acoustic-condition'])}"
    return manager + acoustics, manager, acoustics


DSTC2: Final = Importer(
    name="dstc2",
    title="Dialog State Tracking Challenge 2",
    layout=LAYOUT,
    read=import_dstc2,
    venues=True,
)
