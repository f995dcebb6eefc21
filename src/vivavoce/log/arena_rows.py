"""Rows of the dataset's table `votes`, from the events of one visit."""

from collections.abc import Iterable, Iterator

from vivavoce.log.arena_events import BoutAssigned, VoteCast
from vivavoce.log.dialogue_rows import Row
from vivavoce.log.events import VisitOpened
from vivavoce.log.models import StoredEvent


def vote_rows(visit: Iterable[StoredEvent]) -> Iterator[Row]:
    """One row a vote, in the order of voting."""
    opened: VisitOpened | None = None
    bouts: dict[str, tuple[int, BoutAssigned]] = {}
    for stored in visit:
        event = stored.event
        if isinstance(event, VisitOpened):
            opened = event
        elif isinstance(event, BoutAssigned):
            bouts[event.bout_id] = (len(bouts) + 1, event)
        elif isinstance(event, VoteCast) and opened is not None:
            number, bout = bouts[event.bout_id]
            yield {
                "participant_id": opened.participant_id, "simulated": opened.simulated,
                "visit_id": stored.visit_id, "bout_id": event.bout_id, "bout_number": number,
                "language": opened.language, "answered_at": stored.at, "leaks": " ".join(event.leaks),
                **bout.model_dump(include={
                    "left_system", "right_system", "left_dialogue_id", "right_dialogue_id",
                }),
                **event.model_dump(include={
                    "exchange", "choice", "left_turn_index", "right_turn_index", "response_s",
                }),
            }  # fmt: skip
