"""Switches lamps, blinds, fan, television and radio, tells programmes, plays messages; asks back if it must.

In the manner of INSPIRE: devices are meant by what they are, by the room, by sides, and by what they stand
beside (`the lamp to the right of the table lamp`); a pronoun means the device that was spoken of last. Where
several or none are meant, or something was said of them that nobody knows, it asks; it never does something
else instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.dialogue.clauses import sentences_of, without_meanwhile
from vivavoce_bots.dialogue.gist import gist, requested, rewritten
from vivavoce_bots.dialogue.hearing import Heard, leaves_behind, only_no
from vivavoce_bots.dialogue.retraction import without_retracted
from vivavoce_bots.dialogue.spotting import Spotter
from vivavoce_bots.dialogue.talk import QUESTION, Answer, asked_for_more, joined
from vivavoce_bots.house.clauses import (
    LAST,
    LEFT,
    ON_NOW,
    ONE_MORE,
    REFUSED,
    THERE,
    WISHES,
    Clause,
    decided,
    in_the_room,
    read_clauses,
    with_wishes,
)
from vivavoce_bots.house.doing import DoingBot
from vivavoce_bots.house.home import Home, read_home, read_manner
from vivavoce_bots.house.metaphor import METAPHORS, in_metaphor
from vivavoce_bots.house.reference import Reader
from vivavoce_bots.house.clerk import Attended, Clerk
from vivavoce_bots.house.session import Pending, Session, Told
from vivavoce_bots.house.retracting import corrected
from vivavoce_bots.house.telling import Telling, capital

_MATTER: Final = (
    "kind", "plural", "called", "room", "thing", "deed", "side", "relation", "ordinal", "all", "other", "it",
    "them", "except", "dont", "meant", "home", "volume", "glare",
    *WISHES,
)  # fmt: skip
_TELLS: Final = ("kind", "plural", "called", "deed", "glare", *WISHES)


_FEW: Final = 3  # words that say nothing but no
_AND_YES: Final = re.compile(r"[.!?;,]\s*(?:yes|yeah|sì|sure)\b", re.I)
_HERE: Final = {
    "en": re.compile(r"\b(?:in|round) (?:here|there)\b", re.I),
    "it": re.compile(r"\bqu[ia](?: dentro)?\b", re.I),
}


def _sided(home: Home, language: str) -> list[str]:
    """The words for left, right and middle, then those for the rooms."""
    sides = [str(one[0]) for one in read_manner(language)["sides"].values()][:3]
    return [*sides, *(word for room in home.rooms.values() for word in map(str, room[language]["words"]))]


class HouseBot(DoingBot):
    """Looks after a flat. `variant` is the metaphor in which it speaks."""

    name: str = "house"
    meant: ClassVar[Mapping[str, str]] = {"en": "I mean", "it": "intendevo"}
    variants: ClassVar[tuple[str, ...]] = METAPHORS

    def __init__(self, home: Home | None = None, variant: str = METAPHORS[0], seed: int = 1) -> None:
        self._home, self._metaphor = home or read_home(), variant
        super().__init__(seed, self._learn)
        self._readers = {language: Reader(self._home, language) for language in self._hearing}
        self._sided = {language: _sided(self._home, language) for language in self._hearing}
        self._shown_by = {
            language: {
                word: str(self._home.channels[name][language]["name"])
                for name, one in self._home.programmes.items()
                for word in one["words"][language]
            }
            for language in self._hearing
        }
        self._clerk, self._telling = Clerk(self._home, self._hearing), Telling(self._home)

    def _learn(self, spotter: Spotter, language: str) -> None:
        self._home.learn(spotter, language)

    # --- the conversation ----------------------------------------------------------------------------------

    def begin(self, language: str) -> Session:
        return Session(language, messages=tuple(range(len(self._home.messages[language]))))

    def words(self, session: Session) -> Mapping[str, Any]:
        manner = read_manner(session.language)
        return {**manner["says"], **manner["metaphors"].get(self._metaphor, {})}

    def opening(self, session: Session) -> Answer:
        return Answer(self.words(session)["hello"], (Act("hello"),))

    def about(self, session: Session, heard: Heard) -> bool:
        if ON_NOW[session.language].search(heard.text) or LAST[session.language].search(heard.text):
            return True
        if heard.did("undo") and not heard.did("kind", "plural", "called", "room"):
            return False
        if leaves_behind(heard) and not heard.did(*_TELLS):  # thanks for everything and good night
            return False
        return heard.did(*_MATTER)

    def waits(self, session: Session) -> bool:
        return bool(session.waiting) or asked_for_more(session.last)

    def let_go(self, session: Session) -> None:
        session.waiting = []

    def start_over(self, session: Session) -> None:
        session.waiting, session.about, session.done = [], (), ()

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        if not session.waiting and asked_for_more(session.last):
            return self.words(session)["more"], (Act("reqmore"),)
        if not session.waiting:
            return self.words(session)["ask"], (Act("request", "task"),)
        return self._asked(session, session.waiting[0])

    def help(self, session: Session) -> str:
        if session.waiting and session.waiting[0].choices:
            return self.words(session)["help_which"]
        return super().help(session)

    def undone(self, session: Session, was: dict[str, Any]) -> Answer:
        words = self.words(session)
        session.waiting = []
        states = self._telling.changed(session, was["state"])
        told = words["undone"].format(states=words["and"].join(states)) if states else ""
        question, asks = self.question(session)
        back = [words["restored"]] if set(session.messages) - set(was["messages"]) else []
        back += [
            words["not_recorded"].format(name=self._home.channels[one][session.language]["name"])
            for one in was["recording"]
            if one not in session.recording
        ]
        lead = [*([told] if told else []), *back] or [self._courtesy(session, "undo")]
        return Answer(" ".join([*lead, question]), (Act("ack", None, "undo"), *asks))

    def _without_refused(self, session: Session, text: str) -> str:
        """The turn without the devices that are not to be touched, `no blinds`: nothing is asked of these."""
        hearing, refused = self._hearing[session.language], set[str | None]()
        for match in REFUSED[session.language].finditer(text):
            named = hearing.heard(match[0])
            refused |= {one.slot for one in (*named.all("kind"), *named.all("plural"))}
        held = session.waiting
        session.waiting = [
            one for one in held
            if one.kind not in refused and not self._home.kinds_of(one.choices) & refused
        ]  # fmt: skip
        rest = REFUSED[session.language].sub(" ", text) if refused else text
        left = hearing.heard(rest)
        lets_go = len(session.waiting) < len(held)
        return rest if lets_go or left.did(*_TELLS) or len(left.said) > _FEW else text

    def plain(self, session: Session, text: str) -> str:
        """A turn as it is meant: requests as commands, idioms in plain words, nothing told besides."""
        hearing, where = self._hearing[session.language], self._home.places(session.language)
        session.alone = self._names_alone(session, text)

        def places(one: str) -> bool:
            return hearing.heard(one).did("side", "room")

        settled = without_retracted(
            decided(self._without_refused(session, text), places), session.language, where
        )
        settled = without_retracted(settled, session.language, self._home.kind_words(session.language))
        rooms = {self._home.devices[one].room for one in session.about}
        if (
            len(rooms) == 1
            and not hearing.heard(settled).did("room")
            and hearing.heard(settled).did("kind", "plural")
        ):
            where_in = self._home.rooms[rooms.pop()][session.language]["in"]  # the blinds in here
            settled = _HERE[session.language].sub(where_in, settled)
        plain = rewritten(requested(settled, session.language), read_manner(session.language)["rewrites"])
        there = THERE.search(plain) is not None
        return gist(
            plain,
            session.language,
            lambda one: hearing.heard(one).did(*_TELLS),
            lambda one: there and hearing.heard(one).did("room"),
        )

    def _passed_over(self, session: Session, text: str, *, told: bool = False) -> str:
        return "" if told else super()._passed_over(session, text)

    def not_explained(self, session: Session, text: str) -> str:
        return ""  # what it did not understand is no news to who said it

    def _said(self, session: Session, answer: Answer) -> Reply:
        devices = [self._home.devices[one].names[session.language] for one in session.about]
        speaker = devices[0] if len(devices) == 1 else None
        return super()._said(session, in_metaphor(answer, self._metaphor, self.words(session), speaker))

    # --- a turn --------------------------------------------------------------------------------------------

    def reply(self, session: Session, texts: Sequence[tuple[str, float | None]]) -> Reply:
        """The answer to a turn: the clerk serves what is no command to a device; the rest goes its way."""
        places = self._sided[session.language]
        text = corrected(texts[0][0] if texts else "", session.language, places, self._shown_by[session.language])
        before, steps = session.snapshot(), len(session.before)
        session.attended = attended = self._clerk.attend(session, text, self.words(session))
        reply = super().reply(session, [(attended.rest, None)])
        if attended.acts and not reply.end:  # one step back takes all of the turn back
            while len(session.before) > steps:
                session.before.pop()
            session.remember(before)
        session.attended = None
        if any(act.act == "inform" for act in reply.acts) and not attended.served:
            session.topic = None  # devices are spoken of now
        return reply

    def answered(self, session: Session, text: str) -> Answer:
        served: Attended = session.attended
        if not (served.served or served.leaves):
            return super().answered(session, text)
        waited, open_ = list(session.waiting), bool(re.search(r"\w", text) or session.standing)
        if not open_:
            session.waiting = []
        answer = super().answered(session, text) if open_ else Answer("", ())
        return self._merged(session, served, answer, waited)

    def _merged(self, session: Session, served: Attended, answer: Answer, waited: list[Pending]) -> Answer:
        """One answer of what was done with devices and what was served besides, and one next step."""
        puzzled = answer.acts[:1] in ((Act("repeat"),), (Act("canthelp"),))
        puzzled = puzzled and not any(one.act == "inform" for one in answer.acts)
        if puzzled and served.served:  # what it did understand is answered
            session.lost, answer = 0, Answer("", ())
            session.waiting = [one for one in session.waiting if one in waited]
        if served.told or served.asks:  # what was asked before, and is passed over, is asked no more
            session.waiting = [one for one in session.waiting if one not in waited]
        told = QUESTION.sub("", answer.text).strip()
        shown = {one.value for one in served.acts if one.act == "inform" and one.slot == "done"}
        if "television" in shown:  # channel two, and put it on
            name = self._home.devices["television"].names[session.language]
            on = capital(self._telling.done(session, "television", "on", ["television"]))
            told = " ".join(one for one in sentences_of(told) if one != on and name not in one.lower()[: len(name) + 4] or "low" in one)
        did = tuple(one for one in answer.acts if one.act not in ("reqmore", "request", "select", "confirm", "repeat"))
        sentences = joined([told, *served.told])
        settling = [one for one in session.waiting if one not in waited]
        if answer.end or (served.leaves and not settling and served.asks is None):
            bye = self.farewell(session)
            return Answer(joined([sentences, bye.text]), (*did, *served.acts, *bye.acts), answer.understood, end=True)
        if served.asks is not None:
            session.waiting = [served.asks, *session.waiting]
        question, asks = self._led_on(session)
        if not sentences and asks == (Act("reqmore"),):
            sentences = self.words(session)["well"]
        understood = Meaning(tuple(one for one in (*did, *served.acts) if one.act == "inform"), 1.0)
        return Answer(joined([sentences, question]), (*did, *served.acts, *asks), (understood,))

    # --- what is said --------------------------------------------------------------------------------------

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        if ON_NOW[session.language].search(heard.text) and not heard.did("room"):
            self.let_go(session)
            on = self._telling.on_now(session)
            names = self._telling.listed(session, on, "and") if on else ""
            told = self.words(session)["on_now" if on else "nothing_on"].format(names=names)
            question, asks = self.question(session)
            return Answer(
                f"{told} {question}", (*(stating("inform", "state", f"{one}:on") for one in on), *asks)
            )
        if LAST[session.language].search(heard.text) and not session.done:
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['nothing_done']} {question}", asks)
        if LAST[session.language].search(heard.text):
            devices = list(session.done[-1].before)
            told_of = self._telling.how_they_are(session, devices, None, None, None)
            question, asks = self.question(session)
            acts = tuple(
                stating("inform", "state", f"{one}:{self._telling.state(session, one)}") for one in devices
            )
            return Answer(" ".join([*told_of, question]), (*acts, *asks))
        kind = self._home.devices[session.about[-1]].kind if session.about else None
        kind = session.waiting[0].kind if session.waiting else kind
        clauses = read_clauses(
            ONE_MORE.sub("", LEFT.sub(r"\1", without_meanwhile(heard.text))),
            self._hearing[session.language],
            self._readers[session.language],
            kind,
        )
        clauses = with_wishes(in_the_room(clauses))
        if any(one.deed and not one.did("described") for one in clauses) or session.attended.told:
            clauses = [  # it is so hot; a bit of music, please
                replace(one, deed=None) if one.did("described") else one
                for one in clauses
                if one.deed or not one.did(*WISHES) or one.reference.rooms
            ]
        if session.about == ("television",):  # one sees nothing: on the screen
            clauses = [one for one in clauses if one.deed or not one.did("wish_lamp")]
        clauses = [replace(one, asks=True) if one.did("described") and one.deed else one for one in clauses]
        told, waited, done = Told(asks=any(one.asks and (one.deed or one.reference.kind) for one in clauses)), list(session.waiting), session.done
        told.names_alone = session.alone
        if not self._answered(session, heard, clauses, told):
            for clause in clauses:
                self._take(session, clause, told)
        session.done = tuple(one for one in session.done if one not in done) or session.done
        if told.sentences:  # what was asked before, and is passed over, is asked no more
            session.waiting = [one for one in session.waiting if one not in waited]
        if told.acts:  # the radio! turn the radio off: what was done needs no question
            acted = {act.value for act in told.acts if act.act == "inform"}
            session.settle(acted)
            session.waiting = [
                one
                for one in session.waiting
                if one in waited or one.asks != "which" or not acted & set(one.choices)
            ]  # close the blinds, the living room ones
            idle = {self.words(session)[one] for one in ("untouched", "off_already")}
            told.sentences = [one for one in told.sentences if one not in idle] or told.sentences[:1]
        if told.sentences:  # what was told of them was asked
            session.waiting = [
                one for one in session.waiting if one.asks != "deed" or not (told.asks and {*one.choices} & {*session.about})
            ]
        cannot = self.words(session)["cannot"]  # let me sit down; could you put the telly on
        told.sentences = [one for one in told.sentences if one != cannot] or told.sentences
        if not told.sentences and not session.waiting:
            return self._left(session, heard)
        named = any(one.reference.placed or one.reference.kind for one in clauses)
        if not (told.sentences or named) and session.waiting == waited and not heard.did("meant", "wait"):
            return None
        if heard.did("done") and told.acts and not session.waiting:
            ended = Answer(" ".join(dict.fromkeys(told.sentences)), tuple(told.acts))
            return self._parted(session, ended)
        question, asks = self._led_on(session)
        understood = tuple(
            dict.fromkeys(act for act in told.acts if act.act == "inform" and act.slot != "state")
        )
        return Answer(
            " ".join([*dict.fromkeys(told.sentences), question]), (*told.acts, *asks),
            (Meaning(understood, 1.0),),
        )  # fmt: skip

    def _names_alone(self, session: Session, text: str) -> bool:
        """Whether a sentence of the turn names devices, and says nothing else."""
        hearing, reader = self._hearing[session.language], self._readers[session.language]
        for sentence in sentences_of(text):
            clauses = [] if sentence.endswith("?") else read_clauses(sentence, hearing, reader)
            clauses = [one for one in clauses if not one.did("not") or one.deed]
            if clauses and not any(
                one.loose or one.asks or one.did("not", "negate", "dont") for one in clauses
            ):
                return True
        return False

    def _led_on(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        if session.waiting:
            return self._asked(session, session.waiting[0])
        return self.words(session)["more"], (Act("reqmore"),)

    def _left(self, session: Session, heard: Heard) -> Answer | None:
        """Yes or no where nothing was asked but whether there is more."""
        if only_no(heard) and asked_for_more(session.last):
            return self.farewell(session)
        if heard.did("affirm") and asked_for_more(session.last):
            return Answer(self.words(session)["ask"], (Act("request", "task"),))
        if heard.did("affirm", "negate", "wait"):
            question, asks = self.question(session)
            lead = [self.words(session)["wait"]] if heard.did("wait") else []
            return Answer(" ".join([*lead, question]), asks)
        return None

    def _answered(self, session: Session, heard: Heard, clauses: Sequence[Clause], told: Told) -> bool:
        """Whether this was the answer to what was asked back."""
        if not session.waiting:
            return False
        denied = [one for one in clauses if "not" in one.kinds and one.deed is None and one.reference.kind]
        if denied and len(clauses) > len(denied) and session.waiting[0].choices != ():
            kinds = self._home.kinds_of(session.waiting[0].choices)
            if not kinds & {one.reference.kind for one in denied}:  # what was not asked for is refused
                clauses = [one for one in clauses if one not in denied]
        pending, words = session.waiting[0], self.words(session)
        placed = any(one.reference.rooms or one.reference.places for one in clauses)
        unsure = heard.did("dontcare", "suggest") and not placed
        if unsure and pending.asks == "which" and pending.deed:  # which one makes no difference: the first
            session.waiting.pop(0)
            self._do(session, pending.deed, list(pending.choices[:1]), told)
            return True
        denied = next((at for at, one in enumerate(clauses) if one.did("negate")), 0)
        after = (one.reference for one in clauses[denied + 1 :])
        said = clauses[denied:] if any(one.placed or one.other for one in after) else clauses
        first = next((one for one in said if one.reference.said or one.deed or one.reference.strange), None)
        clear = [
            one for one in said if one.reference.placed and not one.reference.strange and not one.did("not")
        ]
        if pending.choices and first is not None and first.reference.strange and not first.did("not"):
            first = next(
                (one for one in clear if self._meant(session, one.reference, pending.choices)), first
            )
        if first is not None and first.did("not") and pending.choices and (first.reference.placed):
            left_out = self._meant(session, first.reference, pending.choices)
            kept = tuple(one for one in pending.choices if one not in left_out)
            if not left_out:
                told.sentences.append(self.words(session)["untouched"])
                return True
            rest = tuple(one for one in self._home.of_kind(pending.kind) if one not in left_out)
            if kept or rest:  # the last choice was not meant: one of the others
                return self._narrowed(session, pending, kept or rest, told)
        points = first is not None and first.reference.it and session.about and not first.placed
        only_it = points and pending.asks == "which" and first.deed in (None, pending.deed)
        if only_it and not (first.reference.every or first.reference.kind not in (None, pending.kind)):
            if not (set(session.about) & set(pending.choices)) or len(set(session.about) & set(pending.choices)) > 1:
                return True  # yes, that one: which?
        if points and not set(session.about) & set(pending.choices):  # what was spoken of, not a choice
            return False
        if first is not None and first.deed and first.reference.every and not first.reference.kind:
            session.waiting = []  # everything off
            return False
        new = (
            first is not None
            and first.deed not in (None, pending.deed)
            and first.did("kind", "plural", "called", "home")
        )
        other = first is not None and first.reference.kind not in (None, pending.kind) and pending.kind
        if first is not None and first.asks:
            return False
        if new or other or any(one.did("dont", "volume") for one in clauses):
            session.waiting = []
            return False
        if first is not None and pending.asks == "confirm" and not first.did("not", "dont"):
            named = (
                first.reference.kind in self._home.kinds_of(pending.choices) and not first.reference.strange
            )
            deed = first.deed or pending.deed
            named = named and not (first.reference.it and first.reference.kind is None)
            if deed and (named or (first.deed not in (None, pending.deed) and not first.reference.said)):
                session.waiting.pop(0)  # the fan!; faster, then
                self._do(session, deed, list(pending.choices), told)
                return True
        if first is not None and first.reference.other and not first.deed and len(pending.choices) == 1:
            rooms = {self._home.devices[one].room for one in pending.choices}
            rest = [one for one in self._home.of_kind(pending.kind) if one not in pending.choices]
            near = tuple(one for one in rest if self._home.devices[one].room in rooms) or tuple(rest)
            if near:
                asks = "which" if len(near) > 1 else pending.asks
                session.waiting[0] = replace(pending, asks=asks, choices=near)
                return True
        if first is None or (pending.asks == "confirm" and not first.reference.placed):
            return self._yes_or_no(session, heard, pending, told)
        if pending.asks == "deed" and first.deed:
            session.waiting.pop(0)
            self._do(session, first.deed, list(pending.choices), told)
            return True
        session.waiting.pop(0)
        deed = first.deed or pending.deed
        self._settle(session, replace(first, deed=deed), told, pending)
        for clause in clauses[clauses.index(first) + 1 :]:
            if clause.deed or clause.reference.placed or not clause.did("negate", "it"):  # no, that will do
                self._take(session, clause, told)
        return True

    def _narrowed(self, session: Session, pending: Pending, kept: tuple[str, ...], told: Told) -> bool:
        """Some of the choices are not meant: what is left is done, or asked for."""
        session.waiting.pop(0)
        if pending.deed and len(kept) == 1:
            self._do(session, pending.deed, list(kept), told)
        else:
            asks = "which" if len(kept) > 1 and pending.asks in ("confirm", "deed") else pending.asks
            session.waiting.insert(0, replace(pending, asks=asks, choices=kept))
        return True

    def _yes_or_no(self, session: Session, heard: Heard, pending: Pending, told: Told) -> bool:
        if heard.did("negate") and not heard.did("affirm"):
            session.waiting.pop(0)
            told.sentences.append(self.words(session)["kept"])
            return True
        if (
            heard.did("affirm")
            and pending.asks == "deed"
            and self._goes_on(session, pending.choices, Told(names_alone=True))
        ):
            pending = replace(pending, asks="confirm", deed="on")
        if heard.did("affirm") and pending.asks == "confirm" and pending.deed:
            session.waiting.pop(0)
            self._do(session, pending.deed, list(pending.choices), told)
            return True
        return False

    def _take(self, session: Session, clause: Clause, told: Told) -> None:
        """One clause of a turn; one that only says where answers what the clause before it left open."""
        words, reference = self.words(session), clause.reference
        last = session.waiting[-1] if session.waiting else None
        if (
            last
            and last.asks == "which"
            and last.deed
            and clause.deed in (None, last.deed)
            and not clause.asks
        ):
            fits = reference.placed and self._meant(session, reference, last.choices)
            if fits and not clause.did("not", "negate", "dont"):  # some light, the one by the window
                session.waiting.pop()
                self._settle(session, replace(clause, deed=last.deed), told, last)
                return
        wish = next((one for one in clause.kinds if one in WISHES), None)
        if clause.did("glare") and clause.deed in (None, "softer", "louder"):
            self._dim(session, told)
        elif clause.did("dont"):
            told.sentences.append(words["untouched"])
        elif wish is not None:
            self._wished(session, wish, told, reference.rooms)
        elif clause.asks:
            pending = session.waiting[0] if session.waiting else None
            if not session.about and pending is not None and pending.choices and not reference.placed:
                session.about = pending.choices
            if clause.deed and session.about and not reference.said:  # is it on?
                clause = replace(clause, reference=replace(reference, it=True))
            known = clause.did("kind", "plural", "called", "it", "one") or (reference.it and not clause.loose)
            if known or (clause.deed and clause.reference.said):
                self._tell(session, clause, told)
        elif clause.did("not") and clause.deed is None and not session.done:
            pass  # not the television
        elif self._corrects(session, clause, reference):
            self._correct(session, clause, told)
        elif (
            clause.deed
            or (reference.other and not clause.loose and (session.about or session.done or session.waiting))
            or clause.did("kind", "plural", "called", "too")
            or (clause.did("one", "it") and reference.placed and session.about)
        ):
            self._settle(session, clause, told)
