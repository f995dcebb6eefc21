"""What to do next, given what is believed."""

from dataclasses import dataclass, field
from typing import Final

from vivavoce_bots.acts import DONTCARE, Act, Meaning, stating
from vivavoce_bots.dialogue.belief import Belief
from vivavoce_bots.dialogue.conversation import HEARD, DialogueBot
from vivavoce_bots.dialogue.domain import NAME, TYPE, Venue
from vivavoce_bots.dialogue.evidence import Evidence
from vivavoce_bots.dialogue.opening import DAY, HOURS, TIME
from vivavoce_bots.dialogue.state import State
from vivavoce_bots.dialogue.values import PRICE

_ASKED_AT_MOST: Final = 2
_FEW: Final = 2


@dataclass
class Progress(State):
    """Where the conversation stands: what is believed, offered, asked how often."""

    belief: Belief = field(default_factory=Belief)
    offered_for: dict[str, str] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    confirmed: dict[tuple[str, str], int] = field(default_factory=dict)

    def tired(self) -> set[tuple[str, str]]:
        """What was put to the user for confirmation often enough."""
        return {pair for pair, times in self.confirmed.items() if times >= _ASKED_AT_MOST}


class Policy(DialogueBot[Progress]):
    """Asks for what it misses, confirms what it doubts, offers what matches, answers what is asked of it."""

    def fresh(self) -> Progress:
        return Progress()

    def known(self, state: Progress) -> dict[str, str]:
        return state.belief.accepted()

    def skip(self, state: Progress, slot: str) -> None:
        state.asked[slot] = _ASKED_AT_MOST

    def decide(self, state: Progress, heard: Evidence) -> tuple[Act, ...]:
        belief, did = state.belief, heard.did
        self._adapt(state, heard)
        self.drop(state, heard)
        asked_now = [slot for slot, sure in belief.requests.items() if sure >= HEARD]
        for slot in asked_now:
            del belief.requests[slot]
        state.requests += [slot for slot in asked_now if slot not in state.requests]
        constraints = self._constraints(belief)
        if constraints != state.offered_for:
            state.turned_down, state.declined = [*state.unwanted], []
        named = next((self._domain.venue(name) for name, sure in heard.named.items() if sure >= HEARD), None)
        named = None if named and named.name == state.venue and self.elsewhere(named, heard) else named
        if did["negate"] >= HEARD and named is not None:
            heard.queried.clear()  # the south? No, the Anchor will do
        asks = state.requests or heard.queried or did["negate"] + did["affirm"] >= HEARD
        if named is not None and named.name == state.venue and asks and NAME not in state.requests:
            state.offered_for = dict(constraints)
            return self._about(constraints, state, heard)  # what was told of it is not told again
        if named is not None and not (named.name == state.venue and did["reqalts"] >= HEARD):
            if constraints.get(TYPE, named.type) != named.type:  # of this kind are the next ones
                state.belief.update([Meaning((stating("inform", TYPE, named.type),), 1.0)])
                constraints = self._constraints(state.belief)
            return self._offer(named, constraints, state)
        venue = self._domain.venue(state.venue)
        doubt = belief.doubtful(self._usable(constraints), state.tired())
        refused = did["negate"] >= HEARD and doubt is None and self._only_offered(state, heard)
        turned_down = did["reqalts"] >= HEARD or refused or state.venue in heard.unwanted
        if state.proposed and (turned_down or did["negate"] >= HEARD) and heard.informed < HEARD:
            return self.refuse(state, constraints, self._refuted(belief))
        if venue is not None and turned_down:
            state.turned_down += [venue.name] if venue.name not in state.turned_down else []
            return self._search(constraints, state, heard, must_offer=True)
        if doubt is None and venue is None and constraints == state.offered_for and state.stuck:
            return self._argue(constraints, state, heard)
        kept = venue is not None and venue.misses(self._refuted(belief))
        if kept and constraints == state.offered_for:
            return self._about(constraints, state, heard)
        accepted = bool(state.proposed) and did["affirm"] >= HEARD
        anything = state.stuck and any(DONTCARE in one for one in heard.stated.values())
        dear = {PRICE: self._refuted(belief).get(PRICE, set())}
        spurned = venue is not None and not venue.misses(dear)
        must_offer = accepted or anything or spurned or did["suggest"] >= HEARD
        return self._search(constraints, state, heard, must_offer=must_offer)

    def _adapt(self, state: Progress, heard: Evidence) -> None:
        """Take in what is meant: the next price that there is, the day on which another shall be open."""
        constraints, refuted = self._constraints(state.belief), self._refuted(state.belief)
        pairs = [(slot, value) for slot, values in heard.stated.items() for value in values]
        meant = [self.stepped(heard, pair, constraints, refuted) for pair in pairs]
        meant = [pair for pair in meant if pair not in pairs] + self.wanted_open(state, heard)
        if meant:
            state.belief.update([Meaning(tuple(stating("inform", *pair) for pair in meant), 1.0)])

    def _only_offered(self, state: Progress, heard: Evidence) -> bool:
        """The last turn was an offer alone, and the answer says nothing more than no."""
        return bool(state.last) and state.last[0].act == "offer" and not heard.content

    def _fits(self, venue: Venue, constraints: dict[str, str], belief: Belief) -> bool:
        return venue.meets(constraints) and venue.misses(self._refuted(belief))

    def _refuted(self, belief: Belief) -> dict[str, set[str]]:
        return {slot: found for slot in belief.denied if (found := belief.refuted(slot))}

    def _constraints(self, belief: Belief) -> dict[str, str]:
        """What is believed, without constraints that this kind of venue does not have."""
        accepted = belief.accepted()
        usable = self._usable(accepted)
        return {slot: value for slot, value in accepted.items() if slot in usable}

    def _usable(self, constraints: dict[str, str]) -> set[str]:
        return {TYPE, *self._domain.constraint_slots(constraints.get(TYPE))}

    def _argue(self, constraints: dict[str, str], state: Progress, heard: Evidence) -> tuple[Act, ...]:
        """Nothing matched, something else was proposed, and nothing new was said about the goal."""
        refuted = self._refuted(state.belief)
        if heard.answered >= HEARD and heard.informed < HEARD:
            return self.refuse(state, constraints, refuted)
        if heard.did["negate"] >= HEARD and state.proposed:
            state.declined.append(tuple(state.proposed))  # no, Italian, I said
        proposals = self.propose(state, constraints, refuted)
        if heard.understood < HEARD:
            return (Act("repeat"), *proposals)
        return self._nothing(constraints, state)

    def _about(self, constraints: dict[str, str], state: Progress, heard: Evidence) -> tuple[Act, ...]:
        """The user still speaks of the venue that was offered."""
        queries = [pair for pair, sure in heard.queried.items() if sure >= HEARD]
        if NAME in state.requests:
            state.requests.remove(NAME)
            return self._offer(self._domain.venue(state.venue), constraints, state)
        if state.requests or queries:
            asked, state.requests = state.requests, []
            answers = self.answers(state, asked, queries)
            return (stating("inform", NAME, state.venue or ""), *answers, Act("reqmore"))
        doubt = state.belief.doubtful(self._usable(constraints), state.tired())
        if doubt is not None:
            return self._confirm(doubt, state)
        if heard.informed >= HEARD:
            return self._offer(self._domain.venue(state.venue), constraints, state)  # the Italian one
        if heard.did["suggest"] >= HEARD or heard.content >= HEARD or heard.answered >= HEARD:
            return (Act("reqmore"),)
        return (Act("repeat"),)

    def _search(
        self, constraints: dict[str, str], state: Progress, heard: Evidence, *, must_offer: bool
    ) -> tuple[Act, ...]:
        belief = state.belief
        refuted = self._refuted(belief)
        found = [
            venue for venue in self._domain.matching(constraints, state.turned_down) if venue.misses(refuted)
        ]
        doubt = belief.doubtful(self._usable(constraints), state.tired())
        if doubt is not None and not must_offer:
            return self._confirm(doubt, state)
        if not found:
            return self._nothing(constraints, state)
        missing = self._missing(constraints, state)
        if missing is not None and not must_offer and len(found) > _FEW:
            state.asked[missing] = state.asked.get(missing, 0) + 1
            state.offered_for = dict(constraints)
            if venue := self._domain.venue(state.venue):
                state.venue = venue.name if self._fits(venue, constraints, belief) else None
            lead = (Act("repeat"),) if heard.understood < HEARD else ()
            return (*lead, Act("request", missing))
        return self._offer(found[0], constraints, state)

    def _nothing(self, constraints: dict[str, str], state: Progress) -> tuple[Act, ...]:
        """Say that nothing matches, or nothing but what was turned down; that stays in focus."""
        state.venue = state.turned_down[-1] if state.turned_down else None
        state.offered_for = dict(constraints)
        usable = self._usable(constraints)
        refuted = {slot: ones for slot, ones in self._refuted(state.belief).items() if slot in usable}
        return self.unmet(state, constraints, refuted)

    def _missing(self, constraints: dict[str, str], state: Progress) -> str | None:
        kind = self._domain.implied_type(constraints)
        order = [slot for slot in (TYPE, *self._domain.constraint_slots(kind)) if slot not in (DAY, TIME)]
        narrowed = [slot for slot, ones in self._refuted(state.belief).items() if self.narrow(slot, ones)]
        known = {*constraints, *narrowed, *([TYPE] if kind else [])}
        return next(
            (slot for slot in order if slot not in known and state.asked.get(slot, 0) < _ASKED_AT_MOST), None
        )

    def _confirm(self, doubt: tuple[str, str], state: Progress) -> tuple[Act, ...]:
        state.confirmed[doubt] = state.confirmed.get(doubt, 0) + 1
        return (stating("confirm", *doubt),)

    def _offer(self, venue: Venue | None, constraints: dict[str, str], state: Progress) -> tuple[Act, ...]:
        """Offer a venue with what was asked for, so that a misunderstanding shows, and answer requests."""
        if venue is None:
            return ()
        state.venue, state.offered_for = venue.name, dict(constraints)
        opens = venue.meets({slot: value for slot, value in constraints.items() if slot in (DAY, TIME)})
        slots = dict.fromkeys([TYPE, *constraints, *self._refuted(state.belief)])
        told = {slot: constraints.get(slot) if slot in (DAY, TIME) else venue.value(slot) for slot in slots}
        said = [
            stating("inform", slot, value)
            for slot, value in told.items()
            if value is not None and (slot not in (DAY, TIME) or (value != DONTCARE and opens))
        ]
        said += [] if opens else [stating("inform", HOURS, venue.value(HOURS) or "")]
        asked, state.requests = state.requests, []
        return (stating("offer", NAME, venue.name), *said, *self.answers(state, asked))
