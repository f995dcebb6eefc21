"""Import of battles as Chatbot Arena publishes them: two conversations side by side, and a winner.

Source  Zheng and others 2023, LMSYS-Chat and Chatbot Arena conversations: fields of the released files
"""

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final

from babel import Locale

from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.items import UNKNOWN_LANGUAGE, ForeignDialogue, ItemRows, LogItem, need
from vivavoce.importers.log_files import LogFiles, LogRecord
from vivavoce.importers.openai_messages import add_messages

NOTES: Final = (
    "Each battle is two dialogues and one vote, cast after the last answers.",
    "Messages have no times; the language comes from the log.",
)
CHOICES: Final = {
    "model_a": "left",
    "model_b": "right",
    "tie": "tie",
    "tie (bothbad)": "both_bad",
    "both_bad": "both_bad",
    "bothbad": "both_bad",
}
SIDES: Final = {"left": "a", "right": "b"}


def read_battles(files: LogFiles) -> Iterable[LogItem]:
    """One battle an object."""
    for number, record in enumerate(files.records("question_id", "id"), start=1):
        yield LogItem.of(record, partial(_battle, number=number))


def _battle(rows: ItemRows, record: LogRecord, *, number: int) -> None:
    battle = record.content
    winner = need(battle, "winner", str)
    if winner not in CHOICES:
        raise ValueError(f"'winner' is {shown_value(winner)}. Known: {', '.join(CHOICES)}")
    key = str(battle.get("question_id") or battle.get("id") or record.key)
    judge = battle.get("judge") or battle.get("evaluation_session_id")
    who, language = None if judge is None else str(judge), _language(battle.get("language"))
    at = _instant(battle)
    vote = {
        "participant_id": who,
        "visit_id": f"visit-{number}",
        "bout_id": key,
        "bout_number": 1,
        "language": language,
        "choice": CHOICES[winner],
        "answered_at": at,
        "simulated": False,
    }
    users: list[int] = []
    for side, letter in SIDES.items():
        system = need(battle, f"model_{letter}", str)
        dialogue = ForeignDialogue(
            rows,
            f"{key}-{letter}",
            study="chatbot-arena",
            system=system,
            language=language,
            participant_id=who,
            visit_id=vote["visit_id"],
            started_at=at,
        )
        add_messages(rows, dialogue, need(battle, f"conversation_{letter}", list))
        dialogue.end()
        last = dialogue.last or {}
        if last.get("party") != "system":
            raise ValueError(f"'conversation_{letter}' does not end with an answer")
        users.append(sum(turn["party"] == "user" for turn in dialogue.own))
        vote |= {f"{side}_system": system, f"{side}_dialogue_id": dialogue.key}
        vote[f"{side}_turn_index"] = last["turn_index"]
    rows.add("votes", **vote, exchange=max(users))


def _language(field: Any) -> str:
    language = str(field or "").strip().lower()
    return language if language in _languages().values() else _languages().get(language, UNKNOWN_LANGUAGE)


@cache
def _languages() -> dict[str, str]:
    """Tags of languages by their English names."""
    return {name.lower(): tag for tag, name in Locale.parse(SOURCE_LANGUAGE).languages.items()}


def _instant(battle: Mapping[str, Any]) -> datetime | None:
    """Time of the battle: seconds since 1970, or a date in ISO 8601."""
    timestamp = battle.get("tstamp") if battle.get("tstamp") is not None else battle.get("timestamp")
    if timestamp is None:
        return None
    if isinstance(timestamp, str):
        read = datetime.fromisoformat(timestamp)
        return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
    if not isinstance(timestamp, int | float) or not math.isfinite(timestamp):
        raise ValueError(f"'tstamp' is {shown_value(timestamp)}, not a time")
    try:
        return datetime.fromtimestamp(timestamp, UTC)
    except OSError:
        raise ValueError(f"'tstamp' is {shown_value(timestamp)}, not a time") from None


CHATBOT_ARENA: Final = Importer(
    name="chatbot-arena",
    title="Chatbot Arena, battles of two systems with the winner",
    layout="JSON or JSON Lines with model_a, model_b, conversation_a, conversation_b and winner",
    rows=read_battles,
    notes=NOTES,
    unit="battles",
)
