"""What a bot that finds venues does with its domain: tell of a venue, list what matches, offer what else."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from typing import Final, Generic

from vivavoce_bots.acts import DONTCARE, Act, Meaning, stating
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain, Venue
from vivavoce_bots.dialogue.evidence import Evidence
from vivavoce_bots.dialogue.opening import DAY, HOURS, TIME
from vivavoce_bots.dialogue.speech import speech
from vivavoce_bots.dialogue.state import Held

HEARD: Final = 0.35
_LISTED: Final = 4
_PRICE: Final = "pricerange"
_AREA: Final = "area"
_NARROW: Final = 3  # values of a slot of which one that is not wanted says enough

Pair = tuple[str, str]


class Searcher(ABC, Generic[Held]):
    """Knows a domain and what was refused of it."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    @abstractmethod
    def known(self, state: Held) -> dict[str, str]:
        """What is taken for what the caller wants."""

    def in_context(self, state: Held, meaning: Meaning) -> Meaning:
        """Without a venue on offer one asks what there is to choose, or what the venue will be like."""
        if state.venue is not None:
            return self._for_another_kind(state, self._remarks(state, meaning))
        open_slots = self._domain.constraint_slots(None)

        stated = {act.slot for act in meaning.acts if act.act == "inform"}

        def meant(act: Act) -> Act | None:
            if act.act == "confirm" and act.slot in (DAY, TIME):  # is it open on Sunday?
                return None if act.slot in stated else act._replace(act="inform", op="=")
            if act.act == "confirm" and act.slot == _AREA:  # what is the east like?
                return None if act.slot in stated else act._replace(act="inform", op="=")
            if act.act == "confirm":
                return Act("request", act.slot)
            if act.act == "request" and act.slot in (DAY, TIME) and state.asking != act.slot:
                return None  # two days
            return Act("help", act.slot) if act.act == "request" and act.slot in open_slots else act

        return Meaning(tuple(filter(None, map(meant, meaning.acts))), meaning.score)

    def _for_another_kind(self, state: Held, meaning: Meaning) -> Meaning:
        """With any price, where another kind of place is wanted than the one on offer: a coffee after it."""
        venue, stated = self._domain.venue(state.venue), {act.slot: act for act in meaning.acts}
        kind = stated.get(TYPE)
        if venue is None or kind is None or kind.act != "inform" or kind.op != "=":
            return meaning
        if kind.value == venue.type or _PRICE in stated or _PRICE not in self.known(state):
            return meaning
        return meaning._replace(acts=(*meaning.acts, stating("inform", _PRICE, DONTCARE)))

    def _remarks(self, state: Held, meaning: Meaning) -> Meaning:
        """Without what is only said of the venue on offer, and was no wish before: cheap, I see."""
        venue, known = self._domain.venue(state.venue), self.known(state)
        wants = any(act.act in ("reqalts", "request", "negate", "suggest") for act in meaning.acts)
        if venue is None or wants:
            return meaning
        kept = [
            act
            if not (
                act.act == "inform"
                and act.op == "="
                and act.slot not in (*known, NAME, None)
                and venue.value(act.slot or "") == act.value
            )
            else Act("affirm")
            for act in meaning.acts
        ]
        return Meaning(tuple(dict.fromkeys(kept)), meaning.score)

    def propose(self, state: Held, limits: dict[str, str], refuted: dict[str, set[str]]) -> tuple[Act, ...]:
        """What there is instead, where nothing matches; not what was declined already."""
        kind = self._domain.implied_type(limits)
        limits = {**limits, **({TYPE: kind} if kind else {})}
        ways = self._domain.relaxations(limits, state.turned_down, refuted)
        for found in sorted(ways, key=lambda way: len(state.stated & {*way})):  # what was just said is kept
            if tuple(found) not in state.declined:
                alone = len(found) == 1
                values = [(slot, value) for slot, values in found.items() for value in values[:3] if alone]
                chosen = values or [(slot, DONTCARE) for slot in found]
                return tuple(stating("select", slot, value) for slot, value in chosen)
        return ()

    def refuse(self, state: Held, limits: dict[str, str], refuted: dict[str, set[str]]) -> tuple[Act, ...]:
        """What was proposed is not wanted: the next proposal, or the question what to change."""
        state.declined += [tuple(state.proposed)] if state.proposed else []
        return self.propose(state, limits, refuted) or (Act("ack", None, "change"), Act("help"))

    def elsewhere(self, venue: Venue | None, heard: Evidence) -> bool:
        """Whether another kind of place is wanted than a venue that is named: a coffee after the Anchor."""
        kinds = heard.stated.get(TYPE, {})
        return venue is not None and bool(kinds) and venue.type not in kinds and DONTCARE not in kinds

    def drop(self, state: Held, heard: Evidence) -> None:
        """The venues that were said not to be wanted are offered no more, unless they are named again."""
        known = dict.fromkeys([*state.unwanted, *heard.unwanted])
        state.unwanted = [name for name in known if heard.named.get(name, 0.0) < HEARD]
        state.turned_down += [name for name in heard.unwanted if name not in state.turned_down]

    def unmet(self, state: Held, limits: dict[str, str], refuted: dict[str, set[str]]) -> tuple[Act, ...]:
        """That nothing matches, or nothing but what was turned down, and what there is instead."""
        acts = [stating("canthelp", slot, value) for slot, value in limits.items() if value != DONTCARE]
        only = self._domain.matching(limits, state.turned_down)
        refused = (
            []
            if not only
            else [(slot, one) for slot, ones in refuted.items() if slot not in limits for one in sorted(ones)]
        )
        acts += [stating("canthelp", slot, one, "!=") for slot, one in refused]
        acts += [stating("canthelp", "name", name, "!=") for name in state.turned_down]
        proposed = self.propose(state, limits, refuted)
        return (*(acts or [Act("canthelp")]), *(proposed or (Act("ack", None, "change"),)))

    def answers(self, state: Held, requests: Sequence[str], queries: Sequence[Pair] = ()) -> list[Act]:
        """What was asked of the venue on offer; what it does not have is said to be unknown."""
        venue = self._domain.venue(state.venue)
        acts: list[Act] = []
        when = {slot: value for slot, value in queries if slot in (DAY, TIME)}
        if when and venue is not None:
            state.missed = {} if venue.meets(when) else when
            acts += [
                Act("ack", None, "no" if state.missed else "yes"),
                Act("inform", HOURS, venue.value(HOURS), "="),
            ]
        for slot, value in queries:
            held = venue.value(slot) if venue else None
            if held is not None and slot not in when:
                acts += [Act("ack", None, "yes" if held == value else "no"), stating("inform", slot, held)]
            elif slot not in when:
                acts.append(Act("null", slot))
        for slot in (HOURS if slot in (DAY, TIME) else slot for slot in requests):
            held = venue.value(slot) if venue else None
            acts.append(stating("inform", slot, held) if held is not None else Act("null", slot))
        return list(dict.fromkeys(acts))

    def narrow(self, slot: str, refuted: Set[str]) -> bool:
        """Whether what is not wanted of a slot says enough of it: nothing too dear."""
        return (
            slot not in (TYPE, DAY, TIME) and len(refuted) > 0 and (len(self._domain.values(slot)) <= _NARROW)
        )

    def stepped(
        self, heard: Evidence, pair: Pair, limits: Mapping[str, str], refuted: Mapping[str, Set[str]]
    ) -> Pair:
        """The next value in the direction asked for that there is: cheaper than the dear one, be it cheap."""
        slot, value = pair
        values, step = list(self._domain.values(slot)), heard.steps.get(slot)
        if step is None or value not in values:
            return pair
        others = {one: ones for one, ones in refuted.items() if one != slot}
        for one in values[values.index(value) :: step]:
            if any(venue.misses(others) for venue in self._domain.matching({**limits, slot: one})):
                return slot, one
        return pair

    def wanted_open(self, state: Held, heard: Evidence) -> list[Pair]:
        """When another venue shall be open, where the one on offer was asked for it in vain."""
        if not state.missed or max(heard.did["reqalts"], heard.informed) < HEARD:
            return []
        missed, state.missed = state.missed, {}
        return [pair for pair in missed.items() if pair[0] not in heard.stated]

    def listed(self, limits: Mapping[str, str], gone: Sequence[str], language: str) -> dict[str, str]:
        """The venues that match, with what tells them apart; {} where they are many, or one."""
        found = self._domain.matching(limits, gone)
        if not 1 < len(found) <= _LISTED:
            return {}
        slots = [slot for slot in (TYPE, *self._domain.constraint_slots(None)) if slot not in limits]
        shown: dict[str, str] = {}
        for venue in found:
            values = [(slot, venue.value(slot)) for slot in slots]
            said = [self._domain.say(slot, value, language) for slot, value in values if value]
            shown[venue.name] = f"{venue.name} ({', '.join(said)})" if said else venue.name
        return shown

    def listing(self, shown: Mapping[str, str], language: str) -> str:
        """The sentence for several venues."""
        forms, places = speech(language).forms, list(shown.values())
        return forms["listing"].format(places=forms["and"].join([", ".join(places[:-1]), places[-1]]))
