"""How participants met the systems, which analysis that asks for, and why, in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from vivavoce.core.i18n import N_
from vivavoce.core.statement import Counted, Numeral, Statement, statement
from vivavoce.stats.clusters import FEW
from vivavoce.stats.difference import MANY

ROBUST: Final = N_(
    "Dialogues of one person are alike, so people are counted, not dialogues: errors are robust, and t "
    "weighs participants by what they contribute (degrees of freedom after Satterthwaite)."
)
WITHIN: Final = N_(
    "Dialogues of one person are alike, so people are counted, not dialogues: what both systems gave a "
    "person is swapped, who met one alone changes sides as a whole, and p and interval say how often that "
    "alone parts the systems as far."
)
BETWEEN: Final = N_(
    "Dialogues of one person are alike, so people are counted, not dialogues: whole people change sides, and "
    "p and interval say how often that alone parts the systems as far."
)
ALONE: Final = N_(
    "Dialogues of one person are alike, and one person says nothing of others: no interval is given, and "
    "nothing is tested."
)
TIES: Final = N_("Relabellings as far apart as what was seen count half (mid-p).")
HELD_ALONE: Final = N_("{people} held {n} (median {m}, most {k}).")
HELD_APART: Final = N_("{people} held {n} (median {m}, most {k}), each in one group only.")
HELD_BY_BOTH: Final = N_(
    "{people} held {n} (median {m}, most {k}), and {both} of them in more than one "
    "group, so that they serve as their own control."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The analysis that a design asks for.

    name  permutation, cluster_robust_t (more than 400 participants), or independent (no participant is known)
    why   in sentences, for a reader
    """

    name: str
    why: Statement


def choose_model(participants: Sequence[Sequence[str | None]]) -> Model:
    """Choose by how dialogues are nested.

    Input   the participant of each dialogue, group by group; None where unknown
    """
    known = [[person for person in group if person is not None] for group in participants]
    sizes = Counter(person for group in known for person in group)
    people = len(sizes)
    if not any(participants):
        return Model(name="independent", why=statement("There is no dialogue to analyse."))
    if not people:
        return Model(
            name="independent",
            why=statement("No participant is known, so dialogues are taken as independent.")
            + statement("Where people called more than once the intervals are too narrow."),
        )
    met = Counter(person for group in known for person in set(group))
    both = sum(times > 1 for times in met.values())
    nested = _nested(list(sizes.values()), both, sum(bool(group) for group in known))
    if people == 1:
        return Model(name="permutation", why=nested + statement(ALONE))
    if people > MANY:
        return Model(name="cluster_robust_t", why=nested + statement(ROBUST))
    if sum(bool(group) for group in participants) < 2:  # nothing is compared
        return Model(name="permutation", why=nested + statement(ROBUST))
    few = statement("So few people (under {few}) show large differences only.", few=FEW)
    why = nested + statement(WITHIN if both else BETWEEN)
    return Model(name="permutation", why=why + (few if people < FEW else statement(TIES)))


def _nested(sizes: list[int], both: int, groups: int) -> Statement:
    held = HELD_ALONE if groups < 2 else HELD_APART if both == 0 else HELD_BY_BOTH
    facts = {
        "people": Counted(len(sizes), "participant"), "n": Counted(sum(sizes), "dialogue"),
        "m": Numeral(median(sizes), "g"), "k": max(sizes),
    }  # fmt: skip
    return statement(held, **facts, **({"both": both} if held is HELD_BY_BOTH else {}))
