"""Asks for one constraint after the other and confirms each explicitly before it searches.

The manner is that of system-directed information by telephone: the caller answers, the system leads.
It believes the first hypothesis alone; what saves it is that nothing counts before it was confirmed.
"""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar, Final

from vivavoce_bots.acts import DONTCARE, Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.restaurant.domain import NAME, TYPE, Domain, Venue
from vivavoce_bots.restaurant.generation import Generation
from vivavoce_bots.restaurant.understanding import Understanding
from vivavoce_bots.restaurant.words import LANGUAGES, language_of

_TRIES: Final = 2


@dataclass
class Session:
    """What is confirmed, what waits for confirmation, and the venue on the table."""

    language: str
    random: Random
    confirmed: dict[str, str] = field(default_factory=dict)
    waiting: deque[tuple[str, str]] = field(default_factory=deque)
    confirming: tuple[str, str] | None = None
    tries: int = 0
    asking: str | None = None
    requests: list[str] = field(default_factory=list)
    venue: Venue | None = None
    turned_down: list[str] = field(default_factory=list)
    last: tuple[Act, ...] = ()


class BorisBot:
    """Finds a venue by leading the caller through its questions."""

    name: str = "boris"
    variants: ClassVar[tuple[str, ...]] = ("explicit",)

    def __init__(self, domain: Domain, seed: int = 1) -> None:
        self._domain, self._seed = domain, seed
        self._understanding = {language: Understanding(domain, language) for language in LANGUAGES}
        self._generation = {language: Generation(domain, language) for language in LANGUAGES}

    def session(self, conversation: str, language: str = "en") -> Session:
        return Session(language_of(language), Random(f"{self._seed}:{conversation}"))

    def stand_in(self, venue: str, random: Random) -> str:
        """The name of a venue of another kind; of any other where there is but one kind."""
        known = self._domain.venue(venue)
        others = [one.name for one in self._domain.venues if known is None or one.type != known.type]
        return random.choice(others or [one.name for one in self._domain.venues])

    def greet(self, session: Session) -> Reply:
        return self._said(session, (Act("hello"), *self._next(session)), ())

    def reply(self, session: Session, texts: Texts) -> Reply:
        text = texts[0][0] if texts else ""
        subject = session.confirming[0] if session.confirming else session.asking
        confirming = session.confirming is not None
        understood = self._understanding[session.language].acts(text, subject, confirming=confirming)
        meaning = (Meaning(understood, 1.0),)
        kinds = {act.act for act in understood}
        if "bye" in kinds:
            return self._said(session, (Act("bye"),), meaning)
        if "repeat" in kinds and session.last:
            return self._said(session, session.last, meaning)
        self._take_in(session, understood, kinds)
        lead: tuple[Act, ...] = () if understood else (Act("repeat"),)
        if "help" in kinds:
            lead = (Act("help"),)
        return self._said(session, (*lead, *self._next(session, kinds)), meaning)

    def _said(self, session: Session, acts: tuple[Act, ...], meaning: tuple[Meaning, ...]) -> Reply:
        session.last = acts
        venue = session.venue.name if session.venue else None
        text = self._generation[session.language].say(acts, venue, session.random)
        return Reply(text, acts, meaning, any(act.act == "bye" for act in acts))

    def _take_in(self, session: Session, acts: tuple[Act, ...], kinds: set[str]) -> None:
        informed = [
            (act.slot, act.value)
            for act in acts
            if act.act == "inform" and act.op == "=" and act.slot and act.value and act.slot != NAME
        ]
        if session.confirming is not None:
            self._settle(session, informed, kinds)
        for pair in informed:
            if session.confirmed.get(pair[0]) != pair[1] and pair not in session.waiting:
                session.waiting.append(pair)
        session.requests += [
            act.slot for act in acts if act.act == "request" and act.slot and act.slot not in session.requests
        ]

    def _settle(self, session: Session, informed: list[tuple[str, str]], kinds: set[str]) -> None:
        """Yes, or the same again, confirms; no, or another value, drops; else it is asked again."""
        slot, value = session.confirming or ("", "")
        other = any(told == slot and said != value for told, said in informed)
        if (slot, value) in informed or ("affirm" in kinds and not other):
            if session.confirmed.get(slot) != value:
                session.turned_down.clear()
                session.venue = None
            session.confirmed[slot] = value
        elif "negate" not in kinds and not other and session.tries < _TRIES:
            session.waiting.appendleft((slot, value))
            return
        session.confirming, session.tries = None, 0

    def _next(self, session: Session, kinds: Collection[str] = ()) -> tuple[Act, ...]:
        session.asking = None
        if session.waiting:
            pair = session.waiting.popleft()
            session.tries = session.tries + 1 if pair == session.confirming else 1
            session.confirming = pair
            return (stating("confirm", *pair),)
        session.confirming = None
        if session.venue is not None:
            return self._about(session, session.venue, kinds)
        missing = self._missing(session)
        if missing is not None:
            session.asking = missing
            return (Act("request", missing),)
        return self._search(session)

    def _missing(self, session: Session) -> str | None:
        order = [TYPE, *self._domain.constraint_slots(session.confirmed.get(TYPE))]
        found = self._domain.matching(self._limits(session))
        if TYPE in session.confirmed and len(found) <= 1:
            return None
        return next((slot for slot in order if slot not in session.confirmed), None)

    def _limits(self, session: Session) -> dict[str, str]:
        usable = {TYPE, *self._domain.constraint_slots(session.confirmed.get(TYPE))}
        return {slot: value for slot, value in session.confirmed.items() if slot in usable}

    def _search(self, session: Session) -> tuple[Act, ...]:
        limits = self._limits(session)
        found = self._domain.matching(limits, session.turned_down)
        if not found:
            unmet = [stating("canthelp", slot, value) for slot, value in limits.items() if value != DONTCARE]
            unmet += [stating("canthelp", NAME, name, "!=") for name in session.turned_down]
            return tuple(unmet) or (Act("canthelp"),)
        session.venue = found[0]
        said = [stating("inform", slot, value) for slot, value in self._facts(found[0], limits).items()]
        return (stating("offer", NAME, found[0].name), *said, *self._answers(session, found[0]))

    def _facts(self, venue: Venue, limits: dict[str, str]) -> dict[str, str]:
        held = {TYPE: venue.type, **venue.slots}
        return {slot: held[slot] for slot in limits if slot in held}

    def _answers(self, session: Session, venue: Venue) -> list[Act]:
        asked, session.requests = session.requests, []
        return [
            stating("inform", slot, venue.slots[slot]) if slot in venue.slots else Act("null", slot)
            for slot in asked
        ]

    def _about(self, session: Session, venue: Venue, kinds: Collection[str]) -> tuple[Act, ...]:
        """The caller speaks of the venue on the table: questions, another one, or nothing more."""
        if "reqalts" in kinds:
            session.turned_down.append(venue.name)
            return self._search(session)
        if session.requests:
            return (stating("inform", NAME, venue.name), *self._answers(session, venue), Act("reqmore"))
        return (Act("reqmore"),)
