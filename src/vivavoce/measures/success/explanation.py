"""Why a goal counts as served or not: the offer that decided, what it lacks, and where each fact was told."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vivavoce.measures.success.model import Goal, ScoredTurn, ScoredVenue, Venues
from vivavoce.measures.success.scoring import Record, offered_name


@dataclass(frozen=True, slots=True)
class Explanation:
    """What decided about one goal, by the rule that the venue offered last counts.

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
    """What the system did about a goal, up to a turn.

    Input   turns of one dialogue in order; last_turn: where the goal's span ends, None with the dialogue
    Note    it explains `serves` with the rule `last` and values verified, and decides nothing by itself
    """
    made, offer_turn, none_turn = Record(), None, None
    facts: list[tuple[int, int, int]] = []
    for turn in venues.as_named_here(turns):
        if turn.party != "system" or (last_turn is not None and turn.index > last_turn):
            continue
        before = len(made.told)
        made.add(turn.acts)
        facts.append((turn.index, before, len(made.told)))
        if any(offered_name(act) is not None for act in turn.acts):
            offer_turn = turn.index
        if any(act.act == "canthelp" for act in turn.acts):
            none_turn = turn.index
    name = made.offers[-1] if made.offers else None
    named = venues.named(name) if name is not None else ()
    venue = next((one for one in named if venues.meets(one, goal)), named[0] if named else None)
    told = _told(made, facts, venue)
    wanted = [slot for slot in goal.requests if slot != "name"]
    return Explanation(
        name,
        offer_turn,
        venue is not None,
        ()
        if venue is None
        else tuple(pair for pair in goal.constraints.items() if not venues.meets(venue, Goal(dict([pair])))),
        {slot: told[slot] for slot in wanted if slot in told},
        tuple(slot for slot in wanted if slot not in told),
        none_turn,
    )


def _told(made: Record, facts: list[tuple[int, int, int]], venue: ScoredVenue | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for index, begin, end in facts if venue is not None else ():
        for one in made.told[begin:end]:
            if venue is not None and one.venue == venue.name and venue.has(one.slot, one.value):
                found.setdefault(one.slot, index)
    return found
