"""What has become of recordings: who holds which, who was refused, and which transcripts count."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from vivavoce.log.events import read_event
from vivavoce.log.tables import events, visits
from vivavoce.log.transcription_events import (
    TRANSCRIPTION_EVENTS,
    LoggedItem,
    TranscriptGiven,
    TranscriptionsAssigned,
    TranscriptionsFinished,
)


class AcceptedTranscript(NamedTuple):
    """One transcript that counts, or may come to count."""

    item: LoggedItem
    text: str | None
    participant_id: str
    language: str
    at: datetime


@dataclass
class OfVisit:
    """One visit's part: what it was given, wrote, and whether it counts (None: not decided)."""

    participant_id: str
    held: bool
    items: list[LoggedItem] = field(default_factory=list)
    given: list[AcceptedTranscript] = field(default_factory=list)
    accuracy: float | None = None
    gold: int = 0
    accepted: bool | None = None


@dataclass
class Transcriptions:
    """All visits that wrote something down, in the order of the log."""

    visits: dict[str, OfVisit] = field(default_factory=dict)

    @property
    def refused(self) -> set[str]:
        """Participants whose accuracy was too low; nothing of theirs counts."""
        return {visit.participant_id for visit in self.visits.values() if visit.accepted is False}

    def accepted(self) -> list[AcceptedTranscript]:
        """Every transcript that counts, the first of each recording; known ones are none."""
        refused, found = self.refused, dict[str, AcceptedTranscript]()
        for visit in self.visits.values():
            if visit.accepted and visit.participant_id not in refused:
                for one in visit.given:
                    if not one.item.gold:
                        found.setdefault(one.item.audio, one)
        return list(found.values())

    def taken(self) -> set[str]:
        """Recordings that need nobody else: accepted, or in the hands of somebody who is still at it."""
        held = {
            item.audio
            for visit in self.visits.values()
            if visit.held and visit.accepted is None and visit.participant_id not in self.refused
            for item in visit.items
            if not item.gold
        }
        return held | {one.item.audio for one in self.accepted()}

    def seen_by(self, participant_id: str) -> set[str]:
        """Recordings that a participant was given before, known ones included."""
        mine = [visit for visit in self.visits.values() if visit.participant_id == participant_id]
        return {item.audio for visit in mine for item in visit.items}


def transcriptions(
    connection: Connection, study: str | None = None, since: datetime | None = None
) -> Transcriptions:
    """Everything that was written down for a study, or in the whole log.

    since  whoever did nothing since then does not hold his recordings any more
    """
    wanted = (
        select(
            events.c.visit_id, events.c.kind, events.c.payload, events.c.at, visits.c.participant_id,
            visits.c.language, visits.c.outcome, visits.c.last_at,
        )
        .join(visits, visits.c.visit_id == events.c.visit_id)
        .where(events.c.kind.in_([kind.kind for kind in TRANSCRIPTION_EVENTS]))
        .order_by(events.c.position)
    )  # fmt: skip
    if study is not None:
        wanted = wanted.where(visits.c.study == study)
    found = Transcriptions()
    for visit_id, kind, payload, at, participant_id, language, outcome, last_at in connection.execute(wanted):
        held = outcome is None and (since is None or last_at >= since)
        visit = found.visits.setdefault(visit_id, OfVisit(participant_id, held))
        match read_event(kind, payload):
            case TranscriptionsAssigned() as event:
                visit.items = event.items
            case TranscriptGiven() as event:
                visit.given.append(AcceptedTranscript(event.item, event.text, participant_id, language, at))
            case TranscriptionsFinished() as event:
                visit.accuracy, visit.gold, visit.accepted = event.accuracy, event.gold, event.accepted
            case _:
                pass
    return found


def references(connection: Connection) -> dict[tuple[str, int], str]:
    """The accepted transcript of every turn that has one, of all studies of the log."""
    return {
        (one.item.dialogue_id, one.item.turn_index): one.text
        for one in transcriptions(connection).accepted()
        if one.item.dialogue_id is not None and one.item.turn_index is not None and one.text is not None
    }


def with_texts(connection: Connection, commands: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Commands, spoken ones with the accepted transcript of their recording as text, where there is one.

    Note  a recording goes by the name of its file without ending, which may change when it is transcribed
    """
    said = {
        Path(one.item.audio).stem: one.text
        for one in transcriptions(connection).accepted()
        if one.item.dialogue_id is None and one.text is not None
    }
    return [
        row if row["text"] is not None else {**row, "text": said.get(Path(row["recording"] or "").stem)}
        for row in commands
    ]
