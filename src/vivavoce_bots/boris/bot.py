"""Asks for one constraint after the other, and makes sure of each in the manner that it was told.

The manner is that of system-directed information by telephone: the caller answers, the system leads. Its
slots are those of the domain and, where that tells when venues are open, day and time.

implicit  a value counts at once, and is said again with the next question; `no` takes it back
explicit  every value is asked back, and counts when it was confirmed
none      a value counts at once; a mistake shows in the offer
guided    behind any of these: every question tells what one can choose from

It believes the first hypothesis alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from vivavoce_bots.acts import DONTCARE, Act, stating
from vivavoce_bots.dialogue.conversation import HEARD, DialogueBot
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain, Venue
from vivavoce_bots.dialogue.evidence import Evidence
from vivavoce_bots.dialogue.opening import DAY, HOURS, TIME
from vivavoce_bots.dialogue.state import State

_TRIES: Final = 2
_NOON, _HOURS_NEAR = 12, 3
_ASKED_AT_MOST: Final = 3
_CONFIRMATIONS: Final = ("implicit", "explicit", "none")


@dataclass
class Lead(State):
    """What is confirmed, what waits for confirmation, what is not wanted."""

    confirmed: dict[str, str] = field(default_factory=dict)
    waiting: list[tuple[str, str]] = field(default_factory=list)
    refused: dict[str, set[str]] = field(default_factory=dict)
    tries: int = 0
    asked: dict[str, int] = field(default_factory=dict)
    echoed: list[tuple[str, str]] = field(default_factory=list)
    taken_back: str | None = None

    @property
    def settles(self) -> bool:
        return bool(self.confirming or self.echoed)

    def expect(self, acts: Sequence[Act]) -> None:
        super().expect(acts)
        told = [(act.slot or "", act.value or "") for act in acts if act.act == "inform"]
        self.echoed = told if self.asking else []


def _as_before(state: Lead, time: str) -> str:
    """A time in the morning, where one was spoken of and this is another hour near it: ten; at nine."""
    known = [value for slot, value in (*state.waiting, state.confirming or ("", "")) if slot == TIME]
    known += [state.confirmed[TIME]] if TIME in state.confirmed else []
    if not known or ":" not in time or ":" not in known[0]:
        return time
    before, hour = int(known[0][:2]), int(time[:2])
    near = before < _NOON <= hour and abs(hour - _NOON - before) <= _HOURS_NEAR
    return f"{hour - _NOON:02}{time[2:]}" if near else time


class BorisBot(DialogueBot[Lead]):
    """Finds a venue by leading the caller through its questions. `variant` is how it confirms and asks."""

    name: str = "boris"
    variants: ClassVar[tuple[str, ...]] = (*_CONFIRMATIONS, *(f"{one}-guided" for one in _CONFIRMATIONS))

    def __init__(self, domain: Domain, seed: int = 1, variant: str = _CONFIRMATIONS[0]) -> None:
        super().__init__(domain.with_day_and_time(), seed)
        self._confirmation, _, prompts = variant.partition("-")
        self._guided = prompts == "guided"

    def fresh(self) -> Lead:
        return Lead()

    def opening(self, state: Lead) -> tuple[Act, ...]:
        return self._prompted(self._next(state))

    def known(self, state: Lead) -> dict[str, str]:
        return state.confirmed

    def noted(self, state: Lead) -> dict[str, str]:
        return {
            **state.confirmed,
            **dict(state.waiting),
            **dict([state.confirming] if state.confirming else []),
        }

    def skip(self, state: Lead, slot: str) -> None:
        state.confirmed[slot] = DONTCARE

    def decide(self, state: Lead, heard: Evidence) -> tuple[Act, ...]:
        before = dict(state.confirmed)
        acts = self._prompted(self._decide(state, heard))
        if not acts or acts[-1].act != "request" or acts[0].act == "repeat":
            return acts
        stated = [(slot, value) for slot, values in heard.stated.items() for value in values]
        now = [
            pair
            for pair in state.confirmed.items()
            if pair in stated or (pair[0] == TIME and TIME in heard.stated)
        ]
        known = self._confirmation != "implicit"  # what was known already, or else what was not
        shown = [pair for pair in now if (pair in before.items()) == known]
        thrown = [(slot, value) for slot, values in heard.denied.items() for value in values]
        thrown = [pair for pair in thrown if pair[0] not in {*state.confirmed, TYPE} and not (known or shown)]
        without = [stating("inform", slot, value, "!=") for slot, value in thrown]
        return (*(stating("inform", *pair) for pair in shown), *without, *acts)

    def _prompted(self, acts: tuple[Act, ...]) -> tuple[Act, ...]:
        """A question that tells what there is to choose from, where it was told to; not twice."""
        if not self._guided or not acts or acts[-1].act != "request" or acts[-1].slot in (TYPE, TIME):
            return acts
        return (*acts[:-1], Act("help", acts[-1].slot), acts[-1])

    def _decide(self, state: Lead, heard: Evidence) -> tuple[Act, ...]:
        before = dict(state.confirmed)
        self._take(state, heard)
        if heard.understood < HEARD:
            return (Act("repeat"), *self._again(state))
        venue = self._domain.venue(state.venue)
        queries = [pair for pair, sure in heard.queried.items() if sure >= HEARD]
        named = [one for one, sure in heard.named.items() if sure >= HEARD and self._domain.venue(one)]
        if named[:1] == [state.venue] and self.elsewhere(venue, heard):
            named = []
        if named[:1] == [state.venue] and (state.requests or queries) and NAME not in state.requests:
            return self._about(state, heard, queries)  # what was told of it is not told again
        if named and not state.waiting and not (named[0] == state.venue and heard.did["reqalts"] >= HEARD):
            state.venue = named[0]
            venue = self._domain.venue(named[0])
            if venue and TYPE in state.confirmed:
                state.confirmed[TYPE] = venue.type  # of this kind are the next ones
            return self._offer(state, venue)
        if venue is not None and not state.waiting:
            return self._about(state, heard, queries)
        yes = heard.did["affirm"] >= HEARD and not state.proposed
        declined = yes or heard.did["negate"] >= HEARD or heard.did["reqalts"] >= HEARD
        restated = heard.informed >= HEARD and state.stuck and bool(state.proposed)
        if restated and heard.did["negate"] >= HEARD and state.confirmed == before:
            state.declined.append(tuple(state.proposed))  # no, Italian, I said
        elif state.stuck and not state.waiting and declined and state.confirmed == before:
            return self.refuse(state, self._limits(state), self._refused(state))
        return self._next(state)

    def _take(self, state: Lead, heard: Evidence) -> None:
        before = list(state.waiting)
        informed = [(slot, value) for slot, values in heard.stated.items() for value in values]
        informed += self.wanted_open(state, heard)
        if self._confirmation != "explicit":
            informed = list(dict(informed).items())  # Greek, no, Italian
        informed = [self.stepped(heard, one, self._limits(state), self._refused(state)) for one in informed]
        rest = {slot: value for slot, value in informed if slot != TYPE}
        kind = self._domain.implied_type(rest)
        if state.confirmed.get(TYPE, kind) == kind:  # else it takes the place of another kind
            informed = [one for one in informed if one != (TYPE, kind)]
        kind = dict(informed).get(TYPE) or state.confirmed.get(TYPE) or kind
        informed = [
            (one, self._hour(state, value, kind) if one == TIME else value) for one, value in informed
        ]
        wishes = [one for one in informed if one[1] != DONTCARE]
        if heard.did["suggest"] >= HEARD and not wishes and (state.asking or state.confirming):
            known = {*state.confirmed, TYPE}  # whatever there is, with what was said so far
            informed = [*state.waiting, *([state.confirming] if state.confirming else [])]
            state.waiting, known = [], {*known, *(slot for slot, _ in informed)}
            rest = [
                constraint_slot
                for constraint_slot in self._domain.constraint_slots(None)
                if constraint_slot not in known
            ]
            self._change(state, {**dict(informed), **dict.fromkeys(rest, DONTCARE)})
            state.confirming, informed = None, []
        for slot, values in heard.denied.items():
            state.refused.setdefault(slot, set()).update(values)
            self._take_back(state, [(slot, value) for value in values])
            state.waiting = [pair for pair in state.waiting if pair[0] != slot or pair[1] not in values]
        for slot, value in informed:
            state.refused.get(slot, set()).discard(value)
        if state.confirming is not None:
            self._settle(state, informed, heard)
        elif state.echoed and heard.did["negate"] >= HEARD:
            wrong = [] if informed else state.echoed  # no, the south: only that is another
            self._take_back(state, wrong)
            state.taken_back = wrong[0][0] if wrong else None
        elif state.proposed and heard.did["affirm"] >= HEARD and not informed:
            kind = self._domain.implied_type(state.confirmed)
            self._change(state, {**({TYPE: kind} if kind else {}), **state.proposed})
        if self._confirmation != "explicit":
            self._change(state, dict(informed))
        before += [(one.slot or "", one.value or "") for one in state.last if one.act == "select"]
        free = [pair for pair in informed if pair[1] == DONTCARE or pair in before]
        self._change(state, dict(free))  # what matters not, or was said twice, needs no confirmation
        state.waiting = [pair for pair in state.waiting if pair not in free]
        for pair in informed:
            if state.confirmed.get(pair[0]) != pair[1] and pair not in state.waiting:
                state.waiting = [one for one in state.waiting if one[0] != pair[0]] + [pair]
        asked = [slot for slot, sure in heard.asked.items() if sure >= HEARD and slot not in state.requests]
        state.requests += asked
        venue = self._domain.venue(state.venue)
        self.drop(state, heard)
        if venue and not (venue.misses(self._refused(state)) and venue.name not in heard.unwanted):
            state.venue = None  # what was offered has what is not wanted

    def _hour(self, state: Lead, time: str, kind: str | None) -> str:
        """The hour that is meant: in the morning, where one was spoken of or nothing is open at night."""
        time = _as_before(state, time)
        if ":" not in time or kind is None or self._domain.matching({TYPE: kind, TIME: time}):
            return time
        early = f"{int(time[:2]) - _NOON:02}{time[2:]}" if int(time[:2]) >= _NOON else time
        return early if self._domain.matching({TYPE: kind, TIME: early}) else time

    def _take_back(self, state: Lead, pairs: Sequence[tuple[str, str]]) -> None:
        """What was said again with the question is not what was meant: it is asked for once more."""
        for slot, value in pairs:
            if state.confirmed.get(slot) == value:
                del state.confirmed[slot]
                state.venue, state.asked[slot] = None, 0

    def _settle(self, state: Lead, informed: Sequence[tuple[str, str]], heard: Evidence) -> None:
        """Yes, or the same again, confirms; no, or another value, drops; else it is asked again."""
        slot, value = state.confirming or ("", "")
        other = any(told == slot and said != value for told, said in informed)
        says_no = heard.did["negate"] >= HEARD and (heard.first == "negate" or not informed)
        denied = says_no or value in heard.denied.get(slot, {})
        if (slot, value) in informed or (heard.did["affirm"] >= HEARD and not other):
            self._change(state, {slot: value})
        elif not denied and not other and informed and not says_no:
            self._change(state, {slot: value})  # who goes on without a word against it agrees
        elif not denied and not other and (state.tries < _TRIES or informed):
            state.waiting.insert(0, (slot, value))
            state.tries -= bool(informed)
            return
        elif other:  # put right: that is asked back first
            state.waiting[:0] = [pair for pair in informed if pair[0] == slot]
        state.tries = 0

    def _change(self, state: Lead, values: dict[str, str]) -> None:
        if any(state.confirmed.get(slot) != value for slot, value in values.items()):
            state.turned_down[:] = state.unwanted
            state.declined.clear()
            state.venue = None
        state.confirmed.update(values)

    def _again(self, state: Lead) -> tuple[Act, ...]:
        """The same question once more; nothing behind a venue on offer."""
        if state.waiting or state.venue is None:
            return self._next(state)
        return ()

    def _next(self, state: Lead) -> tuple[Act, ...]:
        if state.waiting:
            pair = state.waiting.pop(0)
            state.tries = state.tries + 1 if pair == state.confirming else 1
            return (stating("confirm", *pair),)
        again, state.taken_back = state.taken_back, None
        missing = again if again and again not in state.confirmed else self._missing(state)
        if missing is not None:
            state.asked[missing] = state.asked.get(missing, 0) + 1
            return (Act("request", missing),)
        return self._search(state)

    def _missing(self, state: Lead) -> str | None:
        """The next slot to ask for; none where one venue is left, but day and time are always asked."""
        kind = self._domain.implied_type(state.confirmed)
        order = [TYPE, *self._domain.constraint_slots(kind)]
        known = {**state.confirmed, **({TYPE: kind} if kind else {})}
        if kind and len(self._found(state)) <= 1:
            order = [slot for slot in order if slot in (DAY, TIME) and self._found(state)]
        known |= {slot: "" for slot, values in self._refused(state).items() if self.narrow(slot, values)}
        return next(
            (slot for slot in order if slot not in known and state.asked.get(slot, 0) < _ASKED_AT_MOST), None
        )

    def _limits(self, state: Lead) -> dict[str, str]:
        usable = {TYPE, *self._domain.constraint_slots(state.confirmed.get(TYPE))}
        return {slot: value for slot, value in state.confirmed.items() if slot in usable}

    def _refused(self, state: Lead) -> dict[str, set[str]]:
        return {slot: values for slot, values in state.refused.items() if values}

    def _found(self, state: Lead) -> list[Venue]:
        refused = self._refused(state)
        found = self._domain.matching(self._limits(state), state.turned_down)
        return [venue for venue in found if venue.misses(refused)]

    def _search(self, state: Lead) -> tuple[Act, ...]:
        found = self._found(state)
        if found:
            return self._offer(state, found[0])
        state.venue = state.turned_down[-1] if state.turned_down else None
        return self.unmet(state, self._limits(state), self._refused(state))

    def _offer(self, state: Lead, venue: Venue | None) -> tuple[Act, ...]:
        """A venue with all that was asked for; day and time are met where it is offered for them."""
        if venue is None:
            return ()
        state.venue = venue.name
        limits = {TYPE: venue.type, **dict.fromkeys(self._refused(state), ""), **self._limits(state)}
        opens = venue.meets({slot: value for slot, value in limits.items() if slot in (DAY, TIME) and value})
        told = {slot: value if slot in (DAY, TIME) else venue.value(slot) for slot, value in limits.items()}
        told = {slot: value for slot, value in told.items() if opens or slot not in (DAY, TIME)}
        said = [stating("inform", slot, one) for slot, one in told.items() if one and one != DONTCARE]
        said += [] if opens else [stating("inform", HOURS, venue.value(HOURS) or "")]
        asked, state.requests = state.requests, []
        return (stating("offer", NAME, venue.name), *said, *self.answers(state, asked))

    def _about(self, state: Lead, heard: Evidence, queries: Sequence[tuple[str, str]]) -> tuple[Act, ...]:
        """The caller speaks of the venue on the table: questions, another one, or nothing more."""
        if state.proposed and (heard.did["reqalts"] >= HEARD or heard.did["negate"] >= HEARD):
            return self.refuse(state, self._limits(state), self._refused(state))
        only_no = heard.did["negate"] >= HEARD and not heard.content
        if heard.did["reqalts"] >= HEARD or (only_no and state.last and state.last[0].act == "offer"):
            state.turned_down += [state.venue] if state.venue and state.venue not in state.turned_down else []
            return self._search(state)
        if NAME in state.requests:
            state.requests.remove(NAME)
            return self._offer(state, self._domain.venue(state.venue))
        if state.requests or queries:
            asked, state.requests = state.requests, []
            answers = self.answers(state, asked, queries)
            return (stating("inform", NAME, state.venue or ""), *answers, Act("reqmore"))
        if heard.informed >= HEARD:
            return self._offer(state, self._domain.venue(state.venue))  # the Italian one
        return (Act("reqmore"),)
