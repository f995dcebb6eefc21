"""State of transcriptions: holders of recordings, refused transcribers, and transcripts that count."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection

from vivavoce.log.stimulus_rows import StimulusVisit, stimulus_visits
from vivavoce.study.step_kind import STEPS


class LoggedItem(BaseModel):
    """One recording to be written down; dialogue and turn where it is one of a dialogue.

    gold  its transcript is known; it looks like all others
    """

    model_config = ConfigDict(frozen=True)
    audio: str
    dialogue_id: str | None = None
    turn_index: int | None = None
    gold: bool = False


class WrittenTranscript(BaseModel):
    """Transcript of a recording; text is null where no word could be made out.

    errors, words  of a recording with a known transcript: word errors, and words of the known one
    prefilled      what the recogniser heard stood in the field
    """

    model_config = ConfigDict(frozen=True)
    text: str | None
    errors: int | None = None
    words: int | None = None
    prefilled: bool = False


class AcceptedTranscript(NamedTuple):
    """One transcript that counts, or may come to count."""

    item: LoggedItem
    text: str | None
    participant_id: str
    language: str
    at: datetime


TranscribedVisit = StimulusVisit[LoggedItem, WrittenTranscript]


def word_accuracy(transcripts: Iterable[WrittenTranscript]) -> float | None:
    """1 - word errors over words, of all recordings with known transcript; None without any."""
    checked = [text for text in transcripts if text.errors is not None]
    words = sum(text.words or 0 for text in checked)
    return 1 - sum(text.errors or 0 for text in checked) / words if words else None


@dataclass
class Transcriptions:
    """All visits that wrote something down, in the order of the log."""

    visits: list[TranscribedVisit] = field(default_factory=list)

    @property
    def refused(self) -> set[str]:
        """Participants whose accuracy was too low; nothing of theirs counts."""
        return {visit.participant_id for visit in self.visits if visit.accepted is False}

    def accepted(self) -> list[AcceptedTranscript]:
        """Every transcript that counts, the first of each recording; known ones are none."""
        refused, transcripts = self.refused, dict[str, AcceptedTranscript]()
        for visit in self.visits:
            if not visit.accepted or visit.participant_id in refused:
                continue
            for item, transcript, at in visit.answered:
                if not item.gold:
                    accepted = AcceptedTranscript(
                        item, transcript.text, visit.participant_id, visit.language, at
                    )
                    transcripts.setdefault(item.audio, accepted)
        return list(transcripts.values())

    def taken(self) -> set[str]:
        """Recordings that need nobody else: accepted, or in the hands of somebody who is still at it."""
        audio_files = {
            item.audio
            for visit in self.visits
            if visit.held and visit.accepted is None and visit.participant_id not in self.refused
            for item in visit.stimuli
            if not item.gold
        }
        return audio_files | {accepted.item.audio for accepted in self.accepted()}

    def seen_by(self, participant_id: str) -> set[str]:
        """Recordings that a participant was given before, known ones included."""
        mine = [visit for visit in self.visits if visit.participant_id == participant_id]
        return {item.audio for visit in mine for item in visit.stimuli}


def transcriptions(
    connection: Connection, study: str | None = None, *, simulated: bool | None = False
) -> Transcriptions:
    """Everything that was written down for a study, or in the whole log.

    simulated  by programs alone, or by people alone; None: by all. What programs write stands for no words
    """
    names = [name for name, kind in STEPS if issubclass(getattr(kind, "response", object), WrittenTranscript)]
    by_step = (
        stimulus_visits(connection, name, LoggedItem, WrittenTranscript, study=study, simulated=simulated)
        for name in names
    )
    return Transcriptions([visit for visits in by_step for visit in visits])


def references(connection: Connection) -> dict[tuple[str, int], str]:
    """The accepted transcript of every turn that has one, of all studies of the log."""
    return {
        (accepted.item.dialogue_id, accepted.item.turn_index): accepted.text
        for accepted in transcriptions(connection).accepted()
        if accepted.item.dialogue_id is not None
        and accepted.item.turn_index is not None
        and accepted.text is not None
    }


def with_texts(connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows, spoken ones with the accepted transcript of their recording as text, where there is one.

    Note  a recording goes by the name of its file without ending, which may change when it is transcribed
    """
    texts = {
        Path(accepted.item.audio).stem: accepted.text
        for accepted in transcriptions(connection).accepted()
        if accepted.item.dialogue_id is None and accepted.text is not None
    }
    return [
        row if row["text"] is not None else {**row, "text": texts.get(Path(row["recording"] or "").stem)}
        for row in rows
    ]
