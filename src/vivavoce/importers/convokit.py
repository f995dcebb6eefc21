"""Import of ConvoKit corpora: utterances, speakers and conversations of one corpus.

Source  documentation of ConvoKit, the corpus's format on disk (read November 2026)
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, Row, as_text, maybe, need
from vivavoce.importers.log_files import LogFile, LogFiles, LogRecord, read_json

NOTES: Final = (
    "The corpus does not mark roles: the first speaker is the user, all others the system.",
    "Speakers labelled bot, assistant, agent or wizard are the system.",
    "Consecutive utterances of one party form one turn.",
    "Metadata of speakers and conversations are in `participants` and `annotations`.",
)
NAMES: Final = ("utterances", "speakers", "users", "conversations")
OTHERS: Final = ("corpus", "index")
META: Final = N_("{n} notes on utterances (fields of meta) were left out.")
SYSTEMS: Final = ("bot", "assistant", "agent", "wizard", "system")
ROLES: Final = ("role", "type", "party", "is_bot")


def read_convokit(files: LogFiles) -> Iterator[LogItem]:
    """One dialogue a conversation; each folder with utterances is a corpus."""
    corpora: dict[str, dict[str, LogFile]] = {}
    for file in files:
        folder, name = str(PurePosixPath(file.name).parent), PurePosixPath(file.name).name
        if name in NAMES:
            corpora.setdefault(folder, {})[name] = file
        elif name not in OTHERS:
            files.passed_over += 1
    for folder, parts in corpora.items():
        if "utterances" in parts:
            yield from _corpus(files, folder, parts)
        else:
            place = next(iter(parts.values())).place
            yield LogItem(place, problem="utterances.jsonl is missing in the same folder")


def _corpus(files: LogFiles, folder: str, parts: Mapping[str, LogFile]) -> Iterator[LogItem]:
    contents: dict[str, Mapping[str, Any]] = {}
    for name in ("speakers", "conversations"):
        file = parts.get(name) or (parts.get("users") if name == "speakers" else None)
        content, problem = _read(file) if file is not None else ({}, None)
        if file is not None and problem is not None:
            yield LogItem(file.place, problem=problem)
        contents[name] = content
    conversations: dict[str, list[LogRecord]] = {}
    for record in parts["utterances"].records():
        problem, key = record.problem, None
        if problem is None:
            try:
                key = _conversation(record.content)
                name = record.content.get("id")
                if name is not None and files.is_repeat(
                    record.place, f"utterance {name!r} of {folder}", record.content
                ):
                    continue
            except ValueError as error:
                problem = str(error)
        if key is None:
            yield LogItem(record.place, problem=problem)
        else:
            conversations.setdefault(key, []).append(record)
    name = "corpus" if folder == "." else folder
    for key, records in conversations.items():
        read = partial(_dialogue, key=key, records=records, corpus=name, told=contents)
        yield LogItem(records[0].place, read)


def _read(file: LogFile) -> tuple[Mapping[str, Any], str | None]:
    try:
        content, problem = read_json(file.text())
    except ValueError as error:
        return {}, str(error)
    if problem is None and not isinstance(content, Mapping):
        problem = f"expected groups by name, not {shown_value(content)}"
    return (content if isinstance(content, Mapping) else {}), problem


def _conversation(utterance: Any) -> str:
    """The key of the conversation that an utterance belongs to, by the newer name or the older one."""
    key = maybe(utterance, "conversation_id", str) or maybe(utterance, "root", str)
    return key if key is not None else need(utterance, "conversation_id", str)


def _dialogue(
    rows: ItemRows, *, key: str, records: list[LogRecord], corpus: str, told: Mapping[str, Mapping[str, Any]]
) -> None:
    utterances = [record.content for record in records]
    if all(_seconds(utterance) is not None for utterance in utterances):
        utterances = sorted(utterances, key=lambda utterance: _seconds(utterance) or 0.0)
    speakers = told["speakers"]
    party = {who: _role(speakers.get(who)) for who in map(_speaker, utterances)}
    first = next((who for who, role in party.items() if role is None), None)
    user = next((who for who, role in party.items() if role == "user"), first)
    times = [time for utterance in utterances if (time := _seconds(utterance)) is not None]
    dialogue = ForeignDialogue(
        rows,
        key,
        study=corpus,
        participant_id=user,
        system="system" if "system" in party.values() else "others",
        started_at=_instant(times[0]) if times else None,
        ended_at=_instant(times[-1]) if times else None,
    )
    for utterance in utterances:
        second = time - times[0] if (time := _seconds(utterance)) is not None else None
        spoken = party[_speaker(utterance)] or ("user" if _speaker(utterance) == user else "system")
        stamps = {"sent_s": second} if spoken == "user" else {"first_output_s": second, "complete_s": second}
        dialogue.say(spoken, need(utterance, "text", str), **stamps)
        rows.lose(META, len(maybe(utterance, "meta", dict) or {}))
    _describe(rows, dialogue, told, user)
    dialogue.end()


def _describe(
    rows: ItemRows, dialogue: ForeignDialogue, contents: Mapping[str, Mapping[str, Any]], user: str | None
) -> None:
    """Describe the user and the conversation, from the corpus."""
    if user is not None and (meta := _meta(contents["speakers"].get(user))):
        rows.add("participants", participant_id=user, simulated=False, attributes=as_text(meta))
    for label, value in _meta(contents["conversations"].get(dialogue.key)).items():
        rows.add(
            "annotations",
            dialogue_id=dialogue.key,
            layer="conversation",
            label=str(label),
            value=as_text(value),
            annotator_id="corpus",
        )


def _meta(holder: Any) -> Row:
    """Fields of `meta`, or of the group itself as older versions have it."""
    if not isinstance(holder, Mapping):
        return {}
    meta = holder.get("meta", {name: value for name, value in holder.items() if name != "vectors"})
    return dict(meta) if isinstance(meta, Mapping) else {}


def _role(speaker: Any) -> str | None:
    """Role of a speaker, system or user, if the corpus states it."""
    labels = [str(_meta(speaker).get(name, "")).lower() for name in ROLES]
    if any(label in (*SYSTEMS, "true") for label in labels):
        return "system"
    return "user" if any(label in ("user", "customer", "human") for label in labels) else None


def _speaker(utterance: Any) -> str:
    return maybe(utterance, "speaker", str) or need(utterance, "user", str)


def _seconds(utterance: Any) -> float | None:
    """Seconds since 1970; corpora without times have null or a text that is no number."""
    timestamp = utterance.get("timestamp") if isinstance(utterance, Mapping) else None
    try:
        return None if timestamp is None or isinstance(timestamp, bool) else float(timestamp)
    except (TypeError, ValueError):
        raise ValueError(f"'timestamp' is {shown_value(timestamp)}, not seconds") from None


def _instant(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)


CONVOKIT: Final = Importer(
    name="convokit",
    title="ConvoKit corpora",
    layout="a folder or archive with utterances.jsonl, speakers.json and conversations.json",
    rows=read_convokit,
    notes=NOTES,
)
