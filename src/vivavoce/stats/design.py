"""The design (how participants met the systems), the analysis that it requires, and the reason."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from vivavoce.core.i18n import N_
from vivavoce.core.statement import FormattedNumber, LocalizedText, PluralCount, statement
from vivavoce.stats.clusters import FEW
from vivavoce.stats.difference import MANY

ROBUST: Final = N_(
    "Intervals and p values come from cluster-robust t tests by participant, with Satterthwaite degrees of "
    "freedom."
)
WITHIN: Final = N_(
    "Intervals and p values come from a permutation test clustered by participant. It swaps the systems "
    "within participants who used both; other participants switch groups as a whole."
)
BETWEEN: Final = N_(
    "Intervals and p values come from a permutation test clustered by participant: participants switch "
    "groups as a whole."
)
ALONE: Final = N_("There is only one participant, so no intervals or tests are possible.")
TIES: Final = N_("Ties with the observed difference count half (mid-p).")
HELD_ALONE: Final = N_("{people} held {n} (median {m}, maximum {k}).")
HELD_APART: Final = N_("{people} held {n} (median {m}, maximum {k}), each in one group only.")
HELD_BY_BOTH: Final = N_(
    "{people} held {n} (median {m}, maximum {k}). Participants in more than one group (own controls): {both}."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The analysis that a design asks for.

    name  permutation, cluster_robust_t (more than 400 participants), or independent (no participant is known)
    why   in sentences, for a reader
    """

    name: str
    why: LocalizedText


def choose_model(participants: Sequence[Sequence[str | None]]) -> Model:
    """Choose by how dialogues are nested.

    Input   the participant of each dialogue, group by group; None where unknown
    """
    identified = [[person for person in group if person is not None] for group in participants]
    sizes = Counter(person for group in identified for person in group)
    people = len(sizes)
    if not any(participants):
        return Model(name="independent", why=statement("There are no dialogues to analyse."))
    if not people:
        return Model(
            name="independent",
            why=statement("Participants are unknown, so dialogues are treated as independent.")
            + statement("If people took part more than once, the intervals are too narrow."),
        )
    met = Counter(person for group in identified for person in set(group))
    n_both = sum(times > 1 for times in met.values())
    nested = _nested(list(sizes.values()), n_both, sum(bool(group) for group in identified))
    if people == 1:
        return Model(name="permutation", why=nested + statement(ALONE))
    if people > MANY:
        return Model(name="cluster_robust_t", why=nested + statement(ROBUST))
    if sum(bool(group) for group in participants) < 2:  # nothing is compared
        return Model(name="permutation", why=nested + statement(ROBUST))
    few = statement("With fewer than {few} participants, only large differences can be detected.", few=FEW)
    why = nested + statement(WITHIN if n_both else BETWEEN)
    return Model(name="permutation", why=why + (few if people < FEW else statement(TIES)))


def _nested(sizes: list[int], n_both: int, groups: int) -> LocalizedText:
    sentence = HELD_ALONE if groups < 2 else HELD_APART if n_both == 0 else HELD_BY_BOTH
    facts = {
        "people": PluralCount(len(sizes), "participant"),
        "n": PluralCount(sum(sizes), "dialogue"),
        "m": FormattedNumber(median(sizes), "g"),
        "k": max(sizes),
    }
    return statement(sentence, **facts, **({"both": n_both} if sentence is HELD_BY_BOTH else {}))
