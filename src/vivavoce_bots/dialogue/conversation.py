"""What every conversation has, whatever the bot: start over, go back, repeat, help, courtesies.

A bot derives from `DialogueBot` and says what a turn means for its state and what to do next.
"""

import pickle
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from vivavoce_bots.acts import DONTCARE, Act, Meaning, Reply, stating
from vivavoce_bots.dialogue.beyond import read_beyond, told_apart
from vivavoce_bots.dialogue.clauses import (
    recalls,
    said_of,
    sentences_of,
    tells_of_self,
    wishes,
    with_apostrophes,
)
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain
from vivavoce_bots.dialogue.evidence import Evidence, meanings_of, normalised, nothing_new
from vivavoce_bots.dialogue.framing import unframed
from vivavoce_bots.dialogue.indirect import not_known, wish_not_known
from vivavoce_bots.dialogue.inquiry import calendar, inquired, says_something
from vivavoce_bots.dialogue.opening import DAY, TIME
from vivavoce_bots.dialogue.recalling import (
    Heard,
    asks_list,
    asks_name,
    asks_of_place,
    given_up,
    plain_of,
    postponed,
    put_plainly,
    recounted,
    told_name,
)
from vivavoce_bots.dialogue.searching import HEARD
from vivavoce_bots.dialogue.speaking import Speaker
from vivavoce_bots.dialogue.speech import (
    COURTESIES,
    LANGUAGES,
    courtesies_of,
    is_question,
    language_of,
    speech,
)
from vivavoce_bots.dialogue.state import Held, Session
from vivavoce_bots.dialogue.understanding import Understanding
from vivavoce_bots.dialogue.values import OTHER

SURE: Final = 0.6
_REPEATED: Final = 0.4
_MOST_HYPOTHESES: Final = 50
_LOST, _QUITE_LOST = 2, 3
_AT_FAULT: Final = ("missed", "twice")
_ASKS: Final = ("request", "confirm", "select")
_TELL_ME: Final = re.compile(
    r"\b(?:tell|show|explain|give) me\b|\b(?:mi (?:spieghi|dica|elenchi)|dimmi|spiegami)\b", re.I
)
_PHONE: Final = "phone"
_SMALL: Final = ("request", "chat", "praise", "thankyou", "howareyou", "affirm")
_VAIN: Final = 2  # how often a question is asked again before it is left open
_QUESTIONS: Final = ("request", "confirm", "select", "reqmore")


