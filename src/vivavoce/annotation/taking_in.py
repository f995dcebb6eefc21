"""Annotations made elsewhere become events of a study's log; what is there already is not said again."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from vivavoce.annotation.judgement import LABELS
from vivavoce.annotation.workplace import Workplace
from vivavoce.dataset.annotation_layers import ADJUDICATED, NOTHING, UNDECIDED
from vivavoce.log.annotation_events import DialogueAnnotated, LabelsAdjudicated, LabelsGiven, LoggedLabel
from vivavoce.log.annotation_state import AnnotationState, Place, choice
from vivavoce.log.event import Event
from vivavoce.log.store import Log
from vivavoce.study.judgement_kind import JudgementKind
from vivavoce.study.model import Study

Layer = tuple[str, str, str]  # dialogue, scheme, annotator
Said = dict[Place, list[LoggedLabel]]


def take_into_log(study: Study, log: Log, rows: Iterable[Mapping[str, Any]], by: str) -> int:
    """Log rows of `annotations`, each with the kind of judgement whose scheme its layer is; see `take_in`.

    Note    a layer of which the study says nothing is one of labels
    """
    layers = study.annotation.layers if study.annotation is not None else []
    owners = {scheme.scheme: kind for kind, scheme in layers}
    of_kind: dict[JudgementKind, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        of_kind[owners.get(row["layer"], LABELS)].append(row)
    return sum(take_in(kind.open(study, log), judgements, by) for kind, judgements in of_kind.items())


def take_in(workplace: Workplace, rows: Iterable[Mapping[str, Any]], by: str) -> int:
    """Log these rows of `annotations`; how many layers of dialogues were new or other than before.

    Note    what an annotator said of a dialogue's layer is replaced as a whole; rows of `adjudicated` decide
    """
    layers = _layers(rows)
    changed = 0

    def decide(state: AnnotationState) -> list[Event]:
        nonlocal changed
        events: list[Event] = []
        changed = 0
        for (dialogue_id, scheme, who), judgements in layers.items():
            new_events = (
                _decisions(state, dialogue_id, scheme, judgements, by)
                if who == ADJUDICATED
                else _judgements(state, dialogue_id, scheme, who, judgements)
            )
            changed += bool(new_events)
            events += new_events
        return events

    workplace.write(decide)
    return changed


def _layers(rows: Iterable[Mapping[str, Any]]) -> dict[Layer, Said]:
    """Rows by layer; decisions after all judgements, because they decide between them."""
    layers: dict[Layer, Said] = defaultdict(dict)
    for row in rows:
        by_place = layers[row["dialogue_id"], row["layer"], row["annotator_id"]]
        if row["label"] != NOTHING:
            labels = by_place.setdefault(Place(row["layer"], row["turn_index"]), [])
            labels.append(LoggedLabel(label=row["label"], value=row["value"]))
    return dict(sorted(layers.items(), key=lambda pair: pair[0][2] == ADJUDICATED))


def _judgements(
    state: AnnotationState, dialogue_id: str, scheme: str, who: str, by_place: Said
) -> list[Event]:
    annotated = state.dialogues.get(dialogue_id)
    work = annotated.work.get(who) if annotated else None
    before = (
        {}
        if work is None
        else {key: judgement for key, judgement in work.judged.items() if key.scheme == scheme}
    )
    events: list[Event] = [
        LabelsGiven(
            dialogue_id=dialogue_id,
            annotator_id=who,
            scheme=scheme,
            turn_index=place.turn_index,
            labels=by_place.get(place, []),
            origin="file",
        )
        for place in dict.fromkeys((*by_place, *before))
        if place not in before or choice(before[place].labels) != choice(by_place.get(place, []))
    ]
    if events or work is None or work.finished_at is None or scheme not in work.schemes:
        events.append(
            DialogueAnnotated(dialogue_id=dialogue_id, annotator_id=who, schemes=[scheme], origin="file")
        )
    return events


def _decisions(state: AnnotationState, dialogue_id: str, scheme: str, by_place: Said, by: str) -> list[Event]:
    annotated = state.dialogues.get(dialogue_id)
    undecided = {
        place for place, labels in by_place.items() if any(label.label == UNDECIDED for label in labels)
    }
    by_place = {place: labels for place, labels in by_place.items() if place not in undecided}
    if annotated is None:
        return _decided(dialogue_id, scheme, by_place, by)
    open_ = {
        place: labels
        for place, labels in by_place.items()
        if choice(labels) not in _standing(annotated.choices(place).values())
        and (
            place not in annotated.adjudicated
            or choice(annotated.adjudicated[place].labels) != choice(labels)
        )
    }
    for place in annotated.disagreements(scheme):
        decided = annotated.adjudicated.get(place)
        if place in undecided:
            continue
        if place not in by_place and (decided is None or decided.labels):
            open_[place] = []
        elif place in by_place and decided is None:
            open_[place] = by_place[place]
    return _decided(dialogue_id, scheme, open_, by)


def _standing(choices: Iterable[frozenset[tuple[str, str | None]]]) -> set[frozenset[tuple[str, str | None]]]:
    """Unanimous label, which needs no decision."""
    common = set(choices)
    return common if len(common) == 1 else set()


def _decided(dialogue_id: str, scheme: str, by_place: Said, by: str) -> list[Event]:
    return [
        LabelsAdjudicated(
            dialogue_id=dialogue_id, scheme=scheme, turn_index=place.turn_index, labels=labels, by=by
        )
        for place, labels in by_place.items()
    ]
