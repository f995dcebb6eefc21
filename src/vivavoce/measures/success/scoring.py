"""Offers and facts by a system over some turns, and whether they serve a goal."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from vivavoce.core.text import normalise_value
from vivavoce.dataset.vocabulary import NAME
from vivavoce.measures.success.model import Goal, ScoredAct, ScoredTurn, ScoredVenue, Venues

OfferRule = Literal["last", "any"]
OFFER_RULES: Final[tuple[OfferRule, ...]] = ("last", "any")


class Told(NamedTuple):
    """A value that the system gave for the venue then current."""

    venue: str
    slot: str
    value: str


class Record:
    """Offers of the system, in order, and the facts that it gave of each; grows turn by turn.

    A value told without naming a venue is credited to the one current: the first of the same turn, else the
    last of the turns before. Without a current venue it is ignored and counted in `orphans`.
    """

    def __init__(self) -> None:
        self.offers: list[str] = []
        self.told: list[Told] = []
        self.orphans = 0
        self.current: str | None = None

    def add(self, acts: Iterable[ScoredAct]) -> None:
        """Take in the acts of one system turn."""
        venue_name, facts = _facts_of(tuple(acts))
        if venue_name is not None:
            self.current = venue_name
        for name, slot, value in facts:
            if name is not None:
                self.current = name
                self.offers.append(name)
            elif self.current is None:
                self.orphans += 1
            else:
                self.told.append(Told(self.current, slot, value))

    def carry(self, before: "Record") -> None:
        """Start with the venue that was current in another record, and the facts given of it there."""
        if before.current is not None:
            self.current = before.current
            self.offers.append(before.current)
            self.told.extend(fact for fact in before.told if fact.venue == before.current)

    def informed(self, venue: ScoredVenue, *, verify_values: bool = True) -> set[str]:
        """Slots of this venue that the system gave; a value that is not the venue's is not information."""
        return {
            fact.slot
            for fact in self.told
            if fact.venue == venue.name and (not verify_values or venue.has(fact.slot, fact.value))
        } | {NAME}


@lru_cache(maxsize=50_000)
def _facts_of(acts: tuple[ScoredAct, ...]) -> tuple[str | None, tuple[tuple[str | None, str, str], ...]]:
    """The first venue that acts name; in their order each venue, or slot and value of one told."""
    facts = tuple(
        (offered_name(act), act.slot, act.value)
        for act in acts
        if act.act in ("inform", "offer") and act.slot and act.value
    )
    return next((name for name, _, _ in facts if name is not None), None), facts


def record(turns: Iterable[ScoredTurn]) -> Record:
    """The record of whole turns; user turns say nothing here."""
    answer_record = Record()
    for turn in turns:
        if turn.party == "system":
            answer_record.add(turn.acts)
    return answer_record


def offered_name(act: ScoredAct) -> str | None:
    """The venue that an act offers, normalised."""
    if act.act in ("offer", "inform") and act.slot == NAME and act.value:
        return normalise_value(act.value)
    return None


def serves(
    goal: Goal,
    answer_record: Record,
    venues: Venues,
    *,
    offer_rule: OfferRule = "last",
    verify_values: bool = True,
) -> bool:
    """True if the system offered a venue that meets the goal and gave all requested facts of it.

    `last`: the venue offered last must be that one; `any`: one of those offered. A venue that the user turned
    down counts only where no other meets the constraints.
    Source  Jurčíček et al. 2011, section 4
    """
    fitting = venues.matching(goal)
    fresh = tuple(venue for venue in fitting if venue.name not in goal.excluded)
    names = answer_record.offers[-1:] if offer_rule == "last" else answer_record.offers
    candidates = [venue for venue in fresh or fitting if venue.name in names]
    requested = set(goal.requests)
    return any(
        requested <= answer_record.informed(venue, verify_values=verify_values) for venue in candidates
    )
