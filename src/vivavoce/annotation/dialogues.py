"""A dialogue as an annotator sees it: what was said and when, and the task; never who the system is."""

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vivavoce.log.annotation_state import Place, Work
from vivavoce.log.dialogue_rows import logged_dialogue
from vivavoce.log.queries import Reader
from vivavoce.log.soundtrack import DialogueRecording, dialogue_recordings
from vivavoce.study.schemes import Scheme

RECORDINGS: Final = {".wav": "audio/wav", ".flac": "audio/flac", ".ogg": "audio/ogg", ".mp3": "audio/mpeg"}


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """One turn; times in seconds since the dialogue began, None where the log does not know them.

    documents  what the system says that it looked up for it: source and text of each, best first
    """

    turn_index: int
    party: str
    text: str
    onset_s: float | None
    offset_s: float | None
    documents: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ShownDialogue:
    """One dialogue without anything that tells which system took part."""

    dialogue_id: str
    language: str
    task: str
    turns: tuple[ShownTurn, ...]

    def turn(self, turn_index: int | None) -> ShownTurn | None:
        return next((turn for turn in self.turns if turn.turn_index == turn_index), None)


def shown_dialogue(log: Reader, dialogue_id: str) -> ShownDialogue | None:
    """The dialogue of the log; None where it was never assigned."""
    rows = logged_dialogue(log, dialogue_id)
    if rows is None:
        return None
    documents: defaultdict[int | None, list[tuple[str, str]]] = defaultdict(list)
    for row in sorted(rows.agent.tables["retrievals"], key=lambda row: row["rank"]):
        documents[row["turn_index"]].append((row["source"] or "", row["document"] or ""))
    turns = tuple(
        ShownTurn(
            row["turn_index"],
            row["party"],
            row["text"] or "",
            row["onset_s"],
            row["offset_s"],
            tuple(documents[row["turn_index"]]),
        )
        for row in sorted(rows.turns, key=lambda row: row["turn_index"])
    )
    return ShownDialogue(dialogue_id, rows.history.language, rows.history.task_text or "", turns)


def places(schemes: Sequence[Scheme], dialogue: ShownDialogue, work: Work) -> list[Place]:
    """Everything that this annotator is to judge, scheme by scheme; what depends on a label comes with it."""
    used = {scheme.scheme for scheme in schemes}
    return [
        Place(scheme.scheme, turn_index)
        for scheme in schemes
        for turn_index in _turns(scheme, dialogue)
        if _asked(scheme, turn_index, work, used)
    ]


def next_place(listed: list[Place], work: Work) -> Place | None:
    """The first place that was not judged yet; None when all were."""
    return next((place for place in listed if not _done(work, place)), None)


def _done(work: Work, place: Place) -> bool:
    judgement = work.judged.get(place)
    return judgement is not None and judgement.done


def _turns(scheme: Scheme, dialogue: ShownDialogue) -> list[int | None]:
    if scheme.about == "dialogue":
        return [None]
    return [turn.turn_index for turn in dialogue.turns if scheme.judges(turn.party)]


def _asked(scheme: Scheme, turn_index: int | None, work: Work, used: Container[str]) -> bool:
    """True if labels of other schemes require a judgement; unused schemes require nothing."""
    for condition, labels in scheme.only_where.items():
        if condition not in used:
            continue
        judgement = work.judged.get(Place(condition, turn_index))
        if judgement is None or not any(label.label in labels for label in judgement.labels):
            return False
    return True


def recording_of(folder: Path | None, dialogue_id: str) -> Path | None:
    """The recording of a dialogue in the study's folder; None where there is none."""
    if folder is None:
        return None
    paths = (folder / f"{dialogue_id}{ending}" for ending in RECORDINGS)
    return next((path for path in paths if path.is_file()), None)


def recordings_of(log: Reader, folder: Path | None, dialogue_id: str) -> list[DialogueRecording]:
    """Recording of a dialogue: its file in the study's folder, else the log's."""
    path = recording_of(folder, dialogue_id)
    if path is not None:
        return [DialogueRecording(path.name, path, RECORDINGS[path.suffix])]
    return dialogue_recordings(log, dialogue_id)
