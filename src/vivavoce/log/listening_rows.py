"""Rows of the dataset's table `listening`, from the events of one visit."""

from collections.abc import Iterable, Iterator

from vivavoce.log.dialogue_rows import Row
from vivavoce.log.events import VisitOpened
from vivavoce.log.listening_events import ClipJudged, ClipsAssigned, HearingChecked
from vivavoce.log.models import StoredEvent


def listening_rows(visit: Iterable[StoredEvent]) -> Iterator[Row]:
    """One row a clip that was rated, or a pair of clips that was compared; none for who heard nothing."""
    opened: VisitOpened | None = None
    hearing: dict[int, bool | None] = {}
    for stored in visit:
        event = stored.event
        if isinstance(event, VisitOpened):
            opened = event
        elif isinstance(event, ClipsAssigned):
            hearing[event.step] = False if event.tones else None
        elif isinstance(event, HearingChecked):
            hearing[event.step] = hearing.get(event.step) or event.right
        elif isinstance(event, ClipJudged) and opened is not None:
            trial, second = event.trial, event.trial.second
            yield {
                "participant_id": opened.participant_id, "visit_id": stored.visit_id,
                "trial_number": event.position + 1, "method": "opinion" if second is None else "pairs",
                "clip": trial.first.audio, "condition": trial.first.condition, "pair_id": trial.pair_id,
                "other_clip": second.audio if second else None,
                "other_condition": second.condition if second else None, "value": event.value,
                "choice": event.choice, "plays": event.plays, "hearing": hearing.get(event.step),
                "language": event.language, "response_s": event.response_s, "answered_at": stored.at,
                "simulated": opened.simulated,
            }  # fmt: skip