class DialogueBot(Speaker[Held], ABC):
    """Finds a venue in a domain by talking.

    one            believes the first hypothesis alone
    understanding  another way to understand, for planted weaknesses
    """

    name: str = ""

    def __init__(
        self,
        domain: Domain,
        seed: int = 1,
        *,
        one: bool = True,
        understanding: Callable[[Domain, str], Understanding] = Understanding,
    ) -> None:
        super().__init__(domain)
        self._seed, self._one = seed, one
        self._beyond = read_beyond(self.name)
        self._understanding = {language: understanding(domain, language) for language in LANGUAGES}

    @abstractmethod
    def fresh(self) -> Held:
        """The state at the beginning."""

    def take_in(self, state: Held, meanings: Sequence[Meaning]) -> Evidence:
        """Note what a turn says of the goal."""
        return Evidence(meanings)

    @abstractmethod
    def decide(self, state: Held, heard: Evidence) -> tuple[Act, ...]:
        """What to do next, after a turn that was about the matter or was not understood."""

    @abstractmethod
    def skip(self, state: Held, slot: str) -> None:
        """Ask no more for this slot."""

    def noted(self, state: Held) -> dict[str, str]:
        """What was said of what is wanted, confirmed or not."""
        return self.known(state)

    def opening(self, state: Held) -> tuple[Act, ...]:
        """What stands behind the greeting."""
        return ()

    def session(self, conversation: str, language: str = "en") -> Session[Held]:
        """A fresh memory; chance depends on the seed and the conversation's key alone."""
        return Session(language_of(language), Random(f"{self._seed}:{conversation}"), self.fresh())

    def stand_in(self, venue: str, random: Random) -> str:
        """The name of a venue of another kind."""
        return self._domain.stand_in(venue, random)

    def mishear(self, text: str, language: str, share: float, random: Random) -> str:
        """A text in which this share of the values of slots is lost or is another value of its slot."""
        return self._understanding[language_of(language)].misheard(text, share, random)

    def greet(self, session: Session[Held]) -> Reply:
        return self._say(session, (Act("hello"), *self.opening(session.state)), ())

    def reply(self, session: Session[Held], texts: Heard) -> Reply:
        """The answer to one user turn, given as hypotheses of what was said, best first."""
        moving = session.state.venue is None
        texts = [(with_apostrophes(text, session.language), score) for text, score in texts]
        texts = [(put_plainly(text, session.language, moving=moving), score) for text, score in texts]
        if texts and given_up(texts[0][0], session.language, self._understanding[session.language].acts):
            return self._say(session, (Act("bye"),), ())
        if (recounted := self._recounted(session, texts)) is not None:
            return recounted
        return self._answered(session, self._plain(session, texts))

    def _plain(self, session: Session[Held], texts: Heard) -> Heard:
        """What was said, without what is told besides, and with the names of places named before."""
        known, venue = self._understanding[session.language], self._domain.venue(session.state.venue)
        return plain_of(texts, session, lambda one: known.acts(one, session.state.subject, venue=venue))

    def _recounted(self, session: Session[Held], texts: Heard) -> Reply | None:
        """Where things stand, and the answer to what was said besides; None where that is not asked."""
        text, state, language = texts[0][0] if texts else "", session.state, session.language
        asked = inquired(text, language, lambda kind, _: kind != "until")
        known = self._understanding[language].acts
        named = asks_name(text) or (state.stuck and not session.offered and asks_of_place(text, known))
        named = named and state.venue is None and not (asked and asked.asked == "today")
        named = named and not any(one.act in ("inform", "affirm") for one in known(text))
        if asked is None and not named:
            return None
        if asked and asked.asked == "noted" and asks_name(text) and state.venue:
            return None
        reply = None
        if asked is not None and says_something(asked.rest):
            reply = self._answered(session, self._plain(session, [(asked.rest, None)]))
            if reply.end or (
                asked.asked != "today" and not {act.act for act in reply.acts} <= {*_ASKS, "repeat"}
            ):
                return reply
            if not {act.act for act in reply.acts} <= {*_ASKS, "repeat"}:
                return reply._replace(text=f"{calendar(language)} {reply.text}")
        if asked is None:
            told = told_name(session.offered, language)
        else:
            booking = self._beyond[language].says.get("booking", "")
            told = recounted(asked.asked, self.noted(session.state), self._domain, language, booking)
        acts = tuple(act for act in reply.acts if act.act != "repeat") if reply else ()
        return self._say(session, acts or self._resumed(session.state), (), told)

    def _answered(self, session: Session[Held], texts: Heard) -> Reply:
        state = session.state
        framed = [(unframed(text, session.language), score) for text, score in list(texts)[:_MOST_HYPOTHESES]]
        frame, text = framed[0][0] if framed else (None, "")
        told, rest = told_apart(text, self._beyond[session.language])
        lost = self._stated(session, text) - self._stated(session, rest)
        explained = told == self._beyond[session.language].says.get("kinds")  # has a pub got food?
        rest = text if told and lost and not explained and self._wishes(session, text) else rest
        if told and self._requests(session, text) - self._requests(session, rest):
            told, rest = None, text  # the postcode, for the taxi
        booking = told is not None and told == self._beyond[session.language].says.get("booking")
        if booking and _PHONE not in self._requests(session, text):
            told = f"{told}{self._number(session)}"
        elif told and not booking:
            told = speech(session.language).answers["not_known"][1] if told in session.topics else told
            session.topics.add(told)
        heard = [(one.text, score) for one, score in framed]
        hypotheses = normalised([(rest, heard[0][1]), *heard[1:]] if told else heard)
        meanings = meanings_of(
            hypotheses,
            self._understanding[session.language],
            state.subject,
            one=self._one,
            confirming=state.confirming is not None,
            venue=self._domain.venue(state.venue),
        )
        understood = any(meaning.acts for meaning in meanings[:1])
        lead = [] if frame is None else [_ack(frame)]
        if not understood and (frame or told):
            helped = [Act("help", state.asking)] if frame in _AT_FAULT and not told else []
            acts = (*lead, *helped, *self._resumed(state))
        else:
            questions = [one for one in sentences_of(text) if is_question(one, session.language)]
            session.asks = bool(questions) or _TELL_ME.search(text) is not None
            known = self._understanding[session.language]
            plain = [
                question for question in questions if not wishes(question)
            ]  # is there a pub that is open late?
            venue = self._domain.venue(state.venue)
            asking = known.acts(" ".join(plain) if questions else text, venue=venue)
            session.asked = frozenset(act.slot for act in asking if act.act in ("request", "confirm"))
            strange = [
                question
                for question in questions
                if Act("request", OTHER) in known.acts(question, venue=venue)
            ]
            session.question = next(iter([*strange, *questions[-1:]]), "")
            lists = asks_list(text, session.language) and state.asking not in (None, DAY, TIME)
            asked = tuple(act for act in state.last if act.act in _ASKS)
            subject = state.subject
            acts = self.manage(session, meanings) if understood or not lists else self._choices(state)
            unanswered = bool(acts) and acts[0].act == "repeat" and is_question(text, session.language)
            acts = (_ack("unanswered"), *acts[1:]) if unanswered else acts
            acts, listing = self._listed(session, text, acts)
            recalled = listing or self._recalled(session, text, subject)
            again = any(Act("repeat") in meaning.acts for meaning in meanings[:1])
            acts, mended = (
                (acts, recalled)
                if again or recalled
                else self._mended(session, rest if told else text, asked, acts, meanings)
            )
            acts, told = (*lead, *acts), " ".join(filter(None, [told, mended]))
            acts = tuple(act for act in acts if act != _ack("hello")) if told and len(acts) > 1 else acts
        return self._say(session, acts, meanings, told or "")

    def _mended(
        self,
        session: Session[Held],
        text: str,
        asked: tuple[Act, ...],
        acts: tuple[Act, ...],
        meanings: tuple[Meaning, ...],
    ) -> tuple[tuple[Act, ...], str]:
        """A turn that only asks says what it passes over or did not understand, and does not ask for ever."""
        state, understanding = session.state, self._understanding[session.language]
        asks = tuple(act for act in acts if act.act in _ASKS)
        echoes = bool(asks) and not any(act.act == "offer" for act in acts)
        telling = {"null", "canthelp", "help", "bye", *(() if echoes else ("inform",))}
        told_already = telling & {act.act for act in acts}
        told_already = told_already or any(act.value in ("whoareyou", "human") for act in acts)
        venue = self._domain.venue(state.venue)
        passed_over = understanding.passed_over(text, venue if told_already else None)
        wished, unknown = wish_not_known(text, session.language)
        if wished and not understanding.acts(wished, venue=venue):
            return acts, unknown
        if told_already:  # Whether they take dogs I do not know. The White Heron is ...
            silent = (
                Act("bye") in acts
                or "?" not in passed_over
                or any(act.act in ("null", "help") for act in acts)
            )
            state.vain = 0
            return acts, "" if silent else not_known(passed_over, session.language)
        if passed_over:
            state.vain = 0
            acts = tuple(act for act in acts if act.act != "repeat" and act.value != "unanswered")
            return acts, self._not_known(session, passed_over)
        if (
            any(act.act not in (*_ASKS, "ack", "repeat") or act.value == "unanswered" for act in acts)
            or not asks
        ):
            state.vain = 0
            return acts, ""
        if any(act.act in _SMALL for meaning in meanings[:1] for act in meaning.acts):
            return acts, ""  # poor thing! haha, all right
        state.vain = state.vain + (not self._stated(session, text)) if asks == asked else 0
        acts = tuple(act for act in acts if act.value != "kept" or act.act != "ack")
        slot = next((act.slot for act in asks if act.act == "request"), None)
        if state.vain >= _VAIN and slot:
            state.vain = 0
            self.skip(state, slot)
            return (_ack("left_open"), *self.decide(state, nothing_new())), ""
        asks_again = state.vain or acts[0].act == "repeat"
        words = "" if not asks_again or tells_of_self(text) else understanding.not_explained(text)
        if words:
            told = speech(session.language).forms["not_understood"].format(words=words)
            lost = acts[:1] if acts[0].act == "repeat" else ()
            helped = (Act("help", slot),) if slot and slot not in (DAY, TIME) else ()
            return (*lost, *helped, *acts[len(lost) :]), told
        return acts, ""

    def _listed(
        self, session: Session[Held], text: str, acts: tuple[Act, ...]
    ) -> tuple[tuple[Act, ...], str]:
        """What there is, where that is asked: the venues, where they are few, or what to choose from."""
        state, language = session.state, session.language
        asked = acts[-1].slot if acts and acts[-1].act == "request" else None
        offers = any(act.act == "offer" for act in acts)
        if (
            not asks_list(text, language)
            or not (asked or offers)
            or any(act.act == "canthelp" for act in acts)
        ):
            return acts, ""
        shown = self.listed(self.known(state), state.turned_down, language)
        if shown and not set(shown) <= set(session.offered):
            state.venue, state.requests = None, []
            session.offered += [name for name in shown if name not in session.offered]
            return (Act("request", NAME),), self.listing(shown, language)
        if asked == TYPE:
            return tuple(act for act in acts if act not in (Act("help"), Act("help", TYPE))), ""
        if asked in (None, DAY, TIME) or Act("help", asked) in acts:
            return acts, ""
        return (*acts[:-1], Act("help", asked), acts[-1]), ""

    def _choices(self, state: Held) -> tuple[Act, ...]:
        """What there is to choose from, and the question that waits."""
        return (Act("help", state.asking), *self._resumed(state))

    def _recalled(self, session: Session[Held], text: str, subject: str | None) -> str:
        """What was said last, or is known of what was spoken of, where that is asked: did we say one?"""
        asked = recalls(text, session.language)
        told = said_of(asked, session.said, session.language)
        value = self.known(session.state).get(subject or "") if asked else None
        if told or not value or value == DONTCARE:
            return told
        acts = (stating("inform", subject or "", value), Act("request", TYPE))
        generation = self._generation[session.language]
        whole = generation.say(acts, session.state.venue, session.random)
        return next(iter(sentences_of(whole)), "")

    def _wishes(self, session: Session[Held], text: str) -> bool:
        """Whether words about what is beyond the bot say what is wanted too: `book a cheap pub`."""
        acts = self._understanding[session.language].acts(text)
        wanted = {act.slot for act in acts if act.act == "inform"}
        if is_question(text, session.language):
            return TYPE in wanted and session.state.venue is None
        return bool(wanted)

    def _stated(self, session: Session[Held], text: str) -> set[Act]:
        """What a text says that is wanted."""
        acts = self._understanding[session.language].acts(text)
        return {act for act in acts if act.act == "inform"}

    def _requests(self, session: Session[Held], text: str) -> set[str | None]:
        """What is asked of the venue on offer, of what a domain knows."""
        venue = self._domain.venue(session.state.venue)
        acts = self._understanding[session.language].acts(text, venue=venue) if venue else ()
        return {act.slot for act in acts if act.act == "request" and act.slot in self._domain.slots}

    def manage(self, session: Session[Held], meanings: Sequence[Meaning]) -> tuple[Act, ...]:
        """The acts of the next system turn."""
        before = pickle.dumps(session.state)
        state = session.state
        heard = self.take_in(state, [self.in_context(state, meaning) for meaning in meanings])
        closing, state.stated = self._closes(state, heard), set(heard.stated)
        named = [one for one, sure in heard.named.items() if sure >= HEARD]
        agrees = heard.did["affirm"] >= HEARD and bool(state.proposed or state.settles)
        if closing or heard.did["bye"] + heard.did["done"] * (not agrees) >= SURE:
            state.venue = named[0] if named else state.venue
            asked = [slot for slot, sure in heard.asked.items() if sure >= SURE and slot != NAME]
            told = self.answers(state, asked) if asked and state.venue else []
            told = [one for one in told if (state.venue, one.slot) not in session.facts]
            return (*(one for one in told if one.act == "inform" and one not in state.told), Act("bye"))
        if heard.did["restart"] >= SURE or self._at_a_loss(state, heard):
            session.state = state = self.fresh()
            session.before.append(before)
            if heard.informed >= HEARD:  # start again: Italian, in the centre
                return (_ack("restart"), *self.decide(state, self.take_in(state, meanings)))
            return (_ack("restart"), *(self.opening(state) or self.decide(state, nothing_new())))
        if heard.did["undo"] + heard.did["cancel"] * (heard.informed < HEARD) >= SURE:
            return self._undo(session)
        if heard.did["repeat"] >= _REPEATED and state.last and heard.informed < HEARD:
            again = state.told or state.last
            return tuple(act for act in again if act.act != "ack") or again
        lead = self._lead(state, heard)
        expected = bool(state.settles or state.proposed or (state.venue and not state.asking))
        if lead and heard.content + heard.answered * expected < HEARD:
            return self._lead_on(state, lead)
        thanked = heard.did["thankyou"] >= HEARD and not (session.asks or heard.asked or heard.answered)
        if state.venue and thanked and heard.informed < HEARD and not heard.named:
            return self._lead_on(state, (_ack("thankyou"),))  # many thanks, and wish me luck
        session.before.append(before)
        last = state.last
        venue = self._domain.venue(state.venue)
        when = {slot: value for slot, value in heard.queried if slot in (DAY, TIME)}
        closed = venue is not None and bool(when) and not venue.meets(when)
        acts = postponed(self._domain, state, self._lead_back(state, heard, self.decide(state, heard)))
        acts = (
            acts
            if session.asks and session.asked & {*state.requests} and not state.stuck
            else tuple(act for act in acts if act != _ack("later"))
        )
        if heard.did["reqalts"] >= HEARD > heard.informed and state.venue is None:
            if session.asks and acts and acts[-1].act == "request" and acts[-1].slot not in (TYPE, DAY, TIME):
                acts = (*acts[:-1], Act("help", acts[-1].slot), acts[-1])  # what else do you have?
            elif acts == last:
                acts = (_ack("later"), *acts)  # another one: none was found yet
        queries = [pair for pair, sure in heard.queried.items() if sure >= HEARD]
        if closed and any(act.act == "canthelp" for act in acts):
            acts = (_ack("no"), *acts)
        offers = any(act.act == "offer" for act in acts)
        if queries and state.venue and heard.did["negate"] < HEARD and offers:  # is the White Heron dear?
            told = [act for act in self.answers(state, (), queries) if act not in acts]
            acts = (
                *(one for one in told if one.act == "ack"),
                *acts,
                *(one for one in told if one.act != "ack"),
            )
        helps = tuple(act for act in lead if act.act == "help" and act.slot and act not in acts)
        who = tuple(act for act in lead if act.value in ("whoareyou", "human"))
        if who and session.asks and all(act.act in (*_ASKS, "inform") for act in acts) and not state.venue:
            return (*who, *acts)  # yes, a pub; are you a machine?
        if helps and session.asks and acts and acts[-1].act == "request" and not state.venue:
            acts = (*acts[:-1], *helps, acts[-1])  # Spanish; which cuisines are there?
        elif state.venue and session.asks and offers:  # centre; is it dear?
            told = self.answers(state, [act.slot for act in helps if act.slot in self._domain.slots])
            acts = (*acts, *(act for act in told if act not in acts))
        asks_again = acts == tuple(act for act in last if act.act != "ack") and acts[:1] != ()
        noted = heard.informed >= HEARD and asks_again and acts[0].act not in ("offer", "inform")
        return (_ack("kept"), *acts) if noted and not session.asks else acts

    def _closes(self, state: Held, heard: Evidence) -> bool:
        """No, nothing more."""
        asked = bool(state.last) and state.last[-1].act == "reqmore"
        return asked and heard.did["negate"] >= SURE and heard.content == 0

    def _at_a_loss(self, state: Held, heard: Evidence) -> bool:
        """Asked what to change, the caller says no more than yes or no."""
        return _ack("change") in state.last and not heard.content and heard.answered >= HEARD

    def _undo(self, session: Session[Held]) -> tuple[Act, ...]:
        if not session.before:
            return (_ack("nothing_to_undo"), *self._resumed(session.state))
        session.state = pickle.loads(session.before.pop())  # noqa: S301 (our own, never sent)
        return (_ack("undo"), *self._resumed(session.state))

    def _lead(self, state: Held, heard: Evidence) -> tuple[Act, ...]:
        """The answer to what is not about the matter: courtesies, calls for help."""
        did = heard.did
        lead = [_ack(kind) for kind in courtesies_of([one for one in COURTESIES if did[one] >= HEARD])]
        if did["service"] >= HEARD:  # what exactly do you do?
            return (_ack("whoareyou"),)
        options = [slot for slot, sure in heard.options.items() if sure >= HEARD]
        lead += [Act("help", slot) for slot in options]
        unsure = (did["dontknow"] >= HEARD and heard.informed < HEARD) or (
            state.asking and heard.answered >= HEARD and not heard.content and not state.settles
        )
        if unsure and not options:
            lead.append(Act("help", state.asking))
        if did["help"] >= HEARD:
            lead = [one for one in lead if did["service"] < HEARD or one != _ack("whoareyou")]
            general, options = Act("help"), Act("help", state.asking)  # the kinds are told by their question
            first, second = (general, options) if state.asking in (None, TYPE) else (options, general)
            lead.append(second if first in state.last else first)
        return tuple(dict.fromkeys(lead))

    def _lead_on(self, state: Held, lead: tuple[Act, ...]) -> tuple[Act, ...]:
        """A lead, and the question that waits; what was asked in vain too often is left open."""
        state.lost += Act("help", state.asking) in lead
        if state.lost >= _QUITE_LOST and state.asking:
            self.skip(state, state.asking)
            state.lost = 0
            return (_ack("open"), *self.decide(state, nothing_new()))
        return (*lead, *self._resumed(state))

    def _lead_back(self, state: Held, heard: Evidence, acts: tuple[Act, ...]) -> tuple[Act, ...]:
        """Whoever is not understood again and again is told what they can say."""
        lost = heard.understood < HEARD
        state.lost = state.lost + 1 if lost else 0
        if not lost or state.lost < _LOST or any(act.act == "offer" for act in acts):
            return acts
        asked = next((act.slot for act in acts if act.act == "request"), None)
        rest = tuple(act for act in acts if act.act != "repeat")
        helped = Act("help", asked if state.lost % 2 == 0 else None)
        return (Act("repeat"), helped, *(act for act in rest if act != helped))

    def _resumed(self, state: Held) -> tuple[Act, ...]:
        """The question that waits for an answer."""
        waiting = tuple(act for act in state.last if act.act in _QUESTIONS)
        if waiting:
            return waiting
        return (Act("reqmore"),) if state.venue else self.decide(state, nothing_new())


def _ack(what: str) -> Act:
    return Act("ack", None, what)
