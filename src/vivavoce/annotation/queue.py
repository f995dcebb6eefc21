"""Assignment of dialogues to annotators: planned overlap, balanced over systems and pairs of people."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import floor
from typing import NamedTuple

from vivavoce.log.annotation_state import AnnotationState

TWICE = 2


class Waiting(NamedTuple):
    """A dialogue that may be annotated; its system is known here, never on the page.

    certainty  of a program that drafted its annotation, 0 to 1; 0 where none did
    """

    dialogue_id: str
    system: str
    certainty: float = 0.0


def chance_of(seed: int, *names: str) -> float:
    """A number from 0 to 1 that depends on the seed and the names alone."""
    digest = hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def doubled(waiting: Sequence[Waiting], share: float, seed: int) -> set[str]:
    """The dialogues that two annotate: of every system's first n dialogues `share` of n, to within one.

    Input   waiting in the order in which the dialogues were held; more may follow and change nothing
    """
    chosen: set[str] = set()
    counts: Counter[str] = Counter()
    for dialogue in waiting:
        place = counts[dialogue.system] + chance_of(seed, dialogue.system)
        counts[dialogue.system] += 1
        if floor((place + 1) * share) > floor(place * share) or share >= 1:
            chosen.add(dialogue.dialogue_id)
    return chosen


def choose(
    waiting: Sequence[Waiting], state: AnnotationState, annotator_id: str, *, share: float, seed: int
) -> tuple[str, bool] | None:
    """The next dialogue for an annotator, and whether two annotate it; None when nothing is left for them.

    Input   share of dialogues that two annotate
    Note    a dialogue that another has begun comes before one that nobody has, and of those the one whose
            annotator he has met least; then the system of which he has seen least; then the least certain;
            then by lot
    """
    twice = doubled(waiting, share, seed)
    open_: list[Waiting] = [
        dialogue
        for dialogue in waiting
        if _wanted(state, dialogue.dialogue_id, annotator_id, dialogue.dialogue_id in twice)
    ]
    if not open_:
        return None
    of_kind = _of_kind(open_, state, annotator_id, twice, share)
    systems = {dialogue.dialogue_id: dialogue.system for dialogue in waiting}
    seen = Counter(systems[key] for key in state.of_annotator(annotator_id) if key in systems)
    met = partners(state, annotator_id)

    def order(dialogue: Waiting) -> tuple[bool, int, int, float, float]:
        other_annotators = _others(state, dialogue.dialogue_id, annotator_id)
        meeting = min((met[who] for who in other_annotators), default=0)
        lot = chance_of(seed, annotator_id, dialogue.dialogue_id)
        return not other_annotators, meeting, seen[dialogue.system], dialogue.certainty, lot

    chosen = min(of_kind, key=order)
    return chosen.dialogue_id, chosen.dialogue_id in twice


def _of_kind(
    open_: Sequence[Waiting], state: AnnotationState, annotator_id: str, twice: set[str], share: float
) -> Sequence[Waiting]:
    """Those for two, or those for one: whichever keeps this annotator's part of both as planned."""
    mine = state.of_annotator(annotator_id)
    doubled_count = sum(key in twice for key in mine)
    planned = 2 * share / (1 + share)  # of all assignments, those that belong to a dialogue for two
    wants_two = doubled_count < planned * (len(mine) + 1)
    kind = [dialogue for dialogue in open_ if (dialogue.dialogue_id in twice) == wants_two]
    return kind or open_


def partners(state: AnnotationState, annotator_id: str) -> Mapping[str, int]:
    """With how many dialogues this annotator has met each other one."""
    return Counter(
        who for key in state.of_annotator(annotator_id) for who in _others(state, key, annotator_id)
    )


def _wanted(state: AnnotationState, dialogue_id: str, annotator_id: str, twice: bool) -> bool:
    annotated = state.dialogues.get(dialogue_id)
    if annotated is None:
        return True
    return annotator_id not in annotated.work and len(annotated.work) < (TWICE if twice else 1)


def _others(state: AnnotationState, dialogue_id: str, annotator_id: str) -> Iterable[str]:
    annotated = state.dialogues.get(dialogue_id)
    return [who for who in annotated.work if who != annotator_id] if annotated else []
