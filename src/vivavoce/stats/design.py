"""How participants met the systems, which analysis that asks for, and why, in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from vivavoce.stats.clusters import FEW
from vivavoce.stats.difference import MANY


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The analysis that a design asks for.

    name  permutation, cluster_robust_t (more than 400 participants), or independent (no participant is known)
    why   two sentences for a reader
    """

    name: str
    why: str


def choose_model(participants: Sequence[Sequence[str | None]]) -> Model:
    """Choose by how dialogues are nested.

    Input   the participant of each dialogue, group by group; None where unknown
    """
    known = [[person for person in group if person is not None] for group in participants]
    sizes = Counter(person for group in known for person in group)
    people = len(sizes)
    if not any(participants):
        return Model(name="independent", why="There is no dialogue to analyse.")
    if not people:
        return Model(
            name="independent",
            why="No participant is known, so dialogues are taken as independent. Where people called more "
            "than once the intervals are too narrow.",
        )
    met = Counter(person for group in known for person in set(group))
    both = sum(times > 1 for times in met.values())
    nested = _nested(list(sizes.values()), both, sum(bool(group) for group in known))
    alike = "Dialogues of one person are alike, so people are counted, not dialogues"
    if people > MANY:
        return Model(
            name="cluster_robust_t",
            why=f"{nested} {alike}: errors are robust, and t weighs participants by what they contribute "
            "(degrees of freedom after Satterthwaite).",
        )
    how = "what both systems gave a person is swapped" if both else "whole people change sides"
    few = f" So few people (under {FEW}) show large differences only." if people < FEW else ""
    return Model(
        name="permutation",
        why=f"{nested} {alike}: {how}, and p and interval say how often that alone parts the systems as far."
        f"{few}",
    )


def _nested(sizes: list[int], both: int, groups: int) -> str:
    dialogues = (
        f"{len(sizes)} participants held {sum(sizes)} dialogues (median {median(sizes):g}, most {max(sizes)})"
    )
    if groups < 2:
        return f"{dialogues}."
    if both == 0:
        return f"{dialogues}, each in one group only."
    return f"{dialogues}, and {both} of them in more than one group, so that they serve as their own control."
