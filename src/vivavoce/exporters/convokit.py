"""Export as a ConvoKit corpus: utterances, speakers, conversations.

Source  documentation of ConvoKit, the corpus's format on disk (read November 2026)
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.reader import Dataset
from vivavoce.exporters.base import Exporter, ExportResult, begun_s, rows_by_dialogue

TAKEN: Final = frozenset({"dialogues", "turns", "participants", "ratings", "annotations", "exclusions"})
_OF_SPEECH: Final = ("text", "party", "turn_index", "dialogue_id")


def write_convokit(dataset: Dataset, into: Path) -> ExportResult:
    """A conversation for each dialogue. The first utterance bears its key, as corpora have it."""
    turns, notes = rows_by_dialogue(dataset, "turns"), rows_by_dialogue(dataset, "annotations")
    ratings = rows_by_dialogue(dataset, "ratings")
    excluded = {row["dialogue_id"]: row["rule"] for row in dataset.read("exclusions").to_pylist()}
    speakers = {
        row["participant_id"]: {"role": "user", **_told(row, "participant_id")}
        for row in dataset.read("participants").to_pylist()
    }
    conversations: dict[str, Any] = {}
    empty = untimed = wordless = 0
    with (into / "utterances.jsonl").open("w", encoding="utf-8") as file:
        for dialogue in dataset.read("dialogues").to_pylist():
            key = dialogue["dialogue_id"]
            user, system = (
                dialogue["participant_id"] or f"participant of {key}",
                f"system {dialogue['system']}",
            )
            speakers.setdefault(user, {"role": "user"})
            speakers[system] = {"role": "system"}
            utterances = list(_utterances(dialogue, turns.get(key, []), notes.get(key, []), user, system))
            empty += not utterances
            untimed += sum(utterance["timestamp"] is None for utterance in utterances)
            wordless += sum(turn["text"] is None for turn in turns.get(key, []))
            for utterance in utterances:
                file.write(json.dumps(utterance, ensure_ascii=False) + "\n")
            if utterances:
                meta = _told(dialogue, "dialogue_id") | _judged(ratings.get(key, []), notes.get(key, []))
                conversations[key] = _holder(meta | {"excluded_by": excluded.get(key)})
    _write(into / "speakers.json", {who: _holder(meta) for who, meta in speakers.items()})
    _write(into / "conversations.json", conversations)
    _write(into / "corpus.json", {"study": dataset.study, "level": dataset.level.value})
    _write(into / "index.json", _index(into))
    return ExportResult(TAKEN, tuple(_lost(dataset, empty, untimed, wordless)))


def _utterances(
    dialogue: dict[str, Any], turns: list[dict[str, Any]], notes: list[dict[str, Any]], user: str, system: str
) -> Iterable[dict[str, Any]]:
    key, start, before = dialogue["dialogue_id"], dialogue["started_at"], None
    for turn in turns:
        name = key if before is None else f"{key}.{turn['turn_index']}"
        second = begun_s(turn)
        at = None if start is None or second is None else start.timestamp() + second
        meta = {name: value for name, value in turn.items() if name not in _OF_SPEECH and value is not None}
        meta |= {"annotations": annotations} if (annotations := _notes(notes, turn["turn_index"])) else {}
        yield {
            "id": name,
            "conversation_id": key,
            "text": turn["text"] or "",
            "speaker": user if turn["party"] == "user" else system,
            "meta": meta,
            "reply-to": before,
            "timestamp": at,
            "vectors": [],
        }
        before = name


def _notes(notes: list[dict[str, Any]], turn: int | None) -> list[dict[str, Any]]:
    names = ("layer", "label", "value", "annotator_id")
    return [{name: note[name] for name in names} for note in notes if note["turn_index"] == turn]


def _judged(ratings: list[dict[str, Any]], notes: list[dict[str, Any]]) -> dict[str, Any]:
    """Judgements of a dialogue: questionnaire answers, and labels of the whole dialogue."""
    names = ("instrument", "item_id", "value", "answer")
    return {
        "ratings": [{name: rating[name] for name in names} for rating in ratings],
        "annotations": _notes(notes, None),
    }


def _told(row: dict[str, Any], *without: str) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str | int | float) else value.isoformat()
        for name, value in row.items()
        if value is not None and name not in without
    }


def _holder(meta: dict[str, Any]) -> dict[str, Any]:
    return {"meta": {name: value for name, value in meta.items() if value is not None}, "vectors": []}


def _index(into: Path) -> dict[str, Any]:
    """Index of the fields of meta, with the types that Python has for them."""
    lines = (into / "utterances.jsonl").read_text(encoding="utf-8").split("\n")
    metas_by_part = {
        "utterances-index": [json.loads(line)["meta"] for line in lines if line],
        "speakers-index": [speaker["meta"] for speaker in _read(into / "speakers.json").values()],
        "conversations-index": [
            conversation["meta"] for conversation in _read(into / "conversations.json").values()
        ],
        "overall-index": [_read(into / "corpus.json")],
    }
    kinds = {
        part: {
            name: sorted({str(type(meta[name])) for meta in metas if name in meta})
            for name in dict.fromkeys(name for meta in metas for name in meta)
        }
        for part, metas in metas_by_part.items()
    }
    return {**kinds, "version": 1, "vectors": []}


def _lost(dataset: Dataset, empty: int, untimed: int, wordless: int) -> Iterable[LocalizedText]:
    if empty:
        yield statement("{n} dialogues without a turn are not in this format.", n=empty)
    if untimed:
        yield statement("{n} utterances have no time: nobody noted when they began.", n=untimed)
    if wordless:
        yield statement("{n} turns without words are utterances with an empty text.", n=wordless)
    visits = sum(row["dialogue_id"] is None for row in dataset.read("ratings").to_pylist())
    if visits:
        yield statement("{n} answers about a whole visit are not in this format.", n=visits)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


CONVOKIT: Final = Exporter(
    name="convokit",
    title="a ConvoKit corpus",
    layout="a corpus of ConvoKit: utterances, speakers, conversations, corpus and index as JSON",
    write=write_convokit,
)
