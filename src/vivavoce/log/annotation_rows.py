"""Rows of the dataset's table `annotations`, from the state of a study's annotation."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from vivavoce.dataset.annotation_layers import ADJUDICATED, NOTHING, UNDECIDED
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Annotated, AnnotationState, Judged, Place

Row = dict[str, Any]


def annotation_rows(state: AnnotationState) -> Iterator[Row]:
    """One row a label, of finished work alone; `none` where somebody found nothing in a whole dialogue.

    Where a dispute was decided, the annotator `adjudicated` says the whole layer of that dialogue again: what
    all agreed on, what was decided, and `undecided` where that is still due; so the decision wins over every
    majority.
    """
    for dialogue_id, annotated in state.dialogues.items():
        for scheme in annotated.schemes():
            for who, work in annotated.finished(scheme).items():
                judged = {
                    place: judgement for place, judgement in work.judged.items() if place.scheme == scheme
                }
                finished_at = work.finished_at or work.assigned_at
                yield from _layer(dialogue_id, scheme, who, judged, finished_at)
            yield from _decided(dialogue_id, scheme, annotated)


def chance_rows(state: AnnotationState) -> Iterator[Row]:
    """One row a dialogue and scheme: the chance with which annotators were to judge it."""
    for draw in state.draws.values():
        for scheme in draw.schemes:
            yield {"layer": scheme, **draw.model_dump(exclude={"schemes"})}


def _layer(
    dialogue_id: str, scheme: str, who: str, judged: dict[Place, Judged], at: datetime
) -> Iterator[Row]:
    of_layer: Row = {"dialogue_id": dialogue_id, "layer": scheme, "annotator_id": who}
    empty = True
    for place, judgement in sorted(judged.items(), key=lambda pair: _order(pair[0])):
        for label in judgement.labels:
            empty = False
            yield of_layer | {
                "turn_index": place.turn_index,
                "label": label.label,
                "value": label.value,
                "annotated_at": judgement.at,
            }
    if empty:
        yield of_layer | {"turn_index": None, "label": NOTHING, "value": None, "annotated_at": at}


def _decided(dialogue_id: str, scheme: str, annotated: Annotated) -> Iterator[Row]:
    decided = {
        place: judgement for place, judgement in annotated.adjudicated.items() if place.scheme == scheme
    }
    if not decided:
        return
    everybody = list(annotated.finished(scheme).values())
    agreed = {
        place: everybody[0].judged[place]
        for place in annotated.places(scheme)
        if place not in decided
        and place in everybody[0].judged
        and len(set(annotated.choices(place).values())) == 1
    }
    last = max(judgement.at for judgement in decided.values())
    undecided = {
        place: Judged((LoggedLabel(label=UNDECIDED),), True, last)
        for place in annotated.disagreements(scheme)
        if place not in decided
    }
    yield from _layer(dialogue_id, scheme, ADJUDICATED, agreed | decided | undecided, last)


def _order(place: Place) -> int:
    return -1 if place.turn_index is None else place.turn_index
