"""Import of Rasa tracker stores: what users and bots said, intents and entities, slots; JSON dumps or SQLite.

Source  documentation of Rasa, events and tracker stores (read November 2026)
"""

import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, Row, as_text, maybe, need
from vivavoce.importers.log_files import LogFile, LogFiles, one_line, read_json

NOTES: Final = (
    "Each restart and each new session starts a new dialogue.",
    "The intent and the entities of a message are acts of the layer `understood`, with the bot's confidence.",
    "Final slot values are annotations of the layer `slots`.",
    "The log does not contain the language.",
    "Each sender is one participant; sender names are not stored.",
)
SQLITE: Final = (".db", ".sqlite", ".sqlite3")
MAGIC: Final = b"SQLite format 3\0"
NOT_SHOWN: Final = N_("{n} bot messages without text (pictures, buttons) were left out.")
NO_PLACE: Final = N_("{n} non-message events were left out (predictions, forms, reminders and others).")
MOST_HYPOTHESES: Final = 5


def read_rasa(files: LogFiles) -> Iterator[LogItem]:
    """One dialogue a session of a sender."""
    number = 0
    for file in files:
        senders = _senders_of_store(file) if file.data.startswith(MAGIC) else _senders_of_dump(file)
        for place, sender, events, problem in senders:
            if problem is not None:
                yield LogItem(place, problem=problem)
                continue
            for session in _sessions(events):
                number += 1
                yield LogItem(
                    place, partial(_dialogue, key=f"dialogue-{number}", sender=sender, events=session)
                )


Sender = tuple[str, str, list[Any], str | None]


def _senders_of_dump(file: LogFile) -> Iterator[Sender]:
    """Trackers of a dump: one, a list of them, a group of them by sender, or one a line."""
    for record in file.records():
        if record.problem is not None:
            yield record.place, "", [], record.problem
            continue
        content: Any = record.content
        by_sender = isinstance(content, Mapping) and "events" not in content and "sender_id" not in content
        trackers = list(content.items()) if by_sender else [(record.key, content)]
        if not trackers:
            yield record.place, "", [], "no trackers in the file"
        for name, tracker in trackers:
            place = f"{record.place} {shown_value(name)}" if by_sender else record.place
            if isinstance(tracker, str):
                tracker, _ = read_json(tracker)  # as the Redis store keeps them
            try:
                yield (
                    place,
                    str(maybe(tracker, "sender_id", str) or name),
                    need(tracker, "events", list),
                    None,
                )
            except ValueError as error:
                yield place, "", [], str(error)


def _senders_of_store(file: LogFile) -> Iterator[Sender]:
    """Trackers of an SQL store: the table `events`, in the order of its keys."""
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(file.data)
        rows = connection.execute("SELECT sender_id, data FROM events ORDER BY id").fetchall()
    except sqlite3.Error as error:
        yield file.place, "", [], f"not a tracker store: {one_line(error)}; the table `events` is required"
        return
    finally:
        connection.close()
    senders: dict[str, list[Any]] = {}
    for number, (sender, data) in enumerate(rows, start=1):
        event, problem = read_json(data) if isinstance(data, str) else (None, "no text")
        if problem is not None:
            yield f"{file.place}:events row {number}", "", [], f"the data of the event is {problem}"
        else:
            senders.setdefault(str(sender), []).append(event)
    for number, (sender, events) in enumerate(senders.items(), start=1):
        yield f"{file.place}:sender {number}", sender, events, None


def _sessions(events: list[Any]) -> list[list[Any]]:
    """The events between restarts; stretches in which nobody says anything are none."""
    sessions: list[list[Any]] = [[]]
    for event in events:
        kind = event.get("event") if isinstance(event, Mapping) else None
        if kind in ("restart", "session_started") and any(map(_is_said, sessions[-1])):
            sessions.append([])
        sessions[-1].append(event)
    with_turns = [session for session in sessions if any(map(_is_said, session))]
    return with_turns or sessions[-1:]


