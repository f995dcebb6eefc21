"""State of a study's annotation: a fold of its events, for pages, queues and the dataset's rows."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Self

from vivavoce.dataset.annotation_layers import ADJUDICATED, NOTHING, UNDECIDED
from vivavoce.log.annotation_events import (
    AnnotationAssigned,
    AnnotationReleased,
    DialogueAnnotated,
    DialogueDrawn,
    LabelsAdjudicated,
    LabelsGiven,
    LoggedLabel,
)
from vivavoce.log.models import StoredEvent


class Place(NamedTuple):
    """A place to judge: a turn, or with None the whole dialogue, in one scheme."""

    scheme: str
    turn_index: int | None


class Judged(NamedTuple):
    """An annotator's judgement of a place; `done` once they went on."""

    labels: tuple[LoggedLabel, ...]
    done: bool
    at: datetime


Choice = frozenset[tuple[str, str | None]]


def choice(labels: Iterable[LoggedLabel]) -> Choice:
    """Labels made comparable: neither order nor repetition matters."""
    return frozenset((label.label, label.value) for label in labels)


@dataclass
class Work:
    """One annotator's work on one dialogue; `finished_at` is null until it counts."""

    annotator_id: str
    assigned_at: datetime
    double: bool = False
    finished_at: datetime | None = None
    schemes: tuple[str, ...] = ()
    judged: dict[Place, Judged] = field(default_factory=dict)


@dataclass
class Annotated:
    """One dialogue: everybody's work on it, and what was adjudicated."""

    work: dict[str, Work] = field(default_factory=dict)
    adjudicated: dict[Place, Judged] = field(default_factory=dict)
    adjudicators: dict[Place, str] = field(default_factory=dict)

    def finished(self, scheme: str) -> dict[str, Work]:
        """The work that counts in a scheme, by annotator."""
        return {
            who: work
            for who, work in self.work.items()
            if work.finished_at is not None and scheme in work.schemes
        }

    def schemes(self) -> list[str]:
        """The schemes in which somebody has finished, in the order of the work."""
        return list(
            dict.fromkeys(
                name for work in self.work.values() if work.finished_at is not None for name in work.schemes
            )
        )

    def places(self, scheme: str) -> list[Place]:
        """The places of a scheme that somebody who finished has judged, in the order of turns."""
        judged_places = {
            place
            for work in self.finished(scheme).values()
            for place in work.judged
            if place.scheme == scheme
        }
        return sorted(judged_places, key=lambda place: -1 if place.turn_index is None else place.turn_index)

    def choices(self, place: Place) -> dict[str, Choice]:
        """Choices of all who finished at a place; no choice of annotators who skipped it."""
        return {
            who: choice(work.judged[place].labels) if place in work.judged else frozenset()
            for who, work in self.finished(place.scheme).items()
        }

    def disagreements(self, scheme: str) -> Iterator[Place]:
        """The places at which those who finished chose differently, decided or not."""
        for place in self.places(scheme):
            if len(set(self.choices(place).values())) > 1:
                yield place


class AnnotationState:
    """All annotation of one study after the events applied so far.

    draws  of dialogues that have a chance, the first that was said
    """

    def __init__(self) -> None:
        self.seq = 0
        self.draws: dict[str, DialogueDrawn] = {}
        self.dialogues: dict[str, Annotated] = defaultdict(Annotated)

    @classmethod
    def after(cls, events: Iterable[StoredEvent]) -> Self:
        state = cls()
        for stored in events:
            state.apply(stored)
        return state

    def apply(self, stored: StoredEvent) -> None:
        self.seq = stored.seq
        match stored.event:
            case AnnotationAssigned() as event:
                work = Work(event.annotator_id, stored.at, event.double)
                self.dialogues[event.dialogue_id].work.setdefault(event.annotator_id, work)
            case DialogueDrawn() as event:
                self.draws.setdefault(event.dialogue_id, event)
            case AnnotationReleased() as event:
                self.dialogues[event.dialogue_id].work.pop(event.annotator_id, None)
            case LabelsGiven() as event:
                place = Place(event.scheme, event.turn_index)
                work = self._work(event.dialogue_id, event.annotator_id, stored.at)
                work.judged[place] = Judged(tuple(event.labels), event.done, stored.at)
            case DialogueAnnotated() as event:
                work = self._work(event.dialogue_id, event.annotator_id, stored.at)
                work.finished_at = stored.at
                work.schemes = tuple(dict.fromkeys((*work.schemes, *event.schemes)))
            case LabelsAdjudicated() as event:
                place, dialogue = Place(event.scheme, event.turn_index), self.dialogues[event.dialogue_id]
                dialogue.adjudicated[place] = Judged(tuple(event.labels), True, stored.at)
                dialogue.adjudicators[place] = event.by
            case _:
                pass

    def _work(self, dialogue_id: str, annotator_id: str, at: datetime) -> Work:
        return self.dialogues[dialogue_id].work.setdefault(annotator_id, Work(annotator_id, at))

    def only(self, dialogues: Container[str]) -> "AnnotationState":
        """The annotation of these dialogues alone."""
        state = AnnotationState()
        state.seq = self.seq
        state.draws = {key: drawing for key, drawing in self.draws.items() if key in dialogues}
        state.dialogues.update(
            {key: dialogue for key, dialogue in self.dialogues.items() if key in dialogues}
        )
        return state

    def of_annotator(self, annotator_id: str) -> dict[str, Work]:
        """An annotator's work by dialogue, in the order in which it was assigned."""
        mine = {
            key: dialogue.work[annotator_id]
            for key, dialogue in self.dialogues.items()
            if annotator_id in dialogue.work
        }
        return dict(sorted(mine.items(), key=lambda pair: pair[1].assigned_at))


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
