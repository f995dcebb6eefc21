"""How a bot that finds venues says what it decided: nothing twice unasked, nothing that nobody asked."""

from abc import ABC
from collections.abc import Sequence
from itertools import takewhile

from vivavoce_bots.acts import Act, Meaning, Reply
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain
from vivavoce_bots.dialogue.framing import FRAMES
from vivavoce_bots.dialogue.generation import Generation
from vivavoce_bots.dialogue.indirect import not_known
from vivavoce_bots.dialogue.searching import Searcher
from vivavoce_bots.dialogue.speech import LANGUAGES, speech
from vivavoce_bots.dialogue.state import Held, Session
from vivavoce_bots.dialogue.values import DISHES, FOOD, OTHER

_PHONE = "phone"


class Speaker(Searcher[Held], ABC):
    """Says acts, and remembers what was told."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self._generation = {language: Generation(domain, language) for language in LANGUAGES}

    def _say(
        self, session: Session[Held], acts: tuple[Act, ...], meanings: tuple[Meaning, ...], told: str = ""
    ) -> Reply:
        state = session.state
        acts = self._fresh(session, acts, meanings)
        state.expect(acts)
        named = [act.value for act in acts if act.act == "offer" and act.value]
        cooks = any(
            act.act == "inform" and act.slot == FOOD for meaning in meanings[:1] for act in meaning.acts
        )
        if cooks and DISHES not in session.asked:
            acts = tuple(act for act in acts if act != Act("null", DISHES))  # he is for meat; Italian, then
        acts = tuple(
            act
            for act in acts
            if act.act != "null"
            or act.slot in session.asked
            or (state.venue or "", act.slot) not in session.facts
        ) or (Act("reqmore"),)
        if Act("null", OTHER) in acts and (asked := not_known(session.question, session.language)):
            acts = tuple(act for act in acts if act != Act("null", OTHER)) or (Act("reqmore"),)
            told = f"{told} {asked}".strip()
        told_of = [act.slot or "" for act in acts if act.act in ("inform", "null")]
        session.facts |= {(state.venue or "", slot) for slot in told_of}
        values = [f"{act.slot}={act.value}" for act in acts if act.act == "inform"]
        session.facts |= {(state.venue or "", value) for value in values}
        asks_them = self._number(session) if any(act.act == "null" for act in acts) else ""
        session.offered += [one for one in named if one not in session.offered]
        if not any(act.act == "repeat" for act in acts):
            state.last = acts
            state.told = state.told if {act.act for act in acts} <= {"ack", "reqmore"} else acts
        generation = self._generation[session.language]
        lead = tuple(takewhile(lambda act: act.act == "ack" and act.value in FRAMES, acts))
        rest = tuple(act for act in acts[len(lead) :] if not (told and act.act == "repeat"))
        rest = tuple(act for act in rest if not (asks_them and act.act == "reqmore"))
        said = [generation.say(part, state.venue, session.random) for part in (lead, rest)]
        text = " ".join(filter(None, [*said[:1], told, *said[1:]])) + asks_them
        ends, asked = (
            any(act.act == "bye" for act in acts),
            any(meaning.acts == (Act("repeat"),) for meaning in meanings),
        )
        if text == session.said and not (ends or asked):
            text = self._varied(session, acts, text)
        session.said = text
        return Reply(text, acts, meanings, ends)

    def _varied(self, session: Session[Held], acts: tuple[Act, ...], text: str) -> str:
        """The same turn in other words than the last: behind a lead, with what can be said or a way out."""
        known, state = speech(session.language).answers, session.state
        session.stalled += 1
        if any(act.act in ("offer", "inform") for act in acts):
            return f"{known['said_so'][0]} {text}"
        lead = known["once_more"][session.stalled % len(known["once_more"])]
        generation = self._generation[session.language]
        more = (
            generation.say((Act("help", state.asking),), state.venue, session.random) if state.asking else ""
        )
        more = more if more and session.stalled % 2 and more not in text else known["way_out"][0]
        return f"{lead} {more} {text}"

    def _number(self, session: Session[Held]) -> str:
        """The sentence with the number under which the venue on offer is called; `` where it was told."""
        venue = self._domain.venue(session.state.venue)
        phone = venue.value(_PHONE) if venue else None
        if venue is None or phone is None or (venue.name, _PHONE) in session.facts:
            return ""
        session.facts.add((venue.name, _PHONE))
        return f" {speech(session.language).forms['ask_them'].format(phone=phone)}"

    def _not_known(self, session: Session[Held], question: str) -> str:
        """That a question is beyond what is known, with what it asks where that can be said."""
        if told := not_known(question, session.language):
            return told
        known = speech(session.language).answers["not_known"]
        session.explained += 1
        return known[min(session.explained, len(known)) - 1]

    def _fresh(
        self, session: Session[Held], acts: tuple[Act, ...], meanings: Sequence[Meaning]
    ) -> tuple[Act, ...]:
        """Acts that do not describe again the place that was named last, where they answer something, too."""
        offer = next((act for act in acts if act.act == "offer"), None)
        named = any(Act("request", NAME) in meaning.acts for meaning in meanings[:1])
        if offer is None or named or [offer.value] != session.offered[-1:]:
            return acts
        slots = [TYPE, *self._domain.constraint_slots(None)]
        described = [act for act in acts if act.act == "inform" and act.slot in slots]
        rest = tuple(act for act in acts if act != offer and act not in described)
        known = all((offer.value, f"{one.slot}={one.value}") in session.facts for one in described)
        return rest if known and any(one.act in ("inform", "null") for one in rest) else acts
