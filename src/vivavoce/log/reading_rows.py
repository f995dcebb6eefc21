"""Rows of the dataset's table `readings`, from the events of one visit."""

from collections.abc import Iterable, Iterator

from vivavoce.log.dialogue_rows import Row
from vivavoce.log.events import VisitOpened
from vivavoce.log.models import StoredEvent
from vivavoce.log.rating_events import TranscriptRated, TranscriptsAssigned


def reading_rows(visit: Iterable[StoredEvent]) -> Iterator[Row]:
    """One row an item answered about a transcript; none for a visit that read nothing."""
    opened: VisitOpened | None = None
    assigned: TranscriptsAssigned | None = None
    for stored in visit:
        event = stored.event
        if isinstance(event, VisitOpened):
            opened = event
        elif isinstance(event, TranscriptsAssigned):
            assigned = event
        elif isinstance(event, TranscriptRated) and opened is not None and assigned is not None:
            yield from _items(stored, event, opened, assigned)


def _items(
    stored: StoredEvent, event: TranscriptRated, opened: VisitOpened, assigned: TranscriptsAssigned
) -> Iterator[Row]:
    read = assigned.transcripts[event.position]
    common = {
        "participant_id": opened.participant_id, "simulated": opened.simulated, "visit_id": stored.visit_id,
        "reading_number": event.position + 1, "answered_at": stored.at,
        **read.model_dump(),
        **event.model_dump(include={"instrument", "wording", "language", "tokens", "response_s"}),
    }  # fmt: skip
    for rating in event.ratings:
        yield {**common, **rating.model_dump(include={"item_id", "value", "answer"})}