def _is_said(event: Any) -> bool:
    return not isinstance(event, Mapping) or event.get("event") in ("user", "bot")


def _dialogue(rows: ItemRows, *, key: str, sender: str, events: list[Any]) -> None:
    turns = [event for event in events if _is_said(event)]
    if not turns:
        raise ValueError("the dialogue has no messages")
    times = [_seconds(event) for event in turns]
    known_times = [time for time in times if time is not None]
    dialogue = ForeignDialogue(rows, key, study="rasa", system=_model(events), participant_id=sender)
    if known_times:
        started = datetime.fromtimestamp(known_times[0], UTC)
        dialogue.row |= {"started_at": started, "ended_at": datetime.fromtimestamp(known_times[-1], UTC)}
    slots: dict[str, str | None] = {}
    for event in events:
        at = _seconds(event)
        second = at - known_times[0] if at is not None and known_times else None
        _take(rows, dialogue, event, second, slots)
    for name, value in slots.items():
        if value is not None:
            rows.add(
                "annotations", dialogue_id=key, layer="slots", label=name, value=value, annotator_id="rasa"
            )
    dialogue.end()


def _take(rows: ItemRows, dialogue: ForeignDialogue, event: Any, second: float | None, slots: Row) -> None:
    match need(event, "event", str):
        case "user":
            text = maybe(event, "text", str)
            turn = dialogue.say("user", text, sent_s=second)
            _understood(rows, dialogue, turn, maybe(event, "parse_data", dict) or {})
        case "bot":
            text = maybe(event, "text", str)
            if text is None:
                rows.lose(NOT_SHOWN)
            else:
                dialogue.say("system", text, first_output_s=second, complete_s=second)
        case "slot":
            slots[need(event, "name", str)] = as_text(event.get("value"))
        case "restart" | "session_started":
            slots.clear()
        case "action":
            pass
        case _:
            rows.lose(NO_PLACE)


def _understood(rows: ItemRows, dialogue: ForeignDialogue, turn: int, parsed: Mapping[str, Any]) -> None:
    """Intents, best first, each with the entities: a hypothesis of what was meant."""
    best = maybe(parsed, "intent", dict) or {}
    ranking = maybe(parsed, "intent_ranking", list) or ([best] if best.get("name") else [])
    entities = [_entity(entity) for entity in maybe(parsed, "entities", list) or []]
    before = len(
        {
            row["rank"]
            for row in rows.tables.get("acts", [])
            if row["turn_index"] == turn and row["dialogue_id"] == dialogue.key
        }
    )
    for rank, intent in enumerate(ranking[:MOST_HYPOTHESES]):
        name = maybe(intent, "name", str)
        acts = [{"act": name}, *({"act": name, **entity} for entity in entities)] if name else []
        dialogue.act(turn, "understood", "bot", acts, rank=before + rank, score=_score(intent))


def _entity(entity: Any) -> Row:
    value = as_text(need(entity, "value", (str, int, float, list, dict), word="value"))
    return {"slot": need(entity, "entity", str), "op": "=", "value": value}


def _score(intent: Any) -> float | None:
    confidence = maybe(intent, "confidence", (int, float))
    return None if confidence is None else float(confidence)


def _seconds(event: Any) -> float | None:
    timestamp = maybe(event, "timestamp", (int, float))
    return None if timestamp is None else float(timestamp)


def _model(events: list[Any]) -> str:
    """The model that answered, as newer versions note it; else the system is called rasa."""
    noted = (event.get("metadata") for event in events if isinstance(event, Mapping))
    assistants = (event.get("assistant_id") for event in noted if isinstance(event, Mapping))
    return next((assistant for assistant in assistants if isinstance(assistant, str) and assistant), "rasa")


RASA: Final = Importer(
    name="rasa",
    title="Rasa tracker stores, dumps or SQL",
    layout="JSON of trackers with sender_id and events, or an SQLite file with the table events",
    rows=read_rasa,
    endings=(".json", ".jsonl", *SQLITE),
    notes=NOTES,
)
