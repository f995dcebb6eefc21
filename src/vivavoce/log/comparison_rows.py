"""Rows of the dataset's table `preferences`, from the events of one visit."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from vivavoce.log.dialogue_rows import Row
from vivavoce.log.events import ComparisonAnswered, ComparisonsAssigned, ComparisonsFinished, VisitOpened
from vivavoce.log.models import StoredEvent

Kind = TypeVar("Kind")


def comparison_rows(visit: Iterable[StoredEvent]) -> Iterator[Row]:
    """One row a choice, in the order of answering; none for a visit that compared nothing."""
    stored = list(visit)
    opened = _first(stored, VisitOpened)
    assigned = _first(stored, ComparisonsAssigned)
    if opened is None or assigned is None:
        return
    finished = _first(stored, ComparisonsFinished)
    whole = {
        "participant_id": opened.participant_id, "simulated": opened.simulated,
        "total_s": finished.total_s if finished else None,
        "accepted": finished.accepted if finished else None,
        "flags": " ".join(finished.flags) if finished else None,
    }  # fmt: skip
    for one in stored:
        if isinstance(one.event, ComparisonAnswered):
            yield from _choices(one, one.event, assigned, whole)


def _choices(
    stored: StoredEvent, event: ComparisonAnswered, assigned: ComparisonsAssigned, whole: Row
) -> Iterator[Row]:
    compared = assigned.comparisons[event.position]
    of_pair = {
        **compared.model_dump(exclude={"attention"}), "visit_id": stored.visit_id,
        "comparison_number": event.position + 1, "answered_at": stored.at,
        **event.model_dump(include={
            "presentation", "language", "control_tokens", "experimental_tokens", "response_s",
        }),
    }  # fmt: skip
    for choice in event.choices:
        yield {**whole, **of_pair, **choice.model_dump()}


def _first(events: list[StoredEvent], kind: type[Kind]) -> Kind | None:
    return next((one.event for one in events if isinstance(one.event, kind)), None)
