"""Reasons why a goal counts as served or not: the deciding offer, its faults, and the turn of each fact."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vivavoce.measures.success.model import Goal, ScoredTurn, ScoredVenue, Venues
from vivavoce.measures.success.scoring import Record, offered_name


@dataclass(frozen=True, slots=True)
class Explanation:
    """Evidence on one goal, by the rule that the venue offered last counts.

    offer, offer_turn  name and turn of the last offer; None: nothing was offered
    known              the domain has a venue of that name
    unmet              constraints that the venue does not meet, slot and wanted value
    told               the first turn in which each requested slot was told rightly
    missing            requested slots that were not told, or wrongly
    none_turn          the last turn that said that there is nothing; None: none did
    """

    offer: str | None
    offer_turn: int | None
    known: bool
    unmet: tuple[tuple[str, str], ...]
    told: Mapping[str, int]
    missing: tuple[str, ...]
    none_turn: int | None


def explain(
    goal: Goal, turns: Iterable[ScoredTurn], venues: Venues, last_turn: int | None = None
) -> Explanation:
    """Explain what the system did about a goal, up to a turn.

    Input   turns of one dialogue in order; last_turn: where the goal's span ends, None with the dialogue
    Note    it explains `serves` with the rule `last` and values verified, and decides nothing by itself
    """
    answer_record, offer_turn, none_turn = Record(), None, None
    facts: list[tuple[int, int, int]] = []
    for turn in venues.as_named_here(turns):
        if turn.party != "system" or (last_turn is not None and turn.index > last_turn):
            continue
        before = len(answer_record.told)
        answer_record.add(turn.acts)
        facts.append((turn.index, before, len(answer_record.told)))
        if any(offered_name(act) is not None for act in turn.acts):
            offer_turn = turn.index
        if any(act.act == "canthelp" for act in turn.acts):
            none_turn = turn.index
    name = answer_record.offers[-1] if answer_record.offers else None
    candidates = venues.named(name) if name is not None else ()
    venue = next(
        (candidate for candidate in candidates if venues.meets(candidate, goal)),
        candidates[0] if candidates else None,
    )
    turn_of_slot = _told(answer_record, facts, venue)
    requested = [slot for slot in goal.requests if slot != "name"]
    return Explanation(
        name,
        offer_turn,
        venue is not None,
        ()
        if venue is None
        else tuple(pair for pair in goal.constraints.items() if not venues.meets(venue, Goal(dict([pair])))),
        {slot: turn_of_slot[slot] for slot in requested if slot in turn_of_slot},
        tuple(slot for slot in requested if slot not in turn_of_slot),
        none_turn,
    )


def _told(
    answer_record: Record, facts: list[tuple[int, int, int]], venue: ScoredVenue | None
) -> dict[str, int]:
    turn_of_slot: dict[str, int] = {}
    for index, begin, end in facts if venue is not None else ():
        for fact in answer_record.told[begin:end]:
            if venue is not None and fact.venue == venue.name and venue.has(fact.slot, fact.value):
                turn_of_slot.setdefault(fact.slot, index)
    return turn_of_slot
