"""What to do next, given what is believed."""

from dataclasses import dataclass, field
from typing import Final

from vivavoce_bots.acts import DONTCARE, Act, stating
from vivavoce_bots.restaurant.belief import ACCEPTED, Belief
from vivavoce_bots.restaurant.domain import NAME, TYPE, Domain, Venue

_HEARD: Final = 0.35
_ENDING: Final = 0.6
_ASKED_AT_MOST: Final = 2
_FEW: Final = 2


@dataclass
class Progress:
    """Where the conversation stands: the venue in focus, those turned down, what was asked how often."""

    venue: str | None = None
    offered_for: dict[str, str] = field(default_factory=dict)
    turned_down: list[str] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)
    asking: str | None = None
    confirming: tuple[str, str] | None = None
    confirmed: dict[tuple[str, str], int] = field(default_factory=dict)
    open_requests: list[str] = field(default_factory=list)
    last: tuple[Act, ...] = ()

    def tired(self) -> set[tuple[str, str]]:
        """What was put to the user for confirmation often enough."""
        return {pair for pair, times in self.confirmed.items() if times >= _ASKED_AT_MOST}


def decide(domain: Domain, belief: Belief, progress: Progress) -> tuple[Act, ...]:
    """The acts of the next system turn. `progress` is brought up to date."""
    progress.asking, progress.confirming = None, None
    acts = _acts(domain, belief, progress)
    if not any(act.act == "repeat" for act in acts):
        progress.last = acts
    return acts


def _acts(domain: Domain, belief: Belief, progress: Progress) -> tuple[Act, ...]:
    did = belief.did
    if did.get("bye", 0.0) >= _ENDING:
        return (Act("bye"),)
    if did.get("repeat", 0.0) >= ACCEPTED and progress.last:
        return _again(progress)
    asked_now = [slot for slot, heard in belief.requests.items() if heard >= _HEARD]
    for slot in asked_now:
        del belief.requests[slot]
    progress.open_requests += [slot for slot in asked_now if slot not in progress.open_requests]
    constraints = _constraints(domain, belief)
    if constraints != progress.offered_for and progress.turned_down:
        progress.turned_down = []
    named = next((domain.venue(name) for name, heard in belief.named.items() if heard >= _HEARD), None)
    if named is not None:
        return _offer(named, constraints, progress)
    venue = domain.venue(progress.venue)
    if did.get("reqalts", 0.0) >= _HEARD and venue is not None:
        if venue.name not in progress.turned_down:
            progress.turned_down.append(venue.name)
        return _search(domain, belief, constraints, progress, must_offer=True)
    if venue is not None and venue.meets(constraints) and constraints == progress.offered_for:
        return _about(domain, venue, belief, constraints, progress)
    return _search(domain, belief, constraints, progress, must_offer=False)


def _again(progress: Progress) -> tuple[Act, ...]:
    """The last turn once more, with the question that it asked."""
    for act in progress.last:
        if act.act == "request":
            progress.asking = act.slot
        if act.act == "confirm" and act.slot and act.value:
            progress.confirming = (act.slot, act.value)
    return progress.last


def _constraints(domain: Domain, belief: Belief) -> dict[str, str]:
    """What is believed, without constraints that this kind of venue does not have."""
    accepted = belief.accepted()
    usable = _usable(domain, accepted)
    return {slot: value for slot, value in accepted.items() if slot in usable}


def _usable(domain: Domain, constraints: dict[str, str]) -> set[str]:
    return {TYPE, *domain.constraint_slots(constraints.get(TYPE))}


def _about(
    domain: Domain, venue: Venue, belief: Belief, constraints: dict[str, str], progress: Progress
) -> tuple[Act, ...]:
    """The user still speaks of the venue that was offered."""
    if progress.open_requests:
        return (stating("inform", NAME, venue.name), *_answers(venue, progress), Act("reqmore"))
    doubt = belief.doubtful(_usable(domain, constraints), progress.tired())
    if doubt is not None:
        return _confirm(doubt, progress)
    if any(belief.did.get(kind, 0.0) >= _HEARD for kind in ("thankyou", "affirm", "negate")):
        return (Act("reqmore"),)
    return (Act("repeat"),)


def _answers(venue: Venue, progress: Progress) -> list[Act]:
    """What was asked of the venue; what it does not have is said to be unknown."""
    asked, progress.open_requests = progress.open_requests, []
    return [
        stating("inform", slot, venue.slots[slot]) if slot in venue.slots else Act("null", slot)
        for slot in asked
    ]


def _search(
    domain: Domain, belief: Belief, constraints: dict[str, str], progress: Progress, *, must_offer: bool
) -> tuple[Act, ...]:
    refuted = {slot: belief.refuted(slot) for slot in belief.denied}
    found = [
        venue
        for venue in domain.matching(constraints, progress.turned_down)
        if not any(venue.slots.get(slot) in values for slot, values in refuted.items() if values)
    ]
    doubt = belief.doubtful(_usable(domain, constraints), progress.tired())
    if doubt is not None and not must_offer:
        return _confirm(doubt, progress)
    if not found:
        return _nothing(constraints, progress)
    missing = _missing(domain, constraints, progress)
    if missing is not None and not must_offer and len(found) > _FEW:
        progress.asking = missing
        progress.asked[missing] = progress.asked.get(missing, 0) + 1
        progress.offered_for = dict(constraints)
        lead = (Act("repeat"),) if belief.understood < _HEARD else ()
        return (*lead, Act("request", missing))
    return _offer(found[0], constraints, progress)


def _nothing(constraints: dict[str, str], progress: Progress) -> tuple[Act, ...]:
    """Say that nothing matches, or nothing but what was turned down; that stays in focus."""
    progress.venue = progress.turned_down[-1] if progress.turned_down else None
    progress.offered_for = dict(constraints)
    real = {slot: value for slot, value in constraints.items() if value != DONTCARE}
    unmet = [stating("canthelp", slot, value) for slot, value in real.items()]
    unmet += [stating("canthelp", NAME, name, "!=") for name in progress.turned_down]
    return tuple(unmet) or (Act("canthelp"),)


def _missing(domain: Domain, constraints: dict[str, str], progress: Progress) -> str | None:
    order = [TYPE, *domain.constraint_slots(constraints.get(TYPE))]
    return next(
        (slot for slot in order if slot not in constraints and progress.asked.get(slot, 0) < _ASKED_AT_MOST),
        None,
    )


def _confirm(doubt: tuple[str, str], progress: Progress) -> tuple[Act, ...]:
    progress.confirming = doubt
    progress.confirmed[doubt] = progress.confirmed.get(doubt, 0) + 1
    return (stating("confirm", *doubt),)


def _offer(venue: Venue, constraints: dict[str, str], progress: Progress) -> tuple[Act, ...]:
    """Offer a venue with what was asked for, so that a misunderstanding shows, and answer open requests."""
    progress.venue, progress.offered_for = venue.name, dict(constraints)
    said = [
        stating("inform", slot, venue.type if slot == TYPE else venue.slots[slot])
        for slot in constraints
        if slot == TYPE or slot in venue.slots
    ]
    return (stating("offer", NAME, venue.name), *said, *_answers(venue, progress))
